//! The one decision. In go what is wanted, what was found and what was recorded; out comes the
//! state of every file and of the settings. Install, uninstall and verify are views of it, so they
//! cannot disagree. Reads nothing and writes nothing.

use std::collections::BTreeSet;

use anyhow::{Result, anyhow, bail};

use super::found::{Found, OnDisk};
use super::manifest::{FileRecord, HandlerRecord, Manifest, SettingsRecord, Tool};
use super::settings::{self, Fault, Shape, Trace};
use super::wanted::{SETTINGS, Wanted, WantedFile};
use crate::files::sha256;

/// What is to be done, and the three views of the project that it follows from.
#[derive(Debug)]
pub struct Plan<'p> {
    /// What should exist.
    pub wanted: &'p Wanted,
    /// What exists.
    pub found: &'p Found,
    /// What the last install left.
    pub recorded: Option<&'p Manifest>,
    /// One entry a wanted file, in their order.
    pub files: Vec<FilePlan<'p>>,
    /// settings.json, or why it cannot be merged.
    pub settings: Result<SettingsPlan, Fault>,
}

/// One file.
#[derive(Debug)]
pub struct FilePlan<'p> {
    /// What should stand there.
    pub wanted: &'p WantedFile,
    /// What the last install wrote there.
    pub recorded: Option<&'p FileRecord>,
    /// How things are.
    pub state: State,
}

/// How things are with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// As wanted.
    Same,
    /// As wanted, but for the executable bit.
    Mode,
    /// Not there, never was.
    New,
    /// Not there, the user removed it.
    Deleted,
    /// As we wrote it, but another release.
    Outdated,
    /// Written by us, changed by the user.
    Edited {
        /// Whether what is shipped is new to this project, and so worth being put beside it.
        offer: bool,
    },
    /// Somebody else's.
    Foreign,
    /// No file at all, in words.
    Blocked(&'static str),
}

/// settings.json.
#[derive(Debug)]
pub struct SettingsPlan {
    /// Its bytes with our entries.
    pub merged: Vec<u8>,
    /// What merging created.
    pub trace: Trace,
    /// Whether it allows every desk command afterwards.
    pub allowed: bool,
    /// Whether it starts with a byte order mark, which old versions of Claude Code refuse.
    pub marked: bool,
    /// Whether it says that no hook may run.
    pub disabled: bool,
}

impl<'p> Plan<'p> {
    /// Decides. With `allow` the permission rules are wanted too; those of an earlier install stay
    /// without it.
    #[must_use]
    pub fn new(
        wanted: &'p Wanted,
        found: &'p Found,
        recorded: Option<&'p Manifest>,
        allow: bool,
    ) -> Self {
        let files = wanted.files.iter().map(|file| {
            let records = recorded.iter().flat_map(|manifest| &manifest.files);
            let record = records.into_iter().find(|record| record.path == file.path);
            FilePlan {
                wanted: file,
                recorded: record,
                state: state(file, found.files.get(&file.path), record),
            }
        });
        Self {
            wanted,
            found,
            recorded,
            files: files.collect(),
            settings: plan_settings(wanted, found, recorded, allow),
        }
    }

    /// Refuses what an install must not touch: files of somebody else, settings that Claude Code
    /// would not read.
    pub fn installable(&self) -> Result<&SettingsPlan> {
        for file in &self.files {
            let path = &file.wanted.path;
            match file.state {
                State::Foreign => bail!(
                    "could not install: {path} is there and not ours; move it away and run install again"
                ),
                State::Blocked(what) => {
                    bail!("could not install: {path} is {what}; move it away and run install again")
                }
                _ => {}
            }
        }
        let settings = self
            .settings
            .as_ref()
            .map_err(|fault| refusal(fault, "install"))?;
        let old = self.found.settings.as_ref();
        if old.is_some_and(|old| old.read_only && old.bytes != settings.merged) {
            bail!(
                "could not merge {SETTINGS}: it is read-only; make it writable and run install again"
            );
        }
        Ok(settings)
    }

