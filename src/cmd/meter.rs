//! `meter`: finds transcripts, counts, prints a table or JSON.

use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::tz::TimeZone;

use crate::escape::quoted;
use crate::exit::Meter;
use crate::host::Host;
use crate::meter::report::Report;
use crate::meter::{By, Found, Origin, Scan, totals};

/// Arguments of `meter`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Transcript files or folders; - reads one transcript from standard input
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// What each row stands for
    #[arg(long, value_name = "KEY", default_value = "day", value_parser = by())]
    pub by: By,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

fn by() -> impl TypedValueParser<Value = By> {
    PossibleValuesParser::new(By::ALL.map(|(name, _)| name)).try_map(|name| name.parse())
}

/// Runs `meter`.
pub fn run(args: &Args, host: &mut Host) -> Result<Meter> {
    let mut found = Found::default();
    for path in args.paths.iter().filter(|path| !is_stdin(path)) {
        found.add(&host.cwd.join(path))?;
    }
    if args.paths.is_empty() {
        for folder in configuration(host) {
            found.add_configuration(&folder);
        }
    }
    let searched = std::mem::take(&mut found.searched);
    let mut scan = Scan::of(found);
    if args.paths.iter().any(|path| is_stdin(path)) {
        let stdin = std::mem::replace(&mut host.stdin, Box::new(io::empty()));
        scan.read(BufReader::new(stdin), &Origin::default())
            .context("could not read a transcript from standard input")?;
    }
    let report = report(scan, &searched, args.by, host);
    if args.json {
        report.json(&mut host.out)?;
    } else {
        report.table(&mut host.out)?;
    }
    Ok(Meter::Done)
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
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

fn report(scan: Scan, searched: &[PathBuf], by: By, host: &Host) -> Report {
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
    let counted = scan.messages.settle();
    Report {
        totals: totals::group(&counted, by, &TimeZone::system()),
        read: scan.read,
        unreadable: u64::try_from(scan.unreadable.len()).unwrap_or(u64::MAX),
        bytes: scan.bytes,
        skipped: scan
            .skipped
            .iter()
            .map(|(skip, count)| (skip.name(), *count))
            .collect(),
        notes,
    }
}
