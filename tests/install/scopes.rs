//! The user's folder, settings.local.json, and what moves between them.

use std::fs;

use super::{AGENT, MANIFEST, SETTINGS, names};
use crate::context::{TestContext, tree};
use crate::snapshot;

const LOCAL: &str = ".claude/settings.local.json";

#[test]
fn the_users_own_folder() {
    let ctx = TestContext::new();
    let (home, project) = (tree(&ctx.home), ctx.tree());
    let seen = ctx
        .run(&["install", "--user", "--allow"])
        .observe()
        .expect(0);
    snapshot!(ctx, seen.stdout, @r"
    installed lean-computer-use [VERSION] in [HOME]/.claude
      14 files written
      entries merged into settings.json
      the desk commands are allowed in permissions.allow
    next: start claude in any project; hooks and agent start with the next session
    ");
    assert_eq!(ctx.tree(), project);
    let agent = fs::read_to_string(ctx.home.join(".claude/agents/desk-runner.md")).unwrap();
    let binary = ctx.bin.join("lean-computer-use");
    assert!(
        agent.contains(&format!("{} desk-run", binary.display())),
        "{agent}"
    );
    let settings = fs::read_to_string(ctx.home.join(SETTINGS)).unwrap();
    assert!(settings.contains(&format!("Bash({} desk-run:*)", binary.display())));
    ctx.run(&["verify", "--user"]).observe().expect(0);
    let before = tree(&ctx.home);
    let seen = ctx.run(&["install", "--user"]).observe().expect(0);
    assert!(seen.stdout.starts_with("nothing to do"), "{seen}");
    assert_eq!(tree(&ctx.home), before);
    ctx.run(&["uninstall", "--user"]).observe().expect(0);
    assert_eq!(tree(&ctx.home), home);
    ctx.run(&["verify", "--user"]).observe().expect(2);
}

#[test]
fn another_folder_of_claude_code() {
    let ctx = TestContext::new();
    let other = ctx.home.join("it's $HOME `x`");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("settings.json"), "{}").unwrap();
    let before = tree(&ctx.home);
    let run = |words: &[&str]| ctx.run(words).env("CLAUDE_CONFIG_DIR", &other).observe();
    run(&["install", "--user"]).expect(0);
    assert!(!ctx.home.join(".claude").exists());
    run(&["verify", "--user"]).expect(0);
    let text = fs::read_to_string(other.join("settings.json")).unwrap();
    let settings: serde_json::Value = serde_json::from_str(&text).unwrap();
    let command = settings["hooks"]["Stop"][0]["hooks"][0]["command"]
        .as_str()
        .unwrap();
    let seen = ctx
        .shell(command, "hook token-meter")
        .stdin("{")
        .observe()
        .expect(0);
    assert_eq!(seen.stderr, "");
    run(&["uninstall", "--user"]).expect(0);
    assert_eq!(tree(&ctx.home), before);
    fs::remove_dir_all(&other).unwrap();
    run(&["install", "--user"]).expect(0);
    run(&["uninstall", "--user"]).expect(0);
    assert!(!other.exists());
    let relative = ctx
        .run(&["install", "--user"])
        .env("CLAUDE_CONFIG_DIR", "x");
    assert!(
        relative
            .observe()
            .expect(0)
            .stdout
            .contains("/home/.claude")
    );
}

#[test]
#[cfg(unix)]
fn a_user_hook_starts_the_recorded_binary_and_nothing_else() {
    let ctx = TestContext::new();
    ctx.run(&["install", "--user"]).observe().expect(0);
    let hook = ctx.home.join(".claude/lean-computer-use/hooks/retry-guard");
    let called = ctx.root().join("called");
    let script = format!("#!/bin/sh\necho $0 >>'{}'\n", called.display());
    let decoy = ctx.home.join(".local/bin");
    fs::create_dir_all(&decoy).unwrap();
    ctx.program("decoy", &script);
    fs::rename(ctx.bin.join("decoy"), decoy.join("lean-computer-use")).unwrap();
    let fire = || {
        let run = ctx.shell(
            &format!("( . '{}' ) || true", hook.display()),
            "hook retry-guard",
        );
        run.env("PATH", &decoy).stdin("{").observe().expect(0)
    };
    fire();
    fs::remove_file(ctx.bin.join("lean-computer-use")).unwrap();
    assert_eq!(fire().stderr, "");
    assert!(!called.exists());
    let tool = ctx.home.join(".claude/lean-computer-use/desk/desk-run");
    let run = ctx.shell(&format!("'{}' x", tool.display()), "desk-run");
    let seen = run.env("PATH", &decoy).observe().expect(2);
    assert!(seen.stderr.contains("install --user again"), "{seen}");
    assert!(!called.exists());
}

