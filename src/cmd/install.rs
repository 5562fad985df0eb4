//! `install`: plan, apply, say in a few lines what was done and what to do next.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::exit::Install;
use crate::host::Host;

/// Arguments of `install`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The project folder [default: the nearest one upwards with .claude or .git]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Also allow the desk commands in permissions.allow, so that no call asks
    #[arg(long)]
    pub allow: bool,
}

/// Runs `install`.
pub fn run(args: &Args, host: &mut Host) -> Result<Install> {
    let _ = (args, &host.cwd);
    bail!("not built yet")
}
