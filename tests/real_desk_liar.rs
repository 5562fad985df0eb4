//! Stories about an app that does to a tool what apps do (`judge/liar.py`): it rewrites what is
//! typed, undoes a tick, stands in the way, answers late, hangs, dies. It notes what really
//! happened, and that is the judge: no false `done`, no lost word, nothing done twice.

use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::context::TestContext;
use crate::desktop::{processes, until};
use crate::liar::{Liar, first};

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn what_a_field_makes_of_a_text_is_told() {
    let ctx = TestContext::new();
    let liar = Liar::start(&ctx);
    for (step, want, last) in [
        (
            "type Plain = \"a b\"",
            "desk-run: done 1 step",
            "Plain \"a b\"",
        ),
        (
            "type Upper = abc",
            "desk-run: step 1: mismatch",
            "Upper \"ABC\"",
        ),
        (
            "type Digits = a1b2",
            "desk-run: step 1: mismatch",
            "Digits \"12\"",
        ),
        (
            "type Short = abcdefgh",
            "desk-run: step 1: mismatch",
            "Short \"abcde\"",
        ),
        (
            "type Forgets = abc",
            "desk-run: step 1: mismatch",
            "Forgets \"\"",
        ),
        (
            "type Secret = hunter2",
            "desk-run: unverified 1 step",
            "Secret \"hunter2\"",
        ),
        (
            "set Pages = \"a\\n\\tb\\u{1f600}\\u{5d0}\\u{5d1}\"",
            "desk-run: done 1 step",
            "Pages \"a\\n\\tb😀אב\"",
        ),
        (
            "append Pages = \" end\"",
            "desk-run: done 1 step",
            "Pages \"a\\n\\tb😀אב end\"",
        ),
        ("check Holds", "desk-run: done 1 step", "Holds true"),
        ("check Holds", "desk-run: done 1 step", ""),
        (
            "check Undoes",
            "desk-run: step 1: no_effect",
            "Undoes false",
        ),
        (
            "check \"Undoes late\"",
            "desk-run: step 1: no_effect",
            "Undoes late false",
        ),
        (
            "click Disabled",
            "desk-run: step 1: not_found no_control",
            "",
        ),
        ("click Deaf", "desk-run: unverified 1 step", "Deaf null"),
    ] {
        let seen = liar.packet(&[step]);
        assert_eq!(first(&seen), want, "{step}: {seen}");
        let noted = liar.noted();
        assert_eq!(
            noted.last().map_or("", String::as_str),
            last,
            "{step}: {noted:?}"
        );
        assert!(!seen.to_string().contains("hunter2"), "{seen}");
    }
    let long = "0123456789 ".repeat(500);
    // The driver shows the begin of so long a text only.
    let seen = liar.packet(&[&format!("set Pages = \"{long}\"")]);
    assert_eq!(first(&seen), "desk-run: unverified 1 step", "{seen}");
    assert_eq!(liar.noted().last().unwrap(), &format!("Pages \"{long}\""));
    let seen = liar.packet(&["append Pages = more"]);
    assert_eq!(first(&seen), "desk-run: step 1: refused text_not_readable");
    assert_eq!(liar.noted(), [""; 0]);
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn a_single_call_is_judged_like_a_step() {
    let ctx = TestContext::new();
    let liar = Liar::start(&ctx);
    let token = liar.tokens();
    // All by the tokens of one read.
    for (tool, name, field, text, want, last) in [
        (
            "type_text",
            "Plain",
            "text",
            "one",
            "desk: done type_text",
            "Plain \"one\"",
        ),
        (
            "type_text",
            "Plain",
            "text",
            " two",
            "desk: done type_text",
            "Plain \"one two\"",
        ),
        (
            "set_value",
            "Pages",
            "value",
            "é☕",
            "desk: done set_value",
            "Pages \"é☕\"",
        ),
        (
            "set_value",
            "Upper",
            "value",
            "abc",
            "desk: mismatch",
            "Upper \"ABC\"",
        ),
        (
            "set_value",
            "Number",
            "value",
            "420",
            "desk: mismatch",
            "Number 100.0",
        ),
        (
            "type_text",
            "Forgets",
            "text",
            "abc",
            "desk: mismatch",
            "Forgets \"\"",
        ),
        (
            "set_value",
            "Secret",
            "value",
            "hunter2",
            "desk: unverified set_value",
            "Secret \"hunter2\"",
        ),
        (
            "click",
            "Add",
            "button",
            "left",
            "desk: unverified click",
            "Add null",
        ),
    ] {
        let arguments = serde_json::json!({"element_token": token(name), field: text});
        let seen = liar.run(&["desk", "liar", tool, &arguments.to_string()]);
        assert_eq!(first(&seen), want, "{tool} {name}: {seen}");
        let noted = liar.noted();
        assert_eq!(
            noted.last().map_or("", String::as_str),
            last,
            "{name}: {noted:?}"
        );
    }
    // A line end in a field that sends its form is not typed.
    let arguments = serde_json::json!({"element_token": token("Plain"), "text": "x\n"});
    let seen = liar.run(&["desk", "liar", "type_text", &arguments.to_string()]);
    assert_eq!(first(&seen), "desk: refused setting_could_submit", "{seen}");
    assert_eq!(liar.noted(), [""; 0]);
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn windows_that_come_go_and_look_the_same() {
    let ctx = TestContext::new();
    let mut liar = Liar::start(&ctx);
    // A list that is built anew: the name counts, not the place.
    let seen = liar.packet(&["click Swap", "click Red"]);
    assert_eq!(first(&seen), "desk-run: unverified 2 steps", "{seen}");
    assert_eq!(liar.noted(), ["Swap null", "Red null"]);
    // A label that changes later than the click.
    let seen = liar.packet(&[
        "click Slow",
        "expect \"Status: slow done\" = \"Status: slow done\"",
    ]);
    assert_eq!(first(&seen), "desk-run: done 2 steps", "{seen}");
    let seen = liar.packet(&["click Add", "expect ~Status = \"Status: 2\""]);
    assert_eq!(first(&seen), "desk-run: step 2: mismatch", "{seen}");
    assert_eq!(liar.noted(), ["Slow null", "Add null"]);
    // A second window: what only it has leads there. The driver would type into either of them.
    let seen = liar.packet(&["click Twin", "click \"Only here\"", "type Plain = there"]);
    assert_eq!(
        first(&seen),
        "desk-run: step 3: refused other_windows",
        "{seen}"
    );
    assert_eq!(liar.noted(), ["Twin null", "Only here null"]);
    let seen = liar.packet(&["append Pages = main"]);
    assert_ne!(
        seen.code, 0,
        "the packet stays in the window it went to: {seen}"
    );
    liar.signal(Signal::TERM);
    liar.again();
    // The window goes in the middle: what was done was done once, and the step is named.
    let seen = liar
        .packet(&["click Add", "click Leave", "click Add"])
        .expect(1);
    assert_eq!(
        first(&seen),
        "desk-run: step 3: refused could_not_go_on",
        "{seen}"
    );
    assert_eq!(liar.noted(), ["Add null", "Leave null"]);
    liar.again();
    let seen = liar.packet(&["click Add", "click Fall", "click Add"]);
    assert!(first(&seen).starts_with("desk-run: step "), "{seen}");
    assert_eq!(liar.noted(), ["Add null", "Fall null"]);
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn an_app_that_does_not_answer_is_never_done() {
    let ctx = TestContext::new();
    let mut liar = Liar::start(&ctx);
    // The driver takes to the pointer when the app does not answer, and hits something else.
    let seen = liar.packet(&["click Freeze", "click Add"]).expect(4);
    assert_eq!(
        first(&seen),
        "desk-run: step 2: unknown app_not_answering",
        "{seen}"
    );
    liar.signal(Signal::KILL);
    liar.again();
    liar.packet(&["read Status"]).expect(0);
    liar.signal(Signal::STOP);
    for steps in [
        &["click Add"][..],
        &["type Plain = abc"],
        &["expect ~Status = \"Status: idle\""],
    ] {
        let seen = liar.packet(steps);
        assert_ne!(seen.code, 0, "{steps:?}: {seen}");
        assert!(seen.stdout.starts_with("desk-run: step 1: "), "{seen}");
    }
    liar.signal(Signal::CONT);
    thread::sleep(Duration::from_millis(500));
    assert_eq!(liar.noted(), [""; 0]);
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn a_driver_that_dies_midway_replays_nothing() {
    let ctx = TestContext::new();
    let liar = Liar::start(&ctx);
    for one_by_one in [&[][..], &["--one-by-one"]] {
        let words = [
            &[
                "desk-run",
                "liar",
                "click Add",
                "click Deaf",
                "click Add",
                "click Deaf",
            ],
            one_by_one,
        ]
        .concat();
        let started = liar.desktop.run(ctx.run(&words)).start();
        until("the first click", || {
            !std::fs::read_to_string(&liar.notes).unwrap().is_empty()
        });
        for (pid, name) in processes(&ctx) {
            let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            if name == "cua-driver" && words.windows(5).any(|word| word == b"serve") {
                let pid = Pid::from_raw(pid.try_into().unwrap()).unwrap();
                kill_process(pid, Signal::KILL).unwrap();
            }
        }
        let seen = started.observe();
        thread::sleep(Duration::from_millis(300));
        let noted = liar.noted();
        let all = ["Add null", "Deaf null", "Add null", "Deaf null"];
        assert!(
            all.starts_with(&noted.iter().map(String::as_str).collect::<Vec<_>>()),
            "{noted:?}: {seen}"
        );
        assert!(
            seen.code != 0 || noted.len() == all.len(),
            "{noted:?}: {seen}"
        );
        assert!(!seen.stdout.starts_with("desk-run: done"), "{seen}");
        liar.packet(&["read Status"]).expect(0);
    }
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn a_text_costs_three_calls_of_the_driver_at_most() {
    let ctx = TestContext::new();
    let liar = Liar::start(&ctx);
    let counts = ctx.root().join("calls");
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$2\" >>'{}'\nexec '{}' \"$@\"\n",
        counts.display(),
        liar.desktop.driver.display()
    );
    let counting = ctx.program("counting", &script);
    let token = liar.tokens();
    let run = |words: &[&str]| {
        let run = liar.desktop.run(ctx.run(words)).env("DESK_GUARD", "off");
        run.env("CUA_DRIVER_BIN", &counting).observe()
    };
    let calls = || {
        let text = std::fs::read_to_string(&counts).unwrap_or_default();
        let _ = std::fs::remove_file(&counts);
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    // Whether this driver takes several actions at once is asked once.
    run(&["desk-run", "liar", "type Upper = A"]).expect(0);
    calls();
    let alone = ["list_windows", "get_window_state", "run_steps"];
    let mut other = alone;
    other.swap(0, 1);
    let typed = serde_json::json!({"element_token": token("Plain"), "text": "x"}).to_string();
    run(&["desk", "liar", "type_text", &typed]).expect(0);
    assert_eq!(calls(), alone);
    run(&["desk-run", "liar", "type Plain = y"]).expect(0);
    assert_eq!(calls(), other);
    run(&["desk-run", "liar", "set Short = y"]).expect(0);
    assert_eq!(calls(), other);
    run(&["desk-run", "liar", "set Pages = y"]).expect(0);
    assert_eq!(
        calls(),
        ["get_window_state", "set_value", "get_window_state"]
    );
    let noted = liar.noted();
    let want = [
        "Upper \"A\"",
        "Plain \"x\"",
        "Plain \"xy\"",
        "Short \"y\"",
        "Pages \"y\"",
    ];
    assert_eq!(noted, want);
}
