//! The error of a failed call → its exit code and the text that two equal errors share. Pure.
//! What differs from run to run is masked: times, ids, ports, temporary paths. Every other number
//! stays, since "1 failed" after "2 failed" is progress. Words and digits are ASCII here.

use std::sync::LazyLock;

use regex_lite::Regex;

use crate::desk_command::TOOLS;

/// What an error says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// For a shell the exit code.
    pub exit: Option<i64>,
    /// What is left when what differs from run to run is masked; of a desk tool its own line.
    pub text: String,
}

/// Of a longer text so many lines count at each end.
const ENDS: usize = 40;

/// Exit codes of a process that a signal ended: somebody or a time limit stopped it.
const STOPPED: [i64; 3] = [130, 137, 143];

/// How Claude Code begins the error of a call that it did not run.
const NOT_RUN: [&str; 3] = [
    "Permission to use",
    "The user doesn't want",
    "Hook PreToolUse",
];

/// What passes by itself: time-outs, networks, locks.
static TRANSIENT: LazyLock<Regex> = LazyLock::new(|| {
    compiled(concat!(
        r"(?i)timed? ?out|ETIMEDOUT|ECONNRE(SET|FUSED)|EAI_AGAIN|connection (refused|reset)",
        r"|Temporary failure in name resolution|could not resolve host|\b(429|502|503|504)\b",
        r"|rate.?limit|index\.lock|Could not get lock|database is locked",
        r"|Resource temporarily unavailable|daemon not running within",
    ))
});

/// What is masked, in this order: characters one of which must be there for it to be looked for,
/// the pattern, and what stands for it.
static VARYING: LazyLock<Vec<(&str, LazyLock<Regex>, &str)>> = LazyLock::new(varying);

impl Said {
    /// Reads an error; `desk` when a desk command failed.
    #[must_use]
    pub fn of(error: &str, desk: bool) -> Self {
        let (exit, text) = exit_code(error);
        let mut text = masked(text);
        if desk && !text.is_empty() {
            let line = text.split('\n').find(|line| is_of_a_desk_tool(line));
            let line = line.or_else(|| text.split('\n').next());
            text = line.map(str::to_owned).unwrap_or_default();
        }
        let lines: Vec<_> = text.split('\n').collect();
        if lines.len() > 2 * ENDS {
            let ends = [&lines[..ENDS], &lines[lines.len() - ENDS..]];
            text = ends.concat().join("\n");
        }
        Self { exit, text }
    }

    /// Whether it says that somebody stopped the call, or that it never ran.
    #[must_use]
    pub fn is_none(&self) -> bool {
        let stopped = self.exit.is_some_and(|code| STOPPED.contains(&code));
        stopped || NOT_RUN.iter().any(|start| self.text.starts_with(start))
    }

    /// Whether such an error passes by itself.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        TRANSIENT.is_match(&self.text)
    }

    /// A desk tool's own line, when it holds nothing but the tool, the step and a code:
    /// `desk-run: step 3: not_found`, `desk: refused background_unavailable`.
    #[must_use]
    pub fn evidence(&self) -> Option<&str> {
        let rest = self.text.split_once(": ").map(|(_, rest)| rest)?;
        let rest = match rest.strip_prefix("step ") {
            Some(step) => {
                let (number, rest) = step.split_once(": ")?;
                let digits = number.bytes().all(|byte| byte.is_ascii_digit());
                (digits && number.len() < 4).then_some(rest)?
            }
            None => rest.strip_prefix("refused ").unwrap_or(rest),
        };
        let code = (3..=32).contains(&rest.len())
            && rest.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        (code && is_of_a_desk_tool(&self.text)).then_some(&self.text)
    }
}

