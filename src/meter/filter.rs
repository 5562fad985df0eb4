//! Which messages a report is about. In: messages, each counted once already, and what was asked
//! for. Out: those that fit, and notes on what could not be decided. Reads no clock: `now` is
//! given.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp, civil};
use wildmatch::WildMatch;

use crate::escape::quoted;

use super::messages::{Chunks, Counted};
use super::prices::plain_name;
use super::totals::UNKNOWN_AGENT;

/// What was asked for; nothing means everything.
#[derive(Debug, Default)]
pub struct Filter {
    /// From this time on.
    pub since: Option<Timestamp>,
    /// Before this time.
    pub until: Option<Timestamp>,
    /// The beginning of a session's id.
    pub session: Option<String>,
    /// A subagent's type, or `main`.
    pub agent: Option<String>,
    /// A model, as written or in its plain spelling.
    pub model: Option<WildMatch>,
}

/// How `--agent` names the main thread.
pub const MAIN: &str = "main";

impl Filter {
    /// Whether every message fits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self {
            since,
            until,
            session,
            agent,
            model,
        } = self;
        since.or(*until).is_none() && session.is_none() && agent.is_none() && model.is_none()
    }

    /// Keeps what fits. Fails when the session's id is the beginning of several.
    pub fn apply(&self, counted: &mut Chunks<Counted>) -> Result<Vec<String>> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let session = self.whole_session(counted)?;
        let before = counted.len();
        let mut timeless: u64 = 0;
        counted.retain(|one| {
            if session
                .as_deref()
                .is_some_and(|id| one.owner.session.as_deref() != Some(id))
            {
                return false;
            }
            let fits = self.agent_fits(one) && self.model_fits(one);
            if fits && one.at.is_none() && self.since.or(self.until).is_some() {
                timeless += u64::from(one.message);
                return false;
            }
            fits && self.time_fits(one)
        });
        let mut notes = Vec::new();
        if timeless > 0 {
            notes.push(format!("messages without a time, left out: {timeless}"));
        }
        if counted.is_empty() && before > 0 {
            notes.push("no message fits the filters".to_owned());
        }
        Ok(notes)
    }

    /// The one session that is meant: the id itself, or the only one that begins so.
    fn whole_session(&self, counted: &Chunks<Counted>) -> Result<Option<String>> {
        let Some(start) = &self.session else {
            return Ok(None);
        };
        let ids = counted
            .iter()
            .filter_map(|one| one.owner.session.as_deref());
        let fits: BTreeSet<_> = ids.filter(|id| id.starts_with(start.as_str())).collect();
        if fits.len() > 1 && !fits.contains(start.as_str()) {
            let mut some: Vec<_> = fits.iter().take(3).map(|id| quoted(id)).collect();
            if fits.len() > some.len() {
                some.push("…".to_owned());
            }
            bail!(
                "could not choose a session: {} begin with {} ({}); name more of the id",
                fits.len(),
                quoted(start),
                some.join(", ")
            );
        }
        let only = fits.first().filter(|_| fits.len() == 1);
        Ok(Some((*only.unwrap_or(&start.as_str())).to_owned()))
    }

    fn agent_fits(&self, one: &Counted) -> bool {
        self.agent
            .as_deref()
            .is_none_or(|want| match &one.owner.agent {
                None => want == MAIN,
                Some(_) => want == one.owner.agent_type.as_deref().unwrap_or(UNKNOWN_AGENT),
            })
    }

    fn model_fits(&self, one: &Counted) -> bool {
        self.model.as_ref().is_none_or(|want| {
            let name = one.model.as_deref().unwrap_or_default();
            want.matches(name) || want.matches(&plain_name(name))
        })
    }

    fn time_fits(&self, one: &Counted) -> bool {
        one.at.is_none_or(|at| {
            let at = i128::from(at) * 1000;
            let (since, until) = (self.since, self.until);
            since.is_none_or(|since| at >= since.as_nanosecond())
                && until.is_none_or(|until| at < until.as_nanosecond())
        })
    }
}

/// Which end of a span of time a date means: `--since` a day begins with it, `--until` a day
/// includes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The first moment.
    Since,
    /// The moment after the last.
    Until,
}

/// A time as people write it: `2026-08-04`, `2026-08-04T12:30` (also with a blank), with an offset
/// or `Z`, or how long ago: `30m`, `12h`, `7d`, `2w`. What names no zone is meant in `zone`.
pub fn moment(text: &str, end: End, now: Timestamp, zone: &TimeZone) -> Result<Timestamp> {
    let found = ago(text, now, zone)
        .or_else(|| date(text, end, zone))
        .or_else(|| text.parse().ok())
        .or_else(|| zone.to_timestamp(text.parse().ok()?).ok());
    let Some(found) = found else {
        bail!(
            "could not read the time {}: write 2026-08-04, 2026-08-04T12:30, 7d or 12h",
            quoted(text)
        );
    };
    Ok(found)
}

/// Days and weeks ago are the same time of another day; hours and minutes ago are exact.
fn ago(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let (count, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let digits = count.bytes().all(|b| b.is_ascii_digit());
    let count: i64 = count.parse().ok().filter(|_| digits)?;
    let back = match unit {
        "m" => {
            return now
                .checked_sub(SignedDuration::from_secs(count.checked_mul(60)?))
                .ok();
        }
        "h" => {
            return now
                .checked_sub(SignedDuration::from_secs(count.checked_mul(3600)?))
                .ok();
        }
        "d" => Span::new().try_days(count),
        "w" => Span::new().try_weeks(count),
        _ => return None,
    };
    let then = zone.to_datetime(now).checked_sub(back.ok()?).ok()?;
    zone.to_timestamp(then).ok()
}

fn date(text: &str, end: End, zone: &TimeZone) -> Option<Timestamp> {
    // The parser also takes a time of day, and would drop it.
    let mut date: civil::Date = text.parse().ok().filter(|_| text.len() == 10)?;
    if end == End::Until {
        date = date.tomorrow().ok()?;
    }
    zone.to_timestamp(date.to_datetime(civil::Time::midnight()))
        .ok()
}

#[cfg(test)]
mod tests;
