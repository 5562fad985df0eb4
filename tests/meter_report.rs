//! `meter` as people ask it: groupings, filters, costs, formats.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::context::TestContext;
use crate::meter::cases;
use crate::observe::Observed;
use crate::snapshot;

/// One message a line: id, session, model, time, input, output.
fn line(id: &str, session: &str, model: &str, at: &str, output: u64) -> String {
    let usage =
        json!({"input_tokens": 100, "output_tokens": output, "cache_read_input_tokens": 1000});
    let message = json!({"id": id, "model": model, "stop_reason": "end_turn", "usage": usage});
    json!({"type": "assistant", "requestId": "r", "sessionId": session, "timestamp": at, "message": message})
        .to_string()
}

/// Two projects, three sessions, a subagent, a model without a price.
fn world() -> TestContext {
    let ctx = TestContext::new();
    let a = [
        line(
            "msg_1",
            "aaaa1111",
            "claude-opus-4-8",
            "2026-11-20T10:00:00Z",
            10,
        ),
        line(
            "msg_2",
            "aaaa1111",
            "claude-opus-4-8[1m]",
            "2026-11-21T23:30:00Z",
            20,
        ),
    ];
    ctx.write("t/projects/-home-dev-a/aaaa1111.jsonl", a.join("\n"));
    let agent = line(
        "msg_3",
        "x",
        "claude-haiku-4-5-20251001",
        "2026-11-29T10:00:00Z",
        30,
    );
    let agent_file = "t/projects/-home-dev-a/aaaa1111/subagents/agent-7.jsonl";
    ctx.write(agent_file, agent);
    ctx.write(
        &agent_file.replace(".jsonl", ".meta.json"),
        r#"{"agentType":"desk-runner"}"#,
    );
    ctx.write(
        "t/projects/-home-dev-b/aaaa2222.jsonl",
        line(
            "msg_4",
            "aaaa2222",
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "2026-11-30T11:00:00Z",
            40,
        ),
    );
    ctx.write(
        "t/projects/-home-dev-b/bbbb3333.jsonl",
        line("msg_5", "bbbb3333", "next-9", "2026-11-30T11:30:00Z", 50),
    );
    ctx
}

fn ask(ctx: &TestContext, words: &[&str]) -> Observed {
    let mut all = vec!["meter", "t"];
    all.extend(words);
    ctx.run(&all).observe().expect(0)
}

/// Keys and outputs of the rows.
fn rows(seen: &Value) -> String {
    let by = seen["by"].as_str().unwrap();
    let mut text = String::new();
    for row in seen["rows"].as_array().unwrap() {
        let key = row["key"][by].as_str().unwrap_or("null");
        let _ = write!(text, "{key}={} ", row["output"]);
    }
    text.trim_end().to_owned()
}

