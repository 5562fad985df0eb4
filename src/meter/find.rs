//! Which files are transcripts, and whose. In: paths. Out: files, each once, in the order of
//! their names. Lists folders, opens no file.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use fs_err as fs;
use walkdir::WalkDir;

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
    seen: HashSet<PathBuf>,
}

/// One transcript file.
#[derive(Debug)]
pub struct Transcript {
    /// Its real path: no link in it.
    pub path: PathBuf,
    /// Whose it is.
    pub origin: Origin,
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
            self.add_file(path);
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

    /// Adds every `*.jsonl` below a folder, through links too.
    pub fn add_folder(&mut self, folder: &Path) {
        self.searched.push(folder.to_owned());
        for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
            match entry {
                Ok(entry) => {
                    let transcript = entry.path().extension().is_some_and(|e| e == "jsonl");
                    if transcript && entry.file_type().is_file() {
                        self.add_file(entry.path());
                    }
                }
                Err(error) => self.note(folder, &error),
            }
        }
    }

    fn add_file(&mut self, path: &Path) {
        match fs::canonicalize(path) {
            Ok(real) => {
                if self.seen.insert(real.clone()) {
                    let origin = origin(&real);
                    self.transcripts.push(Transcript { path: real, origin });
                }
            }
            Err(error) => self.unreadable.push((path.to_owned(), error.to_string())),
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
