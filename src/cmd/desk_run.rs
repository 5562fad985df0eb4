//! `desk-run`: a packet of steps on one app, one line back.

use std::io::Write;

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::desk_tries::Attempt;
use super::desk_world::{self, Common, Granted, Told, World};
use crate::desk::packet::{self, Step};
use crate::desk::perform::{self, Performed};
use crate::desk::receipt::{self, Place};
use crate::desk::{Stop, Target, saved};
use crate::escape;
use crate::exit::{DeskOutcome, DeskRun};
use crate::host::Host;

const STEPS: &str = "\
Steps:
  click T              check T              uncheck T
  set T = V            append T = V         pick T = V
  type V               type T = V           keys V (buttons by character)
  press CHORD          menu NAME > NAME
  expect T = V         expect T ~ V         wait T [5s]        read T
T is NAME, ROLE:NAME, ROLE:, ~SUBSTRING or #ref. Quote a text that has blanks.
= is the whole text, ~ contains.";

/// Arguments of `desk-run`.
#[derive(Debug, clap::Args)]
#[command(after_help = STEPS)]
pub struct Args {
    /// Bundle id, desktop-file id, executable or display name of the app
    pub app: String,
    /// Steps, one an argument; without any they are read from standard input, one a line
    #[arg(value_name = "STEP")]
    pub steps: Vec<String>,
    /// Copy the full read to the project's evidence folder under this name
    #[arg(long, value_name = "NAME")]
    pub evidence: Option<String>,
    /// Never send several actions in one driver call
    #[arg(long, hide = true)]
    pub one_by_one: bool,
    #[command(flatten)]
    granted: Granted,
    #[command(flatten)]
    common: Common,
}

/// Runs `desk-run`.
pub fn run(args: &Args, host: &mut Host) -> Result<DeskRun> {
    if let Some(name) = &args.evidence {
        saved::check_name(name)?;
    }
    let text = match args.steps.as_slice() {
        [] => desk_world::input(host)?
            .lines()
            .map(str::to_owned)
            .collect(),
        steps => steps.to_vec(),
    };
    let steps = steps(&text)?;
    let mut world = World::open(&args.app, &args.common, host)?;
    let words = ["desk-run", &args.app, &args.granted.words()];
    let words = words.map(str::to_owned).into_iter().chain(text).collect();
    let session = desk_world::session(&args.common, host);
    let attempt = Attempt::new(words, world.state.path(), session, host);
    if let Some(stop) = attempt.refused() {
        return stopped(args, stop, host);
    }
    let mut calls = world.calls();
    calls.grant = args.granted.grant();
    // A packet that only looks may look at any app.
    calls.grant.apps |= steps.iter().all(|(_, step)| step.only_looks());
    calls.one_by_one = args.one_by_one;
    match Target::resolve(&mut calls, &args.app) {
        Ok(mut target) => {
            let performed = perform::perform(&steps, &mut target);
            let changed = steps.iter().any(|(_, step)| !step.only_looks());
            let stop = performed.stop.as_ref();
            let place = stop
                .map(|(number, _, _)| place(*number))
                .unwrap_or_default();
            let why = stop.map(|(_, _, stop)| stop);
            attempt.ended(why, &place, changed);
            finish(args, performed, &world, host)
        }
        Err(stop) => {
            attempt.ended(Some(&stop), "desk-run", false);
            stopped(args, stop, host)
        }
    }
}

fn stopped(args: &Args, stop: Stop, host: &mut Host) -> Result<DeskRun> {
    let told = Told {
        place: "desk-run",
        fields: json!({"steps": []}),
        common: &args.common,
    };
    desk_world::stopped(stop, told, host).map(DeskRun)
}

fn place(step: usize) -> String {
    format!("desk-run: step {step}")
}

fn steps(text: &[String]) -> Result<Vec<(usize, Step)>> {
    let parsed = packet::parse(text.iter().map(String::as_str));
    let steps = parsed.context("could not read the packet; nothing was done")?;
    if steps.is_empty() {
        bail!("could not read the packet: it has no steps");
    }
    Ok(steps)
}

fn finish(args: &Args, performed: Performed, world: &World, host: &mut Host) -> Result<DeskRun> {
    // The read is saved in any case: a failure is looked into there.
    let saved = match &performed.read {
        Some(bytes) => Some(world.save(args.evidence.as_deref(), bytes)?),
        None => None,
    };
    let outside_project = saved.as_ref().is_some_and(|(_, outside)| *outside);
    let path = saved.map(|(path, _)| world.friendly(&path, &host.cwd));
    let simulated = world.driver.is_simulated();
    let steps = receipt::steps_json(&performed);
    let note = performed.note;
    let fields = json!({"steps": steps, "file": path, "note": note, "simulated": simulated});
    let Some((number, verb, stop)) = performed.stop else {
        let status = perform::overall(&performed.steps);
        if args.common.json {
            let mut object = json!({"schema": 1, "rc": 0, "status": status.word()});
            if let (Some(object), Some(fields)) = (object.as_object_mut(), fields.as_object()) {
                object.extend(fields.clone());
            }
            writeln!(host.out, "{object}")?;
        } else {
            let place = Place {
                path: path.as_deref(),
                outside_project,
                unread: path.is_none(),
                simulated,
                note,
            };
            receipt::packet(&mut host.out, status, &performed.steps, &place)?;
        }
        return Ok(DeskRun(DeskOutcome::Done));
    };
    let mut fields = fields;
    fields["failed_step"] = json!(number);
    fields["verb"] = json!(verb);
    let told = Told {
        place: &place(number),
        fields,
        common: &args.common,
    };
    let outcome = desk_world::stopped(stop, told, host)?;
    if let (false, Some(path)) = (args.common.json, path) {
        let path = escape::shown(&path.display().to_string());
        writeln!(host.out, "window saved: {path}")?;
    }
    Ok(DeskRun(outcome))
}
