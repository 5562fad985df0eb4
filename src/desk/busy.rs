//! One desk command at a time on an app: locks in a folder that all commands of a user share,
//! wherever their state lies, since an app has one screen. They go with the command, however that
//! ends. Three kinds, always taken in this order and never backwards, so that no two commands wait
//! for each other:
//!
//! 1. the name that the app was called by: guards what the run keeps;
//! 2. the launch of what a name stands for: held until its first window is there, so that two
//!    names of one app start one copy;
//! 3. the process that is operated: the app itself, whatever it was called.
//!
//! All waits of one command together take no longer than its limit; then it says that it is busy.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::session::Process;
use super::state::StateFolder;
use crate::{escape, files};

/// What one command holds.
pub struct Locks {
    folder: PathBuf,
    app: String,
    left: Duration,
    /// The processes, by the names of their files.
    processes: Vec<(PathBuf, File)>,
    _name: File,
}

/// The right to launch an app. Its file knows the last launch of which no window was seen.
pub struct Launch(File);

impl Locks {
    /// Waits for the lock of the app's name.
    pub fn of(folder: &StateFolder, app: &str, limit: Duration) -> Result<Self> {
        let mut left = limit;
        let path = path(folder.path(), &app.to_lowercase(), 3);
        let (name, _) = wait(&path, app, &mut left)?;
        Ok(Self {
            folder: folder.path().to_owned(),
            app: app.to_owned(),
            left,
            processes: Vec::new(),
            _name: name,
        })
    }

    /// Waits for the lock of a launch with these arguments of the driver.
    pub fn launch(&mut self, arguments: &Map<String, Value>) -> Result<Launch> {
        let words = serde_json::to_string(arguments)?.to_lowercase();
        let path = path(&self.folder, &format!("launch {words}"), 4);
        let (file, _) = wait(&path, &self.app, &mut self.left)?;
        Ok(Launch(file))
    }

    /// Waits for the lock of a process and lets go of others. Returns whether somebody else had
    /// it: what was seen of the app before is then old.
    pub fn hold(&mut self, pid: i64, start: Option<&str>) -> Result<bool> {
        let path = self.of_process(pid, start);
        self.processes.retain(|(held, _)| *held == path);
        self.take(path)
    }

    /// The same for several, together.
    pub fn hold_all(&mut self, processes: &[Process]) -> Result<()> {
        // In one order, since all but the last are held while waiting.
        let own = processes.iter();
        let own = own.map(|process| self.of_process(process.pid, Some(&process.start)));
        let mut paths: Vec<_> = own.collect();
        paths.sort_unstable();
        self.processes.clear();
        for path in paths {
            self.take(path)?;
        }
        Ok(())
    }

    fn of_process(&self, pid: i64, start: Option<&str>) -> PathBuf {
        let start = start.unwrap_or_default();
        path(&self.folder, &format!("process {pid} {start}"), 4)
    }

    fn take(&mut self, path: PathBuf) -> Result<bool> {
        if self.processes.iter().any(|(held, _)| *held == path) {
            return Ok(false);
        }
        let (file, waited) = wait(&path, &self.app, &mut self.left)?;
        self.processes.push((path, file));
        Ok(waited)
    }
}

impl Launch {
    /// What was launched last and showed no window yet.
    pub fn pending(&mut self) -> Option<Process> {
        let mut bytes = Vec::new();
        self.0.rewind().ok()?;
        self.0.read_to_end(&mut bytes).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Notes it; none when its window is there.
    pub fn note(&mut self, pending: Option<&Process>) -> Result<()> {
        self.0.set_len(0)?;
        self.0.rewind()?;
        if let Some(process) = pending {
            self.0.write_all(&serde_json::to_vec(process)?)?;
        }
        Ok(())
    }
}

const ENDING: &str = "lock";

/// Names of apps have a length of their own: a command holds one of them together with another.
fn path(folder: &Path, what: &str, length: usize) -> PathBuf {
    let digest = Sha256::digest(what);
    folder.join(format!("{}.{ENDING}", files::short(&digest, length)))
}

/// Waits for a lock, at most for what is left. Returns whether somebody else had it.
fn wait(path: &Path, app: &str, left: &mut Duration) -> Result<(File, bool)> {
    let begin = Instant::now();
    let end = begin + *left;
    let mut waited = false;
    loop {
        let file = open(path).with_context(|| format!("could not open {}", path.display()))?;
        match file.try_lock() {
            // The file of a lock that nobody held can have been removed just now.
            Ok(()) if is_at(&file, path) => {
                *left = left.saturating_sub(begin.elapsed());
                return Ok((file, waited));
            }
            Ok(()) => continue,
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("could not lock {}", path.display()));
            }
            Err(TryLockError::WouldBlock) if Instant::now() >= end => bail!(
                "busy: another desk command still works on {}; try again when it is done",
                escape::quoted(app)
            ),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(20)),
        }
        waited = true;
    }
}

