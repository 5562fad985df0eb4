//! Event and history → verdict and new records. [`judge`] is pure; [`run`] reads the history
//! before it and writes the records after it.
//!
//! The rule: the same call that failed twice with the same error is refused the third time, for
//! each session and agent. What makes the count start again: the call's own success, a person's
//! prompt, an edited file, a quarter of an hour. A refusal neither resets nor counts.

use std::path::Path;

use anyhow::Result;

use super::event::{Call, Event, Failure, What};
use super::history::{self, Kind, Record};
use super::key::{Print, Secret};
use super::state::{Session, prune};
use super::verdict::Verdict;

/// So many failures are let pass.
const ALLOWED: usize = 2;

const EDITS: [&str; 4] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

/// Exit codes of a process that a signal ended: somebody or a time limit stopped it.
const STOPPED: [i64; 3] = [130, 137, 143];

/// How Claude Code begins the error of a call that it did not run.
const NOT_RUN: [&str; 3] = [
    "Permission to use",
    "The user doesn't want",
    "Hook PreToolUse",
];

/// Answers an event. `now` is milliseconds since 1970.
pub fn run(event: &Event, state: &Path, now: i64) -> Result<Verdict> {
    let agent = event.agent.as_deref();
    match &event.what {
        What::Before(_) | What::Succeeded(_) | What::Failed(..) => {
            let session = Session::open(state, &event.session)?;
            let records = session.records(agent)?;
            let (verdict, new) = judge(event, &records, &session.secret()?, now);
            for record in new {
                session.append(agent, &record)?;
            }
            return Ok(verdict);
        }
        What::Prompt { person: true } => {
            if let Some(session) = Session::existing(state, &event.session)? {
                session.append(None, &Record::new(now, Kind::Prompt))?;
            }
        }
        What::AgentStopped { .. } => {
            if let (Some(agent), Some(session)) = (agent, Session::existing(state, &event.session)?)
            {
                session.forget(agent)?;
            }
        }
        What::SessionEnded => {
            if let Some(session) = Session::existing(state, &event.session)? {
                session.end()?;
            }
            prune(state, now)?;
        }
        What::Prompt { person: false } | What::Stopped => {}
    }
    Ok(Verdict::Silent)
}

/// The answer to a tool event, and what is to be recorded. `records` is what bears on its agent,
/// oldest first.
#[must_use]
pub fn judge(
    event: &Event,
    records: &[Record],
    secret: &Secret,
    now: i64,
) -> (Verdict, Vec<Record>) {
    match &event.what {
        What::Before(call) => before(event, call, records, secret, now),
        What::Succeeded(call) => (
            Verdict::Silent,
            succeeded(event, call, records, secret, now),
        ),
        What::Failed(call, failure) => failed(event, call, failure, records, secret, now),
        _ => (Verdict::Silent, Vec::new()),
    }
}

fn before(
    event: &Event,
    call: &Call,
    records: &[Record],
    secret: &Secret,
    now: i64,
) -> (Verdict, Vec<Record>) {
    let key = secret.call(event.agent.as_deref(), &event.cwd, call);
    let record = |kind| Record {
        k: Some(key.clone()),
        i: call.id.as_deref().map(|id| secret.id(id)),
        ..Record::new(now, kind)
    };
    let mut new = vec![record(Kind::Planned)];
    match history::run(records, &key, now) {
        Some(run) if run.times >= ALLOWED => {
            new.push(record(Kind::Denied));
            (Verdict::deny(call, &run, now), new)
        }
        _ => (Verdict::Silent, new),
    }
}

fn succeeded(
    event: &Event,
    call: &Call,
    records: &[Record],
    secret: &Secret,
    now: i64,
) -> Vec<Record> {
    let Some((k, i)) = outcome(event, call, records, secret) else {
        return Vec::new();
    };
    let mut new = Vec::new();
    if EDITS.contains(&call.tool.as_str()) {
        new.push(Record::new(now, Kind::Changed));
    }
    new.push(Record {
        k: Some(k),
        i,
        ..Record::new(now, Kind::Succeeded)
    });
    new
}

fn failed(
    event: &Event,
    call: &Call,
    failure: &Failure,
    records: &[Record],
    secret: &Secret,
    now: i64,
) -> (Verdict, Vec<Record>) {
    let nothing = (Verdict::Silent, Vec::new());
    let (exit, error) = secret.error(&failure.error);
    let stopped = exit.is_some_and(|code| STOPPED.contains(&code));
    let not_run = NOT_RUN.iter().any(|start| failure.error.starts_with(start));
    if failure.interrupted || stopped || not_run {
        return nothing;
    }
    let Some((key, i)) = outcome(event, call, records, secret) else {
        return nothing;
    };
    let record = Record {
        k: Some(key.clone()),
        x: Some(error),
        n: exit,
        i,
        ..Record::new(now, Kind::Failed)
    };
    let all: Vec<_> = records.iter().chain([&record]).cloned().collect();
    let run = history::run(&all, &key, now);
    let verdict = match run {
        Some(run) if run.times == ALLOWED => Verdict::nudge(),
        _ => Verdict::Silent,
    };
    (verdict, vec![record])
}

/// The key and id that a call's outcome is recorded under; none when it was recorded before.
fn outcome(
    event: &Event,
    call: &Call,
    records: &[Record],
    secret: &Secret,
) -> Option<(Print, Option<Print>)> {
    let id = call.id.as_deref().map(|id| secret.id(id));
    if id.as_ref().is_some_and(|id| history::knows(records, id)) {
        return None;
    }
    let planned = id.as_ref().and_then(|id| history::planned(records, id));
    let key = planned.unwrap_or_else(|| secret.call(event.agent.as_deref(), &event.cwd, call));
    Some((key, id))
}

#[cfg(test)]
mod tests;
