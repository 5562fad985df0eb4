//! `desk`: one driver tool on one app, one receipt line.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::exit::Desk;
use crate::host::Host;

/// Arguments of `desk`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bundle id, desktop-file id, executable or display name of the app
    pub app: String,
    /// A driver tool, for example click or `set_value`
    pub tool: String,
    /// Its arguments as a JSON object; - reads them from standard input
    #[arg(default_value = "{}")]
    pub arguments: String,
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

/// Runs `desk`.
pub fn run(args: &Args, host: &mut Host) -> Result<Desk> {
    let _ = (args, &host.cwd);
    bail!("not built yet")
}
