//! Earlier records → how often one call failed in one way. Pure: it takes records and a time.

use super::key::Print;
use super::record::{Class, Kind, Record};

/// A failure counts for so long, in milliseconds.
pub const MEMORY_MS: i64 = 15 * 60 * 1000;

/// The same for desk commands: an app changes by itself.
pub const DESK_MEMORY_MS: i64 = 10 * 60 * 1000;

/// Failures of a poll that are so far apart are waits, not retries.
const POLL_GAP_MS: i64 = 5000;

/// Failures of one call since something helped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run<'a> {
    /// How many with the same error, up to the last one.
    pub times: usize,
    /// How many with any error.
    pub all: usize,
    /// Of the last one's class.
    pub class: Class,
    /// The last one.
    pub last: &'a Record,
}

/// Records that still count for desk commands, or for all others.
#[derive(Debug)]
pub struct Live<'a>(Vec<&'a Record>);

impl<'a> Live<'a> {
    /// What is left of `records`, oldest first, after the last reset.
    #[must_use]
    pub fn of(records: &'a [Record], desk: bool, now: i64) -> Self {
        let memory = if desk { DESK_MEMORY_MS } else { MEMORY_MS };
        let resets = |r: &Record| r.e == Kind::Prompt || r.e == Kind::Changed && r.desk == desk;
        let since = records.iter().rposition(resets).map_or(0, |at| at + 1);
        let young = records[since..]
            .iter()
            .filter(|r| now.saturating_sub(r.t) <= memory);
        Self(young.collect())
    }

    /// The run of a call that ends now; none when the call did not fail since it went well.
    #[must_use]
    pub fn run(&self, call: Print) -> Option<Run<'a>> {
        let mut failures = self
            .back_to_success(|record| record.k == Some(call))
            .filter(|record| record.e == Kind::Failed);
        let last = failures.next()?;
        let class = last.c.unwrap_or(Class::Plain);
        let (mut times, mut all, mut before) = (1, 1, last.t);
        for failure in failures {
            let waited = class == Class::Poll && before.saturating_sub(failure.t) >= POLL_GAP_MS;
            before = failure.t;
            let unbroken = times == all && failure.x == last.x;
            if unbroken && waited {
                continue;
            }
            all += 1;
            times += usize::from(unbroken);
        }
        Some(Run {
            times,
            all,
            class,
            last,
        })
    }

    /// How often a family failed since one of it went well.
    #[must_use]
    pub fn family(&self, family: Print) -> usize {
        self.back_to_success(|record| record.g == Some(family))
            .filter(|record| record.e == Kind::Failed)
            .count()
    }

    /// The last failure of a family.
    #[must_use]
    pub fn last_of(&self, family: Print) -> Option<&'a Record> {
        self.back_to_success(|record| record.g == Some(family))
            .find(|record| record.e == Kind::Failed)
    }

    /// How often a call, or its family, was refused since it last ran.
    #[must_use]
    pub fn refused(&self, call: Print, family: Option<Print>) -> usize {
        let bears = |r: &Record| r.k == Some(call) || family.is_some() && r.g == family;
        self.back_to_success(bears)
            .filter(|record| record.e != Kind::Planned)
            .take_while(|record| record.e == Kind::Denied)
            .count()
    }

    fn back_to_success(&self, bears: impl Fn(&Record) -> bool) -> impl Iterator<Item = &'a Record> {
        let mine = self.0.iter().rev().copied().filter(move |r| bears(r));
        mine.take_while(|record| record.e != Kind::Succeeded)
    }
}

/// Whether this outcome of a call was recorded before.
#[must_use]
pub fn knows(records: &[Record], id: Print) -> bool {
    records
        .iter()
        .any(|record| matches!(record.e, Kind::Failed | Kind::Succeeded) && record.i == Some(id))
}

/// The record of a call when it was planned: another hook may have rewritten its input since.
#[must_use]
pub fn planned(records: &[Record], id: Print) -> Option<&Record> {
    let mut last = records.iter().rev();
    last.find(|record| record.e == Kind::Planned && record.i == Some(id))
}

#[cfg(test)]
mod tests;
