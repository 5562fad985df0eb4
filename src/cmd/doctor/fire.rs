//! Runs a registered hook as Claude Code would: `sh -c`, the event on standard input, a bare PATH.
//! Its state is a temp folder, so nothing is counted.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

/// Where a hook runs.
#[derive(Debug)]
pub struct Ground<'a> {
    /// `CLAUDE_PROJECT_DIR`.
    pub project: &'a Path,
    /// `HOME`.
    pub home: &'a Path,
    /// `XDG_STATE_HOME`.
    pub state: &'a Path,
}

/// What came out.
#[derive(Debug, PartialEq, Eq)]
pub struct Shot {
    /// The exit code; none for a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
}

impl Shot {
    /// Ended with 0 and said nothing.
    pub fn silent(&self) -> bool {
        self.code == Some(0) && self.out.is_empty()
    }
}

/// A shell with a bare PATH and nothing else of the environment.
pub fn shell(line: &str, ground: &Ground<'_>) -> Command {
    #[expect(
        clippy::disallowed_methods,
        reason = "doctor really fires what is installed"
    )]
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", line])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", ground.home)
        .env("XDG_STATE_HOME", ground.state)
        .env("CLAUDE_PROJECT_DIR", ground.project)
        .current_dir(ground.project)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// Fires `command` with this event.
pub fn fire(command: &str, ground: &Ground<'_>, event: &serde_json::Value) -> Result<Shot> {
    let mut child = shell(command, ground)
        .spawn()
        .context("could not start /bin/sh")?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that is gone does not read.
        let _ = stdin.write_all(format!("{event}\n").as_bytes());
    }
    let output = child.wait_with_output()?;
    Ok(Shot {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
    })
}
