//! The process's own world, read once: environment, folders, clock, standard streams. Commands
//! get it, flows never see it.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal as _, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use jiff::Timestamp;

/// What a command may know of its surroundings and where it may write to.
pub struct Host {
    env: HashMap<OsString, OsString>,
    /// The folder the program was started in.
    pub cwd: PathBuf,
    /// The running binary's own path, when the system tells it.
    pub exe: Option<PathBuf>,
    /// Whether a person can be asked: a terminal on both ends, and no `CI`.
    pub interactive: bool,
    /// Standard input.
    pub stdin: Box<dyn Read + Send>,
    /// Standard output: answers.
    pub out: Box<dyn Write>,
    /// Standard error: failures and warnings.
    pub err: Box<dyn Write>,
    /// What the command does first.
    pub start: Start,
    /// Whether a person sees standard output as it is written.
    pub out_is_terminal: bool,
    /// The same for standard error.
    pub err_is_terminal: bool,
}

/// What a command does first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// It runs.
    Runs,
    /// It panics. Only a hidden flag asks for that, to see how a panic ends.
    Panics,
}

impl Host {
    /// The real surroundings of this process.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads environment and folder"
    )]
    pub fn real() -> Self {
        Self {
            env: std::env::vars_os().collect(),
            cwd: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            exe: std::env::current_exe().ok(),
            interactive: io::stdin().is_terminal()
                && io::stdout().is_terminal()
                && std::env::var_os("CI").is_none_or(|ci| ci.is_empty()),
            stdin: Box::new(io::stdin()),
            out: Box::new(anstream::stdout()),
            err: Box::new(anstream::stderr()),
            start: Start::Runs,
            out_is_terminal: io::stdout().is_terminal(),
            err_is_terminal: io::stderr().is_terminal(),
        }
    }

    /// The value of an environment variable; an empty one counts as unset.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<&OsStr> {
        self.env
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
            .filter(|value| !value.is_empty())
    }

    /// The same as text; a value that is not UTF-8 counts as unset.
    #[must_use]
    pub fn text_var(&self, name: &str) -> Option<&str> {
        self.var(name)?.to_str()
    }

    /// Whether a variable is there, empty or not.
    #[must_use]
    pub fn is_set(&self, name: &str) -> bool {
        self.env.contains_key(OsStr::new(name))
    }

    /// An absolute folder named by a variable. A relative one would mean another place in every
    /// folder, so it counts as unset (as the XDG base directory specification asks).
    #[must_use]
    pub fn folder_var(&self, name: &str) -> Option<&Path> {
        self.var(name)
            .map(Path::new)
            .filter(|path| path.is_absolute())
    }

    /// The user's home folder.
    #[must_use]
    pub fn home(&self) -> Option<&Path> {
        let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        self.folder_var(name)
    }

    /// The folder of the program's own state: `$XDG_STATE_HOME/lean-computer-use`, else
    /// `~/.local/state/lean-computer-use` (on macOS too: one rule to explain).
    pub fn state_folder(&self) -> Result<PathBuf> {
        if let Some(state) = self.folder_var("XDG_STATE_HOME") {
            return Ok(state.join("lean-computer-use"));
        }
        let home = self.home().context(
            "could not find a folder for state: set HOME or XDG_STATE_HOME to an absolute path",
        )?;
        Ok(home.join(".local/state/lean-computer-use"))
    }

    /// The folder of what can be made again: `$XDG_CACHE_HOME/lean-computer-use`, else
    /// `~/.cache/lean-computer-use`, if there is a home.
    #[must_use]
    pub fn cache_folder(&self) -> Option<PathBuf> {
        let cache = self.folder_var("XDG_CACHE_HOME").map(Path::to_owned);
        let cache = cache.or_else(|| Some(self.home()?.join(".cache")))?;
        Some(cache.join("lean-computer-use"))
    }

    /// The time now. `LEAN_COMPUTER_USE_CLOCK_MS` (milliseconds since 1970) replaces the clock,
    /// for replays and tests.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the clock"
    )]
    pub fn now(&self) -> Timestamp {
        self.text_var("LEAN_COMPUTER_USE_CLOCK_MS")
            .and_then(|text| text.parse().ok())
            .and_then(|ms| Timestamp::from_millisecond(ms).ok())
            .unwrap_or_else(Timestamp::now)
    }

    /// `path` as a person would write it: below the home folder with `~`.
    #[must_use]
    pub fn friendly(&self, path: &Path) -> String {
        match self.home().and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    }

    /// The environment as it was, for a child process that must see it.
    pub fn env(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.env
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}
