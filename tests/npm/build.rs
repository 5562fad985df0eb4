//! What `npm/build` refuses.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::archives::{self, HERE};
use super::{node, text};
use crate::context::TestContext;
use crate::observe::{Observed, Run};

fn build(ctx: &TestContext, archives: &Path, out: &Path) -> Observed {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(node());
    command.arg(root.join("npm/build")).arg(archives).arg(out);
    Run::new(command, "npm/build").world(ctx).unrecorded()
}

/// A fault, and what is said about it.
type Fault = (&'static str, fn(&Path));

#[test]
#[ignore = "needs node: .ci/run"]
fn what_is_not_as_released_makes_no_package() {
    let faults: [Fault; 7] = [
        ("could not find", |folder| {
            remove(folder, "aarch64-apple-darwin.tar.xz");
        }),
        ("could not find", |folder| {
            remove(folder, "x86_64-pc-windows-msvc.zip.sha256");
        }),
        ("is not what its .sha256 says", |folder| {
            let path = folder.join(format!("lean-computer-use-{HERE}.tar.xz"));
            let mut bytes = fs::read(&path).unwrap();
            *bytes.last_mut().unwrap() ^= 1;
            fs::write(path, bytes).unwrap();
        }),
        ("is not what its .sha256 says", |folder| {
            let path = folder.join(format!("lean-computer-use-{HERE}.tar.xz.sha256"));
            fs::write(path, "").unwrap();
        }),
        ("is for another platform", |folder| {
            let own = fs::read(archives::stripped()).unwrap();
            archives::pack(folder, "aarch64-unknown-linux-musl", &own);
        }),
        ("is for another platform", |folder| {
            archives::pack(folder, HERE, b"");
        }),
        ("the binary in", |folder| {
            let next = folder.join("next");
            archives::next_release(&next);
            archives::pack(folder, HERE, &fs::read(next).unwrap());
        }),
    ];
    for (want, break_it) in faults {
        let ctx = TestContext::new();
        let (folder, out) = (ctx.root().join("archives"), ctx.root().join("out"));
        archives::write(&folder, archives::stripped());
        break_it(&folder);
        let seen = build(&ctx, &folder, &out).expect(1);
        assert!(seen.stderr.starts_with("npm/build: "), "{seen}");
        assert!(seen.stderr.contains(want), "{want}: {seen}");
        assert!(!out.exists());
    }
}

#[test]
#[ignore = "needs node: .ci/run"]
fn nothing_is_written_over() {
    let ctx = TestContext::new();
    let (folder, out) = (ctx.root().join("archives"), ctx.root().join("out"));
    archives::write(&folder, archives::stripped());
    build(&ctx, &folder, &out).expect(0);
    let made = out.join("lean-computer-use-win32-x64/package.json");
    let made: serde_json::Value = serde_json::from_str(&text(&made)).unwrap();
    assert_eq!(
        (&made["os"][0], &made["cpu"][0]),
        (&"win32".into(), &"x64".into())
    );
    assert!(
        out.join("lean-computer-use-win32-x64/bin/lean-computer-use.exe")
            .is_file()
    );
    let seen = build(&ctx, &folder, &out).expect(1);
    assert!(seen.stderr.contains("is there already"), "{seen}");
}

fn remove(folder: &Path, name: &str) {
    fs::remove_file(folder.join(format!("lean-computer-use-{name}"))).unwrap();
}
