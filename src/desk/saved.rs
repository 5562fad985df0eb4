//! Where full answers go: the run's reads, and evidence inside the project, which is the only
//! place that an agent may read unasked. Bytes and a name in, the file's path out.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use fs_err as fs;

use super::session::Run;
use super::state::{self, StateFolder};
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
