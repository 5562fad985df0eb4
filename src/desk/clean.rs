//! Ends a run: its driver session, then its files. Quits no app and stops no driver. Safe to do
//! twice.

use std::time::Duration;

use anyhow::Result;
use serde_json::json;

use super::driver::Driver;
use super::judge::{Judged, judge};
use super::session::Run;

/// What became of the driver session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Session {
    /// There was none.
    None,
    /// It was ended, or the driver that held it does not run.
    Ended,
    /// It may live on, until the driver forgets it after some minutes.
    Pending,
}

impl Session {
    /// The word that is printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Ended => "ended",
            Self::Pending => "pending",
        }
    }
}

/// Ends the session and removes the run's files, these in any case. Returns how many there were.
pub fn clean(
    run: Run,
    driver: Option<&mut dyn Driver>,
    limit: Duration,
) -> Result<(Session, usize)> {
    let session = match (run.session(), driver) {
        (None, _) => Session::None,
        (Some(_), None) => Session::Pending,
        (Some(label), Some(driver)) => {
            match driver.call("end_session", &json!({ "session": label }), limit) {
                Ok(answer) => match judge(&answer) {
                    Judged::Answered(_) | Judged::NotRunning | Judged::SessionEnded => {
                        Session::Ended
                    }
                    _ => Session::Pending,
                },
                Err(_) => Session::Pending,
            }
        }
    };
    Ok((session, run.remove()?))
}
