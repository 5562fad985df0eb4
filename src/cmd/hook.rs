//! `hook retry-guard` and `hook token-meter`: called by Claude Code at every tool call. Whatever
//! happens, `main` ends with 0 afterwards and nothing but an answer reaches standard output.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use fs_err as fs;
use jiff::Timestamp;
use serde::de::IgnoredAny;

use crate::escape;
use crate::hook::limits::{Limits, Scope};
use crate::hook::token_meter::Terms;
use crate::hook::{Event, Verdict, account, event, retry_guard, token_meter};
use crate::host::{Host, Start};
use crate::meter::Prices;

/// An event longer than this is none of ours.
const LONGEST: usize = 8 * 1024 * 1024;

/// A config longer than this is none of ours.
const LONGEST_CONFIG: u64 = 64 * 1024;

/// So long a hook waits for its event.
const PATIENCE: Duration = Duration::from_secs(2);

/// An event up to here is answered without a look at the time.
const SMALL: usize = 128 * 1024;

/// So much of a processor the guard may use for one answer.
const WORK: Duration = Duration::from_millis(200);

/// Which hook, with what it goes by.
#[derive(Clone, Copy)]
enum Hook {
    Guard(Limits),
    Meter { budget: Option<u64> },
}

/// Runs the hook that `words` (what stands behind `hook`) name. An error is dropped by the caller.
///
/// # Panics
/// When that was asked for; the caller drops it too.
pub fn run(words: &[OsString], host: &mut Host) -> Result<()> {
    let name = match words {
        [name] => name.to_str(),
        _ => None,
    };
    let hook = match name {
        Some("retry-guard") => Hook::Guard(limits(host).0),
        Some("token-meter") => Hook::Meter {
            budget: host
                .text_var("LEAN_COMPUTER_USE_TOKEN_BUDGET")
                .and_then(|text| text.parse().ok()),
        },
        _ => return Ok(()),
    };
    if matches!(hook, Hook::Guard(limits) if limits.scope == Scope::Off) {
        return Ok(());
    }
    let state = host.state_folder()?;
    let stdin = std::mem::replace(&mut host.stdin, Box::new(io::empty()));
    let bytes = read_value(stdin).unwrap_or_default();
    let Some(event) = event::parse(&bytes) else {
        assert!(host.start == Start::Runs, "asked for");
        return account::note_fault(&state);
    };
    let job = Job {
        hook,
        event,
        state,
        now: host.now(),
        start: host.start,
    };
    // A thread costs a good part of a short answer, so it is only made for what may take long.
    let line = if bytes.len() > SMALL {
        job.answer_in_time()
    } else {
        job.answer()
    };
    if let Some(line) = line {
        host.out.write_all(format!("{line}\n").as_bytes())?;
        host.out.flush()?;
    }
    Ok(())
}

/// What the guard goes by here: the first `config.toml` of project and user, and above it the
/// environment. Beside it what is wrong with that file, which then does not count.
pub fn limits(host: &Host) -> (Limits, Result<()>) {
    let project = host.folder_var("CLAUDE_PROJECT_DIR").unwrap_or(&host.cwd);
    let folders = [Some(project), host.home()];
    let files = folders.into_iter().flatten();
    let mut files = files.map(|folder| folder.join(".claude/lean-computer-use/config.toml"));
    let (limits, sound) = match files.find(|file| file.exists()) {
        None => (Limits::default(), Ok(())),
        Some(file) => match read_limits(&file) {
            Ok(limits) => (limits, Ok(())),
            Err(error) => (
                Limits::default(),
                Err(error.context(format!("could not use {}", escape::path(&file)))),
            ),
        },
    };
    (
        limits.with_scope(host.text_var("LEAN_COMPUTER_USE_GUARD")),
        sound,
    )
}

fn read_limits(file: &Path) -> Result<Limits> {
    let found = fs::metadata(file)?;
    if !found.is_file() || found.len() > LONGEST_CONFIG {
        return Err(anyhow!("it is no file of 64 KiB or less"));
    }
    Limits::parse(&fs::read_to_string(file)?).map_err(|error| anyhow!(error))
}

