//! The one decision. In go what is wanted, what was found and what was recorded; out comes the
//! state of every file and of the settings, and the step for each. Install, uninstall, verify,
//! status and diff are views of it, so they cannot disagree. Reads nothing and writes nothing.

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use super::claude;
use super::found::{Found, Odd, OnDisk};
use super::manifest::{FileRecord, Manifest, Previous, WithoutHooks};
use super::wanted::{Wanted, WantedFile};
use crate::files::sha256;

mod removal;
mod settings;
#[cfg(test)]
mod tests;

pub use removal::{Fate, Removal};
pub use settings::{Refused, SettingsEdit, SettingsPlan};

/// What was asked for.
#[derive(Debug, Clone, Copy, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one flag of the command line each"
)]
pub struct Options {
    /// Allow the desk commands too; rules of an earlier install stay without it.
    pub allow: bool,
    /// Register no hooks.
    pub no_hooks: bool,
    /// Replace files of somebody else, and put back what the user removed.
    pub force: bool,
    /// Links out of the project were followed because that was asked for.
    pub follow_links: bool,
}

/// What is to be done, and the three views of the place that it follows from.
#[derive(Debug)]
pub struct Plan<'p> {
    /// What should exist.
    pub wanted: &'p Wanted,
    /// What exists.
    pub found: &'p Found,
    /// What the last install left.
    pub recorded: Option<&'p Manifest>,
    /// What was asked for.
    pub options: Options,
    /// One entry a wanted or recorded file, in the order of their paths.
    pub files: Vec<FilePlan<'p>>,
    /// The settings files, or why one cannot be merged.
    pub settings: Result<SettingsPlan, Refused>,
    /// Why no hooks are registered, if they are not.
    pub without_hooks: Option<WithoutHooks>,
}

/// One file.
#[derive(Debug)]
pub struct FilePlan<'p> {
    /// From the root.
    pub path: &'p str,
    /// What should stand there; nothing when only an earlier release installed it.
    pub wanted: Option<&'p WantedFile>,
    /// What the last install wrote there.
    pub recorded: Option<&'p FileRecord>,
    /// What stands there.
    pub found: Option<&'p OnDisk>,
    /// How things are.
    pub state: State,
    /// What an install does about it.
    pub step: Step,
}

/// How things are with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// As wanted.
    Same,
    /// As wanted, but for the executable bit.
    Mode,
    /// As wanted, but for carriage returns, which a checkout can add.
    LineEnds,
    /// Not there, never was.
    New,
    /// Not there, the user removed it.
    Deleted,
    /// As we wrote it, but another release.
    Outdated,
    /// Written by us, changed by the user.
    Edited {
        /// Whether what is shipped is new to this place, and so worth being put beside it.
        offer: bool,
    },
    /// Somebody else's.
    Foreign,
    /// No plain file.
    Blocked(Odd),
}

/// What an install does about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Nothing.
    None,
    /// Writes it.
    Create,
    /// Writes it over an older text of ours.
    Update,
    /// Sets its executable bit.
    Mode,
    /// Writes it over bytes that are kept in a backup.
    Replace,
    /// Puts the new text beside it.
    Offer,
    /// Leaves the user's edit.
    Keep,
    /// Leaves it removed.
    LeaveOut,
    /// Removes it, or gives back what it replaced: it is no longer shipped.
    Remove,
    /// Refuses to go on.
    Refuse,
}

impl<'p> Plan<'p> {
    /// Decides.
    #[must_use]
    pub fn new(
        wanted: &'p Wanted,
        found: &'p Found,
        recorded: Option<&'p Manifest>,
        options: Options,
    ) -> Self {
        let without_hooks = if options.no_hooks {
            Some(WithoutHooks::Asked)
        } else {
            claude::plugin(&found.sources).map(|_| WithoutHooks::Plugin)
        };
        let mut entries = wanted.entries.clone();
        if without_hooks.is_some() {
            entries.registrations.clear();
        }
        if !options.allow && !recorded.is_some_and(Manifest::has_rules) {
            entries.rules.clear();
        }
        Self {
            files: files(wanted, found, recorded, options.force),
            settings: settings::plan(wanted, found, recorded, &entries),
            wanted,
            found,
            recorded,
            options,
            without_hooks,
        }
    }

    /// Refuses what an install must not touch: files of somebody else, settings that Claude Code
    /// would not read.
    pub fn installable(&self) -> Result<&SettingsPlan> {
        if let Some(file) = self.files.iter().find(|file| file.step == Step::Refuse) {
            let path = file.path;
            if let State::Blocked(what) = file.state {
                let what = what.words();
                bail!("could not install: {path} is {what}; move it away and run install again");
            }
            bail!(
                "could not install: {path} is there and not ours; move it away and run install \
                 again, or run install --force, which keeps it in a backup"
            );
        }
        let settings = self
            .settings
            .as_ref()
            .map_err(|refused| refused.error("install"))?;
        settings.writable(self, "install")?;
        Ok(settings)
    }

    /// Why no hook of ours would run, in words, if so.
    #[must_use]
    pub fn inert(&self) -> Option<String> {
        let (source, reason) = claude::inert(&self.found.sources)?;
        Some(format!("{reason} ({} settings)", source.name))
    }