#[test]
fn groupings() {
    let ctx = world();
    for (by, want) in [
        ("total", ""),
        (
            "day",
            "2026-11-20=10 2026-11-21=20 2026-11-29=30 2026-11-30=90",
        ),
        ("week", "2026-W47=30 2026-W48=30 2026-W49=90"),
        ("month", "2026-11=150"),
        ("session", "aaaa1111=60 aaaa2222=40 bbbb3333=50"),
        ("project", "-home-dev-a=60 -home-dev-b=90"),
        (
            "model",
            "claude-opus-4-8[1m]=20 claude-opus-4-8=10 us.anthropic.claude-sonnet-4-5-20250929-v1:0=40 \
             claude-haiku-4-5-20251001=30 next-9=50",
        ),
        ("agent", "null=120 desk-runner=30"),
        ("message", "msg_2=20 msg_1=10 msg_4=40 msg_3=30 msg_5=50"),
    ] {
        let seen = ask(&ctx, &["--by", by, "--json"]).json();
        assert_eq!(rows(&seen), want, "{by}");
        assert_eq!(seen["total"]["output"], 150);
    }
}

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
fn table_with_costs_and_what_is_not_known() {
    let ctx = world();
    snapshot!(ctx, ask(&ctx, &["--by", "model", "--limit", "2"]), @r#"
    exit 0
    --- stdout
    model                  messages  input  output  cache write  cache read                cost
    "claude-opus-4-8[1m]"         1    100      20            0       1,000             $0.0015
    claude-opus-4-8               1    100      10            0       1,000             $0.0013
    total                         5    500     150            0       5,000  $0.0043 + unpriced
    rows left out: 3 (the total counts them)
    note: no price for next-9: the cost is not complete
    --- stderr
    ---
    "#);
    snapshot!(ctx, ask(&ctx, &["--by", "agent", "--no-cost"]), @"
    exit 0
    --- stdout
    agent          messages  input  output  cache write  cache read
    (main thread)         4    400     120            0       4,000
    desk-runner           1    100      30            0       1,000
    total                 5    500     150            0       5,000
    --- stderr
    ---
    ");
}

#[test]
fn json_of_a_row() {
    let ctx = world();
    let seen = ask(&ctx, &["--by", "model", "--json"]).json();
    assert_eq!(
        seen["rows"][0],
        json!({"key": {"model": "claude-opus-4-8[1m]"}, "messages": 1, "input": 100, "output": 20,
            "cache_write": 0, "cache_write_5m": 0, "cache_write_1h": 0, "cache_read": 1000,
            "web_search": 0, "web_fetch": 0, "cost_usd": 0.0015, "unpriced": 0, "partial": 0})
    );
    assert_eq!(seen["rows"][4]["cost_usd"], Value::Null);
    // opus 0.00125 + 0.0015, haiku 0.00035, sonnet 0.0012; the fifth has no price.
    assert_eq!(seen["total"]["cost_usd"], 0.0043);
    assert_eq!(seen["total"]["unpriced"], 1);
    let notes = seen["notes"].as_array().unwrap();
    assert_eq!(notes[1], "no price for next-9: the cost is not complete");
    assert!(
        notes[0]
            .as_str()
            .unwrap()
            .contains("compacts a conversation")
    );
    let free = ask(&ctx, &["--json", "--no-cost"]).json();
    assert_eq!(free["total"]["cost_usd"], Value::Null);
    assert_eq!(free["notes"].as_array().unwrap().len(), 1);
}

#[test]
fn csv_for_spreadsheets() {
    let ctx = world();
    ctx.write("t/projects/-home-dev-b/=cmd.jsonl", "cut");
    snapshot!(ctx, ask(&ctx, &["--by", "project", "--csv"]), @"
    exit 0
    --- stdout
    project,messages,input,output,cache_write,cache_write_5m,cache_write_1h,cache_read,web_search,web_fetch,cost_usd,unpriced,partial
    '-home-dev-a,3,300,60,0,0,0,3000,0,0,0.003100000,0,0
    '-home-dev-b,2,200,90,0,0,0,2000,0,0,0.001200000,1,0
    --- stderr
    skipped lines: 1 cut_last_line
    note: no price for next-9: the cost is not complete
    ---
    ");
    snapshot!(ctx, ask(&ctx, &["--by", "total", "--csv", "--no-cost"]), @"
    exit 0
    --- stdout
    total,messages,input,output,cache_write,cache_write_5m,cache_write_1h,cache_read,web_search,web_fetch,cost_usd,unpriced,partial
    ,5,500,150,0,0,0,5000,0,0,,0,0
    --- stderr
    skipped lines: 1 cut_last_line
    ---
    ");
}

#[test]
fn a_price_file_replaces_the_table() {
    let ctx = world();
    let price = json!({"input": 1, "output": 2, "cache_write_5m": 0, "cache_write_1h": 0, "cache_read": 0.5});
    ctx.write("p.json", json!({"models": {"next-9": price}}).to_string());
    let seen = ask(&ctx, &["--json", "--by", "model", "--prices", "p.json"]).json();
    assert_eq!(seen["rows"][0]["key"]["model"], "next-9");
    assert_eq!(seen["rows"][0]["cost_usd"], 0.0007);
    assert_eq!(seen["total"]["unpriced"], 4);
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

#[test]
fn tools_whose_results_filled_the_context() {
    let ctx = world();
    let call = |id: &str, command: &str| {
        json!({"type": "assistant", "requestId": "r", "sessionId": "aaaa1111", "message": {
            "id": format!("msg_{id}"), "model": "m", "usage": {"output_tokens": 1},
            "content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]}})
    };
    let result = |id: &str, text: &str| json!({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": id, "content": text}]}});
    let lines = [
        call("t1", "ls"),
        result("t1", &"x".repeat(4001)),
        call(
            "t2",
            "cd /x && lean-computer-use desk-run Calculator click 7",
        ),
        result("t2", "ok: 1 step"),
    ];
    let text = lines.map(|line| line.to_string()).join("\n");
    ctx.write("t/projects/-home-dev-a/tools.jsonl", &text);
    ctx.write("t/projects/-home-dev-b/copy.jsonl", &text);
    snapshot!(ctx, ask(&ctx, &["--by", "tool"]), @"
    exit 0
    --- stdout
    tool      calls  result bytes  about tokens
    Bash          1         4,001         1,000
    desk-run      1            10             2
    total         2         4,011         1,002
    --- stderr
    ---
    ");
    let seen = ask(&ctx, &["--by", "tool", "--json", "--limit", "1"]).json();
    assert_eq!(
        seen["total"],
        json!({"calls": 2, "result_bytes": 4011, "result_tokens_estimate": 1002})
    );
    assert_eq!(seen["rows"].as_array().unwrap().len(), 1);
    assert_eq!(seen["rows"][0]["key"], json!({"tool": "Bash"}));
    let other = ask(&ctx, &["--by", "tool", "--json", "--session", "aaaa2222"]).json();
    assert_eq!(other["total"]["calls"], 0);
    let case = cases().join("recorded-2.1.332");
    let recorded = ctx
        .run(&["meter", case.to_str().unwrap(), "--by", "tool", "--json"])
        .observe()
        .expect(0);
    assert_eq!(recorded.json()["total"]["calls"], 10);
}

#[test]
fn costs_are_those_of_claude_code_itself() {
    let ctx = TestContext::new();
    let case = cases().join("recorded-2.1.332");
    let words = ["meter", case.to_str().unwrap(), "--by", "model", "--json"];
    let seen = ctx.run(&words).observe().expect(0).json();
    // The session's last cost-state line.
    assert_eq!(seen["total"]["cost_usd"], 0.014_766_4);
    assert_eq!(seen["rows"][0]["cost_usd"], 0.014_656);
    assert_eq!(seen["rows"][1]["cost_usd"], 0.000_110_4);
}

#[test]
fn two_sides_are_compared() {
    let ctx = world();
    let call = json!({"type": "assistant", "requestId": "r", "message": {
        "id": "msg_8", "model": "claude-opus-4-8", "stop_reason": "x", "usage": {"output_tokens": 30},
        "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "desk-run a"}}]}});
    let result = json!({"type": "user", "message": {"content": [
        {"type": "tool_result", "tool_use_id": "t1", "content": "x".repeat(400)}]}});
    ctx.write("compare", format!("{call}\n{result}"));
    let a = "t/projects/-home-dev-a/aaaa1111.jsonl";
    let seen = ctx
        .run(&["meter", "compare", a, "compare"])
        .observe()
        .expect(0);
    snapshot!(ctx, seen, @"
    exit 0
    --- stdout
                                       t/projects/-home-dev-a/aaaa1111.jsonl  compare   ratio
    messages                                                               2        1  ×0.500
    input                                                                200        0  ×0.000
    output                                                                30       30  ×1.000
    cache write                                                            0        0       –
    cache read                                                         2,000        0  ×0.000
    cost                                                             $0.0028  $0.0008  ×0.273
    results of desk-run, about tokens                                      0      100       –
    --- stderr
    ---
    ");
    let seen = ctx
        .run(&["meter", "compare", "--json", a, "compare"])
        .observe()
        .expect(0)
        .json();
    assert_eq!(seen["a"]["output"], 30);
    assert_eq!(seen["ratio"]["messages"], 0.5);
    assert_eq!(seen["ratio"]["cost_usd"], 0.273);
    assert_eq!(seen["ratio"]["web_search"], Value::Null);
    assert_eq!(seen["tools"][0]["key"], json!({"tool": "desk-run"}));
    assert_eq!(seen["tools"][0]["b"]["result_tokens_estimate"], 100);
    // The file of that name, not the command.
    let seen = ctx
        .run(&["meter", "./compare", "--json"])
        .observe()
        .expect(0);
    assert_eq!(seen.json()["total"]["output"], 30);
    // Sessions, by the beginning of their id.
    let run = ctx.run(&["meter", "compare", "aaaa1", "bbbb", "--json"]);
    let seen = run.env("CLAUDE_CONFIG_DIR", "t").observe().expect(0).json();
    assert_eq!(
        (&seen["a"]["messages"], &seen["b"]["output"]),
        (&json!(3), &json!(50))
    );
    let run = ctx.run(&["meter", "compare", "aaaa", "bbbb"]);
    run.env("CLAUDE_CONFIG_DIR", "t").observe().expect(2);
    let gone = ctx
        .run(&["meter", "compare", a, "no\u{202e}where"])
        .observe()
        .expect(2);
    snapshot!(ctx, gone, @r#"
    exit 2
    --- stdout
    --- stderr
    lean-computer-use: could not find "no\u202ewhere": no such file, folder or session
    ---
    "#);
    ctx.run(&["meter", "compare", a]).observe().expect(2);
}

#[test]
fn watching_needs_a_terminal() {
    let ctx = world();
    let seen = ctx.run(&["meter", "t", "--watch"]).observe().expect(2);
    snapshot!(ctx, seen, @"
    exit 2
    --- stdout
    --- stderr
    lean-computer-use: could not watch: standard output is not a terminal; leave out --watch
    ---
    ");
    ctx.run(&["meter", "t", "--watch", "--json"])
        .observe()
        .expect(2);
}
