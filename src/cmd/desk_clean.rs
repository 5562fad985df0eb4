//! `desk-clean`: removes what a run left and ends its driver session.

use std::io::Write;

use anyhow::Result;
use serde_json::json;

use super::desk_world::{self, Common};
use crate::desk::clean::{Session, clean};
use crate::desk::cua::Cua;
use crate::desk::simulated::{self, Simulated};
use crate::desk::{Driver, Run, StateFolder};
use crate::exit::DeskClean;
use crate::host::Host;

/// Arguments of `desk-clean`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bundle id, desktop-file id, executable or display name of the app
    pub app: String,
    #[command(flatten)]
    common: Common,
}

/// Runs `desk-clean`. It quits no app, and starts and stops no driver.
pub fn run(args: &Args, host: &mut Host) -> Result<DeskClean> {
    let folder = desk_world::state_folder(&args.common, host)?;
    let session = desk_world::session(&args.common, host);
    let run =
        StateFolder::claimed(&folder)?.and_then(|state| Run::find(&state, session, &args.app));
    let (ended, removed) = match run {
        None => (Session::None, 0),
        Some(run) => {
            let mut driver: Option<Box<dyn Driver>> = if args.common.simulated {
                let file = run.folder().join(simulated::FILE);
                Some(Box::new(Simulated::new(file, &args.app)))
            } else {
                // A driver that is gone cannot be told; what is ours is removed all the same.
                desk_world::locate_driver(host)
                    .ok()
                    .map(|binary| Box::new(Cua::new(binary)) as Box<dyn Driver>)
            };
            let limit = desk_world::limits(&args.common).read;
            let driver = driver
                .as_mut()
                .map(|driver| &mut **driver as &mut dyn Driver);
            clean(run, driver, limit)?
        }
    };
    let word = ended.word();
    if args.common.json {
        let rc = u8::from(ended == Session::Pending) * 3;
        let object = json!({"schema": 1, "rc": rc, "files": removed, "session": word});
        writeln!(host.out, "{object}")?;
    } else {
        writeln!(
            host.out,
            "desk-clean: {removed} files removed, session {word}"
        )?;
    }
    Ok(match ended {
        Session::Pending => DeskClean::Pending,
        Session::None | Session::Ended => DeskClean::Done,
    })
}
