//! `desk-read`: the lines of a window that match, redacted.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::exit::DeskRead;
use crate::host::Host;

/// Arguments of `desk-read`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bundle id, desktop-file id, executable or display name of the app
    pub app: String,
    /// Show lines that contain any of these, whatever the case
    #[arg(value_name = "FILTER")]
    pub filters: Vec<String>,
    /// Copy the full read to the project's evidence folder under this name
    #[arg(long, value_name = "NAME")]
    pub evidence: Option<String>,
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

/// Runs `desk-read`.
pub fn run(args: &Args, host: &mut Host) -> Result<DeskRead> {
    let _ = (args, &host.cwd);
    bail!("not built yet")
}
