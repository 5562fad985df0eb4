//! The one place where a test learns an exit code. Each observation is checked against
//! `assets/exit-codes.json` and appended to a log of the run (`tests/proof/log.rs`), with how the
//! test ended, so that a table row can be tied to the passed test that saw it.

use std::cell::{Cell, OnceCell};
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::panic;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::Once;
use std::thread;

use lean_computer_use::exit;

use crate::context::TestContext;
use crate::proof::log::{self, Line, Seen};

/// A process that is about to run.
pub struct Run {
    command: Command,
    name: String,
    stdin: Option<Vec<u8>>,
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
            stdin: Some(Vec::new()),
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

    /// Records what it does under another command's name: with a flag alone there is none to see.
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
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
        self.stdin = Some(bytes.into());
        self
    }

    /// Standard input stays open and silent until the process has ended.
    pub fn silent_stdin(mut self) -> Self {
        self.stdin = None;
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
        let mut open = None;
        match self.stdin.take() {
            // A thread, since a process that never reads would block us; it may also close early.
            Some(bytes) => drop(thread::spawn(move || drop(pipe.write_all(&bytes)))),
            None => open = Some(pipe),
        }
        Started {
            child,
            name: self.name,
            open,
        }
    }

    /// Runs a process that is not the program itself, to its end; how it ended proves nothing.
    pub fn unrecorded(self) -> Observed {
        self.start().unrecorded()
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
    open: Option<ChildStdin>,
}

impl Started {
    /// Waits for a process that is not the program itself; how it ended proves nothing.
    pub fn unrecorded(self) -> Observed {
        Observed::new(&self.child.wait_with_output().unwrap())
    }

    pub fn observe(self) -> Observed {
        let output = self.child.wait_with_output().unwrap();
        drop(self.open);
        let seen = Observed::new(&output);
        record(&self.name, seen.code, output.status.code().is_none());
        seen
    }

    /// Sends a signal to the process, and to it alone.
    #[cfg(unix)]
    pub fn signal(&self, signal: rustix::process::Signal) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, signal).unwrap();
    }
}

impl Observed {
    fn new(output: &Output) -> Self {
        Self {
            code: code(output.status),
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
fn code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

#[cfg(not(unix))]
fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or(-1)
}

/// Appends the observation to the log of this run, and refuses a code without a row.
#[track_caller]
fn record(command: &str, code: i32, signal: bool) {
    let test = thread::current().name().unwrap_or("?").to_owned();
    if let Some(log) = log::current() {
        WATCH.with(|watch| watch.start(&log, &test));
        let command = command.to_owned();
        append(
            &log,
            &Line::Saw(Seen {
                test,
                command,
                code,
                signal,
            }),
        );
    }
    let table = exit::table();
    let rows = table.commands.iter().find(|table| table.name == command);
    let rows = rows.unwrap_or_else(|| panic!("no table for the command {command:?}"));
    assert!(
        rows.row(code, signal).is_some(),
        "{command} ended with {code}, which assets/exit-codes.json does not list"
    );
}

/// Appends a line, in one write.
fn append(path: &Path, line: &Line) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut log = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .unwrap();
    let line = serde_json::to_string(line).unwrap();
    log.write_all(format!("{line}\n").as_bytes()).unwrap();
}

thread_local! {
    static PANICKED: Cell<bool> = const { Cell::new(false) };
    static WATCH: Watch = const { Watch(OnceCell::new()) };
}

/// Lives as long as the thread of a test that observed something, and notes how the test ended: a
/// test cannot look back on itself, and the harness tells nobody.
struct Watch(OnceCell<(PathBuf, String)>);

impl Watch {
    fn start(&self, log: &Path, test: &str) {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                PANICKED.with(|panicked| panicked.set(true));
                before(info);
            }));
            append(log, &Line::Suite(std::env::current_exe().unwrap()));
        });
        self.0.get_or_init(|| (log.to_owned(), test.to_owned()));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some((log, test)) = self.0.take() {
            let passed = !PANICKED.with(Cell::get);
            append(&log, &Line::Ended { test, passed });
        }
    }
}
