//! Opens each transcript and feeds it through lines and rows into messages, on all cores. In: what
//! was found. Out: the messages, how much was read, and what was skipped or could not be read.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use fs_err as fs;
use rustc_hash::FxHashMap;

use super::find::{Found, Origin, Transcript, fingerprint, origin};
use super::ledger::{Ledger, Writer};
use super::lines::Lines;
use super::messages::{Counted, Messages};
use super::quick;
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
        Self::all(found, None, &|_, _| {})
    }

    /// The same; `seen` is told, from any thread, how many bytes of all are done.
    #[must_use]
    pub fn watched(found: Found, seen: impl Fn(u64, u64) + Sync) -> Self {
        Self::all(found, None, &seen)
    }

    /// The same, but reads only what the ledger in a folder does not know.
    #[must_use]
    pub fn with_ledger(found: Found, folder: &Path, seen: impl Fn(u64, u64) + Sync) -> Self {
        Self::all(found, Some(folder), &seen)
    }

    fn all(mut found: Found, ledger: Option<&Path>, seen: Seen<'_>) -> Self {
        found
            .transcripts
            .sort_unstable_by(|a, b| a.path.cmp(&b.path));
        found.transcripts.shrink_to_fit();
        let all = found.transcripts.iter().map(|one| one.size).sum();
        let scan = Self {
            messages: Messages::of_bytes(all),
            unreadable: found.unreadable,
            next: u32::try_from(found.transcripts.len()).unwrap_or(u32::MAX),
            ..Self::default()
        };
        let work = Work {
            all,
            seen,
            keep: ledger.is_some(),
            done: Mutex::new((scan, ledger.map(Writer::new))),
            left: found
                .transcripts
                .into_iter()
                .map(|one| Mutex::new(Some(one)))
                .collect(),
        };
        let gone = ledger.map(|folder| work.recall(Ledger::open(folder), &found.searched));
        work.read_rest();
        let done = work.done.into_inner();
        let (mut scan, writer) = done.unwrap_or_else(PoisonError::into_inner);
        scan.unreadable.sort();
        scan.gone = gone.unwrap_or_default();
        scan.not_kept = writer.and_then(|writer| writer.save().err());
        scan
    }

    /// Reads one more transcript. What was read before an error counts.
    pub fn read(&mut self, reader: impl Read, origin: &Origin) -> io::Result<()> {
        let mut rows = Rows::default();
        let mut lines = Lines::new(reader, Vec::new(), usize::MAX);
        let mut known = quick::Reader::default();
        let end = loop {
            match lines.next_line() {
                Ok(Some(line)) => rows.take(&line, origin, &mut known),
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.add(self.next, rows, origin);
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

    fn take(&mut self, rank: u32, transcript: &Transcript, reading: Reading) {
        self.add(rank, reading.rows, &reading.origin);
        self.bytes += reading.bytes;
        match reading.end {
            Ok(()) => self.read += 1,
            Err(error) => {
                let path = transcript.path.clone();
                self.unreadable.push((path, reason(&error)));
            }
        }
    }

    fn add(&mut self, rank: u32, rows: Rows, origin: &Origin) {
        for (skip, count) in &rows.skipped {
            *self.skipped.entry(*skip).or_default() += count;
        }
        let (agent, project) = (origin.agent.as_deref(), origin.project.as_deref());
        self.messages.merge(rank, rows, agent, project);
    }
}

type Seen<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// What the threads share.
struct Work<'a> {
    /// How many bytes there are.
    all: u64,
    seen: Seen<'a>,
    /// By rank, what is not done.
    left: Vec<Mutex<Option<Transcript>>>,
    /// Whether what is read is kept for the next run.
    keep: bool,
    done: Mutex<(Scan, Option<Writer>)>,
}

impl Work<'_> {
    /// Takes from a ledger what still holds, and reads what files have grown by. Answers with what
    /// is known of files that are gone from the folders that were searched.
    fn recall(&self, ledger: Ledger, searched: &[PathBuf]) -> Vec<(Origin, Rows)> {
        let mut ranks = FxHashMap::default();
        self.left(|rank, transcript| {
            ranks.insert(fingerprint(&transcript.path), rank);
        });
        let real = |folder: &PathBuf| fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
        let folders: Vec<_> = searched.iter().map(real).collect();
        let written = ledger.written();
        let (ledger, gone) = (Mutex::new(ledger), Mutex::new(Vec::new()));
        let next = || lock(&ledger).next();
        self.share(|buffer| {
            while let Some((path, entry)) = next() {
                let path = PathBuf::from(path);
                let Some(&rank) = ranks.get(&fingerprint(&path)) else {
                    let here = folders.iter().any(|folder| path.starts_with(folder));
                    if here && is_gone(&path) {
                        lock(&gone).extend(entry.rows().map(|rows| (path, rows)));
                    }
                    continue;
                };
                let Some(transcript) = lock(&self.left[rank]).take() else {
                    continue;
                };
                match entry.holds(&transcript) {
                    Ok(unchanged) if Ledger::settled(written, &entry, &transcript) => {
                        self.read(rank, &transcript, Known::Entry(&entry, unchanged), buffer);
                    }
                    _ => *lock(&self.left[rank]) = Some(transcript),
                }
            }
        });
        let mut gone = gone.into_inner().unwrap_or_else(PoisonError::into_inner);
        gone.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let gone = gone.into_iter();
        gone.map(|(path, rows)| (origin(&path), rows)).collect()
    }

    /// Reads what is not done.
    fn read_rest(&self) {
        let mut order = Vec::new();
        self.left(|rank, transcript| order.push((Reverse(transcript.size), rank)));
        // The largest first, so that no thread is left alone with it at the end.
        order.sort_unstable();
        let next = AtomicUsize::new(0);
        let known = if self.keep {
            Known::New
        } else {
            Known::Nothing
        };
        self.share(|buffer| {
            while let Some((_, rank)) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                let transcript = lock(&self.left[*rank]).take();
                if let Some(transcript) = transcript {
                    self.read(*rank, &transcript, known, buffer);
                }
            }
        });
    }

    /// Shows what is not done.
    fn left(&self, mut show: impl FnMut(usize, &Transcript)) {
        for (rank, transcript) in self.left.iter().enumerate() {
            if let Some(transcript) = &*lock(transcript) {
                show(rank, transcript);
            }
        }
    }

    /// Runs something on all cores that are worth it.
    fn share(&self, run: impl Fn(&mut Vec<u8>) + Sync) {
        let mut left = 0;
        self.left(|_, transcript| left += transcript.size);
        let worth = usize::try_from(left / WORTH_A_THREAD).unwrap_or(usize::MAX);
        let cores = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 1..cores.min(worth).min(self.left.len()) {
                scope.spawn(|| run(&mut Vec::new()));
            }
            run(&mut Vec::new());
        });
    }

    fn read(&self, rank: usize, transcript: &Transcript, known: Known<'_>, buffer: &mut Vec<u8>) {
        let reading = transcript::read(transcript, known, buffer);
        let mut done = lock(&self.done);
        let (scan, writer) = &mut *done;
        if let (Some(writer), Some(entry)) = (writer, &reading.entry) {
            writer.put(&transcript.path, entry);
        }
        let rank = u32::try_from(rank).unwrap_or(u32::MAX);
        scan.take(rank, transcript, reading);
        (self.seen)(scan.bytes, self.all);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_gone(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// The cause without the path, which is printed beside it.
fn reason(error: &io::Error) -> String {
    let mut text = error.kind().to_string();
    if let Some(code) = error.raw_os_error() {
        let _ = write!(text, " (os error {code})");
    }
    text
}
