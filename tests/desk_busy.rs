//! Stories of commands that meet on one app: they wait for each other, or say that it is busy,
//! whatever names they call it by. A fake driver stands in where a moment must be hit.

use std::fs;
use std::time::Duration;

use rustix::process::Signal;

use crate::context::TestContext;
use crate::desk_fake::Fake;
use crate::observe::Observed;

#[cfg(unix)]
#[test]
fn runs_with_state_of_their_own_wait_for_each_other() {
    let ctx = TestContext::new();
    let driver = ctx.program("cua-driver", "#!/bin/sh\nexec sleep 20\n");
    let hang = ctx
        .run(&["desk-read", "App", "--limit", "60000"])
        .env("CUA_DRIVER_BIN", &driver)
        .start();
    let desk = ctx.home.join(".local/state/lean-computer-use/desk");
    let is_there = || walkdir::WalkDir::new(&desk).into_iter().flatten();
    while !is_there().any(|entry| entry.file_name() == "run.json") {
        std::thread::sleep(Duration::from_millis(10));
    }
    for state in [&["--state", "mine"][..], &[]] {
        let words = [&["desk-run", "app", "click x", "--limit", "50"], state].concat();
        let seen = ctx.run(&words).env("CUA_DRIVER_BIN", &driver).observe();
        let seen = seen.expect(2);
        assert!(seen.stderr.contains("busy: another desk command"), "{seen}");
    }
    let other = ["desk-read", "other", "--limit", "50", "--state", "mine"];
    let seen = ctx.run(&other).env("CUA_DRIVER_BIN", &driver).observe();
    assert!(seen.expect(2).stderr.contains("timed_out"));
    hang.signal(Signal::TERM);
    hang.observe().expect(143);
}

