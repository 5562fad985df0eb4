//! Rows → each message once, with its owner. In: the rows of files in any order, each with the
//! file's rank. Out: one [`Counted`] for each message, and one for each part of it that ran on
//! another model, in no order. The order in which files come does not matter, so that several
//! threads can read.
//!
//! Of the lines of one message the whole line with the most output counts, the last on ties:
//! early lines hold a placeholder. Lines are not mixed, a message can change its model midway.

use std::borrow::Cow;
use std::mem::take;
use std::num::{NonZeroU32, NonZeroU64};
use std::rc::Rc;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_128;

use super::find::Origin;
use super::kept::About;
use super::record::Usage;
use super::rows::{Key, Row, Rows};

mod chunks;
mod ids;
mod merging;
mod names;
mod settle;

pub use chunks::Chunks;
use ids::{Ids, short};
pub use merging::Merging;
pub use names::Name;
use names::{Names, Slot};

/// Who made messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Owner {
    /// The session that made it, when known.
    pub session: Option<Name>,
    /// The project of that session, when known.
    pub project: Option<Name>,
    /// The subagent that made it; none for the main thread.
    pub agent: Option<Name>,
    /// That subagent's type, when known.
    pub agent_type: Option<Name>,
}

/// One message, or a part of one that ran on another model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Its id, when it has one.
    pub id: Option<Box<str>>,
    /// Who made it.
    pub owner: Rc<Owner>,
    /// The model that ran.
    pub model: Option<Name>,
    /// When its first line was written, in microseconds since 1970, when known.
    pub at: Option<i64>,
    /// False for a part: its message is counted by another.
    pub message: bool,
    /// Whether no line of it tells how it ended: its output may be a lower bound.
    pub partial: bool,
    /// What it used.
    pub usage: Usage,
    /// How many tools it called.
    pub tool_calls: u32,
}

/// All messages seen so far.
#[derive(Debug, Default)]
pub struct Messages {
    all: Chunks<Message>,
    ids: Ids,
    lines: FxHashMap<Option<Box<str>>, u32>,
    /// What can only be placed when all files are read: gateways' messages and copies.
    aside: Vec<Aside>,
    gateway: FxHashMap<GatewayKey, Vec<u32>>,
    names: Names,
    ends: FxHashMap<Slot, i64>,
    types: FxHashMap<Slot, (Source, Slot)>,
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
    row: Row<'static>,
    project: Slot,
}

/// Of the size of [`Counted`], which takes its room; and no larger than 128 bytes: what is larger is
/// moved by a call.
#[derive(Debug)]
struct Message {
    id: Option<Box<str>>,
    usage: Usage,
    /// [`NEVER`] when it is not known.
    at: i64,
    /// The first of its tool calls.
    tool: Option<NonZeroU64>,
    rest: Option<Box<Rest>>,
    /// Where the line stands that counts.
    best: u32,
    model: Slot,
    /// Its first holder.
    session: Slot,
    project: Slot,
    agent: Slot,
    sidechain: bool,
    copy: bool,
    finished: bool,
}

/// After every time.
const NEVER: i64 = i64::MAX;

/// What few messages have.
#[derive(Debug, Default)]
struct Rest {
    apart: Vec<(Slot, Usage)>,
    /// All holders but the first.
    holders: Vec<Holder>,
    /// All tool calls but the first.
    tools: Vec<NonZeroU64>,
    /// Session and time of a gateway's first line, as written: what tells two of its messages
    /// apart.
    line: (Option<Box<str>>, Option<Box<str>>),
}

/// Where lines of the message stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Holder {
    session: Slot,
    project: Slot,
    agent: Slot,
    sidechain: bool,
}

impl Messages {
    /// Takes in what a file says. Files have different ranks; of two lines with the same output
    /// the one in the file with the greater rank counts.
    /// Of the rows, what is kept is taken out.
    pub fn merge(
        &mut self,
        rank: u32,
        rows: &mut Rows,
        agent: Option<&str>,
        project: Option<&str>,
    ) {
        let mut file = self.file(rank, &About::of(rows), agent, project);
        for row in &mut rows.rows {
            file.row(row);
        }
    }

