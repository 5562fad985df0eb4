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

/// Names of files are text of others, also in what the system says of them.
#[test]
#[cfg(unix)]
fn a_name_in_a_failure_is_shown_and_does_nothing() {
    let ctx = TestContext::new();
    let name = "x\u{1b}[2J\nok: all is well\u{202e}";
    let seen = |words: &[&str]| {
        let seen = ctx.run(words).observe().expect(2);
        let said = seen.stderr.strip_suffix('\n').unwrap();
        assert!(!said.contains(['\n', '\u{1b}', '\u{202e}']), "{said:?}");
        assert!(said.contains("x\\u001b[2J\\"), "{said:?}");
    };
    seen(&["install", "--project", name]);
    ctx.write(&format!("{name}/file"), "");
    seen(&["install", "--project", &format!("{name}/file")]);
    ctx.write(&format!("{name}/.claude"), "");
    std::fs::create_dir(ctx.home.join(name)).unwrap();
    std::os::unix::fs::symlink("nowhere", ctx.home.join(name).join(".claude")).unwrap();
    let project = ctx.home.join(name);
    seen(&["verify", "--project", project.to_str().unwrap()]);
}

/// A link that came after the install: the way out that is named is one.
#[test]
#[cfg(unix)]
fn an_uninstall_behind_a_new_link_says_what_to_do() {
    let ctx = TestContext::new();
    let before = ctx.tree();
    ctx.install(0);
    let (agents, away) = (ctx.project.join(".claude/agents"), ctx.home.join("away"));
    std::fs::rename(&agents, &away).unwrap();
    std::os::unix::fs::symlink(&away, &agents).unwrap();
    let seen = ctx.uninstall(2);
    assert!(
        seen.stderr.contains("; install --follow-links goes there"),
        "{seen}"
    );
    ctx.run(&["install", "--follow-links"]).observe().expect(0);
    ctx.uninstall(0);
    std::fs::remove_file(&agents).unwrap();
    std::fs::remove_dir(ctx.project.join(".claude")).unwrap();
    assert_eq!(ctx.tree(), before);
    assert_eq!(std::fs::read_dir(away).unwrap().count(), 0);
}

/// What is no plain file, wherever a run looks: refused or passed over, but never waited for.
#[test]
#[cfg(unix)]
fn a_pipe_in_the_place_of_a_file_keeps_nobody_waiting() {
    use std::process::Command;

    use crate::observe::Run;
    let ours = ".claude/lean-computer-use";
    for (path, code) in [
        (SETTINGS.to_owned(), 2),
        (".claude/settings.local.json".to_owned(), 2),
        (AGENT.to_owned(), 2),
        (format!("{AGENT}.new"), 2),
        (format!("{ours}/config.toml"), 0),
        (format!("{ours}/hooks/mine"), 0),
        (format!("{ours}/local/binary"), 2),
        (format!("{ours}/local/journal.json"), 2),
        (MANIFEST.to_owned(), 2),
        ("../.claude/settings.json".to_owned(), 0),
        ("../.claude.json".to_owned(), 0),
    ] {
        let ctx = TestContext::new();
        let pipe = ctx.project.join(&path);
        std::fs::create_dir_all(pipe.parent().unwrap()).unwrap();
        let mut mkfifo = Command::new("mkfifo");
        mkfifo.arg(&pipe);
        assert_eq!(Run::new(mkfifo, "mkfifo").world(&ctx).unrecorded().code, 0);
        let paths = || -> Vec<_> {
            let entries = walkdir::WalkDir::new(&ctx.home).sort_by_file_name();
            let entries = entries.into_iter().map(|entry| entry.unwrap().into_path());
            entries.collect()
        };
        let before = paths();
        // Ended with a code that no command has, should it wait after all.
        let bounded = |word: &str| {
            let mut command = Command::new("timeout");
            command.args(["60", "lean-computer-use", word]);
            Run::new(command, word).world(&ctx).observe()
        };
        let seen = bounded("install");
        assert_eq!(seen.code, code, "{path}: {seen}");
        assert!(code == 0 || paths() == before, "{path}");
        for word in ["status", "doctor", "verify", "diff", "uninstall"] {
            let seen = bounded(word);
            assert!([0, 1, 2].contains(&seen.code), "{path} {word}: {seen}");
        }
    }
}
