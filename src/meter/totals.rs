//! Messages → rows, grouped. In: what was counted and what it costs. Out: numbers under keys, in
//! order. Formats nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use jiff::tz::TimeZone;
use rustc_hash::FxHashMap;

use super::calendar::{Calendar, Day};
use super::cost::Cost;
use super::messages::{Counted, Name};
use super::prices::Prices;
use super::record::Usage;
use super::tariff::{Missing, Tariff};

/// What rows are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// One total, no rows.
    Total,
    /// The day in a time zone, `2026-08-04`.
    Day,
    /// Its ISO week, `2026-W32`.
    Week,
    /// Its month, `2026-08`.
    Month,
    /// The session's id.
    Session,
    /// The folder of the session's project, as Claude Code names it after its path.
    Project,
    /// The model as the transcript names it.
    Model,
    /// The type of the subagent; none for the main thread.
    Agent,
    /// The message's id.
    Message,
    /// The tool whose results the model read; not messages but calls are counted.
    Tool,
}

impl By {
    /// Each with its name.
    pub const ALL: [(&'static str, Self); 10] = [
        ("total", Self::Total),
        ("day", Self::Day),
        ("week", Self::Week),
        ("month", Self::Month),
        ("session", Self::Session),
        ("project", Self::Project),
        ("model", Self::Model),
        ("agent", Self::Agent),
        ("tool", Self::Tool),
        ("message", Self::Message),
    ];

    /// As typed.
    #[must_use]
    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(_, by)| *by == self);
        named.map_or("", |(name, _)| name)
    }

    /// Whether rows stand in the order of their keys, the oldest first; else the dearest is first.
    #[must_use]
    pub fn in_time(self) -> bool {
        matches!(self, Self::Day | Self::Week | Self::Month)
    }

    fn name_of(self, counted: &Counted) -> Option<Name> {
        match self {
            Self::Session => counted.owner.session.clone(),
            Self::Project => counted.owner.project.clone(),
            Self::Model => counted.model.clone(),
            Self::Agent => counted.owner.agent_type.clone(),
            Self::Message => counted.id.as_deref().map(Name::from),
            Self::Total | Self::Day | Self::Week | Self::Month | Self::Tool => None,
        }
    }

    /// How a day is called in rows of days, weeks or months.
    pub(super) fn text_of(self, day: Day) -> String {
        match self {
            Self::Week => day.week(),
            Self::Month => day.month(),
            _ => day.day(),
        }
    }
}

impl FromStr for By {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.iter().find(|(name, _)| *name == text);
        named
            .map(|(_, by)| *by)
            .ok_or_else(|| format!("no such grouping: {text}"))
    }
}

/// The key of subagents whose type nothing tells.
pub const UNKNOWN_AGENT: &str = "unknown";

/// Numbers of one group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Row {
    /// Messages, which are requests to a model.
    pub messages: u64,
    /// What they used.
    pub usage: Usage,
    /// What they cost.
    pub cost: Cost,
    /// Messages whose output may be a lower bound.
    pub partial: u64,
    /// Tools they called.
    pub tool_calls: u64,
}

impl Row {
    /// Adds one message, or a part of one, and its cost.
    pub fn add(&mut self, counted: &Counted, cost: Cost) {
        self.messages += u64::from(counted.message);
        self.usage += counted.usage;
        self.cost += cost;
        self.partial += u64::from(counted.partial);
        self.tool_calls += u64::from(counted.tool_calls);
    }

    /// Adds another row.
    pub(super) fn merge(&mut self, other: &Self) {
        self.messages += other.messages;
        self.usage += other.usage;
        self.cost += other.cost;
        self.partial += other.partial;
        self.tool_calls += other.tool_calls;
    }

    /// Every token that was sent or received.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        let usage = &self.usage;
        let kinds = [
            usage.input,
            usage.output,
            usage.cache_write,
            usage.cache_read,
        ];
        kinds.into_iter().fold(0, u64::saturating_add)
    }
}

/// All rows.
#[derive(Debug)]
pub struct Totals {
    /// What the rows are grouped by.
    pub by: By,
    /// Everything, also what `limit` leaves out.
    pub total: Row,
    /// By key: the oldest first where the key is a time (what has none stands last), else the
    /// dearest first.
    pub rows: Vec<(Option<String>, Row)>,
    /// How many rows `limit` left out.
    pub left_out: usize,
    /// What has no price; empty when nothing was to be priced.
    pub missing: BTreeSet<Missing>,
}

impl Totals {
    /// Keeps `count` rows: the newest where the key is a time, else the dearest.
    pub fn limit(&mut self, count: usize) {
        self.left_out = self.rows.len().saturating_sub(count);
        if self.by.in_time() {
            self.rows.drain(..self.left_out);
        } else {
            self.rows.truncate(count);
        }
    }
}

/// Adds up. Days begin at midnight in `zone`. Without prices, costs stay at nothing.
#[must_use]
pub fn group<'a>(
    counted: impl IntoIterator<Item = &'a Counted>,
    by: By,
    zone: &TimeZone,
    prices: Option<&Prices>,
) -> Totals {
    let mut total = Row::default();
    let mut groups = Groups::default();
    let mut calendar = Calendar::new(zone);
    let mut tariff = Tariff::new(prices);
    for one in counted {
        let cost = tariff.cost(one);
        total.add(one, cost);
        let key = match by {
            By::Total | By::Tool => continue,
            by if by.in_time() => one.at.and_then(|at| Some(Key::Day(calendar.day(at)?))),
            By::Agent if one.owner.agent.is_some() && one.owner.agent_type.is_none() => {
                Some(Key::UnknownAgent)
            }
            by => by.name_of(one).map(Key::Name),
        };
        groups.row(key).add(one, cost);
    }
    Totals {
        by,
        total,
        rows: groups.sorted(by),
        left_out: 0,
        missing: tariff.missing(),
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Day(Day),
    Name(Name),
    UnknownAgent,
}

/// Rows under keys. Neighbours mostly share their key, so the last row is tried first.
#[derive(Default)]
struct Groups {
    rows: Vec<(Option<Key>, Row)>,
    at: FxHashMap<Option<Key>, usize>,
    last: usize,
}

impl Groups {
    fn row(&mut self, key: Option<Key>) -> &mut Row {
        if self
            .rows
            .get(self.last)
            .is_none_or(|(last, _)| *last != key)
        {
            let next = self.rows.len();
            self.last = *self.at.entry(key.clone()).or_insert(next);
            if self.last == next {
                self.rows.push((key, Row::default()));
            }
        }
        &mut self.rows[self.last].1
    }

    /// Days fold into weeks and months here, where there are few of them.
    fn sorted(self, by: By) -> Vec<(Option<String>, Row)> {
        let mut rows: BTreeMap<(bool, Option<String>), Row> = BTreeMap::new();
        for (key, row) in self.rows {
            let key = key.map(|key| match key {
                Key::Day(day) => by.text_of(day),
                Key::Name(name) => name.as_ref().to_owned(),
                Key::UnknownAgent => UNKNOWN_AGENT.to_owned(),
            });
            rows.entry((key.is_none(), key)).or_default().merge(&row);
        }
        let mut rows: Vec<_> = rows.into_iter().map(|((_, key), row)| (key, row)).collect();
        if !by.in_time() {
            // Stable: what is alike stays in the order of keys.
            rows.sort_by_key(|(_, row)| std::cmp::Reverse((row.cost.nano, row.tokens())));
        }
        rows
    }
}

#[cfg(test)]
mod tests;
