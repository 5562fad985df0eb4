//! `desk-running`: whether an app runs.

use std::io::Write;

use anyhow::{Result, anyhow};
use serde_json::json;

use super::desk_world::{self, Common, Told, World};
use crate::desk::{Stop, resolve};
use crate::exit::{DeskOutcome, DeskRunning};
use crate::host::Host;

/// Arguments of `desk-running`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bundle id, desktop-file id, executable or display name of the app
    pub app: String,
    /// Another name that the app can be listed under
    #[arg(long, value_name = "NAME")]
    pub app_name: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// Runs `desk-running`.
pub fn run(args: &Args, host: &mut Host) -> Result<DeskRunning> {
    let mut world = World::open(&args.app, &args.common, host)?;
    let mut calls = world.calls();
    // Looking at a list needs no leave.
    calls.grant.apps = true;
    let names = [Some(args.app.as_str()), args.app_name.as_deref()];
    match resolve::is_running(&mut calls, names.into_iter().flatten()) {
        Ok(running) if args.common.json => {
            let object = json!({"schema": 1, "rc": 0, "running": running, "simulated": world.driver.is_simulated()});
            writeln!(host.out, "{object}")?;
        }
        Ok(running) => writeln!(host.out, "{running}")?,
        Err(stop) => {
            let stop = match stop {
                Stop::Failed(no) => {
                    let code = no
                        .code
                        .map_or_else(|| "no code".to_owned(), |code| code.to_string());
                    Stop::CouldNot(anyhow!(
                        "could not tell: the driver refused to list apps ({code})"
                    ))
                }
                other => other,
            };
            let told = Told {
                place: "desk-running",
                fields: json!({}),
                common: &args.common,
            };
            return desk_world::stopped(stop, told, host).map(DeskRunning);
        }
    }
    Ok(DeskRunning(DeskOutcome::Done))
}
