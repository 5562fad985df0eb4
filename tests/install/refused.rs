//! What is refused, before anything is written.

use super::{AGENT, MANIFEST, SETTINGS, names};
use crate::context::TestContext;

#[test]
fn refused_before_any_write() {
    for (path, text, want) in [
        (
            AGENT,
            "somebody else's",
            format!("could not install: {AGENT} is there and not ours"),
        ),
        (
            ".claude/agents",
            "a file",
            "could not use .claude/agents: a file".to_owned(),
        ),
        (
            SETTINGS,
            "{\n  // mine\n}",
            format!("{SETTINGS}:2:3: not strict JSON: comments"),
        ),
        (
            SETTINGS,
            "{\"a\": [1,]}",
            format!("{SETTINGS}:1:10: not strict JSON: trailing comma"),
        ),
        (
            SETTINGS,
            "{} {}",
            format!("{SETTINGS}:1:4: not strict JSON: trailing characters"),
        ),
        (
            SETTINGS,
            "[]",
            format!("{SETTINGS}:1:1: the settings must be an object"),
        ),
        (
            SETTINGS,
            "{\n \"hooks\": []}",
            format!("{SETTINGS}:2:11: hooks must be an object"),
        ),
    ] {
        let ctx = TestContext::new();
        ctx.write(path, text);
        let before = ctx.tree();
        let seen = ctx.install(2);
        assert!(seen.stderr.contains(&want), "{want}: {seen}");
        assert_eq!(ctx.tree(), before);
        if path == SETTINGS {
            assert!(
                seen.stderr.contains("mend it and run install again"),
                "{seen}"
            );
            ctx.uninstall(0);
        }
        assert_eq!(ctx.tree(), before);
    }
    let ctx = TestContext::new();
    ctx.write(SETTINGS, b"{\"a\": \"\xff\"}");
    let seen = ctx.install(2);
    assert!(
        seen.stderr.contains("settings.json:1:8: not UTF-8"),
        "{seen}"
    );
}

#[test]
fn settings_that_broke_after_the_install() {
    let ctx = TestContext::installed();
    let text = ctx.read(SETTINGS);
    ctx.write(SETTINGS, text.replacen('{', "{ // mine\n", 1));
    let before = ctx.tree();
    assert_eq!(
        ctx.drift(),
        [format!(
            "unreadable {SETTINGS} 1:3: not strict JSON: comments are not allowed"
        )]
    );
    ctx.install(2);
    let seen = ctx.uninstall(2);
    assert!(
        seen.stderr.contains("mend it and run uninstall again"),
        "{seen}"
    );
    assert_eq!(ctx.tree(), before);
    ctx.write(SETTINGS, text);
    ctx.uninstall(0);
    assert_eq!(names(&ctx.project), ".git/\n");
}

#[test]
fn a_manifest_that_reaches_for_more_gets_nothing() {
    for (from, to) in [
        (
            "\".claude/agents/desk-runner.md\"",
            "\".claude/../precious\"",
        ),
        ("\".claude/agents/desk-runner.md\"", "\"/etc/hostname\""),
        ("\".claude/agents\"", "\"src\""),
        ("\".claude/settings.json\"", "\"precious\""),
        ("|| true\"", "|| rm -rf .\""),
        ("\"/hooks\"", "\"/mine\""),
        ("\"schema\": 1", "\"schema\": 2"),
        ("{", ""),
    ] {
        let ctx = TestContext::installed();
        ctx.write("precious", "mine");
        let text = ctx.read(MANIFEST);
        assert!(text.contains(from), "{from}");
        ctx.write(MANIFEST, text.replacen(from, to, 1));
        let before = ctx.tree();
        for command in ["uninstall", "install", "verify"] {
            let seen = ctx.run(&[command]).observe().expect(2);
            assert!(seen.stderr.contains("could not trust"), "{seen}");
        }
        assert_eq!(ctx.tree(), before);
    }
}
