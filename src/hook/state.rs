//! Where the retry guard's records live. IO.
//!
//! ```text
//! <state>/guard/                    .lcu-guard marks it as ours
//!   <16 hex of sha256(session)>/
//!     key                           32 random bytes
//!     log                           records of the main thread, and every reset
//!     a-<16 hex of sha256(agent)>.log
//! ```
//!
//! Appends need no lock: a record is one write. Prompts, commands and errors are not in it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use fs_err as fs;

use super::history::{self, Record};
use super::key::{Secret, folder_name};
use super::private;

const MARKER: &str = ".lcu-guard";

/// So much of a log is read; far more than fifteen minutes of one agent fill.
const TAIL: u64 = 64 * 1024;

/// A log that has grown so long is put aside.
const FULL: u64 = 1024 * 1024;

/// Sessions that did not end are forgotten after so long.
const STALE: Duration = Duration::from_hours(7 * 24);

/// At most so many at once.
const STALE_AT_ONCE: usize = 50;

/// The records of one session.
pub struct Session {
    folder: PathBuf,
}

impl Session {
    /// The session's records below the state folder; made when missing.
    pub fn open(state: &Path, session: &str) -> Result<Self> {
        let guard = state.join("guard");
        private::folder(state)?;
        private::folder(&guard)?;
        mark(&guard)?;
        let folder = guard.join(folder_name(session));
        private::folder(&folder)?;
        Ok(Self { folder })
    }

    /// The same, none when there are none yet.
    pub fn existing(state: &Path, session: &str) -> Result<Option<Self>> {
        let folder = state.join("guard").join(folder_name(session));
        if folder.symlink_metadata().is_err() {
            return Ok(None);
        }
        private::check(state)?;
        private::check(&state.join("guard"))?;
        private::check(&folder)?;
        Ok(Some(Self { folder }))
    }

    /// The session's secret; made when missing.
    pub fn secret(&self) -> Result<Secret> {
        let path = self.folder.join("key");
        if let Some(secret) = read_secret(&path)? {
            return Ok(secret);
        }
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).context("could not get random bytes")?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&bytes)?;
        // Whole or not at all, and never over another's: a hook beside us may be here too.
        match file.persist_noclobber(&path) {
            Ok(_) => Ok(Secret(bytes)),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                read_secret(&path)?.context("could not read the session's key")
            }
            Err(error) => Err(error.error.into()),
        }
    }

    /// What bears on an agent (none: the main thread), oldest first.
    pub fn records(&self, agent: Option<&str>) -> Result<Vec<Record>> {
        let session = history::read(&private::tail(&self.log(None), TAIL)?);
        if agent.is_none() {
            return Ok(session);
        }
        let own = history::read(&private::tail(&self.log(agent), TAIL)?);
        Ok(history::merge(session, own))
    }

    /// Adds a record: a reset to the session's log, anything else to the agent's own.
    pub fn append(&self, agent: Option<&str>, record: &Record) -> Result<()> {
        let path = self.log(if record.resets() { None } else { agent });
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        if fs::symlink_metadata(&path).is_ok_and(|log| log.len() > FULL) {
            fs::rename(&path, path.with_extension("old"))?;
        }
        private::append(&path, &line)
    }

    /// Forgets an agent that stopped.
    pub fn forget(&self, agent: &str) -> Result<()> {
        match fs::remove_file(self.log(Some(agent))) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Forgets the session, its secret with it.
    pub fn end(self) -> Result<()> {
        Ok(fs::remove_dir_all(self.folder)?)
    }

    fn log(&self, agent: Option<&str>) -> PathBuf {
        self.folder.join(match agent {
            None => "log".to_owned(),
            Some(agent) => format!("a-{}.log", folder_name(agent)),
        })
    }
}

/// Forgets sessions that nothing was written to for a week: they ended without telling.
/// `now` is milliseconds since 1970.
pub fn prune(state: &Path, now: i64) -> Result<()> {
    let guard = state.join("guard");
    if private::check(&guard).is_err() || !guard.join(MARKER).is_file() {
        return Ok(());
    }
    let now = UNIX_EPOCH + Duration::from_millis(u64::try_from(now).unwrap_or(0));
    let mut left = STALE_AT_ONCE;
    for entry in fs::read_dir(&guard)? {
        let folder = entry?.path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let ours = name.len() == 16 && name.bytes().all(|b| b.is_ascii_hexdigit());
        let newest = [folder.join("log"), folder.clone()]
            .iter()
            .filter_map(|path| path.symlink_metadata().ok()?.modified().ok())
            .max();
        let forgotten = newest
            .and_then(|at| now.duration_since(at).ok())
            .is_some_and(|age| age > STALE);
        if ours && forgotten && left > 0 && private::check(&folder).is_ok() {
            left -= 1;
            fs::remove_dir_all(&folder)?;
        }
    }
    Ok(())
}

/// Marks a folder as ours. One that holds something and bears no mark is not.
fn mark(guard: &Path) -> Result<()> {
    let marker = guard.join(MARKER);
    if marker.symlink_metadata().is_ok() {
        return Ok(());
    }
    // Another hook may have marked it since.
    let names: Vec<_> = fs::read_dir(guard)?
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .collect();
    if !names.is_empty() && !names.iter().any(|name| name == MARKER) {
        bail!("could not use {}: it holds other things", guard.display());
    }
    private::open(&marker)?;
    Ok(())
}

fn read_secret(path: &Path) -> Result<Option<Secret>> {
    let bytes = private::tail(path, 33)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let bytes = bytes
        .try_into()
        .map_err(|_| anyhow::anyhow!("could not use {}: not 32 bytes", path.display()))?;
    Ok(Some(Secret(bytes)))
}
