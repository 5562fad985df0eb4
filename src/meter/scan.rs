//! Opens each transcript and feeds it through lines and rows into messages, on all cores. In: what
//! was found. Out: the messages, how much was read, and what was skipped or could not be read.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use fs_err::File;
use serde::Deserialize;

use super::find::{Found, Origin, Transcript};
use super::lines::{Line, Lines};
use super::loose::Text;
use super::messages::Messages;
use super::record::{Skip, parse_long};
use super::rows::Rows;

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
    /// The rank of the next file.
    next: u32,
}

/// Longer lines are not held in memory.
const LONGEST: usize = 4 << 20;
/// Less is read before another thread has started.
const WORTH_A_THREAD: u64 = 2 << 20;

impl Scan {
    /// Reads every transcript that was found; one that cannot be read does not stop the rest.
    /// The rank of a file is its place in the order of paths, however they were named: it decides
    /// ties.
    #[must_use]
    pub fn of(found: Found) -> Self {
        Self::watched(found, |_, _| {})
    }

    /// The same; `seen` is told, from any thread, how many bytes of all are done.
    #[must_use]
    pub fn watched(mut found: Found, seen: impl Fn(u64, u64) + Sync) -> Self {
        found.transcripts.sort_by(|a, b| a.path.cmp(&b.path));
        let mut ranked: Vec<_> = (0..).zip(found.transcripts).collect();
        let scan = Mutex::new(Self {
            unreadable: found.unreadable,
            next: u32::try_from(ranked.len()).unwrap_or(u32::MAX),
            ..Self::default()
        });
        // The largest first, so that no thread is left alone with it at the end.
        ranked.sort_by_key(|(_, transcript)| std::cmp::Reverse(transcript.size));
        let all: u64 = ranked.iter().map(|(_, transcript)| transcript.size).sum();
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let worth = usize::try_from(all / WORTH_A_THREAD).unwrap_or(usize::MAX);
        let next = AtomicUsize::new(0);
        let work = || {
            let mut buffer = Vec::new();
            while let Some((rank, transcript)) = ranked.get(next.fetch_add(1, Ordering::Relaxed)) {
                let read = read_file(transcript, &mut buffer);
                let mut scan = scan.lock().unwrap_or_else(PoisonError::into_inner);
                scan.take(*rank, transcript, &read);
                seen(scan.bytes, all);
            }
        };
        thread::scope(|scope| {
            for _ in 1..cores.min(worth).min(ranked.len()) {
                scope.spawn(work);
            }
            work();
        });
        let mut scan = scan.into_inner().unwrap_or_else(PoisonError::into_inner);
        scan.unreadable.sort();
        scan
    }

    /// Reads one more transcript. What was read before an error counts.
    pub fn read(&mut self, reader: impl Read, origin: &Origin) -> io::Result<()> {
        let mut rows = Rows::default();
        let mut lines = Lines::new(reader, Vec::new(), usize::MAX);
        let end = loop {
            match lines.next_line() {
                Ok(Some(line)) => rows.take(&line, origin),
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.add(self.next, &rows, origin);
        self.next += 1;
        self.bytes += lines.bytes();
        self.read += u64::from(end.is_ok());
        end
    }

    fn take(&mut self, rank: u32, transcript: &Transcript, read: &OneFile) {
        self.add(rank, &read.rows, &transcript.origin);
        self.bytes += read.bytes;
        match &read.end {
            Ok(()) => self.read += 1,
            Err(error) => self
                .unreadable
                .push((transcript.path.clone(), reason(error))),
        }
    }

    fn add(&mut self, rank: u32, rows: &Rows, origin: &Origin) {
        let (agent, project) = (origin.agent.as_deref(), origin.project.as_deref());
        self.messages.merge(rank, rows, agent, project);
        for (skip, count) in &rows.skipped {
            *self.skipped.entry(*skip).or_default() += count;
        }
    }
}

/// One transcript, as far as it could be read.
struct OneFile {
    rows: Rows,
    bytes: u64,
    end: io::Result<()>,
}

fn read_file(transcript: &Transcript, buffer: &mut Vec<u8>) -> OneFile {
    let mut rows = Rows::default();
    let file = match File::open(&transcript.path) {
        Ok(file) => file,
        Err(error) => {
            return OneFile {
                rows,
                bytes: 0,
                end: Err(error),
            };
        }
    };
    let mut lines = Lines::new(file, std::mem::take(buffer), LONGEST);
    let end = loop {
        match lines.next_line() {
            Ok(Some(line)) => match &line.long {
                Some(range) if line.usage => {
                    if let Err(error) = take_long(transcript, range, &line, &mut rows) {
                        break Err(error);
                    }
                }
                _ => rows.take(&line, &transcript.origin),
            },
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    let bytes = lines.bytes();
    *buffer = lines.into_buffer();
    if transcript.origin.agent.is_some() {
        rows.agent_type = agent_type(&transcript.path);
    }
    OneFile { rows, bytes, end }
}

/// Reads a long line a second time, without holding it: it may hold a record. Only one that is
/// broken is held as a whole.
fn take_long(
    transcript: &Transcript,
    range: &Range<u64>,
    line: &Line<'_>,
    rows: &mut Rows,
) -> io::Result<()> {
    let again = || {
        let mut file = File::open(&transcript.path)?;
        file.seek(SeekFrom::Start(range.start))?;
        io::Result::Ok(file.take(range.end - range.start))
    };
    if let Some(parsed) = parse_long(again()?) {
        rows.take_parsed(parsed, &transcript.origin);
        return Ok(());
    }
    let mut bytes = Vec::new();
    again()?.read_to_end(&mut bytes)?;
    let whole = line.whole;
    let bytes = bytes.trim_ascii();
    rows.take_slowly(
        &Line {
            bytes,
            whole,
            usage: true,
            long: None,
        },
        &transcript.origin,
    );
    Ok(())
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
fn agent_type(transcript: &Path) -> Option<Box<str>> {
    #[derive(Deserialize)]
    struct Meta {
        #[serde(rename = "agentType", default)]
        agent_type: Text,
    }
    let mut bytes = Vec::new();
    let file = File::open(transcript.with_extension("meta.json")).ok()?;
    // Far more than any real one, so that a strange file costs nothing.
    file.take(1 << 20).read_to_end(&mut bytes).ok()?;
    let meta = serde_json::from_slice::<Meta>(&bytes).ok()?;
    meta.agent_type.0.map(String::into_boxed_str)
}
