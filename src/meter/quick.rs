//! One line → its record, in one pass and without a copy. In: the bytes of a line. Out: the same
//! as [`super::record::parse`] gives, or none when anything in the line is unusual: escapes in a
//! field that is read, a key that stands twice, other shapes than expected, no JSON at all. Then
//! that slower way decides.

use std::ops::Range;

use super::ends::End;
use super::record::{Record, tool};
use super::walk::{Plain, Walk};

mod alike;
mod form;
mod members;
mod usages;

use alike::Alike;
use form::Forms;
use members::{BLOCK, Block, LINE, Line, MESSAGE, Message};
use usages::Usages;

/// What usually differs from line to line.
#[derive(Debug, Clone, Copy)]
enum Hole {
    /// Is passed over.
    Any,
    Sidechain,
    Id,
    Request,
    Uuid,
    Session,
    At,
    Agent,
    AgentType,
    Model,
    StopReason,
    Content,
    Usage,
}

/// What an ordinary line says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Quick<'a> {
    /// Its record, if it holds one.
    pub record: Option<Record<&'a [u8]>>,
    /// The session that it names.
    pub session: Option<&'a [u8]>,
    /// Its time, as written.
    pub at: Option<&'a [u8]>,
}

/// Reads the lines of a transcript one after another.
#[derive(Debug, Default)]
pub struct Reader {
    lines: Forms<Hole>,
    usages: Usages,
    last: Alike,
}

impl Reader {
    /// The line, if it is an ordinary one.
    pub fn read<'a>(&mut self, line: &'a [u8]) -> Option<Quick<'a>> {
        let mut found = Found::default();
        let known = self.lines.each().position(|form| {
            let mut walk = Walk::new(line);
            found = Found::new(found.content.take());
            let fill = |hole, walk: &mut Walk<'a>| found.fill(hole, walk, &mut self.usages);
            form.read(&mut walk, fill).is_some() && walk.ended()
        });
        let Some(known) = known else {
            return self.walk(line, Found::new(found.content));
        };
        self.lines.prefer(known);
        found.assistant = true;
        found.quick()
    }

    /// Walks through all of the line.
    fn walk<'a>(&mut self, line: &'a [u8], mut found: Found<'a>) -> Option<Quick<'a>> {
        let mut walk = Walk::new(line);
        walk.object(&LINE, |walk, member| {
            found.member(member, walk, &mut self.usages)
        })?;
        walk.ended().then_some(())?;
        let (session, at) = (found.record.session, found.record.at);
        if let (Some(from), Some(session), Some(at)) = (found.end, session, at) {
            let range = found.session.clone();
            self.last.keep_end(line, End { session, at }, from, range);
        }
        if found.assistant && found.usage {
            self.lines.learn(line, 0, &found.holes);
            self.last.keep_message(line, found.message);
        }
        found.quick()
    }

    /// Whether the line seems to hold a message with usage, like one before.
    #[must_use]
    pub fn expects(&self, line: &[u8]) -> bool {
        self.last.message(line)
    }

    /// The same as [`super::ends::of`], for a line that ends like the last one.
    #[must_use]
    pub fn end<'a>(&self, line: &'a [u8]) -> Option<End<'a>> {
        self.last.end(line)
    }
}

/// The content of a message: where it stands in the line, and the tool calls in it.
type Content = (Range<usize>, Vec<u64>);

/// What stands in a line, as far as it was walked through.
#[derive(Debug, Default)]
struct Found<'a> {
    record: Record<&'a [u8]>,
    assistant: bool,
    /// Embeds another line.
    progress: bool,
    usage: bool,
    /// Once it is known, it need not be walked through again.
    content: Option<Content>,
    /// What may differ in another line of the same form.
    holes: Vec<(Range<usize>, Hole)>,
    /// Where the message begins.
    message: usize,
    /// Where what follows the time begins, as long as nothing but the session follows it that
    /// matters.
    end: Option<usize>,
    /// Where the session stands.
    session: Range<usize>,
}

impl<'a> Found<'a> {
    fn new(content: Option<Content>) -> Self {
        Self {
            content,
            ..Self::default()
        }
    }

