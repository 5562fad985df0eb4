//! One line → its record, in one pass and without a copy. In: the bytes of a line. Out: the same
//! as [`super::record::parse`] gives, or none when anything in the line is unusual: escapes in a
//! field that is read, a key that stands twice, other shapes than expected, no JSON at all. Then
//! that slower way decides.

use std::ops::Range;

use super::ends::End;
use super::keys::Key;
use super::record::{Record, Usage, tool};
use super::walk::{Plain, Walk};

mod alike;
mod members;

use alike::Alike;
use members::{BLOCK, Block, COUNTS, Count, LINE, Line, MESSAGE, Message, Pair, SERVER, SPLIT};

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

/// Counts, and what tells whose they are.
#[derive(Default)]
struct Counts {
    usage: Usage,
    apart: bool,
    iterations: bool,
}

/// Reads the lines of a transcript one after another.
#[derive(Debug, Default)]
pub struct Reader {
    last: Alike,
}

impl Reader {
    /// The line, if it is an ordinary one.
    pub fn read<'a>(&mut self, line: &'a [u8]) -> Option<Quick<'a>> {
        if let Some((head, session)) = self.last.split(line) {
            let mut found = Found::default();
            let mut walk = Walk::new(head);
            let walked = walk.pass(b'{').and_then(|()| {
                walk.members(&LINE, |walk, member| {
                    found.member(member, walk, &mut self.last)
                })
            });
            // Otherwise what is like the last end may have begun within a text, or deeper.
            if walked.is_some() && walk.ended() && found.record.session.is_none() {
                found.record.session = Some(session);
                return self.keep(found, line);
            }
        }
        let mut found = Found::default();
        let mut walk = Walk::new(line);
        walk.object(&LINE, |walk, member| {
            found.member(member, walk, &mut self.last)
        })?;
        walk.ended().then_some(())?;
        let (session, at) = (found.record.session, found.record.at);
        if let (Some(from), Some(session), Some(at)) = (found.end, session, at) {
            let range = found.session.clone();
            self.last.keep_end(line, End { session, at }, from, range);
        }
        self.keep(found, line)
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

    fn keep<'a>(&mut self, found: Found<'a>, line: &[u8]) -> Option<Quick<'a>> {
        let message = found.message;
        let quick = found.quick()?;
        if quick.record.is_some() {
            self.last.keep_message(line, message);
        }
        Some(quick)
    }
}

/// What stands in a line, as far as it was walked through.
#[derive(Default)]
struct Found<'a> {
    record: Record<&'a [u8]>,
    kind: Option<&'a [u8]>,
    usage: Option<Usage>,
    /// Where the message begins.
    message: usize,
    /// Where what follows the time begins, as long as nothing but the session follows it that
    /// matters.
    end: Option<usize>,
    /// Where the session stands.
    session: Range<usize>,
}

impl<'a> Found<'a> {
    fn member(&mut self, member: Line, walk: &mut Walk<'a>, last: &mut Alike) -> Option<()> {
        if !matches!(member, Line::Other | Line::Session) {
            self.end = None;
        }
        let record = &mut self.record;
        match member {
            Line::Other => walk.skip()?,
            Line::Sidechain => record.sidechain = walk.flag()?,
            Line::Agent => record.agent = text(walk)?,
            Line::Message => {
                self.message = walk.at();
                self.usage = message(walk, record, last)?;
            }
            Line::Request => record.request = text(walk)?.is_some(),
            Line::AgentType => record.agent_type = text(walk)?,
            Line::Type => self.kind = text(walk)?,
            Line::Uuid => record.uuid = text(walk)?,
            Line::Timestamp => {
                record.at = text(walk)?;
                self.end = Some(walk.at());
            }
            Line::Session => {
                record.session = text(walk)?;
                let end = walk.at() - 1;
                self.session = end - record.session.map_or(0, <[u8]>::len)..end;
            }
            // Embeds another line.
            Line::Data => return None,
        }
        Some(())
    }

    fn quick(self) -> Option<Quick<'a>> {
        let Self {
            mut record,
            kind,
            usage,
            ..
        } = self;
        let (session, at) = (record.session, record.at);
        let record = match (kind, usage) {
            (Some(b"progress"), _) => return None,
            (Some(b"assistant"), Some(usage)) if record.model != Some(b"<synthetic>") => {
                record.usage = usage;
                Some(record)
            }
            _ => None,
        };
        Some(Quick {
            record,
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

/// The message's own part of the record. Answers with its usage, if it has any.
#[expect(
    clippy::option_option,
    reason = "no ordinary message, or one that may have no usage"
)]
fn message<'a>(
    walk: &mut Walk<'a>,
    record: &mut Record<&'a [u8]>,
    last: &mut Alike,
) -> Option<Option<Usage>> {
    let mut usage = None;
    if walk.peek()? != b'{' {
        walk.skip()?;
        return Some(usage);
    }
    walk.object(&MESSAGE, |walk, member| {
        match member {
            Message::Other => walk.skip()?,
            Message::Model => record.model = text(walk)?,
            Message::Id => record.id = text(walk)?,
            Message::Content => tools(walk, &mut record.tools)?,
            Message::StopReason => record.finished = text(walk)?.is_some(),
            Message::Usage => usage = Some(message_usage(walk, last)?),
        }
        Some(())
    })?;
    Some(usage)
}

fn message_usage(walk: &mut Walk<'_>, last: &mut Alike) -> Option<Usage> {
    walk.peek()?;
    if let Some(usage) = last.usage(walk) {
        return Some(usage);
    }
    let from = walk.at();
    let usage = counts(walk)?.usage;
    last.keep_usage(walk.passed(from), usage);
    Some(usage)
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

fn counts(walk: &mut Walk<'_>) -> Option<Counts> {
    let mut counts = Counts::default();
    let usage = &mut counts.usage;
    walk.object(&COUNTS, |walk, member| {
        match member {
            Count::Other => walk.skip()?,
            Count::Input => usage.input = walk.count()?,
            Count::Output => usage.output = walk.count()?,
            Count::CacheWrite => usage.cache_write = walk.count()?,
            Count::CacheRead => usage.cache_read = walk.count()?,
            Count::Split => usage.cache_write_1h = pair(walk, &SPLIT)?.0,
            Count::Server => (usage.web_search, usage.web_fetch) = pair(walk, &SERVER)?,
            Count::Iterations => {
                iterations(walk)?;
                counts.iterations = true;
            }
            Count::Type => counts.apart = apart(text(walk)?),
        }
        Some(())
    })?;
    usage.cache_write_1h = usage.cache_write_1h.min(usage.cache_write);
    Some(counts)
}

/// Two counts of an object; null has none.
fn pair(walk: &mut Walk<'_>, keys: &[(Key, Pair); 2]) -> Option<(u64, u64)> {
    let (mut first, mut second) = (0, 0);
    if walk.peek()? == b'n' {
        walk.skip()?;
        return Some((0, 0));
    }
    walk.object(keys, |walk, member| {
        match member {
            Pair::First => first = walk.count()?,
            Pair::Second => second = walk.count()?,
        }
        Some(())
    })?;
    Some((first, second))
}

/// Passes iterations that are part of the message's own counts; none when one stands apart.
fn iterations(walk: &mut Walk<'_>) -> Option<()> {
    if walk.peek()? != b'[' {
        return walk.skip();
    }
    walk.list(|walk| {
        let counts = counts(walk)?;
        (!counts.iterations && !counts.apart).then_some(())
    })
}

fn apart(kind: Option<&[u8]>) -> bool {
    matches!(kind, Some(b"advisor_message" | b"compaction"))
}
