//! `meter` by tool, of two sides, and watching.

use serde_json::{Value, json};

use crate::meter::cases;
use crate::meter_report::{ask, world};
use crate::snapshot;

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
