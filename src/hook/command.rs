//! A shell command → what makes two commands the same, and of what sort it is. Pure; what it says
//! of unbalanced quotes is not specified.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex_lite::Regex;

use super::chain::{segments, tool};

/// A command in the form that is compared, and the folder it runs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Without slashes at its end.
    pub cwd: String,
    /// As [`squash`] leaves it, without a `cd` in front.
    pub text: String,
}

/// Desk tools that only look.
const DESK_READS: [&str; 2] = ["desk-read", "desk-running"];

/// Programs that only look, whatever their arguments.
const READS: [&str; 26] = [
    "ls", "cat", "head", "tail", "grep", "rg", "find", "pwd", "wc", "stat", "file", "which",
    "type", "echo", "printf", "ps", "pgrep", "env", "date", "du", "df", "tree", "jq", "sleep",
    "true", "git",
];

/// Of these, `git` needs a subcommand.
const GIT_READS: [&str; 6] = ["status", "log", "diff", "show", "branch", "rev-parse"];

/// Commands that wait for something: to fail is their normal answer.
static WAITS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(^|\s|;|&)(sleep|wait|watch|until|while)\b|\bgh run (watch|view)",
        r"|\bkubectl (get|wait|rollout)|\bdocker (ps|logs|inspect)",
        r"|\bcurl\b.*\b(health|ready|status|live)|\bnc -z|\bsystemctl status|\bpg_isready|\blsof -i",
    ))
    .expect("a test compiles it")
});

/// One of these stands in each of them.
const WAITING: [&str; 13] = [
    "sleep",
    "wait",
    "watch",
    "until",
    "while",
    "gh run",
    "kubectl",
    "docker",
    "curl",
    "nc -z",
    "systemctl",
    "pg_isready",
    "lsof",
];

static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"("element_token"\s*:\s*")s[0-9a-f]{8}(:\d+")"#).expect("a test compiles it")
});

impl Command {
    /// The command that a shell gets in `cwd`.
    #[must_use]
    pub fn of(cwd: &str, command: &str) -> Self {
        let text = squash(command);
        let (cwd, text) = match after_cd(&text) {
            Some((folder, rest)) => (folder.trim_matches(['"', '\'']), rest.to_owned()),
            None => (cwd, text),
        };
        Self {
            cwd: cwd.trim_end_matches('/').to_owned(),
            text,
        }
    }

    /// Whether every part of it calls a desk tool.
    #[must_use]
    pub fn is_desk(&self) -> bool {
        self.parts().into_iter().all(|part| tool(part).is_some())
    }

    /// Whether every part of it only looks at something.
    #[must_use]
    pub fn only_reads(&self) -> bool {
        self.parts().into_iter().all(|part| match tool(part) {
            Some(tool) => DESK_READS.contains(&tool),
            None => reads(part),
        })
    }

    /// Whether it waits for something.
    #[must_use]
    pub fn waits(&self) -> bool {
        let may = WAITING.iter().any(|word| self.text.contains(word));
        may && WAITS.is_match(&self.text)
    }

    /// The command with the snapshots of its element tokens left out; none when it has no token.
    #[must_use]
    pub fn family(&self) -> Option<String> {
        if !self.text.contains("\"element_token\"") {
            return None;
        }
        match TOKEN.replace_all(&self.text, "${1}s*${2}") {
            Cow::Owned(family) => Some(family),
            Cow::Borrowed(_) => None,
        }
    }

    fn parts(&self) -> Vec<&str> {
        segments(&self.text).unwrap_or_else(|| vec![&self.text])
    }
}

/// Unquoted blanks become one, line continuations a blank; unquoted comments, a `;` and a `2>&1`
/// at the end are dropped. Quoted text stays as it is, and so does everything from a
/// here-document on.
#[must_use]
pub fn squash(command: &str) -> String {
    let mut out = String::with_capacity(command.len());
    let mut quote = None;
    let mut chars = command.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some(open), c) => {
                out.push(c);
                if c == '\\' && open == '"' {
                    out.extend(chars.next().map(|(_, next)| next));
                } else if c == open {
                    quote = None;
                }
            }
            (None, '"' | '\'') => {
                quote = Some(c);
                out.push(c);
            }
            (None, '<') if command[at..].starts_with("<<") => {
                out.push_str(command[at..].trim_end_matches(is_blank));
                break;
            }
            (None, '\\') => match chars.next() {
                Some((_, '\n')) => out.push(' '),
                Some((_, next)) => out.extend([c, next]),
                None => out.push(c),
            },
            (None, '#') if out.chars().next_back().is_none_or(is_blank) => {
                while chars.next_if(|(_, next)| *next != '\n').is_some() {}
            }
            (None, ' ' | '\t' | '\r') => {
                if out.chars().next_back().is_some_and(|last| !is_blank(last)) {
                    out.push(' ');
                }
            }
            (None, '\n') => {
                out.truncate(out.trim_end_matches(' ').len());
                if !out.is_empty() && !out.ends_with(['\n', ';', '&', '|']) {
                    out.push('\n');
                }
            }
            (None, c) => out.push(c),
        }
    }
    let text = out.trim_matches(is_blank).trim_end_matches(';');
    let text = text.trim_matches(is_blank);
    match text.strip_suffix("2>&1") {
        Some(text) => text.trim_end_matches(is_blank).to_owned(),
        None => text.to_owned(),
    }
}

/// The folder and the rest of `cd FOLDER && REST`, when the folder is a literal.
fn after_cd(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix("cd ")?;
    let chained = |end: usize| {
        let rest = text[end..].strip_prefix(" && ")?;
        (!rest.is_empty()).then_some((&text[..end], rest))
    };
    let quoted = |open: char, not: &[char]| {
        let inner = text.strip_prefix(open)?;
        let end = inner.find(open)?;
        let literal = end > 0 && !inner[..end].contains(not);
        literal.then(|| chained(end + 2)).flatten()
    };
    let bare = || {
        let ends = |c: char| is_blank(c) || matches!(c, ';' | '&' | '|' | '$' | '`');
        let end = text.find(ends).filter(|end| *end > 0)?;
        chained(end)
    };
    quoted('"', &['$', '`'])
        .or_else(|| quoted('\'', &[]))
        .or_else(bare)
}

fn reads(part: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let starts = |text: &str, name: &str| {
        let rest = text.strip_prefix(name);
        rest.is_some_and(|rest| !rest.starts_with(is_word))
    };
    READS.iter().any(|name| match *name {
        "git" => part.strip_prefix("git ").is_some_and(|rest| {
            let mut reads = GIT_READS.iter();
            reads.any(|name| starts(rest, name))
        }),
        name => starts(part, name),
    })
}

/// White space, with the four separators that only some take for it.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

#[cfg(test)]
mod tests;
