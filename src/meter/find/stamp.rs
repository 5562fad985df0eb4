//! What the system says of a file → whether it is still the same.

use std::fs::Metadata;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

pub(super) const SECOND: i64 = 1_000_000_000;

/// Tells whether a file is still the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Its size in bytes.
    pub size: u64,
    /// When it changed last, in nanoseconds since 1970; 0 where that is not known.
    pub changed: i64,
    /// When its content, name or rights changed last, which no program can set; 0 where that is
    /// not known.
    pub status: i64,
    /// The system's number for the file, 0 where it has none: another file in its place has another.
    pub number: u64,
}

impl Stamp {
    /// Of a file.
    #[must_use]
    pub fn of(kind: &Metadata) -> Self {
        let since = kind.modified().ok();
        let since = since.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let changed = since.and_then(|since| i64::try_from(since.as_nanos()).ok());
        let (status, number) = inner(kind);
        Self {
            size: kind.len(),
            changed: changed.unwrap_or(0),
            status,
            number,
        }
    }

    /// Whether it says anything at a later time, in nanoseconds since 1970. It does not when the
    /// file changed so shortly before that a later change could bear the same time.
    #[must_use]
    pub fn settled(&self, later: i64) -> bool {
        let last = self.changed.max(self.status);
        // File systems that keep whole seconds keep every second one of them.
        let coarse = if last % SECOND == 0 {
            2 * SECOND
        } else {
            SECOND / 10
        };
        last + coarse <= later
    }
}

#[cfg(unix)]
fn inner(kind: &Metadata) -> (i64, u64) {
    use std::os::unix::fs::MetadataExt;
    (kind.ctime() * SECOND + kind.ctime_nsec(), kind.ino())
}

#[cfg(not(unix))]
fn inner(_: &Metadata) -> (i64, u64) {
    (0, 0)
}
