//! Paths → what stands in their transcripts, counted and filtered; and reports over it.

use std::collections::HashSet;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fs_err::File;

use crate::escape::{quoted, shown};
use crate::host::Host;
use crate::meter::report::{Reading, Report, Sheet, message_fields};
use crate::meter::tariff::Missing;
use crate::meter::tools::ToolTotals;
use crate::meter::{By, Chunks, Counted, Found, Origin, Scan, Tools, Totals, totals};

use super::ask::Ask;
use super::progress::Progress;

/// What was read.
pub struct Corpus {
    counted: Chunks<Counted>,
    /// What only transcripts held that are gone.
    gone: Chunks<Counted>,
    /// Of all messages, when they were asked for.
    tools: Option<Tools>,
    /// What reading came to.
    pub reading: Reading,
}

impl Corpus {
    /// Reads the transcripts at `paths`, or else those of Claude Code.
    pub fn of(paths: &[PathBuf], with_tools: bool, ask: &Ask, host: &mut Host) -> Result<Self> {
        let found = find(paths, host)?;
        let stdin = standard_input(paths, host)?;
        let mut tools = None;
        if with_tools {
            tools = Some(tools_of(&found, stdin.as_deref(), host)?);
        }
        let searched = found.searched.clone();
        let progress = Progress::new(host.err_is_terminal);
        let seen = |done, all| progress.seen(done, all);
        let mut scan = match &ask.ledger {
            Some(folder) => Scan::with_ledger(found, folder, seen),
            None => Scan::watched(found, seen),
        };
        drop(progress);
        if let Some(bytes) = &stdin {
            scan.read(bytes.as_slice(), &Origin::default())?;
        }
        let mut reading = reading(&scan, &searched, host);
        let (mut counted, mut gone) = scan.settle();
        reading.notes.extend(ask.filter.apply(&mut counted)?);
        // A session that is not among them is no mistake here.
        if ask.filter.apply(&mut gone).is_err() {
            gone = Chunks::default();
        }
        Ok(Self {
            counted,
            gone,
            tools,
            reading,
        })
    }

    /// One sheet, with what reading came to, which is then gone from here.
    pub fn report(&mut self, by: By, limit: Option<usize>, ask: &Ask) -> Report {
        let sheet = self.sheet(by, limit, ask);
        let gone = (by != By::Tool && !self.gone.is_empty()).then(|| {
            let totals = totals::group(&self.gone, By::Total, &ask.zone, ask.prices.as_ref());
            message_fields(&totals.total, ask.prices.is_some())
        });
        Report {
            sheet,
            gone,
            reading: std::mem::take(&mut self.reading),
        }
    }

    fn sheet(&mut self, by: By, limit: Option<usize>, ask: &Ask) -> Sheet {
        if by == By::Tool {
            return Sheet::of_tools(&self.tool_totals(limit, ask));
        }
        let totals = self.totals(by, limit, ask);
        Sheet::of_messages(&totals, ask.prices.is_some())
    }

    /// Rows of messages by a key. Notes which have no price.
    pub fn totals(&mut self, by: By, limit: Option<usize>, ask: &Ask) -> Totals {
        let mut totals = totals::group(&self.counted, by, &ask.zone, ask.prices.as_ref());
        if let Some(limit) = limit {
            totals.limit(limit);
        }
        for missing in &totals.missing {
            let (what, model) = match missing {
                Missing::Model(model) => ("", model),
                Missing::WebSearch(model) => ("web searches of ", model),
            };
            let model = model
                .as_deref()
                .map_or("messages without a model".to_owned(), shown);
            self.note(format!(
                "no price for {what}{model}: the cost is not complete"
            ));
        }
        totals
    }

