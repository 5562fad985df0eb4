//! Event and transcripts → usage rows and verdict. When an agent or a session stops, what is new
//! of its tokens goes into `usage.jsonl` in the state folder, one row an agent.
//!
//! A row holds what its session and agent used since their earlier rows, so rows add up and
//! nothing is counted twice, in whatever order the events come. No text of anybody is in it.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;

use anyhow::Result;
use jiff::Timestamp;
use memchr::memmem;
use serde::{Deserialize, Serialize};

use crate::meter::report::thousands;
use crate::meter::{Counted, Found, Scan};

use super::event::{Event, What};
use super::private;
use super::verdict::Verdict;

/// The agent whose use is told to the person when it stops.
const RUNNER: &str = "desk-runner";

/// One row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    schema: u32,
    at: String,
    session: String,
    agent: Option<String>,
    r#type: Option<String>,
    models: BTreeMap<String, Counts>,
    tool_calls: u64,
}

/// What one model used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Counts {
    requests: u64,
    input: u64,
    output: u64,
    cache_write: u64,
    cache_read: u64,
}

/// What one agent used; the main thread has no id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Used {
    r#type: Option<String>,
    models: BTreeMap<String, Counts>,
    tool_calls: u64,
}

type ByAgent = BTreeMap<Option<String>, Used>;

/// Answers an event: appends what is new, and tells what a desk-runner used.
pub fn run(event: &Event, state: &Path, now: Timestamp) -> Result<Verdict> {
    let own = match &event.what {
        What::AgentStopped { transcript } => transcript.as_deref(),
        What::Stopped | What::SessionEnded => None,
        _ => return Ok(Verdict::Silent),
    };
    let found = transcripts(event.transcript.as_deref(), own);
    if found.transcripts.is_empty() {
        return Ok(Verdict::Silent);
    }
    let counted = Scan::of(found, |_, _| {}).messages.settle();
    let used = by_agent(&counted, &event.session);
    record(&used, event, state, now)?;
    Ok(summary(&used, event))
}

/// The session's files, and the subagent's own wherever it is. A subagent of `/compact` names a
/// transcript that is never written.
fn transcripts(session: Option<&Path>, own: Option<&Path>) -> Found {
    let mut found = Found::default();
    for file in [session, own].into_iter().flatten() {
        found.add_if_file(file);
    }
    if let Some(session) = session {
        let subagents = session.with_extension("").join("subagents");
        if subagents.is_dir() {
            found.add_folder(&subagents);
        }
    }
    found
}

fn by_agent(counted: &[Counted], session: &str) -> ByAgent {
    let mut all = ByAgent::new();
    // Copies of an earlier session's messages are in that session's rows.
    let own = |one: &&Counted| one.session.as_deref().is_none_or(|s| s == session);
    for one in counted.iter().filter(own) {
        let used = all
            .entry(one.agent.as_deref().map(str::to_owned))
            .or_default();
        used.r#type = one.agent_type.as_deref().map(str::to_owned);
        used.tool_calls += one.tool_calls;
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

/// Appends one row for each agent with something new, under a lock: a hook beside us must see
/// these rows or none.
fn record(used: &ByAgent, event: &Event, state: &Path, now: Timestamp) -> Result<()> {
    private::folder(state)?;
    let mut file = private::open(&state.join("usage.jsonl"))?;
    file.lock()?;
    let mut earlier = Vec::new();
    file.read_to_end(&mut earlier)?;
    let known = add_up(&earlier, &event.session);
    let mut rows = Vec::new();
    if earlier.last().is_some_and(|byte| *byte != b'\n') {
        rows.push(b'\n');
    }
    let start = rows.len();
    for (agent, used) in used {
        let new = used.since(known.get(agent));
        if new.is_nothing() {
            continue;
        }
        let row = Usage {
            schema: 1,
            at: now.to_string(),
            session: event.session.clone(),
            agent: agent.clone(),
            r#type: new.r#type,
            models: new.models,
            tool_calls: new.tool_calls,
        };
        serde_json::to_writer(&mut rows, &row)?;
        rows.push(b'\n');
    }
    if rows.len() > start {
        file.write_all(&rows)?;
    }
    Ok(())
}

/// The sum of a session's rows; other sessions' and broken ones are passed over.
fn add_up(rows: &[u8], session: &str) -> ByAgent {
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
        for (model, counts) in row.models {
            used.models.entry(model).or_default().add(&counts);
        }
    }
    all
}

impl Counts {
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
        }
    }

    fn is_nothing(&self) -> bool {
        self.models.is_empty() && self.tool_calls == 0
    }
}

/// All that a desk-runner used, what an earlier event had read included.
fn summary(used: &ByAgent, event: &Event) -> Verdict {
    let runner = event.agent_type.as_deref() == Some(RUNNER);
    if !runner || !matches!(event.what, What::AgentStopped { .. }) {
        return Verdict::Silent;
    }
    let Some(used) = event
        .agent
        .as_ref()
        .and_then(|a| used.get(&Some(a.clone())))
    else {
        return Verdict::Silent;
    };
    let mut sum = Counts::default();
    for counts in used.models.values() {
        sum.add(counts);
    }
    Verdict::Say(format!(
        "{RUNNER}: {} requests, {} in ({} cached), {} out",
        thousands(sum.requests),
        thousands(sum.input + sum.cache_write + sum.cache_read),
        thousands(sum.cache_read),
        thousands(sum.output),
    ))
}
