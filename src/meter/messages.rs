//! Records → each message once, with its owner. In: records in any order, over all files. Out:
//! one [`Counted`] for each message, and one for each part of it that ran on another model.
//!
//! Of the lines of one message the whole line with the most output counts, the last on ties:
//! early lines hold a placeholder. Lines are not mixed, a message can change its model midway.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::find::Origin;
use super::record::{Record, Usage};

/// A name that stands in many places: of a session, an agent, a model.
pub type Name = Arc<str>;

/// One message, or a part of one that ran on another model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Its id, when it has one.
    pub id: Option<Name>,
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
    known: HashMap<Key, usize>,
    gateway: HashMap<GatewayKey, Vec<usize>>,
    copies: Vec<(Record, Origin)>,
    ends: HashMap<Name, Timestamp>,
    types: HashMap<Name, Name>,
    names: HashMap<String, Name>,
}

#[derive(Debug)]
struct Message {
    /// Session and time of the first line, as written: what tells two messages of a gateway that
    /// reuses its ids apart.
    first: (Option<String>, Option<String>),
    copy: bool,
    holders: Vec<Holder>,
    model: Option<Name>,
    at: Option<Timestamp>,
    usage: Usage,
    apart: Vec<(Option<Name>, Usage)>,
    finished: bool,
    tool_calls: Vec<String>,
}

/// Where a line of the message stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Holder {
    session: Option<Name>,
    project: Option<Name>,
    agent: Option<Name>,
    sidechain: bool,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    Id(String),
    Line(Option<String>),
}

/// Id, input, cache writes, cache reads.
type GatewayKey = (String, u64, u64, u64);

enum Place {
    Known(usize),
    New(Option<Key>, Option<GatewayKey>),
}

impl Messages {
    /// Adds a record of a file. A copy waits until all files are read.
    pub fn add(&mut self, record: Record, origin: &Origin) {
        if record.copy {
            self.copies.push((record, origin.clone()));
        } else {
            self.feed(record, origin);
        }
    }

    /// Notes that a session was alive at a time (RFC 3339; anything else is passed over).
    pub fn alive(&mut self, session: Option<&str>, at: Option<&str>, origin: &Origin) {
        let Some(at) = at.and_then(time) else { return };
        if let Some(session) = self.session(session, origin) {
            let end = self.ends.entry(session).or_insert(at);
            *end = at.max(*end);
        }
    }

    /// Notes the type of a subagent.
    pub fn agent_type(&mut self, agent: &str, agent_type: &str) {
        let (agent, agent_type) = (self.name(agent), self.name(agent_type));
        self.types.insert(agent, agent_type);
    }

    /// The messages, once all files are read.
    #[must_use]
    pub fn settle(mut self) -> Vec<Counted> {
        for (record, origin) in std::mem::take(&mut self.copies) {
            self.feed(record, &origin);
        }
        let ids = self.ids();
        let all = std::mem::take(&mut self.all);
        all.into_iter()
            .zip(ids)
            .flat_map(|(message, id)| self.counted(message, id))
            .collect()
    }

    /// The id of each message, taken out of the keys.
    fn ids(&mut self) -> Vec<Option<Name>> {
        let mut ids = vec![None; self.all.len()];
        for (key, index) in self.known.drain() {
            if let Key::Id(id) = key {
                ids[index] = Some(id.into());
            }
        }
        for ((id, ..), indices) in self.gateway.drain() {
            let id = Name::from(id);
            for index in indices {
                ids[index] = Some(id.clone());
            }
        }
        ids
    }

    fn feed(&mut self, record: Record, origin: &Origin) {
        let holder = self.holder(&record, origin);
        let model = record.model.as_deref().map(|model| self.name(model));
        let apart = record.apart.iter();
        let apart = apart
            .map(|(model, usage)| (model.as_deref().map(|model| self.name(model)), *usage))
            .collect();
        let at = record.at.as_deref().and_then(time);
        let index = match self.place(&record) {
            Place::Known(index) if record.copy && !self.all[index].copy => return,
            Place::Known(index) => index,
            Place::New(key, gateway) => self.insert(key, gateway, &record),
        };
        let message = &mut self.all[index];
        if record.usage.output >= message.usage.output {
            message.usage = record.usage;
            message.model = model;
            message.apart = apart;
        }
        if !message.holders.contains(&holder) {
            message.holders.push(holder);
        }
        message.at = [message.at, at].into_iter().flatten().min();
        message.finished |= record.finished;
        for call in record.tool_calls {
            if !message.tool_calls.contains(&call) {
                message.tool_calls.push(call);
            }
        }
    }

