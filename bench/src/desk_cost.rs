//! What `desk` costs on top of the driver: one click through it beside the same click by the driver
//! itself, in turns, on one window; how many driver processes a warm command takes; and the tokens
//! of its receipts. Every single run is written down.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::desktop::{Desktop, until};

const APP: &str = "mate-calc";

/// A driver that notes each of its processes before it becomes the real one.
const COUNTED: &str = "#!/bin/sh\necho x >>\"$0.calls\"\nexec DRIVER \"$@\"\n";

/// Ten steps, one of which reads.
const TEN: &str = "click clear\nclick 1\nclick 2\nclick multiply\nclick 7\nclick result\nexpect \"edit bar\": = 84\nclick clear\nclick 9\nread \"edit bar\":\n";

/// Prints the rows; `rounds` pairs of clicks.
pub fn run(desktop: &Desktop, tool: &Path, folder: &Path, rounds: usize) -> Result<()> {
    let mut app = desktop.command(APP).spawn()?;
    let measured = measure(desktop, tool, folder, rounds);
    app.kill()?;
    app.wait()?;
    measured
}

fn measure(desktop: &Desktop, tool: &Path, folder: &Path, rounds: usize) -> Result<()> {
    let tool = tool.display().to_string();
    let desk = |words: &[&str]| desktop.output(&[&[tool.as_str()], words].concat());
    until("the app", || desk(&["desk-read", APP]).contains("edit bar"))?;
    desk(&["desk-read", APP, "--full"]);
    let (arguments, token) = click(desktop)?;
    let tokened = json!({ "element_token": token }).to_string();
    let (mut ours, mut native) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        native.push(timed(|| super::desk::call(desktop, "click", &arguments))?);
        ours.push(timed(|| Ok(desk(&["desk", APP, "click", &tokened])))?);
    }
    let rows = json!({"click ms": {"native": &native, "desk": &ours}});
    fs::write(folder.join("desk-cost.json"), rows.to_string())?;
    let over = ours.iter().zip(&native).map(|(ours, native)| ours - native);
    let mut table = String::new();
    writeln!(
        table,
        "click, p50 of {rounds}: driver {:.1} ms, desk {:.1} ms, desk over driver in pairs {:.1} ms",
        median(native.clone()),
        median(ours.clone()),
        median(over.collect())
    )?;
    for (name, words) in [
        ("click", vec!["desk", APP, "click", &tokened]),
        ("read", vec!["desk-read", APP]),
        ("a text", vec!["desk-run", APP, "set \"edit bar\": = 12"]),
    ] {
        let calls = driver_processes(desktop, &tool, folder, &words)?;
        writeln!(table, "driver processes of a warm {name}: {calls}")?;
    }
    // The read ended the token's life.
    desk(&["desk-read", APP, "--full"]);
    let (_, token) = click(desktop)?;
    let tokened = json!({ "element_token": token }).to_string();
    let receipt = desk(&["desk", APP, "click", &tokened]);
    let packet = fed(desktop, &[&tool, "desk-run", APP], TEN)?;
    ensure!(
        packet.contains("\"9\""),
        "the packet did not compute: {packet}"
    );
    let tokens = |text: &str| bpe_openai::o200k_base().count(text);
    writeln!(table, "tokens of a click's receipt: {}", tokens(&receipt))?;
    writeln!(
        table,
        "tokens of ten steps with a read: {}",
        tokens(&packet)
    )?;
    print!("{table}");
    Ok(())
}

/// The same click for both: by the session and a token of the newest read of `desk`.
fn click(desktop: &Desktop) -> Result<(Value, Value)> {
    let state = desktop
        .folder()
        .join("home/.local/state/lean-computer-use/desk");
    let mut runs = fs::read_dir(&state)?.filter_map(|entry| Some(entry.ok()?.path()));
    let run = runs.find(|path| path.join("run.json").is_file());
    let run = run.context("desk has a run")?;
    let kept: Value = serde_json::from_slice(&fs::read(run.join("run.json"))?)?;
    let name = kept["shown"].as_str().context("a read was shown")?;
    let read: Value = serde_json::from_slice(&fs::read(run.join(name))?)?;
    let elements = read["elements"].as_array().context("it has elements")?;
    let clear = elements.iter().find(|it| it["label"] == "clear");
    let token = clear.context("the app has the button")?["element_token"].clone();
    let arguments = json!({
        "pid": kept["window"]["pid"],
        "window_id": kept["window"]["id"],
        "session": kept["label"],
        "element_token": token,
    });
    Ok((arguments, token))
}

fn driver_processes(desktop: &Desktop, tool: &str, folder: &Path, words: &[&str]) -> Result<usize> {
    let counted = folder.join("counted-driver");
    let driver = desktop.driver.display().to_string();
    fs::write(&counted, COUNTED.replace("DRIVER", &driver))?;
    private(&counted)?;
    let log = folder.join("counted-driver.calls");
    let mut lines = 0;
    // What is asked once of a new driver is not asked again.
    for _ in 0..2 {
        let _ = fs::remove_file(&log);
        let mut command = desktop.command(tool);
        command.args(words).env("CUA_DRIVER_BIN", &counted);
        command.output()?;
        lines = fs::read_to_string(&log)?.lines().count();
    }
    Ok(lines)
}

fn private(file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(
        file,
        fs::Permissions::from_mode(0o700),
    )?)
}

fn fed(desktop: &Desktop, words: &[&str], stdin: &str) -> Result<String> {
    let mut command = desktop.command(words[0]);
    command.args(&words[1..]).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut pipe = child.stdin.take().context("a piped stdin is there")?;
    pipe.write_all(stdin.as_bytes())?;
    drop(pipe);
    Ok(String::from_utf8(child.wait_with_output()?.stdout)?)
}

/// In milliseconds.
fn timed(call: impl FnOnce() -> Result<String>) -> Result<f64> {
    let start = Instant::now();
    let said = call()?;
    let took: Duration = start.elapsed();
    ensure!(!said.contains("refused"), "the click was refused: {said}");
    Ok(took.as_secs_f64() * 1000.0)
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}
