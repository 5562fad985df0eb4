//! JSON with half a surrogate pair in an escape → JSON with a replacement character there.
//! JavaScript cuts texts between the halves of an emoji and writes each as it is; no text here can
//! hold one. Pure.

/// The repaired bytes; none when there is nothing to repair.
#[must_use]
pub fn repaired(json: &[u8]) -> Option<Vec<u8>> {
    let mut repaired: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'\\', &json[at..]) {
        at += next;
        let length = match (
            unit(&json[at..]),
            unit(json.get(at + 6..).unwrap_or_default()),
        ) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                let out = repaired.get_or_insert_with(|| json.to_vec());
                out[at..at + 6].copy_from_slice(br"\ufffd");
                6
            }
            // Any other escape is at least two bytes: its second can be a backslash.
            _ => 2,
        };
        at = (at + length).min(json.len());
    }
    repaired
}

/// The code unit of the `\uXXXX` that stands at the start.
fn unit(json: &[u8]) -> Option<u16> {
    let digits = json.strip_prefix(br"\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_halves_are_replaced() {
        for (json, want) in [
            (r#""\ud83d""#, Some(r#""\ufffd""#)),
            (r#""\uDCA5x""#, Some(r#""\ufffdx""#)),
            (r#""\ud83d\ud83d\udca5""#, Some(r#""\ufffd\ud83d\udca5""#)),
            (r#""\ud83d\n""#, Some(r#""\ufffd\n""#)),
            (r#""\ud83d\udca5""#, None),
            (r#""\\ud83d \u0041 \" é""#, None),
            (r#""\ud8"#, None),
            (r"\", None),
            ("", None),
        ] {
            let got = repaired(json.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap());
            assert_eq!(got.as_deref(), want, "{json}");
        }
    }
}
