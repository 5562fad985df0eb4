//! What belongs to somebody else or may not be read, as a user without rights meets it: told by
//! root, who can give files away and then becomes nobody; other users have nothing to see here.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use super::{AGENT, MANIFEST, SETTINGS};
use crate::context::{TestContext, tree};

const NOBODY: u32 = 65534;

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Everything below the home folder becomes nobody's; none when this is not root.
fn nobodys(ctx: &TestContext) -> Option<()> {
    (fs::metadata(&ctx.project).unwrap().uid() == 0).then_some(())?;
    mode(ctx.root(), 0o755);
    for entry in walkdir::WalkDir::new(&ctx.home) {
        let path = entry.unwrap().into_path();
        std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    Some(())
}

type Harm = fn(&TestContext);

/// Refused with a reason, and nothing is written.
#[test]
fn what_an_install_meets_and_refuses() {
    let harms: [(&str, &str, Harm); 7] = [
        ("settings that may not be read", "settings.json", |ctx| {
            mode(&ctx.project.join(SETTINGS), 0);
        }),
        ("settings that may not be written", "read-only", |ctx| {
            mode(&ctx.project.join(SETTINGS), 0o444);
        }),
        ("somebody else's settings", "settings.json", |ctx| {
            chown(ctx.project.join(SETTINGS), Some(0), Some(0)).unwrap();
        }),
        ("a .claude that may not be written", ".claude", |ctx| {
            mode(&ctx.project.join(".claude"), 0o555);
        }),
        ("a .claude that may not be looked into", ".claude", |ctx| {
            mode(&ctx.project.join(".claude"), 0);
        }),
        ("somebody else's .claude", ".claude", |ctx| {
            chown(ctx.project.join(".claude"), Some(0), Some(0)).unwrap();
        }),
        ("a project that may not be looked into", "project", |ctx| {
            mode(&ctx.project, 0o311);
        }),
    ];
    for (what, want, harm) in harms {
        let ctx = TestContext::new();
        ctx.write(SETTINGS, "{}\n");
        if nobodys(&ctx).is_none() {
            return;
        }
        harm(&ctx);
        let before = tree(&ctx.home);
        for words in [&["install"][..], &["install", "--force"]] {
            let seen = ctx.run(words).without_rights().observe().expect(2);
            assert!(seen.stderr.contains(want), "{what}: {seen}");
            assert!(tree(&ctx.home) == before, "{what}");
        }
    }
}

/// What stands in the way of an uninstall is named; with it gone the rest goes too.
#[test]
fn what_an_uninstall_meets() {
    let harms: [(&str, &str, Harm); 4] = [
        ("a manifest that may not be read", MANIFEST, |ctx| {
            mode(&ctx.project.join(MANIFEST), 0);
        }),
        ("settings that may not be read", SETTINGS, |ctx| {
            mode(&ctx.project.join(SETTINGS), 0);
        }),
        (
            "a folder that may not be written",
            ".claude/agents",
            |ctx| {
                mode(&ctx.project.join(".claude/agents"), 0o555);
            },
        ),
        (
            "a folder that may not be looked into",
            ".claude/agents",
            |ctx| {
                mode(&ctx.project.join(".claude/agents"), 0);
            },
        ),
    ];
    for (what, path, harm) in harms {
        let ctx = TestContext::new();
        ctx.write(SETTINGS, "{}\n");
        if nobodys(&ctx).is_none() {
            return;
        }
        let before = tree(&ctx.home);
        let run = |word| ctx.run(&[word]).without_rights().observe();
        run("install").expect(0);
        let modes = fs::metadata(ctx.project.join(path)).unwrap().mode();
        harm(&ctx);
        let harmed = tree(&ctx.home);
        let seen = run("uninstall").expect(2);
        assert!(tree(&ctx.home) == harmed, "{what}");
        assert!(seen.stderr.contains(path), "{what}: {seen}");
        mode(&ctx.project.join(path), modes);
        run("uninstall").expect(0);
        assert!(tree(&ctx.home) == before, "{what}");
    }
}

/// A file of ours that became somebody else's is still ours by its content.
#[test]
fn somebody_elses_copy_of_our_file_is_taken_away() {
    let ctx = TestContext::new();
    if nobodys(&ctx).is_none() {
        return;
    }
    let before = tree(&ctx.home);
    let run = |word| ctx.run(&[word]).without_rights().observe();
    run("install").expect(0);
    chown(ctx.project.join(AGENT), Some(0), Some(0)).unwrap();
    run("verify").expect(0);
    run("install").expect(0);
    run("uninstall").expect(0);
    assert!(tree(&ctx.home) == before);
}

/// An access list that lets one more user read, and an attribute of somebody's. A file system that
/// has none has nothing to see here.
#[test]
fn the_access_list_and_attributes_of_the_settings_stay() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    let ctx = TestContext::new();
    let settings = ctx.write(SETTINGS, "{}\n");
    // Version 2; then tag, permissions and id of owner, user 12345, group, mask and others.
    let entries: [(u16, u16, u32); 5] = [
        (1, 6, u32::MAX),
        (2, 4, 12345),
        (4, 4, u32::MAX),
        (16, 4, u32::MAX),
        (32, 0, u32::MAX),
    ];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        list.extend(tag.to_le_bytes());
        list.extend(permissions.to_le_bytes());
        list.extend(id.to_le_bytes());
    }
    let given = [
        ("system.posix_acl_access", &list[..]),
        ("user.note", &b"mine"[..]),
    ];
    for (name, value) in given {
        if setxattr(&settings, name, value, XattrFlags::empty()).is_err() {
            return;
        }
    }
    let before = tree(&ctx.project);
    for word in ["install", "uninstall"] {
        ctx.run(&[word]).observe().expect(0);
        for (name, value) in given {
            let mut found = [0; 256];
            let length = getxattr(&settings, name, &mut found).unwrap();
            assert_eq!(&found[..length], value, "{name} after {word}");
        }
    }
    assert_eq!(tree(&ctx.project), before);
}
