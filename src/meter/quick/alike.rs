//! A line and the last one that was walked through → what they have in common, if they are not of
//! the same [`super::form`]. Most lines of a transcript end alike, behind their time, and a line with
//! a message shows in the same place that it has one.

use std::ops::Range;

use super::super::ends::{self, End};
use super::super::texts::same;
use super::Found;
use super::form::MOST;
use super::whole::Places;

/// What is remembered.
#[derive(Debug, Default)]
pub struct Alike {
    end: Vec<u8>,
    /// Where in `end` the session stands.
    session: Range<usize>,
    /// Where messages stood, and how they began.
    marks: Vec<(usize, [u8; 8])>,
}

impl Alike {
    /// A line without what it ends in like the last one, and the session that this end names.
    fn split<'a>(&self, line: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let length = line.len().checked_sub(self.end.len())?;
        let (head, end) = line.split_at(length);
        let again = !end.is_empty() && same(end, &self.end);
        again.then(|| (head, &end[self.session.clone()]))
    }

    /// The same as [`ends::of`], where the end of the line is like the last one's.
    pub fn end<'a>(&self, line: &'a [u8]) -> Option<End<'a>> {
        let (head, session) = self.split(line)?;
        ends::before(line, line.len() - head.len(), session)
    }

    /// Remembers how a line ends behind its time, if that names the session and is plain; and where
    /// it has its message, if there is usage in it.
    pub fn keep(&mut self, line: &[u8], found: &Found<'_>, places: &Places) {
        let (at, range) = (found.record.at, &places.session);
        if let (Some(from), Some(session), Some(at)) = (places.end, found.record.session, at)
            && from <= range.start
            && ends::of(line) == Some(End { session, at })
        {
            self.end.clear();
            self.end.extend_from_slice(&line[from..]);
            self.session = range.start - from..range.end - from;
        }
        if found.assistant && found.usage {
            let mark = line.get(places.message..).and_then(<[u8]>::first_chunk);
            let marks = mark.map(|mark| (places.message, *mark));
            self.marks
                .extend(marks.filter(|mark| !self.marks.contains(mark)));
            if self.marks.len() > MOST {
                self.marks.remove(0);
            }
        }
    }

    /// Whether a message seems to stand where a line before had one.
    #[must_use]
    pub fn message(&self, line: &[u8]) -> bool {
        let stands = |(at, mark): &(usize, [u8; 8])| {
            line.get(*at..).and_then(<[u8]>::first_chunk) == Some(mark)
        };
        self.marks.iter().any(stands)
    }
}
