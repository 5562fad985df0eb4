//! Stories of the desk tools on the built-in calculator.

use std::fmt::Write as _;
use std::fs;

use crate::context::{TestContext, listing};
use crate::observe::{Observed, Run};
use crate::snapshot;

pub const SIM: &str = "simulated-calculator";

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

pub fn simulated(ctx: &TestContext, words: &[&str]) -> Run {
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
    #c15 "push button" "clear"
    #c14 "push button" "result"
    #c12 "push button" "subtract"
    </app-text>
    simulated: no real app was asked
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
    simulated: no real app was asked
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
    #c1 "push button" "0"
    #c2 "push button" "1"
    #c3 "push button" "2"
    #c4 "push button" "3"
    #c5 "push button" "4"
    </app-text>
    simulated: no real app was asked
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
    #c13 "push button" "multiply"
    #c14 "push button" "result"
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
    assert_eq!(json["lines"][0], r#"#c16 "edit bar" "  é☕ x""#);
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
fn a_ref_names_the_control_of_a_single_call_too() {
    let ctx = TestContext::new();
    let call = |tool: &str, arguments: &str| simulated(&ctx, &["desk", tool, arguments]).observe();
    let seen = call("click", r##"{"element_token":"#c8"}"##).expect(1);
    assert!(seen.stdout.starts_with("desk: not_found\n"), "{seen}");
    let read = simulated(&ctx, &["desk-read", "7"]).observe().expect(0);
    assert!(read.stdout.contains("#c8 \"push button\" \"7\""), "{read}");
    call("click", r##"{"element_token":"#c8"}"##).expect(0);
    let seen = call("set_value", r##"{"element_token":"#c16","value":"9"}"##).expect(0);
    assert_eq!(seen.stdout, "desk: done set_value, simulated\n");
    let seen = call("click", r##"{"element_token":"#c99"}"##).expect(1);
    assert!(seen.stdout.contains("no read of this window"), "{seen}");
}

#[test]
fn a_text_of_a_single_call_is_read_back_like_a_steps() {
    let ctx = TestContext::new();
    let on = |app: &str, words: &[&str]| {
        let words = [&["desk", "--simulated", app], words].concat();
        ctx.run(&words).observe()
    };
    let display = || {
        let read = ctx.run(&["desk-read", "--simulated", SIM, "--json"]);
        read.observe().expect(0).json()["lines"].to_string()
    };
    on(SIM, &["get_window_state"]).expect(0);
    let set = |value: &str| format!(r#"{{"element_token":"s00000001:15","value":"{value}"}}"#);
    for text in ["  é☕", "12"] {
        // The read-back ended the token's life; the control is the same one all the same.
        let seen = on(SIM, &["set_value", &set(text)]).expect(0);
        assert_eq!(seen.stdout, "desk: done set_value, simulated\n");
    }
    let click = on(SIM, &["click", r#"{"element_token":"s00000001:7"}"#]).expect(0);
    assert_eq!(click.stdout, "desk: unverified click, simulated\n");
    assert!(display().contains("\\\"127\\\""), "{}", display());
    // The driver says that all is well, and the end of the text is not there.
    on("simulated-cut", &["get_window_state"]).expect(0);
    let seen = on("simulated-cut", &["set_value", &set("hunter2")]).expect(1);
    let lines: Vec<_> = seen.stdout.lines().collect();
    assert_eq!(lines[0], "desk: mismatch", "{seen}");
    assert_eq!(lines[2], "characters asked: 7 there: 6", "{seen}");
    let seen = on("simulated-cut", &["set_value", "--json", &set("hunter2")]).expect(1);
    assert_eq!(seen.json()["status"], "mismatch");
    assert!(!seen.to_string().contains("hunter"), "{seen}");
}

#[test]
fn several_actions_in_one_call_or_each_alone_come_to_the_same() {
    for packet in [
        "keys \"12×7=\"\nexpect \"edit bar\": = 84",
        "click clear\nclick 1\nclick add\nclick 2\nclick result\nwait \"edit bar\": 1s\nread \"edit bar\":",
        "click 1\nclick 2\nclick nothing\nclick 3",
        "click 1\nkeys 2q3",
        "set \"edit bar\": = \"  x\"\nappend \"edit bar\": = y\nexpect \"edit bar\": = \"  xy\"",
        "click 1\nclick 2\ncheck 3",
        "menu File > Save",
    ] {
        let said = |more: &[&str]| {
            let ctx = TestContext::new();
            let words = [&["desk-run"], more].concat();
            let seen = simulated(&ctx, &words).stdin(packet).observe();
            still(&seen).replace(ctx.root().to_str().unwrap(), "")
        };
        assert_eq!(said(&[]), said(&["--one-by-one"]), "{packet}");
    }
}

#[test]
fn what_is_risky_needs_its_own_word_before_the_first_step() {
    let ctx = TestContext::new();
    let packet = ["desk-run", "click 1", "menu File > Quit"];
    let seen = simulated(&ctx, &packet).observe().expect(3);
    snapshot!(ctx, still(&seen), @r#"
    exit 3
    --- stdout
    desk-run: step 2: needs_confirmation risky_label
    <app-text>
    needs --approve "Quit"
    </app-text>
    simulated: no real app was asked
    window saved: [HOME]/.local/state/lean-computer-use/desk/1c8e29/r1
    --- stderr
    ---
    "#);
    let read = || simulated(&ctx, &["desk-read"]).observe().expect(0).stdout;
    assert!(read().contains(r#""edit bar" """#), "{}", read());
    for words in [
        vec!["desk-run", "press cmd+q"],
        vec!["desk", "invoke_menu", r#"{"path":["Quit"]}"#],
        vec!["desk", "hotkey", r#"{"keys":["Alt","F4"]}"#],
        vec![
            "desk",
            "press_key",
            r#"{"key":"a","delivery_mode":"foreground"}"#,
        ],
    ] {
        let seen = simulated(&ctx, &words).observe().expect(3);
        assert!(seen.stdout.contains("needs_confirmation"), "{seen}");
    }
    // With the word it goes on; this calculator has no menu.
    let approved = [
        "desk-run",
        "--approve",
        "quit",
        "click 1",
        "menu File > Quit",
    ];
    let seen = simulated(&ctx, &approved).observe().expect(1);
    assert!(
        seen.stdout
            .starts_with("desk-run: step 2: refused background_unavailable\n"),
        "{seen}"
    );
}

#[test]
fn refs_last_and_changes_are_told() {
    let ctx = TestContext::new();
    let seen = simulated(&ctx, &["desk-read", "--full", "--max", "1"])
        .observe()
        .expect(0);
    assert!(seen.stdout.contains("#c1 \"push button\" \"0\""), "{seen}");
    simulated(&ctx, &["desk-run", "click #c8", "click #c9"])
        .observe()
        .expect(0);
    let seen = simulated(&ctx, &["desk-read", "--changes"])
        .observe()
        .expect(0);
    snapshot!(ctx, still(&seen), @r#"
    exit 0
    --- stdout
    desk-read: 1 of 17, simulated, [HOME]/.local/state/lean-computer-use/desk/1c8e29/r3
    <app-text>
    ~ #c16 "edit bar" "78"
    </app-text>
    --- stderr
    ---
    "#);
    let seen = simulated(&ctx, &["desk-read", "--changes"])
        .observe()
        .expect(0);
    assert!(seen.stdout.starts_with("desk-read: 0 of 17, "), "{seen}");
    let seen = simulated(&ctx, &["desk-run", "click #c99"])
        .observe()
        .expect(1);
    assert!(
        seen.stdout.starts_with("desk-run: step 1: not_found"),
        "{seen}"
    );
}

#[test]
fn what_is_returned_costs_few_tokens() {
    let ctx = TestContext::new();
    fs::create_dir_all(ctx.project.join(".claude/lean-computer-use")).unwrap();
    let cost = |seen: &Observed| bpe_openai::o200k_base().count(&seen.stdout);
    let read = simulated(&ctx, &["desk-read", "7"]).observe().expect(0);
    assert!(read.stdout.contains("#c8"), "{read}");
    let one = ["desk", "click", r#"{"element_token":"s00000001:7"}"#];
    let seen = simulated(&ctx, &one).observe().expect(0);
    assert!(cost(&seen) <= 12, "{} {seen}", cost(&seen));
    let sum =
        "click clear\nclick 7\nclick multiply\nclick 8\nclick result\nexpect \"edit bar\": = 56\n";
    let run = |steps: &str| {
        let run = simulated(&ctx, &["desk-run", "--evidence", "sum"]);
        run.stdin(steps).observe().expect(0)
    };
    let seen = run(sum);
    assert!(cost(&seen) <= 60, "{} {seen}", cost(&seen));
    let seen = run(&format!(
        "{sum}click add\nclick 2\nclick result\nread \"edit bar\":\n"
    ));
    assert!(
        seen.stdout.starts_with("desk-run: unverified 10 steps"),
        "{seen}"
    );
    assert!(cost(&seen) <= 90, "{} {seen}", cost(&seen));
}
