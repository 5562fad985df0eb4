//! Ends a run: quits the app that it launched, when told to; ends its driver session; removes its
//! files; stops the driver that was started for it, when nobody else uses it. Ends no process by
//! force. Safe to do twice.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use serde_json::{Map, Value, json};

use super::app::{self, App};
use super::busy::Locks;
use super::calls::Calls;
use super::driver::{Driver, Limits};
use super::judge::{Judged, judge};
use super::outcome::Stop;
use super::request::Window;
use super::session::{Process, Run};
use super::state::StateFolder;
use super::window::own;

/// How long an app may take to quit.
const QUIT: Duration = Duration::from_secs(5);

/// How long to wait before windows are asked to close once more.
const AGAIN: Duration = Duration::from_secs(1);

/// What to do besides removing files.
pub struct Order<'a> {
    /// The name that the app is called by.
    pub app: &'a str,
    /// The agent session.
    pub session: &'a str,
    /// Quit the app, if this run launched it, or another run of the session that called the same
    /// app by another name.
    pub quit: bool,
    /// Its display name.
    pub name: Option<&'a str>,
    /// How long to wait.
    pub limits: Limits,
}

/// What became of the app, the driver session or the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// There was none of ours.
    None,
    /// It was let alone.
    Left,
    /// It is gone.
    Ended,
    /// It is still there, or that cannot be told.
    Pending,
    /// It could not be asked to quit without its name.
    Unnamed,
}

impl Fate {
    /// The word that is printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Left => "left",
            Self::Ended => "ended",
            Self::Pending => "pending",
            Self::Unnamed => "unnamed",
        }
    }
}

/// What was done.
#[derive(Debug, Clone, Copy)]
pub struct Report {
    /// The app that the run launched.
    pub app: Fate,
    /// How many files were removed.
    pub removed: usize,
    /// The driver session.
    pub session: Fate,
    /// The driver that we started.
    pub driver: Fate,
}

impl Report {
    /// There was nothing to clean.
    #[must_use]
    pub fn nothing() -> Self {
        Self {
            app: Fate::None,
            removed: 0,
            session: Fate::None,
            driver: Fate::None,
        }
    }

    /// Whether something that was to end is still there.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        [self.app, self.session, self.driver].contains(&Fate::Pending)
    }

    /// Whether the app's name was needed.
    #[must_use]
    pub fn needs_name(&self) -> bool {
        self.app == Fate::Unnamed
    }
}

/// Cleans up; the files go in any case.
pub fn clean(
    state: &StateFolder,
    run: Option<Run>,
    mut driver: Option<&mut dyn Driver>,
    locks: &mut Locks,
    order: &Order,
) -> Result<Report> {
    let mut report = Report::nothing();
    let mut run = run;
    if let Some(run) = &mut run {
        let launched = run.launched().to_vec();
        report.app = quit_launched(run, launched, &mut driver, locks, order)?;
    }
    if report.app == Fate::None && order.quit {
        report.app = quit_called_otherwise(state, &mut driver, locks, order)?;
    }
    if let Some(run) = run {
        report.session = session(&run, &mut driver, order.limits.read);
        // What is to quit and has not is still ours to ask the next time.
        let open = [Fate::Pending, Fate::Unnamed].contains(&report.app);
        report.removed = if open { run.reduce()? } else { run.remove()? };
    }
    report.driver = stop_driver(state, &mut driver, order.limits)?;
    Ok(report)
}

/// Quits what the session launched by another name of the app: it is found by its processes.
fn quit_called_otherwise(
    state: &StateFolder,
    driver: &mut Option<&mut dyn Driver>,
    locks: &mut Locks,
    order: &Order,
) -> Result<Fate> {
    for mut run in Run::launchers(state, order.session)? {
        let Some(asked) = driver else {
            return Ok(Fate::Pending);
        };
        let mut launched = alive(&**asked, run.launched().to_vec());
        if launched.is_empty() {
            continue;
        }
        let mut calls = Calls::new(&mut **asked, &mut run, locks, order.limits);
        let apps = own("list_apps").and_then(|tool| calls.ask(tool, &Map::new(), None));
        let Ok(apps) = apps else {
            return Ok(Fate::Pending);
        };
        let App::Running(pids, _) = app::pick(order.app, &apps.answer) else {
            return Ok(Fate::None);
        };
        launched.retain(|process| pids.contains(&process.pid));
        if !launched.is_empty() {
            return quit_launched(&mut run, launched, driver, locks, order);
        }
    }
    Ok(Fate::None)
}