/// A calculator of the fake driver that is installed and does not run. Once launched it is this
/// test's own process, which lives. Looking at its window takes a while, and two looks at once are
/// noted in `met`.
fn calculator(ctx: &TestContext) -> Fake<'_> {
    let fake = Fake::new(ctx, "linux");
    let pid = std::process::id().to_string();
    for name in ["list_apps.out", "list_windows.out", "get_window_state.out"] {
        let text = fake.noted(name).replace("4242", &pid);
        fs::write(fake.folder.join(name), text).unwrap();
    }
    let entry = r#"{"apps":[{"name":"MATE Calculator","bundle_id":"mate-calc","launch_path":"mate-calc","kind":"desktop","pid":0,"running":false}]}"#;
    let unless = |answer: &str| {
        format!("if [ ! -f \"$here/runs\" ]; then printf '%s' '{answer}'; exit 0; fi")
    };
    fake.does("list_apps", &unless(entry));
    fake.does("list_windows", &unless(r#"{"windows":[]}"#));
    fake.says("launch_app", 0, &format!(r#"{{"pid":{pid}}}"#), "");
    fake.does(
        "launch_app",
        "echo launched >>\"$here/launches\"; sleep 1; touch \"$here/runs\"",
    );
    fake.does(
        "get_window_state",
        "mkdir \"$here/looks\" || touch \"$here/met\"; sleep 0.5; rmdir \"$here/looks\"",
    );
    fake
}

fn busy(seen: &Observed) -> bool {
    seen.stderr.contains("busy: another desk command")
}

#[test]
fn two_names_of_one_app_at_once_launch_one_copy_and_take_turns() {
    let ctx = TestContext::new();
    let fake = calculator(&ctx);
    let names = [
        "mate-calc",
        "MATE Calculator",
        "Mate-Calc",
        "mate calculator",
    ];
    for round in 0..2 {
        let started = names.map(|name| fake.run(&["desk-read", name]).start());
        for one in started {
            one.observe().expect(0);
        }
        assert_eq!(fake.noted("launches"), "launched\n", "round {round}");
        assert!(!fake.folder.join("met").exists(), "round {round}");
        fake.calls();
    }
    // A warm call still is one call.
    fake.run(&["desk-read", "mate-calc"]).observe().expect(0);
    assert_eq!(fake.calls(), ["call get_window_state"]);
}

#[test]
fn who_waits_too_long_for_an_app_by_another_name_is_told_that_it_is_busy() {
    let ctx = TestContext::new();
    let fake = calculator(&ctx);
    fs::write(fake.folder.join("runs"), "").unwrap();
    fake.does("get_window_state", "touch \"$here/looks\"; exec sleep 20");
    let hang = fake.run(&["desk-read", "mate-calc"]).start();
    crate::desk_fake::until(|| fake.folder.join("looks").exists());
    for words in [
        &["desk-read", "MATE Calculator"][..],
        &["desk-run", "MATE Calculator", "click 7"],
        &["desk", "MATE Calculator", "click", r#"{"x":1,"y":1}"#],
    ] {
        let words = [words, &["--limit", "700"]].concat();
        let seen = fake.run(&words).observe().expect(2);
        assert!(busy(&seen), "{seen}");
    }
    // What operates nothing need not wait.
    for words in [
        &["desk-running", "MATE Calculator"][..],
        &["desk-clean", "MATE Calculator"],
    ] {
        fake.run(words).observe().expect(0);
    }
    hang.signal(Signal::TERM);
    hang.observe().expect(143);
}

#[test]
fn an_app_that_somebody_works_on_is_not_asked_to_quit() {
    let ctx = TestContext::new();
    let fake = calculator(&ctx);
    fake.run(&["desk-read", "mate-calc"]).observe().expect(0);
    fake.does("get_window_state", "touch \"$here/looks\"; exec sleep 20");
    let hang = fake.run(&["desk-read", "MATE Calculator"]).start();
    crate::desk_fake::until(|| fake.folder.join("looks").exists());
    fake.calls();
    let clean = [
        "desk-clean",
        "mate-calc",
        "--launched-by-run",
        "--limit",
        "700",
    ];
    let seen = fake.run(&clean).observe().expect(2);
    assert!(busy(&seen), "{seen}");
    assert_eq!(fake.calls(), [""; 0]);
    hang.signal(Signal::TERM);
    hang.observe().expect(143);
    // Nothing was lost by it: the launch is still known.
    let seen = fake.run(&clean[..3]).observe().expect(3);
    assert!(
        seen.stdout.starts_with("desk-clean: app pending,"),
        "{seen}"
    );
}

#[test]
fn a_window_that_another_command_waited_for_is_looked_up_again() {
    let ctx = TestContext::new();
    let fake = calculator(&ctx);
    fs::write(fake.folder.join("runs"), "").unwrap();
    // The first command's click closes the window; the second one found it before.
    fake.does(
        "click",
        "touch \"$here/clicks\"; sleep 1; printf '{\"windows\":[]}' >\"$here/list_windows.out\"",
    );
    let click = ["desk", "mate-calc", "click", r#"{"x":1,"y":1}"#];
    let first = fake.run(&click).start();
    crate::desk_fake::until(|| fake.folder.join("clicks").exists());
    let set = ["desk", "MATE Calculator", "set_value", r#"{"value":"x"}"#];
    let seen = fake.run(&set).observe().expect(2);
    assert!(seen.stderr.contains("could not find a window"), "{seen}");
    assert!(!fake.calls().contains(&"call set_value".to_owned()));
    first.observe().expect(0);
}

#[test]
fn an_app_whose_first_window_is_late_is_not_launched_again() {
    let ctx = TestContext::new();
    let fake = calculator(&ctx);
    // It starts, and shows no window as long as one waits.
    fake.does(
        "list_apps",
        "if [ ! -f \"$here/runs\" ]; then sed 's/\"running\": true/\"running\": false/; s/\"pid\": [0-9]*,/\"pid\": 0,/' \"$here/list_apps.out\"; exit 0; fi",
    );
    fake.does(
        "list_windows",
        "if [ ! -f \"$here/shows\" ]; then printf '{\"windows\":[]}'; exit 0; fi",
    );
    for name in ["mate-calc", "MATE Calculator"] {
        let seen = fake.run(&["desk-read", name]).observe().expect(2);
        assert!(seen.stderr.contains("could not find a window"), "{seen}");
    }
    fs::write(fake.folder.join("shows"), "").unwrap();
    fake.run(&["desk-read", "MATE Calculator"])
        .observe()
        .expect(0);
    assert_eq!(fake.noted("launches"), "launched\n");
}
