//! `try`: the whole loop in a scratch project, printed step by step.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::exit::Try;
use crate::host::Host;

/// Arguments of `try`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Keep the scratch project here instead of removing it
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Use the real cua-driver and a real calculator
    #[arg(long)]
    pub real: bool,
}

/// Runs `try`.
pub fn run(args: &Args, host: &mut Host) -> Result<Try> {
    let _ = (args, &host.cwd);
    bail!("not built yet")
}
