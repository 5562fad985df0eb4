//! What one run keeps between its commands: session label, process and window, what it launched.
//! A run is an app within one agent session, so that overlapping runs do not meet.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fs_err as fs;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::refs::{self, Refs};
use super::request::Window;
use super::state::{self, StateFolder};
use super::tree::Node;
use crate::files;

const FILE: &str = "run.json";

/// A process that is known again: ids come back, ids with a start time do not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its id.
    pub pid: i64,
    /// When it started, as [`super::Driver::process_start`] says it.
    pub start: String,
}

/// The content of `run.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    /// The agent session that it belongs to.
    session: Option<String>,
    label: Option<String>,
    window: Option<Window>,
    process: Option<Process>,
    launched: Vec<Process>,
    restricted: bool,
    /// The file of the read that was shown last.
    shown: Option<String>,
    /// A window opened since the last look.
    opened: bool,
    /// Which driver, and whether it takes several actions in one call.
    batches: Option<(String, bool)>,
}

/// One run, open.
pub struct Run {
    state: StateFolder,
    folder: PathBuf,
    kept: Kept,
    refs: Option<Refs>,
}

impl Run {
    /// Opens the run of this app in this agent session, new if need be.
    pub fn open(state: &StateFolder, session: &str, app: &str) -> Result<Self> {
        let folder = state::folder_in(state.path(), &name(session, app))?;
        let mut run = Self::load(state, folder);
        run.kept.session = Some(session.to_owned());
        Ok(run)
    }

    /// Opens it only if there is one.
    #[must_use]
    pub fn find(state: &StateFolder, session: &str, app: &str) -> Option<Self> {
        let folder = state.path().join(name(session, app));
        let there = fs::symlink_metadata(&folder).is_ok_and(|meta| meta.is_dir());
        there.then(|| Self::load(state, folder))
    }

    /// All runs of an agent session that launched something, by whatever names.
    pub fn launchers(state: &StateFolder, session: &str) -> Result<Vec<Self>> {
        let mut runs = Vec::new();
        for entry in fs::read_dir(state.path())? {
            let entry = entry?;
            let named = entry.file_name().to_str().is_some_and(is_run);
            if named && entry.file_type()?.is_dir() {
                let run = Self::load(state, entry.path());
                let of_session = run.kept.session.as_deref() == Some(session);
                runs.extend((of_session && !run.kept.launched.is_empty()).then_some(run));
            }
        }
        runs.sort_by(|a, b| a.folder.cmp(&b.folder));
        Ok(runs)
    }

    fn load(state: &StateFolder, folder: PathBuf) -> Self {
        // What cannot be read is forgotten: the app is looked up again, the label made anew.
        let bytes = files::read_if_present(&folder.join(FILE)).ok().flatten();
        let kept = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self {
            state: state.clone(),
            folder,
            kept: kept.unwrap_or_default(),
            refs: None,
        }
    }

    /// The state folder that it lies in.
    #[must_use]
    pub fn state(&self) -> &StateFolder {
        &self.state
    }

    /// What it launched, the first first.
    #[must_use]
    pub fn launched(&self) -> &[Process] {
        &self.kept.launched
    }

    /// Its folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The driver session's label, if one was made.
    #[must_use]
    pub fn session(&self) -> Option<&str> {
        self.kept.label.as_deref()
    }

    /// The driver session's label. It is on the disk before the driver hears of it, so that
    /// `desk-clean` can end it whatever happens.
    pub fn label(&mut self) -> Result<String> {
        match &self.kept.label {
            Some(label) => Ok(label.clone()),
            None => self.new_label(),
        }
    }

    /// A label that no run had before: an ended one stays dead.
    pub fn new_label(&mut self) -> Result<String> {
        let mut bytes = [0; 4];
        getrandom::fill(&mut bytes).context("could not get random bytes")?;
        let label = format!("lcu-{:08x}", u32::from_be_bytes(bytes));
        self.kept.label = Some(label.clone());
        self.save()?;
        Ok(label)
    }

    /// The window used last, and its process.
    #[must_use]
    pub fn window(&self) -> Option<(Window, &Process)> {
        Some((self.kept.window?, self.kept.process.as_ref()?))
    }

    /// Remembers a window for as long as its process lives; forgets one whose process cannot be
    /// known again.
    pub fn remember(&mut self, window: Window, start: Option<String>) -> Result<()> {
        let pid = window.pid;
        let process = start.map(|start| Process { pid, start });
        self.kept.window = process.is_some().then_some(window);
        self.kept.process = process;
        self.save()
    }

    /// Notes what was launched, whether or not a window of it will be seen.
    pub fn note_launched(&mut self, process: Process) -> Result<()> {
        self.kept.launched.push(process);
        self.save()
    }

    /// Forgets the window, also for the next command.
    pub fn forget_window(&mut self) -> Result<()> {
        self.kept.window = None;
        self.kept.process = None;
        self.save()
    }

    /// Notes whether the app runs commands or changes the system.
    pub fn restrict(&mut self, restricted: bool) {
        self.kept.restricted = restricted;
    }

    /// Whether it was noted so.
    #[must_use]
    pub fn is_restricted(&self) -> bool {
        self.kept.restricted
    }

    /// Notes whether the last action opened a window that nobody has looked at.
    pub fn note_opened(&mut self, opened: bool) -> Result<()> {
        if self.kept.opened == opened {
            return Ok(());
        }
        self.kept.opened = opened;
        self.save()
    }

    /// Whether it was noted so.
    #[must_use]
    pub fn has_opened(&self) -> bool {
        self.kept.opened
    }

