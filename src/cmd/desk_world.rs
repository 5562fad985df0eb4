//! What the desk commands take from their surroundings: state folder, run, driver, project; and
//! how the end of the flow becomes an exit code.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::desk::busy::{self, Locks};
use crate::desk::cua::Cua;
use crate::desk::locate::{Places, locate, usual};
use crate::desk::simulated::{self, Simulated};
use crate::desk::{Calls, Driver, Grant, Limits, Run, StateFolder, Status, Stop, receipt, saved};
use crate::exit::{Desk, DeskOutcome, Exits};
use crate::hook;
use crate::host::Host;

/// Arguments that every desk command has.
#[derive(Debug, clap::Args)]
pub struct Common {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Keep the state of this run here
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// Act on the built-in simulated calculator instead of the real desktop
    #[arg(long, hide = true)]
    pub simulated: bool,
    /// End a driver call after this many milliseconds
    #[arg(long, hide = true, value_name = "MS")]
    pub limit: Option<u64>,
}

/// What the brief grants beyond the harmless; arguments of the commands that act.
#[derive(Debug, clap::Args)]
pub struct Granted {
    /// Press a control with this label though it sounds risky (send, delete, close, …)
    #[arg(long, value_name = "LABEL")]
    pub approve: Vec<String>,
    /// Operate a terminal or the system settings
    #[arg(long)]
    pub allow_app: bool,
    /// Bring the window to the front where keys cannot reach it otherwise
    #[arg(long)]
    pub foreground: bool,
}

impl Granted {
    /// For the flow.
    #[must_use]
    pub fn grant(&self) -> Grant {
        Grant {
            labels: self.approve.clone(),
            apps: self.allow_app,
            foreground: self.foreground,
        }
    }

    /// What makes a call another one for the retry rule.
    #[must_use]
    pub fn words(&self) -> String {
        let Self {
            approve,
            allow_app,
            foreground,
        } = self;
        format!("{allow_app} {foreground} {approve:?}")
    }
}

/// More than this is no packet and no arguments.
const MAX_INPUT: u64 = 1 << 20;

/// Everything a desk command works with.
pub struct World {
    /// The private folder.
    pub state: StateFolder,
    /// This app in this agent session.
    pub run: Run,
    /// The driver.
    pub driver: Box<dyn Driver>,
    /// How long to wait.
    pub limits: Limits,
    /// The project that the command was called in.
    pub project: Option<PathBuf>,
    /// Held until the command is done.
    pub locks: Locks,
}

impl World {
    /// Opens the run and finds the driver.
    pub fn open(app: &str, common: &Common, host: &Host) -> Result<Self> {
        // The driver first: without one nothing is written.
        let binary = if common.simulated {
            None
        } else {
            Some(locate_driver(host)?)
        };
        let state = StateFolder::claim(&state_folder(common, host)?)?;
        let limits = limits(common);
        let shared = lock_folder(&state, common, host);
        let locks = Locks::of(&shared, app, limits.lock)?;
        let project = saved::project(&host.cwd, host.home());
        let now = u64::try_from(host.now().as_millisecond()).unwrap_or(0);
        let now = Duration::from_millis(now);
        saved::prune(&state, project.as_deref(), now);
        busy::prune(&shared, now, saved::KEPT);
        let counts = state.path().join("guard");
        let _ = hook::state::prune(&counts, host.now().as_millisecond());
        let run = Run::open(&state, session(common, host), app)?;
        let driver: Box<dyn Driver> = match binary {
            Some(binary) => Box::new(Cua::new(binary)),
            None => Box::new(Simulated::new(run.folder().join(simulated::FILE), app)),
        };
        Ok(Self {
            state,
            run,
            driver,
            limits,
            project,
            locks,
        })
    }

    /// Calls of the driver for this run.
    pub fn calls(&mut self) -> Calls<'_> {
        let locks = &mut self.locks;
        Calls::new(&mut *self.driver, &mut self.run, locks, self.limits)
    }

    /// Saves a full read as the run's next one, and as evidence when a name is given. Returns the
    /// path to print; the second value says that evidence had no project to lie in.
    pub fn save(&self, evidence: Option<&str>, bytes: &[u8]) -> Result<(PathBuf, bool)> {
        let path = saved::read(&self.run, bytes)?;
        match evidence {
            None => Ok((path, false)),
            Some(name) => self.keep(name, bytes),
        }
    }

    /// Saves a full read as evidence.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> Result<(PathBuf, bool)> {
        let project = self.project.as_deref();
        let path = saved::evidence(project, &self.state, name, bytes)?;
        Ok((path, project.is_none()))
    }

    /// A path as it is printed: short in the project's own folder, whole elsewhere.
    #[must_use]
    pub fn friendly(&self, path: &Path, cwd: &Path) -> PathBuf {
        match &self.project {
            Some(project) if project == cwd => path.strip_prefix(project).unwrap_or(path),
            _ => path,
        }
        .to_owned()
    }
}

