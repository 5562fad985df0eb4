//! `verify`: compares the disk with the manifest and with the binary.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::exit::Verify;
use crate::host::Host;

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The project folder [default: the nearest one upwards with .claude or .git]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Runs `verify`.
pub fn run(args: &Args, host: &mut Host) -> Result<Verify> {
    let _ = (args, &host.cwd);
    bail!("not built yet")
}
