//! The registered hooks, really fired: each ends with 0, the guard's refusal comes out, and without
//! the binary there is silence. What is run are the commands that stand in the settings file.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use fs_err as fs;
use serde_json::{Value, json};

use super::Line;
use super::fire::{Ground, Shot, fire, shell};
use super::installed::install;
use crate::cmd::hook::limits;
use crate::cmd::place::Opened;
use crate::escape::{quoted, shown};
use crate::hook::limits::Limits;
use crate::host::Host;
use crate::install::plan::{Options, Plan};
use crate::install::registered::{Registered, registered};
use crate::install::shipped::in_single_quotes;
use crate::install::{Scope, binary};

const GUARD: &str = "retry-guard";

/// The lines of one place.
pub fn lines(opened: &Opened, host: &Host, lines: &mut Vec<Line>) {
    if cfg!(windows) {
        lines.push(Line::note(
            "hooks",
            "not fired: there is no /bin/sh to fire them with",
            None,
        ));
        return;
    }
    let plan = Plan::new(
        &opened.wanted,
        &opened.found,
        opened.recorded.as_ref(),
        Options::default(),
    );
    let registered = registered(&plan);
    if opened
        .recorded
        .as_ref()
        .is_some_and(|manifest| manifest.without_hooks.is_some())
    {
        lines.push(Line::note(
            "hooks",
            "none are registered",
            Some(install(opened)),
        ));
        return;
    }
    let settings = opened.found.sources.iter();
    if registered.is_empty() && settings.clone().any(|source| source.read().is_err()) {
        // The line of that file says where and why.
        return;
    }
    if registered.is_empty() {
        lines.push(Line::fail("hooks", "none are registered", install(opened)));
        return;
    }
    let (limits, sound) = limits(host);
    if let Err(error) = sound {
        let seen = format!("{}; the defaults hold", crate::escape::failure(&error));
        lines.push(Line::fail(
            "config",
            seen,
            "${EDITOR:-vi} .claude/lean-computer-use/config.toml",
        ));
    }
    let off = limits.scope != Limits::default().scope;
    if off {
        let seen = "it is set to guard less than everything, so no refusal was tried";
        lines.push(Line::note("guard", seen, None));
    }
    for (what, check) in [
        ("hooks", every_event as Check),
        ("refusal", refuses),
        ("no binary", without_binary),
        ("launchers", launchers),
    ] {
        if off && what == "refusal" {
            continue;
        }
        lines.push(match check(opened, host, &registered) {
            Ok(seen) => Line::ok(what, seen),
            Err(error) => Line::fail(what, crate::escape::failure(&error), install(opened)),
        });
    }
}

type Check = fn(&Opened, &Host, &[Registered]) -> Result<String>;

/// Temp folders for one check.
struct World {
    temp: tempfile::TempDir,
    home: std::path::PathBuf,
}

impl World {
    fn new(host: &Host) -> Result<Self> {
        let temp = tempfile::Builder::new()
            .prefix("lean-computer-use-doctor-")
            .tempdir()?;
        let home = host.home().unwrap_or(temp.path()).to_owned();
        Ok(Self { temp, home })
    }

    fn ground<'a>(&'a self, project: &'a Path) -> Ground<'a> {
        Ground {
            project,
            home: &self.home,
            state: self.temp.path(),
        }
    }
}

/// Where hooks of this place run: in the project, or in user scope anywhere.
fn project(opened: &Opened, world: &World) -> std::path::PathBuf {
    match opened.place.scope {
        Scope::User => world.temp.path().to_owned(),
        Scope::Project | Scope::Local => opened.place.root.clone(),
    }
}

/// Every registered command, with an event that asks for nothing.
fn every_event(opened: &Opened, host: &Host, registered: &[Registered]) -> Result<String> {
    let world = World::new(host)?;
    let project = project(opened, &world);
    for Registered {
        hook,
        event,
        command,
    } in registered
    {
        let call = json!({"session_id": "doctor", "hook_event_name": event, "cwd": project});
        let shot = fire(command, &world.ground(&project), &call)?;
        ensure!(
            shot.silent(),
            "{event} {hook} did not end quietly: {}",
            words(&shot)
        );
    }
    Ok(format!("{} fired, each ended with 0", registered.len()))
}

