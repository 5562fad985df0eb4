//! The real Claude Code in a project with what `install --allow` writes: the guard refuses, the
//! runner does desk work, the meter agrees, and after `uninstall` nothing is left. The model is
//! played (`claude/`); what it may run is decided by the settings alone.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use crate::claude::api::{Api, Asked};
use crate::claude::project::{LOCKED, heard, knocks, project};
use crate::claude::scenario::{
    MAIN, Scenario, Step, bash, call, delegate, delegate_in_background, say,
};
use crate::claude::session::{self, Env, Session, Version};
use crate::claude::sse::Usage;
use crate::context::{TestContext, tree};

/// The words that pick the calculator inside the binary.
const SIMULATED: &str = "--simulated simulated-calculator";

/// What Claude Code's transcripts call a hook that failed, was too slow, or stepped in after a call.
pub const HOOK_TROUBLE: [&str; 4] = [
    "hook_non_blocking_error",
    "hook_blocking_error",
    "hook_cancelled",
    "hook_stopped_continuation",
];

/// Where the packet's evidence lies, below the project.
const EVIDENCE: &str = ".claude/lean-computer-use/local/evidence/product.json";

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn a_session_before_us_is_what_the_others_are_compared_with() {
    assert_without_us(&project());
}

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn the_third_failure_is_refused_in_the_main_thread_and_in_the_runner() {
    let ctx = installed();
    let main = three_times("./knock")
        .chain(three_times(&lost("no-such-app")))
        .chain([delegate("desk-runner", "runner"), say("It stays shut.")]);
    let runner = three_times("./knock")
        .chain(three_times(&lost("another-such-app")))
        .chain([say("It stays shut here too.")]);
    let scenario = Scenario::default().main(main).script("runner", runner);
    let (api, _) = play(&ctx, scenario, "Open the door.");

    for script in [MAIN, "runner"] {
        let tries = results(&api, script);
        assert_third_refused(&tries[..3], LOCKED);
        assert_third_refused(&tries[3..6], "Exit code 2\n");
        let warned = api.asked(script)[2].news();
        assert!(warned.contains("retry guard: same error twice"), "{warned}");
    }
    assert_eq!(knocks(&ctx), 2 + 2, "it ran twice in each");
    assert_eq!(heard(&ctx), 4 + 4, "the user's own hook goes on working");
}

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn the_runner_is_registered_and_does_desk_work_unasked() {
    let ctx = installed();
    let look = call("Read", &json!({"file_path": ctx.project.join(EVIDENCE)}));
    let main = [delegate("desk-runner", "runner"), look, say("It is 84.")];
    let runner = [packet(SIMULATED), say("84. Cleanup: done.")];
    let scenario = Scenario::default().main(main).script("runner", runner);
    let (api, _) = play(&ctx, scenario, "What is 12 times 7?");

    let offer = api.asked(MAIN)[0].body.to_string();
    let listed = offer.split("- desk-runner: ").nth(1).expect(&offer);
    let line = listed.split("\\n").next().unwrap();
    assert!(line.ends_with("(Tools: Read, Bash)"), "{line}");
    assert!(offer.contains("- desk-task: "), "the skill: {offer}");
    let first = &api.asked("runner")[0];
    assert_eq!(first.tools(), ["Read", "Bash"]);
    assert!(
        first.model().starts_with("claude-haiku-"),
        "{}",
        first.model()
    );
    assert_eq!(first.body["output_config"]["effort"], "medium");
    let told = first.body["system"].to_string();
    assert!(told.contains("lean-computer-use desk-run "), "{told}");

    assert_computed(&api, "runner", 0);
    assert_computed(&api, MAIN, 1);
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs the real Claude Code, a desktop and the cua-driver: .ci/run"]
fn the_runner_computes_on_a_real_desktop() {
    let ctx = installed();
    let desktop = crate::desktop::Desktop::start(&ctx);
    let look = call("Read", &json!({"file_path": ctx.project.join(EVIDENCE)}));
    let main = [delegate("desk-runner", "runner"), look, say("It is 84.")];
    let clean = bash("lean-computer-use desk-clean mate-calc");
    let runner = [packet("mate-calc"), clean, say("84. Cleanup: done.")];
    let scenario = Scenario::default().main(main).script("runner", runner);
    let (api, _) = play_on(desktop.env(), &ctx, scenario, "What is 12 times 7?");

    assert_computed(&api, "runner", 0);
    assert_computed(&api, MAIN, 1);
    assert_eq!(desktop.judged("mate-calc", "edit bar"), ["84"]);
    let (failed, cleaned) = &results(&api, "runner")[1];
    assert!(!failed, "{cleaned}");
}

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn the_meter_and_its_hook_agree_with_claude_codes_own_count() {
    let ctx = installed();
    let main = [
        bash("./knock").after_saying("First I knock."),
        delegate("desk-runner", "waited-for"),
        delegate_in_background("desk-runner", "in-background"),
        say("Waiting."),
    ];
    let aloud = packet(SIMULATED).after_saying("Now the packet.");
    let scenario = Scenario::default()
        .main(main)
        .script("waited-for", [aloud, say("84.")])
        .script("in-background", [packet(SIMULATED), say("84 again.")]);
    let (api, session) = play(&ctx, scenario, "What is 12 times 7?");
    assert_computed(&api, "waited-for", 0);
    assert_computed(&api, "in-background", 0);

    let own = session.model_usage();
    assert_eq!(
        own,
        api.charged(),
        "the count to agree with is itself right"
    );
    assert_eq!(own.len(), 2, "the main model and the runner's: {own:?}");
    let report = ctx.run(&["meter", "--by", "model", "--json"]);
    assert_eq!(metered(&report.observe().expect(0).json()), own);
    assert_eq!(hooked(&ctx), own);
}

/// Each row holds what its own session asked for, though the fork's transcript begins with the
/// messages of the session that it comes from.
#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn a_forked_session_and_the_one_it_comes_from_are_counted_once() {
    for version in [Version::New, Version::Old] {
        let ctx = installed();
        // One model for both: each of its messages has an id of its own.
        let script = [bash("./knock"), say("It stays shut."), say("Still shut.")];
        let api = Api::start(Scenario::default().main(script));
        let first = session::run_version(version, &ctx, Env::new(), &api, &["Knock."]);
        assert_eq!(hooked(&ctx), api.charged(), "{version:?}");

        let fork = session::fork(version, &ctx, &api, &first, "And now?");
        assert_ne!(fork.id(), first.id());
        let copied = first.transcripts()[0].1.lines().find_map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["message"]["id"].as_str().map(str::to_owned)
        });
        let copied = copied.unwrap();
        assert!(
            fork.transcripts()[0].1.contains(&copied),
            "no copy of {copied}"
        );

        let both = api.charged();
        assert_eq!(hooked(&ctx), both, "{version:?}");
        let report = ctx.run(&["meter", "--by", "model", "--json"]);
        assert_eq!(metered(&report.observe().expect(0).json()), both);
    }
}

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn after_uninstall_a_session_is_as_it_was_before_us() {
    let ctx = project();
    let before = tree(&ctx.project);
    ctx.run(&["install", "--allow"]).observe().expect(0);
    let main = [delegate("desk-runner", "runner"), say("It is 84.")];
    let runner = [packet(SIMULATED), say("84. Cleanup: done.")];
    let scenario = Scenario::default().main(main).script("runner", runner);
    let (api, _) = play(&ctx, scenario, "What is 12 times 7?");
    assert_computed(&api, "runner", 0);

    ctx.run(&["uninstall"]).observe().expect(0);
    assert_eq!(tree(&ctx.project), before);
    let counted = hooked(&ctx);
    assert_without_us(&ctx);
    assert_eq!(hooked(&ctx), counted, "no hook of ours ran any more");
}