/// Quits what was launched and what still is that very process. An error means that another
/// command operates it; then nothing was done.
fn quit_launched(
    run: &mut Run,
    launched: Vec<Process>,
    driver: &mut Option<&mut dyn Driver>,
    locks: &mut Locks,
    order: &Order,
) -> Result<Fate> {
    if launched.is_empty() {
        return Ok(Fate::None);
    }
    let Some(driver) = driver else {
        return Ok(if order.quit {
            Fate::Pending
        } else {
            Fate::Left
        });
    };
    let alive = alive(&**driver, launched);
    if alive.is_empty() {
        return Ok(Fate::Ended);
    }
    if !order.quit {
        return Ok(Fate::Left);
    }
    locks.hold_all(&alive)?;
    let mut calls = Calls::new(&mut **driver, run, locks, order.limits);
    let (mut windows, mut time, mut fate) = (Vec::new(), Duration::ZERO, Fate::Pending);
    for process in &alive {
        match quit(&mut calls, process.pid, order.name) {
            Ok(Some(asked)) => {
                windows.extend(asked);
                time = QUIT;
            }
            Ok(None) => fate = Fate::Unnamed,
            // It can be gone by now.
            Err(_) => {}
        }
    }
    let end = Instant::now() + time;
    let ended = wait(&mut **driver, alive, &windows, end, order.limits.pause);
    Ok(if ended { Fate::Ended } else { fate })
}

/// Those of them that still are these very processes.
fn alive(driver: &dyn Driver, processes: Vec<Process>) -> Vec<Process> {
    let lives =
        |process: &Process| driver.process_start(process.pid).as_ref() == Some(&process.start);
    processes.into_iter().filter(lives).collect()
}

/// Waits for the end of all of these processes, whose windows were asked to close. Returns whether
/// they are gone.
fn wait(
    driver: &mut dyn Driver,
    mut processes: Vec<Process>,
    asked: &[Window],
    end: Instant,
    pause: Duration,
) -> bool {
    let mut again = Instant::now() + AGAIN;
    loop {
        processes = alive(driver, processes);
        if processes.is_empty() || Instant::now() >= end {
            return processes.is_empty();
        }
        // A busy app can miss it. These windows only: a question that came up is the user's.
        if Instant::now() >= again && !asked.is_empty() {
            again += AGAIN;
            let _ = driver.close(asked);
        }
        std::thread::sleep(pause);
    }
}

/// Asks a process to quit: by the app's own menu on macOS, by closing its windows elsewhere.
/// Returns the windows that were asked to close; none when the menu's name is not known.
fn quit(calls: &mut Calls, pid: i64, name: Option<&str>) -> Result<Option<Vec<Window>>, Stop> {
    let yes = calls.ask(own("list_windows")?, &Map::new(), None)?;
    let windows = yes.answer.reveal().get("windows").and_then(Value::as_array);
    let of_process = |window: &&Value| window.get("pid") == Some(&json!(pid));
    let windows: Vec<&Value> = windows.into_iter().flatten().filter(of_process).collect();
    let id = |window: &&Value| window.get("window_id")?.as_i64();
    let found: Vec<Window> = windows
        .iter()
        .filter_map(id)
        .map(|id| Window { pid, id })
        .collect();
    let Some(window) = app::pick_window(&[pid], &yes.answer) else {
        return Err(anyhow!("it has no window").into());
    };
    // Only the driver for macOS tells the layer of a window.
    let has_menu_bar = cfg!(target_os = "macos") || windows[0].get("layer").is_some();
    if !has_menu_bar {
        calls.close(&found)?;
        return Ok(Some(found));
    }
    let listed = windows[0].get("app_name").and_then(Value::as_str);
    let Some(name) = name.or(listed) else {
        return Ok(None);
    };
    let path = json!({"path": [name, format!("Quit {name}")]});
    let path = path.as_object().cloned().unwrap_or_default();
    calls.ask(own("invoke_menu")?, &path, Some(window))?;
    Ok(Some(Vec::new()))
}

fn session(run: &Run, driver: &mut Option<&mut dyn Driver>, limit: Duration) -> Fate {
    let (label, driver) = match (run.session(), driver) {
        (None, _) => return Fate::None,
        (Some(_), None) => return Fate::Pending,
        (Some(label), Some(driver)) => (label, driver),
    };
    match driver.call("end_session", &json!({ "session": label }), limit) {
        Ok(answer) => match judge(&answer) {
            Judged::Answered(_) | Judged::NotRunning | Judged::SessionEnded => Fate::Ended,
            _ => Fate::Pending,
        },
        Err(_) => Fate::Pending,
    }
}

/// Stops the driver only when we started it and no session lives in it.
fn stop_driver(
    state: &StateFolder,
    driver: &mut Option<&mut dyn Driver>,
    limits: Limits,
) -> Result<Fate> {
    if !state.started_driver() {
        return Ok(Fate::None);
    }
    let Some(driver) = driver else {
        return Ok(Fate::Pending);
    };
    let fate = match driver.sessions(limits.read) {
        Ok(None) => Fate::Ended,
        Ok(Some(sessions)) if !sessions.is_empty() => Fate::Left,
        Ok(Some(_)) => match driver.stop(limits.read) {
            Ok(true) => Fate::Ended,
            Ok(false) | Err(_) => Fate::Pending,
        },
        Err(_) => Fate::Pending,
    };
    if fate == Fate::Ended {
        state.forget_driver()?;
    }
    Ok(fate)
}
