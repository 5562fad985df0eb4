//! Carries a plan out. In go a root and a plan, out comes what was done. Files first, then the
//! registrations, the manifest last; on the way out the other way round. Decides nothing.

use std::io;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use fs_err as fs;

use super::found::Settings;
use super::manifest::Manifest;
use super::plan::{FilePlan, Plan, State};
use super::wanted::{LOCAL, MANIFEST, SETTINGS};
use crate::files::{read_if_present, replace, set_mode_of, sha256};

/// What an install did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Installed {
    /// Files written or mended.
    pub written: usize,
    /// Whether settings.json was changed.
    pub merged: bool,
    /// Whether the manifest or the machine's record was written.
    pub recorded: bool,
    /// Edited files that were kept, and whether the new text was put beside them.
    pub kept: Vec<(String, bool)>,
    /// Files that the user had removed.
    pub left_out: Vec<String>,
}

impl Installed {
    /// Whether nothing was to do.
    #[must_use]
    pub fn nothing(&self) -> bool {
        self.written == 0 && !self.merged && !self.recorded
    }
}

/// What an uninstall did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Files removed.
    pub files: usize,
    /// What became of settings.json.
    pub settings: SettingsFate,
    /// Files that were changed since and so stay.
    pub kept: Vec<String>,
}

/// What became of settings.json.
#[derive(Debug, Default, PartialEq, Eq)]
pub enum SettingsFate {
    /// It held nothing of ours.
    #[default]
    Untouched,
    /// Our entries are out.
    Restored,
    /// It was ours and is gone.
    Removed,
}

/// Installs. `binary` is the machine's own record.
pub fn install(root: &Path, plan: &Plan<'_>, binary: &str) -> Result<Installed> {
    let settings = plan.installable()?;
    for folder in plan.wanted.folders() {
        fs::create_dir_all(root.join(folder))?;
    }
    let mut done = Installed::default();
    for file in &plan.files {
        write(root, file, &mut done)?;
    }
    let old = plan.found.settings.as_ref();
    if old.is_none_or(|old| old.bytes != settings.merged) {
        replace_settings(root, old, &settings.merged)?;
        done.merged = true;
    }
    fs::create_dir_all(root.join(LOCAL))?;
    let manifest = plan.manifest(settings).text();
    for (path, text) in [
        (format!("{LOCAL}/binary"), binary),
        (MANIFEST.to_owned(), &manifest),
    ] {
        let path = root.join(path);
        if read_if_present(&path)?.as_deref() != Some(text.as_bytes()) {
            replace(&path, text.as_bytes(), 0o644)?;
            done.recorded = true;
        }
    }
    Ok(done)
}

fn write(root: &Path, file: &FilePlan<'_>, done: &mut Installed) -> Result<()> {
    let (wanted, path) = (file.wanted, root.join(&file.wanted.path));
    match file.state {
        State::New | State::Outdated => {
            replace(&path, &wanted.bytes, wanted.mode())?;
            done.written += 1;
        }
        State::Mode => {
            set_mode_of(&path, wanted.mode())?;
            done.written += 1;
        }
        State::Edited { offer } => {
            if offer {
                replace(&beside(root, &wanted.path), &wanted.bytes, wanted.mode())?;
                done.written += 1;
            }
            done.kept.push((wanted.path.clone(), offer));
        }
        State::Deleted => done.left_out.push(wanted.path.clone()),
        State::Same | State::Foreign | State::Blocked(_) => {}
    }
    Ok(())
}

/// Claude Code writes this file without a lock, so it is looked at once more.
fn replace_settings(root: &Path, old: Option<&Settings>, bytes: &[u8]) -> Result<()> {
    let path = old.map_or_else(|| root.join(SETTINGS), |old| old.path.clone());
    let now = read_if_present(&path)?;
    ensure!(
        now.as_ref() == old.map(|old| &old.bytes),
        "could not change {SETTINGS}: somebody else just did; run this again"
    );
    replace(&path, bytes, old.map_or(0o644, |old| old.mode))
}

fn beside(root: &Path, path: &str) -> std::path::PathBuf {
    root.join(format!("{path}.new"))
}

/// Takes everything of ours out: `manifest` says what that is.
pub fn uninstall(root: &Path, plan: &Plan<'_>, manifest: &Manifest) -> Result<Removed> {
    let mut done = Removed::default();
    if let (Some(rest), Some(old)) = (plan.settings_without_us()?, &plan.found.settings) {
        done.settings = if let Some(rest) = rest {
            replace_settings(root, Some(old), &rest)?;
            SettingsFate::Restored
        } else {
            fs::remove_file(&old.path)?;
            SettingsFate::Removed
        };
    }
    for file in &plan.files {
        let Some(record) = file.recorded else {
            continue;
        };
        let path = &file.wanted.path;
        match file.state {
            State::Same | State::Mode | State::Outdated => {
                fs::remove_file(root.join(path))?;
                done.files += 1;
            }
            State::Edited { .. } | State::Foreign | State::Blocked(_) => {
                done.kept.push(path.clone());
            }
            State::New | State::Deleted => {}
        }
        let offer = plan.found.offers.get(path);
        if offer.is_some_and(|offer| sha256(offer) == record.source_sha256) {
            fs::remove_file(beside(root, path))?;
        }
    }
    remove_local(root)?;
    fs::remove_file(root.join(MANIFEST))?;
    for folder in manifest.folders.iter().rev() {
        remove_if_empty(&root.join(folder))?;
    }
    Ok(done)
}

/// The machine's own folder, whole; a link in its place is only unlinked.
fn remove_local(root: &Path) -> Result<()> {
    let path = root.join(LOCAL);
    match fs::symlink_metadata(&path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(&path)?,
        Ok(_) => fs::remove_file(&path)?,
        Err(_) => {}
    }
    Ok(())
}

fn remove_if_empty(folder: &Path) -> Result<()> {
    match fs::remove_dir(folder) {
        Err(error)
            if !matches!(
                error.kind(),
                io::ErrorKind::NotFound
                    | io::ErrorKind::DirectoryNotEmpty
                    | io::ErrorKind::NotADirectory
            ) =>
        {
            Err(error).with_context(|| "could not remove an empty folder")
        }
        _ => Ok(()),
    }
}
