//! `hook retry-guard` and `hook token-meter`: called by Claude Code at every tool call. Whatever
//! happens, `main` ends with 0 afterwards and nothing but an answer reaches standard output.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use fs_err as fs;
use jiff::Timestamp;
use serde::de::IgnoredAny;

use crate::hook::limits::{Limits, Scope};
use crate::hook::token_meter::Terms;
use crate::hook::{Event, account, event, retry_guard, token_meter};
use crate::host::Host;
use crate::meter::Prices;

/// An event longer than this is none of ours.
const LONGEST: usize = 8 * 1024 * 1024;

/// A config longer than this is none of ours.
const LONGEST_CONFIG: u64 = 64 * 1024;

/// So long a hook waits for its event.
const PATIENCE: Duration = Duration::from_secs(2);

/// So long it takes at all. Claude Code ends it after five seconds.
const LIMIT: Duration = Duration::from_secs(4);

/// So much of a processor the guard may use for one answer.
const WORK: Duration = Duration::from_millis(200);

/// Which hook, with what it goes by.
enum Hook {
    Guard(Limits),
    Meter { budget: Option<u64> },
}

/// What the thread that works tells the one that waits.
enum Told {
    /// The event is read; its session.
    Read(String),
    /// There is none.
    Fault,
    /// The line to print, if any.
    Answer(Option<String>),
}

/// Runs the hook that `words` (what stands behind `hook`) name. An error is dropped by the caller.
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
    let work = matches!(hook, Hook::Guard(_)).then_some(WORK);
    let told = start(hook, host, state.clone());
    if let Some(line) = wait(&told, work, &state) {
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
                Err(error.context(format!("could not use {}", file.display()))),
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

/// Reads and answers on a thread of its own, which ends with the process if it hangs.
fn start(hook: Hook, host: &mut Host, state: PathBuf) -> Receiver<Told> {
    let stdin = std::mem::replace(&mut host.stdin, Box::new(io::empty()));
    let now = host.now();
    let (sender, told) = mpsc::channel();
    std::thread::spawn(move || {
        let Some(event) = read_value(stdin).as_deref().and_then(event::parse) else {
            return sender.send(Told::Fault);
        };
        sender.send(Told::Read(event.session.clone()))?;
        let answered = catch_unwind(AssertUnwindSafe(|| answer(&hook, &event, &state, now)));
        let line = answered.unwrap_or_else(|_| Err(anyhow!("a panic")));
        if line.is_err() && matches!(hook, Hook::Guard(_)) {
            let _ = account::note_error(&state, &event.session);
        }
        sender.send(Told::Answer(line.unwrap_or_default()))
    });
    told
}

fn answer(hook: &Hook, event: &Event, state: &Path, now: Timestamp) -> Result<Option<String>> {
    let verdict = match hook {
        Hook::Guard(limits) => retry_guard::run(event, state, *limits, now.as_millisecond())?,
        Hook::Meter { budget } => {
            let prices = &Prices::built_in();
            let terms = Terms {
                prices,
                budget: *budget,
            };
            token_meter::run(event, state, terms, now)?
        }
    };
    Ok(verdict.line())
}

/// The line to print, unless it does not come in time.
fn wait(told: &Receiver<Told>, work: Option<Duration>, state: &Path) -> Option<String> {
    let start = Instant::now();
    let Ok(Told::Read(session)) = told.recv_timeout(PATIENCE) else {
        let _ = account::note_fault(state);
        return None;
    };
    loop {
        match told.recv_timeout(WORK / 4) {
            Ok(Told::Answer(line)) => return line,
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            _ => return None,
        }
        let busy = work.is_some_and(|most| worked(start) > most);
        if busy || start.elapsed() > LIMIT {
            if work.is_some() {
                let _ = account::note_error(state, &session);
            }
            return None;
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
/// when that is no object.
fn read_value(mut stdin: Box<dyn Read + Send>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = stdin.read(&mut buffer) {
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

fn begins_as_an_object(bytes: &[u8]) -> bool {
    matches!(bytes.trim_ascii_start().first(), None | Some(b'{'))
}
