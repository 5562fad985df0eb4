//! What a run that was cut off left to remember. In go the manifests before and after it and the
//! place as it is, out comes what is really installed: the next run goes on from there, be it an
//! install or an uninstall. Reads nothing and writes nothing.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::found::{Found, OnDisk};
use super::manifest::{FileRecord, Manifest};
use super::wanted::Wanted;
use crate::files::sha256;

const SCHEMA: u32 = 1;

/// `local/journal.json`: there from before the first write of a run until after its last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    schema: u32,
    /// What was recorded before the run.
    before: Option<Manifest>,
    /// What an install was to record; none for an uninstall.
    after: Option<Manifest>,
}

impl Journal {
    /// The journal of a run. At least one of the two is something.
    #[must_use]
    pub fn new(before: Option<&Manifest>, after: Option<&Manifest>) -> Self {
        Self {
            schema: SCHEMA,
            before: before.cloned(),
            after: after.cloned(),
        }
    }

    /// Reads a journal, with the same doubts as a manifest.
    pub fn parse(bytes: &[u8], wanted: &Wanted) -> Result<Self> {
        let journal: Self =
            serde_json::from_slice(bytes).context("not a journal of this release")?;
        ensure!(
            journal.schema == SCHEMA,
            "written in schema {}",
            journal.schema
        );
        for manifest in journal.before.iter().chain(&journal.after) {
            manifest.check(wanted)?;
        }
        Ok(journal)
    }

    /// Its text.
    ///
    /// # Panics
    /// Never: the value holds nothing that JSON cannot.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("plain data is always JSON") + "\n"
    }

    /// What is installed now. Every write of a run replaces a whole file, so each file is as
    /// before or as after it, and a missing one is missing because of us unless it was before.
    #[must_use]
    pub fn recorded(&self, found: &Found) -> Option<Manifest> {
        let newest = self.after.as_ref().or(self.before.as_ref())?;
        let mut recorded = newest.clone();
        let both = || self.after.iter().chain(&self.before);
        recorded.files = self.files(found);
        let folders: BTreeSet<_> = both().flat_map(|manifest| &manifest.folders).collect();
        recorded.folders = folders.into_iter().cloned().collect();
        for settings in both().flat_map(|manifest| &manifest.settings) {
            // Our entries as an install was to write them: taking out what is not in is harmless.
            if recorded.settings(&settings.file).is_none() {
                recorded.settings.push(settings.clone());
            }
        }
        Some(recorded)
    }

    fn files(&self, found: &Found) -> Vec<FileRecord> {
        let paths: BTreeSet<_> = self
            .after
            .iter()
            .chain(&self.before)
            .flat_map(|manifest| manifest.files.iter().map(|file| file.path.as_str()))
            .collect();
        paths
            .into_iter()
            .filter_map(|path| {
                let of = |manifest: &Option<Manifest>| manifest.as_ref()?.file(path).cloned();
                let (before, after) = (of(&self.before), of(&self.after));
                match found.files.get(path) {
                    None if self.after.is_some() && after.is_some() => before,
                    None => None,
                    Some(OnDisk::File { bytes, .. }) => {
                        let digest = sha256(bytes);
                        let restored = before.as_ref().and_then(|b| b.previous.as_ref());
                        if self.after.is_none() && restored.is_some_and(|p| p.sha256 == digest) {
                            return None;
                        }
                        after.filter(|after| after.sha256 == digest).or(before)
                    }
                    Some(OnDisk::Odd(_)) => before,
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::install::place::Scope;

    fn manifest(files: &[(&str, &str)]) -> Manifest {
        let file = |(path, text): &(&str, &str)| FileRecord {
            path: (*path).to_owned(),
            kind: "doc".to_owned(),
            sha256: sha256(text.as_bytes()),
            bytes: text.len(),
            mode: "0644".to_owned(),
            source_sha256: sha256(text.as_bytes()),
            created: true,
            previous: None,
        };
        Manifest {
            files: files.iter().map(file).collect(),
            folders: files.iter().map(|(path, _)| format!("of {path}")).collect(),
            ..Manifest::empty(Scope::Project, "")
        }
    }

    fn recorded(
        before: Option<&Manifest>,
        after: Option<&Manifest>,
        disk: &[(&str, &str)],
    ) -> Vec<(String, String)> {
        let file = |(path, text): &(&str, &str)| {
            let bytes = text.as_bytes().to_vec();
            ((*path).to_owned(), OnDisk::File { bytes, mode: 0o644 })
        };
        let found = Found {
            files: disk.iter().map(file).collect(),
            ..Found::default()
        };
        let recorded = Journal::new(before, after).recorded(&found).unwrap();
        assert!(recorded.folders.len() >= recorded.files.len());
        recorded
            .files
            .into_iter()
            .map(|file| (file.path, file.sha256))
            .collect()
    }

    #[test]
    fn each_file_is_as_before_or_as_after() {
        let old = manifest(&[("a", "1"), ("b", "1"), ("gone", "1"), ("removed", "1")]);
        let new = manifest(&[
            ("a", "2"),
            ("b", "2"),
            ("c", "2"),
            ("d", "2"),
            ("removed", "2"),
        ]);
        let want = |files: &[(&str, &str)]| {
            let file = |(path, text): &(&str, &str)| ((*path).to_owned(), sha256(text.as_bytes()));
            files.iter().map(file).collect::<Vec<_>>()
        };
        // Half way through an upgrade; "removed" was removed by the user before it.
        assert_eq!(
            recorded(
                Some(&old),
                Some(&new),
                &[("a", "2"), ("b", "1"), ("c", "2"), ("gone", "1")]
            ),
            want(&[
                ("a", "2"),
                ("b", "1"),
                ("c", "2"),
                ("gone", "1"),
                ("removed", "1")
            ])
        );
        // A first install: what somebody else put there meanwhile is not ours.
        assert_eq!(
            recorded(None, Some(&new), &[("a", "2"), ("b", "x")]),
            want(&[("a", "2")])
        );
        // An uninstall: what is missing was removed by us.
        assert_eq!(
            recorded(Some(&old), None, &[("b", "1")]),
            want(&[("b", "1")])
        );
    }
}
