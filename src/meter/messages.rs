//! Rows → each message once, with its owner. In: the rows of files in any order, each with the
//! file's rank. Out: one [`Counted`] for each message, and one for each part of it that ran on
//! another model. The order in which files come does not matter, so that several threads can read.
//!
//! Of the lines of one message the whole line with the most output counts, the last on ties:
//! early lines hold a placeholder. Lines are not mixed, a message can change its model midway.

use std::cmp::Reverse;
use std::num::NonZeroU32;

use jiff::Timestamp;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_128;

use super::find::Origin;
use super::record::Usage;
use super::rows::{Key, Row, Rows};

mod names;

pub use names::Name;
use names::{Names, Slot};

/// One message, or a part of one that ran on another model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Its id, when it has one.
    pub id: Option<Box<str>>,
    /// The session that made it, when known.
    pub session: Option<Name>,
    /// The project of that session, when known.
    pub project: Option<Name>,
    /// The subagent that made it; none for the main thread.
    pub agent: Option<Name>,
    /// That subagent's type, when known.
    pub agent_type: Option<Name>,
    /// The model that ran.
    pub model: Option<Name>,
    /// When its first line was written, when known.
    pub at: Option<Timestamp>,
    /// False for a part: its message is counted by another.
    pub message: bool,
    /// Whether no line of it tells how it ended: its output may be a lower bound.
    pub partial: bool,
    /// What it used.
    pub usage: Usage,
    /// How many tools it called.
    pub tool_calls: u64,
}

/// All messages seen so far.
#[derive(Debug, Default)]
pub struct Messages {
    all: Vec<Message>,
    /// By the [`fingerprint`]s of their ids, so that none is kept twice.
    ids: FxHashMap<u128, u32>,
    lines: FxHashMap<Option<Box<str>>, u32>,
    /// What can only be placed when all files are read: gateways' messages and copies.
    aside: Vec<Aside>,
    gateway: FxHashMap<GatewayKey, Vec<u32>>,
    names: Names,
    ends: FxHashMap<Slot, i64>,
    types: FxHashMap<Slot, (Source, Name)>,
}

/// What tells an agent's type: a line of the file with this rank (the first one counts), or a file
/// made for it (the last one counts, and before any line).
type Source = (bool, i64);

/// Rank of the file, place in it.
type Place = (u32, u32);

/// Id, input, cache writes, cache reads.
type GatewayKey = (Box<str>, u64, u64, u64);

#[derive(Debug)]
struct Aside {
    place: Place,
    row: Row,
    project: Slot,
}

#[derive(Debug)]
struct Message {
    id: Option<Box<str>>,
    usage: Usage,
    /// Where the line stands that counts.
    best: u32,
    model: Slot,
    /// The first of all its lines.
    first: Place,
    at: Option<i64>,
    holder: Holder,
    tools: Vec<u64>,
    rest: Option<Box<Rest>>,
    copy: bool,
    finished: bool,
}

/// What few messages have.
#[derive(Debug, Default)]
struct Rest {
    apart: Vec<(Slot, Usage)>,
    holders: Vec<Holder>,
    /// Session and time of a gateway's first line, as written: what tells two of its messages
    /// apart.
    line: (Option<Box<str>>, Option<Box<str>>),
}

/// Where lines of the message stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Holder {
    session: Slot,
    project: Slot,
    agent: Slot,
    sidechain: bool,
}

impl Messages {
    /// None yet, and room for those that so many bytes of transcripts usually hold: moving them
    /// to a larger room again and again would cost more than the room, which nobody has touched.
    #[must_use]
    pub fn of_bytes(bytes: u64) -> Self {
        let usual = usize::try_from(bytes >> 14).unwrap_or(0).min(1 << 20);
        let mut messages = Self::default();
        messages.all.reserve(usual);
        messages.ids.reserve(usual);
        messages
    }

