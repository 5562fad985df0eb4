//! The guard's answers are those of its executable model: 52 scenarios and random stories whose
//! answers the model gave, event by event. With `LCU_TEST_GUARD_ORACLE` (the model's path) new
//! random stories too.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lean_computer_use::hook::limits::Limits;
use lean_computer_use::hook::{Verdict, event, retry_guard};
use serde_json::Value;

use super::answer;
use crate::context::TestContext;

fn data(name: &str) -> PathBuf {
    let guard = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/guard");
    guard.join(name)
}

/// Calls `play` with each event's time in milliseconds, its text and how its story begins; the
/// answer must be the recorded one. A new story is told with no text.
#[track_caller]
fn replay(stories: &str, mut play: impl FnMut(i64, Option<&str>) -> String) -> usize {
    let (mut story, mut events) = (String::new(), 0);
    for line in stories.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        if let Some(name) = line["story"].as_str() {
            name.clone_into(&mut story);
            play(0, None);
            continue;
        }
        let got = play(
            line["t"].as_i64().unwrap() * 1000,
            Some(&line["event"].to_string()),
        );
        assert_eq!(got, line["answer"], "story {story:?}: {line}");
        events += 1;
    }
    events
}

/// The same within this process.
#[track_caller]
fn replay_here(stories: &str) -> usize {
    let mut state = tempfile::tempdir().unwrap();
    replay(stories, |now, text| {
        let Some(text) = text else {
            state = tempfile::tempdir().unwrap();
            return String::new();
        };
        let event = event::parse(text.as_bytes()).unwrap();
        let folder = state.path().join("state");
        let verdict = retry_guard::run(&event, &folder, Limits::default(), now).unwrap();
        match verdict {
            Verdict::Silent | Verdict::Say(_) => "",
            Verdict::Deny(_) => "deny",
            Verdict::Nudge(text) => nudge(&text),
        }
        .to_owned()
    })
}

fn nudge(text: &str) -> &'static str {
    if text.contains("on a fresh token") {
        "nudge-family"
    } else {
        "nudge"
    }
}

#[test]
fn scenarios_are_answered_event_by_event() {
    let stories = fs::read_to_string(data("scenarios.jsonl")).unwrap();
    let mut ctx = TestContext::new();
    let events = replay(&stories, |now, text| {
        let Some(text) = text else {
            ctx = TestContext::new();
            return String::new();
        };
        let run = ctx.run(&["hook", "retry-guard"]).stdin(text);
        let answer = answer(run.env("LEAN_COMPUTER_USE_CLOCK_MS", now.to_string()));
        let specific = &answer["hookSpecificOutput"];
        match specific["additionalContext"].as_str() {
            Some(text) => nudge(text).to_owned(),
            None => specific["permissionDecision"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        }
    });
    assert!(events > 150, "{events} events");
}

#[test]
fn random_stories_are_answered_as_by_the_model() {
    let events = replay_here(&fs::read_to_string(data("random.jsonl")).unwrap());
    assert!(events > 1000, "{events} events");
    let Some(model) = std::env::var_os("LCU_TEST_GUARD_ORACLE") else {
        return;
    };
    let seed = format!("{:?}", std::time::SystemTime::now());
    let output = Command::new("python3")
        .arg("-B")
        .arg(data("oracle.py"))
        .arg(model)
        .args([&seed, "300"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the model failed: {said}");
    let events = replay_here(&String::from_utf8(output.stdout).unwrap());
    assert!(events > 5000, "{events} events");
}
