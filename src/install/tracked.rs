//! The index of the git repository around a place, as bytes. In go a folder, out comes where the
//! index lies, and whether it names a file below `local/`. Starts no process, so what the index
//! leaves to another file, or shortens (its version 4), is not seen.

use std::path::{Path, PathBuf};

use fs_err as fs;
use memchr::memmem;

use super::place::Place;
use crate::files::read_if_present;

/// The index of the repository that `folder` lies in; none when it has none.
#[must_use]
pub fn index_around(folder: &Path) -> Option<PathBuf> {
    let index = folder.ancestors().find_map(index)?;
    index.is_file().then_some(index)
}

/// Whether these bytes hold the path of a file below `local/`.
#[must_use]
pub fn names_local(index: &Path, place: &Place) -> bool {
    let local = format!("{}/", place.names.local);
    fs::read(index).is_ok_and(|bytes| memmem::find(&bytes, local.as_bytes()).is_some())
}

/// The index of the repository whose top this folder is. In a worktree `.git` is a file.
fn index(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_dir() {
        return Some(git.join("index"));
    }
    let text = String::from_utf8(read_if_present(&git).ok().flatten()?).ok()?;
    let elsewhere = text.strip_prefix("gitdir:")?.trim();
    Some(folder.join(elsewhere).join("index"))
}
