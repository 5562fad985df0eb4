//! A driver that follows a script, for stories of the desk flow itself: which calls a packet makes,
//! in which order, and what it makes of the answers.

use std::collections::VecDeque;
use std::time::Duration;

use anyhow::Result;
use lean_computer_use::desk::busy::Locks;
use lean_computer_use::desk::driver::{Answer, End, Started};
use lean_computer_use::desk::perform::{Performed, overall, perform};
use lean_computer_use::desk::request::Window;
use lean_computer_use::desk::shown::Shown;
use lean_computer_use::desk::{Calls, Driver, Limits, Run, StateFolder, Stop, Target, packet};
use serde_json::{Value, json};

/// Answers in order, each for the tool that is expected then; notes what it was asked.
struct Scripted {
    batches: bool,
    answers: VecDeque<(&'static str, Value)>,
    asked: Vec<Value>,
}

impl Driver for Scripted {
    fn call(&mut self, tool: &str, arguments: &Value, _: Duration) -> Result<Answer> {
        let (expected, answer) = self.answers.pop_front().expect("one call too many");
        assert_eq!(tool, expected);
        self.asked.push(arguments.clone());
        let text = answer.as_str().unwrap_or_default();
        let (stdout, stderr) = match text {
            "" => (answer.to_string(), String::new()),
            text => (String::new(), text.to_owned()),
        };
        let end = match text {
            "" => End::Exited(0),
            "never" => End::TimedOut,
            _ => End::Exited(1),
        };
        Ok(Answer {
            end,
            stdout: stdout.into_bytes(),
            stderr: stderr.into_bytes(),
        })
    }

    fn start(&mut self) -> Result<Started> {
        Ok(Started::Ready)
    }

    fn process_start(&self, _: i64) -> Option<String> {
        Some("once".to_owned())
    }

    fn offers(&mut self, _: &str, _: Duration) -> Result<bool> {
        Ok(self.batches)
    }

    fn stamp(&self) -> String {
        String::new()
    }

    fn sessions(&mut self, _: Duration) -> Result<Option<Vec<String>>> {
        Ok(None)
    }

    fn stop(&mut self, _: Duration) -> Result<bool> {
        Ok(true)
    }

    fn close(&mut self, _: &[Window]) -> Result<()> {
        Ok(())
    }
}

/// What became of a packet: `done`, `unverified`, or the failing step.
pub struct Came {
    pub to: String,
    pub asked: Vec<Value>,
    /// What is printed besides, of a failure.
    pub words: String,
    /// A dialog stood in front at the end.
    pub dialog: bool,
}

pub fn run(steps: &[&str], answers: Vec<(&'static str, Value)>) -> Came {
    run_with(false, steps, answers)
}

/// `batches`: the driver takes several actions in one call.
pub fn run_with(batches: bool, steps: &[&str], answers: Vec<(&'static str, Value)>) -> Came {
    let temp = tempfile::tempdir().unwrap();
    let state = StateFolder::claim(&temp.path().join("state")).unwrap();
    let mut run = Run::open(&state, "s", "app").unwrap();
    let found = [
        (
            "list_apps",
            json!({"apps": [{"name": "app", "pid": 7, "running": true}]}),
        ),
        (
            "list_windows",
            json!({"windows": [{"pid": 7, "window_id": 9, "title": "t"}]}),
        ),
    ];
    let mut driver = Scripted {
        batches,
        answers: found.into_iter().chain(answers).collect(),
        asked: Vec::new(),
    };
    let limits = Limits {
        pause: Duration::ZERO,
        settle: Duration::ZERO,
        ..Limits::default()
    };
    let mut locks = Locks::of(&state, "app", limits.lock).unwrap();
    let mut calls = Calls::new(&mut driver, &mut run, &mut locks, limits);
    let steps = packet::parse(steps.iter().copied()).unwrap();
    let performed = perform(&steps, &mut Target::resolve(&mut calls, "app").unwrap());
    assert!(
        driver.answers.is_empty(),
        "{} calls too few",
        driver.answers.len()
    );
    Came {
        to: words(&performed),
        words: details(&performed),
        dialog: performed.note.is_some(),
        asked: driver.asked,
    }
}

pub fn words(performed: &Performed) -> String {
    match &performed.stop {
        None => overall(&performed.steps).word().to_owned(),
        Some((step, _, Stop::Failed(failure))) => {
            let code = failure.code.as_ref().map(|code| format!(" {code}"));
            let (status, code) = (failure.status.word(), code.unwrap_or_default());
            format!("step {step}: {status}{code}")
        }
        Some((step, _, other)) => format!("step {step}: {other:?}"),
    }
}

fn details(performed: &Performed) -> String {
    let Some((_, _, Stop::Failed(failure))) = &performed.stop else {
        return String::new();
    };
    let lines: Vec<_> = failure.detail.iter().map(Shown::as_str).collect();
    lines.join("\n")
}

/// A read with one field of this value and a button, as snapshot number `n`.
pub fn read(n: u32, value: &str) -> (&'static str, Value) {
    let token = |row: u32| format!("s{n:08x}:{row}");
    let frame = json!({"x": 1, "y": 2, "w": 3, "h": 4});
    let elements = json!([
        {"element_token": token(0), "role": "text", "label": "Name", "value": value, "frame": frame},
        {"element_token": token(1), "role": "push button", "label": "Save"},
    ]);
    (
        "get_window_state",
        json!({"pid": 7, "window_id": 9, "tree_format": "both", "elements": elements}),
    )
}

pub fn effect(tool: &'static str, word: &str) -> (&'static str, Value) {
    (tool, json!({ "effect": word }))
}

/// The app's windows, which are asked for before anything is typed, on Linux.
pub fn windows(ids: &[u32]) -> Vec<(&'static str, Value)> {
    let window = |id: &u32| json!({"pid": 7, "window_id": id});
    let all: Vec<_> = ids.iter().map(window).collect();
    let asked = cfg!(target_os = "linux");
    asked
        .then(|| ("list_windows", json!({ "windows": all })))
        .into_iter()
        .collect()
}
