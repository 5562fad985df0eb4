//! The one place where a test learns an exit code. Each observation is checked against
//! `assets/exit-codes.json` and appended to a log of the run, so that a table row can be tied to
//! the test that saw it.

use std::fmt;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use lean_computer_use::exit;

use crate::context::TestContext;

/// A process that is about to run.
pub struct Run {
    command: Command,
    name: String,
    stdin: Vec<u8>,
}

/// What a process did.
pub struct Observed {
    /// The exit code; 128 + n for a death by signal n, as a shell reports it.
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn new(command: Command, name: &str) -> Self {
        Self {
            command,
            name: name.to_owned(),
            stdin: Vec::new(),
        }
    }

    /// Only this test's environment, in its project.
    pub fn world(mut self, ctx: &TestContext) -> Self {
        self.command
            .env_clear()
            .envs(ctx.env())
            .current_dir(&ctx.project);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    pub fn dir(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Drops root's rights, which no lack of permission stops; other users keep their own.
    #[cfg(unix)]
    pub fn without_rights(mut self) -> Self {
        use std::os::unix::process::CommandExt;
        if rustix::process::geteuid().is_root() {
            self.command.uid(65534).gid(65534);
        }
        self
    }

    /// Starts the process without waiting: for tests that run several at once. End it with
    /// [`Started::observe`].
    pub fn start(mut self) -> Started {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let bytes = std::mem::take(&mut self.stdin);
        // A thread, since a process that never reads would block us; it may also close early.
        thread::spawn(move || drop(pipe.write_all(&bytes)));
        Started {
            child,
            name: self.name,
        }
    }

    /// Runs a process that is not the program itself, to its end; how it ended proves nothing.
    pub fn unrecorded(self) -> Observed {
        let output = self.start().child.wait_with_output().unwrap();
        Observed::new(&output)
    }

    /// Runs the process to its end and records how it ended.
    pub fn observe(self) -> Observed {
        self.start().observe()
    }
}

/// A process that runs.
pub struct Started {
    child: Child,
    name: String,
}

impl Started {
    pub fn observe(self) -> Observed {
        let output = self.child.wait_with_output().unwrap();
        let seen = Observed::new(&output);
        record(&self.name, seen.code);
        seen
    }
}

impl Observed {
    fn new(output: &Output) -> Self {
        Self {
            code: code(output),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Fails the test, with everything that was printed, unless the code is this one.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self}");
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("not JSON ({e}): {self}"))
    }
}

impl fmt::Display for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            code,
            stdout,
            stderr,
        } = self;
        write!(
            f,
            "exit {code}\n--- stdout\n{stdout}--- stderr\n{stderr}---"
        )
    }
}

#[cfg(unix)]
fn code(output: &Output) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    let status = output.status;
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

#[cfg(not(unix))]
fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

/// Appends {test, command, code} to the log, in one write, and refuses a code without a row.
#[track_caller]
fn record(command: &str, code: i32) {
    let test = thread::current().name().unwrap_or("?").to_owned();
    let line = serde_json::json!({"test": test, "command": command, "code": code});
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("observations.jsonl");
    let mut log = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .unwrap();
    log.write_all(format!("{line}\n").as_bytes()).unwrap();

    let table = exit::table();
    let rows = table.commands.iter().find(|table| table.name == command);
    let rows = rows.unwrap_or_else(|| panic!("no table for the command {command:?}"));
    let listed = rows.exits.iter().any(|row| match row.code {
        Some(listed) => i32::from(listed) == code,
        None => code > 4,
    });
    assert!(
        listed,
        "{command} ended with {code}, which assets/exit-codes.json does not list"
    );
}