/// The limits, or the one that was asked for.
#[must_use]
pub fn limits(common: &Common) -> Limits {
    let mut limits = Limits::default();
    if let Some(limit) = common.limit.map(Duration::from_millis) {
        (limits.read, limits.act, limits.lock) = (limit, limit, limit);
    }
    limits
}

/// `--state`, else `DESK_STATE_DIR`, else a folder of the program's own state.
pub fn state_folder(common: &Common, host: &Host) -> Result<PathBuf> {
    if let Some(folder) = &common.state {
        return Ok(host.cwd.join(folder));
    }
    if let Some(folder) = host.var("DESK_STATE_DIR") {
        return Ok(host.cwd.join(folder));
    }
    Ok(host.state_folder()?.join("desk"))
}

/// Where the locks of this user's apps lie: in the program's own state, whatever folder a run
/// keeps its state in. Where that cannot be written no other run can be, so the run's own will do.
/// A simulated app is of one run only.
#[must_use]
pub fn lock_folder(state: &StateFolder, common: &Common, host: &Host) -> StateFolder {
    let own = host.state_folder().ok().filter(|_| !common.simulated);
    let own = own.and_then(|folder| StateFolder::claim(&folder.join("desk")).ok());
    own.unwrap_or_else(|| state.clone())
}

/// The agent session that this run belongs to. A state folder that was named is a run by itself.
#[must_use]
pub fn session<'a>(common: &Common, host: &'a Host) -> &'a str {
    match common.state {
        Some(_) => "state",
        None => host.text_var("CLAUDE_CODE_SESSION_ID").unwrap_or("default"),
    }
}

/// The driver's binary.
pub fn locate_driver(host: &Host) -> Result<PathBuf> {
    let project = around(&host.cwd, host.home());
    locate(&Places {
        chosen: host.var("CUA_DRIVER_BIN").map(Path::new),
        usual: &usual(host.home()),
        path: host.var("PATH"),
        project,
    })
}

/// The project at hand, installed or not: nothing in it is run.
fn around<'a>(cwd: &'a Path, home: Option<&Path>) -> Option<&'a Path> {
    let is_root = |folder: &&Path| folder.join(".git").exists() || folder.join(".claude").exists();
    cwd.ancestors()
        .take_while(|folder| Some(*folder) != home)
        .find(is_root)
}

/// Standard input as text, at most a megabyte.
pub fn input(host: &mut Host) -> Result<String> {
    let mut text = String::new();
    let mut limited = (&mut host.stdin).take(MAX_INPUT + 1);
    let length = limited
        .read_to_string(&mut text)
        .context("could not read standard input as text")?;
    if length as u64 > MAX_INPUT {
        bail!("could not take standard input: it is larger than 1 MB");
    }
    Ok(text)
}

/// How to tell why a flow stopped.
pub struct Told<'t> {
    /// Tool and step.
    pub place: &'t str,
    /// What a JSON object holds besides.
    pub fields: Value,
    /// Whether it is JSON, and whether the driver was a made-up one.
    pub common: &'t Common,
}

/// Prints why a flow stopped, and says with which code to end. What could not run at all goes the
/// way of every error. A failure on the simulated desktop says that it is one.
pub fn stopped(stop: Stop, told: Told, host: &mut Host) -> Result<DeskOutcome> {
    let Told {
        place,
        fields,
        common,
    } = told;
    let outcome = match &stop {
        Stop::Failed(failure) if failure.status == Status::Unknown => DeskOutcome::Unknown,
        Stop::Failed(failure) if failure.status == Status::NeedsConfirmation => {
            DeskOutcome::NeedsConfirmation
        }
        Stop::Failed(_) => DeskOutcome::No,
        Stop::PermissionsPending(_) => DeskOutcome::PermissionsPending,
        Stop::DriverStatus(status, _) => DeskOutcome::Driver(*status),
        Stop::CouldNot(_) => DeskOutcome::CouldNotRun,
    };
    match (common.json, stop) {
        (true, stop) => {
            let mut object = receipt::failure_json(&stop, Desk(outcome).code());
            object["simulated"] = common.simulated.into();
            if let (Some(object), Value::Object(fields)) = (object.as_object_mut(), fields) {
                object.extend(fields);
            }
            writeln!(host.out, "{object}")?;
        }
        (false, Stop::CouldNot(error)) if common.simulated => {
            return Err(error.context("simulated"));
        }
        (false, Stop::CouldNot(error)) => return Err(error),
        (false, stop) => {
            receipt::failure(&mut host.out, place, &stop)?;
            if common.simulated {
                writeln!(host.out, "simulated: no real app was asked")?;
            }
        }
    }
    Ok(outcome)
}
