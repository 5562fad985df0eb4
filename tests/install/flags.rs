//! What each flag of install does.

use std::fs;

use super::{AGENT, LAUNCHER, MANIFEST, SETTINGS, names};
use crate::context::{TestContext, binary_path, copy_program, tree};

const BACKUPS: &str = ".claude/lean-computer-use/local/backups";

#[test]
fn a_foreign_file_gives_way_by_force_and_comes_back() {
    let ctx = TestContext::new();
    ctx.write(AGENT, "theirs\n");
    let before = ctx.tree();
    ctx.install(2);
    let seen = ctx.run(&["install", "--force"]).observe().expect(0);
    assert!(
        seen.stdout.contains(&format!("kept in a backup: {AGENT}")),
        "{seen}"
    );
    assert_eq!(ctx.drift(), Vec::<String>::new());
    let after = ctx.tree();
    let seen = ctx.install(0);
    assert!(seen.stdout.starts_with("nothing to do"), "{seen}");
    assert_eq!(ctx.tree(), after);
    let seen = ctx.uninstall(0);
    assert!(
        seen.stdout
            .contains(&format!("given back as it was before: {AGENT}")),
        "{seen}"
    );
    assert_eq!(ctx.tree(), before);

    ctx.run(&["install", "--force"]).observe().expect(0);
    fs::remove_dir_all(ctx.project.join(BACKUPS)).unwrap();
    let seen = ctx.uninstall(1);
    assert!(seen.stdout.contains("is not on this machine"), "{seen}");
    assert!(ctx.project.join(AGENT).exists());
}

#[test]
fn an_edit_gives_way_by_force_and_is_never_lost() {
    let ctx = TestContext::installed();
    let shipped = ctx.read(AGENT);
    ctx.write(AGENT, "mine\n");
    ctx.run(&["install", "--force"]).observe().expect(0);
    assert_eq!(ctx.read(AGENT), shipped);
    ctx.write(AGENT, "mine again\n");
    ctx.run(&["install", "--force"]).observe().expect(0);
    assert_eq!(ctx.drift(), Vec::<String>::new());
    let seen = ctx.uninstall(1);
    assert!(seen.stdout.contains("holds an edit of yours"), "{seen}");
    assert_eq!(ctx.read(AGENT), "mine\n");
    let backups: Vec<_> = fs::read_dir(ctx.project.join(BACKUPS)).unwrap().collect();
    assert_eq!(backups.len(), 1);
    let backup = backups[0].as_ref().unwrap().path();
    assert_eq!(fs::read_to_string(backup).unwrap(), "mine again\n");
}

#[test]
fn force_brings_back_what_was_removed() {
    let ctx = TestContext::installed();
    let before = ctx.tree();
    fs::remove_file(ctx.project.join(AGENT)).unwrap();
    ctx.run(&["install", "--force"]).observe().expect(0);
    assert_eq!(ctx.tree(), before);
}

#[test]
fn the_same_file_that_was_there_already_stays() {
    let ctx = TestContext::installed();
    let agent = ctx.read(AGENT);
    ctx.uninstall(0);
    ctx.write(AGENT, agent);
    let before = ctx.tree();
    ctx.install(0);
    ctx.uninstall(0);
    assert_eq!(ctx.tree(), before);
}

#[test]
fn without_hooks_no_settings_file_is_made() {
    let ctx = TestContext::new();
    let before = ctx.tree();
    let seen = ctx.run(&["install", "--no-hooks"]).observe().expect(0);
    assert!(seen.stdout.contains("no hooks, as you asked"), "{seen}");
    assert!(!ctx.project.join(SETTINGS).exists());
    assert_eq!(ctx.drift(), Vec::<String>::new());
    ctx.install(0);
    assert!(ctx.read(SETTINGS).contains("retry-guard"));
    ctx.run(&["install", "--no-hooks"]).observe().expect(0);
    assert!(!ctx.project.join(SETTINGS).exists());
    ctx.run(&["install", "--no-hooks", "--allow"])
        .observe()
        .expect(0);
    assert!(!ctx.read(SETTINGS).contains("hooks"));
    ctx.uninstall(0);
    assert_eq!(ctx.tree(), before);
}

