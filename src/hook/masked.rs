//! A failed input as it may be shown: its beginning, on one line, with typed text left out. Pure.

use std::sync::LazyLock;

use regex_lite::{Captures, Regex};

use crate::escape::quoted;

use super::event::Call;
use super::key::canonical;

/// How much of an input is shown, in characters; fewer of those that cost more tokens.
const SHOWN: usize = 88;

/// So many characters are looked at to show so few.
const LOOKED_AT: usize = 4000;

/// Texts that were typed into an app: values of JSON keys, and the texts of `set`, `append` and
/// `type` steps; each also with quotes that are escaped for a shell. The first group stays, the
/// second is masked; a text that is never closed goes on to the end.
static TYPED: LazyLock<[Regex; 4]> = LazyLock::new(|| {
    let plain = r#"((?:[^"\\]|\\[\s\S])*)"#;
    let escaped = r#"((?:[^"\\]|\\\\\\"|\\\\|\\[^"\\])*)"#;
    let key = "(?:text|value|password)";
    let step = |quote: &str| {
        let name = format!(r#"{quote}(?:[^"\\\n]|\\[^"\n])*{quote}"#);
        format!(
            r#"(\b(?:set|append)\s+(?:{name}|[^"\n=]*)\s*=\s*{quote}|\btype\s+(?:{name}\s*=\s*)?{quote})"#
        )
    };
    [
        format!(r#"("{key}"\s*:\s*"){plain}"#),
        format!(r#"(\\"{key}\\"\s*:\s*\\"){escaped}"#),
        format!("{}{plain}", step("\"")),
        format!("{}{escaped}", step(r#"\\""#)),
    ]
    .map(|pattern| Regex::new(&pattern).expect("a test compiles every pattern"))
});

/// The call's input, quoted.
#[must_use]
pub fn masked(call: &Call) -> String {
    let mut text = canonical(call);
    // A text that is cut here is masked up to its end.
    if let Some((end, _)) = text.char_indices().nth(LOOKED_AT) {
        text.truncate(end);
    }
    let text = without_typed(text);
    let mut left = SHOWN;
    let shown = text.chars().take_while(|c| {
        let cost = cost(*c);
        let fits = cost <= left;
        left = left.saturating_sub(cost);
        fits
    });
    let end = shown.map(char::len_utf8).sum();
    let cut = if end < text.len() { "…" } else { "" };
    format!("{}{cut}", quoted(&text[..end]))
}

fn without_typed(mut text: String) -> String {
    for pattern in TYPED.iter() {
        text = pattern.replace_all(&text, mask).into_owned();
    }
    text
}

/// What a character costs, in letters: some are tokens of their own, some are shown escaped.
fn cost(c: char) -> usize {
    match c {
        ' ' | 'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '/' | '.' | '_' => 1,
        c if c.is_ascii_graphic() => 3,
        c if c.is_alphanumeric() => 4,
        _ => 12,
    }
}

fn mask(found: &Captures<'_>) -> String {
    let count = found[2].chars().count();
    format!("{}<{count} chars>", &found[1])
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn shown(command: &str) -> String {
        let quoted = masked(&Call {
            tool: "Bash".to_owned(),
            input: json!({"command": command}),
            id: None,
        });
        let text: Value = serde_json::from_str(quoted.trim_end_matches('…')).unwrap();
        text.as_str().unwrap().to_owned()
    }

    #[test]
    fn typed_text_is_left_out() {
        for (command, want) in [
            ("make x", "make x"),
            (r#"echo "text""#, r#"echo "text""#),
            (
                r#"desk Notes type_text '{"text": "hush \" hush", "pid": 1}'"#,
                r#"desk Notes type_text '{"text": "<12 chars>", "pid": 1}'"#,
            ),
            (
                r#"desk X set_value "{\"value\":\"hush\",\"password\":\"h\"}""#,
                r#"desk X set_value "{\"value\":\"<4 chars>\",\"password\":\"<1 chars>\"}""#,
            ),
            (r#"desk X '{"text":"hus"#, r#"desk X '{"text":"<3 chars>"#),
            (
                r#"desk-run X "set \"a = b\" = \"it \\\"hush\\\"\"""#,
                r#"desk-run X "set \"a = b\" = \"<15 chars>\"""#,
            ),
            (r#"set "a" = "x\"hush""#, r#"set "a" = "<7 chars>""#),
            ("append Notes = \"hush\"", "append Notes = \"<4 chars>\""),
            (
                "desk-run Notes <<'EOF'\nset \"Name\" = \"hush\"\ntype \"hush\"\ntype \"Find\" = \"h\"\nclick \"OK\"\nEOF",
                "desk-run Notes <<'EOF'\nset \"Name\" = \"<4 chars>\"\ntype \"<4 chars>\"\ntype \"Find\" = \"<1 chars>\"\nclick \"OK\"\nEOF",
            ),
        ] {
            assert_eq!(without_typed(command.to_owned()), want);
            assert!(want.starts_with(&shown(command)), "{command}");
        }
    }

    #[test]
    fn it_is_short_and_on_one_line() {
        let long = "é".repeat(500);
        assert_eq!(shown(&long), "é".repeat(SHOWN / 4));
        assert_eq!(shown(&"make x ".repeat(50)).len(), SHOWN);
        assert_eq!(shown("a\nb"), "a\nb");
        let hostile = masked(&Call {
            tool: "mcp__x__y".to_owned(),
            input: json!({"a": "\u{202e}".repeat(500)}),
            id: None,
        });
        assert!(hostile.chars().count() <= 2 * SHOWN + 1, "{hostile}");
        assert!(!hostile.contains('\u{202e}'));
    }
}
