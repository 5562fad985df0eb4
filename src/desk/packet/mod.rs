//! `desk-run`'s steps: text in, [`Step`]s or the place of the first fault out. The whole packet is
//! parsed before anything happens. A fault never repeats text, since a step can hold a secret. Pure.
//!
//! ```text
//! step   := click|check|uncheck T | set|append|pick T = V | type V | type T = V | press CHORD
//!         | keys V | menu NAME (> NAME)* | expect T (=|~) V | wait T [DURATION] | read T
//! T      := NAME | ROLE:NAME | ROLE: | ~SUBSTRING | #ref
//! NAME, ROLE, V := a bare word, or "…" with \" \\ \n \t \u{…} as the only escapes
//! ```
//!
//! `reader` knows words, targets and texts, `step` the verbs, `chord` the keys, `keypad` what a
//! calculator calls its buttons.

use std::fmt;
use std::time::Duration;

use super::shown::RawText;
pub use chord::Chord;

pub mod chord;
pub mod keypad;
mod reader;
mod step;

/// One action or check.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Press the control.
    Click(Target),
    /// Tick the control (true) or take its tick away; nothing when it is so already.
    Check(Target, bool),
    /// Put this text, and nothing else, into the control.
    Set(Target, RawText),
    /// Put this text behind the one that is there.
    Append(Target, RawText),
    /// Choose this option of a list or menu button.
    Pick(Target, RawText),
    /// Type into the control, or into whatever has the keys.
    Type(Option<Target>, RawText),
    /// Press keys together.
    Press(Chord),
    /// Press the button of each character.
    Keys(String),
    /// Choose from the app's menus.
    Menu(Vec<String>),
    /// The control's text is this, or holds it.
    Expect(Target, Test, RawText),
    /// It shows within this time.
    Wait(Target, Duration),
    /// Show what matches.
    Read(Target),
}

impl Step {
    /// The verb, as typed.
    #[must_use]
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Click(_) => "click",
            Self::Check(_, true) => "check",
            Self::Check(_, false) => "uncheck",
            Self::Set(..) => "set",
            Self::Append(..) => "append",
            Self::Pick(..) => "pick",
            Self::Type(..) => "type",
            Self::Press(_) => "press",
            Self::Keys(_) => "keys",
            Self::Menu(_) => "menu",
            Self::Expect(..) => "expect",
            Self::Wait(..) => "wait",
            Self::Read(_) => "read",
        }
    }

    /// Whether it changes nothing in the app.
    #[must_use]
    pub fn only_looks(&self) -> bool {
        matches!(self, Self::Expect(..) | Self::Wait(..) | Self::Read(_))
    }
}

/// How `expect` compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// `=`: the whole text.
    Is,
    /// `~`: contains.
    Holds,
}

/// Which control is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// By its whole name.
    Name(String),
    /// By role and whole name.
    RoleName(String, String),
    /// The only control of that role.
    Role(String),
    /// By a part of its name.
    Part(String),
    /// By the short ref that a read gave it, without the `#`.
    Ref(String),
}

/// A step that cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// From 1.
    pub step: usize,
    /// In characters, from 1.
    pub column: usize,
    /// What was expected there.
    pub what: &'static str,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, column, what } = self;
        write!(f, "step {step}, column {column}: {what}")
    }
}

impl std::error::Error for Fault {}

/// Reads every step; blank ones are skipped but counted, so that a number means a line.
pub fn parse<'a>(steps: impl IntoIterator<Item = &'a str>) -> Result<Vec<(usize, Step)>, Fault> {
    let mut parsed = Vec::new();
    for (index, text) in steps.into_iter().enumerate() {
        if text.trim().is_empty() {
            continue;
        }
        let number = index + 1;
        let fault = |(column, what)| Fault {
            step: number,
            column,
            what,
        };
        if let Some(at) = text.chars().position(|c| c == '\0') {
            return Err(fault((at + 1, "NUL is no character of a text")));
        }
        let one = step::parse(text).map_err(fault)?;
        parsed.push((number, one));
    }
    Ok(parsed)
}

#[cfg(test)]
mod tests;
