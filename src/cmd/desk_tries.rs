//! The retry rule of `desk` and `desk-run`: the count lies in the run's folder; the guard's log
//! tells when the user sent a prompt. Fails open: what cannot be read or written counts nothing.

use anyhow::Result;

use super::desk_world::World;
use crate::desk::outcome::{Code, Failure};
use crate::desk::retry::{self, Ended, Tries};
use crate::desk::shown::Shown;
use crate::desk::{Status, Stop, receipt, state};
use crate::files;
use crate::hook::key;
use crate::host::Host;

/// One call's words, and the earlier tries of its run; none when `DESK_GUARD` is off.
pub struct Attempt {
    words: Vec<String>,
    tries: Option<Tries>,
    now: i64,
    prompt: Option<i64>,
}

impl Attempt {
    /// Before the driver is asked anything.
    pub fn new(words: Vec<String>, world: &World, host: &Host) -> Self {
        let off = host.text_var("DESK_GUARD") == Some("off");
        Self {
            words,
            tries: if off { None } else { load(world).ok() },
            now: host.now().as_millisecond(),
            prompt: last_prompt(host),
        }
    }

    /// Why these words are not tried again.
    pub fn refused(&self) -> Option<Stop> {
        let tries = self.tries.as_ref()?;
        tries.refused(&self.borrowed(), self.now, self.prompt)?;
        let mut no = Failure::new(Status::Refused, Some(Code::own("retry")));
        no.detail.push(Shown::own(
            "not run: this very call failed twice in the same way; read the window, change the call, or report",
        ));
        Some(no.into())
    }

    /// After it: `stop` says how it failed, `changed` whether it may have changed something.
    pub fn ended(mut self, stop: Option<&Stop>, place: &str, changed: bool, world: &World) {
        let line = stop.map(|stop| receipt::first_line(place, stop));
        let ended = match (stop, &line) {
            (Some(Stop::Failed(no)), Some(line)) if no.status != Status::NeedsConfirmation => {
                Ended::Failed(line)
            }
            (Some(_), _) => return,
            (None, _) if changed => Ended::Changed,
            (None, _) => Ended::Looked,
        };
        let words = self.words.clone();
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        if let Some(tries) = &mut self.tries
            && tries.note(&words, &ended, self.now, self.prompt)
            && let Ok(bytes) = serde_json::to_vec(tries)
        {
            let path = world.run.folder().join(retry::FILE);
            let _ = files::replace(&path, &bytes, state::PRIVATE);
        }
    }

    fn borrowed(&self) -> Vec<&str> {
        self.words.iter().map(String::as_str).collect()
    }
}

fn load(world: &World) -> Result<Tries> {
    let path = world.run.folder().join(retry::FILE);
    if let Some(bytes) = files::read_if_present(&path)?
        && let Ok(tries) = serde_json::from_slice(&bytes)
    {
        return Ok(tries);
    }
    let mut key = [0; 16];
    getrandom::fill(&mut key)?;
    Ok(Tries::new(format!("{:032x}", u128::from_be_bytes(key))))
}

fn last_prompt(host: &Host) -> Option<i64> {
    let session = host.text_var("CLAUDE_CODE_SESSION_ID")?;
    let guard = host.state_folder().ok()?.join("guard");
    let log = guard.join(key::folder_name(session)).join("log");
    retry::last_prompt(&files::read_if_present(&log).ok().flatten()?)
}
