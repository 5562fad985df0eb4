//! What `status`, `diff` and `doctor` say.

use std::fs;

use super::{AGENT, SETTINGS};
use crate::context::{TestContext, tree};
use crate::snapshot;

impl TestContext {
    /// The checks that did not go well, as `doctor` prints them.
    fn failing(&self) -> Vec<String> {
        let seen = self.run(&["doctor"]).observe();
        let failing: Vec<_> = seen
            .stdout
            .lines()
            .filter_map(|line| line.strip_prefix("FAIL "))
            .filter(|line| !line.starts_with("driver"))
            .map(str::to_owned)
            .collect();
        assert!(seen.code == 1 || failing.is_empty(), "{seen}");
        failing
    }

    fn trusted(&self) {
        let project = self.project.to_str().unwrap();
        let state = serde_json::json!({"projects": {project: {"hasTrustDialogAccepted": true}}});
        fs::write(self.home.join(".claude.json"), state.to_string()).unwrap();
    }
}

#[test]
#[cfg(unix)]
fn status_in_a_screenful() {
    let ctx = TestContext::new();
    let before = tree(ctx.root());
    let seen = ctx.run(&["status"]).observe().expect(0);
    assert!(seen.stdout.contains("project  not installed in"), "{seen}");
    assert!(seen.stdout.contains("user     not installed in"), "{seen}");
    assert_eq!(tree(ctx.root()), before);
    ctx.run(&["install", "--allow"]).observe().expect(0);
    ctx.write(AGENT, "mine");
    fs::create_dir(ctx.project.join("src")).unwrap();
    let seen = ctx
        .run(&["status"])
        .dir(&ctx.project.join("src"))
        .observe()
        .expect(0);
    snapshot!(ctx, seen.stdout, @r#"
    lean-computer-use [VERSION] ([ROOT]/bin/lean-computer-use, on PATH)
    project  [VERSION] in [PROJECT]: 1 things differ (see verify)
      hooks do not run: hooks inert here: start claude in [PROJECT], or install --user
      desk commands are allowed
      launchers start [ROOT]/bin/lean-computer-use
    user     not installed in [HOME]/.claude
    guard    refused 0 calls, warned at 0
    driver   cua-driver was not found
    proof    none yet: lean-computer-use verify --proof
    claude   its folder is "~/.claude"
    "#);
    let json = ctx.run(&["status", "--json"]).observe().expect(0).json();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["places"][0]["hooks"]["state"], "on");
    assert_eq!(json["places"][0]["drift"][0]["path"], AGENT);
    let seen = ctx.run(&["status"]).dir(&ctx.home).observe().expect(0);
    assert!(
        seen.stdout.contains("could not use the home folder"),
        "{seen}"
    );
}

#[test]
fn a_diff_is_what_an_install_changes() {
    let ctx = TestContext::installed();
    assert_eq!(ctx.run(&["diff"]).observe().expect(0).stdout, "");
    let seen = ctx.run(&["diff", "--allow"]).observe().expect(1);
    assert!(
        seen.stdout
            .contains("+      \"Bash(lean-computer-use desk-run:*)\""),
        "{seen}"
    );
    ctx.run(&["install", "--local"]).observe().expect(0);
    let before = ctx.tree();
    assert_eq!(
        ctx.run(&["diff"]).observe().expect(0).stdout,
        "",
        "the scope stays"
    );
    ctx.uninstall(0);
    let seen = ctx.run(&["diff"]).observe().expect(1);
    let paths = before
        .values()
        .filter(|what| !what.ends_with("folder"))
        .count();
    // All but the manifest and the record of the binary.
    assert_eq!(seen.stdout.matches("--- /dev/null").count(), paths - 2);
    ctx.write(SETTINGS, "{");
    ctx.run(&["diff"]).observe().expect(2);
}

#[test]
#[cfg(unix)]
fn a_healthy_install() {
    let ctx = TestContext::new();
    assert_eq!(
        ctx.failing(),
        ["install: not installed here: lean-computer-use install"]
    );
    ctx.run(&["install", "--allow"]).observe().expect(0);
    ctx.run(&["install", "--user"]).observe().expect(0);
    ctx.trusted();
    ctx.program("claude", "#!/bin/sh\necho '2.1.332 (Claude Code)'\n");
    let before = tree(ctx.root());
    assert_eq!(ctx.failing(), Vec::<String>::new());
    assert_eq!(tree(ctx.root()), before, "looking leaves nothing behind");
    let json = ctx.run(&["doctor", "--json"]).observe().json();
    let lines = json["lines"].as_array().unwrap();
    for what in ["hooks", "refusal", "no binary", "launchers"] {
        for scope in ["project", "user"] {
            let name = format!("{scope}: {what}");
            let line = lines.iter().find(|line| line["what"] == name.as_str());
            assert_eq!(line.unwrap()["state"], "ok", "{name}");
        }
    }
}

