//! The hooks as Claude Code calls them: recorded events on standard input, answers on standard
//! output, and never another exit code than 0.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::context::{NOW_MS, TestContext};
use crate::observe::Run;

mod hostile;
mod on_disk;
mod oracle;
mod own_trouble;
mod token_meter;
#[cfg(unix)]
mod wiring;

const VERSIONS: [&str; 2] = ["2.1.197", "2.1.332"];

/// A recorded event with some fields replaced; null removes a field.
pub fn event(version: &str, name: &str, changes: &Value) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("tests/data/events/{version}/{name}.json"));
    let mut event: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let fields = event.as_object_mut().unwrap();
    for (name, value) in changes.as_object().unwrap() {
        if value.is_null() {
            fields.remove(name);
        } else {
            fields.insert(name.clone(), value.clone());
        }
    }
    event
}

fn guard(ctx: &TestContext, event: &Value) -> Run {
    let run = ctx.run(&["hook", "retry-guard"]);
    run.stdin(serde_json::to_vec(event).unwrap())
}

fn answer(run: Run) -> Value {
    let seen = run.observe().expect(0);
    assert_eq!(seen.stderr, "");
    if seen.stdout.is_empty() {
        return Value::Null;
    }
    assert_eq!(seen.stdout.lines().count(), 1, "{seen}");
    seen.json()
}

pub fn says(answer: &Value) -> &'static str {
    let specific = &answer["hookSpecificOutput"];
    match specific["hookEventName"].as_str() {
        None => "",
        Some("PostToolUseFailure") => "nudge",
        Some(name) => {
            assert_eq!(name, "PreToolUse");
            assert_eq!(specific["permissionDecision"], "deny");
            "deny"
        }
    }
}

/// One world in which calls are made; the clock goes on a second at each event.
struct Story {
    ctx: TestContext,
    version: &'static str,
    calls: i64,
    seconds: i64,
    /// `LEAN_COMPUTER_USE_GUARD`.
    guard: &'static str,
}

impl Story {
    fn new(version: &'static str) -> Self {
        let ctx = TestContext::new();
        Self {
            ctx,
            version,
            calls: 0,
            seconds: 0,
            guard: "",
        }
    }

    fn send(&mut self, name: &str, changes: &Value) -> Value {
        self.seconds += 1;
        let run = guard(&self.ctx, &event(self.version, name, changes));
        let clock = NOW_MS + self.seconds * 1000;
        let run = run.env("LEAN_COMPUTER_USE_GUARD", self.guard);
        answer(run.env("LEAN_COMPUTER_USE_CLOCK_MS", clock.to_string()))
    }

    /// A call that fails, unless it is refused. What is answered before and after.
    fn fail(&mut self, changes: &Value) -> [&'static str; 2] {
        self.calls += 1;
        let mut changes = changes.clone();
        changes["tool_use_id"] = json!(format!("toolu_{}", self.calls));
        let before = says(&self.send("before", &changes.clone()));
        if before == "deny" {
            return [before, ""];
        }
        [before, says(&self.send("failed", &changes))]
    }

    /// What is answered before a call that is then not made.
    fn ask(&mut self, changes: &Value) -> &'static str {
        let mut changes = changes.clone();
        self.calls += 1;
        changes["tool_use_id"] = json!(format!("toolu_{}", self.calls));
        says(&self.send("before", &changes))
    }
}

fn command(text: &str) -> Value {
    json!({"tool_input": {"command": text, "description": "d"}})
}

#[test]
fn the_third_identical_failure_is_refused_with_a_reason() {
    for version in VERSIONS {
        let mut story = Story::new(version);
        let call = json!({});
        assert_eq!(story.fail(&call), ["", ""]);
        assert_eq!(story.fail(&call), ["", "nudge"]);
        story.seconds += 13;
        let refusal = story.send("before", &json!({}));
        assert_eq!(says(&refusal), "deny");
        assert_eq!(
            refusal["hookSpecificOutput"]["permissionDecisionReason"],
            "retry guard: not run. This exact call failed 2 times with the same error (exit 127), \
             last 14 s ago: \"no-such-cmd-zz\". Allowed instead: a changed call, or this one after \
             a file edit, a new user prompt or 2 min from now. Otherwise stop and report the failure."
        );
        assert_eq!(story.fail(&call), ["deny", ""], "a refusal is no progress");
        assert_eq!(story.fail(&command("other")), ["", ""]);
    }
}

