//! The scratch project: its folders, the processes run in it, and what lies in it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use anyhow::{Context, Result, ensure};
use fs_err as fs;
use tempfile::TempDir;
use walkdir::WalkDir;

use crate::assets::ASSETS;
use crate::escape::{self, shown};
use crate::host::Host;

/// The session that every step belongs to; also the name of the sample transcript.
pub const SESSION: &str = "11111111-2222-4333-8444-555555555555";

/// A user's own settings, in a style of their own, so that the last step has something to prove.
const SETTINGS: &str = "try/settings.json";

/// Folders and environment of one `try`.
pub struct Scratch {
    /// A small git project with a `.claude/settings.json` of its user.
    pub project: PathBuf,
    /// What would be `~/.claude` of the user.
    pub claude: PathBuf,
    /// `XDG_STATE_HOME` of every process.
    pub state: PathBuf,
    env: Vec<(OsString, OsString)>,
    binary: PathBuf,
    _temp: Option<TempDir>,
}

/// Path below the project → what is there.
pub struct Snapshot(BTreeMap<PathBuf, Entry>);

#[derive(PartialEq)]
struct Entry {
    folder: bool,
    readonly: bool,
    bytes: Vec<u8>,
}

impl Scratch {
    /// Makes the folders, in `keep` when it is given (new or empty), else in a temp folder that
    /// goes away with the value.
    pub fn new(keep: Option<&Path>, host: &Host) -> Result<Self> {
        let (root, temp) = if let Some(folder) = keep {
            (claim(&host.cwd.join(folder))?, None)
        } else {
            let temp = tempfile::Builder::new()
                .prefix("lean-computer-use-try-")
                .tempdir()
                .context("could not make a scratch folder")?;
            (temp.path().to_path_buf(), Some(temp))
        };
        let root = fs::canonicalize(root)?;
        let (project, bin) = (root.join("project"), root.join("bin"));
        for folder in [&project.join(".git"), &project.join(".claude"), &bin] {
            fs::create_dir_all(folder)?;
        }
        let settings = ASSETS
            .get_file(SETTINGS)
            .context("the sample settings are embedded")?;
        write(&project.join(".claude/settings.json"), settings.contents())?;
        write(&project.join("notes.txt"), b"a file of the user\n")?;

        let exe = host
            .exe
            .as_deref()
            .context("could not tell where this program lies")?;
        let binary = put_on_path(exe, &bin)?;
        let mut scratch = Self {
            project,
            claude: root.join("claude"),
            state: root.join("state"),
            env: Vec::new(),
            binary,
            _temp: temp,
        };
        scratch.env = scratch.environment(host, &bin)?;
        Ok(scratch)
    }

