//! Where a JSON text ends. In: bytes, and where a text begins. Out: its closing quote, or none when
//! it has no end, a control character, or an escape that JSON does not know. Does not look at UTF-8.
//! From the first escape on it takes the same time however many there are: sixty-four bytes give
//! one word of bits for each kind of byte. A processor that can compare more than sixteen at a time
//! does; it is asked once.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, u8x16, u8x64};

/// So many bytes are looked at before a longer way is taken: ids are shorter.
const SOON: usize = 48;

/// How far a text that begins at `at` is surely plain: up to a quote, a backslash or a control
/// character, or as far as was looked.
#[must_use]
#[inline]
pub fn soon(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    // Where as many are left, none is asked for one by one.
    at + match rest.first_chunk::<SOON>() {
        Some(near) => plain(near),
        None => plain(rest),
    }
}

/// How many of these bytes are plain, of whole lanes.
#[inline]
fn plain(near: &[u8]) -> usize {
    let mut at = 0;
    for lane in near.as_chunks().0 {
        // What every processor can do needs no question.
        let special = dispatch!(Level::baseline(), simd => specials(simd, *lane));
        if special != 0 {
            return at + special.trailing_zeros() as usize;
        }
        at += lane.len();
    }
    at
}

#[expect(clippy::inline_always, reason = "is built for each processor")]
#[inline(always)]
fn specials<S: Simd>(simd: S, lane: [u8; 16]) -> u64 {
    let lane = u8x16::simd_from(simd, lane);
    let special = lane.simd_eq(b'"') | lane.simd_eq(b'\\') | lane.simd_le(0x1f);
    special.to_bitmask()
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

/// The quote that ends a text of which `at` is some byte that no backslash escapes, and whether no
/// escapes stand between.
#[must_use]
pub fn end(bytes: &[u8], at: usize) -> Option<(usize, bool)> {
    end_by(Level::new(), bytes, at)
}

fn end_by(level: Level, bytes: &[u8], at: usize) -> Option<(usize, bool)> {
    dispatch!(level, simd => blocks(simd, bytes, at))
}

#[expect(clippy::inline_always, reason = "is built for each processor")]
#[inline(always)]
fn blocks<S: Simd>(simd: S, bytes: &[u8], mut at: usize) -> Option<(usize, bool)> {
    let mut text = Text::default();
    let (mut blocks, last) = bytes.get(at..)?.as_chunks();
    // Many a long text has nothing special in it: that is seen with less work.
    while let [block, rest @ ..] = blocks
        && !special(simd, *block)
    {
        blocks = rest;
        at += block.len();
    }
    for block in blocks {
        if let Some(end) = text.end(&Bits::of(simd, *block), bytes, at)? {
            return Some((end, text.plain()));
        }
        at += block.len();
    }
    if last.is_empty() {
        return None;
    }
    let bits = match bytes.last_chunk() {
        Some(block) => Bits::of(simd, *block).behind(block.len() - last.len()),
        None => Bits::of(simd, fill(last)),
    };
    let end = text.end(&bits, bytes, at)?;
    end.map(|end| (end, text.plain()))
}

#[expect(clippy::inline_always, reason = "is built for each processor")]
#[inline(always)]
fn special<S: Simd>(simd: S, block: [u8; 64]) -> bool {
    let block = u8x64::simd_from(simd, block);
    let special = block.simd_eq(b'"') | block.simd_eq(b'\\') | block.simd_le(0x1f);
    special.any_true()
}

/// One bit for each of sixty-four bytes, the first one lowest.
struct Bits {
    quotes: u64,
    backslashes: u64,
    controls: u64,
    /// What stands behind a backslash most often.
    usual: u64,
}

impl Bits {
    #[expect(clippy::inline_always, reason = "is built for each processor")]
    #[inline(always)]
    fn of<S: Simd>(simd: S, block: [u8; 64]) -> Self {
        let block = u8x64::simd_from(simd, block);
        let (quotes, backslashes) = (block.simd_eq(b'"'), block.simd_eq(b'\\'));
        let usual = quotes | backslashes | block.simd_eq(b'n') | block.simd_eq(b't');
        Self {
            quotes: quotes.to_bitmask(),
            backslashes: backslashes.to_bitmask(),
            controls: block.simd_le(0x1f).to_bitmask(),
            usual: usual.to_bitmask(),
        }
    }

    /// Those of the bytes behind the first few.
    fn behind(&self, few: usize) -> Self {
        Self {
            quotes: self.quotes >> few,
            backslashes: self.backslashes >> few,
            controls: self.controls >> few,
            usual: self.usual >> few,
        }
    }
}

/// What is known of a text after some blocks.
#[derive(Default)]
struct Text {
    /// 1 when the next byte is escaped.
    carried: u64,
    /// Zero when there were none.
    backslashes: u64,
}

impl Text {
    /// Where the text ends, if it does in the block at `at`; none at all when the block has what no
    /// text may have.
    #[expect(clippy::inline_always, reason = "is built for each processor")]
    #[inline(always)]
    #[expect(clippy::option_option, reason = "no text, or one that may go on")]
    fn end(&mut self, bits: &Bits, bytes: &[u8], at: usize) -> Option<Option<usize>> {
        let escaped = escaped(bits.backslashes, &mut self.carried);
        let quotes = bits.quotes & !escaped;
        // All bits when there is no quote.
        let inside = (quotes & quotes.wrapping_neg()).wrapping_sub(1);
        self.backslashes |= bits.backslashes & inside;
        let letters = escaped & !bits.usual;
        // Hardly ever true.
        if (bits.controls | letters) & inside != 0 {
            (bits.controls & inside == 0).then_some(())?;
            known(bytes, at, letters & inside)?;
        }
        Some((quotes != 0).then(|| at + quotes.trailing_zeros() as usize))
    }

    fn plain(&self) -> bool {
        self.backslashes == 0
    }
}

/// So few bytes that they are no block, with zeros behind them, of which none ends a text.
fn fill(rest: &[u8]) -> [u8; 64] {
    let mut block = [0; 64];
    block[..rest.len()].copy_from_slice(rest);
    block
}

/// Which bytes are escaped: those behind an odd number of backslashes in a row. `carried` is 1
/// when the first byte is, and then tells the same of the byte that follows.
fn escaped(backslashes: u64, carried: &mut u64) -> u64 {
    const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    let starts = backslashes & !*carried;
    // Subtracting borrows through each row of backslashes: what differs in it then are those that
    // escape another byte, and the byte behind the last of them.
    let pairs = ((starts << 1 | ODD).wrapping_sub(starts)) ^ ODD;
    let escaped = pairs ^ (backslashes | *carried);
    *carried = (pairs & backslashes) >> 63;
    escaped
}

/// Whether the letters of some escapes are in use, with four digits behind a `u`.
#[cold]
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
mod tests;
