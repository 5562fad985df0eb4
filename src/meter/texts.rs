//! Where a JSON text ends. In: bytes, and a place within a text. Out: its closing quote, or none
//! when it has no end, a control character, or an escape that JSON does not know. Does not look at
//! UTF-8. Takes as much time for a text full of escapes as for one without: sixteen bytes are
//! compared at a time, and sixty-four bytes give one word of bits for each kind of byte.

use wide::u8x16;

/// The length of a text that begins at `at`, if it is shorter than sixteen bytes and has no escapes
/// and no control characters.
#[must_use]
#[inline]
pub fn short(bytes: &[u8], at: usize) -> Option<usize> {
    let lane = u8x16::new(*bytes.get(at..)?.first_chunk()?);
    let hits = quote(lane) | backslash(lane) | control(lane);
    let length = hits.to_bitmask().trailing_zeros() as usize;
    (bytes.get(at + length) == Some(&b'"') && length < 16).then_some(length)
}

/// Whether two texts are the same. The static build's own comparison goes byte by byte; here the
/// last bytes are compared together with some before them.
#[must_use]
#[inline]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    if a.len() >= 16 {
        let (wide, _) = a.as_chunks::<16>();
        let mut pairs = wide.iter().zip(b.as_chunks::<16>().0);
        return pairs.all(|(a, b)| u128::from_ne_bytes(*a) == u128::from_ne_bytes(*b))
            && a.last_chunk::<16>() == b.last_chunk();
    }
    if a.len() >= 8 {
        a.first_chunk::<8>() == b.first_chunk() && a.last_chunk::<8>() == b.last_chunk()
    } else if a.len() >= 4 {
        a.first_chunk::<4>() == b.first_chunk() && a.last_chunk::<4>() == b.last_chunk()
    } else {
        a.iter().eq(b)
    }
}

/// The next quote, backslash or control character from `at` on.
#[must_use]
pub fn special(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(lane) = bytes.get(at..)?.first_chunk::<16>() {
        let lane = u8x16::new(*lane);
        let hits = quote(lane) | backslash(lane) | control(lane);
        let hits = hits.to_bitmask();
        if hits != 0 {
            return Some(at + hits.trailing_zeros() as usize);
        }
        at += 16;
    }
    let rest = bytes.get(at..)?.iter();
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    rest.copied()
        .position(|byte| special(&byte))
        .map(|more| at + more)
}

/// The quote that ends a text of which `at` is some byte that no backslash escapes.
#[must_use]
pub fn end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut carried = 0;
    loop {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let last;
        let block = if let Some(block) = rest.first_chunk() {
            block
        } else {
            last = filled(rest);
            &last
        };
        let escaped = escaped(bits(block, backslash), &mut carried);
        let quotes = bits(block, quote) & !escaped;
        // All bits when there is no quote.
        let before = (quotes & quotes.wrapping_neg()).wrapping_sub(1);
        // Hardly ever true, so that most blocks are asked no more than this.
        if any(block, control) && bits(block, control) & before != 0 {
            return None;
        }
        let letters = escaped & before;
        if letters != 0 {
            // Of more than two it is quicker to look at all at once.
            let more = letters & (letters - 1);
            let few = more & more.wrapping_sub(1) == 0;
            let letters = if few {
                letters
            } else {
                letters & !bits(block, usual)
            };
            known(bytes, at, letters)?;
        }
        if quotes != 0 {
            return Some(at + quotes.trailing_zeros() as usize);
        }
        at += block.len();
    }
}

/// The last bytes, with control characters behind them.
fn filled(rest: &[u8]) -> [u8; 64] {
    let mut block = [0; 64];
    block[..rest.len()].copy_from_slice(rest);
    block
}

fn any(block: &[u8; 64], of: impl Fn(u8x16) -> u8x16) -> bool {
    let lanes = block.as_chunks::<16>().0.iter();
    let any = lanes.fold(u8x16::ZERO, |any, lane| any | of(u8x16::new(*lane)));
    any.to_bitmask() != 0
}

