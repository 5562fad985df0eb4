//! Where the retry guard's records live. IO.
//!
//! ```text
//! <state>/guard/                    .lcu-guard marks it as ours
//!   faults                          a byte for each input that was no event
//!   <16 hex of sha256(session)>/
//!     key                           32 random bytes
//!     log                           records of the main thread, and what bears on all agents
//!     a-<16 hex of sha256(agent)>.log
//!     seen/<16 hex>                 an event that a hook has answered
//!     errors                        a byte for each failure of the guard itself
//! ```
//!
//! Appends need no lock: they are one write, and each record brings the line feed before it, so that
//! one which a full disk cut short costs no other. Prompts, commands and errors are not in it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use fs_err as fs;

use super::event::Event;
use super::key::{Secret, folder_name};
use super::private;
use super::record::{Log, Logs, Record};

use crate::escape;

/// Lies in the guard's folder.
pub const MARKER: &str = ".lcu-guard";

/// So much of a log is read; far more than fifteen minutes of one agent fill.
const TAIL: u64 = 64 * 1024;

/// A log that has grown so long is put aside.
pub const FULL: u64 = 1024 * 1024;

/// After so many failures of its own the guard sleeps for the rest of the session.
const TOO_MANY: u64 = 20;

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

    /// What bears on an agent (none: the main thread).
    pub fn logs(&self, agent: Option<&str>) -> Result<Logs> {
        let log = |agent| -> Result<Log> {
            let (start, bytes) = private::tail(&self.log(agent), TAIL)?;
            Ok(Log { start, bytes })
        };
        let own = agent.map(|agent| log(Some(agent))).transpose()?;
        Ok(Logs {
            session: log(None)?,
            own,
        })
    }

    /// Adds records: to the session's log what bears on all agents, anything else to the agent's
    /// own. `end` is where the session's log ended when it was read.
    pub fn append(&self, agent: Option<&str>, records: Vec<Record>, end: u64) -> Result<()> {
        let (mut shared, mut own) = (Vec::new(), Vec::new());
        for mut record in records {
            let lines = match agent {
                Some(_) if !record.is_shared() => {
                    record.o = Some(end);
                    &mut own
                }
                _ => &mut shared,
            };
            lines.push(b'\n');
            serde_json::to_writer(&mut *lines, &record)?;
        }
        for (agent, lines) in [(None, shared), (agent, own)] {
            if lines.is_empty() {
                continue;
            }
            let path = self.log(agent);
            if fs::symlink_metadata(&path).is_ok_and(|log| log.len() > FULL) {
                fs::rename(&path, path.with_extension("old"))?;
            }
            private::append(&path, &lines)?;
        }
        Ok(())
    }

    /// Whether no hook has answered this event before: one that is registered twice runs twice.
    /// True when nothing tells the events of this kind apart.
    pub fn is_first(&self, event: &Event, id: Option<&str>) -> Result<bool> {
        let Some(id) = id else { return Ok(true) };
        let agent = event.agent.as_deref().unwrap_or_default();
        let name = folder_name(&format!("{}\0{agent}\0{id}", event.what.name()));
        let seen = self.folder.join("seen");
        private::folder(&seen)?;
        is_first(&seen.join(name))
    }

    /// Whether the guard failed too often in this session.
    #[must_use]
    pub fn is_asleep(&self) -> bool {
        self.errors() >= TOO_MANY
    }

    /// Counts a failure of the guard itself.
    pub fn note_error(&self) -> Result<()> {
        private::append(&self.folder.join("errors"), b".")
    }

    /// How often that was.
    #[must_use]
    pub fn errors(&self) -> u64 {
        let errors = fs::symlink_metadata(self.folder.join("errors"));
        errors.map_or(0, |errors| errors.len())
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

    /// Every record of the session's log that is on disk, what was put aside first.
    pub fn told(&self) -> Result<Vec<Record>> {
        let log = self.log(None);
        let mut records = Vec::new();
        for path in [log.with_extension("old"), log] {
            let (_, bytes) = private::tail(&path, 2 * FULL)?;
            let lines = bytes.split(|byte| *byte == b'\n');
            records.extend(lines.filter_map(|line| serde_json::from_slice::<Record>(line).ok()));
        }
        Ok(records)
    }

    fn log(&self, agent: Option<&str>) -> PathBuf {
        self.folder.join(match agent {
            None => "log".to_owned(),
            Some(agent) => format!("a-{}.log", folder_name(agent)),
        })
    }
}

/// Whether this file was not there: it is now.
pub fn is_first(mark: &Path) -> Result<bool> {
    match private::create(mark) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Forgets sessions below a folder (`guard` or `meter`) that nothing was written to for a week:
/// they ended without telling. `now` is milliseconds since 1970.
pub fn prune(all: &Path, now: i64) -> Result<()> {
    let now = UNIX_EPOCH + Duration::from_millis(u64::try_from(now).unwrap_or(0));
    let mut left = STALE_AT_ONCE;
    for folder in folders(all)? {
        let newest = [folder.join("log"), folder.clone()]
            .iter()
            .filter_map(|path| path.symlink_metadata().ok()?.modified().ok())
            .max();
        let forgotten = newest
            .and_then(|at| now.duration_since(at).ok())
            .is_some_and(|age| age > STALE);
        if forgotten && left > 0 && private::check(&folder).is_ok() {
            left -= 1;
            fs::remove_dir_all(&folder)?;
        }
    }
    Ok(())
}

/// All sessions of the guard on disk; none when its folder bears no mark of ours.
pub fn sessions(state: &Path) -> Result<Vec<Session>> {
    let guard = state.join("guard");
    if !guard.join(MARKER).is_file() {
        return Ok(Vec::new());
    }
    let folders = folders(&guard)?.into_iter();
    Ok(folders.map(|folder| Session { folder }).collect())
}

/// What bears the name of a session's folder in a private folder.
fn folders(all: &Path) -> Result<Vec<PathBuf>> {
    if private::check(all).is_err() {
        return Ok(Vec::new());
    }
    let mut folders = Vec::new();
    for entry in fs::read_dir(all)? {
        let folder = entry?.path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        if name.len() == 16 && name.bytes().all(|b| b.is_ascii_hexdigit()) {
            folders.push(folder);
        }
    }
    Ok(folders)
}

/// Marks a folder as ours. One that holds something and bears no mark is not.
fn mark(guard: &Path) -> Result<()> {
    let marker = guard.join(MARKER);
    if marker.symlink_metadata().is_ok() {
        return Ok(());
    }
    check_ours(guard)?;
    private::open(&marker)?;
    Ok(())
}

/// Refuses a folder that holds something and bears no mark of ours.
pub fn check_ours(guard: &Path) -> Result<()> {
    // Another hook may just have marked it.
    let names: Vec<_> = fs::read_dir(guard)?
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .collect();
    if !names.is_empty() && !names.iter().any(|name| name == MARKER) {
        bail!(
            "could not use {}: it holds other things",
            escape::path(guard)
        );
    }
    Ok(())
}

fn read_secret(path: &Path) -> Result<Option<Secret>> {
    let (_, bytes) = private::tail(path, 33)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let bytes = bytes
        .try_into()
        .map_err(|_| anyhow::anyhow!("could not use {}: not 32 bytes", escape::path(path)))?;
    Ok(Some(Secret(bytes)))
}