    fn member(&mut self, member: Line, walk: &mut Walk<'a>, usages: &mut Usages) -> Option<()> {
        if !matches!(member, Line::Other | Line::Hole(Hole::Session)) {
            self.end = None;
        }
        match member {
            Line::Other => walk.skip(),
            Line::Hole(hole) => {
                self.hole(hole, walk, usages)?;
                let end = walk.at();
                match hole {
                    Hole::At => self.end = Some(end),
                    Hole::Session => {
                        let length = self.record.session.map_or(0, <[u8]>::len);
                        self.session = (end - 1).saturating_sub(length)..end - 1;
                    }
                    _ => {}
                }
                Some(())
            }
            Line::Message => {
                self.message = walk.at();
                self.message(walk, usages)
            }
            Line::Type => {
                let kind = text(walk)?;
                self.assistant = kind == Some(b"assistant");
                self.progress = kind == Some(b"progress");
                Some(())
            }
            Line::Data => None,
        }
    }

    /// The message's own part of the record.
    fn message(&mut self, walk: &mut Walk<'a>, usages: &mut Usages) -> Option<()> {
        if walk.peek()? != b'{' {
            return walk.skip();
        }
        walk.object(&MESSAGE, |walk, member| match member {
            Message::Other => walk.skip(),
            Message::Hole(hole) => self.hole(hole, walk, usages),
        })
    }

    /// Reads what stands in a hole, and remembers where that is.
    fn hole(&mut self, hole: Hole, walk: &mut Walk<'a>, usages: &mut Usages) -> Option<()> {
        walk.peek()?;
        let from = walk.at();
        self.fill(hole, walk, usages)?;
        self.holes.push((from..walk.at(), hole));
        Some(())
    }

    /// Reads what stands in a hole.
    #[inline]
    fn fill(&mut self, hole: Hole, walk: &mut Walk<'a>, usages: &mut Usages) -> Option<()> {
        let record = &mut self.record;
        match hole {
            Hole::Any => walk.skip()?,
            Hole::Sidechain => record.sidechain = walk.flag()?,
            Hole::Id => record.id = text(walk)?,
            Hole::Request => record.request = text(walk)?.is_some(),
            Hole::Uuid => record.uuid = text(walk)?,
            Hole::Session => record.session = text(walk)?,
            Hole::At => record.at = text(walk)?,
            Hole::Agent => record.agent = text(walk)?,
            Hole::AgentType => record.agent_type = text(walk)?,
            Hole::Model => record.model = text(walk)?,
            Hole::StopReason => record.finished = text(walk)?.is_some(),
            Hole::Content => self.fill_content(walk)?,
            Hole::Usage => {
                record.usage = usages.read(walk)?;
                self.usage = true;
            }
        }
        Some(())
    }

    fn fill_content(&mut self, walk: &mut Walk<'a>) -> Option<()> {
        let from = walk.at();
        match &self.content {
            Some((known, _)) if known.start == from => walk.go_to(known.end),
            _ => {
                let mut calls = Vec::new();
                tools(walk, &mut calls)?;
                self.content = Some((from..walk.at(), calls));
            }
        }
        Some(())
    }

    fn quick(self) -> Option<Quick<'a>> {
        let mut record = self.record;
        record.tools = self.content.map(|(_, tools)| tools).unwrap_or_default();
        let (session, at) = (record.session, record.at);
        let real = self.assistant && self.usage && record.model != Some(b"<synthetic>");
        (!self.progress).then(|| Quick {
            record: real.then_some(record),
            session,
            at,
        })
    }
}

/// An empty text counts as none.
#[expect(
    clippy::option_option,
    reason = "no plain value, or one that may be none"
)]
#[inline]
fn text<'a>(walk: &mut Walk<'a>) -> Option<Option<&'a [u8]>> {
    Some(match walk.plain()? {
        Plain::Text(text) => Some(text).filter(|text| !text.is_empty()),
        Plain::Null => None,
    })
}

/// The tool calls in the content of a message.
fn tools(walk: &mut Walk<'_>, into: &mut Vec<u64>) -> Option<()> {
    if walk.peek()? != b'[' {
        return walk.skip();
    }
    walk.list(|walk| {
        if walk.peek()? != b'{' {
            return walk.skip();
        }
        let (mut kind, mut id) = (None, None);
        walk.object(&BLOCK, |walk, member| {
            match member {
                Block::Other => walk.skip()?,
                Block::Type => kind = text(walk)?,
                Block::Id => id = text(walk)?,
            }
            Some(())
        })?;
        if kind == Some(b"tool_use") {
            into.extend(id.map(tool));
        }
        Some(())
    })
}