/// One bit for each byte, the first one lowest.
fn bits(block: &[u8; 64], of: impl Fn(u8x16) -> u8x16) -> u64 {
    let lanes = block.as_chunks::<16>().0.iter().rev();
    lanes.fold(0, |bits, lane| {
        bits << 16 | u64::from(of(u8x16::new(*lane)).to_bitmask())
    })
}

fn is(lane: u8x16, byte: u8) -> u8x16 {
    lane.simd_eq(u8x16::splat(byte))
}

fn quote(lane: u8x16) -> u8x16 {
    is(lane, b'"')
}

fn backslash(lane: u8x16) -> u8x16 {
    is(lane, b'\\')
}

fn control(lane: u8x16) -> u8x16 {
    lane.min(u8x16::splat(0x1f)).simd_eq(lane)
}

/// What stands behind a backslash most often.
fn usual(lane: u8x16) -> u8x16 {
    is(lane, b'n') | quote(lane) | backslash(lane) | is(lane, b't')
}

/// Which bytes are escaped: those behind an odd number of backslashes in a row. `carried` is 1
/// when the first byte is, and then tells the same of the byte that follows.
fn escaped(backslashes: u64, carried: &mut u64) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    if backslashes == 0 {
        return std::mem::take(carried);
    }
    let backslashes = backslashes & !*carried;
    let follows = backslashes << 1 | *carried;
    let odd_starts = backslashes & !EVEN & !follows;
    // Adding carries a bit through each row of backslashes to the byte behind it.
    let (ends, more) = odd_starts.overflowing_add(backslashes);
    *carried = u64::from(more);
    (EVEN ^ (ends << 1)) & follows
}

/// Whether the letters of some escapes are in use, with four digits behind a `u`.
fn known(bytes: &[u8], at: usize, mut letters: u64) -> Option<()> {
    while letters != 0 {
        let here = at + letters.trailing_zeros() as usize;
        let known = match *bytes.get(here)? {
            b'n' | b'"' | b'\\' | b't' | b'/' | b'b' | b'f' | b'r' => true,
            b'u' => {
                let digits = bytes.get(here + 1..)?.first_chunk::<4>()?;
                digits.iter().all(u8::is_ascii_hexdigit)
            }
            _ => false,
        };
        if !known {
            return None;
        }
        letters &= letters - 1;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use serde::de::IgnoredAny;

    use super::*;

    /// Where a text that begins after `before` other bytes ends.
    fn ends(text: &[u8]) -> Option<usize> {
        special(text, 0).and_then(|at| end(text, at))
    }

    #[test]
    fn texts_end_where_json_says() {
        let escapes = [
            r"\n",
            r"\\",
            r#"\""#,
            r"\u001b",
            r"\ud800",
            r"\/",
            r"\b",
            r"\u12g4",
            r"\x",
            "\u{1}",
            "\t",
            "",
            "é",
            r"\\\\\\\",
            r"\\\\\\\\",
        ];
        for escape in escapes {
            for before in 0..70 {
                for after in [0, 1, 15, 64] {
                    let text = ["x".repeat(before), escape.into(), "n".repeat(after)].concat();
                    let tail = format!("{text}\" , \\ \"");
                    let json = format!("\"{text}\"");
                    let whole = serde_json::from_str::<IgnoredAny>(&json).is_ok();
                    let want = whole.then_some(text.len());
                    // A row of backslashes may escape the quote: then another one ends the text.
                    let odd = escape == r"\\\\\\\" && after == 0;
                    if odd {
                        assert_eq!(ends(tail.as_bytes()), None, "{tail}");
                    } else {
                        assert_eq!(ends(tail.as_bytes()), want, "{tail}");
                    }
                    assert_eq!(ends(text.as_bytes()), None, "{text}");
                }
            }
        }
    }

    #[test]
    fn texts_are_the_same_in_every_byte() {
        for length in 0..40 {
            let one = vec![b'x'; length];
            assert!(same(&one, &one.clone()));
            assert!(!same(&one, &vec![b'x'; length + 1]));
            for other in 0..length {
                let mut two = one.clone();
                two[other] = b'y';
                assert!(!same(&one, &two));
            }
        }
    }
}
