//! Earlier records → how often one call failed in one way. Pure: it takes the bytes of logs and a
//! time.
//!
//! A record is one line of JSON, at most 200 bytes: `v` 1, `t` milliseconds since 1970, `e` what,
//! `k` the call, `x` the error, `n` its exit code, `i` the call's id. `c` (class), `g` (family)
//! and `ev` (evidence) are part of the format and may stand there.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::key::Print;

/// A failure counts for so long, in milliseconds.
pub const MEMORY_MS: i64 = 15 * 60 * 1000;

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Version of the format: 1.
    pub v: u8,
    /// When, milliseconds since 1970.
    pub t: i64,
    /// What happened.
    pub e: Kind,
    /// The call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<Print>,
    /// The error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<Print>,
    /// The error's exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n: Option<i64>,
    /// The call's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub i: Option<Print>,
}

/// What a record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// A call is about to run: its key under its id.
    #[serde(rename = "p")]
    Planned,
    /// It failed.
    #[serde(rename = "f")]
    Failed,
    /// It went well.
    #[serde(rename = "s")]
    Succeeded,
    /// Something in the workspace changed.
    #[serde(rename = "w")]
    Changed,
    /// A person sent a prompt.
    #[serde(rename = "u")]
    Prompt,
    /// The guard refused a call.
    #[serde(rename = "d")]
    Denied,
}

/// Failures of one call with one error, the last ones without a reset between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// How many.
    pub times: usize,
    /// The exit code, when the error names one.
    pub exit: Option<i64>,
    /// When the last one was, milliseconds since 1970.
    pub last: i64,
}

impl Record {
    /// A record of version 1.
    #[must_use]
    pub fn new(at: i64, e: Kind) -> Self {
        Self {
            v: 1,
            t: at,
            e,
            k: None,
            x: None,
            n: None,
            i: None,
        }
    }

    /// Whether nothing before it counts any more.
    #[must_use]
    pub fn resets(&self) -> bool {
        matches!(self.e, Kind::Changed | Kind::Prompt)
    }
}

/// The records of a log; torn and foreign lines are passed over.
#[must_use]
pub fn read(log: &[u8]) -> Vec<Record> {
    log.split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Record>(line).ok())
        .filter(|record| record.v == 1)
        .collect()
}

/// A subagent's records with the session's resets in between, by time.
#[must_use]
pub fn merge(session: Vec<Record>, own: Vec<Record>) -> Vec<Record> {
    let mut resets = session.into_iter().filter(Record::resets).peekable();
    let mut merged = Vec::new();
    for record in own {
        while let Some(reset) = resets.next_if(|reset| reset.t <= record.t) {
            merged.push(reset);
        }
        merged.push(record);
    }
    merged.extend(resets);
    merged
}

/// The run that ends now; none when the call's last outcome was no failure.
#[must_use]
pub fn run(records: &[Record], call: &Print, now: i64) -> Option<Run> {
    let mut run: Option<(Run, &Print)> = None;
    let mut seen = HashSet::new();
    let since = records.iter().rposition(Record::resets);
    let live = &records[since.map_or(0, |at| at + 1)..];
    let live = live
        .iter()
        .filter(|r| now - r.t <= MEMORY_MS && r.k.as_ref() == Some(call));
    for record in live.rev() {
        let Some(error) = record.x.as_ref().filter(|_| record.e == Kind::Failed) else {
            if record.e == Kind::Succeeded {
                break;
            }
            continue;
        };
        // A hook that is registered twice writes twice.
        if record.i.as_ref().is_some_and(|id| !seen.insert(id)) {
            continue;
        }
        match &mut run {
            None => {
                let first = Run {
                    times: 1,
                    exit: record.n,
                    last: record.t,
                };
                run = Some((first, error));
            }
            Some((run, same)) if *same == error => run.times += 1,
            Some(_) => break,
        }
    }
    run.map(|(run, _)| run)
}

/// Whether this outcome of a call was recorded before.
#[must_use]
pub fn knows(records: &[Record], id: &Print) -> bool {
    records.iter().any(|record| {
        matches!(record.e, Kind::Failed | Kind::Succeeded) && record.i.as_ref() == Some(id)
    })
}

/// The key under which a call was planned: another hook may have rewritten its input since.
#[must_use]
pub fn planned(records: &[Record], id: &Print) -> Option<Print> {
    let planned = records
        .iter()
        .rev()
        .find(|record| record.e == Kind::Planned && record.i.as_ref() == Some(id));
    planned?.k.clone()
}

#[cfg(test)]
mod tests;
