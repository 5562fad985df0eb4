//! Stories of the desk tools on the built-in calculator.

use std::fmt::Write as _;
use std::fs;

use crate::context::{TestContext, listing};
use crate::observe::{Observed, Run};
use crate::snapshot;

const SIM: &str = "simulated-calculator";

/// The words for the fence differ from call to call.
pub fn still(seen: &Observed) -> String {
    let mut text = String::new();
    for line in seen.to_string().lines() {
        let line = match line.split_once("app-text ") {
            Some((mark, _)) if mark.starts_with('<') => format!("{mark}app-text>"),
            _ => line.to_owned(),
        };
        let _ = writeln!(text, "{line}");
    }
    text
}

fn simulated(ctx: &TestContext, words: &[&str]) -> Run {
    let mut all = vec![words[0], "--simulated", SIM];
    all.extend(&words[1..]);
    ctx.run(&all)
}

#[test]
fn a_packet_computes_and_says_it_in_one_line() {
    let ctx = TestContext::new();
    fs::create_dir_all(ctx.project.join(".claude/lean-computer-use")).unwrap();
    fs::create_dir_all(ctx.project.join("src/deep")).unwrap();
    let packet = "click clear\nclick 1\nclick 2\n\nclick multiply\r\nclick 7\nclick result\nexpect \"edit bar\": = \"84\"\n";
    let seen = simulated(&ctx, &["desk-run", "--evidence", "calc"])
        .stdin(packet)
        .observe()
        .expect(0);
    snapshot!(ctx, still(&seen), @r#"
    exit 0
    --- stdout
    desk-run: done 7 steps (6 unverified), "84", simulated, .claude/lean-computer-use/local/evidence/calc.json
    --- stderr
    ---
    "#);
    // From a subfolder the evidence lands in the same project.
    let deep = simulated(&ctx, &["desk-run", "--evidence", "again", "click 1"])
        .dir(&ctx.project.join("src/deep"))
        .observe()
        .expect(0);
    snapshot!(ctx, still(&deep), @r"
    exit 0
    --- stdout
    desk-run: unverified 1 step (1 unverified), simulated, [PROJECT]/.claude/lean-computer-use/local/evidence/again.json
    --- stderr
    ---
    ");
    snapshot!(ctx, listing(&ctx.project.join(".claude")), @r"
    0755 lean-computer-use/
    0700 lean-computer-use/local/
    0700 lean-computer-use/local/evidence/
    0600 lean-computer-use/local/evidence/again.json
    0600 lean-computer-use/local/evidence/calc.json
    ");
    let evidence = ctx.read(".claude/lean-computer-use/local/evidence/calc.json");
    let evidence: serde_json::Value = serde_json::from_str(&evidence).unwrap();
    assert_eq!(evidence["elements"][15]["value"], "84");
}

#[test]
fn the_first_failing_step_ends_a_packet() {
    let ctx = TestContext::new();
    let seen = simulated(&ctx, &["desk-run", "click 1", "click Clr", "click 2"])
        .observe()
        .expect(1);
    snapshot!(ctx, still(&seen), @r#"
    exit 1
    --- stdout
    desk-run: step 2: not_found
    <app-text>
    "push button" "clear"
    "push button" "result"
    "push button" "subtract"
    </app-text>
    window saved: [HOME]/.local/state/lean-computer-use/desk/1c8e29/r1
    --- stderr
    ---
    "#);
    let seen = simulated(&ctx, &["desk-run", "expect \"edit bar\": = 2"])
        .observe()
        .expect(1);
    snapshot!(ctx, still(&seen), @r#"
    exit 1
    --- stdout
    desk-run: step 1: mismatch
    <app-text>
    "edit bar" "1"
    </app-text>
    window saved: [HOME]/.local/state/lean-computer-use/desk/1c8e29/r2
    --- stderr
    ---
    "#);
    let seen = simulated(&ctx, &["desk-run", "click button:"])
        .observe()
        .expect(1);
    snapshot!(ctx, still(&seen), @r#"
    exit 1
    --- stdout
    desk-run: step 1: ambiguous
    <app-text>
    "push button" "0"
    "push button" "1"
    "push button" "2"
    "push button" "3"
    "push button" "4"
    </app-text>
    window saved: [HOME]/.local/state/lean-computer-use/desk/1c8e29/r3
    --- stderr
    ---
    "#);
}

#[test]
fn a_packet_that_cannot_be_read_does_nothing() {
    let ctx = TestContext::new();
    for packet in [
        "click 1\nset \"edit bar\": = \"hunter2",
        "click 1\npress hunter2",
        "",
    ] {
        let seen = simulated(&ctx, &["desk-run"])
            .stdin(packet)
            .observe()
            .expect(2);
        assert!(!seen.to_string().contains("hunter2"), "{seen}");
    }
    simulated(&ctx, &["desk-run", "--evidence", "../x", "click 1"])
        .observe()
        .expect(2);
    assert!(!ctx.home.join(".local").exists());
}

#[test]
fn set_is_read_back_and_reads_are_filtered() {
    let ctx = TestContext::new();
    let set = r#"set "edit bar": = "  é☕ x""#;
    let seen = simulated(&ctx, &["desk-run", set]).observe().expect(0);
    snapshot!(ctx, still(&seen), @r"
    exit 0
    --- stdout
    desk-run: done 1 step, simulated, [HOME]/.local/state/lean-computer-use/desk/1c8e29/r1
    --- stderr
    ---
    ");
    let seen = simulated(&ctx, &["desk-read", "--max", "2", "L", "É"])
        .observe()
        .expect(0);
    snapshot!(ctx, still(&seen), @r#"
    exit 0
    --- stdout
    desk-read: 5 of 17, 3 not shown, simulated, [HOME]/.local/state/lean-computer-use/desk/1c8e29/r2
    <app-text>
    "push button" "multiply"
    "push button" "result"
    </app-text>
    --- stderr
    ---
    "#);
    let seen = simulated(&ctx, &["desk-read", "nothing has this"])
        .observe()
        .expect(0);
    snapshot!(ctx, still(&seen), @r"
    exit 0
    --- stdout
    desk-read: 0 of 17, simulated, [HOME]/.local/state/lean-computer-use/desk/1c8e29/r3
    --- stderr
    ---
    ");
    let json = simulated(&ctx, &["desk-read", "--json"])
        .observe()
        .expect(0)
        .json();
    assert_eq!(json["lines"][0], r#""edit bar" "  é☕ x""#);
    let json = simulated(&ctx, &["desk-run", "--json", "click 1", "click zz"])
        .observe()
        .expect(1)
        .json();
    assert_eq!(
        (&json["status"], &json["failed_step"]),
        (&"not_found".into(), &2.into())
    );
    assert_eq!(json["steps"][0]["status"], "unverified");
}

#[test]
fn one_call_and_cleaning_up_twice() {
    let ctx = TestContext::new();
    let read = simulated(&ctx, &["desk", "get_window_state", "--json"])
        .observe()
        .expect(0)
        .json();
    let file = fs::read_to_string(read["file"].as_str().unwrap()).unwrap();
    assert!(file.contains("simulated-calculator"));
    let seen = simulated(
        &ctx,
        &["desk", "click", r#"{"element_token":"s00000001:7"}"#],
    )
    .observe()
    .expect(0);
    snapshot!(ctx, still(&seen), @r"
    exit 0
    --- stdout
    desk: unverified click, simulated
    --- stderr
    ---
    ");
    let stale = simulated(
        &ctx,
        &["desk", "click", r#"{"element_token":"s00000000:7"}"#],
    )
    .observe()
    .expect(1);
    snapshot!(ctx, still(&stale), @r#"
    exit 1
    --- stdout
    desk: refused stale_element_token
    <app-text>
    "not in the simulated calculator"
    </app-text>
    --- stderr
    ---
    "#);
    simulated(&ctx, &["desk", "kill_app", "{}"])
        .observe()
        .expect(64);
    simulated(&ctx, &["desk", "click", "-"])
        .stdin("{\"x\":")
        .observe()
        .expect(2);
    let unknown = ctx
        .run(&["desk-read", "--simulated", "no-such-app"])
        .observe()
        .expect(2);
    snapshot!(ctx, still(&unknown), @r#"
    exit 2
    --- stdout
    --- stderr
    desk-read: could not find the app "no-such-app": none that runs or is installed has this bundle id, desktop-file id, executable or display name
    ---
    "#);
    let theirs = ctx.home.join(".local/state/lean-computer-use/desk/theirs");
    fs::write(&theirs, "x").unwrap();
    let seen = simulated(&ctx, &["desk-clean"]).observe().expect(0);
    snapshot!(ctx, still(&seen), @r"
    exit 0
    --- stdout
    desk-clean: 3 files removed, session ended
    --- stderr
    ---
    ");
    let seen = simulated(&ctx, &["desk-clean"]).observe().expect(0);
    snapshot!(ctx, still(&seen), @r"
    exit 0
    --- stdout
    desk-clean: 0 files removed, session none
    --- stderr
    ---
    ");
    ctx.run(&["desk-clean", "--simulated", "no-such-app"])
        .observe()
        .expect(0);
    snapshot!(ctx, listing(&ctx.home.join(".local/state")), @r"
    0700 lean-computer-use/
    0700 lean-computer-use/desk/
    0600 lean-computer-use/desk/.desk-state
    0644 lean-computer-use/desk/theirs
    ");
}

#[test]
fn sessions_and_state_folders_do_not_meet() {
    let ctx = TestContext::new();
    let display = |run: Run| {
        let json = run.observe().expect(0).json();
        json["lines"].to_string()
    };
    simulated(&ctx, &["desk-run", "click 1"])
        .observe()
        .expect(0);
    simulated(&ctx, &["desk-run", "click 2"])
        .env("CLAUDE_CODE_SESSION_ID", "s2")
        .observe()
        .expect(0);
    simulated(&ctx, &["desk-run", "--state", "mine", "click 3"])
        .observe()
        .expect(0);
    let read = || simulated(&ctx, &["desk-read", "--json"]);
    assert!(display(read()).contains('1'));
    assert!(display(read().env("CLAUDE_CODE_SESSION_ID", "s2")).contains('2'));
    let named = read().env("DESK_STATE_DIR", ctx.project.join("mine"));
    assert!(!display(named).contains(['1', '2', '3']));
    // A folder that holds somebody's files is not taken.
    ctx.write("theirs/file", "x");
    simulated(&ctx, &["desk-run", "--state", "theirs", "click 3"])
        .observe()
        .expect(2);
    simulated(&ctx, &["desk-clean", "--state", "theirs"])
        .observe()
        .expect(2);
    assert_eq!(ctx.read("theirs/file"), "x");
}
