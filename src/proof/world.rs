//! A private folder for the proof, and the processes run in it, each in a folder of its own with an
//! environment of its own. Nothing of the user's is read or written besides the installed files
//! that are run.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use fs_err as fs;
use tempfile::TempDir;
use walkdir::WalkDir;

use super::cases::{Before, By, Case, Signal};
use super::judge::Saw;
use crate::escape::{self, quoted};
use crate::files;

/// No case takes longer, unless something is wrong.
const LONGEST: Duration = Duration::from_secs(5);

/// What is proven.
#[derive(Debug, Clone)]
pub struct Installed {
    /// The folder that `.claude` lies in.
    pub root: PathBuf,
    /// The installed `lean-computer-use` folder.
    pub ours: PathBuf,
    /// The recorded binary.
    pub binary: PathBuf,
    /// The desk tools that have a launcher; the others are words of the binary.
    pub launchers: Vec<String>,
}

/// The private folder. It goes away with the value.
pub struct World {
    installed: Installed,
    temp: TempDir,
}

impl World {
    /// Makes the folder.
    pub fn new(installed: Installed) -> Result<Self> {
        let temp = tempfile::Builder::new()
            .prefix("lean-computer-use-proof-")
            .tempdir()
            .context("could not make a private folder for the proof")?;
        Ok(Self { installed, temp })
    }

    /// Runs every case, a few at once: most of the time they wait for the disk. One answer a case, in order.
    #[must_use]
    pub fn run_all(&self, cases: &[Case]) -> Vec<Saw> {
        let workers = std::thread::available_parallelism().map_or(4, |n| n.get().max(4));
        let next = AtomicUsize::new(0);
        let saw: Vec<_> = cases.iter().map(|_| Mutex::new(None)).collect();
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let (Some(case), Some(place)) = (cases.get(at), saw.get(at)) else {
                            break;
                        };
                        let seen = self.run(at, case).unwrap_or_else(|error| unseen(&error));
                        if let Ok(mut place) = place.lock() {
                            *place = Some(seen);
                        }
                    }
                });
            }
        });
        let lost = || unseen(&anyhow::anyhow!("it was not run"));
        let taken = |place: Mutex<Option<Saw>>| place.into_inner().ok().flatten();
        saw.into_iter()
            .map(|place| taken(place).unwrap_or_else(lost))
            .collect()
    }

    fn run(&self, number: usize, case: &Case) -> Result<Saw> {
        let room = Room::new(&self.temp.path().join(number.to_string()))?;
        for step in case.before {
            match step {
                Before::Run(words) => {
                    let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
                    let mut command = self.command(By::Binary, "", &words);
                    room.start(
                        room.dress(&mut command, false, &self.installed.root),
                        Some(""),
                    )
                    .and_then(|child| wait(child, || false, None))?;
                }
                Before::Write(path) => {
                    files::replace(&room.project.join(path), b"changed\n", 0o644)?;
                }
            }
        }
        let mut command = self.command(case.by, &case.command, &case.words);
        let stdin = case.signal.is_none().then_some(case.stdin);
        let child = room.start(
            room.dress(&mut command, case.bare, &self.installed.root),
            stdin,
        )?;
        let waits = || !case.command.starts_with("desk") || room.holds("run.json");
        let status = wait(child, waits, case.signal)?;
        let mut saw = ended(status);
        saw.said = room.said();
        if let Some(path) = case.leaves {
            let reached = room.state.join("lean-computer-use").join(path).exists();
            ensure!(reached, "the launcher did not reach the binary");
        }
        Ok(saw)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the proof runs the program as its callers do"
    )]
    fn command(&self, by: By, command: &str, words: &[String]) -> Command {
        let name = command.rsplit(' ').next().unwrap_or_default();
        let mut command = match by {
            By::Binary => Command::new(&self.installed.binary),
            By::Desk if self.installed.launchers.iter().any(|own| own == name) => {
                Command::new(self.installed.ours.join("desk").join(name))
            }
            By::Desk => {
                let mut command = Command::new(&self.installed.binary);
                command.arg(name);
                command
            }
            By::Hook => {
                let mut shell = Command::new("/bin/sh");
                shell.args(["-c", ". \"$1\"", "sh"]);
                shell.arg(self.installed.ours.join("hooks").join(name));
                shell
            }
        };
        command.args(words);
        command
    }
}

/// The folders of one case.
struct Room {
    at: PathBuf,
    project: PathBuf,
    state: PathBuf,
}

