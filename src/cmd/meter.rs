//! `meter`: finds transcripts, counts, prints a table or JSON.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::exit::Meter;
use crate::host::Host;

/// Arguments of `meter`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Transcript files or folders; - reads one transcript from standard input
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Runs `meter`.
pub fn run(args: &Args, host: &mut Host) -> Result<Meter> {
    let _ = (args, &host.cwd);
    bail!("not built yet")
}
