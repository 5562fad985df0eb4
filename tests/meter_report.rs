//! `meter` as people ask it: groupings, filters, costs, formats.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::context::TestContext;
use crate::meter::cases;
use crate::observe::Observed;
use crate::snapshot;

/// One message a line: id, session, model, time, input, output.
pub fn line(id: &str, session: &str, model: &str, at: &str, output: u64) -> String {
    let usage =
        json!({"input_tokens": 100, "output_tokens": output, "cache_read_input_tokens": 1000});
    let message = json!({"id": id, "model": model, "stop_reason": "end_turn", "usage": usage});
    json!({"type": "assistant", "requestId": "r", "sessionId": session, "timestamp": at, "message": message})
        .to_string()
}

/// Two projects, three sessions, a subagent, a model without a price.
pub fn world() -> TestContext {
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

pub fn ask(ctx: &TestContext, words: &[&str]) -> Observed {
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
fn absurd_counts_break_nothing() {
    let ctx = TestContext::new();
    let most = u64::MAX;
    let line = |id: &str| {
        json!({"type": "assistant", "requestId": "r", "timestamp": "9999-12-30T00:00:00Z", "message": {
            "id": id, "model": "claude-opus-4-8", "usage": {"input_tokens": most, "output_tokens": most,
            "cache_read_input_tokens": most, "cache_creation_input_tokens": most,
            "server_tool_use": {"web_search_requests": most}}}})
    };
    ctx.write("t.jsonl", format!("{}\n{}", line("msg_1"), line("msg_2")));
    for words in [
        vec!["--by", "total"],
        vec!["--by", "week"],
        vec!["--json"],
        vec!["--csv"],
        vec!["--html", "x.html"],
    ] {
        let words: Vec<_> = ["meter", "t.jsonl"].into_iter().chain(words).collect();
        ctx.run(&words).observe().expect(0);
    }
    let seen = ctx
        .run(&["meter", "t.jsonl", "--json"])
        .observe()
        .expect(0)
        .json();
    assert_eq!(seen["total"]["output"], most);
    // More than can be counted in nano-dollars: not known, rather than wrong.
    assert_eq!(seen["total"]["cost_usd"], Value::Null);
}