#[test]
fn a_plugin_of_ours_brings_the_hooks() {
    let enabled = "{\"enabledPlugins\": {\"lean-computer-use@market\": true}}";
    let ctx = TestContext::new();
    fs::create_dir(ctx.home.join(".claude")).unwrap();
    fs::write(ctx.home.join(SETTINGS), enabled).unwrap();
    let before = tree(&ctx.home);
    for flags in [&["install"][..], &["install", "--user"]] {
        let seen = ctx.run(flags).observe().expect(0);
        assert!(
            seen.stdout
                .contains("plugin of lean-computer-use brings them"),
            "{seen}"
        );
    }
    assert!(!ctx.project.join(SETTINGS).exists());
    assert_eq!(
        fs::read_to_string(ctx.home.join(SETTINGS)).unwrap(),
        enabled
    );
    assert_eq!(ctx.drift(), Vec::<String>::new());
    let status = |want: &str| {
        let seen = ctx.run(&["status"]).observe().expect(0);
        assert_eq!(seen.stdout.matches(want).count(), 2, "{want}: {seen}");
    };
    status("no hooks: the enabled plugin brings them");
    fs::write(ctx.home.join(SETTINGS), "{}").unwrap();
    status("no hooks: the plugin that brought them is no longer enabled");
    fs::write(ctx.home.join(SETTINGS), enabled).unwrap();
    ctx.uninstall(0);
    ctx.run(&["uninstall", "--user"]).observe().expect(0);
    assert_eq!(tree(&ctx.home), before);
}

#[test]
fn hooks_that_cannot_run_are_told() {
    let ctx = TestContext::new();
    fs::create_dir(ctx.home.join(".claude")).unwrap();
    fs::write(ctx.home.join(SETTINGS), "{\"disableAllHooks\": true}").unwrap();
    let seen = ctx.install(0);
    assert!(
        seen.stderr
            .contains("will not run: disableAllHooks is true"),
        "{seen}"
    );
    let drift = ctx.drift();
    assert!(
        drift[0].starts_with("inert .claude/settings.json disableAllHooks"),
        "{drift:?}"
    );
    ctx.write(
        ".claude/settings.local.json",
        "{\"disableAllHooks\": false}",
    );
    assert_eq!(ctx.drift(), Vec::<String>::new());
}

#[test]
fn dry_runs_and_diffs_write_nothing_and_say_everything() {
    let ctx = TestContext::new();
    ctx.write(SETTINGS, "{\n  \"a\": 1\n}\n");
    let before = tree(ctx.root());
    let seen = ctx.run(&["install", "--dry-run"]).observe().expect(0);
    let told: Vec<_> = seen
        .stdout
        .lines()
        .filter(|line| line.starts_with("  create"))
        .collect();
    let seen = ctx
        .run(&["install", "--dry-run", "--json"])
        .observe()
        .expect(0);
    let json = seen.json();
    let paths = |does: &str| {
        let actions = json["actions"].as_array().unwrap().iter();
        actions.filter(|action| action["does"] == does).count()
    };
    assert_eq!(
        (json["dry_run"].as_bool(), paths("create")),
        (Some(true), told.len())
    );
    assert_eq!((paths("merge"), paths("record")), (1, 2));
    let diff = ctx.run(&["install", "--diff"]).observe().expect(0).stdout;
    assert!(
        diff.contains("+++ b/.claude/settings.json\n@@ -1,3 +1,"),
        "{diff}"
    );
    assert_eq!(diff.matches("--- /dev/null").count(), told.len());
    assert_eq!(tree(ctx.root()), before);

    let seen = ctx.run(&["install", "--json"]).observe().expect(0);
    assert_eq!(
        seen.json()["actions"],
        json["actions"],
        "it did what it said"
    );
    assert_eq!(
        ctx.run(&["install", "--diff"]).observe().expect(0).stdout,
        ""
    );
    let after = ctx.tree();
    let dry = ctx
        .run(&["uninstall", "--dry-run", "--json"])
        .observe()
        .expect(0)
        .json();
    assert_eq!(ctx.tree(), after);
    let done = ctx.run(&["uninstall", "--json"]).observe().expect(0).json();
    assert_eq!(dry["actions"], done["actions"]);
    assert_eq!(tree(ctx.root()), before);
}

