//! The lines of one transcript → its rows. In: line after line. Out: one row for each run of lines
//! of one message, what sessions and agents the lines tell of, and what was skipped. Knows one
//! file only; [`super::messages`] brings the files together.
//!
//! Rows can be kept and go on later with the lines that a file has grown by.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::find::Origin;
use super::lines::Line;
use super::record::{Parsed, Record, Skip, Usage, parse};
use super::{ends, quick};

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
    /// Takes a line. Of one that is long, only what its end tells.
    pub fn take(&mut self, line: &Line<'_>, origin: &Origin) {
        if line.long.is_some() {
            self.take_end(line, origin);
        } else if !line.usage
            && let Some(end) = ends::of(line.bytes)
        {
            self.alive(Some(end.session), Some(end.at), origin);
        } else if let Some(quick) = quick::parse(line.bytes) {
            self.alive(quick.session, quick.at, origin);
            if let Some(record) = quick.record {
                self.add(record, origin);
            }
        } else {
            self.take_slowly(line, origin);
        }
    }

    fn take_end(&mut self, line: &Line<'_>, origin: &Origin) {
        if let Some(end) = ends::back(line.bytes) {
            self.alive(Some(end.session), Some(end.at), origin);
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
        self.alive(parsed.session.as_deref(), parsed.at.as_deref(), origin);
        if let Some(skip) = parsed.skipped {
            *self.skipped.entry(skip).or_default() += 1;
        }
        for record in parsed.records {
            self.add(record, origin);
        }
    }

    /// Notes that a session was alive at a time (RFC 3339; anything else is passed over).
    fn alive(&mut self, session: Option<&str>, at: Option<&str>, origin: &Origin) {
        let Some(at) = at.and_then(time) else { return };
        let Some(session) = self.session(session, origin) else {
            return;
        };
        match self.ends.iter_mut().find(|(known, _)| *known == session) {
            Some((_, end)) => *end = at.max(*end),
            None => self.ends.push((session, at)),
        }
    }

    /// Adds a record.
    pub fn add(&mut self, mut record: Record<'_>, origin: &Origin) {
        let row = self.row(&record, origin);
        let row = Row {
            tools: std::mem::take(&mut record.tools),
            ..row
        };
        match self.rows.last_mut() {
            Some(last) if last.holds(&row, &record) => last.merge(row),
            _ => self.rows.push(Row {
                key: key(&record),
                ..row
            }),
        }
    }

    /// The row of a record, without its key and tools.
    fn row(&mut self, record: &Record<'_>, origin: &Origin) -> Row<'static> {
        let session = self.session(record.session.as_deref(), origin);
        let agent = record.agent.as_deref().or(origin.agent.as_deref());
        let agent = agent.map(|agent| self.name(agent, AGENT));
        if let (Some(agent), Some(agent_type)) = (agent, record.agent_type.as_deref())
            && !self.types.iter().any(|(known, _)| *known == agent)
        {
            let agent_type = self.name(agent_type, AGENT);
            self.types.push((agent, agent_type));
        }
        let apart = record.apart.iter().map(|(model, usage)| {
            (
                model.as_deref().map(|model| self.name(model, MODEL)),
                *usage,
            )
        });
        let apart = apart.collect();
        Row {
            copy: record.copy,
            sidechain: record.sidechain || agent.is_some(),
            finished: record.finished,
            session,
            agent,
            model: record.model.as_deref().map(|model| self.name(model, MODEL)),
            at: record.at.as_deref().and_then(time),
            usage: record.usage,
            apart,
            ..Row::default()
        }
    }

    fn session(&mut self, named: Option<&str>, origin: &Origin) -> Option<u32> {
        let session = origin.parent.as_deref().or(named);
        let session = session.or(origin.session.as_deref())?;
        Some(self.name(session, SESSION))
    }

    fn name(&mut self, text: &str, kind: usize) -> u32 {
        let recent = self.recent[kind];
        if self
            .names
            .get(recent as usize)
            .is_some_and(|name| **name == *text)
        {
            return recent;
        }
        if self.index.is_empty() {
            self.index = (0..)
                .zip(&self.names)
                .map(|(at, name)| (name.clone(), at))
                .collect();
        }
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let at = *self.index.entry(text.into()).or_insert(next);
        if at == next {
            self.names.push(text.into());
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
    fn holds(&self, row: &Row<'_>, record: &Record<'_>) -> bool {
        let place = |row: &Row<'_>| (row.copy, row.sidechain, row.session, row.agent);
        let Key::Id(known) = &self.key else {
            return false;
        };
        place(self) == place(row) && record.id.as_ref() == Some(known) && of_the_api(record)
    }

    /// Takes in what a later line says. The line with the most output counts whole, the last on
    /// ties.
    fn merge(&mut self, later: Self) {
        if later.usage.output >= self.usage.output {
            self.usage = later.usage;
            self.model = later.model;
            self.apart = later.apart;
        }
        self.at = [self.at, later.at].into_iter().flatten().min();
        self.finished |= later.finished;
        for tool in later.tools {
            if !self.tools.contains(&tool) {
                self.tools.push(tool);
            }
        }
    }
}

fn key(record: &Record<'_>) -> Key<'static> {
    let owned = |text: &Cow<'_, str>| Cow::Owned(text.clone().into_owned());
    let text = |text: &Option<_>| text.as_ref().map(owned);
    match &record.id {
        None => Key::Line(text(&record.uuid)),
        Some(id) if of_the_api(record) => Key::Id(owned(id)),
        Some(id) => Key::Gateway(owned(id), text(&record.session), text(&record.at)),
    }
}

/// Gateways make up ids of their own, without a request's.
fn of_the_api(record: &Record<'_>) -> bool {
    record.request
        || record
            .id
            .as_deref()
            .is_some_and(|id| id.starts_with("msg_"))
}
