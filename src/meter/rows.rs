//! The lines of one transcript → its rows. In: line after line. Out: one row for each run of lines
//! of one message, what sessions and agents the lines tell of, and what was skipped. Knows one
//! file only; [`super::messages`] brings the files together.
//!
//! Rows can be kept and go on later with the lines that a file has grown by.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::ends::{self, End};
use super::find::Origin;
use super::lines::Line;
use super::quick::{Quick, Reader};
use super::record::{Parsed, Record, Skip, Usage, parse};
use super::texts::same;

/// What one transcript says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rows {
    /// Names of sessions, agents, agent types and models, each once; rows name them by place.
    pub names: Vec<Box<str>>,
    /// In the order of the file.
    pub rows: Vec<Row>,
    /// Sessions and the last time, in microseconds since 1970, that one of their lines tells.
    pub ends: Vec<(u32, i64)>,
    /// Agents and their types, as far as lines tell.
    pub types: Vec<(u32, u32)>,
    /// The type of the agent whose file it is, from the file beside it.
    pub agent_type: Option<Box<str>>,
    /// How many lines were skipped, by reason.
    pub skipped: BTreeMap<Skip, u64>,
    #[serde(skip)]
    pub(super) index: FxHashMap<Box<str>, u32>,
    /// The names that were asked for last, one of each kind.
    #[serde(skip)]
    pub(super) recent: [u32; 3],
}