    /// The text of settings.json without our entries: none when the file goes. The outer none
    /// means that there is nothing to take out.
    pub fn settings_without_us(&self) -> Result<Option<Option<Vec<u8>>>> {
        let record = self.recorded.and_then(Manifest::settings);
        let (Some(found), Some(record)) = (&self.found.settings, record) else {
            return Ok(None);
        };
        let entries = record.entries(self.wanted);
        let unmerged = settings::decode(&found.bytes)
            .and_then(|(mark, text)| Ok((mark, settings::unmerge(text, &entries, &record.trace)?)));
        let (mark, rest) = unmerged.map_err(|fault| refusal(&fault, "uninstall"))?;
        let blank = record
            .existed
            .then(|| record.trace.blank_document())
            .flatten();
        let rest = rest
            .or(blank)
            .map(|rest| format!("{mark}{rest}").into_bytes());
        if rest.as_ref() == Some(&found.bytes) {
            return Ok(None);
        }
        if found.read_only {
            bail!(
                "could not change {SETTINGS}: it is read-only; make it writable and run uninstall again"
            );
        }
        Ok(Some(rest))
    }

    /// The manifest after this plan was carried out.
    #[must_use]
    pub fn manifest(&self, settings: &SettingsPlan) -> Manifest {
        let made = self.wanted.folders().into_iter();
        let made = made.filter(|folder| !self.found.folders.contains(*folder));
        let known = self.recorded.iter().flat_map(|manifest| &manifest.folders);
        let folders: BTreeSet<_> = made.chain(known.map(String::as_str)).collect();
        Manifest {
            schema: 1,
            tool: Tool {
                name: env!("CARGO_PKG_NAME").to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                digest: self.wanted.digest.clone(),
            },
            scope: "project".to_owned(),
            files: self.files.iter().map(FilePlan::record).collect(),
            settings: vec![self.settings_record(settings)],
            commands: self.wanted.commands.clone(),
            folders: folders.into_iter().map(str::to_owned).collect(),
            digest: None,
        }
    }

    fn settings_record(&self, settings: &SettingsPlan) -> SettingsRecord {
        let handler = |registration: &settings::Registration| HandlerRecord {
            event: registration.event.clone(),
            matcher: registration.matcher.clone(),
            command: registration.command.clone(),
            timeout: registration.timeout,
        };
        let old = self.found.settings.as_ref().map(|found| &found.bytes);
        let last = self.recorded.and_then(Manifest::settings);
        let last = last.filter(|_| old.is_some());
        let unchanged = old == Some(&settings.merged);
        SettingsRecord {
            file: SETTINGS.to_owned(),
            existed: last.map_or(old.is_some(), |last| last.existed),
            before_sha256: match last {
                Some(last) => last.before_sha256.clone(),
                None => old.map(|bytes| sha256(bytes)),
            },
            // What the user wrote meanwhile is none of the manifest's business.
            after_sha256: match last {
                Some(last) if unchanged => last.after_sha256.clone(),
                _ => sha256(&settings.merged),
            },
            trace: settings.trace.clone(),
            handlers: self
                .wanted
                .entries
                .registrations
                .iter()
                .map(handler)
                .collect(),
        }
    }
}

impl FilePlan<'_> {
    fn record(&self) -> FileRecord {
        let shipped = sha256(&self.wanted.bytes);
        match (self.recorded, self.state) {
            (Some(record), State::Deleted) => record.clone(),
            (Some(record), State::Edited { .. }) => FileRecord {
                source_sha256: shipped,
                ..record.clone()
            },
            _ => FileRecord {
                path: self.wanted.path.clone(),
                kind: self.wanted.kind.to_owned(),
                sha256: shipped.clone(),
                bytes: self.wanted.bytes.len(),
                mode: format!("{:04o}", self.wanted.mode()),
                source_sha256: shipped,
            },
        }
    }
}

