//! `hook retry-guard` and `hook token-meter`: called by Claude Code at every tool call. Whatever
//! happens, `main` ends with 0 afterwards and nothing but an answer reaches standard output.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::de::IgnoredAny;

use crate::hook::{Verdict, event, retry_guard, token_meter};
use crate::host::Host;

/// An event longer than this is none of ours.
const LONGEST: usize = 8 * 1024 * 1024;

/// So long a hook waits for its event.
const PATIENCE: Duration = Duration::from_secs(2);

/// Runs the hook that `words` (what stands behind `hook`) name. An error is dropped by the caller.
pub fn run(words: &[OsString], host: &mut Host) -> Result<()> {
    let name = match words {
        [name] => name.to_str(),
        _ => None,
    };
    let off = host.text_var("LEAN_COMPUTER_USE_GUARD") == Some("off");
    let guards = match name {
        Some("retry-guard") if !off => true,
        Some("token-meter") => false,
        _ => return Ok(()),
    };
    let stdin = std::mem::replace(&mut host.stdin, Box::new(io::empty()));
    let Some(event) = read_value(stdin).as_deref().and_then(event::parse) else {
        return Ok(());
    };
    let state = host.state_folder()?;
    let verdict: Verdict = if guards {
        retry_guard::run(&event, &state, host.now().as_millisecond())?
    } else {
        token_meter::run(&event, &state, host.now())?
    };
    if let Some(line) = verdict.line() {
        host.out.write_all(format!("{line}\n").as_bytes())?;
        host.out.flush()?;
    }
    Ok(())
}

/// Reads up to the end of the first JSON value, not of the stream: some hosts leave it open. None
/// when no value is there in time. The thread that reads ends with the process.
fn read_value(mut stdin: Box<dyn Read + Send>) -> Option<Vec<u8>> {
    let (sender, receiver) = mpsc::sync_channel::<Vec<u8>>(16);
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = stdin.read(&mut buffer) {
            if sender.send(buffer[..read].to_vec()).is_err() {
                break;
            }
        }
    });
    let end = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let Ok(chunk) = receiver.recv_timeout(left) else {
            // At the end of the stream, or out of time, what is there must do.
            return Some(bytes);
        };
        bytes.extend(chunk);
        if bytes.len() > LONGEST || !begins_as_an_object(&bytes) {
            return None;
        }
        // Only an object's end is worth a look at everything again.
        if bytes.trim_ascii_end().ends_with(b"}") {
            let mut values = serde_json::Deserializer::from_slice(&bytes).into_iter::<IgnoredAny>();
            match values.next() {
                Some(Ok(_)) => return Some(bytes),
                Some(Err(error)) if error.is_eof() => {}
                _ => return None,
            }
        }
    }
}

fn begins_as_an_object(bytes: &[u8]) -> bool {
    matches!(bytes.trim_ascii_start().first(), None | Some(b'{'))
}
