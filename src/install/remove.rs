//! Carries an uninstall out. In go a place and a removal, out comes nothing more than was planned.
//! Journal first, then registrations, then files, then folders; the journal goes with the last of
//! them. Decides nothing.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fs_err as fs;

use super::apply::{change_settings, give_back, settings_path};
use super::journal::Journal;
use super::manifest::Manifest;
use super::place::Place;
use super::plan::{Fate, Plan, Removal};
use super::stage;

/// Takes everything of ours out: `manifest` says what that is.
pub fn uninstall(
    place: &Place,
    plan: &Plan<'_>,
    removal: &Removal<'_>,
    manifest: &Manifest,
) -> Result<()> {
    let (replaced, removed) = changed(place, plan, removal);
    stage::may_change(&replaced, &removed)?;
    stage::begin(place, &Journal::new(Some(manifest), None))?;
    for edit in &removal.settings {
        change_settings(place, plan.found, edit)?;
    }
    for (path, fate) in &removal.files {
        match fate {
            Fate::Gone => stage::remove(&place.at(path))?,
            Fate::Restored(previous) => give_back(place, path, previous)?,
            Fate::NotOurs | Fate::Kept | Fate::NoBackup => {}
        }
    }
    for path in removal.offers.iter().chain([&place.names.manifest]) {
        stage::remove(&place.at(path))?;
    }
    let around = [
        place.names.ours.as_str(),
        place.names.prefix.trim_end_matches('/'),
    ];
    for folder in removal
        .folders
        .iter()
        .filter(|folder| !around.contains(folder))
    {
        remove_if_empty(&place.at(folder))?;
    }
    if removal.backups.is_empty() {
        stage::vanish(place, &removal.folders)?;
    } else {
        clear_local(place, removal)?;
    }
    Ok(())
}

/// What is written over, and what goes.
fn changed(place: &Place, plan: &Plan<'_>, removal: &Removal<'_>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut replaced, mut removed) = (Vec::new(), vec![place.at(&place.names.manifest)]);
    for edit in &removal.settings {
        let path = settings_path(place, plan.found, edit);
        if edit.after.is_some() {
            replaced.push(path);
        } else {
            removed.push(path);
        }
    }
    for (path, fate) in &removal.files {
        match fate {
            Fate::Gone => removed.push(place.at(path)),
            Fate::Restored(_) => replaced.push(place.at(path)),
            Fate::NotOurs | Fate::Kept | Fate::NoBackup => {}
        }
    }
    removed.extend(removal.offers.iter().map(|path| place.at(path)));
    (replaced, removed)
}

/// Empties the machine's own folder but for the backups that are the user's; the journal last.
fn clear_local(place: &Place, removal: &Removal<'_>) -> Result<()> {
    let local = place.at(&place.names.local);
    let (backups, journal) = (
        place.at(&place.names.backup("")),
        place.at(&place.names.journal),
    );
    for entry in fs::read_dir(&local)? {
        let path = entry?.path();
        if path != journal && !backups.starts_with(&path) {
            stage::remove(&path)?;
        }
    }
    for entry in fs::read_dir(&backups)? {
        let entry = entry?;
        if !removal
            .backups
            .iter()
            .any(|kept| entry.file_name() == kept.as_str())
        {
            stage::remove(&entry.path())?;
        }
    }
    stage::end(place)
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
            Err(error).context("could not remove an empty folder")
        }
        _ => Ok(()),
    }
}
