//! The packet against a driver that answers from a list: what apps and drivers do between two
//! calls, in an order that no real one can be made to keep.

use serde_json::{Value, json};

use crate::desk_scripted::{effect, read, run, run_with, windows};

#[test]
fn a_text_is_done_only_when_the_field_holds_it() {
    let set = "set Name = hunter2";
    let wrote = |word| effect("set_value", word);
    for (answers, want) in [
        (
            vec![read(1, ""), wrote("confirmed"), read(2, "hunter2")],
            "done",
        ),
        (
            vec![read(1, ""), wrote("suspected_noop"), read(2, "hunter2")],
            "done",
        ),
        // It shows late.
        (
            vec![
                read(1, ""),
                wrote("unverifiable"),
                read(2, ""),
                read(3, "hunter2"),
            ],
            "done",
        ),
        // The driver says that it is there, and it is not.
        (
            vec![
                read(1, ""),
                wrote("confirmed"),
                read(2, "hunt"),
                read(3, "hunt"),
                read(4, "hunt"),
            ],
            "step 1: mismatch",
        ),
        (
            vec![read(1, ""), wrote("unverifiable"), read(2, "●●●")],
            "unverified",
        ),
        // It is never typed again by itself.
        (
            vec![read(1, ""), ("set_value", "never".into())],
            "step 1: unknown timed_out",
        ),
    ] {
        assert_eq!(run(&[set], answers).to, want);
    }
}

