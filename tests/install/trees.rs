//! Settings files as they are found in the wild, each through install, install again and uninstall,
//! in every scope: only insertions, nothing the second time, every byte back. And those that Claude
//! Code would not read: refused with their place, and not touched.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use crate::context::{TestContext, tree};

/// A settings file, in words and in bytes.
const KEPT: [(&str, &[u8]); 19] = [
    ("another tool's hooks for the same event", br#"{
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "guard.sh", "timeout": 3, "once": true}]}
    ],
    "SessionStart": [{"hooks": [{"type": "prompt", "prompt": "hello"}]}]
  }
}
"#),
    ("no hooks at all", b"{\n  \"model\": \"opus\",\n  \"env\": {\"A\": \"1\"}\n}\n"),
    ("a byte order mark", b"\xef\xbb\xbf{\n  \"a\": 1\n}\n"),
    ("carriage returns", b"{\r\n  \"a\": 1,\r\n  \"hooks\": {}\r\n}\r\n"),
    ("tabs", b"{\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"Bash(ls:*)\"\n\t\t]\n\t}\n}\n"),
    ("numbers and escapes", b"{\"z\": 1.0, \"a\": [1E3, -0.0, 12345678901234567890123], \"s\": \"\\/ \\u2014\"}\n"),
    ("no last line end", b"{\n  \"a\": 1\n}"),
    ("nothing", b""),
    ("a line end", b"\n"),
    ("empty hooks", b"{\n  \"hooks\": {}\n}\n"),
    ("an empty event", b"{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n"),
    ("empty permissions", b"{\"permissions\": {\"deny\": [], \"allow\": [ ]}}"),
    ("events and keys of tomorrow", br#"{"hooks": {"Tomorrow": [{"new": 1, "hooks": [{"type": "new"}]}]}, "new": [null]}"#),
    ("nothing but a byte order mark", b"\xef\xbb\xbf"),
    ("line ends of two kinds", b"{\r\n  \"a\": 1,\n  \"b\": 2\r\n}\r\n\r\n\r\n"),
    ("keys in escapes", b"{\"h\\u006foks\": {\"St\\u006fp\": []}, \"a\\/b\": 1}"),
    ("keys of theirs twice", b"{\"a\": 1, \"a\": 2, \"b\": {\"c\": 1, \"c\": 2}}"),
    ("numbers that no computer holds", b"{\"a\": 1e999999, \"b\": [[[[[[[[[[[[-1E-999999]]]]]]]]]]]]}"),
    ("all on one line", br#"{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}"#),
];

const REFUSED: [(&str, &[u8], &str); 23] = [
    (
        "a comment",
        b"{\n  // mine\n  \"a\": 1\n}",
        ":2:3: not strict JSON: comments",
    ),
    (
        "a comma too many",
        b"{\"a\": [1, 2,]}",
        ":1:13: not strict JSON: trailing comma",
    ),
    ("cut off", b"{\n  \"a\": {", ":2:8: not strict JSON: EOF"),
    ("a list", b"[]", ":1:1: the settings must be an object"),
    ("null", b"null", ":1:1: the settings must be an object"),
    (
        "two documents",
        b"{} {}",
        ":1:4: not strict JSON: trailing characters",
    ),
    ("not UTF-8", b"{\"a\": \"\xff\"}", ":1:8: not UTF-8"),
    ("UTF-16", b"\xff\xfe{\x00}\x00", ":1:1: not UTF-8"),
    (
        "hooks of a wrong type",
        b"{\"hooks\": []}",
        ":1:11: hooks must be an object",
    ),
    (
        "a null event",
        b"{\"hooks\": {\"Stop\": null}}",
        ":1:20: hooks.Stop must be an array",
    ),
    (
        "a bad group",
        b"{\"hooks\": {\"Stop\": [{\"command\": \"x\"}]}}",
        ":1:21: a group of hooks.Stop",
    ),
    (
        "a bad matcher",
        b"{\"hooks\": {\"Stop\": [{\"matcher\": 1, \"hooks\": []}]}}",
        ":1:33: matcher must be",
    ),
    (
        "a bad timeout",
        b"{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"x\", \"timeout\": \"5\"}]}]}}",
        ":1:57: timeout",
    ),
    (
        "a key twice",
        b"{\"hooks\": {}, \"hooks\": {}}",
        ":1:15: the key hooks stands twice",
    ),
    (
        "an event twice, once in escapes",
        b"{\"hooks\": {\"Stop\": [], \"St\\u006fp\": []}}",
        ":1:24: the key Stop stands twice",
    ),
    (
        "a form feed",
        b"\x0c",
        ":1:1: not strict JSON: expected value",
    ),
    (
        "no number",
        b"{\"a\":NaN}",
        ":1:6: not strict JSON: expected",
    ),
    (
        "a space of another alphabet",
        b"{\xc2\xa0\"a\": 1}",
        ":1:2: not strict JSON: key must",
    ),
    (
        "an end mark of old",
        b"{\"a\": 1}\x1a",
        ":1:9: not strict JSON: trailing",
    ),
    (
        "a null hook",
        b"{\"hooks\": {\"Stop\": [{\"hooks\": [null]}]}}",
        ":1:32: a hook must be an object",
    ),
    (
        "null permissions",
        b"{\"permissions\": null}",
        ":1:17: permissions must be an object",
    ),
    (
        "bad rules",
        b"{\"permissions\": {\"allow\": \"Bash\"}}",
        ":1:27: permissions.allow must be",
    ),
    (
        "bad refusals",
        b"{\"permissions\": {\"deny\": [1]}}",
        ":1:27: a rule of permissions.deny must be",
    ),
];

/// Each scope with its settings file, below the home folder.
const SCOPES: [(&[&str], &[&str], &str); 3] = [
    (&[], &[], "project/.claude/settings.json"),
    (&["--local"], &[], "project/.claude/settings.local.json"),
    (&["--user"], &["--user"], ".claude/settings.json"),
];

fn given(settings: &str, bytes: &[u8]) -> (TestContext, PathBuf) {
    let ctx = TestContext::new();
    let path = ctx.home.join(settings);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    (ctx, path)
}

#[test]
fn every_byte_comes_back_in_every_scope() {
    for (what, bytes) in KEPT {
        for (n, (install, other, settings)) in SCOPES.into_iter().enumerate() {
            let (ctx, path) = given(settings, bytes);
            let before = tree(&ctx.home);
            let run = |word, flags: &[&str]| ctx.run(&[&[word], flags].concat()).observe();
            let allow = if n == 0 { &["--allow"][..] } else { &[] };
            run("install", &[install, allow].concat()).expect(0);
            let after = fs::read(&path).unwrap();
            let mut rest = after.iter();
            let inserted = bytes.iter().all(|byte| rest.any(|other| other == byte));
            assert!(inserted, "{what}: {}", String::from_utf8_lossy(&after));
            assert!(
                !bytes.contains(&b'\r') || lone_line_feeds(&after) == lone_line_feeds(bytes),
                "{what}"
            );
            run("verify", other).expect(0);
            let first = tree(&ctx.home);
            let seen = run("install", install).expect(0);
            assert!(seen.stdout.starts_with("nothing to do"), "{what}: {seen}");
            assert_eq!(tree(&ctx.home), first, "{what}");
            run("uninstall", other).expect(0);
            assert_eq!(tree(&ctx.home), before, "{what}, {settings}");
        }
    }
}

fn lone_line_feeds(bytes: &[u8]) -> usize {
    let pairs = bytes
        .windows(2)
        .filter(|pair| pair[1] == b'\n' && pair[0] != b'\r');
    pairs.count()
}

#[test]
fn what_claude_code_would_not_read_is_refused_untouched() {
    for (n, (what, bytes, want)) in REFUSED.into_iter().enumerate() {
        // Which file it is makes no difference to the reader; three are enough to show that.
        for (install, other, settings) in SCOPES.into_iter().take(if n < 3 { 3 } else { 1 }) {
            let (ctx, _) = given(settings, bytes);
            let before = tree(&ctx.home);
            for _ in 0..2 {
                let seen = ctx
                    .run(&[&["install"], install].concat())
                    .observe()
                    .expect(2);
                assert!(seen.stderr.contains(want), "{what}: {seen}");
                assert!(
                    seen.stderr.contains("mend it and run install again"),
                    "{seen}"
                );
            }
            ctx.run(&[&["uninstall"], other].concat())
                .observe()
                .expect(0);
            assert_eq!(tree(&ctx.home), before, "{what}");
        }
    }
}

#[test]
fn neighbours_are_left_alone() {
    let ctx = TestContext::new();
    for path in [
        ".claude/settings.local.json",
        ".claude/agents/research.md",
        ".claude/commands/go.md",
        ".claude/hooks/x.sh",
        ".claude/CLAUDE.md",
        ".claude/skills/mine/SKILL.md",
        ".claude/lean-computer-use/config.toml",
    ] {
        ctx.write(path, "{}");
    }
    let before = ctx.tree();
    ctx.install(0);
    ctx.uninstall(0);
    assert_eq!(ctx.tree(), before);
}

#[test]
fn settings_of_a_megabyte() {
    let ctx = TestContext::new();
    let mut text = "{\n  \"env\": {\n".to_owned();
    for n in 0..30_000 {
        writeln!(text, "    \"NAME_{n}\": \"value {n} \\u00e9\",").unwrap();
    }
    text += "    \"LAST\": \"\"\n  }\n}\n";
    ctx.write(super::SETTINGS, &text);
    let before = ctx.tree();
    ctx.install(0);
    ctx.uninstall(0);
    assert!(ctx.tree() == before);
}

#[test]
fn installs_uninstalls_and_looks_all_at_once() {
    let ctx = TestContext::new();
    ctx.write(super::SETTINGS, "{\"a\": 1}\n");
    let before = ctx.tree();
    let words = [
        "install",
        "uninstall",
        "verify",
        "install",
        "status",
        "install",
        "uninstall",
        "install",
    ];
    let runs: Vec<_> = words
        .iter()
        .map(|word| (*word, ctx.run(&[word]).start()))
        .collect();
    for (word, run) in runs {
        let seen = run.observe();
        let fine: &[i32] = if word == "verify" { &[0, 2] } else { &[0] };
        assert!(fine.contains(&seen.code), "{word}: {seen}");
    }
    let settings: serde_json::Value = serde_json::from_str(&ctx.read(super::SETTINGS)).unwrap();
    assert_eq!(settings["a"], 1);
    ctx.install(0);
    assert_eq!(ctx.drift(), Vec::<String>::new());
    ctx.uninstall(0);
    assert_eq!(ctx.tree(), before);
}
