//! Which files are transcripts, and whose. In: paths. Out: files, each once, in the order of
//! their names. Lists folders, opens no file.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Result, bail};
use fs_err as fs;
use rustc_hash::FxHashSet;
use walkdir::{DirEntry, WalkDir};
use xxhash_rust::xxh3::xxh3_128;

use crate::escape::quoted;

/// The transcripts below some paths.
#[derive(Debug, Default)]
pub struct Found {
    /// Each real file once.
    pub transcripts: Vec<Transcript>,
    /// What could not be looked at: the path and why.
    pub unreadable: Vec<(PathBuf, String)>,
    /// The folders that were searched.
    pub searched: Vec<PathBuf>,
    /// The [`fingerprint`]s of the paths of the transcripts.
    seen: FxHashSet<u128>,
}

/// One transcript file.
#[derive(Debug)]
pub struct Transcript {
    /// Its real path: no link in it.
    pub path: PathBuf,
    /// Its size when it was found, in bytes.
    pub size: u64,
    /// When it changed last, in nanoseconds since 1970; 0 where that is not known.
    pub changed: i64,
    /// When its content, name or rights changed last, which no program can set; 0 where that is
    /// not known.
    pub status: i64,
    /// The system's number for the file, 0 where it has none: another file in its place has another.
    pub number: u64,
}

/// Whose lines stand in a transcript, as far as its path tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The session whose `subagents/` folder holds the file: its lines are that session's,
    /// whatever they say.
    pub parent: Option<String>,
    /// The session when neither `parent` nor a line names one.
    pub session: Option<String>,
    /// The subagent when a line names none.
    pub agent: Option<String>,
    /// The folder that holds the session's file, which Claude Code names after the project's path.
    pub project: Option<String>,
}

impl Transcript {
    /// Whose it is.
    #[must_use]
    pub fn origin(&self) -> Origin {
        origin(&self.path)
    }
}

impl Found {
    /// Adds a file, or the transcripts of a folder: one that has `projects/` means only that.
    /// Fails when there is nothing at `path`.
    pub fn add(&mut self, path: &Path) -> Result<()> {
        let kind = match fs::metadata(path) {
            Ok(kind) => kind,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                bail!(
                    "could not find {}: no such file or folder",
                    quoted(&path.display().to_string())
                );
            }
            Err(error) => {
                self.unreadable.push((path.to_owned(), error.to_string()));
                return Ok(());
            }
        };
        if !kind.is_dir() {
            let real = fs::canonicalize(path);
            self.add_file(path, real, &kind);
            return Ok(());
        }
        let projects = path.join("projects");
        let folder = if projects.is_dir() { &projects } else { path };
        self.add_folder(folder);
        Ok(())
    }

    /// Adds what Claude Code keeps below its configuration folder, if anything.
    pub fn add_configuration(&mut self, folder: &Path) {
        let projects = folder.join("projects");
        if projects.is_dir() {
            self.add_folder(&projects);
        } else {
            self.searched.push(projects);
        }
    }

    /// Adds a file that may be missing.
    pub fn add_if_file(&mut self, path: &Path) {
        if let Ok(kind) = fs::metadata(path)
            && kind.is_file()
        {
            self.add_file(path, fs::canonicalize(path), &kind);
        }
    }

    /// Adds every `*.jsonl` below a folder, through links too.
    pub fn add_folder(&mut self, folder: &Path) {
        self.searched.push(folder.to_owned());
        let mut within = Within::default();
        for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
            match entry {
                Ok(entry) if entry.file_type().is_dir() => within.enter(&entry),
                Ok(entry) if entry.path().extension().is_some_and(|e| e == "jsonl") => {
                    let real = within.real(&entry);
                    match entry.metadata() {
                        Ok(kind) => self.add_file(entry.path(), real, &kind),
                        Err(error) => self.note(folder, &error),
                    }
                }
                Ok(_) => {}
                Err(error) => self.note(folder, &error),
            }
        }
    }

    fn add_file(&mut self, path: &Path, real: io::Result<PathBuf>, kind: &Metadata) {
        let real = match real {
            Ok(real) if kind.is_file() => real,
            // Nobody knows when a pipe or a device ends.
            Ok(_) => {
                let why = "not a regular file".to_owned();
                return self.unreadable.push((path.to_owned(), why));
            }
            Err(error) => return self.unreadable.push((path.to_owned(), error.to_string())),
        };
        if self.seen.insert(fingerprint(&real)) {
            self.transcripts.push(Transcript {
                path: real,
                size: kind.len(),
                changed: changed(kind),
                status: status(kind),
                number: number(kind),
            });
        }
    }

    /// A link that leads nowhere or back to where it stands hides nothing.
    fn note(&mut self, folder: &Path, error: &walkdir::Error) {
        let dangling = error
            .io_error()
            .is_some_and(|error| error.kind() == io::ErrorKind::NotFound);
        if dangling || error.loop_ancestor().is_some() {
            return;
        }
        let path = error.path().unwrap_or(folder).to_owned();
        let why = error.io_error().map_or(String::new(), io::Error::to_string);
        self.unreadable.push((path, why));
    }
}