/// Plays one session without a desktop.
#[track_caller]
fn play(ctx: &TestContext, scenario: Scenario, prompt: &str) -> (Api, Session) {
    play_on(Env::new(), ctx, scenario, prompt)
}

/// Plays one session in which no hook broke, was too slow or ended a turn.
#[track_caller]
fn play_on(env: Env, ctx: &TestContext, scenario: Scenario, prompt: &str) -> (Api, Session) {
    let api = Api::start(scenario);
    let session = session::run(ctx, env, &api, prompt);
    for (path, text) in session.transcripts() {
        for mark in HOOK_TROUBLE {
            assert!(!text.contains(mark), "{mark} in {}: {text}", path.display());
        }
    }
    (api, session)
}

/// The project with all that `install --allow` writes.
pub fn installed() -> TestContext {
    let ctx = project();
    ctx.run(&["install", "--allow"]).observe().expect(0);
    ctx
}

/// Twelve times seven, as an agent should send it.
fn packet(calculator: &str) -> Step {
    bash(&format!(
        r#"lean-computer-use desk-run {calculator} --evidence product <<'EOF'
click clear
click 1
click 2
click multiply
click 7
click result
expect "edit bar": = "84"
EOF"#
    ))
}

/// A desk command that fails in the same way each time: there is no such app.
fn lost(app: &str) -> String {
    format!("lean-computer-use desk-run --simulated {app} 'click OK'")
}

