//! Stories of a modal dialog in front of the window that a command knows: nothing is done behind it
//! by who cannot know of it, one line tells of it, and the next command goes to it.

use serde_json::{Value, json};

use crate::desk_scripted::{effect, read, run, run_with};

/// The window's read, with a dialog before it.
fn covered(n: u32) -> (&'static str, Value) {
    let (tool, mut answer) = read(n, "");
    answer["dialogs"] = json!([
        {"window_id": 11, "title": "Find", "modal": false},
        {"window_id": 10, "title": "Sure?", "modal": true},
    ]);
    (tool, answer)
}

/// The dialog's own read.
fn dialog(n: u32) -> (&'static str, Value) {
    let yes =
        json!([{"element_token": format!("s{n:08x}:0"), "role": "push button", "label": "Save"}]);
    (
        "get_window_state",
        json!({"pid": 7, "window_id": 10, "tree_format": "both", "elements": yes}),
    )
}

#[test]
fn nothing_is_done_behind_a_dialog_that_was_not_known_of() {
    for step in [
        "click Save",
        "set Name = x",
        "append Name = x",
        "type Name = x",
        "type x",
        "press Escape",
        "menu File > New",
    ] {
        let mut answers = vec![covered(1)];
        // A text that is typed asks for the other windows first, where it can go astray.
        let types = cfg!(target_os = "linux") && step.starts_with("type Name");
        if types {
            answers.extend(crate::desk_scripted::windows(&[9]));
        }
        answers.push(dialog(2));
        let came = run(&[step], answers);
        assert_eq!(came.to, "step 1: refused dialog_in_front", "{step}");
    }
    // Not as a batch either.
    let answers = vec![covered(1), dialog(2)];
    let came = run_with(true, &["click Save", "click Save"], answers);
    assert_eq!(came.to, "step 1: refused dialog_in_front");
    assert!(came.words.contains("Sure?"), "{}", came.words);
    // What only looks may look behind it.
    let came = run(&["expect Name = \"\""], vec![covered(1), dialog(2)]);
    assert_eq!((came.to.as_str(), came.dialog), ("done", true));
}

#[test]
fn a_step_that_opened_a_window_is_followed_by_a_look() {
    let mut opens = effect("click", "unverifiable");
    let change = "the application opened and focused its own window 10 \"Sure?\"";
    opens.1["evidence"] = json!([{"kind": "window_change", "detail": change}]);
    let answers = vec![read(1, ""), opens.clone(), covered(2), dialog(3)];
    let came = run(&["click Save", "click Save"], answers);
    assert_eq!(came.to, "step 2: refused dialog_in_front");
    // A window that is no dialog is not in the way.
    let click = effect("click", "unverifiable");
    let answers = vec![read(1, ""), opens, read(2, ""), click, read(3, "")];
    let came = run(&["click Save", "click Save"], answers);
    assert_eq!((came.to.as_str(), came.dialog), ("unverified", false));
}

#[test]
fn a_dialog_at_the_end_is_told_of() {
    let click = effect("click", "unverifiable");
    let answers = vec![read(1, ""), click.clone(), covered(2), dialog(3)];
    let came = run(&["click Save"], answers);
    assert_eq!((came.to.as_str(), came.dialog), ("unverified", true));
    // Also where a step failed because of it.
    let mut answers = vec![read(1, ""), click];
    answers.extend((0..8).map(|n| covered(2 + n)));
    answers.push(dialog(10));
    let came = run(&["click Save", "expect Name = x"], answers);
    assert_eq!(came.to, "step 2: mismatch");
    assert!(came.words.contains("Sure?"), "{}", came.words);
}
