//! The lines of one transcript → its rows. In: line after line. Out: one row for each run of lines
//! of one message, what sessions and agents the lines tell of, and what was skipped. Knows one
//! file only; [`super::messages`] brings the files together.
//!
//! Rows can be kept and go on later with the lines that a file has grown by.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::ends::{self, End};
use super::find::Origin;
use super::lines::Line;
use super::quick::{Quick, Reader};
use super::record::{Parsed, Record, Skip, Usage, parse};
use super::texts::same;

mod time;

use time::time;

/// What one transcript says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// Names of sessions, agents, agent types and models, each once; rows name them by place.
    pub names: Vec<Box<str>>,
    /// In the order of the file.
    pub rows: Vec<Row<'static>>,
    /// Sessions and the last time, in microseconds since 1970, that one of their lines tells.
    pub ends: Vec<(u32, i64)>,
    /// Agents and their types, as far as lines tell.
    pub types: Vec<(u32, u32)>,
    /// The type of the agent whose file it is, from the file beside it.
    pub agent_type: Option<Box<str>>,
    /// How many lines were skipped, by reason.
    pub skipped: BTreeMap<Skip, u64>,
    pub(super) index: FxHashMap<Box<str>, u32>,
    /// The names that were asked for last, one of each kind.
    pub(super) recent: [u32; 3],
}

/// One message as far as some lines in a row tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row<'a> {
    /// Which message it is.
    pub key: Key<'a>,
    /// See [`Record::copy`].
    pub copy: bool,
    /// Whether a subagent wrote it, named or not.
    pub sidechain: bool,
    /// Whether one of the lines tells how the message ended.
    pub finished: bool,
    /// The session that holds it.
    pub session: Option<u32>,
    /// The subagent that wrote it.
    pub agent: Option<u32>,
    /// The model, of the line with the most output.
    pub model: Option<u32>,
    /// The earliest time, in microseconds since 1970.
    pub at: Option<i64>,
    /// Of the line with the most output.
    pub usage: Usage,
    /// The same, see [`Record::apart`].
    pub apart: Vec<(Option<u32>, Usage)>,
    /// All tool calls, each once.
    pub tools: Vec<u64>,
}

