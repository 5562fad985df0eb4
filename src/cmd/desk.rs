//! `desk`: one driver tool on one app, one receipt line.

use std::io::Write;

use anyhow::{Result, bail};
use serde_json::json;

use super::desk_tries::Attempt;
use super::desk_world::{self, Common, Granted, Told, World};
use crate::desk::outcome::Code;
use crate::desk::receipt::{self, Place};
use crate::desk::request::{self, Request, Unfit};
use crate::desk::single::{self, Called};
use crate::exit::{Desk, DeskOutcome};
use crate::host::Host;

const TOOLS: &str = "\
Tools: get_window_state, click, double_click, right_click, scroll, invoke_menu, press_key, hotkey,
set_value, type_text. A field that a tool does not take is answered with those that it takes.
element_token is a ref from desk-read (#c17), or a token from the file that get_window_state names.";

/// Arguments of `desk`.
#[derive(Debug, clap::Args)]
#[command(after_help = TOOLS)]
pub struct Args {
    /// Bundle id, desktop-file id, executable or display name of the app
    pub app: String,
    /// A driver tool, for example click or `set_value`
    pub tool: String,
    /// Its arguments as a JSON object; - reads them from standard input
    #[arg(default_value = "{}")]
    pub arguments: String,
    #[command(flatten)]
    granted: Granted,
    #[command(flatten)]
    common: Common,
}

/// Runs `desk`.
pub fn run(args: &Args, host: &mut Host) -> Result<Desk> {
    let text = match args.arguments.as_str() {
        "-" => desk_world::input(host)?,
        text => text.to_owned(),
    };
    let request = match request::parse(&args.tool, &text, cfg!(target_os = "linux")) {
        Ok(request) => request,
        Err(Unfit::Arguments(why)) => bail!("could not use the arguments: {why}"),
        Err(Unfit::NoSuchTool) => return no_such_tool(host),
    };
    let mut world = World::open(&args.app, &args.common, host)?;
    let words = ["desk", &args.app, &args.tool, &text, &args.granted.words()];
    let session = desk_world::session(&args.common, host);
    let words = words.map(str::to_owned).into();
    let attempt = Attempt::new(words, world.state.path(), session, host);
    let called = if let Some(stop) = attempt.refused() {
        Err(stop)
    } else {
        let mut calls = world.calls();
        calls.grant = args.granted.grant();
        let called = single::call(&args.app, &request, &mut calls);
        let changed = called.is_ok() && request.tool.changes();
        attempt.ended(called.as_ref().err(), "desk", changed);
        called
    };
    match called {
        Ok(called) => finish(args, &request, &called, &world, host),
        Err(stop) => {
            let known = world.run.window().map(|(window, _)| window);
            let fields = json!({
                "tool": request.tool.name,
                "pid": known.map(|window| window.pid),
                "window_id": known.map(|window| window.id),
            });
            let told = Told {
                place: "desk",
                fields,
                common: &args.common,
            };
            desk_world::stopped(stop, told, host).map(Desk)
        }
    }
}

fn no_such_tool(host: &mut Host) -> Result<Desk> {
    let offered = request::TOOLS.iter().filter(|tool| tool.is_offered());
    let names: Vec<_> = offered.map(|tool| tool.name).collect();
    let names = names.join(", ");
    writeln!(host.out, "desk: refused no_such_tool")?;
    writeln!(host.out, "desk offers {names}")?;
    Ok(Desk(DeskOutcome::NoSuchTool))
}

fn finish(
    args: &Args,
    request: &Request,
    called: &Called,
    world: &World,
    host: &mut Host,
) -> Result<Desk> {
    let file = match &called.read {
        Some(bytes) => Some(world.save(None, bytes)?.0),
        None => None,
    };
    if args.common.json {
        let object = json!({
            "schema": 1,
            "tool": request.tool.name,
            "rc": 0,
            "pid": called.window.pid,
            "window_id": called.window.id,
            "cached": called.cached,
            "file": file,
            "status": called.status.word(),
            "effect": called.effect.as_ref().map(Code::as_str),
            "note": called.note,
            "simulated": world.driver.is_simulated(),
        });
        writeln!(host.out, "{object}")?;
        return Ok(Desk(DeskOutcome::Done));
    }
    let place = Place {
        path: file.as_deref(),
        outside_project: false,
        unread: false,
        simulated: world.driver.is_simulated(),
        note: called.note,
    };
    receipt::call(&mut host.out, called.status, request.tool.name, &place)?;
    Ok(Desk(DeskOutcome::Done))
}
