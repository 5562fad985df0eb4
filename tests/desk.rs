//! Stories of the desk tools that need no desktop: on the built-in calculator, and with a
//! stand-in for the driver that answers what cannot be had here.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::context::{TestContext, listing};
use crate::observe::{Observed, Run};
use crate::snapshot;

const SIM: &str = "simulated-calculator";

/// The words for the fence differ from call to call.
fn still(seen: &Observed) -> String {
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
    lean-computer-use: could not find the app "no-such-app": none that runs or is installed has this bundle id, desktop-file id, executable or display name
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

/// A stand-in for the driver, in the context's folder of programs.
struct Fake<'a> {
    ctx: &'a TestContext,
    binary: PathBuf,
    folder: PathBuf,
}

impl<'a> Fake<'a> {
    /// One that answers what is recorded under this name in `tests/data/driver`.
    fn new(ctx: &'a TestContext, recorded: &str) -> Self {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/driver");
        let script = fs::read_to_string(data.join("fake-driver.sh")).unwrap();
        let binary = ctx.program("cua-driver", &script);
        let folder = ctx.bin.join("driver");
        fs::create_dir(&folder).unwrap();
        for entry in fs::read_dir(data.join(recorded)).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
        }
        Self {
            ctx,
            binary,
            folder,
        }
    }

    fn says(&self, tool: &str, code: i32, stdout: &str, stderr: &str) {
        for (end, text) in [("out", stdout), ("err", stderr), ("rc", &code.to_string())] {
            fs::write(self.folder.join(format!("{tool}.{end}")), text).unwrap();
        }
    }

    /// Shell that is run before the answer.
    fn does(&self, tool: &str, script: &str) {
        fs::write(self.folder.join(format!("{tool}.sh")), script).unwrap();
    }

    fn run(&self, words: &[&str]) -> Run {
        self.ctx.run(words).env("CUA_DRIVER_BIN", &self.binary)
    }

    fn noted(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }

    /// The words of every call since the last look.
    fn calls(&self) -> Vec<String> {
        let calls = self.noted("argv").lines().map(str::to_owned).collect();
        let _ = fs::remove_file(self.folder.join("argv"));
        calls
    }
}

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
        let sent: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(
            sent["session"].as_str().unwrap().starts_with("lcu-"),
            "{sent}"
        );
        assert_eq!(sent.get("scope"), None);
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
    assert_eq!(fake.calls(), ["call list_apps", "call launch_app"]);
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

#[test]
fn a_driver_that_does_not_run_is_started() {
    let ctx = TestContext::new();
    let fake = Fake::new(&ctx, "linux");
    let down = "if [ ! -f \"$here/serving\" ]; then echo 'Cua Driver daemon is not running on s.' >&2; exit 1; fi";
    for name in ["list_apps", "status"] {
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
    assert_eq!(fake.calls(), ["call end_session"]);
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
    desk-clean: 2 files removed, session pending
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
    fake.says("list_windows", 0, r#"{"windows":[]}"#, "");
    let seen = fake.run(&set).observe().expect(1);
    assert!(
        seen.stdout.starts_with("desk: refused window_gone\n"),
        "{seen}"
    );
    assert_eq!(fake.calls(), ["call list_windows"]);
}
