//! What a manifest may say. In go a parsed manifest and what this release knows, out comes nothing
//! or the refusal of the whole: it decides what is removed, and anybody may have written it.

use anyhow::{Result, bail, ensure};

use super::super::settings::{Form, Trace, is_blank};
use super::super::wanted::Wanted;
use super::{HandlerRecord, Manifest, Previous, SCHEMA, SettingsRecord};
use crate::escape::quoted;

impl Manifest {
    /// Refuses a manifest that reaches for more than some release of ours installs.
    pub fn check(&self, wanted: &Wanted) -> Result<()> {
        ensure!(
            self.schema == SCHEMA,
            "written in schema {}, this release reads {SCHEMA}",
            self.schema
        );
        let in_a_project = |scope| scope != super::Scope::User;
        ensure!(
            in_a_project(self.scope) == in_a_project(wanted.scope),
            "it belongs to an install in {} scope",
            self.scope
        );
        for file in &self.files {
            ensure!(
                wanted.knows(&file.path),
                "it names a file that is never installed: {}",
                quoted(&file.path)
            );
            file.previous.as_ref().map_or(Ok(()), Previous::check)?;
        }
        let folders = wanted.known_folders();
        for folder in &self.folders {
            let ours = folders.contains(folder.as_str());
            ensure!(
                ours,
                "it names a folder that is never made: {}",
                quoted(folder)
            );
        }
        for settings in &self.settings {
            settings.check(wanted)?;
        }
        Ok(())
    }
}

impl Previous {
    /// Its digest is a file name and its mode becomes permission bits.
    fn check(&self) -> Result<()> {
        let hex = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
        let digest = self.sha256.len() == 64 && self.sha256.bytes().all(hex);
        ensure!(
            digest,
            "it names a backup that we never make: {}",
            quoted(&self.sha256)
        );
        let mode = u32::from_str_radix(&self.mode, 8).is_ok_and(|mode| mode <= 0o777);
        ensure!(mode, "it would set the mode {}", quoted(&self.mode));
        Ok(())
    }
}

impl SettingsRecord {
    fn check(&self, wanted: &Wanted) -> Result<()> {
        ensure!(
            wanted.names.settings_files().any(|file| file == self.file),
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
            let ours = wanted.shipped.is_rule(rule);
            ensure!(ours, "it claims a rule that we never add: {}", quoted(rule));
        }
        check_trace(&self.trace, &self.handlers)
    }
}

fn check_trace(trace: &Trace, handlers: &[HandlerRecord]) -> Result<()> {
    let emptied = trace.emptied.iter().map(|kept| &kept.pointer);
    for pointer in trace.created_keys.iter().chain(emptied) {
        let event = pointer.strip_prefix("/hooks/").unwrap_or_default();
        let known = ["", "/hooks", "/permissions", "/permissions/allow"];
        let ours = known.contains(&pointer.as_str())
            || handlers.iter().any(|handler| handler.event == event);
        ensure!(
            ours,
            "it claims a key that we never create: {}",
            quoted(pointer)
        );
    }
    for kept in &trace.emptied {
        ensure!(
            is_blank(&kept.inner),
            "it would write text that is not white space"
        );
    }
    Ok(())
}

impl HandlerRecord {
    /// The hook and the form that the command is written in.
    pub(super) fn form<'w>(&self, wanted: &'w Wanted) -> Option<&'w (String, Form)> {
        wanted
            .forms
            .iter()
            .find(|(_, form)| form.fits(&self.command))
    }
}
