//! One line → its record, in one pass and without a copy. In: the bytes of a line. Out: the same
//! as [`super::record::parse`] gives, or none when anything in the line is unusual: escapes in a
//! field that is read, a key that stands twice, other shapes than expected, no JSON at all. Then
//! that slower way decides.

use std::borrow::Cow;

use super::record::{Record, Usage, tool};
use super::walk::{Plain, Walk};

/// What an ordinary line says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Quick<'a> {
    /// Its record, if it holds one.
    pub record: Option<Record<'a>>,
    /// The session that it names.
    pub session: Option<&'a str>,
    /// Its time, as written.
    pub at: Option<&'a str>,
}

/// A member that may stand once.
#[derive(Default)]
struct Once<T>(Option<T>);

impl<T: Default> Once<T> {
    fn set(&mut self, value: T) -> Option<()> {
        self.0.replace(value).is_none().then_some(())
    }

    fn get(&mut self) -> T {
        self.0.take().unwrap_or_default()
    }
}

type Text<'a> = Once<Option<&'a str>>;

#[derive(Default)]
struct Entry<'a> {
    kind: Text<'a>,
    message: Once<Message<'a>>,
    request: Text<'a>,
    uuid: Text<'a>,
    timestamp: Text<'a>,
    session: Text<'a>,
    agent: Text<'a>,
    agent_type: Text<'a>,
    sidechain: Once<bool>,
}

#[derive(Default)]
struct Message<'a> {
    id: Text<'a>,
    model: Text<'a>,
    stop_reason: Text<'a>,
    usage: Once<Option<Usage>>,
    tools: Once<Vec<u64>>,
}

#[derive(Default)]
struct Counts {
    kind: Once<bool>,
    model: Once<()>,
    input: Once<u64>,
    output: Once<u64>,
    cache_write: Once<u64>,
    cache_read: Once<u64>,
    hour: Once<u64>,
    server: Once<(u64, u64)>,
    iterations: Once<()>,
}

/// The line, if it is an ordinary one.
#[must_use]
pub fn parse(line: &[u8]) -> Option<Quick<'_>> {
    let mut walk = Walk::new(line);
    let mut entry = Entry::default();
    walk.object(|walk, key| entry.member(walk, key))?;
    walk.ended().then_some(())?;
    let (session, at) = (entry.session.get(), entry.timestamp.get());
    let record = match entry.kind.get() {
        // Embeds another line.
        Some("progress") => return None,
        Some("assistant") => record(entry, session, at),
        _ => None,
    };
    Some(Quick {
        record,
        session,
        at,
    })
}

impl<'a> Entry<'a> {
    fn member(&mut self, walk: &mut Walk<'a>, key: &[u8]) -> Option<()> {
        match key {
            b"type" => self.kind.set(text(walk)?),
            b"message" => self.message.set(message(walk)?),
            b"requestId" => self.request.set(text(walk)?),
            b"uuid" => self.uuid.set(text(walk)?),
            b"timestamp" => self.timestamp.set(text(walk)?),
            b"sessionId" => self.session.set(text(walk)?),
            b"agentId" => self.agent.set(text(walk)?),
            b"attributionAgent" => self.agent_type.set(text(walk)?),
            b"isSidechain" => self.sidechain.set(walk.flag()?),
            b"data" => None,
            _ => walk.skip(),
        }
    }
}

fn record<'a>(
    mut entry: Entry<'a>,
    session: Option<&'a str>,
    at: Option<&'a str>,
) -> Option<Record<'a>> {
    let mut message = entry.message.get();
    let usage = message.usage.get()?;
    let model = message.model.get();
    if model == Some("<synthetic>") {
        return None;
    }
    let text = |text: Option<&'a str>| text.map(Cow::Borrowed);
    Some(Record {
        copy: false,
        id: text(message.id.get()),
        request: entry.request.get().is_some(),
        uuid: text(entry.uuid.get()),
        session: text(session),
        at: text(at),
        agent: text(entry.agent.get()),
        agent_type: text(entry.agent_type.get()),
        sidechain: entry.sidechain.get(),
        model: text(model),
        usage,
        apart: Vec::new(),
        finished: message.stop_reason.get().is_some(),
        tools: message.tools.get(),
    })
}

