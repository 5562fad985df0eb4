//! Which files are transcripts, and whose. In: paths. Out: files, each once, in the order of
//! their names. Lists folders, opens no file.

use std::cmp::Ordering;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf, is_separator};

use anyhow::{Result, bail};
use fs_err as fs;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_128;

use crate::escape::quoted;

mod listing;
mod look;
mod stamp;

use look::{ENDLESS, Looked, beside, unreadable};
pub use stamp::Stamp;

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
    /// The same of the folders.
    entered: FxHashSet<u128>,
}

/// One transcript file.
#[derive(Debug)]
pub struct Transcript {
    /// Its real path: no link in it.
    pub path: PathBuf,
    /// The file when it was found.
    pub stamp: Stamp,
    /// The file beside a subagent's, which tells its type; none where there is none.
    pub beside: Option<Box<Stamp>>,
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
        let first = self.transcripts.len();
        match fs::canonicalize(folder) {
            Ok(real) => self.add_below(folder.to_owned(), real),
            Err(error) => self.note(folder, &error),
        }
        self.transcripts[first..].sort_unstable_by(|a, b| order(&a.path, &b.path));
    }

    /// A folder is entered once, whatever links lead to it: so no link makes a loop.
    fn add_below(&mut self, folder: PathBuf, real: PathBuf) {
        let mut next = vec![(folder, real)];
        while let Some((folder, real)) = next.pop() {
            if !self.entered.insert(fingerprint(&real)) {
                continue;
            }
            let mut found = Looked::default();
            found.at(&folder, &real);
            self.unreadable.append(&mut found.unreadable);
            next.append(&mut found.folders);
            for transcript in found.transcripts {
                self.add_once(transcript);
            }
            for path in found.links {
                self.follow(path, &mut next);
            }
        }
    }

    /// Adds what a link leads to.
    fn follow(&mut self, path: PathBuf, next: &mut Vec<(PathBuf, PathBuf)>) {
        match std::fs::metadata(&path) {
            Ok(kind) if kind.is_dir() => match std::fs::canonicalize(&path) {
                Ok(real) => next.push((path, real)),
                Err(error) => self.note(&path, &error),
            },
            Ok(kind) if path.extension().is_some_and(|e| e == "jsonl") => {
                self.add_file(&path, fs::canonicalize(&path), &kind);
            }
            Ok(_) => {}
            Err(error) => self.note(&path, &error),
        }
    }

    fn add_file(&mut self, path: &Path, real: io::Result<PathBuf>, kind: &Metadata) {
        match real {
            Ok(real) if kind.is_file() => {
                let beside = beside(real.file_name().unwrap_or_default());
                let beside =
                    beside.and_then(|name| std::fs::metadata(real.with_file_name(name)).ok());
                self.add_once(Transcript {
                    path: real,
                    stamp: Stamp::of(kind),
                    beside: beside.map(|kind| Box::new(Stamp::of(&kind))),
                });
            }
            Ok(_) => self.unreadable.push((path.to_owned(), ENDLESS.to_owned())),
            Err(error) => self.unreadable.push((path.to_owned(), error.to_string())),
        }
    }

    fn add_once(&mut self, transcript: Transcript) {
        if self.seen.insert(fingerprint(&transcript.path)) {
            self.transcripts.push(transcript);
        }
    }

    fn note(&mut self, path: &Path, error: &io::Error) {
        self.unreadable.extend(unreadable(path, error));
    }
}

/// Stands for a path where many are held.
#[must_use]
pub fn fingerprint(path: &Path) -> u128 {
    xxh3_128(path.as_os_str().as_encoded_bytes())
}

/// The order of paths, as `Path` has it: a folder's own before those of one whose name begins so.
/// Only for real paths, where it need not look for anything but separators.
#[must_use]
pub fn order(a: &Path, b: &Path) -> Ordering {
    let [a, b] = [a, b].map(|path| path.as_os_str().as_encoded_bytes());
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let next = |path: &[u8]| {
        let next = path.get(same).copied();
        next.map(|byte| (!is_separator(char::from(byte)), byte))
    };
    next(a).cmp(&next(b))
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
    fn paths_have_the_order_of_paths() {
        let paths = [
            "/a", "/a/b", "/a-b/c", "/a/c", "/a.jsonl", "/a/-", "/", "/b", "/a/b/c",
        ];
        let paths = paths.map(Path::new);
        for a in paths {
            for b in paths {
                assert_eq!(order(a, b), a.cmp(b), "{a:?} {b:?}");
            }
        }
    }

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
