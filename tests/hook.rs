//! The hooks as Claude Code calls them: recorded events on standard input, answers on standard
//! output, and never another exit code than 0.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::context::{NOW_MS, TestContext, listing};
use crate::observe::{Observed, Run};

mod hostile;
mod oracle;
mod own_trouble;
mod token_meter;
#[cfg(unix)]
mod wiring;

const VERSIONS: [&str; 2] = ["2.1.197", "2.1.332"];

/// A recorded event with some fields replaced; null removes a field.
fn event(version: &str, name: &str, changes: &Value) -> Value {
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

fn says(answer: &Value) -> &'static str {
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
             a file edit, a new user prompt or 106 s from now. Otherwise stop and report the failure."
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

#[test]
fn nothing_that_anybody_wrote_is_on_disk_and_the_session_leaves_nothing() {
    let mut story = Story::new("2.1.332");
    for agent in [Value::Null, json!("zebra-agent")] {
        for _ in 0..3 {
            let mut changes = command("zebra command");
            changes["error"] = json!("Exit code 7\nzebra error");
            changes["cwd"] = json!("/home/dev/zebra");
            changes["session_id"] = json!("zebra-session");
            changes["agent_id"] = agent.clone();
            story.fail(&changes);
        }
    }
    let prompt = json!({"prompt": "zebra prompt", "session_id": "zebra-session"});
    story.send("prompt", &prompt);
    let state = state(&story.ctx);
    let all = files(&state);
    assert_eq!(all.len(), 14, "{all:?}");
    for file in all {
        let bytes = fs::read(&file).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("zebra"), "{}", file.display());
        assert!(text.lines().all(|line| line.len() <= 200));
    }
    #[cfg(unix)]
    {
        let mut names: Vec<_> = without_hex(&listing(&state))
            .lines()
            .map(str::to_owned)
            .collect();
        names.dedup();
        assert_eq!(
            names.join("\n"),
            "0700 guard/\n0600 guard/.lcu-guard\n0700 guard/#/\n0600 guard/#/a-#.log\n\
             0600 guard/#/key\n0600 guard/#/log\n0700 guard/#/seen/\n0600 guard/#/seen/#"
        );
    }
    story.send("session-ended", &json!({"session_id": "zebra-session"}));
    assert_eq!(files(&state), [state.join("guard/.lcu-guard")]);
}

#[cfg(unix)]
#[test]
fn what_old_sessions_left_is_forgotten_and_only_that() {
    use std::time::{Duration, UNIX_EPOCH};
    let mut story = Story::new("2.1.332");
    story.fail(&json!({"session_id": "old"}));
    story.fail(&json!({"session_id": "young"}));
    let guard = state(&story.ctx).join("guard");
    for name in ["0123456789abcdef", "not-a-session"] {
        fs::create_dir(guard.join(name)).unwrap();
    }
    let age = |days: u64| {
        let now = UNIX_EPOCH + Duration::from_millis(NOW_MS.unsigned_abs());
        for entry in walkdir::WalkDir::new(&guard).contents_first(true) {
            let file = fs::File::open(entry.unwrap().path()).unwrap();
            file.set_modified(now - Duration::from_hours(days * 24))
                .unwrap();
        }
    };
    let left = || fs::read_dir(&guard).unwrap().count();
    age(6);
    story.send("session-ended", &json!({"session_id": "none"}));
    assert_eq!(left(), 5);
    age(8);
    story.fail(&json!({"session_id": "young"}));
    let log = files(&guard)
        .into_iter()
        .filter(|path| path.ends_with("log"));
    let young = log
        .max_by_key(|path| fs::metadata(path).unwrap().len())
        .unwrap();
    let now = UNIX_EPOCH + Duration::from_millis(NOW_MS.unsigned_abs());
    fs::File::open(&young).unwrap().set_modified(now).unwrap();
    story.send("session-ended", &json!({"session_id": "none"}));
    let mut names: Vec<_> = fs::read_dir(&guard)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let young = young
        .parent()
        .unwrap()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap();
    let mut want = [".lcu-guard", young, "not-a-session"];
    want.sort_unstable();
    assert_eq!(names, want);
}

#[test]
fn a_full_log_is_put_aside() {
    let mut story = Story::new("2.1.332");
    story.fail(&json!({}));
    let log = |ctx: &TestContext| {
        let mut all = files(&state(ctx)).into_iter();
        all.find(|path| path.ends_with("log")).unwrap()
    };
    let path = log(&story.ctx);
    fs::write(&path, vec![b'\n'; (1 << 20) + 1]).unwrap();
    story.fail(&json!({}));
    assert!(fs::metadata(log(&story.ctx)).unwrap().len() < 1000);
    assert!(path.with_extension("old").exists());
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

#[test]
fn hooks_that_run_at_once_lose_no_record_and_share_one_key() {
    let ctx = TestContext::new();
    let fail_all = |turn: &str| -> Vec<&'static str> {
        let started: Vec<_> = (0..32)
            .map(|at| {
                let mut changes = command(&format!("command {at}"));
                changes["tool_use_id"] = json!(format!("{turn}-{at}"));
                guard(&ctx, &event("2.1.332", "failed", &changes)).start()
            })
            .collect();
        let seen = started.into_iter().map(|run| run.observe().expect(0));
        let answers = seen.map(|seen: Observed| {
            let json = serde_json::from_str(&seen.stdout).unwrap_or(Value::Null);
            says(&json)
        });
        answers.collect()
    };
    assert_eq!(fail_all("first"), [""; 32]);
    assert_eq!(fail_all("second"), ["nudge"; 32]);
    let log = files(&state(&ctx));
    let log = log.iter().find(|path| path.ends_with("log")).unwrap();
    let lines = fs::read_to_string(log).unwrap();
    let kinds = lines.lines().map(|line| {
        let record: Value = serde_json::from_str(line).unwrap();
        record["e"].as_str().unwrap().to_owned()
    });
    let kinds: Vec<_> = kinds.collect();
    let count = |kind: &str| kinds.iter().filter(|k| *k == kind).count();
    assert_eq!((count("f"), count("n"), kinds.len()), (64, 32, 96));
}
