//! What was already counted, so that files that only grow are read once. In: a private folder.
//! Out: for each transcript its rows up to the last whole line, and how to tell that they still
//! hold. Rows of files that are gone stay. Never trusted: what is damaged, foreign or of another
//! version counts as not there, and is replaced.
//!
//! One file, read and written record after record, so that it may be larger than what is held of
//! it. It is replaced as a whole. Two programs may write at once: each takes in what the other has
//! written before it replaces it.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fs_err as fs;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;
use xxhash_rust::xxh3::xxh3_64;

use super::find::{Stamp, Transcript, fingerprint, order};
use super::rows::{Key, Row, Rows};
use super::{kept, messages};

/// Before the records. Changes whenever what is counted or how it is kept changes.
const MARK: &[u8] = b"lean-computer-use meter ledger 3\n";
/// So much before the end of the whole lines must still be the same when a file has grown.
const JOINT: u64 = 4096;
/// Longer than any real record.
const LONGEST: u32 = 1 << 30;

/// What was counted before, one record after another: its length, its hash, and an [`Entry`].
#[derive(Debug, Default)]
pub struct Ledger {
    records: Option<BufReader<fs::File>>,
    record: Vec<u8>,
    /// When the file was written, by the clock of its file system.
    written: i64,
}

/// The next ledger.
pub struct Writer {
    folder: PathBuf,
    /// Made for the first record. It has no name, so that nothing is left of a run that is ended.
    spool: Option<BufWriter<File>>,
    length: u64,
    /// The rank of each record in it, and where it stands.
    places: Vec<(u32, u64)>,
    /// The [`fingerprint`]s of the paths in it.
    paths: FxHashSet<u128>,
    failed: Option<anyhow::Error>,
}

/// What was counted of one transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry<'a> {
    /// Its path.
    pub path: &'a str,
    /// Its rows come from its first bytes, so many.
    pub whole: u64,
    stamp: Stamp,
    beside: Option<Stamp>,
    joint: u64,
    /// Those rows, see [`kept`].
    #[serde(with = "serde_bytes")]
    pub rows: &'a [u8],
    /// The rows of all its bytes, where a line without an end follows.
    #[serde(with = "serde_bytes")]
    torn: &'a [u8],
}

/// What an entry still says of its transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Everything.
    All,
    /// The rows of its first bytes. There may be more now, or its agent's type is another.
    Beginning,
    /// Nothing.
    Nothing,
}

impl Entry<'_> {
    /// The entry of a transcript whose first `whole` bytes gave these rows, as bytes; `torn` are
    /// those of all its bytes, where they are others. None when it cannot be kept: a path that is no
    /// text is not.
    #[must_use]
    pub fn of(
        transcript: &Transcript,
        whole: u64,
        rows: &Rows,
        torn: Option<&Rows>,
    ) -> Option<Vec<u8>> {
        let torn = torn.map(kept::bytes).transpose().ok()?;
        let entry = Entry {
            path: transcript.path.to_str()?,
            whole,
            stamp: transcript.stamp,
            beside: transcript.beside.as_deref().copied(),
            joint: joint(&transcript.path, whole).ok()?,
            rows: &kept::bytes(rows).ok()?,
            torn: torn.as_deref().unwrap_or_default(),
        };
        postcard::to_stdvec(&entry).ok()
    }

    /// The rows of all the bytes that were there.
    #[must_use]
    pub fn all_rows(&self) -> &[u8] {
        if self.torn.is_empty() {
            self.rows
        } else {
            self.torn
        }
    }

    /// What still holds, in a ledger that was written at a time.
    #[must_use]
    pub fn holds(&self, transcript: &Transcript, written: i64) -> Holds {
        let (then, now) = (&self.stamp, &transcript.stamp);
        let grown = then.number == now.number && now.size > then.size && now.size >= self.whole;
        if then == now && then.settled(written) {
            let beside = transcript.beside.as_deref();
            let same = self.beside.as_ref() == beside;
            let same = same && beside.is_none_or(|beside| beside.settled(written));
            return if same { Holds::All } else { Holds::Beginning };
        }
        // One that has grown shows it, however shortly before the ledger it changed.
        if grown && joint(&transcript.path, self.whole).ok() == Some(self.joint) {
            return Holds::Beginning;
        }
        Holds::Nothing
    }
}

/// Stands for the last bytes before `whole`.
fn joint(path: &Path, whole: u64) -> io::Result<u64> {
    let mut file = fs::File::open(path)?;
    file.seek(SeekFrom::Start(whole.saturating_sub(JOINT)))?;
    let mut bytes = Vec::new();
    file.take(whole.min(JOINT)).read_to_end(&mut bytes)?;
    Ok(xxh3_64(&bytes))
}

impl Ledger {
    /// Opens the ledger of a folder, which need not be there.
    #[must_use]
    pub fn open(folder: &Path) -> Self {
        of(&folder.join("ledger")).unwrap_or_default()
    }

    /// When it was written, in nanoseconds since 1970; 0 when there is none.
    #[must_use]
    pub fn written(&self) -> i64 {
        self.written
    }

    /// The next entry; none at the end, and before anything that is damaged.
    pub fn next_entry(&mut self) -> Option<Entry<'_>> {
        postcard::from_bytes(self.next_record()?).ok()
    }

    fn next_record(&mut self) -> Option<&[u8]> {
        next_of(self.records.as_mut()?, &mut self.record)
    }
}

