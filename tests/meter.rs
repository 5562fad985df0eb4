//! `meter` over small transcripts, each for one trap, and over recorded sessions.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::context::TestContext;
use crate::snapshot;

/// `expected.json` of a case: the numbers that it is about. Row keys are texts; the row without
/// a key is called "".
#[derive(Deserialize)]
struct Expected {
    total: Map<String, Value>,
    #[serde(default)]
    by: BTreeMap<String, BTreeMap<String, Map<String, Value>>>,
    #[serde(default)]
    skipped: Option<Value>,
    #[serde(default)]
    tz: Option<String>,
}

pub fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts")
}

fn meter(ctx: &TestContext, case: &Path, by: &str, tz: &str) -> Value {
    let path = case.to_str().unwrap();
    ctx.run(&["meter", path, "--by", by, "--json"])
        .env("TZ", tz)
        .observe()
        .expect(0)
        .json()
}

#[track_caller]
fn holds(case: &Path, what: &str, got: &Value, want: &Map<String, Value>) {
    for (field, value) in want {
        assert_eq!(&got[field], value, "{}: {what} {field}", case.display());
    }
}

fn check(ctx: &TestContext, case: &Path) {
    let text = fs::read_to_string(case.join("expected.json")).unwrap();
    let want: Expected = serde_json::from_str(&text).unwrap();
    let tz = want.tz.as_deref().unwrap_or("UTC");
    let got = meter(ctx, case, "total", tz);
    holds(case, "total", &got["total"], &want.total);
    if let Some(skipped) = &want.skipped {
        assert_eq!(&got["skipped"], skipped, "{}", case.display());
    }
    for (by, rows) in &want.by {
        let got = meter(ctx, case, by, tz);
        let got: BTreeMap<_, _> = got["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (row["key"][by].as_str().unwrap_or(""), row))
            .collect();
        let names = rows.keys().map(String::as_str).collect::<Vec<_>>();
        assert_eq!(got.keys().copied().collect::<Vec<_>>(), names);
        for (key, row) in rows {
            holds(case, key, got[key.as_str()], row);
        }
    }
}

#[test]
fn every_case_has_its_numbers() {
    let ctx = TestContext::new();
    let mut count = 0;
    for entry in fs::read_dir(cases()).unwrap() {
        check(&ctx, &entry.unwrap().path());
        count += 1;
    }
    assert!(count >= 30, "only {count} cases");
}

#[test]
fn all_cases_at_once_do_not_depend_on_the_order_of_paths() {
    let ctx = TestContext::new();
    let mut paths: Vec<_> = fs::read_dir(cases())
        .unwrap()
        .map(|entry| entry.unwrap().path().to_str().unwrap().to_owned())
        .filter(|path| path.contains("recorded") || path.contains("subagent"))
        .collect();
    paths.sort();
    let total = |paths: &[String]| {
        let mut words = vec!["meter", "--json", "--by", "agent"];
        words.extend(paths.iter().map(String::as_str));
        ctx.run(&words).observe().expect(0).json()
    };
    let forward = total(&paths);
    paths.reverse();
    assert_eq!(total(&paths), forward);
}

#[test]
fn a_line_that_is_completed_later_counts_then() {
    let ctx = TestContext::new();
    let name = "projects/-home-dev-p/11111111-1111-4111-8111-111111111111.jsonl";
    let mut bytes = fs::read(cases().join("append-mid-line").join(name)).unwrap();
    bytes.extend(
        br#""type":"message","usage":{"input_tokens":5,"output_tokens":60}},"requestId":"req_2","type":"assistant"}"#,
    );
    bytes.push(b'\n');
    let path = ctx.write("transcript.jsonl", bytes);
    let got = meter(&ctx, &path, "total", "UTC");
    assert_eq!(got["total"]["messages"], 2);
    assert_eq!(got["total"]["output"], 110);
    assert_eq!(got["skipped"], json!({}));
}

#[test]
fn table_of_a_recorded_session() {
    let ctx = TestContext::new();
    let case = cases().join("recorded-2.1.332");
    let seen = ctx
        .run(&["meter", case.to_str().unwrap()])
        .observe()
        .expect(0);
    snapshot!(ctx, seen, @"
    exit 0
    --- stdout
    day         messages  input  output  cache write  cache read     cost
    2026-11-30        11    108     251        1,100      31,000  $0.0148
    total             11    108     251        1,100      31,000  $0.0148
    --- stderr
    ---
    ");
    let seen = ctx
        .run(&["meter", case.to_str().unwrap(), "--by", "agent"])
        .observe()
        .expect(0);
    snapshot!(ctx, seen, @"
    exit 0
    --- stdout
    agent          messages  input  output  cache write  cache read     cost
    (main thread)         8     84     188          800      28,000  $0.0147
    desk-runner           3     24      63          300       3,000  $0.0001
    total                11    108     251        1,100      31,000  $0.0148
    --- stderr
    ---
    ");
}

#[test]
fn standard_input_is_one_transcript() {
    let ctx = TestContext::new();
    let name = "projects/-home-dev-p/11111111-1111-4111-8111-111111111111.jsonl";
    let bytes = fs::read(cases().join("placeholder-first").join(name)).unwrap();
    let run = ctx.run(&["meter", "-", "--json"]).stdin(bytes);
    assert_eq!(run.observe().expect(0).json()["total"]["output"], 159);
}

#[test]
fn broken_lines_and_hostile_names_are_said_and_harmless() {
    let ctx = TestContext::new();
    let model = r"\u001b[2J</script><img onerror=x>";
    let line = format!(
        r#"{{"type":"assistant","requestId":"r","message":{{"id":"msg_1","model":"{model}","usage":{{"output_tokens":7}}}}}}"#
    );
    let path = ctx.write("t.jsonl", format!("not json\n{line}\n[1]\nalso not\n{{\"a"));
    let seen = ctx
        .run(&["meter", path.to_str().unwrap(), "--by", "model"])
        .observe()
        .expect(0);
    snapshot!(ctx, seen, @r#"
    exit 0
    --- stdout
    model                                messages  input  output  cache write  cache read      cost
    "\u001b[2J</script><img onerror=x>"         1      0       7            0           0  unpriced
    total                                       1      0       7            0           0  unpriced
    messages without an end: 1 (their output may be more)
    skipped lines: 1 cut_last_line, 1 not_an_object, 2 not_json
    note: no price for "\u001b[2J</script><img onerror=x>": the cost is not complete
    --- stderr
    ---
    "#);
    let json = meter(&ctx, &path, "model", "UTC");
    assert_eq!(
        json["skipped"],
        json!({"cut_last_line": 1, "not_an_object": 1, "not_json": 2})
    );
}

#[test]
fn without_paths_the_folders_of_claude_code_are_read() {
    let ctx = TestContext::new();
    let seen = ctx.run(&["meter"]).observe().expect(0);
    snapshot!(ctx, seen, @r#"
    exit 0
    --- stdout
    note: no transcripts found in "~/.config/claude/projects", "~/.claude/projects"
    --- stderr
    ---
    "#);

    let line = |id: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"msg_{id}","model":"m","usage":{{"output_tokens":1}}}}}}"#
        )
    };
    for (folder, id) in [
        (".claude/projects/-p", "1"),
        (".config/claude/projects/-p", "2"),
        (".claude/elsewhere", "3"),
        ("xdg/claude/projects/-p", "4"),
        ("one/projects/-p", "5"),
        ("two/projects/-p", "6"),
    ] {
        let folder = ctx.home.join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("s.jsonl"), line(id)).unwrap();
    }
    let count = |name: &str, value: String| {
        let run = ctx.run(&["meter", "--json"]).env(name, value);
        run.observe().expect(0).json()["total"]["messages"].clone()
    };
    let at = |folder: &str| ctx.home.join(folder).display().to_string();
    assert_eq!(count("UNUSED", String::new()), 2);
    assert_eq!(count("XDG_CONFIG_HOME", at("xdg")), 2);
    let both = format!("{}, {}", at("one"), at("two"));
    assert_eq!(count("CLAUDE_CONFIG_DIR", both), 2);
    assert_eq!(count("CLAUDE_CONFIG_DIR", at("one")), 1);
    assert_eq!(count("CLAUDE_CONFIG_DIR", at("nowhere")), 0);
}

