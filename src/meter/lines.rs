//! Bytes → lines. In: any reader. Out: one line after another without its line end, blank lines
//! left out. Of what a line says it only knows whether `"usage"` stands in it.
//!
//! Reads in large pieces into one buffer, which grows with the line up to a bound; of a line beyond it
//! only the end is kept, with its place in the file.

use std::io::{self, Read};
use std::mem::take;
use std::ops::Range;

mod seek;

use seek::{OVERLAP, line_end};

const BOM: &[u8] = b"\xef\xbb\xbf";
const PIECE: usize = 512 << 10;
/// What is not reached of it costs nothing.
const ROOM: usize = 2 << 20;
const END: usize = 64 << 10;

/// The lines of a transcript.
pub struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// The line that is next begins here.
    from: usize,
    /// Up to here there is no line end.
    searched: usize,
    /// Whether `"usage"` stands in the line that is next, as far as it is searched.
    usage: bool,
    /// Up to here the buffer is filled.
    to: usize,
    /// The place in the file of the first byte of the buffer.
    start: u64,
    longest: usize,
    /// Where the line that is next began, if its beginning was dropped.
    long: Option<u64>,
    ended: bool,
    whole: u64,
}

/// One line that is not blank.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Without blanks, line end and byte order mark at its ends.
    pub bytes: &'a [u8],
    /// Whether a line end follows; the last line of a file that is being written has none.
    pub whole: bool,
    /// Whether `"usage"` stands in it: no line without it holds a record.
    pub usage: bool,
    /// Set when `bytes` is only its end: where all of it stands in the file.
    pub long: Option<Range<u64>>,
}

impl<R: Read> Lines<R> {
    /// Starts at the reader's position, with a buffer that may have served before. Of lines longer
    /// than about `longest` bytes only the end is kept.
    pub fn new(reader: R, mut buffer: Vec<u8>, longest: usize) -> Self {
        if buffer.len() < ROOM {
            buffer = vec![0; ROOM];
        }
        Self {
            reader,
            buffer,
            from: 0,
            searched: 0,
            usage: false,
            to: 0,
            start: 0,
            longest: longest.max(PIECE),
            long: None,
            ended: false,
            whole: 0,
        }
    }

    /// The reader's position in the file, where that is not its start.
    #[must_use]
    pub fn starting_at(mut self, start: u64) -> Self {
        (self.start, self.whole) = (start, start);
        self
    }

