//! Opens each transcript and feeds it through lines and rows into messages, on all cores. In: what
//! was found. Out: the messages, how much was read, and what was skipped or could not be read.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use fs_err as fs;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::find::{Found, Origin, Transcript, order, origin};
use super::kept;
use super::ledger::{Entry, Holds, Ledger, Writer};
use super::lines::Lines;
use super::messages::{Chunks, Counted, Messages};
use super::quick;
use super::record::Skip;
use super::rows::{Row, Rows};
use super::transcript::{self, Known, Reading, Room};

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

/// So much of what grown transcripts said before is held at once.
const PILE: usize = 256 << 10;
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

    fn all(found: Found, ledger: Option<&Path>, seen: Seen<'_>) -> Self {
        let Found {
            mut transcripts,
            unreadable,
            searched,
            ..
        } = found;
        transcripts.sort_unstable_by(|a, b| order(&a.path, &b.path));
        let scan = Self {
            unreadable,
            next: u32::try_from(transcripts.len()).unwrap_or(u32::MAX),
            ..Self::default()
        };
        let mut work = Work {
            all: transcripts.iter().map(|one| one.stamp.size).sum(),
            seen,
            keep: ledger.is_some(),
            done: Mutex::new((scan, ledger.map(Writer::new))),
        };
        let mut left: Vec<_> = transcripts.into_iter().map(Some).collect();
        let gone = ledger.map(|folder| work.recall(Ledger::open(folder), &mut left, &searched));
        let left = (0..).zip(left);
        let left = left.filter_map(|(rank, one)| Some(Task::new(rank, one?)));
        work.read_all(left.collect());
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
        self.add(self.next, &mut rows, origin);
        self.next += 1;
        self.bytes += lines.bytes();
        self.read += u64::from(end.is_ok());
        end
    }

    /// The messages, and those that only files held that are gone.
    #[must_use]
    pub fn settle(self) -> (Chunks<Counted>, Chunks<Counted>) {
        self.messages.settle_beside(self.gone)
    }

    /// Of the rows, what is kept is taken out; they are then the room for the next ones.
    fn take(&mut self, rank: u32, transcript: &Transcript, mut reading: Reading) -> Rows {
        self.add(rank, &mut reading.rows, &reading.origin);
        self.bytes += reading.bytes;
        match reading.end {
            Ok(()) => self.read += 1,
            Err(error) => {
                let path = transcript.path.clone();
                self.unreadable.push((path, reason(&error)));
            }
        }
        reading.rows
    }

    fn add(&mut self, rank: u32, rows: &mut Rows, origin: &Origin) {
        for (skip, count) in &rows.skipped {
            *self.skipped.entry(*skip).or_default() += count;
        }
        let (agent, project) = (origin.agent.as_deref(), origin.project.as_deref());
        self.messages.merge(rank, rows, agent, project);
    }

    /// Adds what the ledger says of an unchanged transcript; none when that cannot be read.
    fn remember(&mut self, rank: u32, transcript: &Transcript, entry: &Entry<'_>) -> Option<()> {
        let (about, mut rows) = kept::open(entry.all_rows())?;
        for (skip, count) in &about.skipped {
            *self.skipped.entry(*skip).or_default() += count;
        }
        let origin = transcript.origin();
        let (agent, project) = (origin.agent.as_deref(), origin.project.as_deref());
        let mut file = self.messages.file(rank, &about, agent, project);
        let mut row = Row::default();
        while rows.next(&mut row)? {
            file.row(&mut row);
        }
        self.bytes += transcript.stamp.size;
        self.read += 1;
        Some(())
    }
}

type Seen<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// What the threads share.
struct Work<'a> {
    /// How many bytes there are.
    all: u64,
    seen: Seen<'a>,
    /// Whether what is read is kept for the next run.
    keep: bool,
    done: Mutex<(Scan, Option<Writer>)>,
}

/// A transcript that must be opened.
struct Task {
    rank: u32,
    transcript: Transcript,
    /// What need not be read again; boxed, since most tasks have none and there may be many.
    known: Option<Box<Known>>,
}

impl Task {
    /// Of which nothing is known.
    fn new(rank: u32, transcript: Transcript) -> Self {
        Self {
            rank,
            transcript,
            known: None,
        }
    }

    /// How many bytes are to be read.
    fn size(&self) -> u64 {
        let known = self.known.as_ref().map_or(0, |known| known.whole);
        self.transcript.stamp.size.saturating_sub(known)
    }
}