/// What makes two lines one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key<'a> {
    /// An id of the API is unique over all sessions.
    Id(Cow<'a, str>),
    /// The line's own id, where the message has none.
    Line(Option<Cow<'a, str>>),
    /// A gateway may answer every call with one id. The id, and the session and the time of the
    /// line as written.
    Gateway(Cow<'a, str>, Option<Cow<'a, str>>, Option<Cow<'a, str>>),
}

impl Default for Key<'_> {
    fn default() -> Self {
        Self::Line(None)
    }
}

const SESSION: usize = 0;
const AGENT: usize = 1;
const MODEL: usize = 2;

impl Rows {
    /// Takes a line. Of one that is long, only what its end tells. The reader should know the lines
    /// before.
    pub fn take(&mut self, line: &Line<'_>, origin: &Origin, reader: &mut Reader) {
        if line.long.is_some() {
            self.take_end(line, origin);
        } else if reader.expects(line.bytes)
            && let Some(quick) = &mut reader.read(line.bytes)
        {
            self.take_quick(quick, origin);
        } else if let Some(end) = without_usage(line, reader) {
            self.alive(Some(end.session), time(end.at), origin);
        } else if let Some(quick) = &mut reader.read(line.bytes) {
            self.take_quick(quick, origin);
        } else {
            self.take_slowly(line, origin);
        }
    }

    /// Nothing, with the room that these have taken.
    #[must_use]
    pub fn cleared(self) -> Self {
        let Self {
            mut names,
            mut rows,
            mut ends,
            mut types,
            mut skipped,
            mut index,
            agent_type: _,
            recent: _,
        } = self;
        names.clear();
        rows.clear();
        ends.clear();
        types.clear();
        skipped.clear();
        index.clear();
        Self {
            names,
            rows,
            ends,
            types,
            skipped,
            index,
            ..Self::default()
        }
    }

    fn take_quick(&mut self, quick: &mut Quick<'_>, origin: &Origin) {
        let at = quick.record.at.and_then(time);
        self.alive(quick.record.session, at, origin);
        if quick.real {
            self.add(&mut quick.record, at, origin);
        }
    }

    fn take_end(&mut self, line: &Line<'_>, origin: &Origin) {
        if let Some(end) = ends::back(line.bytes) {
            self.alive(Some(end.session), time(end.at), origin);
        } else if !line.bytes.ends_with(b"}") {
            *self.skipped.entry(Skip::broken(line.whole)).or_default() += 1;
        }
    }

    /// The same without the short ways, which it is the measure of.
    pub fn take_slowly(&mut self, line: &Line<'_>, origin: &Origin) {
        self.take_parsed(parse(line), origin);
    }

    /// Takes what a line held.
    pub fn take_parsed(&mut self, parsed: Parsed, origin: &Origin) {
        let at = parsed.at.as_deref().and_then(time);
        self.alive(bytes(parsed.session.as_ref()), at, origin);
        if let Some(skip) = parsed.skipped {
            *self.skipped.entry(skip).or_default() += 1;
        }
        for mut record in parsed.records {
            let at = record.at.as_deref().and_then(time);
            self.add(&mut record, at, origin);
        }
    }

    /// Notes that a session was alive at a time.
    fn alive(&mut self, session: Option<&[u8]>, at: Option<i64>, origin: &Origin) {
        let Some(at) = at else { return };
        let Some(session) = self.session(session, origin) else {
            return;
        };
        match self.ends.iter_mut().find(|(known, _)| *known == session) {
            Some((_, end)) => *end = at.max(*end),
            None => self.ends.push((session, at)),
        }
    }

    /// Adds a record whose time is `at`, and takes its tools.
    pub(super) fn add<T: AsRef<[u8]>>(
        &mut self,
        record: &mut Record<T>,
        at: Option<i64>,
        origin: &Origin,
    ) {
        let session = self.session(bytes(record.session.as_ref()), origin);
        let agent = bytes(record.agent.as_ref()).or(origin.agent.as_ref().map(String::as_bytes));
        let agent = agent.map(|agent| self.name(agent, AGENT));
        if let (Some(agent), Some(agent_type)) = (agent, bytes(record.agent_type.as_ref()))
            && !self.types.iter().any(|(known, _)| *known == agent)
        {
            let agent_type = self.name(agent_type, AGENT);
            self.types.push((agent, agent_type));
        }
        let place = (
            record.copy,
            record.sidechain || agent.is_some(),
            session,
            agent,
        );
        let apart = record.apart.iter().map(|(model, usage)| {
            let model = bytes(model.as_ref()).map(|model| self.name(model, MODEL));
            (model, *usage)
        });
        let apart = apart.collect();
        let model = bytes(record.model.as_ref()).map(|model| self.name(model, MODEL));
        match self.rows.last_mut() {
            Some(last) if last.holds(place, record) => last.merge(record, model, apart, at),
            _ => self.rows.push(Row {
                key: key(record),
                copy: place.0,
                sidechain: place.1,
                finished: record.finished,
                session,
                agent,
                model,
                at,
                usage: record.usage,
                apart,
                tools: std::mem::take(&mut record.tools),
            }),
        }
    }

    fn session(&mut self, named: Option<&[u8]>, origin: &Origin) -> Option<u32> {
        let parent = origin.parent.as_ref().map(String::as_bytes);
        let session = parent.or(named);
        let session = session.or(origin.session.as_ref().map(String::as_bytes))?;
        Some(self.name(session, SESSION))
    }

    fn name(&mut self, text: &[u8], kind: usize) -> u32 {
        let recent = self.recent[kind];
        let known = self.names.get(recent as usize);
        if known.is_some_and(|known| same(known.as_bytes(), text)) {
            return recent;
        }
        if self.index.is_empty() {
            self.index = (0..)
                .zip(&self.names)
                .map(|(at, name)| (name.clone(), at))
                .collect();
        }
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let text = shown(text);
        let at = *self.index.entry(text.clone()).or_insert(next);
        if at == next {
            self.names.push(text);
        }
        self.recent[kind] = at;
        at
    }
}

impl Row<'_> {
    /// The same without anything borrowed.
    #[must_use]
    pub fn into_owned(self) -> Row<'static> {
        let text = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let key = match self.key {
            Key::Id(id) => Key::Id(text(id)),
            Key::Line(line) => Key::Line(line.map(text)),
            Key::Gateway(id, session, at) => {
                Key::Gateway(text(id), session.map(text), at.map(text))
            }
        };
        Row {
            key,
            copy: self.copy,
            sidechain: self.sidechain,
            finished: self.finished,
            session: self.session,
            agent: self.agent,
            model: self.model,
            at: self.at,
            usage: self.usage,
            apart: self.apart,
            tools: self.tools,
        }
    }

    /// The same with other numbers for its names.
    #[must_use]
    pub fn renamed(mut self, number: impl Fn(Option<u32>) -> Option<u32>) -> Self {
        self.session = number(self.session);
        self.agent = number(self.agent);
        self.model = number(self.model);
        for (model, _) in &mut self.apart {
            *model = number(*model);
        }
        self
    }

    /// Whether the record is one more line of the same message, in the same place.
    fn holds<T: AsRef<[u8]>>(&self, place: Place, record: &Record<T>) -> bool {
        let Key::Id(known) = &self.key else {
            return false;
        };
        let id = bytes(record.id.as_ref());
        place == (self.copy, self.sidechain, self.session, self.agent)
            && id.is_some_and(|id| same(id, known.as_bytes()))
            && of_the_api(record)
    }

    /// Takes in what a later line says. The line with the most output counts whole, the last on
    /// ties.
    fn merge<T>(
        &mut self,
        later: &Record<T>,
        model: Option<u32>,
        apart: Vec<(Option<u32>, Usage)>,
        at: Option<i64>,
    ) {
        if later.usage.output >= self.usage.output {
            self.usage = later.usage;
            self.model = model;
            self.apart = apart;
        }
        self.at = [self.at, at].into_iter().flatten().min();
        self.finished |= later.finished;
        for tool in &later.tools {
            if !self.tools.contains(tool) {
                self.tools.push(*tool);
            }
        }
    }
}

