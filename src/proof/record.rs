//! `proof.json` in the state folder: what the last proof saw, with which binary and when.

use std::path::Path;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::judge::Proven;
use crate::escape;
use crate::files;

const FILE: &str = "proof.json";

/// The last proof.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    /// Version of this shape: 1.
    pub schema: u32,
    /// When.
    pub date: Timestamp,
    /// The root whose install was proven.
    pub root: String,
    /// The recorded binary.
    pub binary: Binary,
    /// Whether every row was seen as listed, through sound launchers.
    pub ok: bool,
    /// What is wrong besides rows, one line each.
    #[serde(default)]
    pub doubts: Vec<String>,
    /// The rows.
    pub rows: Vec<Proven>,
}

/// A binary, by its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binary {
    /// Where it lay.
    pub path: String,
    /// Its SHA-256.
    pub sha256: String,
}

/// Writes the record; only its owner reads it.
pub fn write(state: &Path, record: &Record) -> Result<()> {
    let mut bytes = serde_json::to_vec_pretty(record)?;
    bytes.push(b'\n');
    fs_err::create_dir_all(state)
        .map_err(anyhow::Error::from)
        .and_then(|()| files::replace(&state.join(FILE), &bytes, 0o600))
        .context("could not keep the result of the proof")
}

/// The record of the last proof; none when there was none.
pub fn read(state: &Path) -> Result<Option<Record>> {
    let path = state.join(FILE);
    let Some(bytes) = files::read_if_present(&path)? else {
        return Ok(None);
    };
    let record = serde_json::from_slice(&bytes).with_context(|| {
        format!(
            "could not read {}: run verify --proof again",
            escape::path(&path)
        )
    })?;
    Ok(Some(record))
}

impl Record {
    /// In a line: how it went, how old it is, whether the binary has changed since. `sha256` is
    /// the digest of the binary now.
    #[must_use]
    pub fn line(&self, now: Timestamp, sha256: &str) -> String {
        let rows = self.rows.len();
        let good = self.rows.iter().filter(|row| row.ok).count();
        let age = age(now.as_second() - self.date.as_second());
        let changed = if self.binary.sha256 == sha256 {
            ""
        } else {
            "; the binary has changed since"
        };
        format!("{good} of {rows} exit codes seen as listed, {age}{changed}")
    }
}

fn age(seconds: i64) -> String {
    match seconds {
        ..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_and_says_its_age() {
        let temp = tempfile::tempdir().unwrap();
        let state = temp.path().join("state");
        assert!(read(&state).unwrap().is_none());
        let row = |ok| Proven {
            command: "verify".to_owned(),
            code: "1".to_owned(),
            saw: vec!["1".to_owned()],
            ok,
            why: String::new(),
        };
        let record = Record {
            schema: 1,
            date: Timestamp::from_second(1_000_000).unwrap(),
            root: "/p".to_owned(),
            binary: Binary {
                path: "/b".to_owned(),
                sha256: "aa".to_owned(),
            },
            ok: false,
            doubts: Vec::new(),
            rows: vec![row(true), row(false)],
        };
        write(&state, &record).unwrap();
        let again = read(&state).unwrap().unwrap();
        for (after, sha256, want) in [
            (0, "aa", "1 of 2 exit codes seen as listed, just now"),
            (7200, "aa", "1 of 2 exit codes seen as listed, 2 h ago"),
            (
                172_800,
                "bb",
                "1 of 2 exit codes seen as listed, 2 days ago; the binary has changed since",
            ),
        ] {
            let now = Timestamp::from_second(1_000_000 + after).unwrap();
            assert_eq!(again.line(now, sha256), want);
        }
        files::replace(&state.join(FILE), b"{", 0o600).unwrap();
        assert!(read(&state).is_err());
    }
}
