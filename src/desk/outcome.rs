//! How a desk call can end: the closed set of statuses, and what stops a flow early. Prints nothing.

use std::fmt;

use super::shown::Shown;

/// One status, printed as its word. The set is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The effect was seen.
    Done,
    /// The driver accepted the call and nothing proves its effect.
    Unverified,
    /// The driver saw that nothing happened.
    NoEffect,
    /// What is there is not what was asked for.
    Mismatch,
    /// More than one control answers to the target.
    Ambiguous,
    /// It needs a word from the brief that was not given.
    NeedsConfirmation,
    /// No control answers to the target.
    NotFound,
    /// The driver said no.
    Refused,
    /// The call may have happened.
    Unknown,
}

impl Status {
    /// The word that is printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Unverified => "unverified",
            Self::NoEffect => "no_effect",
            Self::Mismatch => "mismatch",
            Self::Ambiguous => "ambiguous",
            Self::NeedsConfirmation => "needs_confirmation",
            Self::NotFound => "not_found",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
        }
    }

    /// What the driver's `effect` stands for; a word that no known driver says proves nothing.
    #[must_use]
    pub fn of_effect(effect: Option<&str>) -> Self {
        match effect {
            Some("confirmed") => Self::Done,
            Some("suspected_noop") => Self::NoEffect,
            Some("partial") => Self::Mismatch,
            _ => Self::Unverified,
        }
    }

    /// Whether the flow goes on after it.
    #[must_use]
    pub fn is_good(self) -> bool {
        matches!(self, Self::Done | Self::Unverified)
    }
}

/// An error word of the driver: lower-case ASCII, digits and `_`, at most 48 characters. Anything
/// else could be text of an app, and is dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code(String);

impl Code {
    /// The word, if it is one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let fits = !text.is_empty() && text.len() <= 48 && text.chars().all(plain);
        fits.then(|| Self(text.to_ascii_lowercase()))
    }

    /// A word of our own.
    #[must_use]
    pub fn own(word: &'static str) -> Self {
        Self(word.to_owned())
    }

    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A no of the driver or of a check.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What it was.
    pub status: Status,
    /// The driver's word for it, or ours.
    pub code: Option<Code>,
    /// Lines from the screen or the driver, redacted; they belong inside the fence.
    pub detail: Vec<Shown>,
}

impl Failure {
    /// A failure without details.
    #[must_use]
    pub fn new(status: Status, code: Option<Code>) -> Self {
        let detail = Vec::new();
        Self {
            status,
            code,
            detail,
        }
    }

    /// Whether the driver's word for it is this one.
    #[must_use]
    pub fn is(&self, code: &str) -> bool {
        self.code.as_ref().is_some_and(|own| own.as_str() == code)
    }
}

/// Why a flow stopped before its end.
#[derive(Debug)]
pub enum Stop {
    /// Exit 1, or 4 when the status is `unknown`.
    Failed(Failure),
    /// The driver waits for system permissions: exit 75.
    PermissionsPending(Shown),
    /// The driver's own status above 4, passed on.
    DriverStatus(u8, Shown),
    /// Exit 2.
    CouldNot(anyhow::Error),
}

impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Self {
        Self::CouldNot(error)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_confirmed_effect_is_done() {
        for (effect, want) in [
            (Some("confirmed"), Status::Done),
            (Some("unverifiable"), Status::Unverified),
            (Some("suspected_noop"), Status::NoEffect),
            (Some("partial"), Status::Mismatch),
            (Some("splendid"), Status::Unverified),
            (None, Status::Unverified),
        ] {
            assert_eq!(Status::of_effect(effect), want, "{effect:?}");
        }
    }

    #[test]
    fn a_code_holds_no_text_of_an_app() {
        assert_eq!(
            Code::parse("APP_NOT_INSTALLED").unwrap().as_str(),
            "app_not_installed"
        );
        for text in ["", "two words", "a\nb", "é", &"x".repeat(49)] {
            assert_eq!(Code::parse(text), None, "{text:?}");
        }
    }
}
