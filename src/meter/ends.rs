//! The end of a line → its session and time. In: the bytes of a line that holds no record. Out:
//! both, when they stand among the plain members at its end, as they do in most lines; else none,
//! and the line must be walked through. Does not look at the rest of the line: where that is JSON,
//! the answer is right.

use memchr::memrchr;

/// What the end of a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End<'a> {
    /// The session that the line names.
    pub session: &'a [u8],
    /// Its time, as written.
    pub at: &'a [u8],
}

/// Members further from the end are not looked for.
const FARTHEST: usize = 4096;

/// Reads backwards from the brace that ends the line. Outside of texts a quote before a comma or
/// that brace ends a text, and a quote behind a colon begins one.
#[must_use]
pub fn of(line: &[u8]) -> Option<End<'_>> {
    line.starts_with(b"{\"").then(|| back(line))?
}

/// The same for a line of which only the end is there.
#[must_use]
pub fn back(line: &[u8]) -> Option<End<'_>> {
    let mut rest = line.strip_suffix(b"}")?;
    let farthest = rest.len().saturating_sub(FARTHEST);
    let (mut session, mut at) = (None, None);
    loop {
        let (before, value) = value(rest, farthest)?;
        let (before, key) = quoted(before.strip_suffix(b":")?, farthest)?;
        match key {
            b"sessionId" => session = session.or(Some(plain(value)?)),
            b"timestamp" => at = at.or(Some(plain(value)?)),
            key if key.contains(&b'\\') => return None,
            _ => {}
        }
        if let (Some(session), Some(at)) = (session, at) {
            return Some(End { session, at });
        }
        rest = before.strip_suffix(b",")?;
    }
}

/// The same for a line of which `known` bytes at the end are known to name this session, and to be
/// plain members that the time stands before.
#[must_use]
pub fn before<'a>(line: &'a [u8], known: usize, session: &'a [u8]) -> Option<End<'a>> {
    let farthest = line.len().saturating_sub(1 + FARTHEST);
    let head = line.get(..line.len() - known)?;
    let (before, value) = value(head, farthest)?;
    let (_, key) = quoted(before.strip_suffix(b":")?, farthest)?;
    let at = (key == b"timestamp").then(|| plain(value))??;
    line.starts_with(b"{\"").then_some(End { session, at })
}

/// The value that ends here: a text with its quotes, or a word or number.
fn value(rest: &[u8], farthest: usize) -> Option<(&[u8], &[u8])> {
    if rest.ends_with(b"\"") {
        let (before, _) = quoted(rest, farthest)?;
        return Some((before, &rest[before.len()..]));
    }
    let word = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+');
    let length = rest.iter().rev().take_while(word).count();
    (length > 0).then(|| rest.split_at(rest.len() - length))
}

/// The text that ends here, without its quotes. A quote within it can only be an escaped one, and
/// then a backslash stands before it.
fn quoted(rest: &[u8], farthest: usize) -> Option<(&[u8], &[u8])> {
    let rest = rest.strip_suffix(b"\"")?;
    let open = farthest + memrchr(b'"', rest.get(farthest..)?)?;
    let (before, text) = (&rest[..open], &rest[open + 1..]);
    (!before.ends_with(b"\\")).then_some((before, text))
}

fn plain(value: &[u8]) -> Option<&[u8]> {
    let text = value.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    (!text.is_empty() && !text.contains(&b'\\')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_found_at_the_end_or_not_at_all() {
        let end = Some((b"s".as_slice(), b"t".as_slice()));
        for (line, want) in [
            (
                r#"{"a":[1],"timestamp":"t","userType":"x","sessionId":"s","version":"1"}"#,
                end,
            ),
            (r#"{"sessionId":"s","timestamp":"t"}"#, end),
            (
                r#"{"timestamp":"u","timestamp":"t","cwd":"C:\\x","n":1.5e-3,"b":true,"sessionId":"s"}"#,
                end,
            ),
            (
                r#"{"timestamp":"t","cwd":"say \"no\"","sessionId":"s"}"#,
                None,
            ),
            (r#"{"timestamp":"t","cwd":"\"","sessionId":"s"}"#, None),
            (
                r#"{"sessionId":"s","timestamp":"t","toolUseResult":{}}"#,
                None,
            ),
            (r#"{"sessionId":"s","data":{"timestamp":"t"}}"#, None),
            (r#"{"sessionId":"s","timestamp":null}"#, None),
            (r#"{"sessionId":"","timestamp":"t"}"#, None),
            (r#"{"sessionId":"s"}"#, None),
            (
                r#"{"text":"a,\"timestamp\":\"t\",\"sessionId\":\"s\"}"#,
                None,
            ),
            (r#"["sessionId":"s","timestamp":"t"}"#, None),
            (r#"{"u":"v","\"timestamp":"t","sessionId":"s"}"#, None),
            (r#"{"sessionId" : "s", "timestamp" : "t"}"#, None),
            ("{", None),
            ("", None),
            ("{}", None),
        ] {
            let got = of(line.as_bytes());
            assert_eq!(got.map(|end| (end.session, end.at)), want, "{line}");
        }
        let far = format!(
            r#"{{"timestamp":"t","x":"{}","sessionId":"s"}}"#,
            "x".repeat(FARTHEST)
        );
        assert_eq!(of(far.as_bytes()), None);
    }
}
