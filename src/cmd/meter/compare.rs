//! `meter compare A B`: two sessions, files or folders side by side.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::escape::quoted;
use crate::exit::Meter;
use crate::host::Host;
use crate::meter::By;
use crate::meter::compare::{Comparison, Side};
use crate::meter::report::Reading;
use crate::meter::report::beside::Beside;

use super::ask::{Ask, Pricing, Select};
use super::read::Corpus;

/// Arguments of `meter compare`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A transcript, a folder of them, or the beginning of a session's id
    a: String,
    /// What it is compared with
    b: String,
    #[command(flatten)]
    pricing: Pricing,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Runs `meter compare`.
pub fn run(args: &Args, host: &mut Host) -> Result<Meter> {
    let mut ask = Ask::of(&Select::default(), &args.pricing, host)?;
    let (a, of_a) = side(&args.a, &mut ask, host)?;
    let (b, of_b) = side(&args.b, &mut ask, host)?;
    let beside = Beside {
        both: Comparison { a, b },
        priced: ask.prices.is_some(),
        readings: [of_a, of_b],
    };
    if args.json {
        beside.json(&mut host.out)?;
    } else {
        beside.table(&mut host.out)?;
    }
    Ok(Meter::Done)
}

/// A path that is there, else a session among those of Claude Code.
fn side(name: &str, ask: &mut Ask, host: &mut Host) -> Result<(Side, Reading)> {
    let path = PathBuf::from(name);
    let there = name == "-" || host.cwd.join(&path).exists();
    ask.filter.session = (!there).then(|| name.to_owned());
    let paths = if there { vec![path] } else { Vec::new() };
    let mut corpus = Corpus::of(&paths, true, ask, host)?;
    let totals = corpus.totals(By::Total, None, ask);
    if !there && totals.total.messages == 0 {
        bail!(
            "could not find {}: no such file, folder or session",
            quoted(name)
        );
    }
    let side = Side {
        name: name.to_owned(),
        row: totals.total,
        tools: corpus.tool_totals(None, ask),
    };
    Ok((side, corpus.reading))
}
