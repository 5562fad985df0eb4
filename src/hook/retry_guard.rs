//! Event and history → verdict and new records. [`judge`] is pure; [`run`] reads the history
//! before it and writes the records after it.
//!
//! The rule: a call that failed so often in the same way as its class of failures allows is
//! refused; for a plain error that is the third attempt. The count starts again at the call's own
//! success, a person's prompt, a change of what it works on, and after a quarter of an hour. A
//! refusal neither resets nor counts. Some time after the last failure one attempt is let pass, to
//! see whether it still fails: not for desk commands, unless the error passes by itself.

use std::path::Path;

use anyhow::Result;

use super::command::Command;
use super::event::{Call, Event, Failure, What};
use super::failure::Said;
use super::history::{Live, Run, knows, planned};
use super::key::{Identity, Print, Secret};
use super::limits::{Limits, Scope};
use super::record::{Class, Kind, Logs, Record};
use super::state::{Session, prune};
use super::verdict::{Refusal, Verdict, Why};

const EDITS: [&str; 4] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

/// A family that failed so often is warned of.
const FAMILY_WARNED: usize = 3;

/// And so often, refused.
const FAMILY_REFUSED: usize = 5;

/// So long after the last failure a probe is let pass, in milliseconds.
const PROBE_AFTER_MS: i64 = 120_000;

/// The same when the error passes by itself.
const TRANSIENT_AFTER_MS: i64 = 20_000;

/// What [`judge`] goes by besides the event. Times are milliseconds since 1970.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// Earlier records.
    pub logs: &'a Logs,
    /// The session's secret.
    pub secret: &'a Secret,
    /// What is let pass.
    pub limits: Limits,
    /// The time.
    pub now: i64,
}

/// Answers an event. `now` is milliseconds since 1970.
pub fn run(event: &Event, state: &Path, limits: Limits, now: i64) -> Result<Verdict> {
    let agent = event.agent.as_deref();
    match &event.what {
        What::Before(call) | What::Succeeded(call) | What::Failed(call, _) => {
            let session = Session::open(state, &event.session)?;
            if session.is_asleep() || !session.is_first(event, call.id.as_deref())? {
                return Ok(Verdict::Silent);
            }
            let logs = session.logs(agent)?;
            let known = Known {
                logs: &logs,
                secret: &session.secret()?,
                limits,
                now,
            };
            let (verdict, new) = judge(event, known);
            session.append(agent, new, logs.session.end())?;
            return Ok(verdict);
        }
        What::Prompt { person: true } => {
            if let Some(session) = Session::existing(state, &event.session)? {
                session.append(None, vec![Record::new(now, Kind::Prompt)], 0)?;
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
            prune(&state.join("guard"), now)?;
        }
        What::Prompt { person: false } | What::Stopped => {}
    }
    Ok(Verdict::Silent)
}

/// The answer to a tool event, and what is to be recorded.
#[must_use]
pub fn judge(event: &Event, known: Known<'_>) -> (Verdict, Vec<Record>) {
    let (What::Before(call) | What::Succeeded(call) | What::Failed(call, _)) = &event.what else {
        return (Verdict::Silent, Vec::new());
    };
    let agent = event.agent.as_deref();
    let identity = known.secret.identity(agent, &event.cwd, call);
    match &event.what {
        What::Before(_) if known.ignores(&identity) => (Verdict::Silent, Vec::new()),
        What::Before(call) => before(event, call, &identity, known),
        What::Succeeded(call) => (Verdict::Silent, succeeded(call, identity, known)),
        What::Failed(call, failure) => failed(call, failure, identity, known),
        _ => (Verdict::Silent, Vec::new()),
    }
}

impl Known<'_> {
    fn ignores(&self, identity: &Identity) -> bool {
        match self.limits.scope {
            Scope::All => false,
            Scope::Desk => !identity.desk,
            Scope::Off => true,
        }
    }

    fn records(&self, identity: &Identity) -> Vec<Record> {
        let prints: Vec<_> = [Some(identity.key), identity.family]
            .into_iter()
            .flatten()
            .collect();
        self.logs.records(&prints)
    }

    fn record(&self, kind: Kind, identity: &Identity, id: Option<Print>) -> Record {
        Record {
            k: Some(identity.key),
            g: identity.family,
            i: id,
            desk: identity.desk,
            ..Record::new(self.now, kind)
        }
    }
}

fn before(
    event: &Event,
    call: &Call,
    identity: &Identity,
    known: Known<'_>,
) -> (Verdict, Vec<Record>) {
    let id = call.id.as_deref().map(|id| known.secret.id(id));
    let mut new = Vec::new();
    if id.is_some() {
        new.push(known.record(Kind::Planned, identity, id));
    }
    let records = known.records(identity);
    let live = Live::of(&records, identity.desk, known.now);
    // The runner must report what fails, so it gets no probe.
    let strict = identity.desk || event.is_of_runner();
    let Some(mut refusal) = refusal(&live, identity, strict, known) else {
        return (Verdict::Silent, new);
    };
    refusal.in_a_row = 1 + live.refused(identity.key, identity.family);
    new.push(known.record(Kind::Denied, identity, None));
    (Verdict::deny(call, &refusal), new)
}