fn state(wanted: &WantedFile, found: Option<&OnDisk>, recorded: Option<&FileRecord>) -> State {
    match (found, recorded) {
        (None, None) => State::New,
        (None, Some(_)) => State::Deleted,
        (Some(OnDisk::Other(what)), _) => State::Blocked(what),
        (Some(OnDisk::File { bytes, executable }), _) if *bytes == wanted.bytes => {
            if *executable == wanted.executable {
                State::Same
            } else {
                State::Mode
            }
        }
        (Some(_), None) => State::Foreign,
        (Some(OnDisk::File { bytes, .. }), Some(record)) => {
            if record.sha256 == sha256(bytes) {
                return State::Outdated;
            }
            State::Edited {
                offer: record.source_sha256 != sha256(&wanted.bytes),
            }
        }
    }
}

fn plan_settings(
    wanted: &Wanted,
    found: &Found,
    recorded: Option<&Manifest>,
    allow: bool,
) -> Result<SettingsPlan, Fault> {
    let old = found
        .settings
        .as_ref()
        .map_or(&[][..], |settings| &settings.bytes);
    let (mark, text) = settings::decode(old)?;
    let last = recorded.and_then(Manifest::settings);
    let last = last.filter(|_| found.settings.is_some());
    let mut trace = last.map(|last| last.trace.clone()).unwrap_or_default();
    let mut entries = wanted.entries.clone();
    if !allow {
        entries.rules.clear();
    }
    let merged = settings::merge(text, &entries, &mut trace)?;
    // What we are about to write must be what Claude Code accepts.
    let shape = Shape::parse(&merged)?;
    Ok(SettingsPlan {
        disabled: shape.hooks_disabled(),
        marked: !mark.is_empty(),
        merged: format!("{mark}{merged}").into_bytes(),
        trace,
        allowed: wanted
            .entries
            .rules
            .iter()
            .all(|rule| shape.rules().any(|r| r == rule)),
    })
}

fn refusal(fault: &Fault, command: &str) -> anyhow::Error {
    anyhow!(
        "could not read {SETTINGS}:{fault}; Claude Code ignores such a file or its hooks: mend it \
         and run {command} again"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_judged_by_three_versions() {
        let wanted = WantedFile {
            path: "a".to_owned(),
            kind: "doc",
            bytes: b"new".to_vec(),
            executable: false,
        };
        let file = |text: &str, executable: bool| OnDisk::File {
            bytes: text.as_bytes().to_vec(),
            executable,
        };
        let record = |wrote: &str, shipped: &str| FileRecord {
            path: "a".to_owned(),
            kind: "doc".to_owned(),
            sha256: sha256(wrote.as_bytes()),
            bytes: 3,
            mode: "0644".to_owned(),
            source_sha256: sha256(shipped.as_bytes()),
        };
        for (found, recorded, want) in [
            (None, None, State::New),
            (None, Some(record("new", "new")), State::Deleted),
            (Some(file("new", false)), None, State::Same),
            (
                Some(file("new", false)),
                Some(record("old", "old")),
                State::Same,
            ),
            (
                Some(file("new", true)),
                Some(record("new", "new")),
                State::Mode,
            ),
            (Some(file("mine", false)), None, State::Foreign),
            (
                Some(file("old", false)),
                Some(record("old", "old")),
                State::Outdated,
            ),
            (
                Some(file("mine", false)),
                Some(record("old", "old")),
                State::Edited { offer: true },
            ),
            (
                Some(file("mine", false)),
                Some(record("old", "new")),
                State::Edited { offer: false },
            ),
            (
                Some(OnDisk::Other("a link")),
                Some(record("new", "new")),
                State::Blocked("a link"),
            ),
        ] {
            assert_eq!(state(&wanted, found.as_ref(), recorded.as_ref()), want);
        }
    }
}