/// Whether it is a copy and whether a subagent wrote it, with its session and agent.
type Place = (bool, bool, Option<u32>, Option<u32>);

/// Session and time of a line without usage, where they can be had without walking through it.
fn without_usage<'a>(line: &Line<'a>, reader: &Reader) -> Option<End<'a>> {
    if line.usage {
        return None;
    }
    reader.end(line.bytes).or_else(|| ends::of(line.bytes))
}

fn key<T: AsRef<[u8]>>(record: &Record<T>) -> Key<'static> {
    let text = |text: Option<&T>| bytes(text).map(|text| Cow::Owned(shown(text).into_string()));
    match text(record.id.as_ref()) {
        None => Key::Line(text(record.uuid.as_ref())),
        Some(id) if of_the_api(record) => Key::Id(id),
        Some(id) => Key::Gateway(id, text(record.session.as_ref()), text(record.at.as_ref())),
    }
}

fn bytes<T: AsRef<[u8]>>(text: Option<&T>) -> Option<&[u8]> {
    text.map(T::as_ref)
}

/// A text as it is kept. Bytes that are no UTF-8 become replacement characters, as they do when the
/// whole line is read that way.
fn shown(text: &[u8]) -> Box<str> {
    match std::str::from_utf8(text) {
        Ok(text) => text.into(),
        Err(_) => String::from_utf8_lossy(text).into(),
    }
}

/// Gateways make up ids of their own, without a request's.
fn of_the_api<T: AsRef<[u8]>>(record: &Record<T>) -> bool {
    record.request || bytes(record.id.as_ref()).is_some_and(|id| id.starts_with(b"msg_"))
}
