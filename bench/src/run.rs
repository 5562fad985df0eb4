//! Runs a program once and says what it took.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use wait4::Wait4;
use walkdir::WalkDir;

/// What one run took, and its answer.
pub struct Run {
    pub wall: Duration,
    /// Of all cores, in the program and in the system.
    pub cpu: Duration,
    /// The most memory it held, in bytes.
    pub memory: u64,
    pub out: Vec<u8>,
}

/// Runs it to its end. A program that fails is an error.
pub fn once(command: &mut Command) -> Result<Run> {
    let name = format!("{command:?}");
    let start = Instant::now();
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command
        .spawn()
        .with_context(|| format!("could not start {name}"))?;
    let mut out = Vec::new();
    child
        .stdout
        .take()
        .context("a piped stdout is there")?
        .read_to_end(&mut out)?;
    let end = child.wait4()?;
    let wall = start.elapsed();
    ensure!(end.status.success(), "{name} ended with {}", end.status);
    Ok(Run {
        wall,
        cpu: end.rusage.utime + end.rusage.stime,
        memory: end.rusage.maxrss,
        out,
    })
}

/// Makes the system forget the files below a folder, as after a restart. Only Linux can.
pub fn forget(folder: &Path) -> Result<()> {
    each(folder, |file| {
        #[cfg(target_os = "linux")]
        rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed)?;
        Ok(())
    })
}

/// Makes the system know all files below a folder.
pub fn recall(folder: &Path) -> Result<()> {
    each(folder, |mut file| {
        io::copy(&mut file, &mut io::sink())?;
        Ok(())
    })
}

fn each(folder: &Path, what: impl Fn(&File) -> Result<()>) -> Result<()> {
    for entry in WalkDir::new(folder) {
        let entry = entry?;
        if entry.file_type().is_file() {
            what(&File::open(entry.path())?)?;
        }
    }
    Ok(())
}
