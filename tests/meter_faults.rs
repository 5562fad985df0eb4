//! Files that are not what a meter hopes for: none of them hides another, or holds it up.

use std::fs;
use std::process::Command;

use serde_json::json;

use crate::context::TestContext;

fn message(id: &str, text: &str) -> String {
    format!(
        r#"{{"parentUuid":null,"message":{{"id":"msg_{id}","model":"m","content":[{{"type":"text","text":"{text}"}}],"usage":{{"output_tokens":7}}}},"type":"assistant"}}"#
    )
}

/// A message with more than is held at once, a line that is no message, one that is broken, and
/// one with a whole record behind a broken one.
#[test]
fn lines_of_many_megabytes_hide_nothing() {
    let ctx = TestContext::new();
    let long = "x".repeat(9_000_000);
    let lines = [
        message("1", "short"),
        message("2", &long),
        format!(r#"{{"type":"file-history-snapshot","snapshot":{{"f":"{long}"}}}}"#),
        format!(r#"{{"parentUuid":"{long}","usage":"#),
        format!(r#"{{"parentUuid":"{long}"#),
        format!(r#"{{"parentUuid":"{long}{}"#, message("3", "glued")),
        message("4", "short"),
    ];
    let path = ctx.write("t.jsonl", lines.join("\n"));
    let run = ctx.run(&["meter", "--json", "--by", "total", path.to_str().unwrap()]);
    let got = run.observe().expect(0).json();
    assert_eq!(got["total"]["messages"], 4);
    assert_eq!(got["total"]["output"], 28);
    assert_eq!(got["skipped"], json!({"glued_lines": 1, "not_json": 2}));
    assert_eq!(got["files"]["bytes"], fs::metadata(&path).unwrap().len());
}

/// Nobody writes into the pipe: whoever opened it would wait for ever.
#[cfg(unix)]
#[test]
fn pipes_and_devices_are_named_and_left_alone() {
    let ctx = TestContext::new();
    let path = ctx.write("t/projects/p/s.jsonl", message("1", "x"));
    let folder = path.parent().unwrap();
    let pipe = folder.join("pipe.jsonl");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    std::os::unix::fs::symlink("/dev/zero", folder.join("zero.jsonl")).unwrap();
    for words in [vec!["t"], vec!["t", "t/projects/p/pipe.jsonl"]] {
        let words = [vec!["meter", "--json", "--by", "total"], words].concat();
        let got = ctx.run(&words).observe().expect(0).json();
        assert_eq!(got["total"]["messages"], 1);
        assert_eq!(got["files"]["unreadable"], words.len() - 3);
        let notes = got["notes"].to_string();
        assert!(
            notes.contains("pipe.jsonl") && notes.contains("not a regular file"),
            "{notes}"
        );
    }
}
