//! `meter` with filters, and with words that cannot be read.

use crate::meter_report::{ask, line, world};
use crate::snapshot;

#[test]
fn filters_choose_after_counting_once() {
    let ctx = world();
    // A fork: the same messages under another session, which ended later.
    let copy = ctx
        .read("t/projects/-home-dev-a/aaaa1111.jsonl")
        .replace("aaaa1111", "cccc4444");
    let later = line(
        "msg_9",
        "cccc4444",
        "claude-opus-4-8",
        "2026-11-30T11:59:00Z",
        1,
    );
    ctx.write(
        "t/projects/-home-dev-a/cccc4444.jsonl",
        format!("{copy}\n{later}"),
    );
    for (words, want) in [
        ("--session cccc4444", 1),
        ("--session cccc", 1),
        ("--session aaaa1111", 60),
        ("--session zzzz", 0),
        ("--agent main", 121),
        ("--agent desk-runner", 30),
        ("--model claude-opus-4-8", 31),
        ("--model *sonnet*", 40),
        ("--since 2026-11-30", 91),
        ("--until 2026-11-29", 60),
        ("--since 1d", 91),
        ("--since 36h", 121),
        ("--since 2026-11-21 --until 2026-11-21", 20),
        (
            "--since 2026-11-21 --until 2026-11-21 --timezone Europe/Berlin",
            0,
        ),
        (
            "--since 2026-11-22 --until 2026-11-22 --timezone Europe/Berlin",
            20,
        ),
        ("--since 2026-11-30T11:15 --until 2026-11-30T11:45", 50),
    ] {
        let words: Vec<_> = words.split(' ').chain(["--json"]).collect();
        let seen = ask(&ctx, &words).json();
        assert_eq!(seen["total"]["output"], want, "{words:?}");
    }
}

#[test]
fn words_that_cannot_be_read_end_it_in_one_line() {
    let ctx = world();
    ctx.write(
        "bad.json",
        "{\"models\": {\n  \"m\": {\"input\": \"one\"}}}",
    );
    let mut seen = String::new();
    for words in [
        "--since yesterday",
        "--until 2026-02-30",
        "--timezone Mars/Olympus",
        "--prices bad.json",
        "--prices absent.json",
        "--session aaaa",
    ] {
        let words: Vec<_> = ["meter", "t"].into_iter().chain(words.split(' ')).collect();
        let run = ctx.run(&words).observe().expect(2);
        assert_eq!(run.stdout, "");
        assert_eq!(run.stderr.lines().count(), 1, "{run}");
        seen += &run.stderr;
    }
    snapshot!(ctx, seen, @r#"
    lean-computer-use: could not read the time "yesterday": write 2026-08-04, 2026-08-04T12:30, 7d or 12h
    lean-computer-use: could not read the time "2026-02-30": write 2026-08-04, 2026-08-04T12:30, 7d or 12h
    lean-computer-use: could not find the time zone "Mars/Olympus": write it as UTC or Europe/Berlin
    lean-computer-use: could not use the prices in "bad.json":2:22: invalid type: string "one", expected f64
    lean-computer-use: could not read the prices in "absent.json": No such file or directory (os error 2)
    lean-computer-use: could not choose a session: 2 begin with "aaaa" ("aaaa1111", "aaaa2222"); name more of the id
    "#);
    ctx.run(&["meter", "--json", "--csv"]).observe().expect(2);
    ctx.run(&["meter", "--limit", "-1"]).observe().expect(2);
}
