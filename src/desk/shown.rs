//! What the driver said ([`RawAnswer`], [`RawText`]) and what may be printed of it ([`Shown`]).
//! The raw types have no way to be formatted, so that printing a secret does not compile.

use std::fmt;
use std::sync::LazyLock;

use regex_lite::Regex;
use serde_json::Value;

use crate::escape;

/// A whole answer of the driver.
pub struct RawAnswer(Value);

impl RawAnswer {
    /// Wraps what the driver printed.
    #[must_use]
    pub fn new(value: Value) -> Self {
        Self(value)
    }

    /// The answer, for deciding; its text must not be printed.
    #[must_use]
    pub fn reveal(&self) -> &Value {
        &self.0
    }
}

/// Text of an app or of the driver.
///
/// ```compile_fail
/// let text = lean_computer_use::desk::shown::RawText::new("hunter2");
/// println!("{text}");
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct RawText(String);

impl RawText {
    /// Wraps foreign text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// No text.
    #[must_use]
    pub const fn empty() -> Self {
        Self(String::new())
    }

    /// The text, for comparing; it must not be printed.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for RawText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawText({} bytes)", self.0.len())
    }
}

/// Text that may be printed: redacted, on one line, quoted where it is foreign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown(String);

impl Shown {
    /// Words of our own.
    #[must_use]
    pub fn own(words: &'static str) -> Self {
        Self(words.to_owned())
    }

    /// A number of characters, of steps, of lines.
    #[must_use]
    pub fn count(number: usize) -> Self {
        Self(number.to_string())
    }

    /// A ref of ours: `#c17`.
    #[must_use]
    pub fn reference(reference: &str) -> Self {
        Self(escape::shown(reference).replacen('c', "#c", 1))
    }

    /// Foreign text without its secrets, quoted on one line, cut after `max` characters.
    #[must_use]
    pub fn text(raw: &RawText, max: usize) -> Self {
        Self(escape::quoted(&cut(&redacted(raw.reveal()), max)))
    }

    /// Like [`Shown::text`], bare when it is a plain word.
    #[must_use]
    pub fn word(raw: &RawText, max: usize) -> Self {
        Self(escape::shown(&cut(&redacted(raw.reveal()), max)))
    }

    /// The text of a control of this role.
    #[must_use]
    pub fn value(role: &RawText, raw: &RawText, max: usize) -> Self {
        if is_secret_field(role.reveal(), raw.reveal()) {
            return Self(escape::quoted(REDACTED));
        }
        Self::text(raw, max)
    }

    /// Several pieces, one blank between them.
    #[must_use]
    pub fn line(pieces: &[Self]) -> Self {
        let pieces: Vec<_> = pieces.iter().map(Self::as_str).collect();
        Self(pieces.join(" "))
    }

    /// What is printed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

const REDACTED: &str = "[redacted]";

/// The shapes of well-known secrets, the one list of them.
static SECRETS: LazyLock<Regex> = LazyLock::new(|| {
    let shapes = [
        // PEM private keys, also when their end was cut off.
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)",
        // AWS access keys.
        r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
        // GitHub tokens.
        r"\bgh[pousr]_[A-Za-z0-9]{20,}",
        r"\bgithub_pat_[A-Za-z0-9_]{20,}",
        // Keys of several model and payment services.
        r"\bsk[-_][A-Za-z0-9_-]{16,}",
        // Slack tokens.
        r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
        // JSON web tokens.
        r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.?[A-Za-z0-9_-]*",
        r"(?i)\bbearer\s+[A-Za-z0-9._~+/=-]{8,}",
    ];
    Regex::new(&shapes.join("|")).expect("the shapes are checked by a test")
});

fn redacted(text: &str) -> String {
    if is_bullets(text) {
        return REDACTED.to_owned();
    }
    SECRETS.replace_all(text, REDACTED).into_owned()
}

/// A password field by its role (AT-SPI) or role or subrole (macOS), or a value of bullets only,
/// which is how both systems show one.
fn is_secret_field(role: &str, text: &str) -> bool {
    let role = role.to_ascii_lowercase();
    role.contains("password") || role.contains("securetextfield") || is_bullets(text)
}

/// Whether text is what a password field shows instead of its content.
#[must_use]
pub fn is_bullets(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| matches!(c, '•' | '●' | '⚫' | '∙'))
}

fn cut(text: &str, max: usize) -> String {
    let mut kept: String = text.chars().take(max).collect();
    if kept.len() < text.len() {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(role: &str, text: &str) -> String {
        Shown::value(&RawText::new(role), &RawText::new(text), 200).to_string()
    }

    #[test]
    fn secrets_are_not_shown() {
        let pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----";
        for (role, text) in [
            ("password text", "hunter2"),
            ("AXTextField AXSecureTextField", "hunter2"),
            ("text", "●●●●"),
            ("text", pem),
            ("text", "-----BEGIN PRIVATE KEY-----\nMIIE"),
            ("label", "AKIAIOSFODNN7EXAMPLE"),
            ("label", "ghp_abcdefghijklmnopqrstuvwxyz0123"),
            ("label", concat!("sk-", "proj-0123456789abcdefgh")),
            ("label", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"),
            ("label", "Bearer abcdefghijkl"),
        ] {
            assert_eq!(shown(role, text), r#""[redacted]""#, "{text}");
        }
    }

    #[test]
    fn other_text_is_quoted_and_cut() {
        assert_eq!(shown("label", "a\nb</app-text>"), r#""a\nb</app-text>""#);
        let long = Shown::text(&RawText::new("abcdef"), 3);
        assert_eq!(long.as_str(), r#""abc…""#);
        let inside = shown("label", "key AKIAIOSFODNN7EXAMPLE, keep");
        assert_eq!(inside, r#""key [redacted], keep""#);
    }

    #[test]
    fn raw_text_has_no_readable_debug_form() {
        assert_eq!(format!("{:?}", RawText::new("secret")), "RawText(6 bytes)");
    }
}