impl Room {
    fn new(at: &Path) -> Result<Self> {
        for folder in [
            "home",
            "project/.git",
            "project/.claude/agents",
            "state",
            "claude",
            "bare",
            "temp",
        ] {
            fs::create_dir_all(at.join(folder))?;
        }
        Ok(Self {
            at: at.to_owned(),
            project: at.join("project"),
            state: at.join("state"),
        })
    }

    /// Gives a command its folder and its whole environment.
    fn dress<'a>(&self, command: &'a mut Command, bare: bool, root: &Path) -> &'a mut Command {
        command.env_clear().current_dir(&self.project);
        command.env("HOME", self.at.join("home"));
        command.env("TMPDIR", self.at.join("temp"));
        command.env("XDG_STATE_HOME", &self.state);
        command.env("CLAUDE_CONFIG_DIR", self.at.join("claude"));
        command.env("CLAUDE_PROJECT_DIR", root);
        command.env("CLAUDE_CODE_SESSION_ID", "proof");
        command.env("LC_ALL", "C");
        if bare {
            command.env("PATH", self.at.join("bare"))
        } else {
            command.env("PATH", "/usr/bin:/bin")
        }
    }

    /// Starts it with its output in files, so that nothing has to be read while it runs. Without
    /// `stdin` its standard input stays open and silent.
    fn start(&self, command: &mut Command, stdin: Option<&str>) -> Result<Child> {
        let file = |name: &str| -> Result<std::fs::File> {
            Ok(fs::File::create(self.at.join(name))?.into_parts().0)
        };
        let input = match stdin {
            None => Stdio::piped(),
            Some(text) => {
                let path = self.at.join("stdin");
                files::replace(&path, text.as_bytes(), 0o600)?;
                fs::File::open(path)?.into_parts().0.into()
            }
        };
        command
            .stdin(input)
            .stdout(file("stdout")?)
            .stderr(file("stderr")?);
        let program = Path::new(command.get_program()).to_owned();
        command
            .spawn()
            .with_context(|| format!("could not start {}", quoted(&program.to_string_lossy())))
    }

    fn holds(&self, name: &str) -> bool {
        let mut entries = WalkDir::new(&self.state).into_iter().flatten();
        entries.any(|entry| entry.file_name() == name)
    }

    /// The last line that was said, as one that can be shown.
    fn said(&self) -> String {
        let text = |name: &str| fs::read(self.at.join(name)).unwrap_or_default();
        let all = [text("stdout"), text("stderr")].concat();
        let all = String::from_utf8_lossy(&all);
        let line = all.lines().rfind(|line| !line.trim().is_empty());
        line.map(quoted).unwrap_or_default()
    }
}

/// Waits for the end; sends the signal once it waits, and ends what does not end.
fn wait(mut child: Child, waits: impl Fn() -> bool, signal: Option<Signal>) -> Result<ExitStatus> {
    let open = child.stdin.take();
    let begin = Instant::now();
    let mut signal = signal;
    loop {
        if let Some(status) = child.try_wait()? {
            drop(open);
            return Ok(status);
        }
        if signal.is_some() && waits() {
            send(&child, signal.take())?;
        }
        if begin.elapsed() > LONGEST {
            child.kill()?;
            child.wait()?;
            anyhow::bail!("it did not end within {} s", LONGEST.as_secs());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(unix)]
fn send(child: &Child, signal: Option<Signal>) -> Result<()> {
    use rustix::process::{Pid, Signal as Number, kill_process};
    let number = match signal {
        Some(Signal::Interrupt) => Number::INT,
        Some(Signal::Terminate) => Number::TERM,
        None => return Ok(()),
    };
    Ok(kill_process(Pid::from_child(child), number)?)
}

#[cfg(not(unix))]
fn send(_: &Child, _: Option<Signal>) -> Result<()> {
    anyhow::bail!("signals are of Unix")
}

#[cfg(unix)]
fn ended(status: ExitStatus) -> Saw {
    use std::os::unix::process::ExitStatusExt;
    let signal = status.signal();
    Saw {
        code: status.code().or(signal.map(|number| 128 + number)),
        signal: signal.is_some(),
        said: String::new(),
    }
}

#[cfg(not(unix))]
fn ended(status: ExitStatus) -> Saw {
    Saw {
        code: status.code(),
        signal: false,
        said: String::new(),
    }
}

fn unseen(error: &anyhow::Error) -> Saw {
    Saw {
        code: None,
        signal: false,
        said: escape::failure(error),
    }
}
