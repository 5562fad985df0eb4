//! The real driver: one process of `cua-driver` a call. Arguments go in on standard input, since
//! every user of the machine can read command lines. Judges nothing.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::close;
use super::driver::{Answer, Driver, End, MAX_ANSWER, Started};
use super::request::Window;
use super::shown::RawText;

/// How long the driver may take to answer after it was started; its own client waits as long.
const START: Duration = Duration::from_secs(15);

/// A native driver binary.
pub struct Cua {
    binary: PathBuf,
}

impl Cua {
    /// The driver at this path.
    #[must_use]
    pub fn new(binary: PathBuf) -> Self {
        Self { binary }
    }

    /// What it answers to these words, unjudged: `status`, `--version`.
    pub fn say(&self, words: &[&str], limit: Duration) -> Result<Answer> {
        self.run(words, Vec::new(), limit)
    }

    fn run(&self, words: &[&str], stdin: Vec<u8>, limit: Duration) -> Result<Answer> {
        let mut child = command(&self.binary)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("could not start {}", self.binary.display()))?;
        if let Some(mut pipe) = child.stdin.take() {
            // A thread: a driver that never reads must not hold us. It may also close early.
            thread::spawn(move || drop(pipe.write_all(&stdin)));
        }
        let (send, receive) = channel();
        collect(child.stdout.take(), true, send.clone());
        collect(child.stderr.take(), false, send);
        wait(&mut child, &receive, limit)
    }
}

impl Driver for Cua {
    fn call(&mut self, tool: &str, arguments: &Value, limit: Duration) -> Result<Answer> {
        self.run(&["call", tool], serde_json::to_vec(arguments)?, limit)
    }

    fn start(&mut self) -> Result<Started> {
        let mut server = if cfg!(target_os = "macos") {
            let mut open = command(&PathBuf::from("/usr/bin/open"));
            open.args(["-n", "-g", "-a", "/Applications/CuaDriver.app"]);
            open.args(["--args", "serve"]);
            open
        } else {
            let mut serve = command(&self.binary);
            serve.args(["serve", "--no-overlay"]);
            serve
        };
        detach(&mut server);
        server
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("could not start cua-driver's background process")?;
        let end = Instant::now() + START;
        loop {
            let answer = self.run(&["status"], Vec::new(), START)?;
            match answer.end {
                End::Exited(0) => return Ok(Started::Ready),
                End::Exited(75) => {
                    let said = String::from_utf8_lossy(&answer.stderr);
                    return Ok(Started::PermissionsPending(RawText::new(said.trim())));
                }
                _ if Instant::now() >= end => bail!(
                    "could not start cua-driver: it does not answer after {} s; see what `cua-driver status` says",
                    START.as_secs()
                ),
                _ => thread::sleep(Duration::from_millis(50)),
            }
        }
    }

    fn process_start(&self, pid: i64) -> Option<String> {
        process_start(pid)
    }

    fn has_ended(&self, pid: i64) -> bool {
        stat(pid).is_some_and(|fields| fields.first().is_some_and(|state| state == "Z"))
    }

    /// `describe` needs no background process, and exits 64 for a tool that is not there.
    fn offers(&mut self, tool: &str, limit: Duration) -> Result<bool> {
        let answer = self.run(&["describe", tool], Vec::new(), limit)?;
        Ok(answer.end == End::Exited(0))
    }

    fn stamp(&self) -> String {
        let meta = fs_err::metadata(&self.binary).ok();
        let modified = meta.as_ref().and_then(|meta| meta.modified().ok());
        let since = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let (size, at) = (meta.map_or(0, |meta| meta.len()), since.unwrap_or_default());
        format!("{} {size} {}", self.binary.display(), at.as_nanos())
    }

    /// Drivers before 0.21 cannot list them, which is an error: somebody may be there.
    fn sessions(&mut self, limit: Duration) -> Result<Option<Vec<String>>> {
        let answer = self.run(&["sessions", "list", "--json"], Vec::new(), limit)?;
        let said = String::from_utf8_lossy(&answer.stderr);
        if answer.end == End::Exited(1) && said.contains("daemon is not running") {
            return Ok(None);
        }
        let listed: Value = serde_json::from_slice(&answer.stdout)
            .context("could not read which sessions cua-driver has")?;
        let rows = listed.get("sessions").and_then(Value::as_array);
        let rows = rows.context("could not read which sessions cua-driver has")?;
        // A session whose time is over is still listed for a while.
        let lives =
            |row: &&Value| row.get("expires_in_seconds").and_then(Value::as_f64) != Some(0.0);
        let label = |row: &Value| Some(row.get("session")?.as_str()?.to_owned());
        Ok(Some(rows.iter().filter(lives).filter_map(label).collect()))
    }