#[test]
fn sessions_agents_and_folders_are_counted_apart() {
    let mut story = Story::new("2.1.332");
    for changes in [
        json!({}),
        json!({"agent_id": "a1", "agent_type": "desk-runner"}),
        json!({"agent_id": "a2", "agent_type": "desk-runner"}),
        json!({"session_id": "another"}),
        json!({"cwd": "/home/dev/elsewhere"}),
    ] {
        assert_eq!(story.fail(&changes), ["", ""], "{changes}");
        assert_eq!(story.fail(&changes), ["", "nudge"], "{changes}");
        assert_eq!(story.ask(&changes), "deny", "{changes}");
    }
}

#[test]
fn recorded_calls_of_a_subagent_are_refused_too() {
    for version in VERSIONS {
        let mut story = Story::new(version);
        // Its command fails without a word, which is let pass four times.
        for turn in ["1", "2", "a", "b"] {
            let changes = json!({"tool_use_id": turn});
            assert_eq!(says(&story.send("agent-before", &changes.clone())), "");
            story.send("agent-failed", &changes);
        }
        let ask = |id: &str| json!({"tool_use_id": id});
        assert_eq!(says(&story.send("agent-before", &ask("3"))), "deny");
        story.send("agent-stopped", &json!({}));
        assert_eq!(says(&story.send("agent-before", &ask("4"))), "");
    }
}

#[test]
fn what_may_have_helped_starts_the_count_again() {
    let success = json!({"tool_input": {"command": "no-such-cmd-zz"}, "tool_use_id": "ok"});
    let edit = json!({
        "tool_name": "Edit",
        "tool_use_id": "edit",
        "tool_input": {"file_path": "/home/dev/project/x", "old_string": "a", "new_string": "b"},
    });
    for (name, changes, resets) in [
        ("succeeded", success, true),
        (
            "succeeded",
            json!({"tool_use_id": "look", "tool_input": {"command": "git status"}}),
            false,
        ),
        (
            "succeeded",
            json!({"tool_use_id": "act", "tool_input": {"command": "git pull"}}),
            true,
        ),
        ("succeeded", edit.clone(), true),
        ("failed", edit, false),
        ("prompt", json!({}), true),
        ("prompt", json!({"source": "loop_wakeup"}), false),
        ("task-notification", json!({}), false),
        ("stopped", json!({}), false),
    ] {
        for agent in [json!({}), json!({"agent_id": "a1", "agent_type": "x"})] {
            let mut story = Story::new("2.1.332");
            let mut changes = changes.clone();
            if name == "succeeded" {
                changes["agent_id"] = agent["agent_id"].clone();
            }
            let session = event("2.1.332", "before", &json!({}))["session_id"].clone();
            changes["session_id"] = session;
            story.fail(&agent);
            story.fail(&agent);
            assert_eq!(story.ask(&agent), "deny");
            story.send(name, &changes.clone());
            let want = if resets { "" } else { "deny" };
            assert_eq!(story.ask(&agent), want, "{name} {changes} {agent}");
        }
    }
}

#[test]
fn after_a_quarter_of_an_hour_the_first_failure_is_forgotten() {
    let mut story = Story::new("2.1.332");
    let runner = json!({"agent_id": "a1", "agent_type": "desk-runner"});
    story.fail(&runner);
    story.fail(&runner);
    story.seconds += 897;
    assert_eq!(story.ask(&runner), "deny");
    assert_eq!(story.ask(&runner), "");
}

#[test]
fn other_errors_and_stopped_commands_are_let_pass() {
    let mut story = Story::new("2.1.332");
    for error in ["Exit code 1\na", "Exit code 1\nb", "Exit code 2\nb"] {
        assert_eq!(story.fail(&json!({"error": error})), ["", ""]);
    }
    for turn in 0..4 {
        let changes = json!({"tool_use_id": turn.to_string()});
        assert_eq!(story.send("timed-out", &changes), Value::Null);
    }
}

fn state(ctx: &TestContext) -> PathBuf {
    ctx.home.join(".local/state/lean-computer-use")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    walkdir::WalkDir::new(folder)
        .into_iter()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .collect()
}

/// Each run of 16 hex digits as `#`.
fn without_hex(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        if digits == 16 {
            out.push('#');
            rest = &rest[16..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}