#[test]
#[cfg(unix)]
fn links_out_of_the_project_are_followed_when_asked() {
    let ctx = TestContext::new();
    let shared = ctx.home.join("shared");
    fs::create_dir(&shared).unwrap();
    std::os::unix::fs::symlink("../shared", ctx.project.join(".claude")).unwrap();
    let before = tree(&ctx.home);
    let seen = ctx.install(2);
    assert!(seen.stderr.contains("--follow-links"), "{seen}");
    ctx.run(&["install", "--follow-links"]).observe().expect(0);
    assert!(shared.join("agents/desk-runner.md").is_file());
    assert_eq!(ctx.drift(), Vec::<String>::new());
    ctx.uninstall(0);
    assert_eq!(tree(&ctx.home), before);
}

#[test]
fn npx_forgets_its_programs() {
    let ctx = TestContext::new();
    let cache = ctx.home.join(".npm/_npx/1a2b/node_modules/.bin");
    fs::create_dir_all(&cache).unwrap();
    let binary = cache.join("lean-computer-use");
    copy_program(&binary_path(), &binary);
    let mut command = std::process::Command::new(&binary);
    command.args(["install"]);
    let run = crate::observe::Run::new(command, "install").world(&ctx);
    let seen = run
        .env("PATH", format!("{}:/usr/bin", cache.display()))
        .observe()
        .expect(0);
    let stays = ctx
        .home
        .join(".local/share/lean-computer-use/bin/lean-computer-use");
    assert!(seen.stdout.contains("copied to \"~/.local/share"), "{seen}");
    assert!(seen.stderr.contains("is not on PATH"), "{seen}");
    let record = ctx.read(".claude/lean-computer-use/local/binary");
    assert_eq!(record.lines().next(), stays.to_str());
    fs::remove_dir_all(&cache).unwrap();
    let run = ctx.shell("\"$TOOL\" --help", "desk-run");
    run.env("TOOL", ctx.project.join(LAUNCHER))
        .env("PATH", "/usr/bin")
        .observe()
        .expect(0);
}

/// Needs to be root to make somebody else's folder; as another user there is nothing to see.
#[test]
#[cfg(unix)]
fn root_keeps_out_of_other_peoples_folders() {
    use std::os::unix::fs::{MetadataExt, chown};
    let ctx = TestContext::new();
    if fs::metadata(&ctx.project).unwrap().uid() != 0 {
        return;
    }
    for path in [
        ctx.project.clone(),
        ctx.write(SETTINGS, "{}"),
        ctx.project.join(".claude"),
    ] {
        chown(path, Some(65534), Some(65534)).unwrap();
    }
    let before = ctx.tree();
    let seen = ctx.install(2);
    assert!(seen.stderr.contains("--as-root"), "{seen}");
    assert_eq!(ctx.tree(), before);
    ctx.run(&["install", "--as-root"]).observe().expect(0);
    for path in [
        SETTINGS,
        AGENT,
        MANIFEST,
        ".claude/agents",
        ".claude/lean-computer-use/local",
    ] {
        assert_eq!(
            fs::metadata(ctx.project.join(path)).unwrap().uid(),
            65534,
            "{path}"
        );
    }
    ctx.uninstall(0);
    assert_eq!(ctx.tree(), before);
    assert_eq!(
        names(&ctx.project),
        ".claude/\n0644 .claude/settings.json\n.git/\n"
    );
}

#[test]
fn a_read_only_settings_file_gets_a_text_to_add_by_hand() {
    let ctx = TestContext::new();
    let path = ctx.write(SETTINGS, "{}");
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    let seen = ctx.install(2);
    let (_, fragment) = seen.stderr.split_once(":\n").unwrap();
    let json: serde_json::Value = serde_json::from_str(fragment).unwrap();
    assert!(json["hooks"]["PreToolUse"].is_array());
}
