//! From every earlier release to this one. `tests/data/install/VERSION` holds what a release left
//! in a project, as it was committed, and the settings that were there before it.

use std::fs;
use std::path::{Path, PathBuf};

use super::{AGENT, SETTINGS};
use crate::context::TestContext;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/install")
}

/// The project as the release left it.
pub fn released(ctx: &TestContext) {
    release(ctx, "0.1.0");
}

/// The project as it was before the release.
pub fn before_release(ctx: &TestContext) {
    ctx.write(
        SETTINGS,
        fs::read(data().join("0.1.0/before.json")).unwrap(),
    );
}

fn release(ctx: &TestContext, version: &str) {
    let from = data().join(version).join("claude");
    for entry in walkdir::WalkDir::new(&from) {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(&from).unwrap();
            let path = Path::new(".claude").join(path);
            let to = ctx.write(path.to_str().unwrap(), fs::read(entry.path()).unwrap());
            // Git knows no other bit, and a checkout may have lost it.
            let tool =
                path.starts_with(".claude/lean-computer-use/desk") && path.extension().is_none();
            set_executable(&to, tool);
        }
    }
}

#[cfg(unix)]
fn set_executable(path: &Path, executable: bool) {
    use std::os::unix::fs::PermissionsExt;
    let mode = if executable { 0o755 } else { 0o644 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(not(unix))]
fn set_executable(_: &Path, _: bool) {}

#[test]
fn every_release_can_be_upgraded_and_removed() {
    let versions = fs::read_dir(data()).unwrap();
    let versions: Vec<_> = versions.map(|entry| entry.unwrap().file_name()).collect();
    assert!(!versions.is_empty());
    for version in versions {
        let version = version.to_str().unwrap();
        let ctx = TestContext::new();
        before_release(&ctx);
        let before = ctx.tree();
        release(&ctx, version);
        ctx.install(0);
        assert_eq!(ctx.drift(), Vec::<String>::new());
        let fresh = TestContext::new();
        before_release(&fresh);
        fresh.run(&["install", "--allow"]).observe().expect(0);
        let sorted = |ctx: &TestContext| {
            // A rule that is new stands last, so the commas differ.
            let text = ctx.read(SETTINGS);
            let lines = text
                .lines()
                .map(|line| line.trim_end_matches(',').to_owned());
            let mut lines: Vec<_> = lines.collect();
            lines.sort();
            lines
        };
        assert_eq!(
            sorted(&ctx),
            sorted(&fresh),
            "nothing doubled, nothing left behind"
        );
        ctx.uninstall(0);
        assert_eq!(ctx.tree(), before);
    }
}

#[test]
fn an_upgrade_keeps_what_was_edited_since() {
    let ctx = TestContext::new();
    released(&ctx);
    ctx.write(AGENT, "mine");
    ctx.install(0);
    assert_eq!(ctx.read(AGENT), "mine");
    ctx.uninstall(1);
    assert_eq!(ctx.read(AGENT), "mine");
}
