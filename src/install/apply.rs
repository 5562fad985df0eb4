//! Carries an install out. In go a place and a plan, out comes nothing more than was planned.
//! Journal first, then files, then registrations, then the manifest; each file is on disk before
//! the next kind is begun. Decides nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use fs_err as fs;

use super::found::{Found, OnDisk};
use super::journal::Journal;
use super::manifest::Previous;
use super::place::Place;
use super::plan::{FilePlan, Plan, SettingsEdit, SettingsPlan, Step};
use super::stage;
use crate::files::{put, read_if_present, replace, set_mode_of, sha256, sync_folder};

/// What an install writes beside the files and the settings.
#[derive(Debug)]
pub struct Records {
    /// The manifest's new text, when it changes.
    pub manifest: Option<String>,
    /// The machine's own record of the binary, when it changes.
    pub binary: Option<String>,
}

impl Records {
    /// Of a plan, `binary` being what the launchers should start.
    pub fn of(plan: &Plan<'_>, binary: &str) -> Result<Self> {
        let manifest = plan.manifest(plan.installable()?).text();
        let same = |old: &Option<Vec<u8>>, new: &str| old.as_deref() == Some(new.as_bytes());
        Ok(Self {
            manifest: (!same(&plan.found.manifest, &manifest)).then_some(manifest),
            binary: (!same(&plan.found.binary, binary)).then(|| binary.to_owned()),
        })
    }

    /// Whether anything changes.
    #[must_use]
    pub fn any(&self) -> bool {
        self.manifest.is_some() || self.binary.is_some()
    }
}

/// Installs.
pub fn install(place: &Place, plan: &Plan<'_>, records: &Records) -> Result<()> {
    let settings = plan.installable()?;
    let changed = changed(place, plan, settings);
    stage::may_change(&changed, &[place.at(&place.names.journal)])?;
    let after = plan.manifest(settings);
    stage::begin(place, &Journal::new(plan.recorded, Some(&after)))?;
    make_folders(place, plan)?;
    files(place, plan)?;
    for edit in &settings.edits {
        change_settings(place, plan.found, edit)?;
    }
    let names = &place.names;
    let binary = format!("{}/binary", names.local);
    for (name, text) in [
        (&binary, &records.binary),
        (&names.manifest, &records.manifest),
    ] {
        if let Some(text) = text {
            replace(&place.at(name), text.as_bytes(), 0o644)?;
        }
    }
    stage::end(place)
}

/// What is written over or made beside the records.
fn changed(place: &Place, plan: &Plan<'_>, settings: &SettingsPlan) -> Vec<PathBuf> {
    let files = plan.files.iter().filter(|file| writes(file.step));
    let files = files.map(|file| place.at(file.path));
    let settings = settings.edits.iter();
    files
        .chain(settings.map(|edit| settings_path(place, plan.found, edit)))
        .collect()
}

/// Whether a step writes into the file's folder.
fn writes(step: Step) -> bool {
    !matches!(
        step,
        Step::None | Step::Keep | Step::LeaveOut | Step::Mode | Step::Refuse
    )
}

fn make_folders(place: &Place, plan: &Plan<'_>) -> Result<()> {
    let mut touched = BTreeSet::new();
    for folder in plan.wanted.folders() {
        let path = place.at(folder);
        if path.exists() {
            continue;
        }
        fs::create_dir_all(&path)?;
        if let Some(above) = path.parent() {
            stage::own_as(above, &path, &path)?;
            touched.insert(above.to_owned());
        }
    }
    touched.iter().try_for_each(|folder| sync_folder(folder))
}

fn files(place: &Place, plan: &Plan<'_>) -> Result<()> {
    let mut touched = BTreeSet::new();
    for file in &plan.files {
        write(place, file)?;
        if writes(file.step) {
            touched.extend(place.at(file.path).parent().map(Path::to_owned));
        }
    }
    touched.iter().try_for_each(|folder| sync_folder(folder))
}

fn write(place: &Place, file: &FilePlan<'_>) -> Result<()> {
    let path = place.at(file.path);
    let text = || {
        file.wanted
            .context("a step that writes has something to write")
    };
    match file.step {
        Step::Create | Step::Update => put(&path, &text()?.bytes, text()?.mode()),
        Step::Replace => {
            if let Some(OnDisk::File { bytes, .. }) = file.found {
                back_up(place, bytes)?;
            }
            put(&path, &text()?.bytes, text()?.mode())
        }
        Step::Mode => set_mode_of(&path, text()?.mode()),
        Step::Offer => put(
            &place.at(&format!("{}.new", file.path)),
            &text()?.bytes,
            text()?.mode(),
        ),
        Step::Remove => match file.recorded.and_then(|record| record.previous.as_ref()) {
            Some(previous) => give_back(place, file.path, previous),
            None => stage::remove(&path),
        },
        Step::None | Step::Keep | Step::LeaveOut | Step::Refuse => Ok(()),
    }
}

/// Keeps bytes under their digest, on disk before anything stands in their place.
fn back_up(place: &Place, bytes: &[u8]) -> Result<()> {
    let folder = place.at(&place.names.backup(""));
    fs::create_dir_all(&folder)?;
    replace(&place.at(&place.names.backup(&sha256(bytes))), bytes, 0o600)
}

/// Puts a replaced file back where it stood.
pub fn give_back(place: &Place, path: &str, previous: &Previous) -> Result<()> {
    let backup = place.at(&place.names.backup(&previous.sha256));
    let mode = u32::from_str_radix(&previous.mode, 8).context("a mode is octal")?;
    let bytes = fs::read(&backup)?;
    ensure!(
        sha256(&bytes) == previous.sha256,
        "could not give back {path}: its backup was changed; put it back by hand from {}",
        backup.display()
    );
    put(&place.at(path), &bytes, mode)?;
    Ok(fs::remove_file(&backup)?)
}

/// Where a settings file really lies.
#[must_use]
pub fn settings_path(place: &Place, found: &Found, edit: &SettingsEdit) -> PathBuf {
    let old = found.settings.get(&edit.file);
    old.map_or_else(|| place.at(&edit.file), |old| old.path.clone())
}

/// Claude Code writes these files without a lock, so each is looked at once more.
pub fn change_settings(place: &Place, found: &Found, edit: &SettingsEdit) -> Result<()> {
    let old = found.settings.get(&edit.file);
    let path = settings_path(place, found, edit);
    let now = read_if_present(&path)?;
    ensure!(
        now.as_ref() == old.map(|old| &old.bytes),
        "could not change {}: somebody else just did; run this again",
        edit.file
    );
    if let Some(after) = &edit.after {
        return replace(&path, after, old.map_or(0o644, |old| old.mode));
    }
    fs::remove_file(&path)?;
    path.parent().map_or(Ok(()), sync_folder)
}
