//! `desk-run`: a packet of steps on one app, one line back.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::exit::DeskRun;
use crate::host::Host;

/// Arguments of `desk-run`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bundle id, desktop-file id, executable or display name of the app
    pub app: String,
    /// Steps, one an argument; without any they are read from standard input, one a line
    #[arg(value_name = "STEP")]
    pub steps: Vec<String>,
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

/// Runs `desk-run`.
pub fn run(args: &Args, host: &mut Host) -> Result<DeskRun> {
    let _ = (args, &host.cwd);
    bail!("not built yet")
}
