//! Forms that were seen → what stands in the next text of one. Most lines of a transcript have the
//! members of a line before, in the same order, and many of its values: they are that line's bytes,
//! but for the holes in it. So is the usage in them, by itself. What has a known form needs no look
//! at its keys; anything else is walked through, and then is a form.

use std::ops::Range;

use super::super::walk::Walk;

/// Forms that were seen last, the last one first.
#[derive(Debug)]
pub struct Forms<H>(Vec<Form<H>>);

/// A text with holes of the kinds `H`.
#[derive(Debug)]
struct Form<H> {
    /// What stands around the holes: they can hold megabytes.
    text: Vec<u8>,
    /// In their order, each with where in `text` it is.
    holes: Vec<(usize, H)>,
}

/// So many are known: a file seldom has more, and each one is tried.
pub const MOST: usize = 4;

impl<H> Default for Forms<H> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<H> Forms<H> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Passes a text of the form at this place; `fill` passes what stands in each hole.
    #[inline]
    pub fn read<'a>(
        &self,
        at: usize,
        walk: &mut Walk<'a>,
        mut fill: impl FnMut(H, &mut Walk<'a>) -> Option<()>,
    ) -> Option<()>
    where
        H: Copy,
    {
        let Form { text, holes } = &self.0[at];
        let mut from = 0;
        for (at, hole) in holes {
            walk.pass_all(&text[from..*at])?;
            fill(*hole, walk)?;
            from = *at;
        }
        walk.pass_all(&text[from..])
    }

    /// Tries the one at this place first from now on.
    pub fn prefer(&mut self, at: usize) {
        self.0[..=at].rotate_right(1);
    }

    /// Takes a text, which is a whole value, as the form of others. The places of its holes are
    /// counted from `from`.
    pub fn learn(&mut self, text: &[u8], from: usize, holes: &[(Range<usize>, H)])
    where
        H: Copy,
    {
        if self.0.len() < MOST {
            self.0.push(Form {
                text: Vec::new(),
                holes: Vec::new(),
            });
        }
        self.prefer(self.0.len() - 1);
        let form = &mut self.0[0];
        form.text.clear();
        form.holes.clear();
        let mut done = 0;
        for (at, hole) in holes {
            form.text.extend_from_slice(&text[done..at.start - from]);
            form.holes.push((form.text.len(), *hole));
            done = at.end - from;
        }
        form.text.extend_from_slice(&text[done..]);
    }
}
