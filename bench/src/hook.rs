//! The guard's hook: whole processes, side by side in each round, so that a ratio is of two runs
//! that stood next to each other. Writes every run; prints medians.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// What is measured, and where results are kept.
pub struct Plan {
    pub rounds: usize,
    pub folder: PathBuf,
}

/// One way to answer an event.
struct Entry {
    name: &'static str,
    command: Command,
    walls: Vec<Duration>,
}

/// What everything is compared with.
const SHELL: &str = "/bin/sh -c 'exit 0'";
const ALONE: &str = "hook retry-guard";
const REGISTERED: &str = "registered form";
const TRUE: &str = "registered form, ending in true";

/// The guard reads so much of a log, so it is made that long.
const LOG: u64 = 64 * 1024;

/// Builds, prepares a session with a full log, measures and prints.
pub fn run(plan: &Plan) -> Result<()> {
    let binary = build()?;
    let home = tempfile::tempdir()?;
    let session = Session {
        home: home.path().to_owned(),
        binary,
    };
    session.install()?;
    session.fill_the_log()?;
    let mut entries = session.entries();
    for round in 0..plan.rounds + 10 {
        for entry in &mut entries {
            let event = session.event(
                "PreToolUse",
                &format!("round {round} {}", entry.name),
                "make",
            );
            let wall = timed(&mut entry.command, event.to_string().as_bytes())
                .with_context(|| format!("could not run {}", entry.name))?;
            // The first ones fill the caches.
            if round >= 10 {
                entry.walls.push(wall);
            }
        }
    }
    fs::create_dir_all(&plan.folder)?;
    let log = plan.folder.join("hook-runs.jsonl");
    write(&log, &entries)?;
    print(&entries);
    println!("\n{} rounds, every run: {}", plan.rounds, log.display());
    Ok(())
}

fn build() -> Result<PathBuf> {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--package", "lean-computer-use"])
        .status()?;
    ensure!(built.success(), "could not build lean-computer-use");
    let own = std::env::current_exe()?;
    let folder = own.parent().context("a program is in a folder")?;
    Ok(folder.join("lean-computer-use"))
}

/// A home with a project in which we are installed.
struct Session {
    home: PathBuf,
    binary: PathBuf,
}

impl Session {
    fn project(&self) -> PathBuf {
        self.home.join("project")
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", &self.home)
            .env("PATH", "/usr/bin:/bin")
            .env("CLAUDE_PROJECT_DIR", self.project())
            .current_dir(self.project());
        command
    }

    fn install(&self) -> Result<()> {
        fs::create_dir_all(self.project().join(".git"))?;
        let out = self.command(&self.binary).arg("install").output()?;
        let said = String::from_utf8_lossy(&out.stderr);
        ensure!(out.status.success(), "could not install: {said}");
        // A second project, alike but for what its launchers find.
        let other = self.home.join("true");
        let copied = Command::new("cp")
            .arg("-R")
            .arg(self.project())
            .arg(&other)
            .status()?;
        ensure!(copied.success(), "could not copy the project");
        let record = other.join(".claude/lean-computer-use/local/binary");
        Ok(fs::write(record, "/bin/true\n")?)
    }

    /// Failures of many calls, told to the hook itself.
    fn fill_the_log(&self) -> Result<()> {
        for at in 0.. {
            let mut event = self.event("PostToolUseFailure", &at.to_string(), &format!("run {at}"));
            event["error"] = json!(format!("Exit code 1\nfailure {at}"));
            let mut command = self.command(&self.binary);
            timed(
                command.args(["hook", "retry-guard"]),
                event.to_string().as_bytes(),
            )?;
            let state = self.home.join(".local/state/lean-computer-use/guard");
            let logs = walkdir::WalkDir::new(state)
                .into_iter()
                .filter_map(Result::ok);
            let mut logs = logs.filter(|entry| entry.file_name() == "log");
            let log = logs.next().context("the guard keeps a log")?;
            if log.metadata()?.len() > LOG {
                break;
            }
        }
        Ok(())
    }