/// `Exit code 3` in front of a shell's output, and what follows it.
fn exit_code(error: &str) -> (Option<i64>, &str) {
    let Some(rest) = error.strip_prefix("Exit code ") else {
        return (None, error);
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    match rest[..digits].parse() {
        Ok(code) => {
            let text = &rest[digits..];
            (Some(code), text.strip_prefix('\n').unwrap_or(text))
        }
        Err(_) => (None, error),
    }
}

fn is_of_a_desk_tool(line: &str) -> bool {
    let named = |name: &&str| {
        line.strip_prefix(*name)
            .is_some_and(|l| l.starts_with(": "))
    };
    TOOLS.iter().any(named)
}

fn masked(text: &str) -> String {
    let mut text = text.to_owned();
    for (needs, pattern, with) in VARYING.iter() {
        if text.contains(|c| needs.contains(c)) {
            text = pattern.replace_all(&text, *with).into_owned();
        }
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split('\n') {
        let line = line.trim_end_matches([' ', '\t']);
        // Blank lines go, but the one before the first line would be trimmed anyway.
        if !line.is_empty() {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
        .to_owned()
}

fn varying() -> Vec<(&'static str, LazyLock<Regex>, &'static str)> {
    macro_rules! rows {
        ($($needs:literal, $pattern:literal => $with:literal;)*) => {
            vec![$(($needs, LazyLock::new(|| compiled($pattern)), $with)),*]
        };
    }
    rows! {
        "\u{1b}", r"\x1b\[[0-9;?]*[A-Za-z]" => "";
        "\r", r"\r\n?" => "\n";
        ":", r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?([.,]\d+)?(Z|[+-]\d\d:?\d\d)?" => "<ts>";
        ":", r"\b\d\d:\d\d:\d\d([.,]\d+)?\b" => "<ts>";
        "1", r"\b1[5-9]\d{8}(\d{3})?\b" => "<epoch>";
        "-", r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b" => "<uuid>";
        "x", r"\b0x[0-9a-fA-F]+\b" => "<hex>";
        "0123456789abcdef", r"\b[0-9a-f]{32,64}\b" => "<hash>";
        "s", r"\bs[0-9a-f]{8}(:\d+)?\b" => "<token>";
        "pP", r#"\b([Pp][Ii][Dd])["']?[ =:#]*\d+"# => "${1} <n>";
        "_", r#"\bwindow_id["']?[ =:]*\d+"# => "window_id <n>";
        "0123456789", r"\b(took|elapsed|in|after|Duration:?)\s+\d+(\.\d+)?\s?(ms|s|sec|seconds?|m|min)\b" => "${1} <dur>";
        "0123456789", r"\b\d+(\.\d+)?(ms|s)\b" => "<dur>";
        "0123456789", r"\b([Aa]ttempt|[Rr]etry)\s*#?\d+(\s*(of|/)\s*\d+)?" => "${1} <n>";
        "/", r#"(/private)?/(tmp|var/folders)/[^\s:'"]+"# => "<tmp>";
        ":", r"(127\.0\.0\.1|localhost):\d+" => "${1}:<port>";
        "S", r"(?m)^Shell cwd was reset to .*$" => "";
        "[", r"\.\.\. \[\d+ [a-z ]+ truncated\] \.\.\." => "<cut>";
    }
}

fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a test compiles every pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(error: &str) -> String {
        Said::of(error, false).text
    }

    #[test]
    fn what_differs_from_run_to_run_is_masked() {
        for (one, other) in [
            ("\u{1b}[31mred\u{1b}[0m\r\nx\r\n", "red\nx"),
            ("at 2026-11-30T12:00:00Z", "at 2025-01-01 00:00:00.5+01:00"),
            ("12:00:01 x", "13:00:00.123 x"),
            ("t=1796040000", "t=1796040000123"),
            (
                "id 0b2c6a53-8c3e-4d0b-9a55-0123456789ab",
                "id 1b2c6a53-8c3e-4d0b-9a55-0123456789ab",
            ),
            ("at 0x7f", "at 0xAB12"),
            (
                "0123456789abcdef0123456789abcdef x",
                "1123456789abcdef0123456789abcdef x",
            ),
            ("s0000002a:14 is old", "s0000002b:15 is old"),
            ("pid 4, PID: 77", "pid 5, PID=8"),
            (r#"{"window_id":5}"#, r#"{"window_id": 66}"#),
            ("finished in 0.42s", "finished in 1.97s"),
            ("took 3 min, 12ms", "took 14 min, 3.5ms"),
            ("attempt 1/3", "attempt 2 of 3"),
            ("/tmp/a/b: no", "/private/var/folders/x: no"),
            ("localhost:3000", "localhost:4000"),
            ("x\nShell cwd was reset to /p\n\n\ny", "x\ny"),
            (
                "... [12 lines truncated] ...",
                "... [345 lines truncated] ...",
            ),
            (" \n x  \n\ny\t\n", "x\ny"),
        ] {
            assert_eq!(text(one), text(other), "{one} {other}");
        }
        for (one, other) in [
            ("2 failed", "1 failed"),
            ("x.rs:10", "x.rs:11"),
            ("error: a", "error: b"),
        ] {
            assert_ne!(text(one), text(other));
        }
    }

    #[test]
    fn a_shells_exit_code_is_told_from_its_output() {
        for (error, exit, rest) in [
            ("Exit code 3\nto-err", Some(3), "to-err"),
            ("Exit code 1", Some(1), ""),
            ("Exit code zero\nx", None, "Exit code zero\nx"),
            ("no such file", None, "no such file"),
        ] {
            let said = Said::of(error, false);
            assert_eq!((said.exit, said.text.as_str()), (exit, rest), "{error}");
        }
        let stopped = |error| Said::of(error, false).is_none();
        assert!(stopped("Exit code 143\nCommand timed out after 1s"));
        assert!(stopped("Permission to use Bash has been denied"));
        assert!(!stopped("Exit code 1\nx"));
    }

    #[test]
    fn of_a_desk_error_its_own_line_counts() {
        for (error, line, evidence) in [
            (
                "desk-run: step 3: not_found\n  nearest: \"x\"",
                "desk-run: step 3: not_found",
                true,
            ),
            (
                "unverified press_key\ndesk: refused background_unavailable",
                "desk: refused background_unavailable",
                true,
            ),
            ("desk: refused retry", "desk: refused retry", true),
            (
                "desk: cannot resolve app notes",
                "desk: cannot resolve app notes",
                false,
            ),
            (
                "desk-run: step 3: Secret",
                "desk-run: step 3: Secret",
                false,
            ),
            ("no tool\nsecond", "no tool", false),
            ("make: not_found", "make: not_found", false),
        ] {
            let said = Said::of(&format!("Exit code 1\n{error}"), true);
            assert_eq!(said.text, line);
            assert_eq!(said.evidence().is_some(), evidence, "{line}");
        }
    }

    #[test]
    fn of_a_long_text_both_ends_count() {
        let lines = |changed: usize| -> String {
            let line = |at| if at == changed { "changed\n" } else { "line\n" };
            (0..100).map(line).collect()
        };
        assert_eq!(text(&lines(50)), text(&lines(51)));
        assert_ne!(text(&lines(5)), text(&lines(51)));
        assert_ne!(text(&lines(95)), text(&lines(51)));
    }

    #[test]
    fn what_passes_by_itself_is_transient() {
        for (error, want) in [
            ("curl: (28) Operation timed out", true),
            ("HTTP 503", true),
            ("HTTP 5031", false),
            ("fatal: Unable to create '.git/index.lock'", true),
            ("desk: daemon not running within 10 s", true),
            ("assertion failed", false),
        ] {
            assert_eq!(Said::of(error, false).is_transient(), want, "{error}");
        }
    }
}
