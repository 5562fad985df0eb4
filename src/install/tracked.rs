//! Whether git tracks what belongs to one machine. In goes a project, out comes yes or no. Reads
//! git's index as bytes and starts no process; an index in version 4, which shortens its paths, is
//! not seen through.

use std::path::{Path, PathBuf};

use fs_err as fs;
use memchr::memmem;

use super::place::Place;

/// Whether a file below `local/` is in the index of the repository around this place.
#[must_use]
pub fn local_is_tracked(place: &Place) -> bool {
    let index = place.root.ancestors().find_map(index);
    let bytes = index.and_then(|index| fs::read(index).ok());
    bytes.is_some_and(|bytes| {
        memmem::find(&bytes, format!("{}/", place.names.local).as_bytes()).is_some()
    })
}

/// The index of the repository whose top this folder is. In a worktree `.git` is a file.
fn index(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_dir() {
        return Some(git.join("index"));
    }
    let text = fs::read_to_string(&git).ok()?;
    let elsewhere = text.strip_prefix("gitdir:")?.trim();
    Some(folder.join(elsewhere).join("index"))
}