/// Why the call is refused; none when it is let pass.
fn refusal<'a>(
    live: &Live<'a>,
    identity: &Identity,
    strict: bool,
    known: Known<'_>,
) -> Option<Refusal<'a>> {
    let run = live.run(identity.key);
    let family = identity.family.map_or(0, |family| live.family(family));
    let refusal = |why, run: &Run<'a>, probe| Refusal {
        why,
        exit: run.last.n,
        ago: known.now.saturating_sub(run.last.t),
        probe,
        evidence: run.last.ev.as_deref(),
        desk: identity.desk,
        in_a_row: 0,
    };
    if let Some(run) = run {
        let ago = known.now.saturating_sub(run.last.t);
        let same = run.times >= known.limits.of(run.class);
        let full = run.all >= known.limits.ceiling;
        let probe = probe(&run, strict).filter(|_| !full);
        let due = probe.is_some_and(|after| ago >= after);
        if (same || full) && !due {
            let why = if same {
                Why::Same(run.times)
            } else {
                Why::Ceiling(run.all)
            };
            let left = probe.map(|after| after.saturating_sub(ago));
            return Some(refusal(why, &run, left));
        }
    }
    if family < FAMILY_REFUSED {
        return None;
    }
    let last = live.last_of(identity.family?)?;
    let run = Run {
        times: family,
        all: family,
        class: Class::Plain,
        last,
    };
    Some(refusal(Why::Family(family), &run, None))
}

/// How long after the last failure one attempt is let pass, if ever.
fn probe(run: &Run<'_>, strict: bool) -> Option<i64> {
    match run.class {
        Class::Transient => Some(TRANSIENT_AFTER_MS),
        _ => (!strict).then_some(PROBE_AFTER_MS),
    }
}

fn succeeded(call: &Call, identity: Identity, known: Known<'_>) -> Vec<Record> {
    let Some((identity, id)) = outcome(call, identity, known) else {
        return Vec::new();
    };
    let change = Record {
        desk: identity.desk,
        ..Record::new(known.now, Kind::Changed)
    };
    let in_background = call
        .input
        .get("run_in_background")
        .is_some_and(|v| *v == true);
    let helps = match &identity.command {
        Some(command) => !command.only_reads() && !in_background,
        None => EDITS.contains(&call.tool.as_str()),
    };
    let mut new = vec![known.record(Kind::Succeeded, &identity, id)];
    if helps {
        new.insert(0, change);
    }
    new
}

fn failed(
    call: &Call,
    failure: &Failure,
    identity: Identity,
    known: Known<'_>,
) -> (Verdict, Vec<Record>) {
    let nothing = (Verdict::Silent, Vec::new());
    let Some((identity, id)) = outcome(call, identity, known) else {
        return nothing;
    };
    let said = Said::of(&failure.error, identity.desk);
    if failure.interrupted || said.is_none() {
        return nothing;
    }
    let class = class(&said, &identity);
    let record = Record {
        x: Some(known.secret.error(&said)),
        c: Some(class),
        n: said.exit,
        ev: said.evidence().filter(|_| identity.desk).map(str::to_owned),
        ..known.record(Kind::Failed, &identity, id)
    };
    let mut records = known.records(&identity);
    records.push(record.clone());
    let live = Live::of(&records, identity.desk, known.now);
    let times = live.run(identity.key).map_or(0, |run| run.times);
    let family = identity.family.map_or(0, |family| live.family(family));
    let verdict = if times == known.limits.of(class) {
        Verdict::nudge(times)
    } else if family == FAMILY_WARNED {
        Verdict::nudge_family(family)
    } else {
        return (Verdict::Silent, vec![record]);
    };
    let nudged = known.record(Kind::Nudged, &identity, None);
    (verdict, vec![record, nudged])
}

fn class(said: &Said, identity: &Identity) -> Class {
    if identity.command.as_ref().is_some_and(Command::waits) {
        Class::Poll
    } else if said.is_transient() {
        Class::Transient
    } else if said.text.is_empty() {
        Class::Silent
    } else {
        Class::Plain
    }
}

/// What a call's outcome is recorded under, and its id. Another hook may have rewritten the call
/// since it was planned: then the plan counts. None when the outcome was recorded before, or is
/// none of ours.
fn outcome(
    call: &Call,
    mut identity: Identity,
    known: Known<'_>,
) -> Option<(Identity, Option<Print>)> {
    let id = call.id.as_deref().map(|id| known.secret.id(id));
    if let Some(id) = id {
        let records = known.logs.records(&[id]);
        if knows(&records, id) {
            return None;
        }
        if let Some(plan) = planned(&records, id)
            && let Some(key) = plan.k
        {
            identity.key = key;
            identity.family = plan.g;
            identity.desk = plan.desk;
        }
    }
    (!known.ignores(&identity)).then_some((identity, id))
}

#[cfg(test)]
mod tests;