#[test]
fn a_path_that_does_not_exist_is_refused() {
    let ctx = TestContext::new();
    let seen = ctx.run(&["meter", "no\nwhere"]).observe().expect(2);
    snapshot!(ctx, seen, @r#"
    exit 2
    --- stdout
    --- stderr
    lean-computer-use: could not find "[PROJECT]/no\nwhere": no such file or folder
    ---
    "#);
    ctx.run(&["meter", "--by", "moon"]).observe().expect(2);
}

#[cfg(unix)]
#[test]
fn links_are_followed_once_and_what_cannot_be_read_is_named() {
    use std::os::unix::fs::symlink;
    let ctx = TestContext::new();
    let line = r#"{"type":"assistant","message":{"id":"msg_1","usage":{"output_tokens":1}}}"#;
    let file = ctx.write("real/s.jsonl", line);
    let folder = ctx.project.join("t/projects");
    fs::create_dir_all(&folder).unwrap();
    symlink(file.parent().unwrap(), folder.join("linked")).unwrap();
    symlink(&file, folder.join("again.jsonl")).unwrap();
    symlink(&folder, folder.join("loop")).unwrap();
    symlink("/nonexistent", folder.join("dangling")).unwrap();
    let got = meter(&ctx, &ctx.project.join("t"), "total", "UTC");
    assert_eq!(got["files"]["read"], 1);
    assert_eq!(got["files"]["unreadable"], 0);
    assert_eq!(got["total"]["messages"], 1);

    // Its first bytes cannot be read whoever asks: it is the memory of another kind.
    symlink("/proc/self/mem", folder.join("s2.jsonl")).unwrap();
    if Path::new("/proc/self/mem").exists() {
        let got = meter(&ctx, &ctx.project.join("t"), "total", "UTC");
        assert_eq!(got["files"]["unreadable"], 1);
        assert_eq!(got["total"]["messages"], 1);
        let note = got["notes"][0].as_str().unwrap();
        assert!(note.contains("could not read"), "{note}");
    }
}