    /// An event as Claude Code sends it.
    fn event(&self, name: &str, id: &str, command: &str) -> Value {
        json!({
            "session_id": "26126187-4be5-4b08-87e9-3072a97268f5",
            "transcript_path": self.home.join(".claude/projects/x/26126187.jsonl"),
            "cwd": self.project(),
            "prompt_id": "81a6b8e9-cacd-4efe-885a-a75004b5305d",
            "permission_mode": "default",
            "effort": {"level": "medium"},
            "hook_event_name": name,
            "tool_name": "Bash",
            "tool_input": {"command": command, "description": "Run it"},
            "tool_use_id": format!("toolu_{id}"),
        })
    }

    fn entries(&self) -> Vec<Entry> {
        let registered = r#"{ ( . "$CLAUDE_PROJECT_DIR/.claude/lean-computer-use/hooks/retry-guard" ) || true; } 2>/dev/null || true"#;
        let shell = |line: &str| {
            let mut command = self.command(Path::new("/bin/sh"));
            command.args(["-c", line]);
            command
        };
        let mut alone = self.command(&self.binary);
        alone.args(["hook", "retry-guard"]);
        let mut true_ = shell(registered);
        true_.env("CLAUDE_PROJECT_DIR", self.home.join("true"));
        let mut python = self.command(Path::new("/usr/bin/python3"));
        python.args(["-I", "-S", "-c", "import json,sys; json.load(sys.stdin)"]);
        let mut node = self.command(Path::new("/usr/bin/node"));
        node.args(["-e", "JSON.parse(require('fs').readFileSync(0))"]);
        let mut all = vec![
            (SHELL, shell("exit 0")),
            (ALONE, alone),
            (TRUE, true_),
            (REGISTERED, shell(registered)),
        ];
        for (name, command) in [
            ("python3, which only parses", python),
            ("node, which only parses", node),
        ] {
            if Path::new(command.get_program()).exists() {
                all.push((name, command));
            }
        }
        let entry = |(name, command)| Entry {
            name,
            command,
            walls: Vec::new(),
        };
        all.into_iter().map(entry).collect()
    }
}

/// From before the start to the end of the process. One that fails or speaks is an error.
fn timed(command: &mut Command, stdin: &[u8]) -> Result<Duration> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn()?;
    // One that does not read may be gone already.
    let _ = child
        .stdin
        .take()
        .context("stdin is piped")?
        .write_all(stdin);
    let mut out = Vec::new();
    child
        .stdout
        .take()
        .context("stdout is piped")?
        .read_to_end(&mut out)?;
    let status = child.wait()?;
    let wall = start.elapsed();
    ensure!(
        status.success() && out.is_empty(),
        "it ended with {status} and said {out:?}"
    );
    Ok(wall)
}

fn write(path: &Path, entries: &[Entry]) -> Result<()> {
    let mut file = File::create(path)?;
    for entry in entries {
        for (round, wall) in entry.walls.iter().enumerate() {
            let line = json!({"name": entry.name, "round": round, "wall_s": wall.as_secs_f64()});
            writeln!(file, "{line}")?;
        }
    }
    Ok(())
}

fn print(entries: &[Entry]) {
    let walls = |name: &str| {
        let entry = entries.iter().find(|entry| entry.name == name);
        entry.map_or(&[][..], |entry| &entry.walls)
    };
    let ratio = |walls: &[Duration], other: &[Duration]| {
        let pairs = walls.iter().zip(other);
        median(
            pairs
                .map(|(a, b)| a.as_secs_f64() / b.as_secs_f64())
                .collect(),
        )
    };
    println!("| hook | p50 ms | p95 ms | of {SHELL} | of the chain ending in true |");
    println!("|---|---|---|---|---|");
    for entry in entries {
        let mut ms: Vec<_> = entry
            .walls
            .iter()
            .map(|wall| wall.as_secs_f64() * 1e3)
            .collect();
        ms.sort_by(f64::total_cmp);
        println!(
            "| {} | {:.2} | {:.2} | {:.2} | {:.2} |",
            entry.name,
            median(ms.clone()),
            ms.get(ms.len() * 95 / 100).copied().unwrap_or_default(),
            ratio(&entry.walls, walls(SHELL)),
            ratio(&entry.walls, walls(TRUE)),
        );
    }
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or_default()
}