/// One message as far as some lines in a row tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Which message it is.
    pub key: Key,
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Key {
    /// An id of the API is unique over all sessions.
    Id(Box<str>),
    /// The line's own id, where the message has none.
    Line(Option<Box<str>>),
    /// A gateway may answer every call with one id. The id, and the session and the time of the
    /// line as written.
    Gateway(Box<str>, Option<Box<str>>, Option<Box<str>>),
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
            && let Some(quick) = reader.read(line.bytes)
        {
            self.take_quick(quick, origin);
        } else if let Some(end) = without_usage(line, reader) {
            self.alive(Some(end.session), time(end.at), origin);
        } else if let Some(quick) = reader.read(line.bytes) {
            self.take_quick(quick, origin);
        } else {
            self.take_slowly(line, origin);
        }
    }

    fn take_quick(&mut self, quick: Quick<'_>, origin: &Origin) {
        let at = quick.at.and_then(time);
        self.alive(quick.session, at, origin);
        if let Some(record) = quick.record {
            self.add(record, at, origin);
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
        for record in parsed.records {
            let at = record.at.as_deref().and_then(time);
            self.add(record, at, origin);
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

    /// Adds a record whose time is `at`.
    pub(super) fn add<T: AsRef<[u8]>>(
        &mut self,
        mut record: Record<T>,
        at: Option<i64>,
        origin: &Origin,
    ) {
        let tools = std::mem::take(&mut record.tools);
        let row = Row {
            at,
            tools,
            ..self.row(&record, origin)
        };
        match self.rows.last_mut() {
            Some(last) if last.holds(&row, &record) => last.merge(row),
            _ => self.rows.push(Row {
                key: key(&record),
                ..row
            }),
        }
    }

    /// The row of a record, without its key, time and tools.
    fn row<T: AsRef<[u8]>>(&mut self, record: &Record<T>, origin: &Origin) -> Row {
        let session = self.session(bytes(record.session.as_ref()), origin);
        let agent = bytes(record.agent.as_ref()).or(origin.agent.as_ref().map(String::as_bytes));
        let agent = agent.map(|agent| self.name(agent, AGENT));
        if let (Some(agent), Some(agent_type)) = (agent, bytes(record.agent_type.as_ref()))
            && !self.types.iter().any(|(known, _)| *known == agent)
        {
            let agent_type = self.name(agent_type, AGENT);
            self.types.push((agent, agent_type));
        }
        let apart = record.apart.iter().map(|(model, usage)| {
            let model = bytes(model.as_ref()).map(|model| self.name(model, MODEL));
            (model, *usage)
        });
        let apart = apart.collect();
        Row {
            copy: record.copy,
            sidechain: record.sidechain || agent.is_some(),
            finished: record.finished,
            session,
            agent,
            model: bytes(record.model.as_ref()).map(|model| self.name(model, MODEL)),
            at: None,
            usage: record.usage,
            apart,
            key: Key::Line(None),
            tools: Vec::new(),
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

impl Row {
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
    fn holds<T: AsRef<[u8]>>(&self, row: &Self, record: &Record<T>) -> bool {
        let place = |row: &Self| (row.copy, row.sidechain, row.session, row.agent);
        let Key::Id(known) = &self.key else {
            return false;
        };
        let id = bytes(record.id.as_ref());
        place(self) == place(row)
            && id.is_some_and(|id| same(id, known.as_bytes()))
            && of_the_api(record)
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

/// Session and time of a line without usage, where they can be had without walking through it.
fn without_usage<'a>(line: &Line<'a>, reader: &Reader) -> Option<End<'a>> {
    if line.usage() {
        return None;
    }
    reader.end(line.bytes).or_else(|| ends::of(line.bytes))
}

fn key<T: AsRef<[u8]>>(record: &Record<T>) -> Key {
    let text = |text: Option<&T>| bytes(text).map(shown);
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
    String::from_utf8_lossy(text).into()
}

/// Gateways make up ids of their own, without a request's.
fn of_the_api<T: AsRef<[u8]>>(record: &Record<T>) -> bool {
    record.request || bytes(record.id.as_ref()).is_some_and(|id| id.starts_with(b"msg_"))
}

/// Microseconds since 1970 of an RFC 3339 time. The usual form is read by hand, it stands in every
/// line.
fn time(text: impl AsRef<[u8]>) -> Option<i64> {
    let text = text.as_ref();
    usual_time(text).or_else(|| {
        let text = str::from_utf8(text).ok()?;
        text.parse().ok().map(Timestamp::as_microsecond)
    })
}

/// `2026-08-04T12:00:00.000Z`.
fn usual_time(text: &[u8]) -> Option<i64> {
    let text: &[u8; 24] = text.try_into().ok()?;
    let number = |from: usize, length: usize| {
        text[from..from + length]
            .iter()
            .try_fold(0_i64, |sum, byte| {
                byte.is_ascii_digit()
                    .then(|| sum * 10 + i64::from(byte - b'0'))
            })
    };
    let marks = [
        (4, b'-'),
        (7, b'-'),
        (10, b'T'),
        (13, b':'),
        (16, b':'),
        (19, b'.'),
        (23, b'Z'),
    ];
    marks
        .iter()
        .all(|(at, mark)| text[*at] == *mark)
        .then_some(())?;
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    let dated = (1..=12).contains(&month) && (1..=last_day(year, month)).contains(&day);
    (dated && hour < 24 && minute < 60 && second < 60).then_some(())?;
    // Years that begin in March have their leap day at the end.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let days = days + (153 * month + 2) / 5 + day - 719_469;
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second;
    Some(seconds * 1_000_000 + number(20, 3)? * 1000)
}

fn last_day(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_by_hand_are_those_of_the_crate() {
        for text in [
            "2026-08-04T04:08:00.123Z",
            "2024-02-28T23:59:59.999Z",
            "2024-02-29T23:59:59.999Z",
            "2000-02-29T00:00:00.000Z",
            "2026-01-31T00:00:00.000Z",
            "2026-04-30T00:00:00.000Z",
            "2026-12-31T23:59:59.999Z",
            "2024-03-01T00:00:00.000Z",
            "1970-01-01T00:00:00.000Z",
            "1969-12-28T00:00:00.001Z",
            "2000-02-28T12:00:00.000Z",
            "2100-03-01T12:00:00.000Z",
            "0001-01-01T00:00:00.000Z",
            "9999-12-28T00:00:00.000Z",
        ] {
            let want = text.parse::<Timestamp>().unwrap().as_microsecond();
            assert_eq!(usual_time(text.as_bytes()), Some(want), "{text}");
        }
        for text in [
            "2026-02-30T00:00:00.000Z",
            "2026-02-29T00:00:00.000Z",
            "2100-02-29T00:00:00.000Z",
            "2026-04-31T00:00:00.000Z",
            "2026-01-00T00:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
            "2026-01-01T24:00:00.000Z",
            "soon",
            "",
        ] {
            assert_eq!(time(text), None, "{text}");
        }
        assert!(time("2026-01-31T01:00:00+02:00").is_some());
    }
}
