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
mod whole;

use alike::Alike;
use form::Forms;
use members::{BLOCK, Block, LINE};
use usages::Usages;
use whole::Whole;

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
    /// What a record would say. Session and time are the line's, whatever it holds.
    pub record: Record<&'a [u8]>,
    /// Whether it holds a record.
    pub real: bool,
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
        let mut content = None;
        for at in 0..self.lines.len() {
            let mut found = Found::new(content);
            let mut walk = Walk::new(line);
            let fill = |hole, walk: &mut Walk<'a>| found.fill(hole, walk, &mut self.usages);
            if self.lines.read(at, &mut walk, fill).is_some() && walk.ended() {
                self.lines.prefer(at);
                found.assistant = true;
                return found.quick();
            }
            content = found.content;
        }
        self.walk(line, Found::new(content))
    }

    /// Walks through all of the line.
    fn walk<'a>(&mut self, line: &'a [u8], found: Found<'a>) -> Option<Quick<'a>> {
        let mut walk = Walk::new(line);
        let mut whole = Whole::new(found, &mut self.usages);
        walk.object(&LINE, |walk, member| whole.member(member, walk))?;
        walk.ended().then_some(())?;
        let Whole { found, places, .. } = whole;
        self.last.keep(line, &found, &places);
        if found.assistant && found.usage {
            self.lines.learn(line, 0, &places.holes);
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
}

impl<'a> Found<'a> {
    fn new(content: Option<Content>) -> Self {
        Self {
            content,
            ..Self::default()
        }
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
        if let Some((_, tools)) = self.content {
            record.tools = tools;
        }
        let real = self.assistant && self.usage && record.model != Some(b"<synthetic>");
        (!self.progress).then_some(Quick { record, real })
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
            into.extend(id.map(|id| {
                if id.is_ascii() {
                    return tool(id);
                }
                // As the slow way reads it, where bytes of it are no UTF-8.
                tool(String::from_utf8_lossy(id).as_bytes())
            }));
        }
        Some(())
    })
}