    /// Rows by tool, of the messages that fit. Notes what their sizes leave out.
    pub fn tool_totals(&mut self, limit: Option<usize>, ask: &Ask) -> ToolTotals {
        let ids = self.counted.iter().filter_map(|one| one.id.as_deref());
        let ids: HashSet<_> = ids.collect();
        let only = (!ask.filter.is_empty()).then_some(&ids);
        let mut totals = self.tools.get_or_insert_default().totals(only);
        if let Some(limit) = limit {
            totals.limit(limit);
        }
        if totals.total.images > 0 {
            let images = totals.total.images;
            self.note(format!("images in results, not in their sizes: {images}"));
        }
        totals
    }

    /// Notes something once.
    pub fn note(&mut self, note: String) {
        if !self.reading.notes.contains(&note) {
            self.reading.notes.push(note);
        }
    }
}

fn find(paths: &[PathBuf], host: &Host) -> Result<Found> {
    let mut found = Found::default();
    for path in paths.iter().filter(|path| !is_stdin(path)) {
        found.add(&host.cwd.join(path))?;
    }
    if paths.is_empty() {
        for folder in configuration(host) {
            found.add_configuration(&folder);
        }
    }
    Ok(found)
}

/// Whether a path stands for standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn standard_input(paths: &[PathBuf], host: &mut Host) -> Result<Option<Vec<u8>>> {
    if !paths.iter().any(|path| is_stdin(path)) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let mut stdin = std::mem::replace(&mut host.stdin, Box::new(io::empty()));
    stdin
        .read_to_end(&mut bytes)
        .context("could not read a transcript from standard input")?;
    Ok(Some(bytes))
}

/// A transcript that cannot be read is named by the scan.
fn tools_of(found: &Found, stdin: Option<&[u8]>, host: &Host) -> Result<Tools> {
    let mut tools = Tools::default();
    let progress = Progress::new(host.err_is_terminal);
    let all = found.transcripts.iter().map(|one| one.stamp.size).sum();
    let mut done = 0;
    for transcript in &found.transcripts {
        if let Ok(file) = File::open(&transcript.path) {
            let _ = tools.read(file);
        }
        done += transcript.stamp.size;
        progress.seen(done, all);
    }
    if let Some(bytes) = stdin {
        tools.read(bytes)?;
    }
    Ok(tools)
}

/// Where Claude Code keeps its things: the folders of `CLAUDE_CONFIG_DIR` (a comma list), else the
/// newer and the older default.
fn configuration(host: &Host) -> Vec<PathBuf> {
    if let Some(list) = host.text_var("CLAUDE_CONFIG_DIR") {
        let folders = list.split(',').map(str::trim).filter(|f| !f.is_empty());
        return folders.map(|folder| host.cwd.join(folder)).collect();
    }
    let config = host.folder_var("XDG_CONFIG_HOME").map(Path::to_owned);
    let config = config.or_else(|| host.home().map(|home| home.join(".config")));
    let newer = config.map(|config| config.join("claude"));
    let older = host.home().map(|home| home.join(".claude"));
    newer.into_iter().chain(older).collect()
}

fn reading(scan: &Scan, searched: &[PathBuf], host: &Host) -> Reading {
    let shown = |path: &Path| quoted(&host.friendly(path));
    let mut notes: Vec<_> = scan
        .unreadable
        .iter()
        .map(|(path, why)| format!("could not read {}: {why}", shown(path)))
        .collect();
    if scan.read == 0 && scan.unreadable.is_empty() {
        let places: Vec<_> = searched.iter().map(|path| shown(path)).collect();
        notes.push(match places.as_slice() {
            [] => "no transcripts found: no folder to look in, set HOME or name a PATH".to_owned(),
            places => format!("no transcripts found in {}", places.join(", ")),
        });
    }
    if let Some(error) = &scan.not_kept {
        let error = crate::escape::shown(&format!("{error:#}"));
        notes.push(format!("could not keep what was read: {error}"));
    }
    let skipped = scan.skipped.iter();
    Reading {
        read: scan.read,
        unreadable: u64::try_from(scan.unreadable.len()).unwrap_or(u64::MAX),
        bytes: scan.bytes,
        skipped: skipped.map(|(skip, count)| (skip.name(), *count)).collect(),
        notes,
    }
}