/// The same failure twice, and a third try.
fn refuses(opened: &Opened, host: &Host, registered: &[Registered]) -> Result<String> {
    let world = World::new(host)?;
    let project = project(opened, &world);
    let call = |event: &str, id: u32, rest: Value| -> Result<Shot> {
        let found = registered
            .iter()
            .find(|r| r.hook == GUARD && r.event == event);
        let found = found.with_context(|| format!("{GUARD} is not registered for {event}"))?;
        let mut payload = json!({
            "session_id": "doctor",
            "cwd": project,
            "hook_event_name": event,
            "tool_name": "Bash",
            "tool_input": {"command": "lean-computer-use-doctor --fails"},
            "tool_use_id": format!("doctor-{id}"),
        });
        if let (Some(payload), Value::Object(rest)) = (payload.as_object_mut(), rest) {
            payload.extend(rest);
        }
        fire(&found.command, &world.ground(&project), &payload)
    };
    for id in 1..=2 {
        let shot = call("PreToolUse", id, json!({}))?;
        ensure!(
            shot.silent(),
            "try {id} was not let through: {}",
            words(&shot)
        );
        let error = json!({"error": "Exit code 2\ndoctor: it fails", "is_interrupt": false});
        call("PostToolUseFailure", id, error)?;
    }
    let shot = call("PreToolUse", 3, json!({}))?;
    let answer: Value = serde_json::from_str(&shot.out).unwrap_or_default();
    ensure!(
        shot.code == Some(0) && answer["hookSpecificOutput"]["permissionDecision"] == "deny",
        "a third identical failure was not refused ({})",
        words(&shot)
    );
    Ok("a third identical failure is refused".to_owned())
}

/// The same launchers in a place where the recorded binary is gone.
fn without_binary(opened: &Opened, host: &Host, registered: &[Registered]) -> Result<String> {
    let world = World::new(host)?;
    let ours = opened.place.at(&opened.place.names.ours);
    let copy = world.temp.path().join(".claude/lean-computer-use");
    fs::create_dir_all(copy.join("hooks"))?;
    fs::create_dir_all(copy.join("local"))?;
    let gone = world.temp.path().join("gone");
    write(&copy.join("local/binary"), &format!("{}\n", gone.display()))?;
    let recorded = opened.found.binary.as_deref().and_then(binary::recorded);
    for entry in fs::read_dir(ours.join("hooks"))? {
        let entry = entry?;
        if !entry.file_type()?.is_file() {
            continue;
        }
        let mut text = fs::read_to_string(entry.path())?;
        if let (Scope::User, Some((path, _))) = (opened.place.scope, &recorded) {
            text = text.replace(
                &in_single_quotes(&path.to_string_lossy()),
                &gone.to_string_lossy(),
            );
        }
        write(&copy.join("hooks").join(entry.file_name()), &text)?;
    }
    let ground = Ground {
        project: world.temp.path(),
        home: world.temp.path(),
        state: world.temp.path(),
    };
    for Registered {
        hook,
        event,
        command,
    } in registered
    {
        let command = command.replace(
            &in_single_quotes(&ours.to_string_lossy()),
            &copy.to_string_lossy(),
        );
        let shot = fire(&command, &ground, &json!({"hook_event_name": event}))?;
        ensure!(
            shot.silent(),
            "{event} {hook} is not silent without the binary: {}",
            words(&shot)
        );
    }
    Ok("without it every hook is silent and ends with 0".to_owned())
}

/// A desk launcher, which finds the binary with a bare PATH.
fn launchers(opened: &Opened, host: &Host, _: &[Registered]) -> Result<String> {
    let world = World::new(host)?;
    let launcher = opened
        .place
        .at(&format!("{}/desk/desk-read", opened.place.names.ours));
    let output = shell("\"$TOOL\" --help", &world.ground(world.temp.path()))
        .env("TOOL", &launcher)
        .output()?;
    ensure!(
        output.status.success(),
        "{} did not find the binary with a bare PATH",
        shown(&launcher.to_string_lossy())
    );
    Ok("they find the binary with a bare PATH".to_owned())
}

fn write(path: &Path, text: &str) -> Result<()> {
    crate::files::replace(path, text.as_bytes(), 0o644)
}

fn words(shot: &Shot) -> String {
    let code = shot
        .code
        .map_or("a signal".to_owned(), |code| format!("exit {code}"));
    if shot.out.is_empty() {
        return format!("{code}, no output");
    }
    let start: String = shot.out.chars().take(200).collect();
    format!("{code}, {}", quoted(&start))
}
