//! The first and the last step of every run: the journal that lets the next run go on from
//! wherever this one is cut off. In go a place and a journal, out comes a folder with it in, all
//! at once; and back. Knows nothing of what is done between.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fs_err as fs;

use super::journal::Journal;
use super::place::Place;
use super::wanted::Wanted;
use crate::files::{TEMP, replace, sync_folder};

/// Removes the temp files and folders that earlier runs were cut off over. To be called under the
/// lock, before the place is looked at.
pub fn sweep(place: &Place, wanted: &Wanted) -> Result<()> {
    let names = &place.names;
    let mut folders: Vec<_> = wanted
        .known_folders()
        .into_iter()
        .map(|f| place.at(f))
        .collect();
    folders.extend([
        place.root.clone(),
        place.lock().to_owned(),
        place.at(&names.backup("")),
    ]);
    for file in names.settings_files() {
        let target = fs::canonicalize(place.at(&file)).ok();
        folders.extend(target.and_then(|target| target.parent().map(Path::to_owned)));
    }
    folders.sort();
    folders.dedup();
    for folder in folders {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(TEMP) {
                remove(&entry.path())?;
            }
        }
    }
    Ok(())
}

/// Puts the journal there. What is missing of the folders down to it appears with the journal in
/// it, in one rename, so that no empty folder of ours can be left without a word about it.
pub fn begin(place: &Place, journal: &Journal) -> Result<()> {
    let text = journal.text();
    let chain = chain(place);
    let Some(missing) = chain.iter().position(|folder| !folder.exists()) else {
        return replace(&place.at(&place.names.journal), text.as_bytes(), 0o644);
    };
    let top = &chain[missing];
    let above = top.parent().context("the root has a folder above it")?;
    let temp = above.join(format!("{TEMP}{}", std::process::id()));
    let local = &chain[chain.len() - 1];
    let staged = temp.join(local.strip_prefix(top)?);
    let put_there = || {
        fs::create_dir_all(&staged)?;
        own_as(above, &temp, &staged)?;
        replace(&staged.join("journal.json"), text.as_bytes(), 0o644)?;
        fs::rename(&temp, top)?;
        sync_folder(above)
    };
    put_there().inspect_err(|_| drop(remove(&temp)))
}

/// Takes the journal away: the run is complete.
pub fn end(place: &Place) -> Result<()> {
    fs::remove_file(place.at(&place.names.journal))?;
    sync_folder(&place.at(&place.names.local))
}

/// Takes the journal away with the machine's own folder, whatever is in it, and with the folders
/// around that which `made` names, as far as nothing else is in them; all in one rename.
pub fn vanish(place: &Place, made: &[&str]) -> Result<()> {
    let ours = |folder: &&str| made.contains(folder);
    let names = &place.names;
    let mut top = place.at(&names.local);
    let above = [names.ours.as_str(), names.prefix.trim_end_matches('/')];
    for folder in above.iter().take_while(|folder| ours(folder)) {
        let folder = place.at(folder);
        if fs::read_dir(&folder)?.count() > 1 {
            break;
        }
        top = folder;
    }
    // "root/" and "root" are the same folder, but only one of them has a parent to rename in.
    let top: PathBuf = top.components().collect();
    let above = top.parent().context("the root has a folder above it")?;
    let temp = above.join(format!("{TEMP}gone-{}", std::process::id()));
    fs::rename(&top, &temp)?;
    sync_folder(above)?;
    remove(&temp)
}

/// The folders down to the journal, outermost first.
fn chain(place: &Place) -> Vec<PathBuf> {
    let names = &place.names;
    let base = place.at(names.prefix.trim_end_matches('/'));
    [base, place.at(&names.ours), place.at(&names.local)]
        .iter()
        .map(|path| path.components().collect())
        .collect()
}

/// Removes whatever a path is, a link itself and not what it leads to.
pub fn remove(path: &Path) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Ok(fs::remove_dir_all(path)?),
        Ok(_) => Ok(fs::remove_file(path)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// New folders belong to whom the folder above them belongs, when root makes them.
#[cfg(unix)]
pub fn own_as(above: &Path, top: &Path, deepest: &Path) -> Result<()> {
    use std::os::unix::fs::{MetadataExt, chown};
    let above = fs::metadata(above)?;
    for folder in deepest
        .ancestors()
        .take_while(|folder| folder.starts_with(top))
    {
        let made = fs::metadata(folder)?;
        if made.uid() == 0 && above.uid() != 0 {
            chown(folder, Some(above.uid()), Some(above.gid()))?;
        }
    }
    Ok(())
}

/// Windows knows no such owner.
#[cfg(not(unix))]
pub fn own_as(_: &Path, _: &Path, _: &Path) -> Result<()> {
    Ok(())
}
