//! The steps of `try`: each runs a part of the loop and says in a line or two what was seen.

use anyhow::{Context, Result, bail, ensure};
use fs_err as fs;
use serde_json::{Value, json};

use super::scratch::{SESSION, Scratch, write};
use crate::assets::ASSETS;
use crate::escape::quoted;

type Step = fn(&Scratch) -> Result<String>;

/// The steps in order; `real` chooses the desk step that uses the real driver.
pub fn all(real: bool) -> Vec<(&'static str, Step)> {
    vec![
        ("install", install),
        ("verify", verify),
        ("retry guard", retry_guard),
        ("desk packet", if real { desk_real } else { desk_simulated }),
        ("meter", meter),
        ("token meter", token_meter),
        ("uninstall", uninstall),
    ]
}

fn install(scratch: &Scratch) -> Result<String> {
    scratch.run(&["install", "--allow"])
}

fn verify(scratch: &Scratch) -> Result<String> {
    scratch.run(&["verify"])
}

/// One command fails twice in the same way; the installed launcher is asked before each try.
fn retry_guard(scratch: &Scratch) -> Result<String> {
    let call = |event: &str, id: usize, rest: Value| {
        let mut payload = json!({
            "session_id": SESSION,
            "cwd": scratch.project,
            "hook_event_name": event,
            "tool_name": "Bash",
            "tool_input": {"command": "make test"},
            "tool_use_id": format!("try-{id}"),
        });
        if let (Some(payload), Value::Object(rest)) = (payload.as_object_mut(), rest) {
            payload.extend(rest);
        }
        fire(scratch, event, "retry-guard", &payload)
    };
    for attempt in 1..=3 {
        let answer = call("PreToolUse", attempt, json!({}))?;
        if attempt == 3 {
            return refusal(&answer);
        }
        ensure!(answer.is_empty(), "try {attempt} was answered: {answer}");
        let error = "Exit code 2\nmake: *** No rule to make target 'test'.  Stop.";
        call(
            "PostToolUseFailure",
            attempt,
            json!({"error": error, "is_interrupt": false}),
        )?;
    }
    bail!("the third try was not asked for")
}

fn refusal(answer: &str) -> Result<String> {
    let answer: Value = serde_json::from_str(answer)
        .with_context(|| format!("the third identical failure was not refused: {answer:?}"))?;
    let output = &answer["hookSpecificOutput"];
    ensure!(
        output["permissionDecision"] == "deny",
        "not a refusal: {answer}"
    );
    let reason = output["permissionDecisionReason"]
        .as_str()
        .unwrap_or_default();
    Ok(format!(
        "the same failure twice; the third try was refused:\n{reason}"
    ))
}

/// Runs the command that `settings.json` registers for this event and launcher, as Claude Code
/// would.
fn fire(scratch: &Scratch, event: &str, launcher: &str, payload: &Value) -> Result<String> {
    let settings = fs::read(scratch.project.join(".claude/settings.json"))?;
    let settings: Value = serde_json::from_slice(&settings)?;
    let groups = settings["hooks"][event].as_array().into_iter().flatten();
    let command = groups
        .flat_map(|group| group["hooks"].as_array().into_iter().flatten())
        .filter_map(|handler| handler["command"].as_str())
        .find(|command| command.contains(launcher))
        .with_context(|| format!("settings.json registers no {launcher} for {event}"))?;
    scratch.shell(&["-c", command], format!("{payload}\n").as_bytes())
}

const PACKET: &str = "click clear\nclick 1\nclick 2\nclick multiply\nclick 7\nclick result\n\
                      expect \"edit bar\": = \"84\"\n";

fn desk_simulated(scratch: &Scratch) -> Result<String> {
    let words = ["--simulated", "--evidence", "try", "simulated-calculator"];
    let line = desk_run(scratch, &words)?;
    let clean = scratch.run(&["desk-clean", "--simulated", "simulated-calculator"])?;
    Ok(format!(
        "a calculator built into this program, not a real app:\n{line}{clean}"
    ))
}

/// A calculator that is started for this step and ended after it.
fn desk_real(scratch: &Scratch) -> Result<String> {
    let app = if cfg!(target_os = "linux") {
        "mate-calc"
    } else {
        bail!("try --real knows the buttons of mate-calc only, on Linux")
    };
    let calculator = scratch.start(app)?;
    wait_for_window(scratch, app)?;
    let line = desk_run(scratch, &["--evidence", "try", app])?;
    let clean = scratch.run(&["desk-clean", app])?;
    drop(calculator);
    Ok(format!("{app} through cua-driver:\n{line}{clean}"))
}

/// An app shows its window and its controls a moment after it was started.
fn wait_for_window(scratch: &Scratch, app: &str) -> Result<()> {
    let mut read = scratch.run(&["desk-read", app]);
    for _ in 0..20 {
        if read.is_ok() {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(250));
        read = scratch.run(&["desk-read", app]);
    }
    read.map(drop)
}

/// The packet 12 × 7, through the installed launcher; the evidence file must hold the result.
fn desk_run(scratch: &Scratch, words: &[&str]) -> Result<String> {
    let launcher = ".claude/lean-computer-use/desk/desk-run";
    let line = scratch.shell(&[&[launcher], words].concat(), PACKET.as_bytes())?;
    let evidence = ".claude/lean-computer-use/local/evidence/try.json";
    let read = fs::read_to_string(scratch.project.join(evidence))?;
    ensure!(read.contains("84"), "{evidence} does not hold the result");
    Ok(line)
}

/// A sample session whose lines repeat one message's usage, as real transcripts do.
fn meter(scratch: &Scratch) -> Result<String> {
    let folder = scratch.claude.join("projects/-try");
    fs::create_dir_all(&folder)?;
    let sample = ASSETS
        .get_file("try/transcript.jsonl")
        .context("the sample is embedded")?;
    write(&folder.join(format!("{SESSION}.jsonl")), sample.contents())?;
    let text = scratch.run(&["meter", "--json"])?;
    let total = &serde_json::from_str::<Value>(&text)?["total"];
    let lines = sample
        .contents()
        .split(|b| *b == b'\n')
        .filter(|line| !line.is_empty())
        .count();
    for (field, want) in [
        ("messages", 2),
        ("input", 15),
        ("output", 61),
        ("cache_read", 3000),
    ] {
        ensure!(
            total[field] == want,
            "{field} is {}, not {want}",
            total[field]
        );
    }
    Ok(format!(
        "{lines} lines that repeat themselves: {} messages, {} in, {} out, {} read from the cache",
        total["messages"], total["input"], total["output"], total["cache_read"]
    ))
}

fn token_meter(scratch: &Scratch) -> Result<String> {
    let transcript = scratch
        .claude
        .join(format!("projects/-try/{SESSION}.jsonl"));
    let payload = json!({
        "session_id": SESSION,
        "transcript_path": transcript,
        "cwd": scratch.project,
        "hook_event_name": "Stop",
        "stop_hook_active": false,
    });
    fire(scratch, "Stop", "token-meter", &payload)?;
    let rows = fs::read_to_string(scratch.state.join("lean-computer-use/usage.jsonl"))?;
    let row: Value = serde_json::from_str(rows.trim())?;
    let models = row["models"]
        .as_object()
        .context("the row names no models")?;
    let names: Vec<_> = models.keys().map(|name| quoted(name)).collect();
    Ok(format!(
        "the Stop hook added a row for {}",
        names.join(", ")
    ))
}

fn uninstall(scratch: &Scratch) -> Result<String> {
    scratch.run(&["uninstall"])
}
