//! Messages that another session has counted. A forked session begins with copies of the messages
//! of the one it comes from, under its own name (seen with Claude Code 2.1.197 and 2.1.332): in
//! the rows of both they would count twice. In: the folders that the token meter keeps, one a
//! session. Out: what stands for the ids of such messages.
//!
//! Looked for once, at the session's first event that finds messages, and kept: whoever comes later
//! leaves out.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;
use fs_err as fs;
use rustc_hash::FxHashSet;
use tempfile::NamedTempFile;

use crate::meter::Counted;
use crate::meter::ledger;
use crate::meter::messages::fingerprint;

/// What stands for ids of messages, see [`fingerprint`].
pub type Copies = FxHashSet<u128>;

/// Those of a session whose folder is `own`, below `meter`.
pub fn copies<'a>(
    meter: &Path,
    own: &Path,
    counted: impl IntoIterator<Item = &'a Counted>,
) -> Result<Copies> {
    let file = own.join("copies");
    if let Some(known) = read(&file)? {
        return Ok(known);
    }
    let ids = counted.into_iter().filter_map(|one| one.id.as_deref());
    let ids: Copies = ids.map(fingerprint).collect();
    if ids.is_empty() {
        return Ok(ids);
    }
    let mut copies = Copies::default();
    for folder in fs::read_dir(meter)? {
        let folder = folder?.path();
        if folder != own {
            ledger::ids(&folder, |id| {
                if ids.contains(&id) {
                    copies.insert(id);
                }
            });
        }
    }
    let mut temp = NamedTempFile::new_in(own)?;
    for id in &copies {
        temp.write_all(&id.to_le_bytes())?;
    }
    match temp.persist_noclobber(&file) {
        // A hook beside us was first.
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Ok(read(&file)?.unwrap_or(copies))
        }
        Err(error) => Err(error.error.into()),
        Ok(_) => Ok(copies),
    }
}

fn read(file: &Path) -> io::Result<Option<Copies>> {
    match fs::read(file) {
        Ok(bytes) => {
            let ids = bytes.as_chunks::<16>().0.iter();
            Ok(Some(ids.map(|id| u128::from_le_bytes(*id)).collect()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
