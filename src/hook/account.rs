//! What the guard did and what went wrong with it, for `status` and `doctor`; and how the latter is
//! counted. IO. Knows no command and no error, only numbers.

use std::path::Path;

use anyhow::Result;
use fs_err as fs;

use super::private;
use super::record::Kind;
use super::state::{FULL, MARKER, Session, check_ours, sessions};

/// What the guard did in one session, or in all that are on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Calls that it refused.
    pub denied: usize,
    /// Failures that it warned at.
    pub nudged: usize,
    /// Failures of its own.
    pub errors: u64,
    /// Sessions in which it sleeps, as it failed too often.
    pub asleep: usize,
}

/// What the guard did in a session (none: in all that are on disk).
pub fn summary(state: &Path, session: Option<&str>) -> Result<Summary> {
    let all = match session {
        Some(session) => Session::existing(state, session)?.into_iter().collect(),
        None => sessions(state)?,
    };
    let mut sum = Summary::default();
    for session in all {
        let records = session.told()?;
        let count = |kind| records.iter().filter(|record| record.e == kind).count();
        sum.denied += count(Kind::Denied);
        sum.nudged += count(Kind::Nudged);
        sum.errors += session.errors();
        sum.asleep += usize::from(session.is_asleep());
    }
    Ok(sum)
}

/// Refuses a state folder that the guard would not use, for the reason that keeps it silent. One
/// that is not there yet is fine.
pub fn check(state: &Path) -> Result<()> {
    let guard = state.join("guard");
    for folder in [state, &guard] {
        if folder.symlink_metadata().is_ok() {
            private::check(folder)?;
        }
    }
    if guard.is_dir() {
        check_ours(&guard)
    } else {
        Ok(())
    }
}

/// Counts a failure of the guard itself; not in a session that has no folder yet.
pub fn note_error(state: &Path, session: &str) -> Result<()> {
    match Session::existing(state, session)? {
        Some(session) => session.note_error(),
        None => Ok(()),
    }
}

/// How often a hook got what was no event.
#[must_use]
pub fn faults(state: &Path) -> u64 {
    let faults = fs::symlink_metadata(state.join("guard/faults"));
    faults.map_or(0, |faults| faults.len())
}

/// Counts an input that was no event; not before the guard has a folder.
pub fn note_fault(state: &Path) -> Result<()> {
    let guard = state.join("guard");
    let room = faults(state) < FULL;
    if room && private::check(&guard).is_ok() && guard.join(MARKER).is_file() {
        private::append(&guard.join("faults"), b".")?;
    }
    Ok(())
}
