//! The plan the other way round: everything of ours out. In goes a plan, out comes what becomes of
//! each file and settings file. Only what was recorded and is as we wrote it goes.

use anyhow::Result;

use super::settings::{SettingsEdit, check_writable, out};
use super::{FilePlan, Plan, State};
use crate::files::sha256;
use crate::install::manifest::{Manifest, Previous};

/// What an uninstall does.
#[derive(Debug)]
pub struct Removal<'p> {
    /// Settings files that change.
    pub settings: Vec<SettingsEdit>,
    /// Recorded files that are there, with their fate.
    pub files: Vec<(&'p str, Fate<'p>)>,
    /// Newer texts of ours beside edited files.
    pub offers: Vec<String>,
    /// Backups that nothing gives back: they stay, for they are the user's.
    pub backups: Vec<String>,
}

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate<'p> {
    /// It is ours and goes.
    Gone,
    /// It gives way to what it had replaced.
    Restored(&'p Previous),
    /// It was there before us, just so, and stays.
    NotOurs,
    /// It was changed since and stays.
    Kept,
    /// It stays, because the backup of what it had replaced is not here.
    NoBackup,
}

impl Removal<'_> {
    /// Files that stay although we had put them there.
    pub fn kept(&self) -> impl Iterator<Item = &str> {
        let kept = |fate: &Fate| matches!(fate, Fate::Kept | Fate::NoBackup);
        self.files
            .iter()
            .filter(move |(_, fate)| kept(fate))
            .map(|(path, _)| *path)
    }
}

impl Plan<'_> {
    /// Decides what an uninstall does; `manifest` is what was recorded.
    pub fn removal<'p>(&'p self, manifest: &'p Manifest) -> Result<Removal<'p>> {
        let mut settings = Vec::new();
        for record in &manifest.settings {
            let edit = out(self.wanted, self.found, record);
            settings.extend(edit.map_err(|refused| refused.error("uninstall"))?);
        }
        check_writable(&settings, self.found, "uninstall", &String::new)?;
        let files: Vec<_> = self
            .files
            .iter()
            .filter_map(|file| Some((file.path, self.fate(file)?)))
            .collect();
        let ours = |file: &&FilePlan<'_>| {
            let offer = self.found.offers.get(file.path);
            let shipped = file.recorded.map(|record| &record.source_sha256);
            offer.is_some_and(|offer| Some(&sha256(offer)) == shipped)
        };
        let offers = self.files.iter().filter(ours);
        Ok(Removal {
            offers: offers.map(|file| format!("{}.new", file.path)).collect(),
            backups: self.backups_to_keep(&files),
            settings,
            files,
        })
    }

    fn fate<'p>(&'p self, file: &FilePlan<'p>) -> Option<Fate<'p>> {
        let record = file.recorded?;
        Some(match file.state {
            State::New | State::Deleted => return None,
            State::Edited { .. } | State::Foreign | State::Blocked(_) => Fate::Kept,
            State::Same | State::Mode | State::LineEnds | State::Outdated => match &record.previous
            {
                Some(previous) if self.found.backups.contains(&previous.sha256) => {
                    Fate::Restored(previous)
                }
                Some(_) => Fate::NoBackup,
                None if record.created => Fate::Gone,
                None => Fate::NotOurs,
            },
        })
    }

    fn backups_to_keep(&self, files: &[(&str, Fate<'_>)]) -> Vec<String> {
        use crate::install::found::OnDisk;
        let restored: Vec<_> = files
            .iter()
            .filter_map(|(_, fate)| match fate {
                Fate::Restored(previous) => Some(previous.sha256.clone()),
                _ => None,
            })
            .collect();
        // A run that was cut off can have kept what is still in its place.
        let in_place = self
            .found
            .files
            .values()
            .filter_map(|on_disk| match on_disk {
                OnDisk::File { bytes, .. } => Some(sha256(bytes)),
                OnDisk::Odd(_) => None,
            });
        let given_back: Vec<_> = restored.into_iter().chain(in_place).collect();
        let backups = self.found.backups.iter();
        backups
            .filter(|name| !given_back.contains(name))
            .cloned()
            .collect()
    }
}
