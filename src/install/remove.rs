//! Carries an uninstall out. In go a place and a removal, out comes nothing more than was planned.
//! Journal first, then registrations, then files, then folders; the journal goes with the last of
//! them. Decides nothing.

use std::io;
use std::path::Path;

use anyhow::{Context, Result};
use fs_err as fs;

use super::apply::{change_settings, give_back};
use super::journal::Journal;
use super::manifest::Manifest;
use super::may_change::Changes;
use super::place::Place;
use super::plan::{Fate, Plan, Removal};
use super::stage;

/// The record of the binary, in the machine's own folder.
const BINARY: &str = "binary";

/// Takes everything of ours out: `manifest` says what that is.
pub fn uninstall(
    place: &Place,
    plan: &Plan<'_>,
    removal: &Removal<'_>,
    manifest: &Manifest,
) -> Result<()> {
    let manifest = with_local(manifest, plan);
    let journal = Journal::new(Some(&manifest), None);
    changes(place, plan, removal, &journal).check()?;
    stage::begin(place, &journal)?;
    carry_out(place, plan, removal, &manifest)
        .context("stopped half way: run uninstall again, which goes on from there")
}

fn carry_out(
    place: &Place,
    plan: &Plan<'_>,
    removal: &Removal<'_>,
    manifest: &Manifest,
) -> Result<()> {
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
    let made: Vec<_> = manifest.folders.iter().map(String::as_str).collect();
    let names = &place.names;
    let around = [
        &*names.local,
        &*names.ours,
        names.prefix.trim_end_matches('/'),
    ];
    for folder in made.iter().rev().filter(|folder| !around.contains(folder)) {
        remove_if_empty(&place.at(folder))?;
    }
    if made.contains(&&*names.local) && removal.backups.is_empty() {
        stage::vanish(place, &made)
    } else {
        clear_local(place, removal, &made)
    }
}

/// What was recorded, and the machine's own folder when this run is the one that makes it: in a
/// clone it is missing, and the journal needs it.
fn with_local(manifest: &Manifest, plan: &Plan<'_>) -> Manifest {
    let mut manifest = manifest.clone();
    let local = &plan.wanted.names.local;
    if !plan.found.folders.contains(local) && !manifest.folders.contains(local) {
        manifest.folders.push(local.clone());
    }
    manifest
}

fn changes(place: &Place, plan: &Plan<'_>, removal: &Removal<'_>, journal: &Journal) -> Changes {
    let mut changes = Changes::default();
    for edit in &removal.settings {
        changes.add_settings(place, plan.found, edit);
    }
    for (path, fate) in &removal.files {
        match fate {
            Fate::Gone => changes.others.push(place.at(path)),
            Fate::Restored(previous) => {
                let backup = place.at(&place.names.backup(&previous.sha256));
                let bytes = fs::metadata(backup).map_or(0, |found| found.len());
                changes.written.push((place.at(path), bytes));
            }
            Fate::NotOurs | Fate::Kept | Fate::NoBackup => {}
        }
    }
    let gone = removal.offers.iter().chain([&place.names.manifest]);
    changes.others.extend(gone.map(|path| place.at(path)));
    changes.add_journal(place, journal);
    changes
}

/// Empties the machine's own folder but for the backups that are the user's; the journal last. In
/// a folder that was there before us, whatever else is in it stays too.
fn clear_local(place: &Place, removal: &Removal<'_>, made: &[&str]) -> Result<()> {
    let names = &place.names;
    let (local, backups) = (place.at(&names.local), place.at(&names.backup("")));
    let ours = made.contains(&&*names.local);
    for entry in fs::read_dir(&local)? {
        let path = entry?.path();
        let journal = path == place.at(&names.journal);
        if !journal && !backups.starts_with(&path) && (ours || path.ends_with(BINARY)) {
            stage::remove(&path)?;
        }
    }
    for entry in fs::read_dir(&backups).into_iter().flatten() {
        let entry = entry?;
        let mut kept = removal.backups.iter();
        if !kept.any(|kept| entry.file_name() == kept.as_str()) {
            stage::remove(&entry.path())?;
        }
    }
    remove_if_empty(&backups)?;
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
