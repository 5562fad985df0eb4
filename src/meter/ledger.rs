//! What was already counted, so that files that only grow are read once. In: a private folder.
//! Out: for each transcript its rows up to the last whole line, and how to tell that they still
//! hold. Rows of files that are gone stay. Never trusted: what is damaged, foreign or of another
//! version counts as empty, and is replaced.
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
use serde_bytes::ByteBuf;
use tempfile::NamedTempFile;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use super::find::{Transcript, changed, fingerprint};
use super::messages;
use super::rows::{Key, Rows};

/// Before the hash and the records. Changes whenever what is counted or how it is kept changes.
const MARK: &[u8] = b"lean-computer-use meter ledger 2\n";
/// So much before the end of the whole lines must still be the same when a file has grown.
const JOINT: u64 = 4096;
const SECOND: i64 = 1_000_000_000;
/// Longer than any real record.
const LONGEST: u32 = 1 << 30;

/// What was counted before, one record after another.
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
    hash: Xxh3Default,
    /// The [`fingerprint`]s of the paths in it.
    paths: FxHashSet<u128>,
    failed: Option<anyhow::Error>,
}

/// What was counted of one transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its rows come from its first bytes, so many.
    pub whole: u64,
    size: u64,
    changed: i64,
    status: i64,
    number: u64,
    joint: u64,
    rows: ByteBuf,
}

impl Entry {
    /// Of a transcript whose first `whole` bytes gave these rows; none when it cannot be kept.
    #[must_use]
    pub fn new(transcript: &Transcript, whole: u64, rows: &Rows) -> Option<Self> {
        Some(Self {
            whole,
            size: transcript.size,
            changed: transcript.changed,
            status: transcript.status,
            number: transcript.number,
            joint: joint(&transcript.path, whole).ok()?,
            rows: ByteBuf::from(postcard::to_stdvec(rows).ok()?),
        })
    }

    /// Its rows; none when they cannot be read.
    #[must_use]
    pub fn rows(&self) -> Option<Rows> {
        postcard::from_bytes(&self.rows).ok()
    }

    /// Whether the transcript is unchanged, not only longer; an error when its rows do not hold any
    /// more.
    pub fn holds(&self, transcript: &Transcript) -> io::Result<bool> {
        if self.same(transcript) {
            return Ok(true);
        }
        let grown = self.number == transcript.number
            && transcript.size > self.size
            && transcript.size >= self.whole;
        if grown && joint(&transcript.path, self.whole)? == self.joint {
            return Ok(false);
        }
        Err(io::ErrorKind::InvalidData.into())
    }

    fn same(&self, transcript: &Transcript) -> bool {
        let found = (
            transcript.size,
            transcript.changed,
            transcript.status,
            transcript.number,
        );
        (self.size, self.changed, self.status, self.number) == found
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
        whole(&folder.join("ledger")).unwrap_or_default()
    }

    /// Whether what is known of a transcript says anything. It does not when the transcript changed
    /// so shortly before the ledger was written that a later change could bear the same time; one
    /// that has grown since shows it.
    #[must_use]
    pub fn settled(written: i64, entry: &Entry, transcript: &Transcript) -> bool {
        let last = entry.changed.max(entry.status);
        // File systems that keep whole seconds keep every second one of them.
        let coarse = if last % SECOND == 0 {
            2 * SECOND
        } else {
            SECOND / 10
        };
        transcript.size > entry.size || last + coarse <= written
    }

    /// When it was written, in nanoseconds since 1970; 0 when there is none.
    #[must_use]
    pub fn written(&self) -> i64 {
        self.written
    }
}

/// Its records: a transcript's path and what was counted of it.
impl Iterator for Ledger {
    type Item = (String, Entry);

    fn next(&mut self) -> Option<Self::Item> {
        next_of(self.records.as_mut()?, &mut self.record)?;
        postcard::from_bytes(&self.record).ok()
    }
}

/// The [`messages::fingerprint`]s of the messages in the ledger of a folder, as far as the API made their
/// ids.
pub fn ids(folder: &Path) -> impl Iterator<Item = u128> {
    let rows = Ledger::open(folder).filter_map(|(_, entry)| entry.rows());
    let rows = rows.flat_map(|rows| rows.rows);
    rows.filter_map(|row| match row.key {
        Key::Id(id) => Some(messages::fingerprint(&id)),
        Key::Line(_) | Key::Gateway(..) => None,
    })
}

