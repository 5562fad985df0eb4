//! Bytes → lines. In: any reader. Out: one line after another without its line end, blank lines
//! left out. Does not look at what a line says.

use std::io::{self, BufRead};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The lines of a transcript.
pub struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    bytes: u64,
}

/// One line that is not blank.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Without blanks, line end and byte order mark at its ends.
    pub bytes: &'a [u8],
    /// Whether a line end follows; the last line of a file that is being written has none.
    pub whole: bool,
}

impl<R: BufRead> Lines<R> {
    /// Starts at the reader's position.
    pub fn new(reader: R) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            bytes: 0,
        }
    }

    /// The next line, none at the end.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            self.buffer.clear();
            let read = self.reader.read_until(b'\n', &mut self.buffer)?;
            if read == 0 {
                return Ok(None);
            }
            self.bytes += u64::try_from(read).unwrap_or(u64::MAX);
            if !trim(&self.buffer).is_empty() {
                break;
            }
        }
        Ok(Some(Line {
            bytes: trim(&self.buffer),
            whole: self.buffer.ends_with(b"\n"),
        }))
    }

    /// How many bytes were read so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

fn trim(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    line.strip_prefix(BOM).unwrap_or(line).trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_blanks_and_marks_are_left_out() {
        for (text, want) in [
            ("", vec![]),
            ("\n\r\n \n", vec![]),
            ("a\nb", vec![("a", true), ("b", false)]),
            ("a\r\n\r\nb\r\n", vec![("a", true), ("b", true)]),
            ("\u{feff}a\n\u{feff}\nb\n", vec![("a", true), ("b", true)]),
        ] {
            let mut lines = Lines::new(text.as_bytes());
            let mut got = Vec::new();
            while let Some(line) = lines.next_line().unwrap() {
                got.push((String::from_utf8(line.bytes.to_vec()).unwrap(), line.whole));
            }
            let want: Vec<_> = want.iter().map(|(t, w)| ((*t).to_owned(), *w)).collect();
            assert_eq!(got, want, "{text:?}");
            assert_eq!(lines.bytes(), text.len() as u64);
        }
    }
}
