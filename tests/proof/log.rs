//! What tests saw, as a file of one run of `cargo test`: written by `observe()`, read by the proof.
//! A run is known by its cargo process (id and start time), so what another run left proves
//! nothing.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Names the log's path for a suite that the proof starts itself.
pub const VARIABLE: &str = "LEAN_COMPUTER_USE_PROOF_LOG";

/// One line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// The binary that the tests are in.
    Suite(PathBuf),
    /// A test saw a process end.
    Saw(Seen),
    /// A test that saw something has ended.
    Ended { test: String, passed: bool },
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    pub test: String,
    pub command: String,
    /// 128 + n for a death by signal n, as a shell reports it.
    pub code: i32,
    /// Whether it was one.
    pub signal: bool,
}

/// The log of this run; none when the run cannot be told from others.
pub fn current() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os(VARIABLE) {
        return Some(path.into());
    }
    Some(folder().join(format!("{}.jsonl", cargo()?)))
}

/// Where the logs are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("observations")
}

/// The cargo process that started this one, as `id-start`. Another parent can start tests again
/// and again, so it names no run.
#[cfg(target_os = "linux")]
fn cargo() -> Option<String> {
    let id = std::os::unix::process::parent_id();
    let line = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (name, fields) = line.rsplit_once(')')?;
    let start = fields.split_whitespace().nth(19)?;
    name.ends_with("(cargo").then(|| format!("{id}-{start}"))
}

#[cfg(not(target_os = "linux"))]
fn cargo() -> Option<String> {
    None
}
