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
use super::may_change::Changes;
use super::place::Place;
use super::plan::{FilePlan, Plan, SettingsEdit, SettingsPlan, Step};
use super::stage;
use crate::escape;
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

    /// What is to be written, by its name; the manifest last.
    fn texts(&self, place: &Place) -> impl Iterator<Item = (String, &String)> {
        let binary = format!("{}/binary", place.names.local);
        let manifest = place.names.manifest.clone();
        let both = [(binary, &self.binary), (manifest, &self.manifest)];
        both.into_iter()
            .filter_map(|(name, text)| Some((name, text.as_ref()?)))
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
    let after = plan.manifest(settings);
    let journal = Journal::new(plan.recorded, Some(&after));
    changes(place, plan, settings, records, &journal).check()?;
    stage::begin(place, &journal)?;
    carry_out(place, plan, settings, records).context(
        "stopped half way: run install again, which goes on from there, or uninstall, which undoes it",
    )
}

fn carry_out(
    place: &Place,
    plan: &Plan<'_>,
    settings: &SettingsPlan,
    records: &Records,
) -> Result<()> {
    make_folders(place, plan)?;
    files(place, plan)?;
    for edit in &settings.edits {
        change_settings(place, plan.found, edit)?;
    }
    for (name, text) in records.texts(place) {
        replace(&place.at(&name), text.as_bytes(), 0o644)?;
    }
    stage::end(place)
}

fn changes(
    place: &Place,
    plan: &Plan<'_>,
    settings: &SettingsPlan,
    records: &Records,
    journal: &Journal,
) -> Changes {
    let mut changes = Changes::default();
    let size = |text: &[u8]| text.len() as u64;
    for file in &plan.files {
        let path = place.at(file.path);
        let bytes = file.wanted.map_or(0, |wanted| size(&wanted.bytes));
        match file.step {
            Step::Create | Step::Update => changes.written.push((path, bytes)),
            Step::Offer => changes.written.push((offer(place, file.path), bytes)),
            Step::Replace => {
                if let Some(OnDisk::File { bytes, .. }) = file.found {
                    let backup = place.names.backup(&sha256(bytes));
                    changes.written.push((place.at(&backup), size(bytes)));
                }
                changes.written.push((path, bytes));
            }
            Step::Mode | Step::Remove => changes.others.push(path),
            Step::None | Step::Keep | Step::LeaveOut | Step::Refuse => {}
        }
    }
    for edit in &settings.edits {
        changes.add_settings(place, plan.found, edit);
    }
    for (name, text) in records.texts(place) {
        changes
            .written
            .push((place.at(&name), size(text.as_bytes())));
    }
    changes.add_journal(place, journal);
    changes
}

impl Changes {
    /// A settings file that is written, or goes.
    pub fn add_settings(&mut self, place: &Place, found: &Found, edit: &SettingsEdit) {
        let path = settings_path(place, found, edit);
        match &edit.after {
            Some(after) => self.written.push((path, after.len() as u64)),
            None => self.others.push(path),
        }
    }

    /// The journal of the run.
    pub fn add_journal(&mut self, place: &Place, journal: &Journal) {
        let path = place.at(&place.names.journal);
        self.written.push((path, journal.text().len() as u64));
    }
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
        Step::Offer => put(&offer(place, file.path), &text()?.bytes, text()?.mode()),
        Step::Remove => match file.recorded.and_then(|record| record.previous.as_ref()) {
            Some(previous) => give_back(place, file.path, previous),
            None => stage::remove(&path),
        },
        Step::None | Step::Keep | Step::LeaveOut | Step::Refuse => Ok(()),
    }
}

/// Where a newer text goes that is put beside an edited file.
fn offer(place: &Place, path: &str) -> PathBuf {
    place.at(&format!("{path}.new"))
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
        escape::path(&backup)
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
