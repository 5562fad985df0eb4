//! Stories of several actions in one call of the driver.

use serde_json::{Value, json};

use crate::desk_scripted::{effect, read, run_with};

/// The driver's report on a batch: how each action went, and the read after the last one.
fn report(steps: &Value, after: &(&'static str, Value)) -> (&'static str, Value) {
    let executed = steps.as_array().map_or(0, Vec::len);
    let observation = json!({"ok": true, "state": after.1});
    let report = json!({"executed": executed, "steps": steps, "observation": observation});
    ("run_steps", report)
}

#[test]
fn a_batch_answers_as_single_calls_do() {
    let ok = || json!({"ok": true, "tool": "click"});
    let steps = ["click Save", "click Save", "expect Name = x"];
    let answers = vec![
        read(1, ""),
        report(&json!([ok(), ok()]), &read(2, "x")),
        read(3, "x"),
    ];
    let came = run_with(true, &steps, answers);
    assert_eq!(came.to, "done");
    let sent = &came.asked[3]["steps"];
    assert_eq!(sent[1]["args"]["element_token"], "s00000001:1");
    assert_eq!(came.asked[3]["observe"]["include_screenshot"], false);

    let no = |code: &str| json!({"ok": false, "tool": "click", "code": code, "message": "m"});
    let failed = report(&json!([ok(), no("background_unavailable")]), &read(2, ""));
    let came = run_with(
        true,
        &["click Save", "click Save"],
        vec![read(1, ""), failed],
    );
    assert_eq!(came.to, "step 2: refused background_unavailable");
    // A stale token did nothing: that one is tried again, alone.
    let stale = json!({"ok": false, "message": "element_token is stale; read again"});
    let answers = vec![
        read(1, ""),
        report(&json!([ok(), stale]), &read(2, "")),
        read(3, ""),
        effect("click", "unverifiable"),
        read(4, ""),
    ];
    assert_eq!(
        run_with(true, &["click Save", "click Save"], answers).to,
        "unverified"
    );
    // Nobody knows how far it came.
    let lost = vec![read(1, ""), ("run_steps", "never".into())];
    assert_eq!(
        run_with(true, &["click Save", "click Save"], lost).to,
        "step 1: unknown timed_out"
    );
    let cut = vec![read(1, ""), report(&json!([ok()]), &read(2, ""))];
    assert_eq!(
        run_with(true, &["click Save", "click Save"], cut).to,
        "step 2: unknown report_cut_short"
    );
}

#[test]
fn texts_of_a_batch_are_read_back() {
    let two = |n: u32, first: &str, second: &str| {
        let (tool, mut answer) = read(n, first);
        let frame = json!({"x": 1, "y": 9, "w": 3, "h": 4});
        answer["elements"][1] = json!({"element_token": format!("s{n:08x}:1"), "role": "text", "label": "Mail", "value": second, "frame": frame});
        (tool, answer)
    };
    let ok = || json!({"ok": true, "tool": "set_value"});
    let steps = ["set Name = a", "set Mail = b"];
    let good = vec![
        two(1, "", ""),
        report(&json!([ok(), ok()]), &two(2, "a", "b")),
        two(3, "a", "b"),
    ];
    assert_eq!(run_with(true, &steps, good).to, "done");
    // The app takes one back a moment after the report was made.
    let taken = vec![
        two(1, "", ""),
        report(&json!([ok(), ok()]), &two(2, "a", "b")),
        two(3, "", "b"),
        two(4, "", "b"),
        two(5, "", "b"),
        two(6, "", "b"),
    ];
    assert_eq!(run_with(true, &steps, taken).to, "step 1: mismatch");
    let cut = vec![
        two(1, "", ""),
        report(&json!([ok(), ok()]), &two(2, "a", "")),
        two(3, "a", ""),
        two(4, "a", ""),
        two(5, "a", ""),
        two(6, "a", ""),
    ];
    assert_eq!(run_with(true, &steps, cut).to, "step 2: mismatch");
}
