//! The process boundary: what may be asked of a driver and what comes back, unjudged.

use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

use super::request::Window;
use super::shown::RawText;

/// A driver: the real one ([`super::cua`]) or the built-in calculator ([`super::simulated`]).
pub trait Driver {
    /// Calls a tool with one JSON object and waits at most `limit`. An error means that the call
    /// certainly did not happen.
    fn call(&mut self, tool: &str, arguments: &Value, limit: Duration) -> Result<Answer>;

    /// Starts the driver's background process and waits until it answers.
    fn start(&mut self) -> Result<Started>;

    /// When the process with this id started, in any form that compares equal only for the same
    /// process. None when there is no such process or it cannot be told.
    fn process_start(&self, pid: i64) -> Option<String>;

    /// Whether the process ended and only waits for its parent to notice. False where that cannot
    /// be told.
    fn has_ended(&self, _pid: i64) -> bool {
        false
    }

    /// Whether it has this tool.
    fn offers(&mut self, tool: &str, limit: Duration) -> Result<bool>;

    /// What tells this driver from another one, or from another version: equal for equal ones.
    fn stamp(&self) -> String;

    /// The labels of the sessions that live in it; none when it does not run.
    fn sessions(&mut self, limit: Duration) -> Result<Option<Vec<String>>>;

    /// Stops its background process. Returns whether it is gone.
    fn stop(&mut self, limit: Duration) -> Result<bool>;

    /// Asks windows to close, as their title bar's button does.
    fn close(&mut self, windows: &[Window]) -> Result<()>;

    /// Whether what it shows is made up; receipts say so.
    fn is_simulated(&self) -> bool {
        false
    }
}

/// How starting the driver ended.
#[derive(Debug)]
pub enum Started {
    /// It answers.
    Ready,
    /// It waits for system permissions (its exit code 75), with what it said.
    PermissionsPending(RawText),
}

/// What one driver process printed and how it ended.
#[derive(Clone)]
pub struct Answer {
    /// How it ended.
    pub end: End,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// How a driver process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal that was not ours.
    Signal,
    /// We ended it, because its time was over.
    TimedOut,
    /// We ended it, because it said more than [`MAX_ANSWER`].
    TooBig,
}

/// More than this, in bytes, is no answer. The largest seen from a real driver is below 100 KB
/// without a screenshot.
pub const MAX_ANSWER: usize = 32 << 20;

/// How long to wait for what.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// One driver call that reads.
    pub read: Duration,
    /// One driver call that acts; a click watches the window for a third of a second.
    pub act: Duration,
    /// Until another desk command on the same app is done.
    pub lock: Duration,
    /// Between two looks at an app that changes late.
    pub pause: Duration,
    /// Between a text and its read-back: an app can take back what it does not like a moment
    /// later, and a text that is seen too early would be `done`.
    pub settle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            read: Duration::from_secs(15),
            act: Duration::from_secs(30),
            lock: Duration::from_secs(10),
            pause: Duration::from_millis(100),
            settle: Duration::from_millis(250),
        }
    }
}
