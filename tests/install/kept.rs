//! Files that the user changed, removed or linked, and what a new release does with them.

use std::fs;

use super::{AGENT, LAUNCHER, MANIFEST, SETTINGS, names};
use crate::context::TestContext;

#[test]
fn an_edited_file_is_kept_and_named() {
    let ctx = TestContext::installed();
    let edited = ctx.read(AGENT) + "\nmine\n";
    ctx.write(AGENT, &edited);
    let before = ctx.tree();
    let seen = ctx.install(0);
    assert!(
        seen.stdout
            .contains(&format!("kept as you edited it: {AGENT}")),
        "{seen}"
    );
    assert_eq!(ctx.tree(), before);
    assert_eq!(ctx.drift(), [format!("modified {AGENT}")]);
    let seen = ctx.uninstall(1);
    assert!(
        seen.stdout
            .contains(&format!("kept, as it was changed since: {AGENT}")),
        "{seen}"
    );
    assert_eq!(ctx.read(AGENT), edited);
    assert_eq!(names(&ctx.project.join(".claude")).lines().count(), 2);
}

/// What looks like ours, when the record of it is gone: named, not removed, and not denied.
#[test]
fn what_no_manifest_records_is_kept_and_named() {
    let why = "  kept, as no manifest says that we put it there: ";
    let ctx = TestContext::installed();
    fs::remove_file(ctx.project.join(MANIFEST)).unwrap();
    let before = ctx.tree();
    let seen = ctx.uninstall(1);
    assert!(seen.stdout.contains(&format!("{why}{AGENT}\n")), "{seen}");
    assert_eq!(ctx.tree(), before);

    let ctx = TestContext::new();
    ctx.write(SETTINGS, "{\"mine\": 1}");
    let before = ctx.tree();
    ctx.install(0);
    for folder in ["agents", "lean-computer-use", "skills"] {
        fs::remove_dir_all(ctx.project.join(".claude").join(folder)).unwrap();
    }
    let seen = ctx.uninstall(1);
    assert!(
        seen.stdout
            .contains(&format!("{why}our entries in {SETTINGS}\n")),
        "{seen}"
    );
    ctx.install(0);
    ctx.uninstall(0);
    ctx.uninstall(0);
    let now: serde_json::Value = serde_json::from_str(&ctx.read(SETTINGS)).unwrap();
    assert_eq!(now["mine"], 1);
    assert!(!now.to_string().contains("lean-computer-use"), "{now}");
    ctx.write(SETTINGS, "{\"mine\": 1}");
    assert_eq!(ctx.tree(), before);
}

#[test]
fn settings_that_were_emptied_miss_our_entries() {
    let ctx = TestContext::installed();
    ctx.write(SETTINGS, "");
    let drift = ctx.drift();
    assert_eq!(drift.len(), 9, "{drift:?}");
    assert!(
        drift.iter().all(|line| line.starts_with("missing ")),
        "{drift:?}"
    );
    ctx.uninstall(0);
    assert_eq!(ctx.read(SETTINGS), "");
}

#[test]
fn a_new_release_offers_its_text_beside_an_edited_file_once() {
    let ctx = TestContext::installed();
    let shipped = ctx.read(AGENT);
    ctx.write(AGENT, "mine");
    older_release(&ctx, AGENT, "older", "older");
    ctx.install(0);
    assert_eq!(ctx.read(AGENT), "mine");
    assert_eq!(ctx.read(&format!("{AGENT}.new")), shipped);
    fs::remove_file(ctx.project.join(format!("{AGENT}.new"))).unwrap();
    let before = ctx.tree();
    ctx.install(0);
    assert_eq!(ctx.tree(), before, "offered once");
}

#[test]
fn a_new_release_replaces_what_nobody_edited() {
    let ctx = TestContext::installed();
    let shipped = ctx.read(AGENT);
    ctx.write(AGENT, "older");
    older_release(&ctx, AGENT, "older", "older");
    assert_eq!(
        ctx.drift(),
        [
            format!("modified {AGENT} from another release"),
            "modified .claude/lean-computer-use/manifest.json".to_owned()
        ]
    );
    ctx.install(0);
    assert_eq!(ctx.read(AGENT), shipped);
    assert_eq!(ctx.drift(), Vec::<String>::new());
}