/// Removes files of locks that nobody holds and that are older than `kept`: those of processes
/// are never asked for again. `now` is since 1970.
#[cfg(unix)]
pub fn prune(folder: &StateFolder, now: Duration, kept: Duration) {
    let entries = std::fs::read_dir(folder.path())
        .into_iter()
        .flatten()
        .flatten();
    for path in entries.map(|entry| entry.path()) {
        let meta = std::fs::symlink_metadata(&path).ok();
        let modified = meta.filter(std::fs::Metadata::is_file);
        let modified = modified.and_then(|meta| meta.modified().ok());
        let since = modified.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let is_old = since.is_some_and(|at| now.saturating_sub(at) > kept);
        let is_lock = path.extension().is_some_and(|ending| ending == ENDING);
        if is_old
            && is_lock
            && let Ok(file) = open(&path)
            && file.try_lock().is_ok()
            && is_at(&file, &path)
        {
            let _ = std::fs::remove_file(&path);
        }
    }
}

/// Whether the open file is the one with this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |meta: std::fs::Metadata| (meta.dev(), meta.ino());
    let named = std::fs::symlink_metadata(path).map(id).ok();
    named.is_some() && named == file.metadata().map(id).ok()
}

/// A link in its place is not followed.
#[cfg(unix)]
fn open(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let no_follow = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or(0);
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    options.mode(super::state::PRIVATE).custom_flags(no_follow);
    options.open(path)
}

/// Files of locks stay there, so that each is the one with its name.
#[cfg(not(unix))]
pub fn prune(_: &StateFolder, _: Duration, _: Duration) {}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(not(unix))]
fn open(path: &Path) -> std::io::Result<File> {
    File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, StateFolder) {
        let temp = tempfile::tempdir().unwrap();
        let state = StateFolder::claim(&temp.path().join("s")).unwrap();
        (temp, state)
    }

    #[test]
    fn two_names_meet_at_the_process_and_at_the_launch() {
        let (_temp, state) = folder();
        let none = Duration::ZERO;
        let of = |app: &str| Locks::of(&state, app, none).unwrap();
        let (mut one, mut other) = (of("mate-calc"), of("MATE Calculator"));
        assert!(Locks::of(&state, "Mate-Calc", none).is_err());

        assert!(!one.hold(7, Some("t")).unwrap());
        assert!(!one.hold(7, Some("t")).unwrap());
        let busy = other.hold(7, Some("t")).unwrap_err().to_string();
        assert!(busy.starts_with("busy: "), "{busy}");
        // The id came back, for another process.
        assert!(!other.hold(7, Some("u")).unwrap());
        assert!(one.hold(7, Some("u")).is_err());
        // It let go of the first one when it asked for the second.
        assert!(!other.hold(7, Some("t")).unwrap());

        let calc = |name: &str| Map::from_iter([("name".to_owned(), Value::from(name))]);
        let launch = one.launch(&calc("mate-calc")).unwrap();
        assert!(other.launch(&calc("Mate-calc")).is_err());
        assert!(other.launch(&calc("mousepad")).is_ok());
        drop(launch);
        assert!(other.launch(&calc("mate-calc")).is_ok());
    }

    #[test]
    fn a_launch_is_remembered_until_its_window_is_there() {
        let (_temp, state) = folder();
        let mut locks = Locks::of(&state, "x", Duration::ZERO).unwrap();
        let process = |pid| Process {
            pid,
            start: "t".to_owned(),
        };
        for (note, want) in [
            (None, None),
            (Some(process(4_194_304)), Some(process(4_194_304))),
            (Some(process(7)), Some(process(7))),
            (None, None),
        ] {
            let mut launch = locks.launch(&Map::new()).unwrap();
            launch.note(note.as_ref()).unwrap();
            drop(launch);
            assert_eq!(locks.launch(&Map::new()).unwrap().pending(), want);
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_old_locks_that_nobody_holds_are_removed() {
        let (_temp, state) = folder();
        let held = Locks::of(&state, "held", Duration::ZERO).unwrap();
        drop(Locks::of(&state, "free", Duration::ZERO).unwrap());
        let locks = || {
            let names = std::fs::read_dir(state.path()).unwrap();
            let ending = |it: &std::fs::DirEntry| it.path().extension().is_some();
            names.flatten().filter(ending).count()
        };
        let late = Duration::from_secs(1 << 40);
        prune(&state, Duration::ZERO, Duration::ZERO);
        assert_eq!(locks(), 2);
        prune(&state, late, Duration::ZERO);
        assert_eq!(locks(), 1);
        drop(held);
        prune(&state, late, Duration::ZERO);
        assert_eq!(locks(), 0);
    }
}
