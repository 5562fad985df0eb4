//! A calculator that answers like the real driver, for trying the whole loop where no desktop is.
//! It is a driver like any other: tools and arguments in, answers in the shapes of cua-driver 0.37
//! out. Its display lies in a file of the run, so that several commands see the same one.

mod ending;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::driver::{Answer, Driver, End, Started};
use super::request::Window;
use super::state;
use crate::files;

use ending::Ending;

/// The file's name in the run's folder.
pub const FILE: &str = "sim.json";

const NAME: &str = "simulated-calculator";
const PID: i64 = 4_194_305;
const WINDOW: i64 = 1;
const BUTTONS: &[&str] = &[
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "add", "subtract", "multiply", "result",
    "clear",
];

/// The calculator.
pub struct Simulated {
    file: PathBuf,
    app: String,
    ending: Option<Ending>,
}

#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Memory {
    display: String,
    closed: bool,
    snapshot: u32,
    session: String,
}

/// A no, as code and sentence.
type No = (&'static str, String);

impl Simulated {
    /// A calculator whose display lies in this file; a missing one is an empty display. Some names
    /// of `app` make it end badly on purpose.
    #[must_use]
    pub fn new(file: PathBuf, app: &str) -> Self {
        let ending = Ending::of(app);
        let app = if ending.is_some() { app } else { NAME };
        Self {
            file,
            app: app.to_owned(),
            ending,
        }
    }

    fn answer(&self, tool: &str, arguments: &Value, memory: &mut Memory) -> Result<Value, No> {
        let session = arguments.get("session").and_then(Value::as_str);
        match tool {
            "list_apps" => Ok(json!({"apps": [app(&self.app, !memory.closed)]})),
            "list_windows" if memory.closed => Ok(json!({"windows": []})),
            "list_windows" => Ok(json!({"windows": [window()]})),
            "launch_app" => {
                memory.closed = false;
                Ok(json!({"name": NAME, "pid": PID, "running": true, "windows": [window()]}))
            }
            "get_window_state" => {
                memory.snapshot += 1;
                session.unwrap_or_default().clone_into(&mut memory.session);
                Ok(memory.state())
            }
            "click" => {
                let row = memory.row(arguments)?;
                let button = BUTTONS.get(row).ok_or_else(|| no("not_clickable"))?;
                if self.ending == Some(Ending::Deaf) {
                    return Ok(json!({"effect": "suspected_noop", "route": "simulated"}));
                }
                memory.press(button);
                Ok(json!({"effect": "unverifiable", "route": "simulated"}))
            }
            "set_value" => {
                if memory.row(arguments)? != BUTTONS.len() {
                    return Err(no("set_value_unavailable"));
                }
                let value = arguments.get("value").and_then(Value::as_str);
                value.unwrap_or_default().clone_into(&mut memory.display);
                if self.ending == Some(Ending::Cut) {
                    memory.display.pop();
                }
                Ok(json!({"effect": "confirmed", "evidence": [{"kind": "value_readback"}]}))
            }
            "run_steps" => Ok(self.steps(arguments, memory)),
            "end_session" => {
                memory.session.clear();
                Ok(json!({"active": false, "session": session}))
            }
            _ => Err(no("background_unavailable")),
        }
    }

    /// Several actions, until one fails; then a read.
    fn steps(&self, arguments: &Value, memory: &mut Memory) -> Value {
        let steps = arguments.get("steps").and_then(Value::as_array);
        let mut reports = Vec::new();
        let mut failed = None;
        for (index, step) in steps.into_iter().flatten().enumerate() {
            let tool = step.get("tool").and_then(Value::as_str).unwrap_or_default();
            let mut own = step.get("args").cloned().unwrap_or_default();
            own["session"] = json!(memory.session);
            match self.answer(tool, &own, memory) {
                Ok(done) => reports.push(
                    json!({"index": index, "tool": tool, "ok": true, "effect": done["effect"]}),
                ),
                Err((code, message)) => {
                    reports.push(json!({"index": index, "tool": tool, "ok": false, "code": code, "message": message}));
                    failed = Some(index);
                    break;
                }
            }
        }
        memory.snapshot += 1;
        let observation = json!({"ok": true, "state": memory.state()});
        json!({"executed": reports.len(), "failed_step": failed, "ok": failed.is_none(), "steps": reports, "observation": observation})
    }

    fn memory(&self) -> Result<Memory> {
        let bytes = files::read_if_present(&self.file)?;
        let memory = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Ok(memory.unwrap_or_default())
    }

    fn keep(&self, memory: &Memory) -> Result<()> {
        files::replace(&self.file, &serde_json::to_vec(memory)?, state::PRIVATE)
    }
}

fn no(code: &'static str) -> No {
    (code, "not in the simulated calculator".to_owned())
}

fn app(name: &str, running: bool) -> Value {
    let pid = if running { PID } else { 0 };
    json!({"name": name, "bundle_id": name, "kind": "desktop", "launch_path": name, "pid": pid, "running": running})
}

fn window() -> Value {
    let bounds = json!({"x": 0, "y": 0, "width": 420, "height": 246});
    json!({"window_id": WINDOW, "pid": PID, "app_name": NAME, "title": "Calculator", "bounds": bounds, "is_on_screen": true, "z_index": 0})
}

impl Driver for Simulated {
    fn call(&mut self, tool: &str, arguments: &Value, limit: Duration) -> Result<Answer> {
        if let Some(answer) = self.ending.and_then(|ending| ending.answer(tool, limit)) {
            return Ok(answer);
        }
        let before = self.memory()?;
        let mut memory = before.clone();
        let (code, answer) = match self.answer(tool, arguments, &mut memory) {
            Ok(answer) => (0, answer),
            Err((code, message)) => {
                let refusal = json!({"code": code, "message": message});
                (1, json!({"refusal": refusal, "status": "refused"}))
            }
        };
        // An app that nobody found leaves nothing.
        if memory != before {
            self.keep(&memory)?;
        }
        Ok(Answer {
            end: End::Exited(code),
            stdout: serde_json::to_vec_pretty(&answer)?,
            stderr: Vec::new(),
        })
    }

    fn start(&mut self) -> Result<Started> {
        Ok(Started::Ready)
    }

    fn process_start(&self, pid: i64) -> Option<String> {
        let runs = !self.memory().is_ok_and(|memory| memory.closed);
        // Each run has one of its own.
        let run = self.file.parent().and_then(Path::file_name)?;
        (pid == PID && runs).then(|| format!("simulated {}", run.display()))
    }

    fn offers(&mut self, tool: &str, _: Duration) -> Result<bool> {
        Ok(tool == "run_steps")
    }

    fn stamp(&self) -> String {
        NAME.to_owned()
    }

    fn sessions(&mut self, _: Duration) -> Result<Option<Vec<String>>> {
        let session = self.memory()?.session;
        Ok(Some(
            vec![session]
                .into_iter()
                .filter(|label| !label.is_empty())
                .collect(),
        ))
    }

    fn stop(&mut self, _: Duration) -> Result<bool> {
        Ok(true)
    }

    fn close(&mut self, _: &[Window]) -> Result<()> {
        let mut memory = self.memory()?;
        memory.closed = true;
        self.keep(&memory)
    }

    fn is_simulated(&self) -> bool {
        true
    }
}

impl Memory {
    fn state(&self) -> Value {
        let token = |row: usize| format!("s{:08x}:{row}", self.snapshot);
        let frame =
            |row: usize| json!({"x": 68 * (row % 6), "y": 40 * (row / 6), "w": 68, "h": 34});
        let button = |(row, name): (usize, &&str)| json!({"element_token": token(row), "element_index": row, "role": "push button", "label": name, "actions": ["click"], "enabled": true, "frame": frame(row)});
        let mut elements: Vec<_> = BUTTONS.iter().enumerate().map(button).collect();
        let row = BUTTONS.len();
        let mut display = json!({"element_token": token(row), "element_index": row, "role": "edit bar", "enabled": true, "frame": frame(row)});
        if !self.display.is_empty() {
            display["label"] = json!(self.display);
            display["value"] = json!(self.display);
        }
        elements.push(display);
        json!({"app_name": NAME, "pid": PID, "window_id": WINDOW, "window_title": "Calculator", "snapshot_id": format!("s{:08x}", self.snapshot), "tree_format": "both", "element_count": elements.len(), "elements": elements, "tree_markdown": "- frame = \"Calculator\"\n", "truncated": false})
    }

    /// The row that a token names: only one of the newest read, in the session that read it.
    fn row(&self, arguments: &Value) -> Result<usize, No> {
        let token = arguments.get("element_token").and_then(Value::as_str);
        let (snapshot, row) = token
            .and_then(|token| token.split_once(':'))
            .unwrap_or_default();
        let session = arguments.get("session").and_then(Value::as_str);
        let is_newest = snapshot == format!("s{:08x}", self.snapshot);
        if !is_newest || session != Some(&self.session) {
            return Err(no("stale_element_token"));
        }
        row.parse().map_err(|_| no("invalid_arguments"))
    }

    fn press(&mut self, button: &str) {
        match button {
            "clear" => self.display.clear(),
            "result" => self.display = evaluated(&self.display).unwrap_or_default(),
            "add" => self.display.push('+'),
            "subtract" => self.display.push('−'),
            "multiply" => self.display.push('×'),
            digit => self.display.push_str(digit),
        }
    }
}

/// Whole numbers, left to right; none where that is no sum.
fn evaluated(sum: &str) -> Option<String> {
    let is_sign = |c: char| "+−×".contains(c);
    let mut numbers = sum.split(is_sign).map(|text| text.parse::<i64>().ok());
    let mut total = numbers.next()??;
    for (sign, number) in sum.chars().filter(|c| is_sign(*c)).zip(numbers) {
        total = match sign {
            '+' => total.checked_add(number?)?,
            '−' => total.checked_sub(number?)?,
            _ => total.checked_mul(number?)?,
        };
    }
    Some(total.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums() {
        for (sum, want) in [
            ("12×7", Some("84")),
            ("8−9+1", Some("0")),
            ("7", Some("7")),
            ("×7", None),
            ("7×", None),
            ("", None),
        ] {
            assert_eq!(evaluated(sum).as_deref(), want, "{sum}");
        }
    }
}
