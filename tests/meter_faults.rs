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

#[cfg(unix)]
#[test]
fn what_the_user_may_not_read_is_named_and_the_rest_counts() {
    use std::os::unix::fs::PermissionsExt;
    let ctx = TestContext::new();
    ctx.write("t/projects/p/s.jsonl", message("1", "x"));
    let file = ctx.write("t/projects/p/closed.jsonl", message("2", "x"));
    let folder = ctx.write("t/projects/q/s.jsonl", message("3", "x"));
    let shut = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    shut(&file, 0o000);
    shut(folder.parent().unwrap(), 0o000);
    for ledger in [&["--no-ledger"][..], &[]] {
        let words = [&["meter", "--json", "--by", "total"], ledger, &["t"]].concat();
        let got = ctx.run(&words).without_rights().observe().expect(0).json();
        assert_eq!(got["total"]["messages"], 1);
        assert_eq!(got["files"]["unreadable"], 2, "{got}");
        let notes = got["notes"].to_string();
        for name in ["t/projects/p/closed.jsonl", "t/projects/q"] {
            assert!(notes.contains(name), "{notes}");
        }
    }
    shut(folder.parent().unwrap(), 0o700);
    shut(&file, 0o600);
}

/// Claude Code writes while the meter reads, and something may cut the file meanwhile. Only whole
/// lines are ever written, so that nothing but the last one can be cut.
#[test]
fn a_file_that_grows_and_shrinks_while_it_is_read_breaks_nothing() {
    use std::io::Write as _;
    use std::sync::atomic::{AtomicBool, Ordering};
    let ctx = TestContext::new();
    let text = "x".repeat(20_000);
    let lines: Vec<_> = (0..200)
        .map(|at| message(&at.to_string(), &text) + "\n")
        .collect();
    let path = ctx.write("t/s.jsonl", lines.concat());
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                let mut file = fs::File::create(&path).unwrap();
                for line in &lines {
                    file.write_all(line.as_bytes()).unwrap();
                }
            }
        });
        for at in 0..20 {
            let ledger = if at % 2 == 0 {
                "--no-ledger"
            } else {
                "--limit=5"
            };
            let words = ["meter", "--json", "--by", "total", ledger, "t"];
            let seen = ctx.run(&words).unrecorded().expect(0).json();
            assert!(seen["total"]["messages"].as_u64() <= Some(200), "{seen}");
            let skipped = seen["skipped"].as_object().unwrap();
            // What was cut and written anew between two reads stands within a line.
            let known = ["cut_last_line", "not_json", "glued_lines"];
            assert!(
                skipped.keys().all(|key| known.contains(&key.as_str())),
                "{seen}"
            );
        }
        ended.store(true, Ordering::Relaxed);
    });
    // What was kept of those times does not hold any more, or is right.
    fs::write(&path, lines.concat()).unwrap();
    let run = ctx.run(&["meter", "--json", "--by", "total", "t"]);
    let seen = run.observe().expect(0).json();
    assert_eq!(seen["total"]["messages"], 200, "{seen}");
    assert_eq!(seen["skipped"], json!({}));
}
