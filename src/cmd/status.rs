//! `status`: what is installed where, in a screenful. Reads only.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;

use super::desk_world::locate_driver;
use super::place::{Opened, Purpose, Where, config_folder, running_binary};
use super::{proof, tracked};
use crate::escape::{quoted, shown};
use crate::exit::Status;
use crate::hook::account;
use crate::host::Host;
use crate::install::manifest::WithoutHooks;
use crate::install::plan::{Options, Plan};
use crate::install::verify::{self, Finding};
use crate::install::{OnPath, Scope, binary, claude};

/// Arguments of `status`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The project folder [default: the nearest one upwards with .claude or .git]
    #[arg(long, value_name = "DIR")]
    pub project: Option<std::path::PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct Answer {
    schema: u32,
    version: &'static str,
    binary: String,
    on_path: bool,
    driver: Option<String>,
    proof: Option<String>,
    guard: Option<Guard>,
    places: Vec<Seen>,
}

/// What the retry guard did, in the sessions that are still on disk.
#[derive(Serialize)]
struct Guard {
    denied: usize,
    warned: usize,
    errors: u64,
    asleep: usize,
}

/// One place, installed or not.
#[derive(Serialize)]
struct Seen {
    scope: Scope,
    root: String,
    installed: bool,
    version: Option<String>,
    starts: Option<String>,
    drift: Vec<Finding>,
    hooks: Hooks,
    allowed: bool,
    local_is_tracked: bool,
    error: Option<String>,
}

#[derive(Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
enum Hooks {
    On,
    Inert { reason: String },
    None { reason: String },
}

/// Runs `status`.
pub fn run(args: &Args, host: &mut Host) -> Result<Status> {
    let running = running_binary(host)?;
    let project = Where {
        project: args.project.clone(),
        ..Where::default()
    };
    let user = Where {
        user: true,
        ..Where::default()
    };
    let answer = Answer {
        schema: 1,
        version: env!("CARGO_PKG_VERSION"),
        binary: running.path.to_string_lossy().into_owned(),
        on_path: running.on_path == OnPath::This,
        driver: locate_driver(host)
            .ok()
            .map(|path| path.to_string_lossy().into_owned()),
        proof: match proof::last(host) {
            Ok(last) => last.map(|(line, _)| line),
            Err(error) => Some(crate::escape::failure(&error)),
        },
        guard: guard(host),
        places: [project, user]
            .iter()
            .map(|place| installed(place, &running.path, host))
            .collect(),
    };
    if args.json {
        serde_json::to_writer_pretty(&mut host.out, &answer)?;
        writeln!(host.out)?;
    } else {
        print(&answer, host)?;
    }
    Ok(Status::Done)
}

fn guard(host: &Host) -> Option<Guard> {
    let sum = account::summary(&host.state_folder().ok()?, None).ok()?;
    Some(Guard {
        denied: sum.denied,
        warned: sum.nudged,
        errors: sum.errors,
        asleep: sum.asleep,
    })
}

fn installed(place: &Where, running: &std::path::Path, host: &Host) -> Seen {
    match place.open(Purpose::Look, running, host) {
        Ok(opened) => of(&opened, host),
        Err(error) => Seen {
            scope: if place.user {
                Scope::User
            } else {
                Scope::Project
            },
            root: String::new(),
            installed: false,
            version: None,
            starts: None,
            drift: Vec::new(),
            hooks: Hooks::None {
                reason: "could not look".to_owned(),
            },
            allowed: false,
            local_is_tracked: false,
            error: Some(crate::escape::failure(&error)),
        },
    }
}

fn of(opened: &Opened, host: &Host) -> Seen {
    let manifest = opened.recorded.as_ref();
    let plan = Plan::new(&opened.wanted, &opened.found, manifest, Options::default());
    let findings = manifest.map(|manifest| verify::findings(&plan, manifest));
    let drift = findings
        .into_iter()
        .flatten()
        .filter(|finding| !finding.ok());
    let starts = opened.found.binary.as_deref().and_then(binary::recorded);
    Seen {
        scope: opened.place.scope,
        root: opened.place.root.to_string_lossy().into_owned(),
        installed: manifest.is_some(),
        version: manifest.map(|manifest| manifest.tool.version.clone()),
        starts: starts.map(|(path, _)| path.to_string_lossy().into_owned()),
        drift: drift.collect(),
        hooks: hooks(opened, &plan, host),
        allowed: plan
            .settings
            .as_ref()
            .is_ok_and(|settings| settings.allowed),
        local_is_tracked: tracked::local_is_tracked(&opened.place, host),
        error: None,
    }
}