/// The real paths of the folder that is being listed and of those above it, so that only links are
/// asked where they lead.
#[derive(Default)]
struct Within(Vec<io::Result<PathBuf>>);

impl Within {
    /// A folder is listed next.
    fn enter(&mut self, folder: &DirEntry) {
        let real = self.real(folder);
        self.0.truncate(folder.depth());
        self.0.push(real);
    }

    /// The real path of an entry.
    fn real(&self, entry: &DirEntry) -> io::Result<PathBuf> {
        let above = entry.depth().checked_sub(1).and_then(|at| self.0.get(at));
        match above {
            // Not `join`, which leaves room for more: there may be a hundred thousand.
            Some(Ok(above)) if !entry.path_is_symlink() => {
                Ok([above.as_os_str(), entry.file_name()].iter().collect())
            }
            _ => fs::canonicalize(entry.path()),
        }
    }
}

/// Stands for a path where many are held.
#[must_use]
pub fn fingerprint(path: &Path) -> u128 {
    xxh3_128(path.as_os_str().as_encoded_bytes())
}

/// When the content of a file changed last, in nanoseconds since 1970; 0 where that is not known.
#[must_use]
pub fn changed(kind: &Metadata) -> i64 {
    let since = kind.modified().ok();
    let since = since.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    since
        .and_then(|since| i64::try_from(since.as_nanos()).ok())
        .unwrap_or(0)
}

#[cfg(unix)]
fn number(kind: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    kind.ino()
}

#[cfg(unix)]
fn status(kind: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt;
    kind.ctime() * 1_000_000_000 + kind.ctime_nsec()
}

#[cfg(not(unix))]
fn status(_: &Metadata) -> i64 {
    0
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> u64 {
    0
}

/// Reads the layout `<session>.jsonl`, `<session>/subagents/**/agent-<id>.jsonl` and the older
/// `agent-<id>.jsonl` beside the session's file.
#[must_use]
pub fn origin(path: &Path) -> Origin {
    let text = |name: &std::ffi::OsStr| name.to_string_lossy().into_owned();
    let session = path
        .ancestors()
        .find(|folder| folder.file_name().is_some_and(|name| name == "subagents"))
        .and_then(Path::parent);
    let parent = session.and_then(|folder| folder.file_name().map(text));
    let project = session
        .filter(|_| parent.is_some())
        .unwrap_or(path)
        .parent();
    let stem = path.file_stem().map(text);
    let agent = stem
        .as_deref()
        .and_then(|stem| stem.strip_prefix("agent-"))
        .map(str::to_owned);
    Origin {
        session: if agent.is_none() { stem } else { None },
        parent,
        agent,
        project: project.and_then(|folder| folder.file_name().map(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_tells_session_and_agent() {
        let name = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        for (path, project, parent, session, agent) in [
            ("/p/projects/-x/s1.jsonl", "-x", "", "s1", ""),
            (
                "/p/projects/-x/s1/subagents/agent-a1.jsonl",
                "-x",
                "s1",
                "",
                "a1",
            ),
            (
                "/p/projects/-x/s1/subagents/workflows/wf_1/agent-a1.jsonl",
                "-x",
                "s1",
                "",
                "a1",
            ),
            ("/p/projects/-x/agent-a1.jsonl", "-x", "", "", "a1"),
            ("/subagents/x.jsonl", "subagents", "", "x", ""),
        ] {
            let want = Origin {
                parent: name(parent),
                session: name(session),
                agent: name(agent),
                project: name(project),
            };
            assert_eq!(origin(Path::new(path)), want, "{path}");
        }
    }
}
