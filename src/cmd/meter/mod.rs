//! `meter`: finds transcripts, counts, prints a table, JSON or CSV, or writes a page.

use std::path::PathBuf;

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::exit::Meter;
use crate::host::Host;
use crate::meter::By;

mod ask;
mod compare;
mod page;
mod progress;
mod read;
mod watch;

/// What transcripts do not hold, so that nobody takes the sums for more than they are.
pub const NOT_HELD: &str = "transcripts hold no line for the request that compacts a conversation, \
    and Claude Code deletes old transcripts: neither is counted";

/// Arguments of `meter`.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("Not known: {NOT_HELD}. Where a transcript holds no end of a message, \
    its output may be more; such messages are counted as partial."))]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Transcript files or folders; - reads one transcript from standard input. Without any, the
    /// transcripts of Claude Code
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// What each row stands for
    #[arg(long, value_name = "KEY", default_value = "day", value_parser = by())]
    pub by: By,
    #[command(flatten)]
    select: ask::Select,
    #[command(flatten)]
    pricing: ask::Pricing,
    /// Show this many rows: the newest days, weeks or months, else the most expensive
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Write a page with charts to this file: one HTML file that needs nothing else
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "csv", "by"])]
    html: Option<PathBuf>,
    /// Show the table anew every two seconds until interrupted
    #[arg(long, conflicts_with_all = ["json", "csv", "html"])]
    watch: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Two sessions, files or folders side by side, with ratios
    Compare(compare::Args),
}

fn by() -> impl TypedValueParser<Value = By> {
    PossibleValuesParser::new(By::ALL.map(|(name, _)| name)).try_map(|name| name.parse())
}

/// Runs `meter`.
pub fn run(args: &Args, host: &mut Host) -> Result<Meter> {
    if let Some(Command::Compare(args)) = &args.command {
        return compare::run(args, host);
    }
    if args.watch {
        return watch::run(args, host);
    }
    let ask = ask::Ask::of(&args.select, &args.pricing, host)?;
    if let Some(path) = &args.html {
        let corpus = read::Corpus::of(&args.paths, true, &ask, host)?;
        page::write(corpus, path, args.limit, &ask, host)?;
        return Ok(Meter::Done);
    }
    let mut corpus = read::Corpus::of(&args.paths, args.by == By::Tool, &ask, host)?;
    if args.json {
        corpus.note(NOT_HELD.to_owned());
    }
    let report = corpus.report(args.by, args.limit, &ask);
    if args.json {
        report.json(&mut host.out)?;
    } else if args.csv {
        report.csv(&mut host.out)?;
        // Not part of the data, and not to be lost.
        for remark in report.reading.remarks() {
            writeln!(host.err, "{remark}")?;
        }
    } else {
        report.table(&mut host.out)?;
    }
    // The process ends here: giving the messages back one by one would only take time.
    std::mem::forget(corpus);
    Ok(Meter::Done)
}
