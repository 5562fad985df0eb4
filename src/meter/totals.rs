//! Messages → rows, grouped. In: what was counted. Out: numbers under keys, sorted. Formats
//! nothing.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::str::FromStr;

use jiff::tz::TimeZone;

use super::messages::Counted;
use super::record::Usage;

/// What rows are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// One total, no rows.
    Total,
    /// The day in a time zone, `2026-08-04`.
    Day,
    /// The session's id.
    Session,
    /// The model as the transcript names it.
    Model,
    /// The type of the subagent; none for the main thread.
    Agent,
}

impl By {
    /// Each with its name.
    pub const ALL: [(&'static str, Self); 5] = [
        ("total", Self::Total),
        ("day", Self::Day),
        ("session", Self::Session),
        ("model", Self::Model),
        ("agent", Self::Agent),
    ];

    /// As typed.
    #[must_use]
    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(_, by)| *by == self);
        named.map_or("", |(name, _)| name)
    }

    fn key(self, counted: &Counted, zone: &TimeZone) -> Option<String> {
        let text = |name: &Option<_>| name.as_deref().map(str::to_owned);
        match self {
            Self::Total => None,
            Self::Day => counted.at.map(|at| zone.to_datetime(at).date().to_string()),
            Self::Session => text(&counted.session),
            Self::Model => text(&counted.model),
            Self::Agent => counted
                .agent
                .as_ref()
                .map(|_| text(&counted.agent_type).unwrap_or_else(|| UNKNOWN_AGENT.to_owned())),
        }
    }
}

/// The key of subagents whose type nothing tells.
pub const UNKNOWN_AGENT: &str = "unknown";

impl FromStr for By {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.iter().find(|(name, _)| *name == text);
        named
            .map(|(_, by)| *by)
            .ok_or_else(|| format!("no such grouping: {text}"))
    }
}

/// Numbers of one group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Row {
    /// Messages, which are requests to a model.
    pub messages: u64,
    /// What they used.
    pub usage: Usage,
    /// Messages whose output may be a lower bound.
    pub partial: u64,
    /// Tools they called.
    pub tool_calls: u64,
}

impl AddAssign<&Counted> for Row {
    fn add_assign(&mut self, counted: &Counted) {
        self.messages += u64::from(counted.message);
        self.usage += counted.usage;
        self.partial += u64::from(counted.partial);
        self.tool_calls += counted.tool_calls;
    }
}

/// All rows.
#[derive(Debug)]
pub struct Totals {
    /// What the rows are grouped by.
    pub by: By,
    /// Everything.
    pub total: Row,
    /// By key, ascending; what has no key stands last.
    pub rows: Vec<(Option<String>, Row)>,
}

/// Adds up. Days begin at midnight in `zone`.
#[must_use]
pub fn group(counted: &[Counted], by: By, zone: &TimeZone) -> Totals {
    let mut total = Row::default();
    let mut rows: BTreeMap<(bool, Option<String>), Row> = BTreeMap::new();
    for one in counted {
        total += one;
        if by != By::Total {
            let key = by.key(one, zone);
            *rows.entry((key.is_none(), key)).or_default() += one;
        }
    }
    let rows = rows.into_iter().map(|((_, key), row)| (key, row)).collect();
    Totals { by, total, rows }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(at: Option<&str>, agent: Option<&str>, agent_type: Option<&str>) -> Counted {
        Counted {
            id: None,
            session: None,
            project: None,
            agent: agent.map(Into::into),
            agent_type: agent_type.map(Into::into),
            model: None,
            at: at.map(|at| at.parse().unwrap()),
            message: true,
            partial: false,
            usage: Usage::default(),
            tool_calls: 0,
        }
    }

    #[test]
    fn keys_are_sorted_and_the_missing_one_stands_last() {
        let west = TimeZone::get("America/Los_Angeles").unwrap();
        let all = [
            counted(None, None, None),
            counted(Some("2026-08-05T08:00:00Z"), Some("a1"), None),
            counted(
                Some("2026-08-05T04:08:00Z"),
                Some("a2"),
                Some("desk-runner"),
            ),
        ];
        for (by, want) in [
            (By::Day, vec![Some("2026-08-04"), Some("2026-08-05"), None]),
            (By::Agent, vec![Some("desk-runner"), Some("unknown"), None]),
            (By::Model, vec![None]),
            (By::Total, vec![]),
        ] {
            let totals = group(&all, by, &west);
            let keys: Vec<_> = totals.rows.iter().map(|(key, _)| key.as_deref()).collect();
            assert_eq!(keys, want, "{by:?}");
            assert_eq!(totals.total.messages, 3);
        }
    }

    #[test]
    fn names_parse_back() {
        for (name, by) in By::ALL {
            assert_eq!(name.parse(), Ok(by));
            assert_eq!(by.name(), name);
        }
    }
}