    /// Takes in what a file says. Files have different ranks; of two lines with the same output
    /// the one in the file with the greater rank counts.
    pub fn merge(&mut self, rank: u32, rows: Rows, agent: Option<&str>, project: Option<&str>) {
        let slots: Vec<Slot> = rows
            .names
            .iter()
            .map(|name| self.names.slot(name))
            .collect();
        let slot = |name: u32| slots.get(name as usize).copied().flatten();
        let project = project.and_then(|project| self.names.slot(project));
        for (session, at) in &rows.ends {
            let end = self.ends.entry(slot(*session)).or_insert(*at);
            *end = *at.max(end);
        }
        for (agent, agent_type) in &rows.types {
            if let Some(name) = self.names.get(slot(*agent_type)).cloned() {
                self.agent_type(slot(*agent), (false, -i64::from(rank)), name);
            }
        }
        if let (Some(agent), Some(agent_type)) = (agent, &rows.agent_type) {
            let agent = self.names.slot(agent);
            self.agent_type(agent, (true, i64::from(rank)), Name::from(&**agent_type));
        }
        for (at, row) in (0..).zip(rows.rows) {
            let place = (rank, at);
            if row.copy || matches!(row.key, Key::Gateway(..)) {
                let numbered = |name: Option<u32>| name.and_then(slot).map(NonZeroU32::get);
                self.aside.push(Aside {
                    place,
                    project,
                    row: row.renamed(numbered),
                });
            } else {
                self.feed(place, row, project, slot);
            }
        }
    }

    fn agent_type(&mut self, agent: Slot, source: Source, name: Name) {
        let known = self
            .types
            .entry(agent)
            .or_insert_with(|| (source, name.clone()));
        if source > known.0 {
            *known = (source, name);
        }
    }

    /// The messages, once all files are read, in the order of their first lines.
    #[must_use]
    pub fn settle(mut self) -> Vec<Counted> {
        self.place_aside();
        self.all_counted()
    }

    /// The same, and the messages of other files that these do not hold.
    #[must_use]
    pub fn settle_beside(mut self, others: Vec<(Origin, Rows)>) -> (Vec<Counted>, Vec<Counted>) {
        self.place_aside();
        let mut beside = Self::default();
        for (rank, (origin, mut rows)) in (0..).zip(others) {
            rows.rows.retain(|row| self.known(row).is_none());
            let (agent, project) = (origin.agent.as_deref(), origin.project.as_deref());
            beside.merge(rank, rows, agent, project);
        }
        (self.all_counted(), beside.settle())
    }

    fn place_aside(&mut self) {
        let mut aside = std::mem::take(&mut self.aside);
        aside.sort_by_key(|aside| (aside.row.copy, aside.place));
        for Aside {
            place,
            row,
            project,
        } in aside
        {
            self.feed(place, row, project, NonZeroU32::new);
        }
    }

    fn all_counted(mut self) -> Vec<Counted> {
        self.ids = FxHashMap::default();
        self.lines = FxHashMap::default();
        self.gateway = FxHashMap::default();
        let mut all = std::mem::take(&mut self.all);
        let parts = |message: &Message| 1 + message.rest.as_ref().map_or(0, |r| r.apart.len());
        let mut counted = Vec::with_capacity(all.iter().map(parts).sum());
        last_first(&mut all);
        while let Some(message) = all.pop() {
            self.counted(message, &mut counted);
            // There may be millions: their room is given back as it becomes free. To do so it is
            // copied, which is not worth it for less.
            if all.capacity() > 1 << 16 && all.len() <= all.capacity() / 2 {
                all.shrink_to_fit();
            }
        }
        counted
    }

    fn feed(&mut self, place: Place, mut row: Row, project: Slot, slot: impl Fn(u32) -> Slot) {
        let slot = |name: Option<u32>| name.and_then(&slot);
        let holder = Holder {
            session: slot(row.session),
            project,
            agent: slot(row.agent),
            sidechain: row.sidechain,
        };
        let known = self.known(&row);
        if known.is_some_and(|known| row.copy && !self.all[known as usize].copy) {
            return;
        }
        let new = known.is_none();
        let index = known.unwrap_or_else(|| self.insert(place, &mut row, holder));
        let message = &mut self.all[index as usize];
        let (output, best) = (row.usage.output, message.usage.output);
        if new || output > best || output == best && place.0 >= message.best {
            message.usage = row.usage;
            message.model = slot(row.model);
            message.best = place.0;
            let apart = row
                .apart
                .iter()
                .map(|(model, usage)| (slot(*model), *usage));
            if !row.apart.is_empty() || message.rest.is_some() {
                message.rest.get_or_insert_default().apart = apart.collect();
            }
        }
        message.first = message.first.min(place);
        message.at = [message.at, row.at].into_iter().flatten().min();
        message.finished |= row.finished;
        if message.holder != holder {
            let holders = &mut message.rest.get_or_insert_default().holders;
            if !holders.contains(&holder) {
                holders.push(holder);
            }
        }
        if message.tools.is_empty() {
            message.tools = row.tools;
            return;
        }
        for tool in row.tools {
            if !message.tools.contains(&tool) {
                message.tools.push(tool);
            }
        }
    }

