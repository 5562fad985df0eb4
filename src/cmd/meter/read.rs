//! Paths → what stands in their transcripts, counted and filtered; and reports over it.

use std::collections::HashSet;
use std::io::{self, BufReader, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fs_err::File;

use crate::escape::{quoted, shown};
use crate::host::Host;
use crate::meter::report::{Reading, Report, Sheet};
use crate::meter::{By, Counted, Found, Origin, Scan, Tools, totals};

use super::ask::Ask;

/// What was read.
pub struct Corpus {
    /// The messages that fit the filters.
    pub counted: Vec<Counted>,
    /// Tool calls of all messages, when they were asked for.
    pub tools: Option<Tools>,
    reading: Reading,
}

impl Corpus {
    /// Reads the transcripts at `paths`, or else those of Claude Code.
    pub fn of(paths: &[PathBuf], with_tools: bool, ask: &Ask, host: &mut Host) -> Result<Self> {
        let found = find(paths, host)?;
        let stdin = standard_input(paths, host)?;
        let mut tools = None;
        if with_tools {
            tools = Some(tools_of(&found, stdin.as_deref())?);
        }
        let searched = found.searched.clone();
        let mut scan = Scan::of(found);
        if let Some(bytes) = &stdin {
            scan.read(bytes.as_slice(), &Origin::default())?;
        }
        let mut reading = reading(&scan, &searched, host);
        let mut counted = scan.messages.settle();
        reading.notes.extend(ask.filter.apply(&mut counted)?);
        Ok(Self {
            counted,
            tools,
            reading,
        })
    }

    /// One sheet, with what reading came to.
    pub fn report(mut self, by: By, limit: Option<usize>, ask: &Ask) -> Report {
        let sheet = self.sheet(by, limit, ask);
        Report {
            sheet,
            gone: None,
            reading: self.reading,
        }
    }

    /// Rows by a key. Notes what they do not tell.
    pub fn sheet(&mut self, by: By, limit: Option<usize>, ask: &Ask) -> Sheet {
        if by == By::Tool {
            return self.tool_sheet(limit, ask);
        }
        let mut totals = totals::group(&self.counted, by, &ask.zone, ask.prices.as_ref());
        if let Some(limit) = limit {
            totals.limit(limit);
        }
        for model in &totals.unpriced {
            let note = format!("no price for {}: the cost is not complete", shown(model));
            if !self.reading.notes.contains(&note) {
                self.reading.notes.push(note);
            }
        }
        Sheet::of_messages(&totals, ask.prices.is_some())
    }

    fn tool_sheet(&mut self, limit: Option<usize>, ask: &Ask) -> Sheet {
        let ids: HashSet<_> = self
            .counted
            .iter()
            .filter_map(|one| one.id.as_deref())
            .collect();
        let only = (!ask.filter.is_empty()).then_some(&ids);
        let tools = self.tools.get_or_insert_default();
        let mut totals = tools.totals(only);
        if let Some(limit) = limit {
            totals.limit(limit);
        }
        if totals.total.images > 0 {
            let note = format!(
                "images in results, not in these sizes: {}",
                totals.total.images
            );
            self.reading.notes.push(note);
        }
        Sheet::of_tools(&totals)
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

fn is_stdin(path: &Path) -> bool {
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
fn tools_of(found: &Found, stdin: Option<&[u8]>) -> Result<Tools> {
    let mut tools = Tools::default();
    for transcript in &found.transcripts {
        if let Ok(file) = File::open(&transcript.path) {
            let _ = tools.read(BufReader::with_capacity(1 << 18, file));
        }
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
    let skipped = scan.skipped.iter();
    Reading {
        read: scan.read,
        unreadable: u64::try_from(scan.unreadable.len()).unwrap_or(u64::MAX),
        bytes: scan.bytes,
        skipped: skipped.map(|(skip, count)| (skip.name(), *count)).collect(),
        notes,
    }
}