impl Work<'_> {
    /// Takes from a ledger what still holds, and reads what files have grown by. Answers with what
    /// is known of files that are gone from the folders that were searched.
    fn recall(
        &mut self,
        mut ledger: Ledger,
        left: &mut [Option<Transcript>],
        searched: &[PathBuf],
    ) -> Vec<(Origin, Rows)> {
        let ranks: FxHashMap<_, _> = (0_u32..)
            .zip(&*left)
            .filter_map(|(rank, one)| Some((short(&one.as_ref()?.path), rank)))
            .collect();
        let real = |folder: &PathBuf| fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
        let folders: Vec<_> = searched.iter().map(real).collect();
        let written = ledger.written();
        let (mut tasks, mut held, mut gone) = (Vec::new(), 0, Vec::new());
        while let Some(entry) = ledger.next_entry() {
            let path = Path::new(entry.path);
            let rank = ranks.get(&short(path)).copied();
            let place = rank.and_then(|rank| Some((rank, left.get_mut(rank as usize)?)));
            let named = |one: &Transcript| one.path.as_os_str() == path.as_os_str();
            let Some((rank, place)) = place.filter(|(_, one)| one.as_ref().is_some_and(named))
            else {
                let here = folders.iter().any(|folder| path.starts_with(folder));
                if here && is_gone(path) {
                    gone.extend(kept::rows(entry.all_rows()).map(|rows| (path.to_owned(), rows)));
                }
                continue;
            };
            let task = self.still(&entry, written, rank, place);
            held += task.as_ref().map_or(0, |_| entry.rows.len());
            tasks.extend(task);
            if held > PILE {
                self.read_all(std::mem::take(&mut tasks));
                held = 0;
            }
        }
        self.read_all(tasks);
        gone.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let gone = gone.into_iter();
        gone.map(|(path, rows)| (origin(&path), rows)).collect()
    }

    /// Takes what an entry still says of its transcript. Answers with what there is to read then;
    /// a transcript of which it says nothing stays in its place.
    fn still(
        &mut self,
        entry: &Entry<'_>,
        written: i64,
        rank: u32,
        place: &mut Option<Transcript>,
    ) -> Option<Task> {
        let transcript = place.take()?;
        let holds = entry.holds(&transcript, written);
        if holds == Holds::All && self.remember(rank, &transcript, entry) {
            return None;
        }
        let known = kept::rows(entry.rows).filter(|_| holds != Holds::Nothing);
        let Some(rows) = known else {
            *place = Some(transcript);
            return None;
        };
        let whole = entry.whole;
        Some(Task {
            known: Some(Box::new(Known { rows, whole })),
            ..Task::new(rank, transcript)
        })
    }

    /// See [`Scan::remember`].
    fn remember(&mut self, rank: u32, transcript: &Transcript, entry: &Entry<'_>) -> bool {
        let done = self.done.get_mut().unwrap_or_else(PoisonError::into_inner);
        let remembered = done.0.remember(rank, transcript, entry).is_some();
        (self.seen)(done.0.bytes, self.all);
        remembered
    }

    /// Reads transcripts on all cores that are worth it. The largest come first, so that no thread
    /// is left alone with one at the end.
    fn read_all(&self, mut tasks: Vec<Task>) {
        if tasks.is_empty() {
            return;
        }
        tasks.sort_unstable_by_key(|task| (Reverse(task.size()), task.rank));
        let left: u64 = tasks.iter().map(Task::size).sum();
        let worth = usize::try_from(left / WORTH_A_THREAD).unwrap_or(usize::MAX);
        let most = worth.min(tasks.len());
        // The system looks through several files to tell: it is not asked in vain.
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let threads = if most > 1 { cores().min(most) } else { 1 };
        let tasks = Mutex::new(tasks.into_iter());
        let next = || lock(&tasks).next();
        let run = || {
            let mut room = Room::default();
            while let Some(task) = next() {
                self.read(task, &mut room);
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(run);
            }
            run();
        });
    }

    fn read(&self, task: Task, room: &mut Room) {
        let known = task.known.map(|known| *known);
        let transcript = &task.transcript;
        let reading = transcript::read(transcript, known, self.keep, room);
        let mut done = lock(&self.done);
        let (scan, writer) = &mut *done;
        if let (Some(writer), Some(entry)) = (writer, &reading.entry) {
            writer.put(task.rank, &transcript.path, entry);
        }
        let rows = scan.take(task.rank, transcript, reading);
        (self.seen)(scan.bytes, self.all);
        drop(done);
        room.rows = rows.cleared();
    }
}

/// Leads from a path to a rank; two paths may have the same.
fn short(path: &Path) -> u64 {
    xxh3_64(path.as_os_str().as_encoded_bytes())
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
