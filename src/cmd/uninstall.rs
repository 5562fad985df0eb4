//! `uninstall`: gives back exactly what was there before.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::exit::Uninstall;
use crate::host::Host;

/// Arguments of `uninstall`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The project folder [default: the nearest one upwards with .claude or .git]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
}

/// Runs `uninstall`.
pub fn run(args: &Args, host: &mut Host) -> Result<Uninstall> {
    let _ = (args, &host.cwd);
    bail!("not built yet")
}