    /// Begins to take in what a file says: its rows follow one by one.
    pub fn file(
        &mut self,
        rank: u32,
        about: &About<'_>,
        agent: Option<&str>,
        project: Option<&str>,
    ) -> Merging<'_> {
        let slots: Vec<Slot> = about
            .names
            .iter()
            .map(|name| self.names.slot(name))
            .collect();
        let slot = |name: u32| slots.get(name as usize).copied().flatten();
        let project = project.and_then(|project| self.names.slot(project));
        for (session, at) in about.ends.iter() {
            let end = self.ends.entry(slot(*session)).or_insert(*at);
            *end = *at.max(end);
        }
        for (agent, agent_type) in about.types.iter() {
            self.agent_type(slot(*agent), (false, -i64::from(rank)), slot(*agent_type));
        }
        if let (Some(agent), Some(agent_type)) = (agent, about.agent_type) {
            let (agent, agent_type) = (self.names.slot(agent), self.names.slot(agent_type));
            self.agent_type(agent, (true, i64::from(rank)), agent_type);
        }
        Merging::new(self, rank, slots, project)
    }

    fn agent_type(&mut self, agent: Slot, source: Source, agent_type: Slot) {
        let known = self.types.entry(agent).or_insert((source, agent_type));
        if source > known.0 {
            *known = (source, agent_type);
        }
    }

    /// The messages, once all files are read.
    #[must_use]
    pub fn settle(mut self) -> Chunks<Counted> {
        self.place_aside();
        self.all_counted()
    }

    /// The same, and the messages of other files that these do not hold.
    #[must_use]
    pub fn settle_beside(
        mut self,
        others: Vec<(Origin, Rows)>,
    ) -> (Chunks<Counted>, Chunks<Counted>) {
        self.place_aside();
        let mut beside = Self::default();
        for (rank, (origin, mut rows)) in (0..).zip(others) {
            rows.rows.retain(|row| self.known(row, hash(row)).is_none());
            let (agent, project) = (origin.agent.as_deref(), origin.project.as_deref());
            beside.merge(rank, &mut rows, agent, project);
        }
        (self.all_counted(), beside.settle())
    }

    fn place_aside(&mut self) {
        let mut aside = take(&mut self.aside);
        aside.sort_by_key(|aside| (aside.row.copy, aside.place));
        for Aside {
            place,
            mut row,
            project,
        } in aside
        {
            self.feed(place.0, &mut row, project, NonZeroU32::new);
        }
    }

    fn feed(&mut self, rank: u32, row: &mut Row<'_>, project: Slot, slot: impl Fn(u32) -> Slot) {
        let slot = |name: Option<u32>| name.and_then(&slot);
        let holder = Holder {
            session: slot(row.session),
            project,
            agent: slot(row.agent),
            sidechain: row.sidechain,
        };
        let hash = hash(row);
        let known = self.known(row, hash);
        if known.is_some_and(|known| row.copy && !self.all[known as usize].copy) {
            return;
        }
        let new = known.is_none();
        let index = known.unwrap_or_else(|| self.insert(rank, row, hash, holder));
        let message = &mut self.all[index as usize];
        let (output, best) = (row.usage.output, message.usage.output);
        if new || output > best || output == best && rank >= message.best {
            message.usage = row.usage;
            message.model = slot(row.model);
            message.best = rank;
            let apart = row
                .apart
                .iter()
                .map(|(model, usage)| (slot(*model), *usage));
            if !row.apart.is_empty() || message.rest.is_some() {
                message.rest.get_or_insert_default().apart = apart.collect();
            }
        }
        message.at = message.at.min(row.at.unwrap_or(NEVER));
        message.finished |= row.finished;
        if message.holder() != holder {
            let holders = &mut message.rest.get_or_insert_default().holders;
            if !holders.contains(&holder) {
                holders.push(holder);
            }
        }
        for tool in &row.tools {
            message.called(*tool);
        }
    }

    fn known(&self, row: &Row<'_>, hash: u32) -> Option<u32> {
        match &row.key {
            Key::Id(id) => {
                let is = |at| self.all[at as usize].id.as_deref() == Some(&**id);
                self.ids.get(hash, is)
            }
            Key::Line(line) => self.lines.get(&line.as_deref().map(Box::from)).copied(),
            Key::Gateway(id, session, at) => {
                let same = self.gateway.get(&gateway(id, &row.usage))?;
                same.iter().copied().find(|index| {
                    let rest = self.all[*index as usize].rest.as_ref();
                    rest.is_some_and(|rest| {
                        rest.line.0.as_deref() == session.as_deref()
                            || rest.line.1.as_deref() == at.as_deref()
                    })
                })
            }
        }
    }

    fn insert(&mut self, rank: u32, row: &mut Row<'_>, hash: u32, holder: Holder) -> u32 {
        let index = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let boxed = |text: Cow<'_, str>| text.into_owned().into_boxed_str();
        let (mut id, mut rest) = (None, None);
        match take(&mut row.key) {
            Key::Id(key) => {
                self.ids.insert(hash, index);
                id = Some(boxed(key));
            }
            Key::Line(key) => {
                self.lines.insert(key.map(boxed), index);
            }
            Key::Gateway(key, session, at) => {
                let known = gateway(&key, &row.usage);
                id = Some(boxed(key));
                self.gateway.entry(known).or_default().push(index);
                rest = Some(Box::new(Rest {
                    line: (session.map(boxed), at.map(boxed)),
                    ..Rest::default()
                }));
            }
        }
        self.all.push(Message {
            id,
            usage: row.usage,
            at: NEVER,
            tool: None,
            rest,
            best: rank,
            model: None,
            session: holder.session,
            project: holder.project,
            agent: holder.agent,
            sidechain: holder.sidechain,
            copy: row.copy,
            finished: false,
        });
        index
    }
}

impl Message {
    fn holder(&self) -> Holder {
        Holder {
            session: self.session,
            project: self.project,
            agent: self.agent,
            sidechain: self.sidechain,
        }
    }

    fn called(&mut self, tool: u64) {
        let tool = NonZeroU64::new(tool).unwrap_or(NonZeroU64::MIN);
        let Some(first) = self.tool else {
            self.tool = Some(tool);
            return;
        };
        if first != tool {
            let tools = &mut self.rest.get_or_insert_default().tools;
            if !tools.contains(&tool) {
                tools.push(tool);
            }
        }
    }
}

/// Of its id, if it has one of the API.
fn hash(row: &Row<'_>) -> u32 {
    match &row.key {
        Key::Id(id) => short(id),
        _ => 0,
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