    /// The next line, none at the end.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            let Some((range, whole)) = self.range()? else {
                return Ok(None);
            };
            let long = self.long.take();
            let long = long.map(|start| start..self.start + range.end as u64);
            let usage = take(&mut self.usage);
            if long.is_some() || !trim(&self.buffer[range.clone()]).is_empty() {
                return Ok(Some(Line {
                    bytes: trim(&self.buffer[range]),
                    whole,
                    usage,
                    long,
                }));
            }
        }
    }

    /// How far the file was read so far.
    pub fn bytes(&self) -> u64 {
        self.start + self.to as u64
    }

    /// Where the last whole line of it ends.
    pub fn whole(&self) -> u64 {
        self.whole
    }

    /// The buffer, for the next reader.
    pub fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// Where the next line stands in the buffer, and whether a line end follows.
    fn range(&mut self) -> io::Result<Option<(Range<usize>, bool)>> {
        loop {
            let from = self.from.max(self.searched.saturating_sub(OVERLAP));
            let seen = line_end(&self.buffer[..self.to], from);
            self.usage |= seen.usage;
            if let Some(end) = seen.end {
                let range = self.pass(end, end + 1);
                self.whole = self.start + self.from as u64;
                return Ok(Some((range, true)));
            }
            self.searched = self.to;
            if !self.ended {
                self.fill()?;
            } else if self.from < self.to {
                let range = self.pass(self.to, self.to);
                return Ok(Some((range, false)));
            } else {
                return Ok(None);
            }
        }
    }

    fn pass(&mut self, end: usize, next: usize) -> Range<usize> {
        let range = self.from..end;
        (self.from, self.searched) = (next, next);
        range
    }

    /// Reads once more, behind what there is of the current line.
    fn fill(&mut self) -> io::Result<()> {
        if self.to - self.from >= self.longest {
            self.drop_beginning();
        }
        if self.from > 0 {
            self.shift(self.from);
        }
        if self.to == self.buffer.len() {
            self.buffer.resize(self.to * 2, 0);
        }
        // What is read is looked at three times: it should still be in the processor's cache then,
        // however large a long line has made the buffer.
        let room = self.buffer.len().min(self.to + PIECE);
        let read = loop {
            match self.reader.read(&mut self.buffer[self.to..room]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.ended = read == 0;
        self.to += read;
        Ok(())
    }

    fn drop_beginning(&mut self) {
        let start = self.start + self.from as u64;
        self.long.get_or_insert(start);
        self.from = self.to - END;
    }

    /// Drops what stands before `by`.
    fn shift(&mut self, by: usize) {
        self.buffer.copy_within(by..self.to, 0);
        self.start += by as u64;
        self.searched -= by;
        self.to -= by;
        self.from = 0;
    }
}

/// A line without blanks, line end and byte order mark at its ends.
#[must_use]
pub fn trim(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    line.strip_prefix(BOM).unwrap_or(line).trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a few bytes at a time, as a pipe may.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let size = self.1.min(into.len()).min(self.0.len());
            let (now, rest) = self.0.split_at(size);
            into[..size].copy_from_slice(now);
            self.0 = rest;
            Ok(size)
        }
    }

    fn all(text: &[u8], drop: usize, longest: usize) -> Vec<(Vec<u8>, bool, bool, bool)> {
        let mut lines = Lines::new(Drops(text, drop), Vec::new(), longest);
        let mut got = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            if let Some(range) = &line.long {
                let end = usize::try_from(range.end).unwrap();
                assert!(text[..end].ends_with(line.bytes));
                assert!(
                    range.start == 0 || text[usize::try_from(range.start).unwrap() - 1] == b'\n'
                );
            }
            got.push((
                line.bytes.to_vec(),
                line.whole,
                line.usage,
                line.long.is_some(),
            ));
        }
        assert_eq!(lines.bytes(), text.len() as u64);
        let whole = text
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        assert_eq!(lines.whole(), whole as u64);
        got
    }

    #[test]
    fn line_ends_blanks_and_marks_are_left_out() {
        for (text, want) in [
            ("", vec![]),
            ("\n\r\n \n", vec![]),
            ("a\nb", vec![("a", true), ("b", false)]),
            ("a\r\n\r\nb\r\n", vec![("a", true), ("b", true)]),
            ("\u{feff}a\n\u{feff}\nb\n", vec![("a", true), ("b", true)]),
        ] {
            for drop in [1, 2, 100] {
                let got = all(text.as_bytes(), drop, 0);
                let got: Vec<_> = got.iter().map(|l| (l.0.as_slice(), l.1)).collect();
                let want: Vec<_> = want.iter().map(|(t, w)| (t.as_bytes(), *w)).collect();
                assert_eq!(got, want, "{text:?}");
            }
        }
    }

    #[test]
    fn usage_is_seen_in_its_own_line_only() {
        let text = b"x\n{\"usage\"}\ny\n\"usage\"\"usage\"\nz\\\"usage\\\"\n\"usage\"";
        for drop in [1, 3, 100] {
            let got: Vec<_> = all(text, drop, 0).iter().map(|line| line.2).collect();
            assert_eq!(got, [false, true, false, true, false, true]);
        }
    }

    #[test]
    fn of_a_long_line_the_end_stays_and_usage_is_seen_anywhere() {
        let long = "x".repeat(2 << 20);
        for (text, usage) in [
            (format!("a\n{long}\nb\n"), false),
            (format!("a\n\"usage\"{long}\nb\n"), true),
            (
                format!("a\n{}\"usage\"{long}\nb\n", &long[..PIECE - 5]),
                true,
            ),
            (format!("a\n{long}\"usage\"\nb\n"), true),
        ] {
            for drop in [999, 1 << 17, 1 << 20] {
                let got = all(text.as_bytes(), drop, 0);
                assert_eq!(got.len(), 3);
                assert!(got[1].0.len() <= 3 * PIECE && got[1].3);
                let usages: Vec<_> = got.iter().map(|line| line.2).collect();
                assert_eq!(usages, [false, usage, false]);
            }
            assert!(
                all(text.as_bytes(), 1 << 16, usize::MAX)
                    .iter()
                    .all(|line| !line.3)
            );
        }
    }
}
