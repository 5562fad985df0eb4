//! Stories of what a run keeps, on the built-in calculator: reads, evidence, counts of failures,
//! and how it is cleaned up.

use std::fs;

use crate::context::{TestContext, listing};
use crate::desk::{SIM, simulated, still};
use crate::observe::Run;
use crate::snapshot;

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
    simulated: no real app was asked
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
    desk-read: simulated: could not find the app "no-such-app": none that runs or is installed has this bundle id, desktop-file id, executable or display name
    ---
    "#);
    let theirs = ctx.home.join(".local/state/lean-computer-use/desk/theirs");
    fs::write(&theirs, "x").unwrap();
    let seen = simulated(&ctx, &["desk-clean"]).observe().expect(0);
    snapshot!(ctx, still(&seen), @r"
    exit 0
    --- stdout
    desk-clean: app none, 4 files removed, session ended, driver none, simulated
    --- stderr
    ---
    ");
    let seen = simulated(&ctx, &["desk-clean"]).observe().expect(0);
    snapshot!(ctx, still(&seen), @r"
    exit 0
    --- stdout
    desk-clean: app none, 0 files removed, session none, driver none, simulated
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
    0600 lean-computer-use/desk/074444d3.lock
    0600 lean-computer-use/desk/295e2a.lock
    0600 lean-computer-use/desk/2ce1b3.lock
    0700 lean-computer-use/desk/guard/
    0600 lean-computer-use/desk/guard/.lcu-guard
    0700 lean-computer-use/desk/guard/37a8eec1ce19687d/
    0600 lean-computer-use/desk/guard/37a8eec1ce19687d/key
    0600 lean-computer-use/desk/guard/37a8eec1ce19687d/log
    0644 lean-computer-use/desk/theirs
    ");
}

#[test]
fn sessions_and_state_folders_do_not_meet() {
    let ctx = TestContext::new();
    let display = |run: Run| {
        let json = run.observe().expect(0).json();
        json["lines"].to_string().replace("#c16", "")
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

#[test]
fn the_same_failure_twice_is_not_tried_a_third_time() {
    let ctx = TestContext::new();
    let run = |words: &[&str]| simulated(&ctx, words).env("CLAUDE_CODE_SESSION_ID", "s");
    let fails = ["desk-run", "click nothing"];
    let first = |run: Run| {
        run.observe()
            .expect(1)
            .stdout
            .lines()
            .next()
            .unwrap()
            .to_owned()
    };
    let no = "desk-run: step 1: not_found";
    let again = |want: [&str; 3]| {
        for want in want {
            assert_eq!(first(run(&fails)), want);
        }
    };
    again([no, no, "desk-run: refused retry"]);
    assert_eq!(first(run(&fails).env("DESK_GUARD", "off")), no);
    // Another packet, as long as it changes nothing, leaves the count as it is.
    run(&["desk-run", "read label:"]).observe().expect(0);
    assert_eq!(first(run(&fails)), "desk-run: refused retry");
    // Something changed.
    run(&["desk-run", "click 1"]).observe().expect(0);
    again([no, no, "desk-run: refused retry"]);
    // Time went by.
    let at = |ms: i64| {
        let clock = (crate::context::NOW_MS + ms).to_string();
        first(run(&fails).env("LEAN_COMPUTER_USE_CLOCK_MS", clock))
    };
    assert_eq!([at(600_001), at(600_002)], [no, no]);
    assert_eq!(at(600_003), "desk-run: refused retry");
    // The user said something: the guard's hook noted it.
    let session = lean_computer_use::hook::key::folder_name("s");
    let guard = ctx
        .home
        .join(".local/state/lean-computer-use/guard")
        .join(session);
    fs::create_dir_all(&guard).unwrap();
    let at_ms = crate::context::NOW_MS + 600_004;
    fs::write(
        guard.join("log"),
        format!("{{\"v\":1,\"t\":{at_ms},\"e\":\"u\"}}\n"),
    )
    .unwrap();
    assert_eq!(at(600_005), no);
    let state = ctx.home.join(".local/state/lean-computer-use/desk");
    for (name, what) in crate::context::tree(&state) {
        assert!(!what.contains("nothing"), "{name}: {what}");
    }
}

#[test]
fn running_and_quitting() {
    let ctx = TestContext::new();
    let running = |app: &str| {
        let run = ctx.run(&["desk-running", "--simulated", app]);
        run.observe().expect(0).stdout
    };
    assert_eq!(running(SIM), "true\n");
    assert_eq!(running("no-such-app"), "false\n");
    // Not launched by this run, so it is let alone.
    simulated(&ctx, &["desk-run", "click 1"])
        .observe()
        .expect(0);
    let seen = simulated(&ctx, &["desk-clean", "--launched-by-run"])
        .observe()
        .expect(0);
    assert!(seen.stdout.starts_with("desk-clean: app none,"), "{seen}");
}

#[test]
fn old_reads_and_evidence_go_after_a_week() {
    let ctx = TestContext::new();
    fs::create_dir_all(ctx.project.join(".claude/lean-computer-use")).unwrap();
    let evidence = ".claude/lean-computer-use/local/evidence";
    simulated(&ctx, &["desk-read", "--evidence", "mine"])
        .observe()
        .expect(0);
    ctx.write(&format!("{evidence}/theirs.txt"), "x");
    let days = |days: u64| {
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap();
        (now.as_millis() + u128::from(days) * 86_400_000).to_string()
    };
    let read = |clock: String| {
        let run = ctx.run(&["desk-running", "--simulated", "other"]);
        run.env("LEAN_COMPUTER_USE_CLOCK_MS", clock)
            .observe()
            .expect(0);
    };
    let reads = ctx.home.join(".local/state/lean-computer-use/desk/1c8e29");
    read(days(6));
    assert!(reads.join("r1").exists() && ctx.project.join(evidence).join("mine.json").exists());
    read(days(8));
    assert!(!reads.exists() && !ctx.project.join(evidence).join("mine.json").exists());
    ctx.read(&format!("{evidence}/theirs.txt"));
}
