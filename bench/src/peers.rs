//! The other meters: how to install them, how to ask them, and where their totals stand.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// A meter that can be run.
pub struct Peer {
    pub name: String,
    pub program: PathBuf,
    words: Words,
    totals: Totals,
}

type Words = &'static [&'static str];

/// Rows or totals in an answer, and the names of input and output tokens in them.
type Totals = (&'static str, &'static str, &'static str);

impl Peer {
    /// Asks about the transcripts in `home`.
    pub fn command(&self, home: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(self.words)
            .env_clear()
            .env("HOME", home)
            .env("TZ", "UTC");
        command.env("PATH", "/usr/bin:/bin");
        command
    }

    /// Input and output tokens of an answer.
    pub fn totals(&self, out: &[u8]) -> Result<(u64, u64)> {
        let (at, input, output) = self.totals;
        let answer: Value = serde_json::from_slice(out).context("its answer is no JSON")?;
        let found = answer
            .pointer(at)
            .with_context(|| format!("no {at} in its answer"))?;
        let rows = found
            .as_array()
            .map_or(std::slice::from_ref(found), Vec::as_slice);
        let sum = |name: &str| rows.iter().filter_map(|row| row[name].as_u64()).sum();
        Ok((sum(input), sum(output)))
    }
}

/// Installs every peer into a folder, unless it is there. Those that cannot be installed come back
/// with the reason.
pub fn install(folder: &Path) -> Vec<Result<Peer, (String, String)>> {
    type Install = fn(&Path) -> Result<PathBuf>;
    let all: [(&str, Install, Words, Totals); 5] = [
        (
            "aiburn 0.4.5",
            aiburn,
            &["daily", "--claude", "--json"],
            ("/groups", "input", "output"),
        ),
        (
            "ccost 0.6.1",
            |at| cargo(at, "ccost", "0.6.1"),
            CCOST,
            ("/totals", "inputTokens", "outputTokens"),
        ),
        (
            "ccstat 0.6.2",
            |at| cargo(at, "ccstat", "0.6.2"),
            &["daily", "--json"],
            ("/totals/tokens", "input_tokens", "output_tokens"),
        ),
        (
            "ccusage 20.0.24 daily",
            ccusage,
            &["claude", "daily", "--json", "-O"],
            ("/totals", "inputTokens", "outputTokens"),
        ),
        (
            "ccusage 20.0.24 session",
            ccusage,
            &["claude", "session", "--json", "-O"],
            ("/totals", "inputTokens", "outputTokens"),
        ),
    ];
    let peers = all.into_iter().map(|(name, install, words, totals)| {
        let program = install(folder).map_err(|error| (name.to_owned(), format!("{error:#}")))?;
        Ok(Peer {
            name: name.to_owned(),
            program,
            words,
            totals,
        })
    });
    peers.collect()
}

/// It writes a file and prints what it did.
const CCOST: &[&str] = &["--output", "json", "--filename", "/dev/stdout"];

fn aiburn(folder: &Path) -> Result<PathBuf> {
    let venv = folder.join("aiburn");
    let program = venv.join("bin/aiburn");
    if !program.exists() {
        call(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        call(Command::new(venv.join("bin/pip")).args(["install", "--quiet", "aiburn==0.4.5"]))?;
    }
    Ok(program)
}

fn cargo(folder: &Path, name: &str, version: &str) -> Result<PathBuf> {
    let program = folder.join("cargo/bin").join(name);
    if !program.exists() {
        let root = folder.join("cargo");
        call(
            Command::new("cargo")
                .args(["install", "--locked", "--root"])
                .arg(root)
                .arg(format!("{name}@{version}")),
        )?;
    }
    Ok(program)
}

fn ccusage(folder: &Path) -> Result<PathBuf> {
    let modules = folder.join("npm");
    let program = modules.join("node_modules/@ccusage/ccusage-linux-x64/bin/ccusage");
    if !program.exists() {
        let package = "@ccusage/ccusage-linux-x64@20.0.24";
        call(
            Command::new("npm")
                .args(["install", "--silent", "--prefix"])
                .arg(&modules)
                .arg(package),
        )?;
    }
    call(Command::new("chmod").arg("+x").arg(&program))?;
    Ok(program)
}

fn call(command: &mut Command) -> Result<()> {
    eprintln!("{command:?}");
    let output = command
        .output()
        .with_context(|| format!("could not start {command:?}"))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        bail!(
            "{command:?}: {}",
            why.lines().last().unwrap_or("no reason given")
        );
    }
    Ok(())
}