    /// The manifest after this plan was carried out.
    #[must_use]
    pub fn manifest(&self, settings: &SettingsPlan) -> Manifest {
        let made = self.wanted.folders().into_iter();
        let made = made.filter(|folder| !self.found.folders.contains(*folder));
        let known = self.recorded.iter().flat_map(|manifest| &manifest.folders);
        let folders: BTreeSet<_> = made.chain(known.map(String::as_str)).collect();
        Manifest {
            files: self.files.iter().filter_map(FilePlan::record).collect(),
            settings: settings.record.iter().cloned().collect(),
            commands: self.wanted.commands.clone(),
            folders: folders.into_iter().map(str::to_owned).collect(),
            without_hooks: self.without_hooks,
            follow_links: self.options.follow_links,
            ..Manifest::empty(self.wanted.scope, &self.wanted.digest)
        }
    }
}

impl FilePlan<'_> {
    fn record(&self) -> Option<FileRecord> {
        let wanted = self.wanted?;
        let shipped = sha256(&wanted.bytes);
        match (self.recorded, self.step) {
            (Some(record), Step::LeaveOut) => return Some(record.clone()),
            (Some(record), Step::Keep | Step::Offer) => {
                return Some(FileRecord {
                    source_sha256: shipped,
                    ..record.clone()
                });
            }
            _ => {}
        }
        let last = self.recorded.and_then(|record| record.previous.clone());
        let adopted = match self.recorded {
            Some(record) => !record.created,
            None => matches!(self.state, State::Same | State::Mode),
        };
        Some(FileRecord {
            path: self.path.to_owned(),
            kind: wanted.kind.to_owned(),
            sha256: shipped.clone(),
            bytes: wanted.bytes.len(),
            mode: format!("{:04o}", wanted.mode()),
            source_sha256: shipped,
            created: !adopted || self.step == Step::Replace,
            previous: last.or_else(|| self.replaced()),
        })
    }

    /// What a replaced file was.
    fn replaced(&self) -> Option<Previous> {
        match (self.step, self.found) {
            (Step::Replace, Some(OnDisk::File { bytes, mode })) => Some(Previous {
                sha256: sha256(bytes),
                mode: format!("{:04o}", mode & 0o777),
            }),
            _ => None,
        }
    }
}

fn files<'p>(
    wanted: &'p Wanted,
    found: &'p Found,
    recorded: Option<&'p Manifest>,
    force: bool,
) -> Vec<FilePlan<'p>> {
    let recorded_files = || recorded.into_iter().flat_map(|manifest| &manifest.files);
    let here = wanted.files.iter().map(|file| file.path.as_str());
    let paths: BTreeSet<_> = here
        .chain(recorded_files().map(|file| file.path.as_str()))
        .collect();
    let plan = |path| {
        let (wanted, found) = (wanted.file(path), found.files.get(path));
        let recorded = recorded.and_then(|manifest| manifest.file(path));
        let state = state(wanted, found, recorded);
        FilePlan {
            path,
            wanted,
            recorded,
            found,
            step: step(state, wanted, recorded, force),
            state,
        }
    };
    paths.into_iter().map(plan).collect()
}

fn state(
    wanted: Option<&WantedFile>,
    found: Option<&OnDisk>,
    recorded: Option<&FileRecord>,
) -> State {
    let (bytes, mode) = match (found, recorded) {
        (None, None) => return State::New,
        (None, Some(_)) => return State::Deleted,
        (Some(OnDisk::Odd(what)), _) => return State::Blocked(*what),
        (Some(OnDisk::File { bytes, mode }), _) => (bytes, *mode),
    };
    if let Some(wanted) = wanted
        && *bytes == wanted.bytes
    {
        // Only the owner's bit: the others differ by umask from clone to clone. Windows has none.
        let executable = mode & 0o100 != 0;
        return if cfg!(not(unix)) || executable == wanted.executable {
            State::Same
        } else {
            State::Mode
        };
    }
    let Some(recorded) = recorded else {
        return State::Foreign;
    };
    if recorded.sha256 == sha256(bytes) {
        return State::Outdated;
    }
    let plain: Vec<_> = bytes
        .iter()
        .copied()
        .filter(|byte| *byte != b'\r')
        .collect();
    if wanted.is_some_and(|wanted| plain == wanted.bytes) {
        return State::LineEnds;
    }
    State::Edited {
        offer: wanted.is_some_and(|wanted| recorded.source_sha256 != sha256(&wanted.bytes)),
    }
}

fn step(
    state: State,
    wanted: Option<&WantedFile>,
    recorded: Option<&FileRecord>,
    force: bool,
) -> Step {
    if wanted.is_none() {
        return match state {
            State::Outdated if recorded.is_some_and(|record| record.created) => Step::Remove,
            State::Edited { .. } => Step::Keep,
            _ => Step::None,
        };
    }
    match state {
        State::Same => Step::None,
        State::Mode => Step::Mode,
        State::LineEnds => Step::Update,
        State::New => Step::Create,
        State::Deleted if force => Step::Create,
        State::Deleted => Step::LeaveOut,
        State::Outdated if recorded.is_some_and(|record| record.created) => Step::Update,
        State::Outdated => Step::Replace,
        State::Edited { .. } | State::Foreign if force => Step::Replace,
        State::Edited { offer: true } => Step::Offer,
        State::Edited { offer: false } => Step::Keep,
        State::Foreign | State::Blocked(_) => Step::Refuse,
    }
}
