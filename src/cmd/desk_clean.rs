//! `desk-clean`: removes what a run left and ends its driver session.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::exit::DeskClean;
use crate::host::Host;

/// Arguments of `desk-clean`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bundle id, desktop-file id, executable or display name of the app
    pub app: String,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Keep the state of this run here
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// Act on the built-in simulated calculator instead of the real desktop
    #[arg(long, hide = true)]
    pub simulated: bool,
}

/// Runs `desk-clean`.
pub fn run(args: &Args, host: &mut Host) -> Result<DeskClean> {
    let _ = (args, &host.cwd);
    bail!("not built yet")
}
