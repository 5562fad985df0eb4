//! From an app's name to its window. A running app is found before anything is launched; what the
//! run launched is remembered; a window is used again only while its process is the same one; and
//! the process is this command's alone from then on.

use anyhow::anyhow;
use serde_json::{Map, Value};

use super::app::{self, App};
use super::busy::Launch;
use super::calls::Calls;
use super::outcome::Stop;
use super::request::Window;
use super::session::Process;
use super::window::own;
use crate::escape;

/// How often to look for a window of an app that runs: 1 s with the usual pause.
const LOOKS: usize = 10;

/// How often to look for the first window of an app that starts: 5 s.
const LAUNCH_LOOKS: usize = 50;

/// The window of an earlier command, while its process is the same one.
pub fn known(calls: &mut Calls) -> Result<Option<Window>, Stop> {
    let Some((window, process)) = calls.run.window() else {
        return Ok(None);
    };
    let process = process.clone();
    let lives = |calls: &Calls| calls.process_start(process.pid).as_ref() == Some(&process.start);
    if !lives(calls) {
        return Ok(None);
    }
    calls.grant.app(calls.run.is_restricted())?;
    calls.locks.hold(process.pid, Some(&process.start))?;
    // It can have ended while another command was waited for.
    Ok(lives(calls).then_some(window))
}

/// Finds the app's window, or launches the app and waits for its first one.
pub fn find_or_launch(calls: &mut Calls, name: &str) -> Result<Window, Stop> {
    loop {
        let (pids, arguments) = match look_up(calls, name)? {
            App::Unknown => return Err(unknown(name)),
            App::Installed(arguments) => (Vec::new(), Some(arguments)),
            App::Running(pids, arguments) => (pids, arguments),
        };
        let found = match first_window(calls, &pids, LOOKS)? {
            Some(window) => window,
            // Its window can be on another desktop of this machine, whose processes are listed too.
            None => match arguments {
                Some(arguments) => launch_once(calls, name, &arguments)?,
                None => return Err(no_window(name)),
            },
        };
        if let Some(window) = taken(calls, found)? {
            return Ok(window);
        }
    }
}

/// The window, kept for this command alone; none when another one had its process, and may have
/// closed it.
fn taken(calls: &mut Calls, window: Window) -> Result<Option<Window>, Stop> {
    if calls.hold(window.pid)? {
        return Ok(None);
    }
    remember(calls, window)?;
    Ok(Some(window))
}

/// Launches the app and waits for its first window, unless another command did, by any of the
/// app's names.
fn launch_once(
    calls: &mut Calls,
    name: &str,
    arguments: &Map<String, Value>,
) -> Result<Window, Stop> {
    let mut launch = calls.locks.launch(arguments)?;
    let mut pids = match look_up(calls, name)? {
        App::Running(pids, _) => pids,
        App::Installed(_) | App::Unknown => Vec::new(),
    };
    let pending = launch.pending().filter(|it| {
        let start = calls.process_start(it.pid);
        start.as_ref() == Some(&it.start)
    });
    if let Some(process) = &pending {
        // A second copy would not come up sooner.
        pids.push(process.pid);
    } else if let Some(window) = first_window(calls, &pids, 1)? {
        return Ok(window);
    } else {
        let new = launched(calls, name, arguments, &pids, &mut launch)?;
        pids.extend(new);
    }
    match first_window(calls, &pids, LAUNCH_LOOKS)? {
        Some(window) => {
            launch.note(None)?;
            Ok(window)
        }
        None => Err(no_window(name)),
    }
}

/// Finds the window of an app that ran a moment ago. Launches nothing: a step can have closed it.
pub fn find_again(calls: &mut Calls, name: &str) -> Result<Window, Stop> {
    calls.run.forget_window()?;
    loop {
        let pids = match look_up(calls, name)? {
            App::Running(pids, _) => pids,
            App::Installed(_) | App::Unknown => return Err(no_window(name)),
        };
        let found = first_window(calls, &pids, LOOKS)?;
        let found = found.ok_or_else(|| no_window(name))?;
        if let Some(window) = taken(calls, found)? {
            return Ok(window);
        }
    }
}

