//! The retry rule of `desk` and `desk-run`: the session's count lies in the state folder, in the
//! form of the guard's own logs; the guard's log tells when the user sent a prompt. Fails open:
//! what cannot be read or written counts nothing.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::hook::limits;
use crate::desk::outcome::{Code, Failure};
use crate::desk::retry::{self, Ended};
use crate::desk::shown::Shown;
use crate::desk::{Status, Stop, receipt};
use crate::exit::{Desk, DeskOutcome, Exits};
use crate::files;
use crate::hook::key::{self, Secret};
use crate::hook::limits::Limits;
use crate::hook::record::{Kind, Logs, Record};
use crate::hook::retry_guard::Known;
use crate::hook::state::Session;
use crate::host::Host;

/// One call's words and where its session's count is kept; none when `DESK_GUARD` is off.
pub struct Attempt {
    words: Vec<String>,
    kept: Option<Kept>,
}

struct Kept {
    state: PathBuf,
    session: String,
    limits: Limits,
    now: i64,
}

impl Attempt {
    /// Before the driver is asked anything.
    pub fn new(words: Vec<String>, state: &Path, session: &str, host: &Host) -> Self {
        let off = host.text_var("DESK_GUARD") == Some("off");
        let kept = Kept {
            state: state.to_owned(),
            session: session.to_owned(),
            limits: limits(host).0,
            now: host.now().as_millisecond(),
        };
        let kept = (!off).then_some(kept);
        if let (Some(kept), Some(prompt)) = (&kept, last_prompt(host)) {
            let _ = kept.note_prompt(prompt);
        }
        Self { words, kept }
    }

    /// Why these words are not tried again.
    pub fn refused(&self) -> Option<Stop> {
        let is_refused = self.kept.as_ref()?.refuses(&self.words).unwrap_or(false);
        is_refused.then(|| {
            let mut no = Failure::new(Status::Refused, Some(Code::own("retry")));
            no.detail.push(Shown::own(
                "not run: this very call failed again and again in the same way; read the window, change the call, or report",
            ));
            no.into()
        })
    }

    /// After it: `stop` says how it failed, `changed` whether it may have changed something.
    pub fn ended(self, stop: Option<&Stop>, place: &str, changed: bool) {
        let line = stop.map(|stop| receipt::first_line(place, stop));
        let ended = match (stop, &line) {
            (Some(Stop::Failed(no)), Some(line)) if no.status != Status::NeedsConfirmation => {
                let unknown = no.status == Status::Unknown;
                let outcome = if unknown {
                    DeskOutcome::Unknown
                } else {
                    DeskOutcome::No
                };
                Ended::Failed(Desk(outcome).code(), line)
            }
            (Some(_), _) => return,
            (None, _) if changed => Ended::Changed,
            (None, _) => Ended::Looked,
        };
        if let Some(kept) = self.kept {
            let _ = kept.note(&self.words, ended);
        }
    }
}

impl Kept {
    /// None when nothing failed yet.
    fn existing(&self) -> Result<Option<Session>> {
        Session::existing(&self.state, &self.session)
    }

    fn refuses(&self, words: &[String]) -> Result<bool> {
        let Some(session) = self.existing()? else {
            return Ok(false);
        };
        let (logs, secret) = (session.logs(None)?, session.secret()?);
        let Some(records) = retry::refused(words, self.known(&logs, &secret)) else {
            return Ok(false);
        };
        session.append(None, records, 0)?;
        Ok(true)
    }

    fn note(&self, words: &[String], ended: Ended) -> Result<()> {
        let session = match (self.existing()?, ended) {
            (Some(session), _) => session,
            (None, Ended::Failed(..)) => Session::open(&self.state, &self.session)?,
            (None, _) => return Ok(()),
        };
        let (logs, secret) = (session.logs(None)?, session.secret()?);
        session.append(
            None,
            retry::ended(words, ended, self.known(&logs, &secret)),
            0,
        )
    }

    fn known<'k>(&self, logs: &'k Logs, secret: &'k Secret) -> Known<'k> {
        Known {
            logs,
            secret,
            limits: self.limits,
            now: self.now,
        }
    }

    /// Notes a prompt that came since the last one that was noted.
    fn note_prompt(&self, at: i64) -> Result<()> {
        let Some(session) = self.existing()? else {
            return Ok(());
        };
        let known = retry::last_prompt(&session.logs(None)?.session.bytes);
        if known.is_none_or(|known| known < at) {
            session.append(None, vec![Record::new(at, Kind::Prompt)], 0)?;
        }
        Ok(())
    }
}

fn last_prompt(host: &Host) -> Option<i64> {
    let session = host.text_var("CLAUDE_CODE_SESSION_ID")?;
    let guard = host.state_folder().ok()?.join("guard");
    let log = guard.join(key::folder_name(session)).join("log");
    retry::last_prompt(&files::read_if_present(&log).ok().flatten()?)
}