#[test]
fn setting_a_field_does_not_submit_its_form() {
    let field = |n: u32, value: Option<&str>| {
        let (tool, mut answer) = read(n, value.unwrap_or_default());
        answer["elements"][0]["actions"] = json!(["activate"]);
        answer["elements"][0]["value"] = json!(value);
        (tool, answer)
    };
    let typed = ("type_text", json!({"effect": "unverifiable"}));
    let mut answers = vec![field(1, None)];
    answers.extend(windows(&[9]));
    answers.extend([typed, field(2, Some("Ada L"))]);
    let came = run(&[r#"set Name = "Ada L""#], answers);
    assert_eq!(came.to, "done");
    let mut texts = came.asked.iter().filter_map(|asked| asked.get("text"));
    assert_eq!(texts.next().unwrap(), "Ada L");
    // The driver types into either window of an app.
    if cfg!(target_os = "linux") {
        let mut answers = vec![field(1, None)];
        answers.extend(windows(&[9, 10]));
        let came = run(&[r#"set Name = "Ada L""#], answers);
        assert_eq!(came.to, "step 1: refused other_windows");
    }
    let no = "step 1: refused setting_could_submit";
    assert_eq!(run(&["set Name = Ada"], vec![field(1, Some("Eve"))]).to, no);
    assert_eq!(run(&["set Name = Zoë"], vec![field(1, None)]).to, no);
    assert_eq!(run(&[r#"set Name = "a\nb""#], vec![field(1, None)]).to, no);
    let mut bullets = field(1, None);
    bullets.1["elements"][0]["label"] = json!("●●●");
    assert_eq!(run(&["set text: = Ada"], vec![bullets]).to, no);
    // Its label is not its text.
    assert_eq!(
        run(&[r#"expect Name = """#], vec![field(1, None)]).to,
        "done"
    );
}

#[test]
fn a_stale_token_and_an_ended_session_are_tried_once_more() {
    let stale = json!({"refusal": {"code": "stale_element_token"}, "status": "refused"});
    let stale = ("click", stale);
    let click = effect("click", "unverifiable");
    let answers = vec![
        read(1, ""),
        stale.clone(),
        read(2, ""),
        click.clone(),
        read(3, ""),
    ];
    let came = run(&["click Save"], answers);
    assert_eq!(came.to, "unverified");
    assert_eq!(came.asked[5]["element_token"], "s00000002:1");

    let answers = vec![read(1, ""), stale.clone(), read(2, ""), stale, read(3, "")];
    assert_eq!(
        run(&["click Save"], answers).to,
        "step 1: refused stale_element_token"
    );

    let ended = ("click", "session has ended; call start_session".into());
    let answers = vec![read(1, ""), ended, read(2, ""), click, read(3, "")];
    let came = run(&["click Save"], answers);
    assert_eq!(came.to, "unverified");
    assert_ne!(came.asked[3]["session"], came.asked[5]["session"]);
}

#[test]
fn one_read_serves_several_actions_and_every_check_gets_its_own() {
    let click = || effect("click", "unverifiable");
    let answers = vec![
        read(1, ""),
        click(),
        click(),
        read(2, "o"),
        read(3, "ok"),
        click(),
        read(4, "ok"),
    ];
    let steps = ["click Save", "click Save", "expect Name = ok", "click Save"];
    assert_eq!(run(&steps, answers).to, "unverified");
    // What is there after a failure is read for whoever looks into it.
    let answers = vec![read(1, ""), effect("click", "suspected_noop"), read(2, "")];
    assert_eq!(
        run(&["click Save", "click Save"], answers).to,
        "step 1: no_effect"
    );
}

#[test]
fn a_window_that_went_away_is_looked_up_once() {
    let gone = || {
        let text = "Window target pid 7, window_id 9 is stale or no longer running; refresh.";
        ("get_window_state", Value::from(text))
    };
    let apps = || ("list_apps", json!({"apps": [{"name": "app", "pid": 7}]}));
    let windows = || {
        (
            "list_windows",
            json!({"windows": [{"pid": 7, "window_id": 9}]}),
        )
    };
    let answers = vec![gone(), apps(), windows(), read(1, "x")];
    assert_eq!(run(&["read Name"], answers).to, "done");
    let answers = vec![gone(), apps(), windows(), gone()];
    assert_eq!(
        run(&["read Name"], answers).to,
        "step 1: refused window_gone"
    );
}

#[test]
fn a_click_that_closes_its_window_is_no_failure() {
    let gone = "Window target pid 7, window_id 9 is stale or no longer running; refresh.";
    let answers = vec![
        read(1, ""),
        effect("click", "unverifiable"),
        ("get_window_state", gone.into()),
        // The app ended with it, and is not launched again.
        (
            "list_apps",
            json!({"apps": [{"name": "app", "bundle_id": "app", "running": false}]}),
        ),
    ];
    assert_eq!(run(&["click Save"], answers).to, "unverified");
}

#[test]
fn an_answer_for_another_window_is_no_answer() {
    let other = (
        "get_window_state",
        json!({"pid": 7, "window_id": 8, "elements": []}),
    );
    let came = run(&["read Name"], vec![other]);
    assert!(came.to.contains("answered for another one"), "{}", came.to);
    // An empty tree that the driver explains is no proof that nothing is there.
    let empty =
        json!({"pid": 7, "window_id": 9, "elements": [], "degraded": true, "degraded_reason": "r"});
    let windows = || {
        (
            "list_windows",
            json!({"windows": [{"pid": 7, "window_id": 9}]}),
        )
    };
    let answers = || {
        vec![
            ("get_window_state", empty.clone()),
            ("get_window_state", empty.clone()),
            windows(),
        ]
    };
    let came = run(&["click Save"], answers());
    assert_eq!(came.to, "step 1: not_found window_not_readable");
}

#[test]
fn a_dialog_in_front_is_where_the_packet_goes_on() {
    let windows = || {
        let window = |id: u32, depth: u32| json!({"pid": 7, "window_id": id, "z_index": depth});
        (
            "list_windows",
            json!({"windows": [window(9, 1), window(10, 2), window(8, 0)]}),
        )
    };
    let dialog = |n: u32| {
        let yes = json!([{"element_token": format!("s{n:08x}:0"), "role": "push button", "label": "Go on"}]);
        (
            "get_window_state",
            json!({"pid": 7, "window_id": 10, "tree_format": "both", "elements": yes}),
        )
    };
    let answers = vec![
        read(1, ""),
        effect("click", "unverifiable"),
        read(2, ""),
        read(3, ""),
        windows(),
        dialog(4),
        effect("click", "unverifiable"),
        dialog(5),
    ];
    let came = run(&["click Save", r#"click "Go on""#], answers);
    assert_eq!(came.to, "unverified");
    assert_eq!(came.asked[8]["window_id"], 10);
}

#[test]
fn what_is_in_a_control_is_read_again_after_an_action() {
    // The click filled the field: what it holds now is what is kept.
    let filled = vec![
        read(1, ""),
        effect("click", "unverifiable"),
        read(2, "loaded"),
        effect("set_value", "confirmed"),
        read(3, "loaded more"),
    ];
    let came = run(&["click Save", "append Name = \" more\""], filled);
    assert_eq!(came.to, "unverified");
    let set = came.asked.iter().find(|asked| asked.get("value").is_some());
    assert_eq!(set.unwrap()["value"], "loaded more");
    let mut typed = vec![read(1, "old"), effect("click", "unverifiable"), read(2, "")];
    typed.extend(windows(&[9]));
    typed.extend([effect("type_text", "unverifiable"), read(3, "new")]);
    let came = run(&["click Save", "type Name = new"], typed);
    assert_eq!(came.to, "unverified");
}

#[test]
fn a_packet_that_did_something_names_the_step_that_could_not_run() {
    // The click closed the app. Who reads "could not run" would run it all again.
    let gone = "Window target pid 7, window_id 9 is stale or no longer running; refresh.";
    let none = json!({"apps": [{"name": "app", "pid": 0, "running": false}]});
    let answers = vec![
        read(1, ""),
        effect("click", "unverifiable"),
        ("get_window_state", gone.into()),
        ("list_apps", none),
    ];
    let came = run(&["click Save", "check Bold"], answers);
    assert_eq!(came.to, "step 2: refused could_not_go_on");
}

#[test]
fn a_click_that_went_by_the_pointer_is_nobodys_word_for_a_press() {
    let button = |n: u32| {
        let elements = json!([{"element_token": format!("s{n:08x}:1"), "role": "push button", "label": "Save", "actions": ["click"]}]);
        let read = json!({"pid": 7, "window_id": 9, "tree_format": "both", "elements": elements});
        ("get_window_state", read)
    };
    let strayed = json!({"effect": "unverifiable", "route": "synthetic_events"});
    let came = run(&["click Save"], vec![button(1), ("click", strayed)]);
    assert_eq!(came.to, "step 1: unknown app_not_answering");
    let said = "Clicked element [1] (pid 7) with a real pointer click (path=x11_xsendevent)";
    let steps = json!([{"ok": true}, {"ok": true, "message": said}]);
    let (_, state) = button(2);
    let observation = json!({"ok": true, "state": state});
    let report = json!({"executed": 2, "ok": true, "steps": steps, "observation": observation});
    let answers = vec![button(1), ("run_steps", report)];
    let came = run_with(true, &["click Save", "click Save"], answers);
    assert_eq!(came.to, "step 2: unknown app_not_answering");
}
