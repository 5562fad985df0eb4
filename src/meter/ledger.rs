//! What was already counted, so that files that only grow are read once. In: a private folder.
//! Out: for each transcript its rows up to the last whole line, and how to tell that they still
//! hold. Rows of files that are gone stay. Never trusted: what is damaged, foreign or of another
//! version counts as empty, and is replaced.
//!
//! One file, replaced as a whole. Two programs may write at once: each takes in what the other has
//! written before it replaces it.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fs_err as fs;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use xxhash_rust::xxh3::xxh3_64;

use super::find::{Found, Transcript, changed};
use super::rows::Rows;

/// Before the hash and the content. Changes whenever what is counted or how it is kept changes.
const MARK: &[u8] = b"lean-computer-use meter ledger 1\n";
/// So much before the end of the whole lines must still be the same when a file has grown.
const JOINT: u64 = 4096;
const SECOND: i64 = 1_000_000_000;

/// What was counted before.
#[derive(Debug, Default)]
pub struct Ledger {
    folder: PathBuf,
    entries: BTreeMap<String, Entry>,
    /// What was read or changed in this run.
    new: BTreeMap<String, Entry>,
    /// When the file was written, by the clock of its file system.
    written: i64,
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

    /// Whether the transcript is unchanged; an error when its rows do not hold any more.
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
    /// Reads the ledger of a folder, which need not be there.
    #[must_use]
    pub fn open(folder: &Path) -> Self {
        let (entries, written) = load(&folder.join("ledger")).unwrap_or_default();
        Self {
            folder: folder.to_owned(),
            entries,
            written,
            ..Self::default()
        }
    }

    /// What is known of a transcript. Nothing when it changed so shortly before the ledger was
    /// written that a later change could bear the same time; one that has grown since shows it.
    #[must_use]
    pub fn known(&self, transcript: &Transcript) -> Option<&Entry> {
        let entry = self.entries.get(transcript.path.to_str()?)?;
        let last = entry.changed.max(entry.status);
        // File systems that keep whole seconds keep every second one of them.
        let coarse = if last % SECOND == 0 {
            2 * SECOND
        } else {
            SECOND / 10
        };
        let grown = transcript.size > entry.size;
        (grown || last + coarse <= self.written).then_some(entry)
    }

    /// Takes in what was read.
    pub fn put(&mut self, path: &Path, entry: Entry) {
        if let Some(path) = path.to_str() {
            self.new.insert(path.to_owned(), entry);
        }
    }

    /// The transcripts below the folders that were searched that are not there any more, and their
    /// rows.
    #[must_use]
    pub fn gone(&self, found: &Found) -> Vec<(PathBuf, Rows)> {
        let real = |folder: &PathBuf| fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
        let folders: Vec<_> = found.searched.iter().map(real).collect();
        let there = found.transcripts.iter().map(|there| there.path.as_path());
        let there: HashSet<_> = there.collect();
        let gone = self.entries.iter().filter(|(path, _)| {
            let path = Path::new(path);
            if there.contains(path) {
                return false;
            }
            let here = folders.iter().any(|folder| path.starts_with(folder));
            here && fs::symlink_metadata(path).is_err_and(|e| e.kind() == io::ErrorKind::NotFound)
        });
        gone.filter_map(|(path, entry)| Some((PathBuf::from(path), entry.rows()?)))
            .collect()
    }

    /// Writes what is new, beside what others have written meanwhile.
    pub fn save(self) -> Result<()> {
        if self.new.is_empty() {
            return Ok(());
        }
        private(&self.folder)?;
        let lock = fs::File::create(self.folder.join("lock"))?;
        // A file system without locks is no reason to count without a ledger.
        let _ = lock.file().lock();
        let path = self.folder.join("ledger");
        let mut entries = load(&path).map_or(self.entries, |(entries, _)| entries);
        entries.extend(self.new);
        let content = postcard::to_stdvec(&entries)?;
        let mut temp = tempfile::NamedTempFile::new_in(&self.folder)?;
        temp.write_all(MARK)?;
        temp.write_all(&xxh3_64(&content).to_le_bytes())?;
        temp.write_all(&content)?;
        temp.persist(&path)
            .map_err(|error| error.error)
            .with_context(|| format!("could not replace {}", path.display()))?;
        Ok(())
    }
}

fn load(path: &Path) -> Option<(BTreeMap<String, Entry>, i64)> {
    let mut file = fs::File::open(path).ok()?;
    let written = changed(&file.metadata().ok()?);
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let (hash, content) = bytes.strip_prefix(MARK)?.split_first_chunk::<8>()?;
    let right = xxh3_64(content) == u64::from_le_bytes(*hash);
    let entries = right.then(|| postcard::from_bytes(content).ok())??;
    Some((entries, written))
}

/// Makes the folder, for its owner only.
fn private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
