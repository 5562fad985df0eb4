//! The settings files of a plan: ours into the one, ours out of any other. In go texts and
//! records, out come new texts, or the place of what Claude Code would stumble over.

use anyhow::{Result, anyhow, bail};

use super::super::found::{Found, Settings};
use super::super::manifest::{HandlerRecord, Manifest, SettingsRecord};
use super::super::settings::{self, Entries, Fault, Registration, Shape};
use super::super::wanted::Wanted;
use super::Plan;
use crate::files::sha256;

/// What becomes of the settings files.
#[derive(Debug)]
pub struct SettingsPlan {
    /// The files that change, ours last.
    pub edits: Vec<SettingsEdit>,
    /// What is recorded of the merged file; nothing when there was nothing to merge.
    pub record: Option<SettingsRecord>,
    /// Whether every desk command is allowed afterwards.
    pub allowed: bool,
    /// Whether the merged file starts with a byte order mark, which old versions of Claude Code
    /// refuse.
    pub marked: bool,
}

/// One settings file that changes.
#[derive(Debug, PartialEq, Eq)]
pub struct SettingsEdit {
    /// From the root.
    pub file: String,
    /// Its new bytes; none when it was ours and goes.
    pub after: Option<Vec<u8>>,
}

/// A settings file that cannot be merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// From the root.
    pub file: String,
    /// Where and why.
    pub fault: Fault,
}

impl Refused {
    /// As an error of `command`.
    #[must_use]
    pub fn error(&self, command: &str) -> anyhow::Error {
        anyhow!(
            "could not read {}:{}; Claude Code ignores such a file or its hooks: mend it and run \
             {command} again",
            self.file,
            self.fault
        )
    }
}

impl SettingsPlan {
    /// Refuses edits of files that nobody may write.
    pub(super) fn writable(&self, plan: &Plan<'_>, command: &str) -> Result<()> {
        check_writable(&self.edits, plan.found, command, &|| {
            settings::fragment(&plan.wanted.entries)
        })
    }
}

/// Refuses edits of files that nobody may write; `by_hand` is what to add to them instead.
pub(super) fn check_writable(
    edits: &[SettingsEdit],
    found: &Found,
    command: &str,
    by_hand: &dyn Fn() -> String,
) -> Result<()> {
    for edit in edits {
        let read_only = found
            .settings
            .get(&edit.file)
            .is_some_and(|old| old.read_only);
        if read_only && command == "install" {
            bail!(
                "could not merge {}: it is read-only; make it writable and run install again, or \
                 add this where it is managed:\n{}",
                edit.file,
                by_hand()
            );
        }
        if read_only {
            bail!(
                "could not change {}: it is read-only; make it writable and run {command} again",
                edit.file
            );
        }
    }
    Ok(())
}

/// Plans all settings files so that `entries` are in the one of this scope and nowhere else.
pub(super) fn plan(
    wanted: &Wanted,
    found: &Found,
    recorded: Option<&Manifest>,
    entries: &Entries,
) -> Result<SettingsPlan, Refused> {
    let mut plan = SettingsPlan {
        edits: Vec::new(),
        record: None,
        allowed: false,
        marked: false,
    };
    for file in wanted
        .names
        .settings_files()
        .filter(|file| *file != wanted.names.settings)
    {
        let record = recorded.and_then(|manifest| manifest.settings(&file));
        plan.edits.extend(
            record
                .map(|record| out(wanted, found, record))
                .transpose()?
                .flatten(),
        );
    }
    let file = wanted.names.settings.clone();
    let record = recorded.and_then(|manifest| manifest.settings(&file));
    if entries.registrations.is_empty() && entries.rules.is_empty() {
        plan.edits.extend(
            record
                .map(|record| out(wanted, found, record))
                .transpose()?
                .flatten(),
        );
    } else {
        merge(&mut plan, wanted, found, record, entries)
            .map_err(|fault| Refused { file, fault })?;
    }
    Ok(plan)
}

/// The edit that takes what was recorded out of its file, when there is something to take out.
pub(super) fn out(
    wanted: &Wanted,
    found: &Found,
    record: &SettingsRecord,
) -> Result<Option<SettingsEdit>, Refused> {
    let Some(found) = found.settings.get(&record.file) else {
        return Ok(None);
    };
    let entries = record.entries(wanted);
    let unmerged = settings::decode(&found.bytes)
        .and_then(|(mark, text)| Ok((mark, settings::unmerge(text, &entries, &record.trace)?)));
    let (mark, rest) = unmerged.map_err(|fault| Refused {
        file: record.file.clone(),
        fault,
    })?;
    let blank = record
        .existed
        .then(|| record.trace.blank_document())
        .flatten();
    let after = rest
        .or(blank)
        .map(|rest| format!("{mark}{rest}").into_bytes());
    Ok(
        (after.as_ref() != Some(&found.bytes)).then(|| SettingsEdit {
            file: record.file.clone(),
            after,
        }),
    )
}

fn merge(
    plan: &mut SettingsPlan,
    wanted: &Wanted,
    found: &Found,
    record: Option<&SettingsRecord>,
    entries: &Entries,
) -> Result<(), Fault> {
    let old = found.settings.get(&wanted.names.settings);
    let record = record.filter(|_| old.is_some());
    let (mark, text) = settings::decode(old.map_or(&[][..], |old| &old.bytes))?;
    let last = record.map(|record| (record.entries(wanted), &record.trace));
    let last = last.as_ref().map(|(entries, trace)| (entries, *trace));
    let (merged, trace) = settings::renew(text, last, entries)?;
    // What we are about to write must be what Claude Code accepts.
    let shape = Shape::parse(&merged)?;
    let allowed = |rule: &String| shape.rules().any(|found| found == rule);
    plan.allowed = wanted.entries.rules.iter().all(allowed);
    plan.marked = !mark.is_empty();
    let after = format!("{mark}{merged}").into_bytes();
    plan.record = Some(SettingsRecord {
        file: wanted.names.settings.clone(),
        existed: record.map_or(old.is_some(), |record| record.existed),
        before_sha256: match record {
            Some(record) => record.before_sha256.clone(),
            None => old.map(|old| sha256(&old.bytes)),
        },
        // What the user wrote meanwhile is none of the manifest's business.
        after_sha256: match record {
            Some(record) if unchanged(old, &after) => record.after_sha256.clone(),
            _ => sha256(&after),
        },
        trace,
        handlers: entries.registrations.iter().map(handler).collect(),
    });
    if !unchanged(old, &after) {
        plan.edits.push(SettingsEdit {
            file: wanted.names.settings.clone(),
            after: Some(after),
        });
    }
    Ok(())
}

fn unchanged(old: Option<&Settings>, after: &[u8]) -> bool {
    old.is_some_and(|old| old.bytes == after)
}

fn handler(registration: &Registration) -> HandlerRecord {
    HandlerRecord {
        event: registration.event.clone(),
        matcher: registration.matcher.clone(),
        command: registration.command.clone(),
        timeout: registration.timeout,
    }
}
