use serde_json::json;

use super::*;

fn call(message: &str, id: &str, name: &str, command: &str) -> Value {
    json!({"type": "assistant", "message": {"id": message, "content": [
        {"type": "tool_use", "id": id, "name": name, "input": {"command": command}}]}})
}

fn result(id: &str, content: &Value) -> Value {
    json!({"type": "user", "message": {"content": [
        {"type": "tool_result", "tool_use_id": id, "content": content}]}})
}

fn read(lines: &[Value]) -> Tools {
    let lines: Vec<_> = lines.iter().map(Value::to_string).collect();
    let text = lines.join("\n");
    let mut tools = Tools::default();
    tools.read(text.as_bytes()).unwrap();
    tools
}

fn rows(totals: &ToolTotals) -> Vec<(&str, u64, u64)> {
    let rows = totals.rows.iter();
    rows.map(|(tool, row)| (tool.as_deref().unwrap_or("?"), row.calls, row.result_bytes))
        .collect()
}

#[test]
fn results_count_for_their_tool_once() {
    let blocks =
        json!([{"type": "text", "text": "äb\n"}, {"type": "image", "source": {"data": "AAAA"}}]);
    let mut lines = vec![
        call("m1", "t1", "Bash", "ls"),
        result("t1", &json!("12345678")),
        call("m2", "t2", "Bash", "cd x && lean-computer-use desk-run a"),
        result("t2", &json!("123")),
        call("m3", "t3", "Bash", "desk-run a; desk-read b; desk-run c"),
        call("m3", "t4", "Read", "desk-run a"),
        result("t4", &blocks),
        result("t5", &json!("lost call")),
    ];
    let copies = lines.clone();
    lines.extend(copies);
    let totals = read(&lines).totals(None);
    let want = [
        ("?", 1, 9),
        ("Bash", 1, 8),
        ("Read", 1, 4),
        ("desk-run", 1, 3),
        ("desk-run+desk-read", 1, 0),
    ];
    assert_eq!(rows(&totals), want);
    assert_eq!((totals.total.calls, totals.total.images), (5, 1));
    assert_eq!(totals.total.result_tokens(), 6);
}

#[test]
fn only_calls_of_the_messages_asked_for() {
    let tools = read(&[
        call("m1", "t1", "Bash", "ls"),
        result("t1", &json!("1234")),
        call("m2", "t2", "Read", ""),
        result("t3", &json!("no call")),
    ]);
    assert_eq!(
        rows(&tools.totals(Some(&HashSet::from(["m1"])))),
        [("Bash", 1, 4)]
    );
}

#[test]
fn server_tools_agent_copies_and_glued_lines() {
    let server = json!({"type": "assistant", "message": {"id": "m", "content": [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": {"a": 1}}]}});
    let copy = json!({"type": "progress", "data": {"message": call("m", "t1", "Bash", "ls")}});
    let mut tools = read(&[server, copy]);
    let line = call("m", "t2", "Edit", "").to_string();
    tools.line(&format!(
        r#"{{"parentUuid":"a","ty{{"parentUuid":null,{}"#,
        &line[1..]
    ));
    let want = [("web_search", 1, 7), ("Bash", 1, 0), ("Edit", 1, 0)];
    assert_eq!(rows(&tools.totals(None)), want);
}

/// A tool's output, cut within a character.
#[test]
fn a_result_that_was_cut_within_a_character_counts() {
    let mut tools = read(&[call("m", "t1", "Bash", "ls")]);
    let cut = result("t1", &json!("12345")).to_string();
    tools.line(&cut.replace("12345", r"1234\ud83d"));
    assert_eq!(rows(&tools.totals(None)), [("Bash", 1, 7)]);
}
