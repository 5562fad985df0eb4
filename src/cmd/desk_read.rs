//! `desk-read`: the lines of a window that match, redacted.

use std::io::Write;

use anyhow::Result;
use serde_json::json;

use super::desk_world::{self, Common, Told, World};
use crate::desk::lines::{self, Wanted};
use crate::desk::receipt::{self, Place, ReadLines};
use crate::desk::shown::Shown;
use crate::desk::{Target, saved};
use crate::exit::{DeskOutcome, DeskRead};
use crate::host::Host;

/// Arguments of `desk-read`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bundle id, desktop-file id, executable or display name of the app
    pub app: String,
    /// Show lines that contain any of these, whatever the case; without any, all texts
    #[arg(value_name = "FILTER")]
    pub filters: Vec<String>,
    /// Show at most this many lines
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub max: usize,
    /// Show controls of this role only
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// Show every line, up to --max, not only texts
    #[arg(long)]
    pub full: bool,
    /// Show what is other than in the last read: + came, ~ changed, - went
    #[arg(long, conflicts_with_all = ["full", "role", "filters"])]
    pub changes: bool,
    /// Copy the full read to the project's evidence folder under this name
    #[arg(long, value_name = "NAME")]
    pub evidence: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// Runs `desk-read`.
pub fn run(args: &Args, host: &mut Host) -> Result<DeskRead> {
    if let Some(name) = &args.evidence {
        saved::check_name(name)?;
    }
    let mut world = World::open(&args.app, &args.common, host)?;
    let mut calls = world.calls();
    // Looking needs no leave.
    calls.grant.apps = true;
    let read = Target::resolve(&mut calls, &args.app).and_then(|mut target| {
        let (seen, note) = target.read_front()?;
        Ok((seen, target.window, note))
    });
    let (seen, window, note) = match read {
        Ok(read) => read,
        Err(stop) => {
            let told = Told {
                place: "desk-read",
                fields: json!({}),
                common: &args.common,
            };
            return desk_world::stopped(stop, told, host).map(DeskRead);
        }
    };
    let before = saved::shown(&world.run, window).filter(|_| args.changes);
    let lines = match before {
        Some(mut before) => {
            world.run.mark(&mut before.nodes)?;
            lines::changed(&before, &seen.tree, args.max)
        }
        None => lines::pick(
            &seen.tree,
            &Wanted {
                filters: &args.filters,
                role: args.role.as_deref(),
                full: args.full,
                max: args.max,
            },
        ),
    };
    let own = saved::read(&world.run, &seen.bytes)?;
    world.run.note_shown(&own)?;
    let (path, outside_project) = match &args.evidence {
        Some(name) => world.keep(name, &seen.bytes)?,
        None => (own, false),
    };
    let path = world.friendly(&path, &host.cwd);
    let place = Place {
        path: Some(&path),
        outside_project,
        unread: false,
        simulated: world.driver.is_simulated(),
        note,
    };
    print(args, &lines, &place, host)?;
    Ok(DeskRead(DeskOutcome::Done))
}

fn print(args: &Args, read: &ReadLines, place: &Place, host: &mut Host) -> Result<()> {
    if !args.common.json {
        return receipt::read(&mut host.out, read, place);
    }
    let lines: Vec<_> = read.lines.iter().map(Shown::as_str).collect();
    let object = json!({
        "schema": 1,
        "rc": 0,
        "status": "done",
        "matching": read.matching,
        "all": read.all,
        "partial": read.gap.is_some(),
        "lines": lines,
        "file": place.path,
        "note": place.note,
        "simulated": place.simulated,
    });
    writeln!(host.out, "{object}")?;
    Ok(())
}
