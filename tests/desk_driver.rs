//! Stories of the desk tools with a stand-in for the driver: what cannot be had here, macOS and old
//! drivers, and what nobody wants to have, hanging and lying ones.

use std::fs;

use crate::context::TestContext;
use crate::desk::still;
use crate::desk_fake::Fake;
use crate::snapshot;

const CLICK: &[&str] = &[
    "desk",
    "mate-calc",
    "click",
    r#"{"element_token":"s00000001:16"}"#,
];

#[test]
fn no_driver_and_drivers_that_others_could_have_put_there() {
    let ctx = TestContext::new();
    let none = ctx
        .run(&["desk-read", "x"])
        .env("CUA_DRIVER_BIN", ctx.root().join("none"));
    let none = none.observe().expect(2);
    assert!(none.stderr.contains("install"), "{none}");
    let inside = ctx.write("bin/cua-driver", "#!/bin/sh\ntouch ran\n");
    let refused = ctx
        .run(&["desk-read", "x"])
        .env("CUA_DRIVER_BIN", inside)
        .observe()
        .expect(2);
    assert!(refused.stderr.contains("inside the project"), "{refused}");
    ctx.run(&["desk-read", "x"])
        .env("CUA_DRIVER_BIN", "bin/cua-driver")
        .observe()
        .expect(2);
    assert!(!ctx.project.join("ran").exists());
    assert!(!ctx.home.join(".local").exists());
}