    fn stop(&mut self, limit: Duration) -> Result<bool> {
        self.run(&["stop"], Vec::new(), limit)?;
        let end = Instant::now() + limit;
        loop {
            let answer = self.run(&["status"], Vec::new(), limit)?;
            match answer.end {
                End::Exited(1) => return Ok(true),
                _ if Instant::now() >= end => return Ok(false),
                _ => thread::sleep(Duration::from_millis(50)),
            }
        }
    }

    fn close(&mut self, windows: &[Window]) -> Result<()> {
        close::ask(windows)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place of the desk flow that starts a process"
)]
fn command(program: &std::path::Path) -> Command {
    Command::new(program)
}

/// Reads a stream to its end, at most one byte more than an answer may have.
fn collect(
    stream: Option<impl Read + Send + 'static>,
    is_stdout: bool,
    to: Sender<(bool, Vec<u8>)>,
) {
    let Some(stream) = stream else { return };
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let most = u64::try_from(MAX_ANSWER + 1).unwrap_or(u64::MAX);
        let _ = stream.take(most).read_to_end(&mut bytes);
        let _ = to.send((is_stdout, bytes));
    });
}

/// Waits for both streams and the process; ends the process, and only it, when it takes too long
/// or says too much.
fn wait(child: &mut Child, streams: &Receiver<(bool, Vec<u8>)>, limit: Duration) -> Result<Answer> {
    let end = Instant::now() + limit;
    let mut answer = Answer {
        end: End::TimedOut,
        stdout: Vec::new(),
        stderr: Vec::new(),
    };
    for _ in 0..2 {
        let left = end.saturating_duration_since(Instant::now());
        match streams.recv_timeout(left) {
            Ok((_, bytes)) if bytes.len() > MAX_ANSWER => {
                answer.end = End::TooBig;
                return stopped(child, answer);
            }
            Ok((true, bytes)) => answer.stdout = bytes,
            Ok((false, bytes)) => answer.stderr = bytes,
            Err(RecvTimeoutError::Timeout) => return stopped(child, answer),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    // Both streams are closed, so it is about to end, or hides.
    loop {
        if let Some(status) = child.try_wait()? {
            answer.end = ended(status);
            return Ok(answer);
        }
        if Instant::now() >= end {
            return stopped(child, answer);
        }
        thread::sleep(Duration::from_millis(1));
    }
}

fn stopped(child: &mut Child, answer: Answer) -> Result<Answer> {
    child.kill()?;
    child.wait()?;
    Ok(answer)
}

fn ended(status: ExitStatus) -> End {
    status.code().map_or(End::Signal, End::Exited)
}

/// In a process group of its own, so that what ends us does not end it.
#[cfg(unix)]
fn detach(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn detach(_: &mut Command) {}

/// Field 22 of `/proc/PID/stat`: clock ticks after boot. One that only waits to be reaped is gone.
#[cfg(target_os = "linux")]
fn process_start(pid: i64) -> Option<String> {
    let fields = stat(pid)?;
    let state = fields.first()?;
    fields.get(19).filter(|_| state != "Z").cloned()
}

/// `/proc/PID/stat` from field 3 on. The name in field 2 can hold anything, so they begin after
/// its last bracket. (man 5 `proc_pid_stat`)
#[cfg(target_os = "linux")]
fn stat(pid: i64) -> Option<Vec<String>> {
    let stat = fs_err::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    let fields = &stat[stat.rfind(')')? + 1..];
    Some(fields.split_whitespace().map(str::to_owned).collect())
}

#[cfg(not(target_os = "linux"))]
fn stat(_: i64) -> Option<Vec<String>> {
    None
}

#[cfg(all(unix, not(target_os = "linux")))]
fn process_start(pid: i64) -> Option<String> {
    let output = command(&PathBuf::from("/bin/ps"))
        .args(["-o", "lstart=", "-p", &pid.to_string()])
        .env("LC_ALL", "C")
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(not(unix))]
fn process_start(_: i64) -> Option<String> {
    None
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    fn shell(line: &str, limit: Duration) -> Answer {
        let cua = Cua::new("/bin/sh".into());
        cua.run(&["-c", line], b"in".to_vec(), limit).unwrap()
    }

    #[test]
    fn streams_and_ends() {
        let long = Duration::from_mins(1);
        let answer = shell("cat; echo no >&2; exit 9", long);
        assert_eq!(answer.end, End::Exited(9));
        assert_eq!(answer.stdout, b"in");
        assert_eq!(answer.stderr, b"no\n");
        assert_eq!(shell("kill -9 $$", long).end, End::Signal);
        assert_eq!(shell("exec cat /dev/zero", long).end, End::TooBig);
        let short = Duration::from_millis(50);
        assert_eq!(shell("exec sleep 60", short).end, End::TimedOut);
        assert_eq!(shell("exec sleep 60 >&- 2>&-", short).end, End::TimedOut);
    }

    #[test]
    fn a_process_is_known_by_its_start() {
        let own = i64::from(std::process::id());
        assert!(process_start(own).is_some());
        assert_eq!(process_start(own), process_start(own));
        assert_eq!(process_start(0), None);
    }
}
