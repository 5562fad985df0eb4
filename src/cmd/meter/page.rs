//! `meter --html FILE`: all groupings at once as one page.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};

use crate::escape::quoted;
use crate::files;
use crate::host::Host;
use crate::meter::By;
use crate::meter::report::page::Page;
use crate::meter::report::thousands;

use super::NOT_HELD;
use super::ask::Ask;
use super::read::Corpus;

/// How many rows each list has unless asked otherwise.
const ROWS: usize = 10;

/// Only the user reads it: it names their projects.
const MODE: u32 = 0o600;

/// Writes the page and says where it is.
pub fn write(
    mut corpus: Corpus,
    path: &Path,
    limit: Option<usize>,
    ask: &Ask,
    host: &mut Host,
) -> Result<()> {
    let limit = Some(limit.unwrap_or(ROWS));
    corpus.note(NOT_HELD.to_owned());
    let date = ask
        .prices
        .as_ref()
        .and_then(|prices| prices.date.as_deref());
    if let Some(date) = date {
        corpus.note(format!("prices as of {}", quoted(date)));
    }
    let page = Page {
        days: &corpus.totals(By::Day, None, ask),
        models: &corpus.totals(By::Model, limit, ask),
        agents: &corpus.totals(By::Agent, limit, ask),
        projects: &corpus.totals(By::Project, limit, ask),
        sessions: &corpus.totals(By::Session, limit, ask),
        tools: &corpus.tool_totals(limit, ask),
        reading: &corpus.reading,
        priced: ask.prices.is_some(),
        made: &made(&corpus, ask, host),
    };
    let text = page.text();
    let shown = quoted(&host.friendly(path));
    files::replace(&host.cwd.join(path), text.as_bytes(), MODE)
        .with_context(|| format!("could not write the page {shown}"))?;
    writeln!(host.out, "wrote {shown}")?;
    Ok(())
}

fn made(corpus: &Corpus, ask: &Ask, host: &Host) -> String {
    let now = ask.zone.to_datetime(host.now());
    let minute = format!("{} {:02}:{:02}", now.date(), now.hour(), now.minute());
    let count = thousands(corpus.reading.read);
    let only = if ask.words.is_empty() { "" } else { ", only " };
    format!("made {minute}, transcripts: {count}{only}{}", ask.words)
}
