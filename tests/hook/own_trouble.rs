//! What the guard does about itself: settings, hooks that are registered twice, its own failures.

use std::fs;

use lean_computer_use::hook::account::{self, Summary};
use serde_json::{Value, json};

use super::{Story, answer, command, event, files, says, state};
use crate::context::TestContext;

const CONFIG: &str = ".claude/lean-computer-use/config.toml";

/// At which attempt a failing call is refused, when it is.
fn refused_at(story: &mut Story, changes: &Value) -> Option<usize> {
    (1..6).find(|_| story.fail(changes)[0] == "deny")
}

#[test]
fn a_config_sets_limits_and_scope_and_the_environment_wins() {
    let desk = command("desk-run a 'click x'");
    for (config, guard, want_desk, want_other) in [
        ("", "", Some(3), Some(3)),
        ("[guard]\nplain = 4", "", Some(5), Some(5)),
        ("[guard]\nscope = \"desk\"", "", Some(3), None),
        ("[guard]\nscope = \"off\"", "", None, None),
        ("[guard]\nscope = \"off\"", "all", Some(3), Some(3)),
        ("", "desk", Some(3), None),
        ("[guard]\nplain = 4", "off", None, None),
        ("[guard]\nplain = 0", "", Some(3), Some(3)),
        ("no TOML", "desk", Some(3), None),
    ] {
        let mut story = Story::new("2.1.332");
        story.ctx.write(CONFIG, config);
        story.guard = guard;
        let got = (
            refused_at(&mut story, &desk),
            refused_at(&mut story, &json!({})),
        );
        assert_eq!(got, (want_desk, want_other), "{config:?} {guard:?}");
    }
}

#[test]
fn a_config_of_the_user_holds_where_the_project_has_none() {
    let mut story = Story::new("2.1.332");
    let users = story.ctx.home.join(CONFIG);
    fs::create_dir_all(users.parent().unwrap()).unwrap();
    fs::write(users, "[guard]\nplain = 3").unwrap();
    assert_eq!(refused_at(&mut story, &json!({})), Some(4));
    story.ctx.write(CONFIG, "");
    assert_eq!(refused_at(&mut story, &command("other")), Some(3));
}

#[test]
fn a_hook_that_is_registered_twice_answers_once() {
    let mut story = Story::new("2.1.332");
    let mut both = |name: &str, id: &str| {
        let changes = json!({"tool_use_id": id});
        let answers = [0; 2].map(|_| says(&story.send(name, &changes)));
        story.seconds -= 1;
        answers
    };
    for (name, id, want) in [
        ("before", "1", ["", ""]),
        ("failed", "1", ["", ""]),
        ("before", "2", ["", ""]),
        ("failed", "2", ["nudge", ""]),
        ("before", "3", ["deny", ""]),
    ] {
        assert_eq!(both(name, id), want, "{name} {id}");
    }
    let logs = files(&state(&story.ctx));
    let log = logs.iter().find(|path| path.ends_with("log")).unwrap();
    let text = fs::read_to_string(log).unwrap();
    assert_eq!(text.matches('\n').count(), 3 + 2 + 1 + 1, "{text}");
}

#[test]
fn what_it_did_is_counted_without_a_word_of_what() {
    let mut story = Story::new("2.1.332");
    let agent = json!({"agent_id": "a1", "agent_type": "x"});
    for changes in [json!({}), agent.clone(), command("other")] {
        for _ in 0..4 {
            story.fail(&changes);
        }
    }
    story.send("agent-stopped", &agent);
    let want = Summary {
        denied: 6,
        nudged: 3,
        errors: 0,
        asleep: 0,
    };
    let state = state(&story.ctx);
    let session = event("2.1.332", "before", &json!({}))["session_id"].clone();
    let session = session.as_str();
    assert_eq!(account::summary(&state, session).unwrap(), want);
    assert_eq!(account::summary(&state, None).unwrap(), want);
    let none = account::summary(&state, Some("another")).unwrap();
    assert_eq!(none, Summary::default());
}

#[test]
fn after_twenty_failures_of_its_own_it_sleeps_for_the_session() {
    let mut story = Story::new("2.1.332");
    story.fail(&json!({}));
    let state = state(&story.ctx);
    let log = files(&state).into_iter().find(|path| path.ends_with("log"));
    let log = log.unwrap();
    fs::remove_file(&log).unwrap();
    fs::create_dir(&log).unwrap();
    let break_it = |story: &mut Story, times: usize| {
        for _ in 0..times {
            assert_eq!(story.ask(&json!({})), "");
        }
    };
    break_it(&mut story, 19);
    let summary = || account::summary(&state, None);
    assert!(summary().is_err(), "a log that is a folder");
    assert!(told(&story.ctx).starts_with("it is silent: could not"));
    fs::remove_dir(&log).unwrap();
    assert_eq!(refused_at(&mut story, &json!({})), Some(3));
    assert_eq!(summary().unwrap().errors, 19);
    assert_eq!(summary().unwrap().asleep, 0);
    fs::remove_file(&log).unwrap();
    fs::create_dir(&log).unwrap();
    break_it(&mut story, 1);
    fs::remove_dir(&log).unwrap();
    assert_eq!(refused_at(&mut story, &json!({})), None);
    assert_eq!(summary().unwrap().asleep, 1);
    assert_eq!(told(&story.ctx), troubles(0, 20, 1));
    let another = json!({"session_id": "another"});
    assert_eq!(refused_at(&mut story, &another), Some(3), "only there");
}

