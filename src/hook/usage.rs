//! Messages → what each agent used, and that ↔ rows of `usage.jsonl`. Pure. A row holds what is new
//! since the rows before it, so rows add up. No text of anybody is in it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use memchr::memmem;
use serde::{Deserialize, Serialize};

use crate::meter::messages::fingerprint;
use crate::meter::{Cost, Counted, Prices};

use super::copies::Copies;

/// One row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    schema: u32,
    at: String,
    session: String,
    agent: Option<String>,
    r#type: Option<String>,
    models: BTreeMap<String, Counts>,
    tool_calls: u64,
    /// Of what has a price; null when nothing has.
    #[serde(default)]
    cost_usd: Option<f64>,
}

/// What one model used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Messages.
    pub requests: u64,
    /// Tokens of each kind.
    pub input: u64,
    /// See `input`.
    pub output: u64,
    /// See `input`.
    pub cache_write: u64,
    /// See `input`.
    pub cache_read: u64,
}

/// What one agent used; the main thread has no id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Used {
    r#type: Option<String>,
    models: BTreeMap<String, Counts>,
    tool_calls: u64,
    /// What it cost.
    pub cost: Cost,
}

/// By agent; the main thread has no id.
pub type ByAgent = BTreeMap<Option<String>, Used>;

/// What each agent used of a session's messages. What another session counts, by what it holds or
/// by `copies`, is in that session's rows.
#[must_use]
pub fn by_agent<'a>(
    counted: impl IntoIterator<Item = &'a Counted>,
    session: &str,
    copies: &Copies,
    prices: &Prices,
) -> ByAgent {
    let mut all = ByAgent::new();
    let again = |one: &Counted| {
        one.id
            .as_deref()
            .map(fingerprint)
            .is_some_and(|id| copies.contains(&id))
    };
    let other = |one: &Counted| one.owner.session.as_deref().is_some_and(|s| s != session);
    let own = |one: &&Counted| !other(one) && !again(one);
    for one in counted.into_iter().filter(own) {
        let used = all
            .entry(one.owner.agent.as_deref().map(str::to_owned))
            .or_default();
        used.r#type = one.owner.agent_type.as_deref().map(str::to_owned);
        used.tool_calls += u64::from(one.tool_calls);
        used.cost += prices.cost(one.model.as_deref(), &one.usage);
        let model = one.model.as_deref().unwrap_or("unknown");
        let counts = used.models.entry(model.to_owned()).or_default();
        counts.requests += u64::from(one.message);
        counts.input += one.usage.input;
        counts.output += one.usage.output;
        counts.cache_write += one.usage.cache_write;
        counts.cache_read += one.usage.cache_read;
    }
    all
}

/// One row for each agent with something new since `known`.
#[must_use]
pub fn rows(used: &ByAgent, known: &ByAgent, session: &str, now: Timestamp) -> Vec<Usage> {
    let new = used
        .iter()
        .map(|(agent, used)| (agent, used.since(known.get(agent))));
    let new = new.filter(|(_, used)| !used.is_nothing());
    new.map(|(agent, used)| Usage {
        schema: 1,
        at: now.to_string(),
        session: session.to_owned(),
        agent: agent.clone(),
        cost_usd: used.cost.usd().filter(|_| used.cost.priced > 0),
        r#type: used.r#type,
        models: used.models,
        tool_calls: used.tool_calls,
    })
    .collect()
}

/// The sum of a session's rows; other sessions' and broken ones are passed over.
#[must_use]
pub fn add_up(rows: &[u8], session: &str) -> ByAgent {
    let mut all = ByAgent::new();
    let name = serde_json::to_string(session).unwrap_or_default();
    for line in rows.split(|byte| *byte == b'\n') {
        if memmem::find(line, name.as_bytes()).is_none() {
            continue;
        }
        let Ok(row) = serde_json::from_slice::<Usage>(line) else {
            continue;
        };
        if row.session != session {
            continue;
        }
        let used = all.entry(row.agent).or_default();
        used.tool_calls += row.tool_calls;
        let nano = row.cost_usd.and_then(nano).unwrap_or_default();
        used.cost.nano = used.cost.nano.saturating_add(nano);
        for (model, counts) in row.models {
            used.models.entry(model).or_default().add(&counts);
        }
    }
    all
}

/// Dollars as nano-dollars, of which a row's number holds every one.
fn nano(dollars: f64) -> Option<u64> {
    format!("{:.0}", dollars * 1e9).parse().ok()
}

impl Counts {
    /// Tokens of every kind.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        let sum = self.input.saturating_add(self.output);
        sum.saturating_add(self.cache_write)
            .saturating_add(self.cache_read)
    }

    fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.input += other.input;
        self.output += other.output;
        self.cache_write += other.cache_write;
        self.cache_read += other.cache_read;
    }

    /// Never below zero: a transcript may have been cut since.
    fn since(&self, earlier: &Self) -> Self {
        Self {
            requests: self.requests.saturating_sub(earlier.requests),
            input: self.input.saturating_sub(earlier.input),
            output: self.output.saturating_sub(earlier.output),
            cache_write: self.cache_write.saturating_sub(earlier.cache_write),
            cache_read: self.cache_read.saturating_sub(earlier.cache_read),
        }
    }
}

impl Used {
    fn since(&self, earlier: Option<&Self>) -> Self {
        let nothing = Self::default();
        let earlier = earlier.unwrap_or(&nothing);
        let models = self.models.iter().map(|(model, counts)| {
            let earlier = earlier.models.get(model).copied().unwrap_or_default();
            (model.clone(), counts.since(&earlier))
        });
        Self {
            r#type: self.r#type.clone(),
            models: models.filter(|(_, c)| *c != Counts::default()).collect(),
            tool_calls: self.tool_calls.saturating_sub(earlier.tool_calls),
            cost: Cost {
                nano: self.cost.nano.saturating_sub(earlier.cost.nano),
                ..self.cost
            },
        }
    }

    /// Over all models.
    #[must_use]
    pub fn sum(&self) -> Counts {
        let mut sum = Counts::default();
        for counts in self.models.values() {
            sum.add(counts);
        }
        sum
    }

    fn is_nothing(&self) -> bool {
        self.models.is_empty() && self.tool_calls == 0
    }
}