    /// Whether this very driver takes several actions in one call; none when nobody asked it yet.
    #[must_use]
    pub fn batches(&self, driver: &str) -> Option<bool> {
        let (known, batches) = self.kept.batches.as_ref()?;
        (known == driver).then_some(*batches)
    }

    /// Notes it.
    pub fn note_batches(&mut self, driver: String, batches: bool) -> Result<()> {
        self.kept.batches = Some((driver, batches));
        self.save()
    }

    /// The file of the read that was shown last.
    #[must_use]
    pub fn shown(&self) -> Option<PathBuf> {
        let name = self.kept.shown.as_deref().filter(|name| is_ours(name))?;
        Some(self.folder.join(name))
    }

    /// Notes which read was shown.
    pub fn note_shown(&mut self, path: &Path) -> Result<()> {
        let name = path.file_name().and_then(|name| name.to_str());
        self.kept.shown = name.map(str::to_owned);
        self.save()
    }

    /// Gives the controls of a read their refs; new ones are kept at once.
    pub fn mark(&mut self, nodes: &mut [Node]) -> Result<()> {
        let path = self.folder.join(refs::FILE);
        let refs = self.refs.get_or_insert_with(|| {
            let bytes = files::read_if_present(&path).ok().flatten();
            let known = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
            known.unwrap_or_default()
        });
        if refs.mark(nodes) {
            files::replace(&path, &serde_json::to_vec(refs)?, state::PRIVATE)?;
        }
        Ok(())
    }

    /// Whether a ref of [`Run::mark`] is of a control that had no twin.
    #[must_use]
    pub fn is_lone(&self, reference: &str) -> bool {
        self.refs
            .as_ref()
            .is_some_and(|refs| refs.is_lone(reference))
    }

    fn save(&self) -> Result<()> {
        let bytes = serde_json::to_vec(&self.kept)?;
        files::replace(&self.folder.join(FILE), &bytes, state::PRIVATE)
    }

    /// Removes what the run left: its own files, and the folder unless somebody else's file is in
    /// it. Returns how many files went.
    pub fn remove(self) -> Result<usize> {
        let removed = self.remove_files(is_ours)?;
        if fs::read_dir(&self.folder)?.next().is_none() {
            fs::remove_dir(&self.folder)?;
        }
        Ok(removed)
    }

    /// The same, but what was launched is still known.
    pub fn reduce(mut self) -> Result<usize> {
        self.kept = Kept {
            session: self.kept.session,
            launched: self.kept.launched,
            ..Kept::default()
        };
        self.save()?;
        self.remove_files(|name| is_ours(name) && name != FILE)
    }

    fn remove_files(&self, goes: impl Fn(&str) -> bool) -> Result<usize> {
        let mut removed = 0;
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let goes = entry.file_name().to_str().is_some_and(&goes);
            if goes && entry.file_type()?.is_file() {
                fs::remove_file(entry.path())?;
                removed += 1;
            }
        }
        Ok(removed)
    }
}

/// Names of files that a run writes: `run.json`, `refs.json`, `sim.json`, reads (`r1`, `r2`, …),
/// and what a killed command left half-written of them.
#[must_use]
pub fn is_ours(name: &str) -> bool {
    let read = name.strip_prefix('r').unwrap_or_default();
    let is_read = !read.is_empty() && read.bytes().all(|b| b.is_ascii_digit());
    is_read
        || state::is_temp(name.as_ref())
        || [FILE, refs::FILE, super::simulated::FILE].contains(&name)
}

/// Names of the folders of runs.
#[must_use]
pub fn is_run(name: &str) -> bool {
    name.len() == 6 && name.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Short, because every path that is printed costs tokens.
fn name(session: &str, app: &str) -> String {
    let digest = Sha256::new()
        .chain_update(session)
        .chain_update([0])
        .chain_update(app.to_lowercase())
        .finalize();
    files::short(&digest, 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_kept_and_removed_without_touching_others() {
        let temp = tempfile::tempdir().unwrap();
        let state = StateFolder::claim(&temp.path().join("s")).unwrap();
        let mut run = Run::open(&state, "a", "Calc").unwrap();
        let label = run.label().unwrap();
        let window = Window { pid: 4, id: 5 };
        run.remember(window, Some("t".to_owned())).unwrap();
        let mut again = Run::open(&state, "a", "calc").unwrap();
        assert_eq!(again.label().unwrap(), label);
        assert_eq!(again.window().map(|(window, _)| window), Some(window));
        assert!(Run::find(&state, "b", "calc").is_none());

        again.remember(window, None).unwrap();
        assert!(again.window().is_none());
        let folder = again.folder().to_owned();
        std::fs::File::create(folder.join("r12")).unwrap();
        std::fs::File::create(folder.join("theirs")).unwrap();
        assert_eq!(again.remove().unwrap(), 2);
        assert!(folder.join("theirs").exists());
    }

    #[test]
    fn only_a_new_empty_or_marked_folder_is_claimed() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("deep/state");
        StateFolder::claim(&path).unwrap();
        std::fs::File::create(path.join("x")).unwrap();
        StateFolder::claim(&path).unwrap();
        for bad in [temp.path().join("deep"), path.join("x"), "relative".into()] {
            assert!(StateFolder::claim(&bad).is_err(), "{}", bad.display());
        }
        #[cfg(unix)]
        {
            let link = temp.path().join("link");
            std::os::unix::fs::symlink(&path, &link).unwrap();
            assert!(StateFolder::claim(&link).is_err());
        }
    }
}
