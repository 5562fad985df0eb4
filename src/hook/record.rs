//! The guard's records: log bytes → records, and the records of two logs → one story. Pure.
//!
//! A record is a line feed and one line of JSON, at most 200 bytes. Torn and foreign lines are passed over.

use std::ops::Not;

use memchr::memmem;
use serde::{Deserialize, Serialize};

use super::key::Print;

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
    /// The call's family.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub g: Option<Print>,
    /// The error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<Print>,
    /// The error's class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<Class>,
    /// The error's exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n: Option<i64>,
    /// The call's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub i: Option<Print>,
    /// Whether a desk command did it, or a desk command changed something.
    #[serde(rename = "d", default, skip_serializing_if = "Not::not")]
    pub desk: bool,
    /// In an agent's own log: so many bytes were in the session's log before. Tells the order of
    /// records in two files, whatever the clock does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub o: Option<u64>,
    /// What a desk tool said: tool, step and code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev: Option<String>,
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
    /// Something in the workspace or in an app changed.
    #[serde(rename = "w")]
    Changed,
    /// A person sent a prompt.
    #[serde(rename = "u")]
    Prompt,
    /// The guard refused a call.
    #[serde(rename = "d")]
    Denied,
    /// The guard warned of what it would refuse.
    #[serde(rename = "n")]
    Nudged,
}

/// What kind of failure it is, which says how often it may be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// The command waits for something.
    Poll,
    /// The error passes by itself.
    Transient,
    /// There is no text.
    Silent,
    /// Anything else.
    Plain,
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
            g: None,
            x: None,
            c: None,
            n: None,
            i: None,
            desk: false,
            o: None,
            ev: None,
        }
    }

    /// Whether it bears on all agents, so that it goes into the session's log. What the guard did
    /// goes there too, as it is counted when the agent is gone.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        use Kind::{Changed, Denied, Nudged, Prompt};
        self.desk || matches!(self.e, Changed | Prompt | Denied | Nudged)
    }
}

/// The logs that bear on one agent, as far as they were read.
#[derive(Debug, Default)]
pub struct Logs {
    /// The session's.
    pub session: Log,
    /// A subagent's own.
    pub own: Option<Log>,
}

/// The end of a log.
#[derive(Debug, Default)]
pub struct Log {
    /// How many bytes stand before.
    pub start: u64,
    /// The rest.
    pub bytes: Vec<u8>,
}

impl Logs {
    /// The records that bear on one of `prints` or reset something, oldest first.
    #[must_use]
    pub fn records(&self, prints: &[Print]) -> Vec<Record> {
        let session = self.session.records(prints);
        match &self.own {
            Some(own) => merge(session, own.records(prints), self.session.end()),
            None => session.into_iter().map(|(_, record)| record).collect(),
        }
    }
}

impl Log {
    /// Where the next record will stand.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// Each with its place. Most lines bear on nothing that is asked for: they are not parsed.
    fn records(&self, prints: &[Print]) -> Vec<(u64, Record)> {
        let prints = prints.iter().map(ToString::to_string);
        let wanted: Vec<_> = RESETS
            .map(str::to_owned)
            .into_iter()
            .chain(prints)
            .collect();
        let log = &self.bytes[..];
        let mut starts: Vec<_> = wanted
            .iter()
            .flat_map(|text| memmem::find_iter(log, text.as_bytes()))
            .map(|at| memchr::memrchr(b'\n', &log[..at]).map_or(0, |end| end + 1))
            .collect();
        starts.sort_unstable();
        starts.dedup();
        let parsed = starts.into_iter().filter_map(|start| {
            let line = &log[start..];
            let end = memchr::memchr(b'\n', line).unwrap_or(line.len());
            let record = serde_json::from_slice::<Record>(&line[..end]).ok()?;
            Some((self.start + start as u64, record))
        });
        parsed.filter(|(_, record)| record.v == 1).collect()
    }
}

/// One of these stands in every prompt's and every change's line.
const RESETS: [&str; 2] = [r#""e":"u""#, r#""e":"w""#];

/// An agent's own records in the session's, in the order they were written. A place behind the
/// end of the session's log is one in a log that was put aside: it comes first.
fn merge(session: Vec<(u64, Record)>, own: Vec<(u64, Record)>, end: u64) -> Vec<Record> {
    let mut session = session.into_iter().peekable();
    let mut merged = Vec::new();
    for (_, record) in own {
        let until = record.o.filter(|place| *place <= end).unwrap_or_default();
        while let Some((_, shared)) = session.next_if(|(at, _)| *at < until) {
            merged.push(shared);
        }
        merged.push(record);
    }
    merged.extend(session.map(|(_, record)| record));
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::key::Secret;

    fn record(e: Kind, t: i64) -> Record {
        Record {
            k: Some(Secret([0; 32]).id("make")),
            ..Record::new(t, e)
        }
    }

    fn log_of(text: &str, start: u64) -> Log {
        Log {
            start,
            bytes: text.as_bytes().to_vec(),
        }
    }

    #[test]
    fn lines_that_are_no_records_are_passed_over() {
        let record = record(Kind::Failed, 1);
        let line = serde_json::to_string(&record).unwrap();
        let foreign = line.replace("\"v\":1", "\"v\":2");
        let log = format!(
            "{}\nnoise\n{foreign}\n{line}\n\n{line}{line}\n{line}",
            &line[9..]
        );
        let prints = [record.k.unwrap()];
        let read = log_of(&log, 100).records(&prints);
        let first = 100 + log.find(&format!("\n{line}\n")).unwrap() as u64 + 1;
        let last = 100 + log.rfind(&line).unwrap() as u64;
        assert_eq!(read, [(first, record.clone()), (last, record)]);
    }

    #[test]
    fn only_what_bears_on_a_call_is_read() {
        let secret = Secret([0; 32]);
        let log: String = [Kind::Failed, Kind::Prompt, Kind::Changed, Kind::Denied]
            .map(|e| serde_json::to_string(&record(e, 1)).unwrap() + "\n")
            .concat();
        let kinds = |name: &str| -> Vec<_> {
            let read = log_of(&log, 0).records(&[secret.id(name)]);
            read.into_iter().map(|(_, record)| record.e).collect()
        };
        assert_eq!(kinds("other"), [Kind::Prompt, Kind::Changed]);
        assert_eq!(kinds("make").len(), 4);
    }

    #[test]
    fn two_logs_are_one_story_even_when_the_clock_goes_backwards() {
        let session = [(0, 9), (100, 5), (200, 1)].map(|(at, t)| (at, record(Kind::Changed, t)));
        let own = [(999, 60), (0, 50), (100, 7), (300, 2)].map(|(o, t)| {
            let record = record(Kind::Failed, t);
            (
                0,
                Record {
                    o: Some(o),
                    ..record
                },
            )
        });
        let merged = merge(session.to_vec(), own.to_vec(), 300);
        let times: Vec<_> = merged.iter().map(|record| record.t).collect();
        assert_eq!(times, [60, 50, 9, 7, 5, 1, 2]);
    }

    #[test]
    fn the_longest_record_has_two_hundred_bytes_at_most() {
        let print = Some(Secret([0; 32]).id("x"));
        let record = Record {
            g: print,
            x: print,
            c: Some(Class::Plain),
            n: Some(255),
            i: print,
            desk: true,
            ev: Some("desk-run: step 12: invalid_element".to_owned()),
            ..record(Kind::Failed, 1_796_040_000_000)
        };
        let length = serde_json::to_string(&record).unwrap().len();
        assert!(length <= 200, "{length}");
    }
}