#[test]
#[cfg(unix)]
fn a_guard_that_was_set_is_not_called_broken() {
    let ctx = TestContext::installed();
    ctx.trusted();
    ctx.write(
        ".claude/lean-computer-use/config.toml",
        "[guard]\nscope = \"off\"\n",
    );
    let seen = ctx.run(&["doctor"]).observe();
    assert!(
        seen.stdout
            .contains("note project: guard: it is set to guard less"),
        "{seen}"
    );
    assert_eq!(ctx.failing(), Vec::<String>::new());
    ctx.write(".claude/lean-computer-use/config.toml", "[guard\n");
    let failing = ctx.failing();
    assert!(
        failing
            .iter()
            .any(|line| line.starts_with("project: config: could not use")),
        "{failing:?}"
    );
}

type Harm = (&'static str, fn(&TestContext));

#[test]
#[cfg(unix)]
fn each_failing_check_ends_with_what_mends_it() {
    let harms: [Harm; 10] = [
        (
            "project: install: 1 things differ, first: modified .claude/agents/desk-runner.md: lean-computer-use install --force",
            |ctx| {
                ctx.write(AGENT, "mine");
            },
        ),
        (
            "project: project settings: \"~/project/.claude/settings.json\":1:1: not strict JSON: EOF while parsing an object; Claude Code ignores such a file or its hooks: ${EDITOR:-vi} +1 [PROJECT]/.claude/settings.json",
            |ctx| {
                ctx.write(SETTINGS, "{");
            },
        ),
        (
            "project: hooks: disableAllHooks is true: no hook runs (\"~/project/.claude/settings.local.json\"): ${EDITOR:-vi} [PROJECT]/.claude/settings.local.json",
            |ctx| {
                ctx.write(".claude/settings.local.json", "{\"disableAllHooks\": true}");
            },
        ),
        (
            "project: binary: \"[ROOT]/bin/lean-computer-use\" is gone: lean-computer-use install",
            |ctx| {
                fs::remove_file(ctx.bin.join("lean-computer-use")).unwrap();
            },
        ),
        (
            "project: trust: this project is not trusted yet, so permission rules and hooks do not count: cd [PROJECT] && claude",
            |ctx| {
                fs::write(ctx.home.join(".claude.json"), "{}").unwrap();
            },
        ),
        (
            "project: plugin: the plugin \"lean-computer-use@x\" brings the hooks too: lean-computer-use install",
            |ctx| {
                ctx.write(
                    ".claude/settings.local.json",
                    "{\"enabledPlugins\": {\"lean-computer-use@x\": true}}",
                );
            },
        ),
        (
            "project: plugin: the plugin that brought the hooks is no longer enabled: lean-computer-use install",
            |ctx| {
                let local = ".claude/settings.local.json";
                ctx.write(
                    local,
                    "{\"enabledPlugins\": {\"lean-computer-use@x\": true}}",
                );
                ctx.run(&["install"]).observe().expect(0);
                fs::remove_file(ctx.project.join(local)).unwrap();
            },
        ),
        (
            "project: git: git tracks .claude/lean-computer-use/local, which belongs to one machine: git rm -r --cached .claude/lean-computer-use/local",
            |ctx| {
                ctx.write(".git/index", "DIRC.claude/lean-computer-use/local/binary");
            },
        ),
        (
            "claude: version 2.1.9 is older than 2.1.197, the oldest that was tried: claude update",
            |ctx| {
                ctx.program("claude", "#!/bin/sh\necho '2.1.9 (Claude Code)'\n");
            },
        ),
        (
            "project: refusal: a third identical failure was not refused (exit 0, no output): lean-computer-use install",
            |ctx| {
                ctx.write(".claude/lean-computer-use/hooks/retry-guard", "exit 0\n");
            },
        ),
    ];
    for (want, harm) in harms {
        let ctx = TestContext::new();
        ctx.run(&["install", "--allow"]).observe().expect(0);
        ctx.trusted();
        harm(&ctx);
        let place = |text: &str, path: &std::path::Path, name: &str| {
            text.replace(path.canonicalize().unwrap().to_str().unwrap(), name)
        };
        let failing: Vec<_> = ctx
            .failing()
            .iter()
            .map(|line| {
                place(
                    &place(line, &ctx.project, "[PROJECT]"),
                    ctx.root(),
                    "[ROOT]",
                )
            })
            .map(|line| {
                line.replace(
                    "[ROOT]/bin/lean-computer-use is",
                    "\"[ROOT]/bin/lean-computer-use\" is",
                )
            })
            .collect();
        assert!(failing.contains(&want.to_owned()), "{want}: {failing:#?}");
    }
}