/// Whether an app of one of these names runs.
pub fn is_running<'n>(
    calls: &mut Calls,
    names: impl Iterator<Item = &'n str>,
) -> Result<bool, Stop> {
    let apps = calls.ask(own("list_apps")?, &Map::new(), None)?;
    let mut names = names;
    let runs = |name| {
        matches!(
            alive(calls, app::pick(name, &apps.answer)),
            App::Running(..)
        )
    };
    Ok(names.any(runs))
}

/// Without what ended and only waits to be reaped: the driver lists that too.
fn alive(calls: &Calls, app: App) -> App {
    let App::Running(mut pids, arguments) = app else {
        return app;
    };
    pids.retain(|pid| !calls.has_ended(*pid));
    match (pids.is_empty(), arguments) {
        (false, arguments) => App::Running(pids, arguments),
        (true, Some(arguments)) => App::Installed(arguments),
        (true, None) => App::Unknown,
    }
}

fn look_up(calls: &mut Calls, name: &str) -> Result<App, Stop> {
    let apps = calls.ask(own("list_apps")?, &Map::new(), None)?;
    calls.run.restrict(app::is_restricted(name, &apps.answer));
    calls.grant.app(calls.run.is_restricted())?;
    Ok(alive(calls, app::pick(name, &apps.answer)))
}

/// Uses the window also in the next command.
pub fn remember(calls: &mut Calls, window: Window) -> Result<(), Stop> {
    let start = calls.process_start(window.pid);
    calls.run.remember(window, start)?;
    Ok(())
}

fn no_window(name: &str) -> Stop {
    let name = escape::quoted(name);
    Stop::CouldNot(anyhow!(
        "could not find a window of {name}: it has none, or does not run any more"
    ))
}

/// The best window of these processes, looked for so often.
fn first_window(calls: &mut Calls, pids: &[i64], looks: usize) -> Result<Option<Window>, Stop> {
    let looks = if pids.is_empty() { 0 } else { looks };
    for left in (0..looks).rev() {
        let windows = calls.ask(own("list_windows")?, &Map::new(), None)?;
        let window = app::pick_window(pids, &windows.answer);
        if window.is_some() {
            return Ok(window);
        }
        if left > 0 {
            calls.pause();
        }
    }
    Ok(None)
}

/// Launches the app. Returns the new process, if there is one: an app that runs already, without
/// a window, can have been asked for one, and is not ours.
fn launched(
    calls: &mut Calls,
    name: &str,
    arguments: &Map<String, Value>,
    before: &[i64],
    launch: &mut Launch,
) -> Result<Option<i64>, Stop> {
    match calls.ask(own("launch_app")?, arguments, None) {
        Ok(yes) => {
            let pid = yes.answer.reveal().get("pid").and_then(Value::as_i64);
            let new = pid.filter(|pid| !before.contains(pid));
            let start = new.and_then(|pid| calls.process_start(pid));
            if let Some((pid, start)) = new.zip(start) {
                let process = Process { pid, start };
                launch.note(Some(&process))?;
                calls.run.note_launched(process)?;
            }
            Ok(new)
        }
        Err(Stop::Failed(failure)) => {
            let code = failure
                .code
                .as_ref()
                .map_or("no code", |code| code.as_str());
            if code == "app_not_installed" {
                return Err(unknown(name));
            }
            let name = escape::quoted(name);
            Err(anyhow!("could not launch the app {name}: the driver refused ({code})").into())
        }
        Err(stop) => Err(stop),
    }
}

fn unknown(name: &str) -> Stop {
    let name = escape::quoted(name);
    Stop::CouldNot(anyhow!(
        "could not find the app {name}: none that runs or is installed has this bundle id, desktop-file id, executable or display name"
    ))
}
