//! What an install left in a project, as `manifest.json`. In go bytes that anybody may have
//! written, out comes a record that can do no harm, or a refusal of the whole; and back. No time
//! and no path of this machine is in it: it is committed, and twice is the same as once.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::place::Scope;
use super::settings::{Entries, Registration, Trace};
use super::wanted::Wanted;
use crate::files::sha256;

mod check;

/// The shape that this release writes.
pub const SCHEMA: u32 = 1;

/// `manifest.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of this shape.
    pub schema: u32,
    /// Who wrote it.
    pub tool: Tool,
    /// Whose settings hold the hooks. Project and local share one manifest.
    pub scope: Scope,
    /// The files, in the order of their paths.
    pub files: Vec<FileRecord>,
    /// The settings files that were merged: one, or none when nothing was to merge.
    pub settings: Vec<SettingsRecord>,
    /// What the installed commands end with.
    pub commands: Vec<serde_json::Value>,
    /// Folders that were not there, parents first.
    pub folders: Vec<String>,
    /// Why no hooks were registered, when they were not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_hooks: Option<WithoutHooks>,
    /// Whether links out of the project were followed because that was asked for.
    #[serde(default, skip_serializing_if = "is_false")]
    pub follow_links: bool,
    /// SHA-256 of the text without this field.
    #[serde(rename = "self", default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// Why an install registered no hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WithoutHooks {
    /// The user said so.
    Asked,
    /// An enabled plugin of ours brings them.
    Plugin,
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
    /// Whether we put it there; false when the very same file was there already.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub created: bool,
    /// What stood there before, and is kept in `local/backups/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Previous>,
}

/// A file that gave way to ours because that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Previous {
    /// SHA-256 of its bytes, and the name of the backup.
    pub sha256: String,
    /// Its permission bits.
    pub mode: String,
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
        manifest.check(wanted)?;
        Ok(manifest)
    }

    /// A manifest of nothing.
    #[must_use]
    pub fn empty(scope: Scope, digest: &str) -> Self {
        Self {
            schema: SCHEMA,
            tool: Tool {
                name: env!("CARGO_PKG_NAME").to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                digest: digest.to_owned(),
            },
            scope,
            files: Vec::new(),
            settings: Vec::new(),
            commands: Vec::new(),
            folders: Vec::new(),
            without_hooks: None,
            follow_links: false,
            digest: None,
        }
    }

    /// What was installed at this path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&FileRecord> {
        self.files.iter().find(|file| file.path == path)
    }

    /// What was done to this settings file.
    #[must_use]
    pub fn settings(&self, file: &str) -> Option<&SettingsRecord> {
        self.settings.iter().find(|settings| settings.file == file)
    }

    /// Whether permission rules were added anywhere.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        self.settings
            .iter()
            .any(|settings| !settings.trace.rules.is_empty())
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
            let (hook, form) = handler.form(wanted)?;
            Some(Registration {
                hook: hook.clone(),
                event: handler.event.clone(),
                matcher: handler.matcher.clone(),
                command: handler.command.clone(),
                timeout: handler.timeout,
                form: form.clone(),
            })
        };
        Entries {
            registrations: self.handlers.iter().filter_map(registration).collect(),
            rules: self.trace.rules.clone(),
        }
    }
}

fn yes() -> bool {
    true
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks with a reference"
)]
fn is_true(value: &bool) -> bool {
    *value
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks with a reference"
)]
fn is_false(value: &bool) -> bool {
    !*value
}
