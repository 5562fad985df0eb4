//! settings.json as text: `text` (where values stand) → `shape` (what Claude Code accepts) →
//! `merge` or `unmerge` (our entries in, our entries out), written in the file's own `style` by
//! `edit`s. A `registration` is one handler of ours. All pure.

mod edit;
mod merge;
mod registration;
mod shape;
mod style;
#[cfg(test)]
mod tests;
mod text;
mod unmerge;

use serde::{Deserialize, Serialize};

pub use merge::{fragment, merge, renew};
pub use registration::{Form, Registration, Spelling, State};
pub use shape::{Event, Shape};
pub use text::{Fault, fault_at};
pub use unmerge::unmerge;

/// What a settings file should hold of ours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entries {
    /// Hook handlers.
    pub registrations: Vec<Registration>,
    /// Rules of `permissions.allow`.
    pub rules: Vec<String>,
}

/// What merging created, kept in the manifest so that removal gives back the old bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// JSON pointers of objects and arrays that were not there; the empty one is the document.
    pub created_keys: Vec<String>,
    /// Containers that were there and empty.
    pub emptied: Vec<Emptied>,
    /// The rules that were not there.
    pub rules: Vec<String>,
}

/// A container that was empty before we filled it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Emptied {
    /// Its JSON pointer.
    pub pointer: String,
    /// The white space between its brackets; of the empty pointer's document, when that was
    /// created, the whole text.
    pub inner: String,
}

impl<'t> Shape<'t> {
    /// The event of this name, with its number.
    #[must_use]
    pub fn event(&self, name: &str) -> Option<(usize, &Event<'t>)> {
        self.events()
            .iter()
            .enumerate()
            .find(|(_, event)| event.name == name)
    }

    fn member(&self, key: &str) -> Option<usize> {
        self.members
            .iter()
            .position(|m| m.key.as_deref() == Some(key))
    }
}

/// Whether a text is nothing but white space, as JSON knows it: a form feed is none.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.bytes()
        .all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// The byte order mark, when there is one, and the text behind it.
pub fn decode(bytes: &[u8]) -> Result<(&str, &str), Fault> {
    const MARK: &str = "\u{feff}";
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        fault_at(&valid, valid.len(), "not UTF-8")
    })?;
    match text.strip_prefix(MARK) {
        Some(rest) => Ok((MARK, rest)),
        None => Ok(("", text)),
    }
}
