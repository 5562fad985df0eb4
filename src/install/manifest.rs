//! What an install left in a project, as `manifest.json`. In go bytes that anybody may have
//! written, out comes a record that can do no harm, or a refusal of the whole; and back. No time
//! and no path of this machine is in it: it is committed, and twice is the same as once.

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::settings::{Entries, Registration, Trace};
use super::wanted::{SETTINGS, Wanted};
use crate::escape::quoted;
use crate::files::sha256;

const SCHEMA: u32 = 1;

/// `manifest.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of this shape.
    pub schema: u32,
    /// Who wrote it.
    pub tool: Tool,
    /// Always `project`.
    pub scope: String,
    /// The files, in the order of their paths.
    pub files: Vec<FileRecord>,
    /// The settings file, the only entry in project scope.
    pub settings: Vec<SettingsRecord>,
    /// What the installed commands end with.
    pub commands: Vec<serde_json::Value>,
    /// Folders that were not there, parents first.
    pub folders: Vec<String>,
    /// SHA-256 of the text without this field.
    #[serde(rename = "self", default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// The release that wrote a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// `lean-computer-use`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The digest of what it ships.
    pub digest: String,
}

/// One installed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileRecord {
    /// From the root, with forward slashes.
    pub path: String,
    /// What it is for.
    pub kind: String,
    /// SHA-256 of what was written there.
    pub sha256: String,
    /// Its size.
    pub bytes: usize,
    /// `0644` or `0755`.
    pub mode: String,
    /// SHA-256 of what was shipped last: another one when the user's edit was kept.
    pub source_sha256: String,
}

/// What was done to the settings file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsRecord {
    /// From the root.
    pub file: String,
    /// Whether it was there before the first install.
    pub existed: bool,
    /// SHA-256 of it then.
    pub before_sha256: Option<String>,
    /// SHA-256 of what we wrote last.
    pub after_sha256: String,
    /// What merging created.
    #[serde(flatten)]
    pub trace: Trace,
    /// Our handlers.
    pub handlers: Vec<HandlerRecord>,
}

/// One handler of ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandlerRecord {
    /// Its event.
    pub event: String,
    /// The matcher of its group.
    pub matcher: Option<String>,
    /// Its command.
    pub command: String,
    /// Its timeout in seconds.
    pub timeout: u64,
}

impl Manifest {
    /// Reads a manifest; refuses it whole when it names anything that no release of ours writes.
    pub fn parse(bytes: &[u8], wanted: &Wanted) -> Result<Self> {
        let manifest: Self =
            serde_json::from_slice(bytes).context("not a manifest of this release")?;
        ensure!(
            manifest.schema == SCHEMA,
            "written in schema {}, this release reads {SCHEMA}",
            manifest.schema
        );
        for file in &manifest.files {
            let ours = wanted.file(&file.path).is_some();
            ensure!(
                ours,
                "it names a file that is never installed: {}",
                quoted(&file.path)
            );
        }
        let folders = wanted.folders();
        for folder in &manifest.folders {
            let ours = folders.contains(folder.as_str());
            ensure!(
                ours,
                "it names a folder that is never made: {}",
                quoted(folder)
            );
        }
        ensure!(
            manifest.settings.len() <= 1,
            "it names several settings files"
        );
        for settings in &manifest.settings {
            settings.check(wanted)?;
        }
        Ok(manifest)
    }

    /// What was done to settings.json.
    #[must_use]
    pub fn settings(&self) -> Option<&SettingsRecord> {
        self.settings.first()
    }

    /// The canonical text, with its digest.
    ///
    /// # Panics
    /// Never: the value holds nothing that JSON cannot.
    #[must_use]
    pub fn text(&self) -> String {
        let mut manifest = self.clone();
        manifest.digest = None;
        let pretty = |manifest: &Self| {
            serde_json::to_string_pretty(manifest).expect("plain data is always JSON") + "\n"
        };
        manifest.digest = Some(sha256(pretty(&manifest).as_bytes()));
        pretty(&manifest)
    }
}

impl SettingsRecord {
    /// Our entries as they were recorded.
    #[must_use]
    pub fn entries(&self, wanted: &Wanted) -> Entries {
        let registration = |handler: &HandlerRecord| {
            Some(Registration {
                event: handler.event.clone(),
                matcher: handler.matcher.clone(),
                command: handler.command.clone(),
                timeout: handler.timeout,
                form: handler.form(wanted)?.clone(),
            })
        };
        Entries {
            registrations: self.handlers.iter().filter_map(registration).collect(),
            rules: self.trace.rules.clone(),
        }
    }

    fn check(&self, wanted: &Wanted) -> Result<()> {
        ensure!(
            self.file == SETTINGS,
            "it names another settings file: {}",
            quoted(&self.file)
        );
        for handler in &self.handlers {
            if handler.form(wanted).is_none() {
                bail!(
                    "it claims a hook that is not of our form: {}",
                    quoted(&handler.command)
                );
            }
        }
        for rule in &self.trace.rules {
            let ours = wanted.entries.rules.contains(rule);
            ensure!(ours, "it claims a rule that we never add: {}", quoted(rule));
        }
        let emptied = self.trace.emptied.iter();
        for pointer in self
            .trace
            .created_keys
            .iter()
            .chain(emptied.clone().map(|e| &e.pointer))
        {
            let event = pointer.strip_prefix("/hooks/").unwrap_or_default();
            let known = ["", "/hooks", "/permissions", "/permissions/allow"];
            let ours = known.contains(&pointer.as_str())
                || self.handlers.iter().any(|handler| handler.event == event);
            ensure!(
                ours,
                "it claims a key that we never create: {}",
                quoted(pointer)
            );
        }
        for kept in emptied {
            let blank = kept.inner.bytes().all(|b| b.is_ascii_whitespace());
            ensure!(blank, "it would write text that is not white space");
        }
        Ok(())
    }
}

impl HandlerRecord {
    fn form<'w>(&self, wanted: &'w Wanted) -> Option<&'w (String, String)> {
        wanted.forms.iter().find(|(before, behind)| {
            let path = self.command.strip_prefix(before);
            path.and_then(|path| path.strip_suffix(behind)).is_some()
        })
    }
}
