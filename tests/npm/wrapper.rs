//! The wrapper passes everything through: seen with scripts in the place of the binary, laid out as
//! npm lays out the packages.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Command;

use rustix::process::Signal;
use serde_json::json;

use super::{executable, node};
use crate::context::TestContext;
use crate::observe::Run;

struct Wrapped {
    ctx: TestContext,
    package: PathBuf,
}

impl Wrapped {
    /// With this script as the binary.
    fn new(script: &str) -> Self {
        let ctx = TestContext::new();
        let package = ctx.root().join("node_modules/lean-computer-use");
        let platform = package.join("node_modules/lean-computer-use-linux-x64/bin");
        fs::create_dir_all(&platform).unwrap();
        fs::create_dir(package.join("bin")).unwrap();
        let manifest = json!({
            "name": "lean-computer-use",
            "optionalDependencies": {"lean-computer-use-linux-x64": "0.0.0"},
        });
        fs::write(package.join("package.json"), manifest.to_string()).unwrap();
        let text = include_str!("../../npm/wrapper.js");
        fs::write(package.join("bin/lean-computer-use.js"), text).unwrap();
        let wrapped = Self { ctx, package };
        fs::write(wrapped.binary(), format!("#!/bin/sh\n{script}\n")).unwrap();
        executable(&wrapped.binary());
        wrapped
    }

    fn binary(&self) -> PathBuf {
        self.package
            .join("node_modules/lean-computer-use-linux-x64/bin/lean-computer-use")
    }

    fn run(&self, words: &[&str]) -> Run {
        let mut command = Command::new(node());
        command
            .arg(self.package.join("bin/lean-computer-use.js"))
            .args(words);
        Run::new(command, "the wrapper").world(&self.ctx)
    }
}

#[test]
#[ignore = "needs node: .ci/run"]
fn every_exit_code() {
    let wrapped = Wrapped::new("exit $1");
    for code in [0, 1, 2, 3, 4, 64, 70, 75, 126, 127, 128, 141, 255] {
        let seen = wrapped.run(&[&code.to_string()]).unrecorded().expect(code);
        assert_eq!((&*seen.stdout, &*seen.stderr), ("", ""));
    }
}

/// Killed by a signal means killed by it here too, and not an exit code that looks like it.
#[test]
#[ignore = "needs node: .ci/run"]
fn death_by_a_signal() {
    let wrapped = Wrapped::new("ulimit -c 0; kill -$1 $$");
    for (name, signal) in [
        ("HUP", Signal::HUP),
        ("INT", Signal::INT),
        ("ABRT", Signal::ABORT),
        ("KILL", Signal::KILL),
        ("SEGV", Signal::SEGV),
        ("PIPE", Signal::PIPE),
        ("TERM", Signal::TERM),
        ("USR1", Signal::USR1),
    ] {
        let mut command = Command::new("/bin/sh");
        let script = "ulimit -c 0; exec \"$0\" \"$@\"";
        command.args(["-c", script]).arg(node());
        command.arg(self::main(&wrapped)).arg(name);
        let status = command
            .env_clear()
            .envs(wrapped.ctx.env())
            .status()
            .unwrap();
        assert_eq!(status.signal(), Some(signal.as_raw()), "{name}: {status}");
    }
}

fn main(wrapped: &Wrapped) -> PathBuf {
    wrapped.package.join("bin/lean-computer-use.js")
}

#[test]
#[ignore = "needs node: .ci/run"]
fn words_folder_streams_and_name() {
    let wrapped = Wrapped::new(
        r#"for word; do printf '[%s]' "$word"; done; printf '\n%s\n' "$PWD"; cat; echo aside >&2"#,
    );
    let words = ["a b", "", "--x=π\n'\"$HOME", "*", "--", "-e"];
    let seen = wrapped
        .run(&words)
        .stdin("from stdin")
        .unrecorded()
        .expect(0);
    let want = format!(
        "[a b][][--x=π\n'\"$HOME][*][--][-e]\n{}\nfrom stdin",
        wrapped.ctx.project.display()
    );
    assert_eq!((&*seen.stdout, &*seen.stderr), (&*want, "aside\n"));

    // Only a real program is told the name it was called by: a script's is its path.
    fs::copy("/bin/bash", wrapped.binary()).unwrap();
    let seen = wrapped
        .run(&["-c", "echo $BASH_ARGV0"])
        .unrecorded()
        .expect(0);
    assert_eq!(seen.stdout.trim(), main(&wrapped).to_str().unwrap());
}

#[test]
#[ignore = "needs node: .ci/run"]
fn a_signal_to_the_wrapper_reaches_the_binary() {
    for (name, signal) in [
        ("HUP", Signal::HUP),
        ("INT", Signal::INT),
        ("QUIT", Signal::QUIT),
        ("TERM", Signal::TERM),
        ("USR1", Signal::USR1),
        ("USR2", Signal::USR2),
    ] {
        let script = format!(
            "trap 'echo heard; exit 7' {name}; : >ready; n=0\n\
             while [ $n -lt 600 ]; do sleep 0.05; n=$((n+1)); done"
        );
        let wrapped = Wrapped::new(&script);
        let started = wrapped.run(&[]).start();
        while !wrapped.ctx.project.join("ready").exists() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        started.signal(signal);
        let seen = started.unrecorded().expect(7);
        assert_eq!((&*seen.stdout, &*seen.stderr), ("heard\n", ""), "{name}");
    }
}

#[test]
#[ignore = "needs node: .ci/run"]
fn without_a_binary_one_line_says_so_and_a_hook_says_nothing() {
    let wrapped = Wrapped::new("exit 0");
    let other = "Object.defineProperty(process, 'arch', { value: 'mips' })";
    let shim = wrapped.ctx.root().join("other.js");
    fs::write(&shim, other).unwrap();
    let shim = format!("--require \"{}\"", shim.display());
    let elsewhere = |words: &[&str]| wrapped.run(words).env("NODE_OPTIONS", &shim).unrecorded();
    let seen = elsewhere(&["status"]).expect(127);
    assert_eq!(
        seen.stderr,
        "lean-computer-use: could not start: there is no binary for linux-mips on npm: build it with cargo\n"
    );
    assert_eq!(elsewhere(&["hook", "retry-guard"]).expect(0).stderr, "");

    fs::write(wrapped.binary(), "no program").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    fs::set_permissions(wrapped.binary(), mode).unwrap();
    let seen = wrapped.run(&["status"]).unrecorded().expect(126);
    assert!(
        seen.stderr.ends_with("/bin/lean-computer-use: EACCES\n"),
        "{seen}"
    );
    let seen = wrapped.run(&["hook", "retry-guard"]).unrecorded().expect(0);
    assert_eq!(seen.stderr, "");

    fs::remove_file(wrapped.binary()).unwrap();
    let seen = wrapped.run(&["status"]).unrecorded().expect(127);
    assert_eq!(seen.stderr.lines().count(), 1, "{seen}");
    assert!(
        seen.stderr
            .contains("lean-computer-use-linux-x64 is not installed"),
        "{seen}"
    );
    let seen = wrapped.run(&["hook", "retry-guard"]).unrecorded().expect(0);
    assert_eq!((&*seen.stdout, &*seen.stderr), ("", ""));
}