/// One event to answer.
#[derive(Clone)]
struct Job {
    hook: Hook,
    event: Event,
    state: PathBuf,
    now: Timestamp,
    start: Start,
}

impl Job {
    /// The line to print, if any. A failure means none, and is counted.
    fn answer(&self) -> Option<String> {
        let answered = catch_unwind(AssertUnwindSafe(|| self.verdict()));
        match answered {
            Ok(Ok(verdict)) => verdict.line(),
            _ => self.note_error(),
        }
    }

    /// The same on a thread that is given up, and ends with the process, when it takes too much.
    fn answer_in_time(self) -> Option<String> {
        let start = Instant::now();
        let guards = matches!(self.hook, Hook::Guard(_));
        let job = self.clone();
        let answered = unless(move || guards && worked(start) > WORK, move || job.answer());
        answered.unwrap_or_else(|| self.note_error())
    }

    fn verdict(&self) -> Result<Verdict> {
        assert!(self.start == Start::Runs, "asked for");
        match &self.hook {
            Hook::Guard(limits) => {
                retry_guard::run(&self.event, &self.state, *limits, self.now.as_millisecond())
            }
            Hook::Meter { budget } => {
                let terms = Terms {
                    prices: &Prices::built_in(),
                    budget: *budget,
                };
                token_meter::run(&self.event, &self.state, terms, self.now)
            }
        }
    }

    fn note_error(&self) -> Option<String> {
        if matches!(self.hook, Hook::Guard(_)) {
            let _ = account::note_error(&self.state, &self.event.session);
        }
        None
    }
}

/// What `work` gives on a thread of its own; none when it is given up, for which `too_much` is
/// asked now and then.
fn unless<T: Send + 'static>(
    too_much: impl Fn() -> bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, told) = mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    loop {
        match told.recv_timeout(WORK / 4) {
            Ok(done) => return Some(done),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) if too_much() => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// How long this process had a processor. What it waited for one while others ran is not its own
/// work.
#[cfg(unix)]
fn worked(_: Instant) -> Duration {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    spent.try_into().unwrap_or_default()
}

#[cfg(not(unix))]
fn worked(start: Instant) -> Duration {
    start.elapsed()
}

/// Reads up to the end of the first JSON value, not of the stream: some hosts leave it open. None
/// when it does not come in time, or is no object.
fn read_value(mut stdin: Box<dyn Read + Send>) -> Option<Vec<u8>> {
    let end = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    while is_ready(end)
        && let Ok(read @ 1..) = stdin.read(&mut buffer)
    {
        bytes.extend(&buffer[..read]);
        if bytes.len() > LONGEST || !begins_as_an_object(&bytes) {
            return None;
        }
        // Only an object's end is worth a look at everything again.
        if bytes.trim_ascii_end().ends_with(b"}") {
            let mut values = serde_json::Deserializer::from_slice(&bytes).into_iter::<IgnoredAny>();
            match values.next() {
                Some(Ok(_)) => break,
                Some(Err(error)) if error.is_eof() => {}
                _ => return None,
            }
        }
    }
    Some(bytes)
}

/// Whether standard input has something, or its end, before `end`.
#[cfg(unix)]
fn is_ready(end: Instant) -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    let left = end.saturating_duration_since(Instant::now());
    let Ok(left) = left.try_into() else {
        return false;
    };
    let stdin = io::stdin();
    let mut all = [PollFd::new(&stdin, PollFlags::IN)];
    matches!(poll(&mut all, Some(&left)), Ok(1..))
}

/// Elsewhere a read waits, and Claude Code's own limit ends it.
#[cfg(not(unix))]
fn is_ready(_: Instant) -> bool {
    true
}

fn begins_as_an_object(bytes: &[u8]) -> bool {
    matches!(bytes.trim_ascii_start().first(), None | Some(b'{'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_takes_too_much_is_given_up() {
        let (end, ended) = mpsc::channel::<()>();
        let waits = move || ended.recv().is_err();
        assert_eq!(unless(|| true, waits), None);
        drop(end);
        assert_eq!(unless(|| false, || 7), Some(7));
    }
}
