//! `desk-clean`: removes what a run left, quits what it launched when told to, and stops a driver
//! that it started.

use std::io::Write;

use anyhow::{Result, bail};
use serde_json::json;

use super::desk_tries::Attempt;
use super::desk_world::{self, Common};
use crate::desk::busy::Locks;
use crate::desk::clean::{self, Report};
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
    /// The app's display name, which quitting it on macOS goes by
    #[arg(long, value_name = "NAME")]
    pub app_name: Option<String>,
    /// Also quit the app, gently, if this run launched it, by whatever name; until then it exits 3
    #[arg(long)]
    pub launched_by_run: bool,
    #[command(flatten)]
    common: Common,
}

/// Runs `desk-clean`. It never ends a process.
pub fn run(args: &Args, host: &mut Host) -> Result<DeskClean> {
    let report = clean(args, host)?;
    if args.common.json {
        let rc = u8::from(report.is_pending()) * 3;
        let object = json!({
            "schema": 1,
            "rc": rc,
            "app": report.app.word(),
            "files": report.removed,
            "session": report.session.word(),
            "driver": report.driver.word(),
            "simulated": args.common.simulated,
        });
        writeln!(host.out, "{object}")?;
    } else {
        let Report {
            app,
            removed,
            session,
            driver,
        } = &report;
        let (app, session, driver) = (app.word(), session.word(), driver.word());
        writeln!(
            host.out,
            "desk-clean: app {app}, {removed} files removed, session {session}, driver {driver}{}",
            if args.common.simulated {
                ", simulated"
            } else {
                ""
            }
        )?;
    }
    if report.needs_name() {
        bail!(
            "could not quit the app: name it with --app-name, as its menu bar does; everything else was cleaned"
        );
    }
    Ok(if report.is_pending() {
        DeskClean::Pending
    } else {
        DeskClean::Done
    })
}

fn clean(args: &Args, host: &Host) -> Result<Report> {
    let folder = desk_world::state_folder(&args.common, host)?;
    let session = desk_world::session(&args.common, host);
    let Some(state) = StateFolder::claimed(&folder)? else {
        return Ok(Report::nothing());
    };
    let limits = desk_world::limits(&args.common);
    let folder = desk_world::lock_folder(&state, &args.common, host);
    let mut locks = Locks::of(&folder, &args.app, limits.lock)?;
    let run = Run::find(&state, session, &args.app);
    // What the session's count of failures stands for is gone with the run.
    let words = vec!["desk-clean".to_owned(), args.app.clone()];
    Attempt::new(words, state.path(), session, host).ended(None, "desk-clean", true);
    let simulated = run.as_ref().map(|run| run.folder().join(simulated::FILE));
    let mut driver: Option<Box<dyn Driver>> = match simulated.filter(|_| args.common.simulated) {
        Some(file) => Some(Box::new(Simulated::new(file, &args.app))),
        None if args.common.simulated => None,
        // A driver that is gone cannot be told; what is ours is removed all the same.
        None => desk_world::locate_driver(host)
            .ok()
            .map(|binary| Box::new(Cua::new(binary)) as Box<dyn Driver>),
    };
    let driver = driver
        .as_mut()
        .map(|driver| &mut **driver as &mut dyn Driver);
    let order = clean::Order {
        app: &args.app,
        session,
        quit: args.launched_by_run,
        name: args.app_name.as_deref(),
        limits,
    };
    clean::clean(&state, run, driver, &mut locks, &order)
}