#[test]
fn arguments_go_in_on_standard_input_and_secrets_stay_out_of_sight() {
    let ctx = TestContext::new();
    let fake = Fake::new(&ctx, "linux");
    fake.says(
        "set_value",
        1,
        r#"{"refusal":{"code":"x_y","message":"not hunter2"},"summary":"hunter2"}"#,
        "hunter2",
    );
    let set = r#"{"element_token":"s00000001:6","value":"hunter2"}"#;
    for run in [
        fake.run(&["desk", "mate-calc", "set_value", "-"])
            .stdin(set),
        fake.run(&["desk", "mate-calc", "set_value", "--json", "-"])
            .stdin(set),
        fake.run(&["desk-run", "mate-calc"])
            .stdin("set \"edit bar\": = hunter2"),
        fake.run(&["desk-read", "mate-calc", "label", "ghp", "12"]),
        fake.run(&["desk-run", "mate-calc", "read label:"]),
    ] {
        let seen = run.observe();
        assert!(!seen.to_string().contains("hunter2"), "{seen}");
        assert!(!seen.to_string().contains("ghp_0123"), "{seen}");
    }
    assert!(fake.noted("stdin").contains(r#""value":"hunter2""#));
    for call in fake.calls() {
        assert_eq!(call.split_whitespace().count(), 2, "{call}");
    }
    for line in fake.noted("stdin").lines().filter(|line| !line.is_empty()) {
        let arguments: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(
            arguments["session"].as_str().unwrap().starts_with("lcu-"),
            "{arguments}"
        );
        assert_eq!(arguments.get("scope"), None);
    }
}

#[test]
fn an_unknown_app_costs_three_calls_at_most() {
    let ctx = TestContext::new();
    let fake = Fake::new(&ctx, "linux");
    fake.run(&["desk-read", "rm"]).observe().expect(2);
    assert_eq!(fake.calls(), ["call list_apps"]);
    let mac = TestContext::new();
    let fake = Fake::new(&mac, "mac");
    let seen = fake
        .run(&["desk-read", "com.example.none"])
        .observe()
        .expect(2);
    assert!(seen.stderr.contains("could not find the app"), "{seen}");
    assert_eq!(
        fake.calls(),
        ["call list_apps", "call list_apps", "call launch_app"]
    );
}

#[test]
fn the_shapes_of_macos() {
    let ctx = TestContext::new();
    let fake = Fake::new(&ctx, "mac");
    let steps = [
        "expect AXStaticText: = 84",
        "click button:seven",
        "click ~Sev",
    ];
    let mut words = vec!["desk-run", "Calculator"];
    words.extend(steps);
    let seen = fake.run(&words).observe().expect(0);
    assert!(
        seen.stdout.starts_with("desk-run: done 3 steps, \"84\", "),
        "{seen}"
    );
    // The window with a title, though the strip is larger and in front.
    assert!(fake.noted("stdin").contains(r#""window_id":6"#));
    assert!(
        fake.noted("stdin")
            .contains(r#""element_token":"s0000000a:0""#)
    );
}

#[test]
fn failure_is_judged_by_content_before_the_exit_code() {
    let ctx = TestContext::new();
    let fake = Fake::new(&ctx, "linux");
    let refusal = r#"{"refusal":{"code":"stale_element_token","message":"m"},"status":"refused"}"#;
    for (code, stdout, stderr, exit, first) in [
        (0, refusal, "", 1, "desk: refused stale_element_token"),
        (1, refusal, "", 1, "desk: refused stale_element_token"),
        (
            0,
            r#"{"code":"background_unavailable"}"#,
            "",
            1,
            "desk: refused background_unavailable",
        ),
        (0, "Missing required field", "", 1, "desk: refused"),
        (2, "", "unreadable", 1, "desk: refused"),
        (
            0,
            r#"{"effect":"suspected_noop"}"#,
            "",
            1,
            "desk: no_effect",
        ),
        (0, r#"{"effect":"partial"}"#, "", 1, "desk: mismatch"),
        (0, r#"{"effect":"confirmed"}"#, "", 0, "desk: done click"),
        (
            0,
            r#"{"effect":"unverifiable"}"#,
            "",
            0,
            "desk: unverified click",
        ),
        (
            3,
            r#"{"effect":"confirmed"}"#,
            "",
            4,
            "desk: unknown exit_contradicts_answer",
        ),
        (0, "", "", 4, "desk: unknown no_answer"),
        (
            0,
            "{\"effect\":\"conf",
            "",
            4,
            "desk: unknown answer_cut_short",
        ),
        (
            9,
            r#"{"effect":"confirmed"}"#,
            "",
            9,
            "desk: refused driver_status_9",
        ),
        (
            75,
            "",
            "permissions_pending",
            75,
            "desk: refused permissions_pending",
        ),
    ] {
        fake.says("click", code, stdout, stderr);
        let seen = fake.run(CLICK).observe().expect(exit);
        assert_eq!(seen.stdout.lines().next(), Some(first), "{seen}");
    }
}

#[test]
fn a_hanging_and_an_endless_driver() {
    let ctx = TestContext::new();
    let fake = Fake::new(&ctx, "linux");
    fake.does("click", "exec sleep 600");
    let mut words = CLICK.to_vec();
    words.extend(["--limit", "1500"]);
    let seen = fake.run(&words).observe().expect(4);
    assert!(
        seen.stdout.starts_with("desk: unknown timed_out\n"),
        "{seen}"
    );
    fake.does("click", "exec cat /dev/zero");
    let seen = fake.run(CLICK).observe().expect(4);
    assert!(
        seen.stdout.starts_with("desk: unknown answer_too_big\n"),
        "{seen}"
    );
    // Of a read there is nothing to fear: it could not run.
    fake.does("get_window_state", "exec sleep 600");
    let words = ["desk-read", "mate-calc", "--limit", "1500"];
    let seen = fake.run(&words).observe().expect(2);
    assert!(seen.stderr.contains("timed_out"), "{seen}");
}

// macOS starts an app bundle instead.
#[cfg(target_os = "linux")]
#[test]
fn a_driver_that_does_not_run_is_started() {
    let ctx = TestContext::new();
    let fake = Fake::new(&ctx, "linux");
    let down = "if [ ! -f \"$here/serving\" ]; then echo 'Cua Driver daemon is not running on s.' >&2; exit 1; fi";
    for name in ["list_apps", "status", "sessions"] {
        fake.does(name, down);
    }
    fake.does("serve", "touch \"$here/serving\"");
    fake.run(&["desk-read", "mate-calc"]).observe().expect(0);
    let calls = fake.calls();
    assert!(
        calls.contains(&"serve --no-overlay".to_owned()),
        "{calls:?}"
    );
    // Cleaning up starts nothing: a session ends with its driver.
    fs::remove_file(fake.folder.join("serving")).unwrap();
    fake.does("end_session", down);
    fake.run(&["desk-clean", "mate-calc"]).observe().expect(0);
    assert_eq!(fake.calls(), ["call end_session", "sessions list --json"]);
    // It waits for permissions.
    fake.does("status", "echo permissions_pending >&2; exit 75");
    fake.does("serve", "");
    let seen = fake.run(&["desk-read", "mate-calc"]).observe().expect(75);
    assert!(
        seen.stdout
            .starts_with("desk-read: refused permissions_pending\n"),
        "{seen}"
    );
}

#[test]
fn a_session_that_cannot_be_ended_is_pending_and_the_state_is_gone() {
    let ctx = TestContext::new();
    let fake = Fake::new(&ctx, "linux");
    fake.run(&["desk-read", "mate-calc"]).observe().expect(0);
    fake.says("end_session", 1, "", "cannot");
    let seen = fake.run(&["desk-clean", "mate-calc"]).observe().expect(3);
    snapshot!(ctx, still(&seen), @r"
    exit 3
    --- stdout
    desk-clean: app none, 3 files removed, session pending, driver none
    --- stderr
    ---
    ");
    fake.run(&["desk-clean", "mate-calc"]).observe().expect(0);
    fake.run(&["desk-read", "mate-calc"]).observe().expect(0);
    let gone = ctx.root().join("gone");
    let clean = ctx
        .run(&["desk-clean", "mate-calc"])
        .env("CUA_DRIVER_BIN", gone);
    clean.observe().expect(3);
}

#[cfg(target_os = "linux")]
#[test]
fn a_warm_action_is_one_call_and_typing_checks_the_window_first() {
    let ctx = TestContext::new();
    let fake = Fake::new(&ctx, "linux");
    // The window belongs to a process that lives, so that it can be known again.
    let own = std::process::id().to_string();
    for name in ["list_apps.out", "list_windows.out", "get_window_state.out"] {
        let text = fake.noted(name).replace("4242", &own);
        fs::write(fake.folder.join(name), text).unwrap();
    }
    fake.run(CLICK).observe().expect(0);
    assert_eq!(
        fake.calls(),
        ["call list_apps", "call list_windows", "call click"]
    );
    fake.run(CLICK).observe().expect(0);
    assert_eq!(fake.calls(), ["call click"]);
    let set = ["desk", "mate-calc", "set_value", r#"{"value":"x"}"#];
    fake.run(&set).observe().expect(0);
    assert_eq!(fake.calls(), ["call list_windows", "call set_value"]);
    // A control that a read showed: read, written, read back; and the field does not hold it.
    fake.run(&["desk", "mate-calc", "get_window_state"])
        .observe()
        .expect(0);
    fake.calls();
    let known = r#"{"element_token":"s00000001:6","value":"hunter2"}"#;
    let seen = fake
        .run(&["desk", "mate-calc", "set_value", known])
        .observe()
        .expect(1);
    assert!(seen.stdout.starts_with("desk: mismatch\n"), "{seen}");
    let read = "call get_window_state".to_owned();
    let calls = fake.calls();
    assert_eq!(calls[..2], [read.clone(), "call set_value".to_owned()]);
    assert_eq!(calls[2..], vec![read; 3]);
    fake.says("list_windows", 0, r#"{"windows":[]}"#, "");
    let seen = fake.run(&set).observe().expect(1);
    assert!(
        seen.stdout.starts_with("desk: refused window_gone\n"),
        "{seen}"
    );
    assert_eq!(fake.calls(), ["call list_windows"]);
}
