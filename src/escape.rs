//! The one function through which all foreign text goes before a person or a model sees it: text
//! of apps, transcripts, file names, model names.

use std::fmt::Write as _;
use std::path::Path;

/// `text` on one line in double quotes, as a JSON string that cannot do anything to its reader:
/// control characters, bidi controls, zero-width characters and tag characters become `\u…`
/// escapes. Parsing the result as JSON gives back `text`.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_unsafe(c) => push_escape(&mut out, c),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Like [`quoted`], but a plain word that nothing can be read into stands bare: for table cells
/// and receipts, where quotes around every name would only cost room.
#[must_use]
pub fn shown(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:/@+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    quoted(text)
}

/// A path, as [`shown`].
#[must_use]
pub fn path(path: &Path) -> String {
    shown(&path.to_string_lossy())
}

/// A failure with its causes, on one line but for the line ends that we wrote ourselves: what the
/// system says holds names of files as they are.
#[must_use]
pub fn failure(error: &anyhow::Error) -> String {
    let causes = error.chain().map(|cause| {
        let text = cause.to_string();
        if cause.is::<std::io::Error>() {
            one_line(&text)
        } else {
            json(&text)
        }
    });
    causes.collect::<Vec<_>>().join(": ")
}

fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) {
            push_escape(&mut out, c);
        } else {
            out.push(c);
        }
    }
    out
}

/// A JSON document whose texts cannot do anything to their reader either. It means the same: outside
/// of its texts a document is ASCII, and its control characters are line ends.
#[must_use]
pub fn json(document: &str) -> String {
    let mut out = String::with_capacity(document.len());
    for c in document.chars() {
        if is_unsafe(c) && c != '\n' {
            push_escape(&mut out, c);
        } else {
            out.push(c);
        }
    }
    out
}

/// What could move a cursor, hide or reorder text, or carry text that nobody sees.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

fn push_escape(out: &mut String, c: char) {
    let mut units = [0; 2];
    for unit in c.encode_utf16(&mut units) {
        let _ = write!(out, "\\u{unit:04x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_on_one_line_and_parses_back() {
        for (text, want) in [
            ("Save", r#""Save""#),
            ("a\nb\t\"c\\", r#""a\nb\t\"c\\""#),
            ("\u{1b}[2J", r#""\u001b[2J""#),
            ("x\u{202e}y\u{200b}z", r#""x\u202ey\u200bz""#),
            ("\u{e0041}", r#""\udb40\udc41""#),
            ("π ☕ 日本", r#""π ☕ 日本""#),
        ] {
            assert_eq!(quoted(text), want);
            assert_eq!(serde_json::from_str::<String>(want).unwrap(), text);
        }
    }

    #[test]
    fn a_document_means_the_same() {
        let text = "\u{202e}a\u{200b}\u{e0041}é\u{7f}\n";
        let document = serde_json::to_string_pretty(&[text]).unwrap();
        let safe = json(&document);
        assert_eq!(safe, "[\n  \"\\u202ea\\u200b\\udb40\\udc41é\\u007f\\n\"\n]");
        assert_eq!(serde_json::from_str::<[String; 1]>(&safe).unwrap(), [text]);
    }

    #[test]
    fn only_plain_words_stand_bare() {
        assert_eq!(shown("claude-opus-4-8"), "claude-opus-4-8");
        assert_eq!(shown(""), r#""""#);
        assert_eq!(shown("two words"), r#""two words""#);
        assert_eq!(shown("</script>"), r#""</script>""#);
    }
}