fn hooks(opened: &Opened, plan: &Plan<'_>, host: &Host) -> Hooks {
    let Some(manifest) = &opened.recorded else {
        return Hooks::None {
            reason: "not installed".to_owned(),
        };
    };
    if let Some(without) = manifest.without_hooks {
        let reason = match (without, claude::plugin(&opened.found.sources)) {
            (_, Some(_)) => "the enabled plugin brings them",
            (WithoutHooks::Plugin, None) => "the plugin that brought them is no longer enabled",
            (WithoutHooks::Asked, None) => "files only",
        };
        return Hooks::None {
            reason: reason.to_owned(),
        };
    }
    let broken = verify::hooks(plan, manifest)
        .into_iter()
        .find(|finding| matches!(finding.state, "inert" | "unreadable" | "missing"));
    if let Some(finding) = broken {
        let reason = format!("{} {}: {}", finding.state, finding.path, finding.detail);
        return Hooks::Inert {
            reason: reason.trim_end_matches([' ', ':']).to_owned(),
        };
    }
    match elsewhere(opened, host) {
        Some(reason) => Hooks::Inert { reason },
        None => Hooks::On,
    }
}

/// Claude Code reads project settings only from the folder that it is started in.
#[must_use]
pub fn elsewhere(opened: &Opened, host: &Host) -> Option<String> {
    let here = fs_err::canonicalize(&host.cwd).ok()?;
    let below = opened.place.scope != Scope::User
        && here != opened.place.root
        && here.starts_with(&opened.place.root);
    let root = shown(&opened.place.root.to_string_lossy());
    below.then(|| format!("hooks inert here: start claude in {root}, or install --user"))
}

fn print(answer: &Answer, host: &mut Host) -> Result<()> {
    let on_path = if answer.on_path {
        "on PATH"
    } else {
        "not on PATH"
    };
    writeln!(
        host.out,
        "lean-computer-use {} ({}, {on_path})",
        answer.version,
        shown(&answer.binary)
    )?;
    for place in &answer.places {
        print_place(place, host)?;
    }
    if let Some(guard) = &answer.guard {
        let Guard {
            denied,
            warned,
            asleep,
            ..
        } = guard;
        let sleeps = match asleep {
            0 => String::new(),
            n => format!("; it failed too often in {n} sessions and sleeps there"),
        };
        writeln!(
            host.out,
            "guard    refused {denied} calls, warned at {warned}{sleeps}"
        )?;
    }
    match &answer.driver {
        Some(path) => writeln!(host.out, "driver   {}", shown(path))?,
        None => writeln!(host.out, "driver   cua-driver was not found")?,
    }
    let proof = answer.proof.as_deref();
    let proof = proof.unwrap_or("none yet: lean-computer-use verify --proof");
    writeln!(host.out, "proof    {proof}")?;
    if let Some(folder) = config_folder(host) {
        let folder = shown(&host.friendly(&folder));
        writeln!(host.out, "claude   its folder is {folder}")?;
    }
    Ok(())
}

fn print_place(place: &Seen, host: &mut Host) -> Result<()> {
    let scope = place.scope.to_string();
    if let Some(error) = &place.error {
        return Ok(writeln!(host.out, "{scope:<8} {error}")?);
    }
    let root = shown(&place.root);
    let Some(version) = &place.version else {
        return Ok(writeln!(host.out, "{scope:<8} not installed in {root}")?);
    };
    let state = match place.drift.len() {
        0 => "as shipped".to_owned(),
        n => format!("{n} things differ (see verify)"),
    };
    writeln!(host.out, "{scope:<8} {} in {root}: {state}", shown(version))?;
    match &place.hooks {
        Hooks::On => writeln!(host.out, "  hooks are on")?,
        Hooks::Inert { reason } => writeln!(host.out, "  hooks do not run: {reason}")?,
        Hooks::None { reason } => writeln!(host.out, "  no hooks: {reason}")?,
    }
    let allowed = if place.allowed {
        "allowed"
    } else {
        "not allowed: each call asks"
    };
    writeln!(host.out, "  desk commands are {allowed}")?;
    if let Some(starts) = &place.starts {
        writeln!(
            host.out,
            "  launchers start {}",
            shown(&host.friendly(starts.as_ref()))
        )?;
    }
    if place.local_is_tracked {
        let what = quoted(".claude/lean-computer-use/local");
        writeln!(
            host.out,
            "  git tracks {what}, which belongs to one machine: git rm -r --cached {what}"
        )?;
    }
    Ok(())
}
