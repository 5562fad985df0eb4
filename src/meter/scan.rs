//! Opens each transcript and feeds it through lines and records into messages. In: what was
//! found. Out: the messages, how much was read, and what was skipped or could not be read.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use fs_err::File;
use serde::Deserialize;

use super::find::{Found, Origin};
use super::lines::Lines;
use super::loose::Text;
use super::messages::Messages;
use super::record::{Skip, parse};

/// What reading came to.
#[derive(Debug, Default)]
pub struct Scan {
    /// The messages so far.
    pub messages: Messages,
    /// How many transcripts were read to their end.
    pub read: u64,
    /// How many bytes.
    pub bytes: u64,
    /// What could not be read: the path and why.
    pub unreadable: Vec<(PathBuf, String)>,
    /// How many lines were skipped, by reason.
    pub skipped: BTreeMap<Skip, u64>,
}

impl Scan {
    /// Reads every transcript that was found; one that cannot be read does not stop the rest.
    /// Their order is that of their paths, however they were named: it decides ties.
    #[must_use]
    pub fn of(mut found: Found) -> Self {
        found.transcripts.sort_by(|a, b| a.path.cmp(&b.path));
        let mut scan = Self {
            unreadable: found.unreadable,
            ..Self::default()
        };
        for transcript in found.transcripts {
            let read = File::open(&transcript.path).and_then(|file| {
                scan.read(BufReader::with_capacity(1 << 18, file), &transcript.origin)
            });
            if let Err(error) = read {
                scan.unreadable.push((transcript.path, reason(&error)));
                continue;
            }
            if let Some(agent) = &transcript.origin.agent
                && let Some(agent_type) = agent_type(&transcript.path)
            {
                scan.messages.agent_type(agent, &agent_type);
            }
        }
        scan
    }

    /// Reads one transcript. What was read before an error counts.
    pub fn read(&mut self, reader: impl BufRead, origin: &Origin) -> io::Result<()> {
        let mut lines = Lines::new(reader);
        let end = loop {
            let line = match lines.next_line() {
                Ok(Some(line)) => line,
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            };
            let parsed = parse(&line);
            let (session, at) = (parsed.session.as_deref(), parsed.at.as_deref());
            self.messages.alive(session, at, origin);
            if let Some(skip) = parsed.skipped {
                *self.skipped.entry(skip).or_default() += 1;
            }
            for record in parsed.records {
                self.messages.add(record, origin);
            }
        };
        self.bytes += lines.bytes();
        self.read += u64::from(end.is_ok());
        end
    }
}

/// The cause without the path, which is printed beside it.
fn reason(error: &io::Error) -> String {
    let mut text = error.kind().to_string();
    if let Some(code) = error.raw_os_error() {
        let _ = write!(text, " (os error {code})");
    }
    text
}

/// Claude Code writes `agent-<id>.meta.json` beside `agent-<id>.jsonl`.
fn agent_type(transcript: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Meta {
        #[serde(rename = "agentType", default)]
        agent_type: Text,
    }
    let mut bytes = Vec::new();
    let file = File::open(transcript.with_extension("meta.json")).ok()?;
    // Far more than any real one, so that a strange file costs nothing.
    file.take(1 << 20).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice::<Meta>(&bytes).ok()?.agent_type.0
}