    /// This process's environment without what would lead out of the scratch folder or change
    /// what the steps show.
    fn environment(&self, host: &Host, bin: &Path) -> Result<Vec<(OsString, OsString)>> {
        let ours = |name: &OsStr| {
            let name = name.to_string_lossy();
            (name.starts_with("CLAUDE") || name.starts_with("LEAN_COMPUTER_USE_"))
                || [
                    "DESK_STATE_DIR",
                    "DESK_GUARD",
                    "PATH",
                    "XDG_CACHE_HOME",
                    "XDG_STATE_HOME",
                ]
                .contains(&&*name)
        };
        let mut env: Vec<_> = host
            .env()
            .filter(|(name, _)| !ours(name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let old = host.var("PATH").unwrap_or_default();
        let folders = std::iter::once(bin.to_path_buf()).chain(std::env::split_paths(old));
        let path = std::env::join_paths(folders).context("could not extend PATH")?;
        env.push(("PATH".into(), path));
        env.push(("XDG_STATE_HOME".into(), self.state.clone().into()));
        env.push(("XDG_CACHE_HOME".into(), self.state.join("cache").into()));
        env.push(("CLAUDE_CONFIG_DIR".into(), self.claude.clone().into()));
        env.push(("CLAUDE_PROJECT_DIR".into(), self.project.clone().into()));
        env.push(("CLAUDE_CODE_SESSION_ID".into(), SESSION.into()));
        Ok(env)
    }

    /// Runs this program with `words`; its standard output, or an error with what it printed
    /// unless it ended with 0.
    pub fn run(&self, words: &[&str]) -> Result<String> {
        let output = self.output(&self.binary, words, b"")?;
        answer(&words.join(" "), &output)
    }

    /// Runs `sh` on a script file or, with `-c`, on a line, as Claude Code does for hooks.
    pub fn shell(&self, words: &[&str], stdin: &[u8]) -> Result<String> {
        let output = self.output(Path::new("sh"), words, stdin)?;
        answer(words[0], &output)
    }

    /// Starts an app that is ended with the value.
    pub fn start(&self, app: &str) -> Result<App> {
        let mut command = self.command(Path::new(app), &[]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = command
            .spawn()
            .with_context(|| format!("could not start {app}; is it installed?"))?;
        Ok(App(child))
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "try runs the program as its users do"
    )]
    fn command(&self, program: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(words)
            .env_clear()
            .envs(self.env.iter().cloned());
        command.current_dir(&self.project);
        command
    }

    fn output(&self, program: &Path, words: &[&str], stdin: &[u8]) -> Result<Output> {
        let mut command = self.command(program, words);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .with_context(|| format!("could not start {}", escape::path(program)))?;
        if let Some(mut pipe) = child.stdin.take() {
            // A process that does not read its input has still answered.
            let _ = pipe.write_all(stdin);
        }
        Ok(child.wait_with_output()?)
    }

    /// Everything below the project.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let mut entries = BTreeMap::new();
        for entry in WalkDir::new(&self.project).min_depth(1) {
            let entry = entry?;
            let folder = entry.file_type().is_dir();
            let bytes = if folder {
                Vec::new()
            } else {
                fs::read(entry.path())?
            };
            let readonly = entry.metadata()?.permissions().readonly();
            let path = entry.path().strip_prefix(&self.project)?.to_path_buf();
            entries.insert(
                path,
                Entry {
                    folder,
                    readonly,
                    bytes,
                },
            );
        }
        Ok(Snapshot(entries))
    }
}

impl Snapshot {
    /// How many files and folders.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Paths that differ, are new or are gone.
    pub fn differences(&self, later: &Self) -> Vec<String> {
        let paths: std::collections::BTreeSet<_> = self.0.keys().chain(later.0.keys()).collect();
        let differs = |path: &&&PathBuf| self.0.get(**path) != later.0.get(**path);
        paths
            .iter()
            .filter(differs)
            .map(|path| shown(&path.to_string_lossy()))
            .collect()
    }
}

/// An app that `try` started.
pub struct App(Child);

impl Drop for App {
    /// Asks it to end, as closing the session would; by force only when it does not listen.
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(pid) = i32::try_from(self.0.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
            for _ in 0..100 {
                if !matches!(self.0.try_wait(), Ok(None)) {
                    return;
                }
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Writes a small file; the folder is ours alone, so nothing can be half replaced.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    crate::files::replace(path, bytes, 0o644)
}

fn claim(folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder)?;
    ensure!(
        fs::read_dir(folder)?.next().is_none(),
        "could not use {}: it is not empty; name a new folder",
        escape::path(folder)
    );
    Ok(folder.to_path_buf())
}

/// The installed agent calls `lean-computer-use` bare, so it has to be on PATH under that name.
fn put_on_path(exe: &Path, bin: &Path) -> Result<PathBuf> {
    let name = format!("lean-computer-use{}", std::env::consts::EXE_SUFFIX);
    let path = bin.join(name);
    #[cfg(unix)]
    std::os::unix::fs::symlink(exe, &path)?;
    #[cfg(not(unix))]
    fs::copy(exe, &path)?;
    Ok(path)
}

fn answer(what: &str, output: &Output) -> Result<String> {
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(
        output.status.success(),
        "{what} ended with {}: {stdout}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(stdout)
}
