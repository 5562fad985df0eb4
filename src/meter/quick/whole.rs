//! A line of no form that is known → what stands in it, key by key, and where: in a line of the same
//! form it will stand in the same places.

use std::ops::Range;

use super::super::walk::Walk;
use super::members::{Line, MESSAGE, Message};
use super::usages::Usages;
use super::{Found, Hole, text};

/// A line while it is walked through.
pub struct Whole<'a, 'u> {
    /// What was found so far.
    pub found: Found<'a>,
    /// And where.
    pub places: Places,
    usages: &'u mut Usages,
}

/// Where in a line something stands.
#[derive(Debug, Default)]
pub struct Places {
    /// What may differ in another line of the same form.
    pub holes: Vec<(Range<usize>, Hole)>,
    /// Where the message begins.
    pub message: usize,
    /// Where what follows the time begins, as long as nothing but the session follows it that
    /// matters.
    pub end: Option<usize>,
    /// The session.
    pub session: Range<usize>,
}

impl<'a, 'u> Whole<'a, 'u> {
    /// Nothing is passed yet, but the content may be known.
    pub fn new(found: Found<'a>, usages: &'u mut Usages) -> Self {
        Self {
            found,
            places: Places::default(),
            usages,
        }
    }

    /// Passes the value of a member of the line.
    pub fn member(&mut self, member: Line, walk: &mut Walk<'a>) -> Option<()> {
        if !matches!(member, Line::Other | Line::Hole(Hole::Session)) {
            self.places.end = None;
        }
        match member {
            Line::Other => walk.skip(),
            Line::Hole(hole) => {
                self.hole(hole, walk)?;
                let end = walk.at();
                match hole {
                    Hole::At => self.places.end = Some(end),
                    Hole::Session => {
                        let length = self.found.record.session.map_or(0, <[u8]>::len);
                        self.places.session = (end - 1).saturating_sub(length)..end - 1;
                    }
                    _ => {}
                }
                Some(())
            }
            Line::Message => {
                self.places.message = walk.at();
                self.message(walk)
            }
            Line::Type => {
                let kind = text(walk)?;
                self.found.assistant = kind == Some(b"assistant");
                self.found.progress = kind == Some(b"progress");
                Some(())
            }
            Line::Data => None,
        }
    }

    /// The message's own part of the record.
    fn message(&mut self, walk: &mut Walk<'a>) -> Option<()> {
        if walk.peek()? != b'{' {
            return walk.skip();
        }
        walk.object(&MESSAGE, |walk, member| match member {
            Message::Other => walk.skip(),
            Message::Hole(hole) => self.hole(hole, walk),
        })
    }

    /// Reads what stands in a hole, and remembers where that is.
    fn hole(&mut self, hole: Hole, walk: &mut Walk<'a>) -> Option<()> {
        walk.peek()?;
        let from = walk.at();
        self.found.fill(hole, walk, self.usages)?;
        self.places.holes.push((from..walk.at(), hole));
        Some(())
    }
}
