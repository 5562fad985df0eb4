//! Event and transcripts → usage rows and verdict. When an agent or a session stops, what is new
//! of its tokens goes into `usage.jsonl` in the state folder, one row an agent.
//!
//! Nothing is counted twice, in whatever order the events come and however often a hook is
//! registered; and what is said to the person is said once.

use std::io::{Read, Write};
use std::path::Path;

use anyhow::Result;
use jiff::Timestamp;

use crate::meter::report::number::{money, thousands};
use crate::meter::{Found, Prices, Scan};

use super::copies::copies;
use super::event::{Event, RUNNER, What};
use super::key::folder_name;
use super::private;
use super::state::{is_first, prune};
use super::usage::{ByAgent, Used, add_up, by_agent, rows};
use super::verdict::Verdict;

/// What the meter goes by besides the event.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// What tokens cost.
    pub prices: &'a Prices,
    /// So many tokens a session may use before the person is warned.
    pub budget: Option<u64>,
}

/// Answers an event: appends what is new, tells what a desk-runner used, and once in a session that
/// it used more than its budget.
pub fn run(event: &Event, state: &Path, terms: Terms<'_>, now: Timestamp) -> Result<Verdict> {
    let own = match &event.what {
        What::AgentStopped { transcript } => transcript.as_deref(),
        What::Stopped | What::SessionEnded => None,
        _ => return Ok(Verdict::Silent),
    };
    let found = transcripts(event.transcript.as_deref(), own);
    if found.transcripts.is_empty() {
        return Ok(Verdict::Silent);
    }
    let folder = state.join("meter").join(folder_name(&event.session));
    private::folder(state)?;
    private::folder(&state.join("meter"))?;
    private::folder(&folder)?;
    // What an earlier event has read is not read again.
    let (counted, _) = Scan::with_ledger(found, &folder, |_, _| {}).settle();
    let copies = copies(&state.join("meter"), &folder, &counted)?;
    let used = by_agent(&counted, &event.session, &copies, terms.prices);
    record(&used, event, state, now)?;
    let mut said = Vec::new();
    if let Some(line) = summary(&used, event)
        && first(&folder, &told(event))?
    {
        said.push(line);
    }
    if let Some(line) = warning(&used, terms.budget)
        && first(&folder, "budget")?
    {
        said.push(line);
    }
    if event.what == What::SessionEnded {
        prune(&state.join("meter"), now.as_millisecond())?;
    }
    Ok(match said[..] {
        [] => Verdict::Silent,
        _ => Verdict::Say(said.join("\n")),
    })
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

/// Appends what is new, under a lock: a hook beside us must see these rows or none.
fn record(used: &ByAgent, event: &Event, state: &Path, now: Timestamp) -> Result<()> {
    let mut file = private::open(&state.join("usage.jsonl"))?;
    file.lock()?;
    let mut earlier = Vec::new();
    file.read_to_end(&mut earlier)?;
    let known = add_up(&earlier, &event.session);
    let rows = rows(used, &known, &event.session, now);
    let mut lines = Vec::new();
    if earlier.last().is_some_and(|byte| *byte != b'\n') {
        lines.push(b'\n');
    }
    for row in &rows {
        serde_json::to_writer(&mut lines, row)?;
        lines.push(b'\n');
    }
    if !rows.is_empty() {
        file.write_all(&lines)?;
    }
    Ok(())
}

/// All that a desk-runner used, what an earlier event had read included.
fn summary(used: &ByAgent, event: &Event) -> Option<String> {
    let stopped = matches!(event.what, What::AgentStopped { .. });
    let told = stopped && event.is_of_runner();
    let used = used.get(&event.agent).filter(|_| told)?;
    let sum = used.sum();
    Some(format!(
        "{RUNNER}: {} requests, {} in ({} cached), {} out, {}",
        thousands(sum.requests),
        thousands(sum.tokens() - sum.output),
        thousands(sum.cache_read),
        thousands(sum.output),
        money(&used.cost, 4),
    ))
}

/// That the whole session used more than its budget.
fn warning(used: &ByAgent, budget: Option<u64>) -> Option<String> {
    let all = used.values().map(|used: &Used| used.sum().tokens());
    let all = all.fold(0, u64::saturating_add);
    let budget = budget.filter(|budget| all > *budget)?;
    Some(format!(
        "token budget: this session used {} tokens, more than the {} of LEAN_COMPUTER_USE_TOKEN_BUDGET",
        thousands(all),
        thousands(budget),
    ))
}

/// Whether nothing was said under this name in a session before.
fn first(folder: &Path, name: &str) -> Result<bool> {
    is_first(&folder.join(folder_name(name)))
}

/// What tells the stops of one agent apart: it may be sent on and stop again.
fn told(event: &Event) -> String {
    let agent = event.agent.as_deref().unwrap_or_default();
    let prompt = event.prompt.as_deref().unwrap_or_default();
    format!("{}\0{agent}\0{prompt}", event.what.name())
}
