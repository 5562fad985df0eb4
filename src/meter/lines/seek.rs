//! Bytes → the next line end, and whether `"usage"` stands before it. Most bytes of a transcript are
//! looked at nowhere else: both are looked for at once. A processor that can compare more than
//! sixteen bytes together does; it is asked once.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, u8x64};
use memchr::memchr;

/// What every line with a record holds. An escaped quote cannot end in it, so a text that quotes
/// a transcript does not match.
const USAGE: &[u8] = br#""usage""#;
/// Where one of its letters stands. Of the pairs of bytes that were tried, its quotes are the rarest
/// in texts that quote transcripts, and nearly so in others.
const LETTER: usize = 4;
/// So many bytes of it may stand before the place where looking goes on.
pub const OVERLAP: usize = USAGE.len() - 1;
/// So many bytes are asked together whether there is anything in them.
const STRIDE: usize = 256;

/// What was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Where the first line end stands.
    pub end: Option<usize>,
    /// Whether `"usage"` stands before it.
    pub usage: bool,
}

/// Looks from `at` on.
#[must_use]
pub fn line_end(bytes: &[u8], at: usize) -> Seen {
    by(Level::new(), bytes, at)
}

fn by(level: Level, bytes: &[u8], at: usize) -> Seen {
    dispatch!(level, simd => strides(simd, bytes, at))
}

#[expect(clippy::inline_always, reason = "is built for each processor")]
#[inline(always)]
fn strides<S: Simd>(simd: S, bytes: &[u8], mut at: usize) -> Seen {
    let from = |at: usize| bytes.get(at..).unwrap_or_default();
    let mut usage = false;
    while let Some(window) = from(at).first_chunk::<{ STRIDE + OVERLAP }>() {
        let [blocks, letters, quotes] = [0, LETTER, OVERLAP].map(|by| window[by..].as_chunks().0);
        let blocks = blocks.iter().zip(quotes);
        let mut any = u8x64::splat(simd, 0).simd_eq(1);
        for (block, quotes) in blocks.clone() {
            let (ends, usages) = look(simd, block, quotes);
            any = any | ends | usages;
        }
        if !any.any_true() {
            at += STRIDE;
            continue;
        }
        // Words of as many letters are not rare in some texts.
        for ((block, quotes), letters) in blocks.zip(letters) {
            let (ends, usages) = look(simd, block, quotes);
            let usages = usages & u8x64::simd_from(simd, *letters).simd_eq(USAGE[LETTER]);
            let (ends, mut usages) = (ends.to_bitmask(), usages.to_bitmask());
            // All bits when there is no end.
            usages &= (ends & ends.wrapping_neg()).wrapping_sub(1);
            while usages != 0 && !usage {
                usage = from(at + usages.trailing_zeros() as usize).starts_with(USAGE);
                usages &= usages - 1;
            }
            if ends != 0 {
                let end = Some(at + ends.trailing_zeros() as usize);
                return Seen { end, usage };
            }
            at += 64;
        }
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let end = memchr(b'\n', rest);
    let line = &rest[..end.unwrap_or(rest.len())];
    Seen {
        end: end.map(|end| at + end),
        usage: usage || line.windows(USAGE.len()).any(|some| some == USAGE),
    }
}

type Mask<S> = <u8x64<S> as SimdBase<S>>::Mask;

/// Where a line ends, and where `"usage"` may begin.
#[expect(clippy::inline_always, reason = "is built for each processor")]
#[inline(always)]
fn look<S: Simd>(simd: S, block: &[u8; 64], quotes: &[u8; 64]) -> (Mask<S>, Mask<S>) {
    let [block, quotes] = [block, quotes].map(|block| u8x64::simd_from(simd, *block));
    let usages = block.simd_eq(USAGE[0]) & quotes.simd_eq(USAGE[OVERLAP]);
    (block.simd_eq(b'\n'), usages)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that this processor can do.
    fn levels() -> Vec<Level> {
        vec![Level::baseline(), Level::new()]
    }

    fn plainly(bytes: &[u8], at: usize) -> Seen {
        let end = bytes[at..].iter().position(|byte| *byte == b'\n');
        let end = end.map(|end| at + end);
        let line = &bytes[at..end.unwrap_or(bytes.len())];
        let usage = line.windows(USAGE.len()).any(|some| some == USAGE);
        Seen { end, usage }
    }

    #[test]
    fn line_ends_and_usage_are_seen_wherever_they_stand() {
        let pieces: [&[u8]; 6] = [
            b"\n",
            USAGE,
            br#"\"usage\""#,
            br#""usag_""#,
            b"\"usag",
            b"age\"",
        ];
        let mut random = fastrand::Rng::with_seed(7);
        for length in (0..200).chain([500, 1000]) {
            for _ in 0..40 {
                let mut bytes = vec![b'x'; length];
                for _ in 0..random.usize(0..4) {
                    let at = random.usize(0..=bytes.len());
                    let piece = pieces[random.usize(0..pieces.len())];
                    bytes.splice(at..at, piece.iter().copied());
                }
                for at in [0, random.usize(0..=bytes.len())] {
                    for level in levels() {
                        let shown = String::from_utf8_lossy(&bytes);
                        assert_eq!(by(level, &bytes, at), plainly(&bytes, at), "{shown} {at}");
                    }
                }
            }
        }
    }
}
