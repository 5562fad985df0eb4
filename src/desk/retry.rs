//! The retry rule inside the desk tools, for agents whose hooks do not see a failure: the same
//! words that failed twice in the same way are refused the third time. Earlier tries and a time
//! in, a yes or no out. Pure.
//!
//! The count starts anew with a success of the same words, with any desk action that changes
//! something, after ten minutes, and when the user sends a prompt.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::files;

/// The file's name in the run's folder.
pub const FILE: &str = "tries.json";

/// A failure counts for so long, in milliseconds: an app changes by itself.
const MEMORY_MS: i64 = 10 * 60 * 1000;

/// So many failures of one kind are let pass.
const PLAIN: u32 = 2;

/// Older ones are forgotten when there are more.
const MOST: usize = 50;

/// What failed, and how often in a row.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Tries {
    /// Random, so that the prints tell nothing about texts once this file is gone.
    key: String,
    failed: Vec<Try>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Try {
    words: String,
    error: String,
    times: u32,
    /// Milliseconds since 1970.
    last: i64,
}

/// How a call ended, as far as the count is concerned.
pub enum Ended<'a> {
    /// With this first line of a failure.
    Failed(&'a str),
    /// Well, and nothing was changed.
    Looked,
    /// Well, and something may have changed.
    Changed,
}

impl Tries {
    /// No tries yet; `key` is random.
    #[must_use]
    pub fn new(key: String) -> Self {
        let failed = Vec::new();
        Self { key, failed }
    }

    /// The error that these words failed with twice, if they may not be tried again. `prompt`:
    /// when the user sent the last prompt.
    #[must_use]
    pub fn refused(&self, words: &[&str], now: i64, prompt: Option<i64>) -> Option<u32> {
        let words = self.print(words);
        let same = self.failed.iter().find(|failed| failed.words == words)?;
        let live = now - same.last <= MEMORY_MS && prompt.is_none_or(|at| at < same.last);
        (live && same.times >= PLAIN).then_some(same.times)
    }

    /// Notes how a call ended. Returns whether there is something to keep.
    pub fn note(&mut self, words: &[&str], ended: &Ended, now: i64, prompt: Option<i64>) -> bool {
        let words = self.print(words);
        let before = self.failed.len();
        let error = match ended {
            Ended::Failed(line) => self.print(&[line]),
            Ended::Looked => {
                self.failed.retain(|failed| failed.words != words);
                return self.failed.len() != before;
            }
            Ended::Changed => {
                self.failed.clear();
                return before > 0;
            }
        };
        let lives = |failed: &Try| {
            now - failed.last <= MEMORY_MS && prompt.is_none_or(|at| at < failed.last)
        };
        self.failed.retain(lives);
        let same = self.failed.iter().position(|failed| failed.words == words);
        let same = same.map(|at| self.failed.remove(at));
        let again = same.filter(|failed| failed.error == error);
        let times = again.map_or(1, |failed| failed.times + 1);
        self.failed.push(Try {
            words,
            error,
            times,
            last: now,
        });
        let too_many = self.failed.len().saturating_sub(MOST);
        self.failed.drain(..too_many);
        true
    }

    fn print(&self, parts: &[&str]) -> String {
        let mut hash = Sha256::new_with_prefix(&self.key);
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        files::short(&hash.finalize(), 8)
    }
}

/// When the user sent the last prompt, by the guard's own log: milliseconds since 1970.
#[must_use]
pub fn last_prompt(log: &[u8]) -> Option<i64> {
    #[derive(Deserialize)]
    struct Line {
        t: i64,
        e: String,
    }
    let lines = log.split(|byte| *byte == b'\n').rev();
    let mut lines = lines.filter_map(|line| serde_json::from_slice::<Line>(line).ok());
    lines.find(|line| line.e == "u").map(|line| line.t)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &[&str] = &["desk", "app", "click A"];
    const B: &[&str] = &["desk", "app", "click B"];

    fn failed_twice() -> Tries {
        let mut tries = Tries::new("k".to_owned());
        assert!(tries.note(A, &Ended::Failed("x"), 1000, None));
        assert_eq!(tries.refused(A, 1000, None), None);
        tries.note(A, &Ended::Failed("x"), 2000, None);
        tries
    }

    #[test]
    fn twice_the_same_and_no_third_time() {
        let tries = failed_twice();
        assert_eq!(tries.refused(A, 3000, None), Some(2));
        assert_eq!(tries.refused(B, 3000, None), None);
        assert_eq!(tries.refused(A, 2000 + MEMORY_MS, None), Some(2));
        assert_eq!(tries.refused(A, 2001 + MEMORY_MS, None), None);
        assert_eq!(tries.refused(A, 3000, Some(1500)), Some(2));
        assert_eq!(tries.refused(A, 3000, Some(2500)), None);
    }

    #[test]
    fn what_starts_the_count_anew() {
        for (words, ended, refused) in [
            (A, Ended::Looked, None),
            (B, Ended::Looked, Some(2)),
            (B, Ended::Changed, None),
            (B, Ended::Failed("x"), Some(2)),
            (A, Ended::Failed("y"), None),
        ] {
            let mut tries = failed_twice();
            tries.note(words, &ended, 3000, None);
            assert_eq!(tries.refused(A, 4000, None), refused);
        }
        let mut tries = failed_twice();
        tries.note(A, &Ended::Failed("x"), 4000, Some(3000));
        assert_eq!(tries.refused(A, 4000, None), None);
    }

    #[test]
    fn the_last_prompt_of_a_log() {
        let log = b"{\"v\":1,\"t\":5,\"e\":\"u\"}\n{\"v\":1,\"t\":9,\"e\":\"f\"}\n{\"v\":1,\"t\":7,\"e\":\"u\"}\n{\"v\":1,\"t\":";
        assert_eq!(last_prompt(log), Some(7));
        assert_eq!(last_prompt(b""), None);
    }
}