    /// Ids of the API are unique over all sessions. Gateways may answer every call with one id:
    /// there the input side must match too, and the session or the time.
    fn place(&self, record: &Record) -> Place {
        let key = match &record.id {
            None => Key::Line(record.uuid.clone()),
            Some(id) if record.request || id.starts_with("msg_") => Key::Id(id.clone()),
            Some(id) => {
                let usage = &record.usage;
                let key = (id.clone(), usage.input, usage.cache_write, usage.cache_read);
                let mut same = self.gateway.get(&key).into_iter().flatten();
                let same = same.find(|index| {
                    let (session, at) = &self.all[**index].first;
                    *session == record.session || *at == record.at
                });
                return same.map_or(Place::New(None, Some(key)), |index| Place::Known(*index));
            }
        };
        match self.known.get(&key) {
            Some(index) => Place::Known(*index),
            None => Place::New(Some(key), None),
        }
    }

    fn insert(&mut self, key: Option<Key>, gateway: Option<GatewayKey>, record: &Record) -> usize {
        let index = self.all.len();
        let mut first = (None, None);
        if let Some(key) = key {
            self.known.insert(key, index);
        }
        if let Some(key) = gateway {
            self.gateway.entry(key).or_default().push(index);
            first = (record.session.clone(), record.at.clone());
        }
        self.all.push(Message {
            first,
            copy: record.copy,
            holders: Vec::new(),
            model: None,
            at: None,
            usage: Usage::default(),
            apart: Vec::new(),
            finished: false,
            tool_calls: Vec::new(),
        });
        index
    }

    fn holder(&mut self, record: &Record, origin: &Origin) -> Holder {
        let session = self.session(record.session.as_deref(), origin);
        let agent = record.agent.as_deref().or(origin.agent.as_deref());
        let agent = agent.map(|agent| self.name(agent));
        if let (Some(agent), Some(agent_type)) = (&agent, &record.agent_type) {
            let (agent, agent_type) = (agent.clone(), self.name(agent_type));
            self.types.entry(agent).or_insert(agent_type);
        }
        Holder {
            session,
            project: origin.project.as_deref().map(|project| self.name(project)),
            sidechain: record.sidechain || agent.is_some(),
            agent,
        }
    }

    fn session(&mut self, named: Option<&str>, origin: &Origin) -> Option<Name> {
        let session = origin.parent.as_deref().or(named);
        let session = session.or(origin.session.as_deref())?;
        Some(self.name(session))
    }

    /// The message and its parts. Resumed and forked sessions hold copies of earlier messages:
    /// the session that ended first made them. In it the main thread goes before a subagent that
    /// got a copy of its context.
    fn counted(&self, message: Message, id: Option<Name>) -> Vec<Counted> {
        let end = |session: &Option<Name>| session.as_ref().and_then(|s| self.ends.get(s));
        let owner = message.holders.into_iter().min_by(|a, b| {
            let order = |h: &Holder| (end(&h.session).is_none(), end(&h.session).copied());
            order(a)
                .cmp(&order(b))
                .then_with(|| a.session.cmp(&b.session))
                .then_with(|| a.sidechain.cmp(&b.sidechain))
                .then_with(|| a.agent.cmp(&b.agent))
                .then_with(|| a.project.cmp(&b.project))
        });
        let (session, project, agent) =
            owner.map_or((None, None, None), |o| (o.session, o.project, o.agent));
        let agent_type = agent.as_ref().and_then(|agent| self.types.get(agent));
        let whole = Counted {
            agent_type: agent_type.cloned(),
            id,
            session,
            project,
            agent,
            model: message.model,
            at: message.at,
            message: true,
            partial: !message.finished,
            usage: message.usage,
            tool_calls: u64::try_from(message.tool_calls.len()).unwrap_or(u64::MAX),
        };
        let parts = message.apart.into_iter().map(|(model, usage)| Counted {
            model: model.or_else(|| whole.model.clone()),
            message: false,
            partial: false,
            usage,
            tool_calls: 0,
            ..whole.clone()
        });
        let parts: Vec<_> = parts.collect();
        std::iter::once(whole).chain(parts).collect()
    }

    fn name(&mut self, text: &str) -> Name {
        if let Some(name) = self.names.get(text) {
            return name.clone();
        }
        let name = Name::from(text);
        self.names.insert(text.to_owned(), name.clone());
        name
    }
}

fn time(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

#[cfg(test)]
mod tests;