fn three_times(command: &str) -> impl Iterator<Item = Step> + use<> {
    std::iter::repeat_n(bash(command), 3)
}

/// What a script's tool calls came back with, in order: whether each is an error, and its text.
pub fn results(api: &Api, script: &str) -> Vec<(bool, String)> {
    let asked = api.asked(script);
    asked.iter().flat_map(Asked::results).collect()
}

/// Twice the command ran and failed, then it was refused, and the model was told our reason.
#[track_caller]
fn assert_third_refused(tries: &[(bool, String)], failure: &str) {
    let [(true, first), (true, second), (true, third)] = tries else {
        panic!("three failures expected: {tries:#?}");
    };
    assert!(first.starts_with(failure), "{first}");
    assert!(second.starts_with(failure), "{second}");
    // What this version puts before a hook's reason. A hook that broke would follow in `[…]`.
    let reason = third
        .strip_prefix("PreToolUse:Bash hook error: ")
        .expect(third);
    assert!(reason.starts_with("retry guard: not run. "), "{reason}");
    assert!(reason.contains("failed 2 times"), "{reason}");
}

/// This tool call of the script went well and its answer holds the product as a text of its own.
#[track_caller]
fn assert_computed(api: &Api, script: &str, call: usize) {
    let (failed, text) = &results(api, script)[call];
    assert!(!failed && text.contains("\"84\""), "{script}: {text}");
}

/// A session with nothing of ours in it: the third failure runs as the first, and neither what the
/// model is told nor what is kept of the session names us.
#[track_caller]
fn assert_without_us(ctx: &TestContext) {
    let script = three_times("./knock").chain([say("It stays shut.")]);
    let (api, session) = play(ctx, Scenario::default().main(script), "Open the door.");

    assert_eq!(results(&api, MAIN), vec![(true, LOCKED.to_owned()); 3]);
    assert_eq!((knocks(ctx), heard(ctx)), (3, 3));
    for asked in api.all() {
        assert_names_nothing("a request", &asked.body.to_string());
    }
    assert_names_nothing("the start", &session.init().to_string());
    for (path, text) in session.transcripts() {
        assert_names_nothing(path.to_str().unwrap(), &text);
    }
}

#[track_caller]
fn assert_names_nothing(place: &str, text: &str) {
    for name in ["lean-computer-use", "desk-", "retry-guard", "token-meter"] {
        assert!(!text.contains(name), "{place} names {name}: {text}");
    }
}

/// The rows of `meter --by model --json`.
fn metered(report: &Value) -> BTreeMap<String, Usage> {
    let rows = report["rows"].as_array().unwrap().iter();
    rows.map(|row| (row["key"]["model"].as_str().unwrap().to_owned(), usage(row)))
        .collect()
}

/// The sums of all rows that the hook wrote, by model.
pub fn hooked(ctx: &TestContext) -> BTreeMap<String, Usage> {
    let path = ctx.home.join(".local/state/lean-computer-use/usage.jsonl");
    let mut sums = BTreeMap::<_, Usage>::new();
    for line in fs::read_to_string(path).unwrap().lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        for (model, numbers) in row["models"].as_object().unwrap() {
            *sums.entry(model.clone()).or_default() += usage(numbers);
        }
    }
    sums
}

fn usage(numbers: &Value) -> Usage {
    let number = |field: &str| numbers[field].as_u64().unwrap();
    Usage {
        input: number("input"),
        output: number("output"),
        cache_write: number("cache_write"),
        cache_read: number("cache_read"),
    }
}