/// Shows the [`messages::fingerprint`]s of the messages in the ledger of a folder, as far as the API
/// made their ids.
pub fn ids(folder: &Path, mut show: impl FnMut(u128)) {
    let mut ledger = Ledger::open(folder);
    while let Some(entry) = ledger.next_entry() {
        let Some((_, mut rows)) = kept::open(entry.all_rows()) else {
            continue;
        };
        let mut row = Row::default();
        while rows.next(&mut row) == Some(true) {
            if let Key::Id(id) = &row.key {
                show(messages::fingerprint(id));
            }
        }
    }
}

impl Writer {
    /// Writes into a folder, which need not be there yet.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            spool: None,
            length: 0,
            places: Vec::new(),
            paths: FxHashSet::default(),
            failed: None,
        }
    }

    /// Takes in an entry, as [`Entry::of`] gives it; `rank` is the place of its path among those of
    /// this run.
    pub fn put(&mut self, rank: u32, path: &Path, entry: &[u8]) {
        if self.failed.is_none() {
            self.failed = self.write(rank, entry).err();
            self.paths.insert(fingerprint(path));
        }
    }

    fn write(&mut self, rank: u32, record: &[u8]) -> Result<()> {
        let spool = match &mut self.spool {
            Some(spool) => spool,
            none => {
                private(&self.folder)?;
                none.insert(BufWriter::new(tempfile::tempfile_in(&self.folder)?))
            }
        };
        self.places.push((rank, self.length));
        self.length += put(spool, record)?;
        Ok(())
    }

    /// Puts it in the ledger's place, with the records that it does not replace. Nothing new,
    /// nothing written.
    pub fn save(mut self) -> Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let Some(spool) = self.spool.take() else {
            return Ok(());
        };
        let spool = spool.into_inner().map_err(io::IntoInnerError::into_error)?;
        let lock = fs::File::create(self.folder.join("lock"))?;
        // A file system without locks is no reason to count without a ledger.
        let _ = lock.file().lock();
        let path = self.folder.join("ledger");
        let mut file = BufWriter::new(NamedTempFile::new_in(&self.folder)?);
        file.write_all(MARK)?;
        self.merge(spool, &mut file)?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.persist(&path)
            .map_err(|error| error.error)
            .with_context(|| format!("could not replace {}", path.display()))?;
        Ok(())
    }

    /// In the order of paths, in which the next run takes them: then messages come in order.
    fn merge(&mut self, mut spool: File, into: &mut impl Write) -> Result<()> {
        let mut others = Ledger::open(&self.folder);
        let mut other = others.next_record().is_some();
        let mut record = Vec::new();
        self.places.sort_unstable();
        for (_, place) in &self.places {
            spool.seek(SeekFrom::Start(*place))?;
            let record = next_of(&mut spool, &mut record).context("the spool has changed")?;
            let path = path_of(record)?;
            while other && order(path_of(&others.record)?, path).is_lt() {
                self.keep(&others.record, into)?;
                other = others.next_record().is_some();
            }
            put(into, record)?;
        }
        while other {
            self.keep(&others.record, into)?;
            other = others.next_record().is_some();
        }
        Ok(())
    }

    /// Writes what an earlier run has kept, unless there is a new record of it.
    fn keep(&self, record: &[u8], into: &mut impl Write) -> Result<()> {
        if !self.paths.contains(&fingerprint(path_of(record)?)) {
            put(into, record)?;
        }
        Ok(())
    }
}

/// Writes a record; answers with the length of what is written.
fn put(into: &mut impl Write, record: &[u8]) -> Result<u64> {
    let length = u32::try_from(record.len()).ok().filter(|l| *l <= LONGEST);
    let length = length.context("too much in one transcript")?.to_le_bytes();
    let hash = xxh3_64(record).to_le_bytes();
    for bytes in [length.as_slice(), &hash, record] {
        into.write_all(bytes)?;
    }
    Ok((length.len() + hash.len() + record.len()) as u64)
}

/// Reads a record; none at the end, and when it is not as it was written.
fn next_of<'a>(records: &mut impl Read, record: &'a mut Vec<u8>) -> Option<&'a [u8]> {
    let (mut length, mut hash) = ([0; 4], [0; 8]);
    records.read_exact(&mut length).ok()?;
    records.read_exact(&mut hash).ok()?;
    let length = u32::from_le_bytes(length);
    (length <= LONGEST).then_some(())?;
    record.clear();
    let read = records.take(u64::from(length)).read_to_end(record).ok()?;
    let right = read == length as usize && xxh3_64(record) == u64::from_le_bytes(hash);
    right.then_some(record.as_slice())
}

fn path_of(record: &[u8]) -> Result<&Path> {
    let (path, _) = postcard::take_from_bytes::<&str>(record)?;
    Ok(Path::new(path))
}

/// The ledger of a file, if it is one.
fn of(path: &Path) -> Option<Ledger> {
    let file = fs::File::open(path).ok()?;
    let written = Stamp::of(&file.metadata().ok()?).changed;
    let mut records = BufReader::with_capacity(64 << 10, file);
    let mut mark = [0; MARK.len()];
    records.read_exact(&mut mark).ok()?;
    (mark == MARK).then_some(())?;
    Some(Ledger {
        records: Some(records),
        record: Vec::new(),
        written,
    })
}

/// Makes the folder, for its owner only.
fn private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
