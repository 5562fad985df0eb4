//! The release's archives in the shape that cargo-dist gives them, made from the binary under test.
//! In goes nothing, out comes a folder. The binaries of other platforms are their headers alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use lean_computer_use::files::sha256;
use serde_json::Value;

use super::text;

/// The platform of these tests.
pub const HERE: &str = "x86_64-unknown-linux-musl";

/// `npm/platforms.json`.
pub fn platforms() -> Vec<Value> {
    serde_json::from_str(include_str!("../../npm/platforms.json")).unwrap()
}

/// Writes one archive for each platform, each with its `.sha256`.
pub fn write(folder: &Path, binary: &Path) {
    fs::create_dir_all(folder).unwrap();
    for platform in platforms() {
        let target = platform["target"].as_str().unwrap();
        let content = if target == HERE {
            fs::read(binary).unwrap()
        } else {
            header(platform["header"].as_str().unwrap())
        };
        pack(folder, target, &content);
    }
}

/// Writes the archive of this target with these bytes as its binary.
pub fn pack(folder: &Path, target: &str, binary: &[u8]) {
    let windows = target.contains("windows");
    let name = format!("lean-computer-use-{target}");
    let scratch = tempfile::tempdir().unwrap();
    let top = scratch.path().join(if windows { "." } else { &name });
    fs::create_dir_all(&top).unwrap();
    let exe = if windows { ".exe" } else { "" };
    let program = top.join(format!("lean-computer-use{exe}"));
    fs::write(&program, binary).unwrap();
    super::executable(&program);
    fs::write(top.join("LICENSE"), "a licence").unwrap();
    fs::write(top.join("README.md"), "a readme").unwrap();
    let ending = if windows { "zip" } else { "tar.xz" };
    let archive = folder.join(format!("{name}.{ending}"));
    let mut command = if windows {
        let mut zip = Command::new("python3");
        zip.args(["-m", "zipfile", "-c"])
            .arg(&archive)
            .arg("LICENSE");
        zip.args(["README.md", "lean-computer-use.exe"]);
        zip
    } else {
        let mut tar = Command::new("tar");
        tar.args(["-I", "xz -0", "-cf"]).arg(&archive).arg(&name);
        tar
    };
    assert!(
        command
            .current_dir(scratch.path())
            .status()
            .unwrap()
            .success()
    );
    let bytes = fs::read(&archive).unwrap();
    let line = format!("{} *{name}.{ending}\n", sha256(&bytes));
    fs::write(format!("{}.sha256", archive.display()), line).unwrap();
}

/// The binary under test without what a debugger needs, which is most of it.
pub fn stripped() -> &'static Path {
    static STRIPPED: OnceLock<PathBuf> = OnceLock::new();
    STRIPPED.get_or_init(|| {
        let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stripped");
        let mut strip = Command::new("strip");
        strip.arg("-o").arg(&to).arg(crate::context::binary_path());
        assert!(strip.status().unwrap().success());
        to
    })
}

/// The next release: the same binary, with another version in it.
pub fn next_release(to: &Path) -> String {
    let now = env!("CARGO_PKG_VERSION");
    let (before, last) = now.split_at(now.len() - 1);
    let next = format!("{before}{}", (last.parse::<u32>().unwrap() + 1) % 10);
    let mut bytes = fs::read(stripped()).unwrap();
    for at in memchr::memmem::find_iter(&bytes.clone(), now) {
        bytes[at..at + next.len()].copy_from_slice(next.as_bytes());
    }
    fs::write(to, bytes).unwrap();
    super::executable(to);
    next
}

/// A copy of `npm/`, `README.md` and `LICENSE` in which the packages have this version.
pub fn sources(to: &Path, version: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::create_dir_all(to.join("npm")).unwrap();
    for name in [
        "README.md",
        "LICENSE",
        "npm/build",
        "npm/publish",
        "npm/wrapper.js",
        "npm/platforms.json",
    ] {
        fs::copy(root.join(name), to.join(name)).unwrap();
    }
    let manifest = text(&root.join("npm/package.json"));
    let now = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(manifest.contains(&now), "{manifest}");
    let manifest = manifest.replace(&now, &format!("\"version\": \"{version}\""));
    fs::write(to.join("npm/package.json"), manifest).unwrap();
    to.join("npm")
}

/// As many bytes as `header` describes.
fn header(header: &str) -> Vec<u8> {
    let mut bytes = vec![0; 64];
    let mut at = 0;
    for part in header.split(' ') {
        if let Some(to) = part.strip_prefix('@') {
            at = to.parse().unwrap();
            continue;
        }
        for pair in part.as_bytes().chunks(2) {
            let pair = std::str::from_utf8(pair).unwrap();
            bytes[at] = u8::from_str_radix(pair, 16).unwrap();
            at += 1;
        }
    }
    bytes
}