/// An empty text counts as none.
#[expect(
    clippy::option_option,
    reason = "no plain value, or one that may be none"
)]
fn text<'a>(walk: &mut Walk<'a>) -> Option<Option<&'a str>> {
    Some(match walk.plain()? {
        Plain::Text(text) => Some(text).filter(|text| !text.is_empty()),
        Plain::Null => None,
    })
}

fn message<'a>(walk: &mut Walk<'a>) -> Option<Message<'a>> {
    let mut message = Message::default();
    if walk.peek()? != b'{' {
        walk.skip()?;
        return Some(message);
    }
    walk.object(|walk, key| match key {
        b"id" => message.id.set(text(walk)?),
        b"model" => message.model.set(text(walk)?),
        b"stop_reason" => message.stop_reason.set(text(walk)?),
        b"usage" => message.usage.set(Some(usage(walk)?)),
        b"content" => message.tools.set(tools(walk)?),
        _ => walk.skip(),
    })?;
    Some(message)
}

/// The tool calls in the content of a message.
fn tools(walk: &mut Walk<'_>) -> Option<Vec<u64>> {
    let mut tools = Vec::new();
    if walk.peek()? != b'[' {
        walk.skip()?;
        return Some(tools);
    }
    walk.list(|walk| {
        if walk.peek()? != b'{' {
            return walk.skip();
        }
        let (mut kind, mut id) = (Text::default(), Text::default());
        walk.object(|walk, key| match key {
            b"type" => kind.set(text(walk)?),
            b"id" => id.set(text(walk)?),
            _ => walk.skip(),
        })?;
        if kind.get() == Some("tool_use") {
            tools.extend(id.get().map(tool));
        }
        Some(())
    })?;
    Some(tools)
}

fn usage(walk: &mut Walk<'_>) -> Option<Usage> {
    let mut counts = counts(walk)?;
    let cache_write = counts.cache_write.get();
    let (web_search, web_fetch) = counts.server.get();
    Some(Usage {
        input: counts.input.get(),
        output: counts.output.get(),
        cache_write,
        cache_write_1h: counts.hour.get().min(cache_write),
        cache_read: counts.cache_read.get(),
        web_search,
        web_fetch,
    })
}

fn counts(walk: &mut Walk<'_>) -> Option<Counts> {
    let mut counts = Counts::default();
    walk.object(|walk, key| match key {
        b"input_tokens" => counts.input.set(walk.count()?),
        b"output_tokens" => counts.output.set(walk.count()?),
        b"cache_creation_input_tokens" => counts.cache_write.set(walk.count()?),
        b"cache_read_input_tokens" => counts.cache_read.set(walk.count()?),
        b"cache_creation" => counts
            .hour
            .set(pair(walk, b"ephemeral_1h_input_tokens", b"")?.0),
        b"server_tool_use" => {
            let pair = pair(walk, b"web_search_requests", b"web_fetch_requests")?;
            counts.server.set(pair)
        }
        b"iterations" => counts.iterations.set(iterations(walk)?),
        b"model" => counts.model.set(walk.skip()?),
        b"type" => counts.kind.set(apart(text(walk)?)),
        _ => walk.skip(),
    })?;
    Some(counts)
}

/// Two counts of an object; null has none.
fn pair(walk: &mut Walk<'_>, first: &[u8], second: &[u8]) -> Option<(u64, u64)> {
    let (mut one, mut two) = (Once::default(), Once::default());
    if walk.peek()? == b'n' {
        walk.skip()?;
        return Some((0, 0));
    }
    walk.object(|walk, key| {
        if key == first {
            one.set(walk.count()?)
        } else if key == second {
            two.set(walk.count()?)
        } else {
            walk.skip()
        }
    })?;
    Some((one.get(), two.get()))
}

/// Passes iterations that are part of the message's own counts; none when one stands apart.
fn iterations(walk: &mut Walk<'_>) -> Option<()> {
    if walk.peek()? != b'[' {
        return walk.skip();
    }
    walk.list(|walk| {
        let mut counts = counts(walk)?;
        let nested = counts.iterations.0.is_some();
        (!nested && !counts.kind.get()).then_some(())
    })
}

fn apart(kind: Option<&str>) -> bool {
    matches!(kind, Some("advisor_message" | "compaction"))
}
