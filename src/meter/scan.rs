//! Opens each transcript and feeds it through lines and rows into messages, on all cores. In: what
//! was found. Out: the messages, how much was read, and what was skipped or could not be read.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::find::{Found, Origin, Transcript, origin};
use super::ledger::{Entry, Ledger};
use super::lines::Lines;
use super::messages::{Counted, Messages};
use super::record::Skip;
use super::rows::Rows;
use super::transcript::{self, Known, Reading};

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
    /// What the ledger knows of files that are gone.
    pub gone: Vec<(Origin, Rows)>,
    /// Why the ledger could not be written.
    pub not_kept: Option<anyhow::Error>,
    /// The rank of the next file.
    next: u32,
}

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
    pub fn watched(found: Found, seen: impl Fn(u64, u64) + Sync) -> Self {
        Self::all(found, None, &seen).0
    }

    /// The same, but reads only what the ledger in a folder does not know.
    #[must_use]
    pub fn with_ledger(found: Found, folder: &Path, seen: impl Fn(u64, u64) + Sync) -> Self {
        let ledger = Ledger::open(folder);
        let gone = ledger.gone(&found).into_iter();
        let gone = gone.map(|(path, rows)| (origin(&path), rows)).collect();
        let (mut scan, ledger) = Self::all(found, Some(ledger), &seen);
        scan.gone = gone;
        scan.not_kept = ledger.and_then(|ledger| ledger.save().err());
        scan
    }

    fn all(mut found: Found, ledger: Option<Ledger>, seen: Seen<'_>) -> (Self, Option<Ledger>) {
        found
            .transcripts
            .sort_unstable_by(|a, b| a.path.cmp(&b.path));
        found.transcripts.shrink_to_fit();
        let transcripts = found.transcripts;
        // The largest first, so that no thread is left alone with it at the end.
        let mut order: Vec<usize> = (0..transcripts.len()).collect();
        order.sort_by_key(|at| Reverse(transcripts[*at].size));
        let scan = Self {
            unreadable: found.unreadable,
            next: u32::try_from(transcripts.len()).unwrap_or(u32::MAX),
            ..Self::default()
        };
        let work = Work {
            all: transcripts.iter().map(|transcript| transcript.size).sum(),
            seen,
            next: AtomicUsize::new(0),
            done: Mutex::new((scan, Vec::new())),
            ledger: ledger.as_ref(),
            transcripts,
            order,
        };
        thread::scope(|scope| {
            for _ in 1..work.threads() {
                scope.spawn(|| work.run());
            }
            work.run();
        });
        let done = work.done.into_inner();
        let (mut scan, entries) = done.unwrap_or_else(PoisonError::into_inner);
        scan.unreadable.sort();
        let ledger = ledger.map(|mut ledger| {
            for (path, entry) in entries {
                ledger.put(&path, entry);
            }
            ledger
        });
        (scan, ledger)
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

    /// The messages, and those that only files held that are gone.
    #[must_use]
    pub fn settle(self) -> (Vec<Counted>, Vec<Counted>) {
        self.messages.settle_beside(self.gone)
    }

    fn take(&mut self, rank: u32, transcript: &Transcript, reading: &Reading) {
        self.add(rank, &reading.rows, &reading.origin);
        self.bytes += reading.bytes;
        match &reading.end {
            Ok(()) => self.read += 1,
            Err(error) => {
                let path = transcript.path.clone();
                self.unreadable.push((path, reason(error)));
            }
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

type Seen<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// What the threads share.
struct Work<'a> {
    all: u64,
    seen: Seen<'a>,
    /// By rank.
    transcripts: Vec<Transcript>,
    order: Vec<usize>,
    next: AtomicUsize,
    ledger: Option<&'a Ledger>,
    done: Mutex<(Scan, Vec<(PathBuf, Entry)>)>,
}

impl Work<'_> {
    fn threads(&self) -> usize {
        let worth = usize::try_from(self.all / WORTH_A_THREAD).unwrap_or(usize::MAX);
        let cores = thread::available_parallelism().map_or(1, usize::from);
        cores.min(worth).min(self.order.len())
    }

    fn run(&self) {
        let mut buffer = Vec::new();
        while let Some(&at) = self.order.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let transcript = &self.transcripts[at];
            let rank = u32::try_from(at).unwrap_or(u32::MAX);
            let known = match self.ledger.map(|ledger| ledger.known(transcript)) {
                None => Known::Nothing,
                Some(entry) => entry.map_or(Known::New, Known::Entry),
            };
            let mut reading = transcript::read(transcript, known, &mut buffer);
            let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            done.0.take(rank, transcript, &reading);
            (self.seen)(done.0.bytes, self.all);
            let entry = reading.entry.take();
            done.1
                .extend(entry.map(|entry| (transcript.path.clone(), entry)));
        }
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