impl Writer {
    /// Writes into a folder, which need not be there yet.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            spool: None,
            hash: Xxh3Default::new(),
            paths: FxHashSet::default(),
            failed: None,
        }
    }

    /// Takes in what was read. A path that is no text is not kept.
    pub fn put(&mut self, path: &Path, entry: &Entry) {
        let Some(text) = path.to_str().filter(|_| self.failed.is_none()) else {
            return;
        };
        let put = postcard::to_stdvec(&(text, entry))
            .map_err(anyhow::Error::from)
            .and_then(|record| self.write(&record));
        self.failed = put.err();
        self.paths.insert(fingerprint(path));
    }

    fn write(&mut self, record: &[u8]) -> Result<()> {
        let length = u32::try_from(record.len()).ok().filter(|l| *l <= LONGEST);
        let length = length.context("too much in one transcript")?.to_le_bytes();
        let spool = match &mut self.spool {
            Some(spool) => spool,
            none => {
                private(&self.folder)?;
                none.insert(BufWriter::new(tempfile::tempfile_in(&self.folder)?))
            }
        };
        for bytes in [&length, record] {
            self.hash.update(bytes);
            spool.write_all(bytes)?;
        }
        Ok(())
    }

    /// Puts it in the ledger's place, with the records that it does not replace. Nothing new,
    /// nothing written.
    pub fn save(mut self) -> Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if self.spool.is_none() {
            return Ok(());
        }
        let lock = fs::File::create(self.folder.join("lock"))?;
        // A file system without locks is no reason to count without a ledger.
        let _ = lock.file().lock();
        let path = self.folder.join("ledger");
        let mut others = Ledger::open(&self.folder);
        while let Some(records) = others.records.as_mut()
            && next_of(records, &mut others.record).is_some()
        {
            let (path, _): (&str, _) = postcard::take_from_bytes(&others.record)?;
            if !self.paths.contains(&fingerprint(Path::new(path))) {
                self.write(&others.record)?;
            }
        }
        let Some(spool) = self.spool else {
            return Ok(());
        };
        let mut spool = spool.into_inner().map_err(io::IntoInnerError::into_error)?;
        spool.rewind()?;
        let mut file = NamedTempFile::new_in(&self.folder)?;
        file.write_all(MARK)?;
        file.write_all(&self.hash.digest().to_le_bytes())?;
        io::copy(&mut spool, file.as_file_mut())?;
        file.persist(&path)
            .map_err(|error| error.error)
            .with_context(|| format!("could not replace {}", path.display()))?;
        Ok(())
    }
}

/// The ledger of a file, if it is whole.
fn whole(path: &Path) -> Option<Ledger> {
    let mut file = fs::File::open(path).ok()?;
    let written = changed(&file.metadata().ok()?);
    let mut head = [0; MARK.len() + 8];
    file.read_exact(&mut head).ok()?;
    let right = head.strip_prefix(MARK)?.try_into().map(u64::from_le_bytes);
    let mut hash = Xxh3Default::new();
    let mut piece = vec![0; 64 << 10];
    loop {
        match file.read(&mut piece).ok()? {
            0 => break,
            read => hash.update(&piece[..read]),
        }
    }
    (right.ok()? == hash.digest()).then_some(())?;
    file.seek(SeekFrom::Start(head.len() as u64)).ok()?;
    Some(Ledger {
        records: Some(BufReader::with_capacity(64 << 10, file)),
        record: Vec::new(),
        written,
    })
}

/// Reads a record; none at the end.
fn next_of(records: &mut impl Read, record: &mut Vec<u8>) -> Option<()> {
    let mut length = [0; 4];
    records.read_exact(&mut length).ok()?;
    let length = u32::from_le_bytes(length);
    (length <= LONGEST).then_some(())?;
    record.clear();
    let read = records.take(u64::from(length)).read_to_end(record).ok()?;
    (read == length as usize).then_some(())
}

/// Makes the folder, for its owner only.
fn private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
