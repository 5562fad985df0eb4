//! Digits → numbers. In: bytes. Out: a whole number, and how many digits it has. Eight digits are
//! looked at together, in one word of which the first byte is the lowest.

const ZEROS: u64 = u64::from_ne_bytes([b'0'; 8]);
const TOPS: u64 = u64::from_ne_bytes([0x80; 8]);

/// Added to a byte it sets the highest bit unless the byte is at most nine.
const OVER_NINE: u64 = u64::from_ne_bytes([0x76; 8]);

/// The number of one to seven digits that stands at the beginning and that a comma or a brace
/// follows, as it usually does. None for any other: then [`many`] knows.
#[must_use]
#[inline]
pub fn few(window: &[u8; 8]) -> Option<(u64, usize)> {
    // One in three, and most of those are zero.
    if let [digit @ b'0'..=b'9', b',' | b'}', ..] = window {
        return Some((u64::from(digit - b'0'), 1));
    }
    let digits = u64::from_le_bytes(*window) ^ ZEROS;
    // A sum that carries makes the next byte wrong, but the first that is no digit stands before.
    let others = (digits.wrapping_add(OVER_NINE) | digits) & TOPS;
    let bits = others.trailing_zeros() & !7;
    if bits == 0 || bits == 64 {
        return None;
    }
    let zero_first = window[0] == b'0';
    let behind = (digits >> bits).to_le_bytes()[0] ^ b'0';
    if zero_first || !matches!(behind, b',' | b'}') {
        return None;
    }
    let pairs = pairs(digits << (64 - bits)) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs * 100 + (pairs >> 16);
    let number = (fours & 0xffff) * 10_000 + (fours >> 32 & 0xffff);
    Some((number, bits as usize / 8))
}

/// The number of one to eighteen digits that stands at the beginning. None for a zero before other
/// digits, and with a fraction or an exponent.
#[must_use]
pub fn many(bytes: &[u8]) -> Option<(u64, usize)> {
    let (mut number, mut digits) = (0, 0);
    while let Some(digit @ b'0'..=b'9') = bytes.get(digits) {
        // As many fit without a look at each.
        if digits == 18 {
            return None;
        }
        number = number * 10 + u64::from(digit - b'0');
        digits += 1;
    }
    let more = bytes.get(digits).is_some_and(|byte| goes_on(*byte));
    let whole = digits > 0 && !more && (bytes[0] != b'0' || digits == 1);
    whole.then_some((number, digits))
}

/// Of eight digits, one a byte: in each byte the number that it makes with the next one.
#[must_use]
#[inline]
pub fn pairs(digits: u64) -> u64 {
    digits * 10 + (digits >> 8)
}

fn goes_on(byte: u8) -> bool {
    matches!(byte, b'.' | b'e' | b'E')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_digits_are_read_as_many_are() {
        let numbers = [
            "", "0", "7", "00", "07", "10", "999", "12345", "999999", "1234567", "12345678",
        ];
        for number in numbers {
            for byte in 0..=255 {
                for later in 0..=255 {
                    let mut text = number.as_bytes().to_vec();
                    text.push(byte);
                    text.resize(8, later);
                    let window = text.first_chunk().unwrap();
                    let known = number.len() < 8 && matches!(byte, b',' | b'}');
                    let (found, want) = (few(window), many(&text));
                    assert!(found == want || !known && found.is_none(), "{window:?}");
                }
            }
        }
        for number in 0..1_000_000 {
            let text = format!("{number},      ");
            let window = text.as_bytes().first_chunk().unwrap();
            assert_eq!(few(window), Some((number, text.trim_end().len() - 1)));
        }
    }

    #[test]
    fn many_digits_are_read_as_json_reads_them() {
        let most = "9".repeat(18);
        for text in ["0", "5", "12345678", "123456789012", &most] {
            let want = (text.parse().unwrap(), text.len());
            assert_eq!(many(text.as_bytes()), Some(want));
        }
        for text in ["", "-1", "01", "1.5", "1e3", "1E3", "1234567890123456789"] {
            assert_eq!(many(text.as_bytes()), None, "{text}");
        }
    }
}