/// Makes the manifest say that `path` was installed with other bytes.
fn older_release(ctx: &TestContext, path: &str, wrote: &str, shipped: &str) {
    let mut json: serde_json::Value = serde_json::from_str(&ctx.read(MANIFEST)).unwrap();
    let files = json["files"].as_array_mut().unwrap();
    let file = files.iter_mut().find(|file| file["path"] == path).unwrap();
    let digest = |text: &str| lean_computer_use::files::sha256(text.as_bytes());
    file["sha256"] = digest(wrote).into();
    file["source_sha256"] = digest(shipped).into();
    ctx.write(MANIFEST, json.to_string());
}

#[test]
fn a_removed_file_stays_removed() {
    let ctx = TestContext::installed();
    fs::remove_file(ctx.project.join(AGENT)).unwrap();
    let before = ctx.tree();
    let seen = ctx.install(0);
    assert!(
        seen.stdout
            .contains(&format!("left out as you removed it: {AGENT}")),
        "{seen}"
    );
    assert_eq!(ctx.tree(), before);
    assert_eq!(ctx.drift(), [format!("missing {AGENT}")]);
    ctx.uninstall(0);
    assert!(!ctx.project.join(".claude").exists());
}

#[test]
#[cfg(unix)]
fn a_lost_executable_bit_comes_back() {
    use std::os::unix::fs::PermissionsExt;
    let ctx = TestContext::installed();
    let before = ctx.tree();
    let launcher = ctx.project.join(LAUNCHER);
    fs::set_permissions(&launcher, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(ctx.drift(), [format!("mode {LAUNCHER} not executable")]);
    ctx.install(0);
    assert_eq!(ctx.tree(), before);
}

#[test]
#[cfg(unix)]
fn links_inside_the_project_are_followed_and_others_refused() {
    use std::os::unix::fs::symlink;
    let ctx = TestContext::new();
    ctx.write("dotfiles/claude/settings.json", "{}\n");
    symlink("dotfiles/claude", ctx.project.join(".claude")).unwrap();
    let before = ctx.tree();
    ctx.install(0);
    assert!(
        ctx.read("dotfiles/claude/settings.json")
            .contains("retry-guard")
    );
    ctx.uninstall(0);
    assert_eq!(ctx.tree(), before);

    let ctx = TestContext::new();
    ctx.write("dotfiles/settings.json", "{}\n");
    fs::create_dir(ctx.project.join(".claude")).unwrap();
    symlink("../dotfiles/settings.json", ctx.project.join(SETTINGS)).unwrap();
    let before = ctx.tree();
    ctx.install(0);
    ctx.uninstall(0);
    assert_eq!(ctx.tree(), before);

    let local = ".claude/lean-computer-use/local";
    for (target, link) in [
        ("../elsewhere", ".claude"),
        ("nowhere", ".claude"),
        ("/", local),
    ] {
        let ctx = TestContext::new();
        fs::create_dir(ctx.home.join("elsewhere")).unwrap();
        let link = ctx.project.join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, link).unwrap();
        let seen = ctx.install(2);
        assert!(seen.stderr.contains(".claude"), "{seen}");
        assert_eq!(names(&ctx.home.join("elsewhere")), "");
    }
}

#[test]
#[cfg(unix)]
fn a_private_or_read_only_settings_file() {
    use std::os::unix::fs::PermissionsExt;
    let ctx = TestContext::new();
    let path = ctx.write(SETTINGS, "{}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let before = ctx.tree();
    ctx.install(0);
    assert!(ctx.tree()[SETTINGS].starts_with("0600"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    ctx.install(0);
    let seen = ctx.uninstall(2);
    assert!(seen.stderr.contains("is read-only"), "{seen}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    ctx.uninstall(0);
    assert_eq!(ctx.tree(), before);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    let before = ctx.tree();
    ctx.install(2);
    assert_eq!(ctx.tree(), before);
}
