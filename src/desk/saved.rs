//! Where full answers go: the run's reads, and evidence inside the project, which is the only
//! place that an agent may read unasked. Bytes and a name in, the file's path out.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Result, bail};
use fs_err as fs;

use super::request::Window;
use super::session::{self, Run};
use super::shown::RawAnswer;
use super::state::{self, StateFolder};
use super::tree::{self, Node, Tree};
use crate::files;

/// Saves the driver's full answer as the run's next read: `r1`, `r2`, …
pub fn read(run: &Run, bytes: &[u8]) -> Result<PathBuf> {
    let numbers = fs::read_dir(run.folder())?.filter_map(|entry| {
        let name = entry.ok()?.file_name();
        name.to_str()?.strip_prefix('r')?.parse::<u32>().ok()
    });
    let next = numbers.max().unwrap_or(0) + 1;
    let path = run.folder().join(format!("r{next}"));
    files::replace(&path, bytes, state::PRIVATE)?;
    Ok(path)
}

/// The run's newest read of this window; none when there is none, or it cannot be read.
#[must_use]
pub fn last(run: &Run, window: Window) -> Option<Tree> {
    let mut newest = newest(run).into_iter();
    newest.find_map(|number| of_window(&run.folder().join(format!("r{number}")), window))
}

/// Numbers of the run's last reads, the newest first.
fn newest(run: &Run) -> Vec<u32> {
    let names = fs::read_dir(run.folder()).into_iter().flatten();
    let names = names.filter_map(|entry| {
        let name = entry.ok()?.file_name();
        name.to_str()?.strip_prefix('r')?.parse::<u32>().ok()
    });
    let mut numbers: Vec<u32> = names.collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers.truncate(LAST);
    numbers
}

/// The control that a read of this window gave this token to, or that has this ref, with its ref.
pub fn with_token(run: &mut Run, window: Window, token: &str) -> Result<Option<Node>> {
    for number in newest(run) {
        let Some(mut tree) = of_window(&run.folder().join(format!("r{number}")), window) else {
            continue;
        };
        let reference = token.strip_prefix('#');
        if reference.is_some() {
            run.mark(&mut tree.nodes)?;
        }
        let is_it = |node: &Node| match reference {
            Some(_) => node.token.is_some() && node.reference.as_deref() == reference,
            None => node.token.as_deref() == Some(token),
        };
        if let Some(at) = tree.nodes.iter().position(is_it) {
            run.mark(&mut tree.nodes)?;
            return Ok(Some(tree.nodes.swap_remove(at)));
        }
    }
    Ok(None)
}

/// The read that was shown last, if it was of this window.
#[must_use]
pub fn shown(run: &Run, window: Window) -> Option<Tree> {
    of_window(&run.shown()?, window)
}

fn of_window(path: &Path, window: Window) -> Option<Tree> {
    let bytes = fs::read(path).ok()?;
    let tree = tree::parse(&RawAnswer::new(serde_json::from_slice(&bytes).ok()?));
    let is_it = tree.pid == Some(window.pid) && tree.window_id == Some(window.id);
    is_it.then_some(tree)
}

/// How many reads to look through for one of the same window.
const LAST: usize = 8;

/// Reads and evidence are kept for so long.
pub const KEPT: Duration = Duration::from_hours(7 * 24);

/// Removes reads of every run, and evidence, that are older than seven days. `now` is since 1970.
/// What cannot be removed stays.
pub fn prune(state: &StateFolder, project: Option<&Path>, now: Duration) {
    let evidence = project.map(|project| project.join(OURS).join("local/evidence"));
    let is_evidence = |name: &str| name.strip_suffix(".json").is_some();
    for folder in evidence.into_iter().chain([state.path().join("evidence")]) {
        remove_old(&folder, now, is_evidence);
    }
    remove_old(state.path(), now, |name| state::is_temp(name.as_ref()));
    let runs = fs::read_dir(state.path()).into_iter().flatten().flatten();
    for entry in runs.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        let name = entry.file_name();
        if name.to_str().is_some_and(session::is_run) {
            // Another command can have made it a moment ago, and has not written into it yet.
            let old = entry.metadata().is_ok_and(|meta| is_old(&meta, now));
            remove_old(&entry.path(), now, session::is_ours);
            if old {
                // Only an empty one goes.
                let _ = std::fs::remove_dir(entry.path());
            }
        }
    }
}

fn remove_old(folder: &Path, now: Duration, ours: impl Fn(&str) -> bool) {
    if !fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_dir()) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(meta) = entry.metadata() else { continue };
        if meta.is_file() && is_old(&meta, now) && entry.file_name().to_str().is_some_and(&ours) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_old(meta: &Metadata, now: Duration) -> bool {
    let changed = meta.modified().ok();
    let changed = changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    changed.is_some_and(|at| now.saturating_sub(at) > KEPT)
}

/// Saves it as evidence: in the project's own folder, else in the state folder.
pub fn evidence(
    project: Option<&Path>,
    state: &StateFolder,
    name: &str,
    bytes: &[u8],
) -> Result<PathBuf> {
    check_name(name)?;
    let local = match project {
        Some(project) => state::folder_in(&project.join(OURS), "local")?,
        None => state.path().to_owned(),
    };
    let path = state::folder_in(&local, "evidence")?.join(format!("{name}.json"));
    files::replace(&path, bytes, state::PRIVATE)?;
    Ok(path)
}

const OURS: &str = ".claude/lean-computer-use";

/// A plain file name, so that evidence lands where it belongs.
pub fn check_name(name: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.len() > 64 || name.starts_with('.') || !name.chars().all(plain) {
        bail!(
            "could not name the evidence: a name has at most 64 letters, digits, \".\", \"-\" and \"_\", and no \".\" at its start"
        );
    }
    Ok(())
}

/// The project that `cwd` lies in: the nearest folder upwards where the tools are installed. The
/// home folder is none: what is installed there is for every project.
#[must_use]
pub fn project(cwd: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let is_real = |path: PathBuf| fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir());
    cwd.ancestors()
        .take_while(|folder| Some(*folder) != home)
        .find(|folder| is_real(folder.join(".claude")) && is_real(folder.join(OURS)))
        .map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_has_a_plain_name() {
        for name in ["calc", "calc-2.final", "A_1"] {
            check_name(name).unwrap();
        }
        for name in ["", ".x", "..", "a/b", "a\\b", "é", "a b", &"x".repeat(65)] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }

    /// Commands run at once: one that has made its folder is about to write into it.
    #[test]
    fn a_run_that_was_just_opened_is_not_taken_away() {
        let temp = tempfile::tempdir().unwrap();
        let state = StateFolder::claim(&temp.path().join("s")).unwrap();
        let mut run = Run::open(&state, "a", "calc").unwrap();
        let now = UNIX_EPOCH.elapsed().unwrap();
        prune(&state, None, now);
        run.label().unwrap();
        read(&run, b"{}").unwrap();
        prune(&state, None, now + KEPT / 2);
        assert!(run.folder().join("r1").exists());
        prune(&state, None, now + KEPT * 2);
        assert!(!run.folder().exists());
    }

    #[test]
    fn the_project_is_found_from_below_but_is_never_the_home_folder() {
        let temp = tempfile::tempdir().unwrap();
        let (home, root) = (temp.path().join("home"), temp.path().join("home/p"));
        std::fs::create_dir_all(home.join(OURS)).unwrap();
        std::fs::create_dir_all(root.join(OURS)).unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        assert_eq!(project(&root.join("a/b"), Some(&home)), Some(root));
        assert_eq!(project(&home.join("other"), Some(&home)), None);
    }
}