#[test]
fn project_and_local_share_one_install() {
    let ctx = TestContext::new();
    ctx.write(SETTINGS, "{\"a\": 1}\n");
    let before = ctx.tree();
    ctx.run(&["install", "--allow"]).observe().expect(0);
    let seen = ctx.run(&["install", "--local"]).observe().expect(0);
    assert!(
        seen.stdout
            .contains("entries taken out of .claude/settings.json"),
        "{seen}"
    );
    assert!(
        seen.stdout.contains("do not commit .claude/agents"),
        "{seen}"
    );
    assert_eq!(ctx.read(SETTINGS), "{\"a\": 1}\n");
    assert!(
        ctx.read(LOCAL).contains("desk-run:*"),
        "the rules moved along"
    );
    assert!(ctx.read(AGENT).contains("/bin/lean-computer-use desk-run"));
    assert!(ctx.read(MANIFEST).contains("\"scope\": \"local\""));
    let ignored = ctx.read(".claude/lean-computer-use/.gitignore");
    assert!(ignored.lines().any(|line| line == "*"), "{ignored}");
    assert_eq!(ctx.drift(), Vec::<String>::new());
    ctx.run(&["verify", "--local"]).observe().expect(0);
    ctx.run(&["install"]).observe().expect(0);
    assert!(!ctx.project.join(LOCAL).exists());
    assert_eq!(ctx.drift(), Vec::<String>::new());
    let seen = ctx.run(&["verify", "--local"]).observe().expect(2);
    assert!(
        seen.stderr.contains("has an install in project scope"),
        "{seen}"
    );
    ctx.run(&["install", "--local"]).observe().expect(0);
    ctx.uninstall(0);
    assert_eq!(ctx.tree(), before);
    ctx.run(&["install", "--local", "--user"])
        .observe()
        .expect(2);
}

#[test]
fn user_and_project_stand_side_by_side() {
    let ctx = TestContext::new();
    let before = tree(&ctx.home);
    ctx.run(&["install", "--user"]).observe().expect(0);
    ctx.install(0);
    ctx.run(&["verify", "--user"]).observe().expect(0);
    assert_eq!(ctx.drift(), Vec::<String>::new());
    ctx.run(&["uninstall", "--user"]).observe().expect(0);
    assert_eq!(ctx.drift(), Vec::<String>::new());
    ctx.uninstall(0);
    assert_eq!(tree(&ctx.home), before);
}

#[test]
fn a_binary_moved_elsewhere_is_followed() {
    let ctx = TestContext::new();
    ctx.run(&["install", "--user", "--allow"])
        .observe()
        .expect(0);
    let new = ctx.root().join("new home");
    fs::create_dir(&new).unwrap();
    fs::rename(
        ctx.bin.join("lean-computer-use"),
        new.join("lean-computer-use"),
    )
    .unwrap();
    let path = format!("{}:/usr/bin:/bin", new.display());
    let run = ctx.run(&["install", "--user"]).env("PATH", &path);
    run.observe().expect(0);
    let settings = fs::read_to_string(ctx.home.join(SETTINGS)).unwrap();
    assert_eq!(settings.matches("desk-run:*").count(), 1, "{settings}");
    assert!(
        settings.contains("new home/lean-computer-use' desk-run:*"),
        "{settings}"
    );
    ctx.run(&["verify", "--user"]).observe().expect(0);
    ctx.run(&["uninstall", "--user"]).observe().expect(0);
    assert_eq!(names(&ctx.home), "project/\nproject/.git/\n");
}
