//! A strict walk over the bytes of one JSON value. In: bytes. Out: what stands at the walker's
//! place, or none as soon as anything is not JSON or not plain: then the caller takes the slow way.
//! Does not look at what is skipped beyond its form, and nowhere at UTF-8.

use super::keys::{self, Key};
use super::texts::{end, same, soon};

pub mod numbers;

/// Where the walk is.
pub struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A value that is plain enough.
#[derive(Debug, PartialEq, Eq)]
pub enum Plain<'a> {
    /// A text without escapes.
    Text(&'a [u8]),
    /// `null`.
    Null,
}

/// Deeper values are left to the slow way: one bit a level tells objects from lists.
const DEEPEST: u32 = 60;

impl<'a> Walk<'a> {
    /// Starts before the first byte.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next byte that is no blank, not yet passed.
    pub fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// Passes this byte, with blanks before it.
    pub fn pass(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Nothing but blanks follows.
    pub fn ended(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Walks through an object; see [`Walk::members`].
    pub fn object<F: Copy>(
        &mut self,
        keys: &[(Key, F)],
        member: impl FnMut(&mut Self, F) -> Option<()>,
    ) -> Option<()> {
        self.pass(b'{')?;
        if self.peek()? != b'}' {
            self.members(keys, member)?;
        }
        self.pass(b'}')
    }

    /// Walks through members up to one that no comma follows: calls `member` before the value of
    /// each of these keys, of which none may stand twice; `member` passes the value. Others are
    /// passed over.
    pub fn members<F: Copy>(
        &mut self,
        keys: &[(Key, F)],
        mut member: impl FnMut(&mut Self, F) -> Option<()>,
    ) -> Option<()> {
        let (mut likely, mut seen) = (0, 0_u32);
        loop {
            let key = self.key(keys, likely)?;
            if let Some((_, known)) = keys.get(key) {
                let bit = 1 << key;
                (seen & bit == 0).then_some(())?;
                seen |= bit;
                likely = key + 1;
                member(self, *known)?;
            } else {
                self.skip()?;
            }
            if self.peek() != Some(b',') {
                return Some(());
            }
            self.at += 1;
        }
    }

    /// How many bytes are passed.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// What was passed from some place on.
    #[must_use]
    pub fn passed(&self, from: usize) -> &'a [u8] {
        &self.bytes[from..self.at]
    }

    /// Goes on at another place, which was the walk's before or ends a value that was passed
    /// before.
    pub fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Passes all these bytes.
    #[inline]
    pub fn pass_all(&mut self, bytes: &[u8]) -> Option<()> {
        let next = self.bytes.get(self.at..self.at + bytes.len())?;
        same(next, bytes).then(|| self.at += bytes.len())
    }

    /// Passes a key, which has no escape, and its colon. Answers with its place among the known
    /// ones, or behind them.
    #[inline]
    fn key<F>(&mut self, keys: &[(Key, F)], likely: usize) -> Option<usize> {
        let window = self.bytes.get(self.at..)?.first_chunk();
        if let Some(key) = window.and_then(|window| keys::next(keys, likely, window)) {
            self.at += keys[key].0.length();
            return Some(key);
        }
        self.pass(b'"')?;
        let (name, plain) = self.text()?;
        plain.then_some(())?;
        self.pass(b':')?;
        Some(keys::named(keys, name).unwrap_or(keys.len()))
    }

    /// Walks through a list: `element` passes each of its values.
    pub fn list(&mut self, mut element: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.pass(b'[')?;
        if self.peek()? == b']' {
            return self.pass(b']');
        }
        loop {
            element(self)?;
            if self.peek()? == b']' {
                return self.pass(b']');
            }
            self.pass(b',')?;
        }
    }

    /// A text without escapes, or null.
    pub fn plain(&mut self) -> Option<Plain<'a>> {
        match self.peek()? {
            b'"' => self.at += 1,
            b'n' => return self.word(b"null").map(|()| Plain::Null),
            _ => return None,
        }
        let (text, plain) = self.text()?;
        plain.then_some(Plain::Text(text))
    }

    /// True or false.
    pub fn flag(&mut self) -> Option<bool> {
        if self.peek()? == b't' {
            return self.word(b"true").map(|()| true);
        }
        self.word(b"false").map(|()| false)
    }

    /// A whole number from 0 on, of up to 18 digits; null counts as 0. Most have less than eight.
    #[inline]
    pub fn count(&mut self) -> Option<u64> {
        let window = self.bytes.get(self.at..)?.first_chunk();
        if let Some((number, digits)) = window.and_then(numbers::few) {
            self.at += digits;
            return Some(number);
        }
        self.any_count()
    }

    #[inline(never)]
    fn any_count(&mut self) -> Option<u64> {
        if self.peek()? == b'n' {
            return self.word(b"null").map(|()| 0);
        }
        let (number, digits) = numbers::many(&self.bytes[self.at..])?;
        self.at += digits;
        Some(number)
    }

    /// Passes any value.
    pub fn skip(&mut self) -> Option<()> {
        let (mut depth, mut objects) = (0_u32, 0_u64);
        loop {
            let opened = match self.peek()? {
                b'"' => {
                    self.at += 1;
                    self.text().map(|_| false)?
                }
                open @ (b'{' | b'[') => {
                    self.at += 1;
                    depth += 1;
                    objects = objects << 1 | u64::from(open == b'{');
                    if depth > DEEPEST {
                        return None;
                    }
                    true
                }
                b't' => self.word(b"true").map(|()| false)?,
                b'f' => self.word(b"false").map(|()| false)?,
                b'n' => self.word(b"null").map(|()| false)?,
                _ => self.number().map(|()| false)?,
            };
            self.close(opened, &mut depth, &mut objects)?;
            if depth == 0 {
                return Some(());
            }
            if objects & 1 == 1 {
                self.pass(b'"')?;
                self.text()?;
                self.pass(b':')?;
            }
        }
    }

    /// Behind a value: closes what ends here and passes the comma before the next value.
    fn close(&mut self, opened: bool, depth: &mut u32, objects: &mut u64) -> Option<()> {
        let mut first = opened;
        while *depth > 0 {
            let end = if *objects & 1 == 1 { b'}' } else { b']' };
            let next = self.peek()?;
            if next != end {
                return if first { Some(()) } else { self.pass(b',') };
            }
            self.at += 1;
            *depth -= 1;
            *objects >>= 1;
            first = false;
        }
        Some(())
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        let found = self.bytes[self.at..].starts_with(word);
        found.then(|| self.at += word.len())
    }

    fn number(&mut self) -> Option<()> {
        if self.bytes.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        if self.bytes.get(self.at) == Some(&b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.at) {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let rest = &self.bytes[self.at..];
        let count = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        self.at += count;
        (count > 0).then_some(())
    }

    /// What stands behind the first quote of a text, up to the last, and whether it has no escapes.
    /// Most are short and plain: that way is kept short.
    #[inline]
    fn text(&mut self) -> Option<(&'a [u8], bool)> {
        let start = self.at;
        let at = soon(self.bytes, start);
        if self.bytes.get(at) == Some(&b'"') {
            self.at = at + 1;
            return Some((&self.bytes[start..at], true));
        }
        self.long_text(start, at)
    }

    #[inline(never)]
    fn long_text(&mut self, start: usize, at: usize) -> Option<(&'a [u8], bool)> {
        let (end, plain) = end(self.bytes, at)?;
        self.at = end + 1;
        Some((&self.bytes[start..end], plain))
    }
}

#[cfg(test)]
mod tests;