#[test]
fn a_large_event_is_answered_like_a_small_one() {
    let mut story = Story::new("2.1.332");
    let long = command(&format!("make '{}'", "x".repeat(300_000)));
    assert_eq!(refused_at(&mut story, &long), Some(3));
}

/// An error of seven megabytes, in which everything that differs from run to run is to be masked,
/// is many times the work that one answer may be.
#[cfg(unix)]
#[test]
fn what_is_too_much_work_is_given_up_and_counted() {
    let mut story = Story::new("2.1.332");
    let line = "at 12:00:01 pid 4 took 3 min /tmp/a attempt 1/3 localhost:1 0x7f t=1796040000\n";
    let failed = |story: &mut Story, lines: usize, id: &str| {
        let error = format!("Exit code 1\n{}", line.repeat(lines));
        says(&story.send("failed", &json!({"error": error, "tool_use_id": id})))
    };
    failed(&mut story, 1, "0");
    for count in 1..=2 {
        let id = format!("long {count}");
        assert_eq!(failed(&mut story, 7_000_000 / line.len(), &id), "");
        assert_eq!(told(&story.ctx), troubles(0, count, 0));
    }
    assert_eq!(
        failed(&mut story, 1, "1"),
        "nudge",
        "nothing was recorded of it"
    );
    assert_eq!(story.ask(&json!({})), "deny");
}

/// What `doctor` says of the guard itself, for all projects.
fn told(ctx: &TestContext) -> String {
    let lines = ctx.run(&["doctor", "--json"]).observe().json();
    let lines = lines["lines"].as_array().unwrap();
    let line = lines.iter().find(|line| line["what"] == "guard").unwrap();
    line["seen"].as_str().unwrap().to_owned()
}

fn troubles(faults: u32, errors: u32, asleep: u32) -> String {
    format!(
        "{faults} inputs were no event, it failed {errors} times itself, and sleeps in {asleep} sessions"
    )
}

#[test]
fn each_input_that_is_no_event_is_counted_and_told_by_doctor() {
    let mut story = Story::new("2.1.332");
    let run = |ctx: &TestContext, input: &[u8]| {
        let run = ctx.run(&["hook", "retry-guard"]).stdin(input);
        assert_eq!(answer(run), Value::Null);
    };
    run(&story.ctx, b"before the guard has a folder");
    assert!(!state(&story.ctx).exists());
    story.fail(&json!({}));
    assert_eq!(told(&story.ctx), "no trouble of its own");
    let whole = event("2.1.332", "failed", &json!({})).to_string();
    let long = whole.replacen('{', &format!("{{\"x\": \"{}\",", "x".repeat(8 << 20)), 1);
    let inputs: [&[u8]; 9] = [
        b"",
        b"no JSON",
        b"[]",
        b"{\"a\":",
        b"{}",
        b"{\"session_id\": \"\xff\", \"hook_event_name\": \"Stop\"}",
        b"{\"session_id\": \"s\", \"hook_event_name\": \"Nope\"}",
        &whole.as_bytes()[..whole.len() - 1],
        long.as_bytes(),
    ];
    for (input, count) in inputs.into_iter().zip(1..) {
        run(&story.ctx, input);
        assert_eq!(told(&story.ctx), troubles(count, 0, 0));
    }
    // A stream that nobody ends is left after two seconds.
    let run = story.ctx.run(&["hook", "retry-guard"]);
    assert_eq!(answer(run.silent_stdin()), Value::Null);
    assert_eq!(told(&story.ctx), troubles(10, 0, 0));
    story.send("before", &json!({}));
    assert_eq!(told(&story.ctx), troubles(10, 0, 0), "an event is none");
}

#[cfg(unix)]
#[test]
fn a_stream_that_cannot_be_read_is_counted_too() {
    let mut story = Story::new("2.1.332");
    story.fail(&json!({}));
    for (stream, count) in ["<.", "<&-", "<>/dev/null"].into_iter().zip(1..) {
        let line = format!("exec {stream}; exec lean-computer-use hook retry-guard");
        assert_eq!(
            answer(story.ctx.shell(&line, "hook retry-guard")),
            Value::Null
        );
        assert_eq!(told(&story.ctx), troubles(count, 0, 0), "{stream}");
    }
}

#[test]
fn a_panic_is_silent_and_counted_in_its_session() {
    let mut story = Story::new("2.1.332");
    story.fail(&json!({}));
    for size in [10, 300_000] {
        let call = command(&"x".repeat(size));
        let event = event("2.1.332", "before", &call).to_string();
        let run = story.ctx.run(&["hook", "retry-guard", "--internal-error"]);
        assert_eq!(answer(run.stdin(event)), Value::Null, "{size}");
    }
    assert_eq!(told(&story.ctx), troubles(0, 2, 0));
}