    fn known(&self, row: &Row) -> Option<u32> {
        match &row.key {
            Key::Id(id) => self.ids.get(&fingerprint(id)).copied(),
            Key::Line(line) => self.lines.get(line).copied(),
            Key::Gateway(id, session, at) => {
                let same = self.gateway.get(&gateway(id, &row.usage))?;
                same.iter().copied().find(|index| {
                    let rest = self.all[*index as usize].rest.as_ref();
                    rest.is_some_and(|rest| rest.line.0 == *session || rest.line.1 == *at)
                })
            }
        }
    }

    fn insert(&mut self, place: Place, row: &mut Row, holder: Holder) -> u32 {
        let index = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let (mut id, mut rest) = (None, None);
        match std::mem::replace(&mut row.key, Key::Line(None)) {
            Key::Id(key) => {
                self.ids.insert(fingerprint(&key), index);
                id = Some(key);
            }
            Key::Line(key) => {
                self.lines.insert(key, index);
            }
            Key::Gateway(key, session, at) => {
                let known = gateway(&key, &row.usage);
                id = Some(key);
                self.gateway.entry(known).or_default().push(index);
                rest = Some(Box::new(Rest {
                    line: (session, at),
                    ..Rest::default()
                }));
            }
        }
        self.all.push(Message {
            id,
            usage: row.usage,
            best: place.0,
            model: None,
            first: place,
            at: None,
            holder,
            tools: Vec::new(),
            rest,
            copy: row.copy,
            finished: false,
        });
        index
    }

    /// The message and its parts. Resumed and forked sessions hold copies of earlier messages:
    /// the session that ended first made them. In it the main thread goes before a subagent that
    /// got a copy of its context.
    fn counted(&self, message: Message, into: &mut Vec<Counted>) {
        let rest = message.rest.map(|rest| *rest).unwrap_or_default();
        let end = |holder: &Holder| holder.session.and_then(|s| self.ends.get(&Some(s)));
        let name = |slot| self.names.get(slot);
        let holders = rest.holders.into_iter().chain([message.holder]);
        let owner = holders.min_by(|a, b| {
            let order = |h: &Holder| (end(h).is_none(), end(h).copied());
            let names = |h: &Holder| (name(h.session), h.sidechain, name(h.agent), name(h.project));
            order(a)
                .cmp(&order(b))
                .then_with(|| names(a).cmp(&names(b)))
        });
        let owner = owner.unwrap_or(message.holder);
        let agent_type = owner.agent.and_then(|agent| self.types.get(&Some(agent)));
        let whole = Counted {
            id: message.id,
            session: name(owner.session).cloned(),
            project: name(owner.project).cloned(),
            agent: name(owner.agent).cloned(),
            agent_type: agent_type.map(|(_, name)| name.clone()),
            model: name(message.model).cloned(),
            at: message
                .at
                .and_then(|at| Timestamp::from_microsecond(at).ok()),
            message: true,
            partial: !message.finished,
            usage: message.usage,
            tool_calls: message.tools.len() as u64,
        };
        let parts = rest.apart.into_iter().map(|(model, usage)| Counted {
            model: name(model).or(whole.model.as_ref()).cloned(),
            message: false,
            partial: false,
            usage,
            tool_calls: 0,
            ..whole.clone()
        });
        let parts: Vec<_> = parts.collect();
        into.push(whole);
        into.extend(parts);
    }
}

/// Puts the message with the last place first. They are far larger than their places: those are
/// sorted, and each message is moved once.
fn last_first(all: &mut [Message]) {
    let mut from: Vec<_> = (0..all.len()).collect();
    from.sort_unstable_by_key(|at| Reverse(all[*at].first));
    for to in 0..all.len() {
        let mut at = from[to];
        // What stood there has been swapped on to where its own message came from.
        while at < to {
            at = from[at];
        }
        all.swap(to, at);
    }
}

/// Stands for the id of a message where many are held.
#[must_use]
pub fn fingerprint(id: &str) -> u128 {
    xxh3_128(id.as_bytes())
}

fn gateway(id: &str, usage: &Usage) -> GatewayKey {
    (id.into(), usage.input, usage.cache_write, usage.cache_read)
}

#[cfg(test)]
mod tests;
