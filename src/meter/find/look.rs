//! Folders → what stands in them: transcripts with their stamps, more folders, links. Follows no
//! link, enters no folder.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf};

use super::Transcript;
use super::listing::{Kind, Listing};

/// Nobody knows when a pipe or a device ends.
pub const ENDLESS: &str = "not a regular file";

/// A link that leads nowhere, and what went away meanwhile, hides nothing.
pub fn unreadable(path: &Path, error: &io::Error) -> Option<(PathBuf, String)> {
    let there = error.kind() != io::ErrorKind::NotFound;
    there.then(|| (path.to_owned(), error.to_string()))
}

/// What stands in some folders.
#[derive(Default)]
pub struct Looked {
    /// Files; that they are found for the first time is not sure.
    pub transcripts: Vec<Transcript>,
    /// Folders, each with its real path.
    pub folders: Vec<(PathBuf, PathBuf)>,
    /// Links to anything.
    pub links: Vec<PathBuf>,
    /// What could not be looked at: the path and why.
    pub unreadable: Vec<(PathBuf, String)>,
}

impl Looked {
    /// Looks into a folder, of which the real path is known.
    pub fn at(&mut self, folder: &Path, real: &Path) {
        let listed = Listing::of(folder, |listing, name, kind| {
            let path = || join(folder, name);
            match kind {
                Kind::Folder => self.folders.push((path(), join(real, name))),
                Kind::Link => self.links.push(path()),
                Kind::Other if is_transcript(name) => match listing.stamp(name) {
                    Ok(Some(stamp)) => {
                        let beside = beside(name).and_then(|name| listing.stamp(&name).ok()?);
                        self.transcripts.push(Transcript {
                            path: join(real, name),
                            stamp,
                            beside: beside.map(Box::new),
                        });
                    }
                    Ok(None) => self.unreadable.push((path(), ENDLESS.to_owned())),
                    Err(error) => self.unreadable.extend(unreadable(&path(), &error)),
                },
                Kind::Other => {}
            }
        });
        if let Err(error) = listed {
            self.unreadable.extend(unreadable(folder, &error));
        }
    }
}

/// Not `Path::join`, which leaves room for more: there may be a hundred thousand.
fn join(folder: &Path, name: &OsStr) -> PathBuf {
    let folder = folder.as_os_str();
    let mut path = OsString::with_capacity(folder.len() + 1 + name.len());
    path.push(folder);
    if !folder
        .as_encoded_bytes()
        .ends_with(MAIN_SEPARATOR_STR.as_bytes())
    {
        path.push(MAIN_SEPARATOR_STR);
    }
    path.push(name);
    path.into()
}

fn is_transcript(name: &OsStr) -> bool {
    Path::new(name).extension().is_some_and(|e| e == "jsonl")
}

/// Claude Code writes `agent-<id>.meta.json` beside `agent-<id>.jsonl`.
pub fn beside(name: &OsStr) -> Option<OsString> {
    let agent = name.as_encoded_bytes().starts_with(b"agent-");
    agent.then(|| Path::new(name).with_extension("meta.json").into())
}
