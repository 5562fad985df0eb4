//! Every status and every exit code of each desk command, made on purpose on the simulated desktop:
//! what `try`, `verify --proof` and an author of a brief can see without a desktop.

use std::collections::BTreeSet;

use lean_computer_use::exit;

use crate::context::TestContext;

const CALC: &str = "simulated-calculator";
const CLICK: &str = r#"{"element_token":"s00000001:1"}"#;
const SET: &str = r#"{"element_token":"s00000001:15","value":"12"}"#;
const QUIT: &str = r#"{"keys":["cmd","q"]}"#;

/// Command, app, its words, exit code, status (none: the command has no such word).
type Row = (
    &'static str,
    &'static str,
    &'static [&'static str],
    i32,
    Option<&'static str>,
);

const ROWS: &[Row] = &[
    ("desk", CALC, &["set_value", SET], 0, Some("done")),
    ("desk", CALC, &["click", CLICK], 0, Some("unverified")),
    (
        "desk",
        "simulated-deaf",
        &["click", CLICK],
        1,
        Some("no_effect"),
    ),
    (
        "desk",
        "simulated-cut",
        &["set_value", SET],
        1,
        Some("mismatch"),
    ),
    (
        "desk",
        "simulated-refusal",
        &["click", CLICK],
        1,
        Some("refused"),
    ),
    (
        "desk",
        CALC,
        &["hotkey", QUIT],
        3,
        Some("needs_confirmation"),
    ),
    (
        "desk",
        "simulated-silent",
        &["click", CLICK],
        4,
        Some("unknown"),
    ),
    ("desk", "simulated-none", &["click", CLICK], 2, None),
    ("desk", CALC, &["kill_app"], 64, None),
    (
        "desk",
        "simulated-exit-75",
        &["click", CLICK],
        75,
        Some("refused"),
    ),
    (
        "desk-run",
        CALC,
        &["click 1", "expect \"edit bar\": = 1"],
        0,
        Some("done"),
    ),
    ("desk-run", CALC, &["click 1"], 0, Some("unverified")),
    (
        "desk-run",
        "simulated-deaf",
        &["click 1"],
        1,
        Some("no_effect"),
    ),
    (
        "desk-run",
        "simulated-cut",
        &["set \"edit bar\": = 12"],
        1,
        Some("mismatch"),
    ),
    ("desk-run", CALC, &["click button:"], 1, Some("ambiguous")),
    ("desk-run", CALC, &["click none"], 1, Some("not_found")),
    (
        "desk-run",
        "simulated-refusal",
        &["click 1"],
        1,
        Some("refused"),
    ),
    (
        "desk-run",
        CALC,
        &["menu File > Quit"],
        3,
        Some("needs_confirmation"),
    ),
    (
        "desk-run",
        "simulated-silent",
        &["click 1"],
        4,
        Some("unknown"),
    ),
    ("desk-run", "simulated-none", &["click 1"], 2, None),
    (
        "desk-run",
        "simulated-exit-75",
        &["click 1"],
        75,
        Some("refused"),
    ),
    ("desk-read", CALC, &[], 0, Some("done")),
    ("desk-read", "simulated-refusal", &[], 1, Some("refused")),
    ("desk-read", "simulated-none", &[], 2, None),
    ("desk-read", "simulated-exit-75", &[], 75, Some("refused")),
    ("desk-running", CALC, &[], 0, None),
    ("desk-running", "simulated-refusal", &[], 2, None),
    (
        "desk-running",
        "simulated-exit-75",
        &[],
        75,
        Some("refused"),
    ),
    ("desk-clean", CALC, &[], 0, None),
    ("desk-clean", "simulated-exit-9", &[], 3, None),
    ("desk-clean", CALC, &["--no-such-flag"], 2, None),
];

#[test]
fn each_is_made_on_purpose_and_says_that_it_is_simulated() {
    for &(command, app, words, code, status) in ROWS {
        let ctx = TestContext::new();
        let run = |words: &[&str], more: &[&str]| {
            let limit = if app == "simulated-silent" {
                "20"
            } else {
                "5000"
            };
            let fixed = ["--simulated", "--limit", limit];
            ctx.run(&[words, &fixed, more].concat()).observe()
        };
        // Tokens are of a read, and cleaning up needs a run.
        run(&["desk", app, "get_window_state"], &[]);
        let all = [&[command, app], words].concat();
        let seen = run(&all, &["--json"]).expect(code);
        let is_json = seen.stdout.starts_with('{');
        let said = if is_json {
            seen.json()
        } else {
            serde_json::Value::Null
        };
        assert_eq!(said["status"].as_str(), status, "{all:?}: {seen}");
        assert!(!is_json || said["simulated"] == true, "{all:?}: {seen}");
        let ctx = TestContext::new();
        let fixed = ["--simulated", "--limit", "20"];
        let seen = ctx.run(&[&all[..], &fixed].concat()).observe();
        let is_told = seen.code == 0 && command == "desk-running";
        let is_usage = seen.code == 64 || words == ["--no-such-flag"];
        let text = seen.to_string();
        assert!(
            is_told || is_usage || text.contains("simulated"),
            "{all:?}: {seen}"
        );
    }
}

/// What every command ends with in the same way has its own tests: a panic, a signal, a status of
/// the driver passed on.
#[test]
fn the_rows_are_all_codes_and_all_words() {
    const ELSEWHERE: [u8; 1] = [70];
    for command in exit::table().commands {
        if !command.name.starts_with("desk") {
            continue;
        }
        let rows = ROWS.iter().filter(|row| row.0 == command.name);
        let made: BTreeSet<i32> = rows.map(|row| row.3).collect();
        let listed = command.exits.iter().filter_map(|exit| exit.code);
        let listed = listed.filter(|code| !ELSEWHERE.contains(code));
        let listed: BTreeSet<i32> = listed.map(i32::from).collect();
        assert_eq!(made, listed, "{}", command.name);
    }
    let words = |name| -> BTreeSet<&str> {
        let rows = ROWS.iter().filter(|row| row.0 == name);
        rows.filter_map(|row| row.4).collect()
    };
    let all = BTreeSet::from([
        "done",
        "unverified",
        "no_effect",
        "mismatch",
        "ambiguous",
        "needs_confirmation",
        "not_found",
        "refused",
        "unknown",
    ]);
    assert_eq!(words("desk-run"), all);
    // It is given a token, so there is nothing to look for.
    let searched = BTreeSet::from(["ambiguous", "not_found"]);
    assert_eq!(words("desk"), &all - &searched);
}

#[test]
fn an_unknown_app_leaves_no_screen_of_its_own() {
    let ctx = TestContext::new();
    ctx.run(&["desk-read", "--simulated", "no-such-app"])
        .observe()
        .expect(2);
    let state = crate::context::tree(&ctx.home);
    assert!(
        !state.keys().any(|name| name.ends_with("sim.json")),
        "{state:?}"
    );
}
