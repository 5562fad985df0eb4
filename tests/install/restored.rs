//! What was there comes back, whatever was there.

use std::fs;

use super::{LAUNCHER, SETTINGS, names};
use crate::context::TestContext;
use crate::snapshot;

#[test]
#[cfg(unix)]
fn a_fresh_project() {
    let ctx = TestContext::new();
    let seen = ctx.install(0);
    snapshot!(ctx, seen, @r#"
    exit 0
    --- stdout
    installed lean-computer-use [VERSION] in [PROJECT]
      14 files written below .claude
      entries merged into .claude/settings.json
      the desk commands are not allowed: each call asks, and background subagents are refused
      to allow them: lean-computer-use install --allow
      which adds to permissions.allow
        Bash(lean-computer-use desk:*)
        Bash(lean-computer-use desk-run:*)
        Bash(lean-computer-use desk-read:*)
        Bash(lean-computer-use desk-running:*)
        Bash(lean-computer-use desk-clean:*)
    next: start claude in [PROJECT]; hooks and agent start with the next session
    --- stderr
    warning: [ROOT]/bin/lean-computer-use lies in a build or temp folder and may go away: install again from where it stays
    ---
    "#);
    snapshot!(ctx, ctx.run(&["verify"]).observe().expect(0), @r#"
    exit 0
    --- stdout
    ok: all 24 things in [PROJECT] are as shipped
    --- stderr
    ---
    "#);
    let before = ctx.tree();
    snapshot!(ctx, ctx.install(0).stdout, @r#"
    nothing to do: lean-computer-use [VERSION] is installed in [PROJECT]
      the desk commands are not allowed: each call asks, and background subagents are refused
      to allow them: lean-computer-use install --allow
    "#);
    assert_eq!(ctx.tree(), before);
    snapshot!(ctx, ctx.uninstall(0), @r#"
    exit 0
    --- stdout
    removed lean-computer-use from [PROJECT]: 14 files
      .claude/settings.json held nothing else and is gone
    --- stderr
    ---
    "#);
    assert_eq!(names(&ctx.project), ".git/\n");
    snapshot!(ctx, ctx.uninstall(0), @r#"
    exit 0
    --- stdout
    nothing to do: not installed in [PROJECT]
    --- stderr
    ---
    "#);
}

#[test]
#[cfg(unix)]
fn what_is_installed() {
    let ctx = TestContext::installed();
    snapshot!(ctx, names(&ctx.project), @r#"
    .claude/
    .claude/agents/
    0644 .claude/agents/desk-runner.md
    .claude/lean-computer-use/
    0644 .claude/lean-computer-use/.gitignore
    0644 .claude/lean-computer-use/README.md
    .claude/lean-computer-use/briefs/
    0644 .claude/lean-computer-use/briefs/desk-brief.md
    .claude/lean-computer-use/desk/
    0644 .claude/lean-computer-use/desk/README.md
    0755 .claude/lean-computer-use/desk/desk
    0755 .claude/lean-computer-use/desk/desk-clean
    0755 .claude/lean-computer-use/desk/desk-read
    0755 .claude/lean-computer-use/desk/desk-run
    0755 .claude/lean-computer-use/desk/desk-running
    0644 .claude/lean-computer-use/exit-codes.json
    .claude/lean-computer-use/hooks/
    0644 .claude/lean-computer-use/hooks/retry-guard
    0644 .claude/lean-computer-use/hooks/token-meter
    .claude/lean-computer-use/local/
    0644 .claude/lean-computer-use/local/binary
    0644 .claude/lean-computer-use/manifest.json
    0644 .claude/settings.json
    .claude/skills/
    .claude/skills/desk-task/
    0644 .claude/skills/desk-task/SKILL.md
    .git/
    "#);
}

#[test]
fn nothing_that_is_committed_names_this_machine() {
    let ctx = TestContext::installed();
    let root = ctx.root().canonicalize().unwrap();
    for (path, what) in ctx.tree() {
        let local = path.starts_with(".claude/lean-computer-use/local/");
        assert_eq!(
            what.contains(root.to_str().unwrap()),
            local && path.ends_with("binary"),
            "{path}"
        );
    }
    let ignored = ctx.read(".claude/lean-computer-use/.gitignore");
    assert!(ignored.lines().any(|line| line == "/local/"), "{ignored}");
}

#[test]
fn a_clone_lacks_only_the_machines_own_record() {
    let ctx = TestContext::installed();
    let before = ctx.tree();
    fs::remove_dir_all(ctx.project.join(".claude/lean-computer-use/local")).unwrap();
    ctx.run(&["verify"]).observe().expect(0);
    snapshot!(ctx, ctx.install(0).stdout.lines().nth(1).unwrap(), @"  recorded which binary the launchers start here");
    assert_eq!(ctx.tree(), before);
}

#[test]
fn what_was_there_comes_back() {
    let ctx = TestContext::new();
    ctx.write(SETTINGS, "{\r\n\t\"a\" : 1.0,\r\n\t\"hooks\": { }\r\n}");
    ctx.write(".claude/agents/mine.md", "mine");
    ctx.write(".claude/lean-computer-use/config.toml", "mine = true");
    ctx.write("CLAUDE.md", "mine");
    let before = ctx.tree();
    ctx.run(&["install", "--allow"]).observe().expect(0);
    let settings: serde_json::Value = serde_json::from_str(&ctx.read(SETTINGS)).unwrap();
    assert_eq!(
        settings["permissions"]["allow"].as_array().unwrap().len(),
        5
    );
    assert_eq!(ctx.drift(), Vec::<String>::new());
    ctx.write(".claude/lean-computer-use/local/evidence/read.txt", "ours");
    ctx.uninstall(0);
    assert_eq!(ctx.tree(), before);
}

/// Evidence of the plugin's runs lies there before any install.
#[test]
fn the_machines_own_folder_stays_when_it_was_there_before() {
    const LOCAL: &str = ".claude/lean-computer-use/local";
    let ctx = TestContext::new();
    fs::create_dir_all(ctx.project.join(LOCAL)).unwrap();
    let before = ctx.tree();
    ctx.install(0);
    ctx.install(0);
    let seen = ctx.uninstall(0);
    assert!(!seen.stdout.contains("left alone"), "{seen}");
    assert_eq!(ctx.tree(), before, "empty");

    ctx.write(".claude/lean-computer-use/local/evidence/read.txt", "mine");
    let before = ctx.tree();
    ctx.write(super::AGENT, "mine");
    ctx.run(&["install", "--force"]).observe().expect(0);
    let seen = ctx.uninstall(0);
    assert!(seen.stdout.contains("left alone"), "{seen}");
    fs::remove_dir_all(ctx.project.join(".claude/agents")).unwrap();
    assert_eq!(ctx.tree(), before, "with something in it");

    // In a clone it is missing, and an uninstall there leaves none.
    let ctx = TestContext::installed();
    fs::remove_dir_all(ctx.project.join(LOCAL)).unwrap();
    ctx.uninstall(0);
    assert_eq!(names(&ctx.project), ".git/\n");
}

#[test]
fn allowing_later_adds_the_rules_and_keeps_them() {
    let ctx = TestContext::installed();
    let seen = ctx.run(&["install", "--allow"]).observe().expect(0);
    assert!(
        seen.stdout.contains("the desk commands are allowed"),
        "{seen}"
    );
    let before = ctx.tree();
    let seen = ctx.install(0);
    assert!(seen.stdout.starts_with("nothing to do"), "{seen}");
    assert_eq!(ctx.tree(), before);
    let settings = ctx.read(SETTINGS);
    ctx.write(SETTINGS, settings.replace("desk-run:", "desk-walk:"));
    assert_eq!(
        ctx.drift(),
        ["missing .claude/settings.json Bash(lean-computer-use desk-run:*)"]
    );
}

#[test]
fn a_second_copy_is_counted_and_mended() {
    let ctx = TestContext::installed();
    let text = ctx.read(SETTINGS);
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let groups = json["hooks"]["Stop"].as_array_mut().unwrap();
    groups.push(groups[0].clone());
    ctx.write(SETTINGS, serde_json::to_string_pretty(&json).unwrap());
    assert_eq!(
        ctx.drift(),
        ["duplicated .claude/settings.json Stop token-meter, 2 times"]
    );
    ctx.install(0);
    assert_eq!(ctx.drift(), Vec::<String>::new());
    ctx.uninstall(0);
    assert_eq!(names(&ctx.project), ".git/\n");
}

#[test]
fn eight_at_once() {
    let ctx = TestContext::new();
    ctx.write(SETTINGS, "{\"a\": 1}\n");
    let before = ctx.tree();
    let runs: Vec<_> = (0..8).map(|_| ctx.run(&["install"]).start()).collect();
    for run in runs {
        run.observe().expect(0);
    }
    assert_eq!(ctx.drift(), Vec::<String>::new());
    ctx.uninstall(0);
    assert_eq!(ctx.tree(), before);
}

#[test]
#[cfg(unix)]
fn what_is_installed_runs_from_any_folder() {
    let ctx = TestContext::new();
    let odd = ctx.home.join("it's \"$HOME\" `x` π");
    fs::create_dir(&odd).unwrap();
    ctx.run(&["install", "--project", odd.to_str().unwrap()])
        .observe()
        .expect(0);
    let text = fs::read_to_string(odd.join(SETTINGS)).unwrap();
    let settings: serde_json::Value = serde_json::from_str(&text).unwrap();
    for groups in settings["hooks"].as_object().unwrap().values() {
        for group in groups.as_array().unwrap() {
            let command = group["hooks"][0]["command"].as_str().unwrap();
            let name = if command.contains("token-meter") {
                "token-meter"
            } else {
                "retry-guard"
            };
            for project in [odd.to_str().unwrap(), "/nowhere"] {
                let run = ctx.shell(command, &format!("hook {name}"));
                run.env("CLAUDE_PROJECT_DIR", project)
                    .stdin("{")
                    .observe()
                    .expect(0);
            }
        }
    }
    let run = ctx
        .shell("\"$TOOL\" --help", "desk-run")
        .env("TOOL", odd.join(LAUNCHER));
    let seen = run.observe().expect(0);
    assert!(seen.stdout.contains("lean-computer-use desk-run"), "{seen}");
}
