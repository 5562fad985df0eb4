//! Where a member's key stands → which of the known ones it is. In: bytes. Out: its place in a list
//! of keys. Those that usually follow the last one are tried first: that costs two comparisons of
//! sixteen bytes each. A key that stands elsewhere is found by its name.

use super::texts::same;

/// So many bytes are compared at a time.
pub const WINDOW: usize = 32;

/// So many keys are tried: most objects leave out one or two.
const FEW: usize = 3;

/// The key of a member, with its quotes and colon as they are written without blanks.
#[derive(Debug)]
pub struct Key {
    name: &'static str,
    text: [u128; 2],
    mask: [u128; 2],
}

impl Key {
    /// A name of at most 29 bytes, none of which JSON escapes.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        let bytes = name.as_bytes();
        let (mut text, mut mask) = ([0; WINDOW], [0; WINDOW]);
        let mut at = 0;
        while at < bytes.len() + 3 {
            text[at] = match at {
                0 => b'"',
                at if at <= bytes.len() => bytes[at - 1],
                at if at == bytes.len() + 1 => b'"',
                _ => b':',
            };
            mask[at] = 0xff;
            at += 1;
        }
        Self {
            name,
            text: halves(&text),
            mask: halves(&mask),
        }
    }

    /// How many bytes it takes.
    #[must_use]
    pub fn length(&self) -> usize {
        self.name.len() + 3
    }

    #[inline]
    fn begins(&self, window: [u128; 2]) -> bool {
        let differs = |half: usize| (window[half] ^ self.text[half]) & self.mask[half];
        differs(0) | differs(1) == 0
    }
}

/// Which of the keys stands at the beginning of `window`, if it is the one at `likely` or one of
/// the next few.
#[must_use]
#[inline]
pub fn next<F>(keys: &[(Key, F)], likely: usize, window: &[u8; WINDOW]) -> Option<usize> {
    let window = halves(window);
    let next = keys.iter().enumerate().skip(likely).take(FEW);
    let mut found = next.filter(|(_, (key, _))| key.begins(window));
    found.next().map(|(at, _)| at)
}

/// Which of the keys has this name.
#[must_use]
pub fn named<F>(keys: &[(Key, F)], name: &[u8]) -> Option<usize> {
    keys.iter()
        .position(|(key, _)| same(key.name.as_bytes(), name))
}

const fn halves(window: &[u8; WINDOW]) -> [u128; 2] {
    let (halves, _) = window.as_chunks::<16>();
    [
        u128::from_ne_bytes(halves[0]),
        u128::from_ne_bytes(halves[1]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_keys_are_tried_and_others_are_known_by_name() {
        let keys = [
            (Key::new("a"), ()),
            (Key::new("type"), ()),
            (Key::new("cache_creation_input_tokens"), ()),
            (Key::new("twenty_nine_bytes_is_the_most"), ()),
        ];
        for (text, want) in [
            ("\"a\":1", Some(0)),
            ("\"type\":\"x\"", Some(1)),
            ("\"cache_creation_input_tokens\":5", Some(2)),
            ("\"twenty_nine_bytes_is_the_most\":", Some(3)),
            ("\"cache_creation_input_tokenz\":5", None),
            ("\"cache_creation_input_tokens\" :5", None),
            ("\"typ\":", None),
            ("\"types\":", None),
            ("", None),
        ] {
            let mut window = [b'.'; WINDOW];
            let length = text.len().min(WINDOW);
            window[..length].copy_from_slice(&text.as_bytes()[..length]);
            for likely in 0..6 {
                let tried = likely..likely + FEW;
                let want = want.filter(|at| tried.contains(at));
                assert_eq!(next(&keys, likely, &window), want, "{text}");
            }
        }
        assert_eq!(named(&keys, b"type"), Some(1));
        assert_eq!(named(&keys, b"typ"), None);
    }
}
