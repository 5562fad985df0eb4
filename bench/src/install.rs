//! `bench install`: a fresh install beside a plain loop that writes, syncs and renames the same
//! files, both as whole processes and in turn; a second install; one into settings of 1 MB.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use walkdir::WalkDir;

use crate::run::once;

/// Size of the large settings file.
const LARGE: usize = 1_000_000;

/// One that takes part.
struct Entry {
    name: &'static str,
    /// Makes the project; the run starts from there.
    before: fn(&Bench) -> Result<()>,
    command: fn(&Bench) -> Result<Command>,
    runs: Vec<Duration>,
}

/// Folders of one benchmark.
struct Bench {
    binary: PathBuf,
    home: PathBuf,
    project: PathBuf,
    /// What an install leaves, to be copied by the plain loop.
    installed: PathBuf,
}

/// Does it all.
pub fn run(rounds: usize, folder: &Path) -> Result<()> {
    let bench = prepare(&folder.join("install"))?;
    let entry = |name, before, command| Entry {
        name,
        before,
        command,
        runs: Vec::new(),
    };
    let mut entries = [
        entry(
            "plain loop",
            empty as fn(&Bench) -> Result<()>,
            plain as fn(&Bench) -> Result<Command>,
        ),
        entry("fresh install", empty, install),
        entry("second install", installed, install),
        entry("uninstall", installed, |bench| {
            Ok(bench.command("uninstall"))
        }),
        entry("install, 1 MB settings", large, install),
    ];
    for round in 0..rounds {
        for at in 0..entries.len() {
            // Another one begins in every round.
            let at = (at + round) % entries.len();
            let entry = &mut entries[at];
            (entry.before)(&bench)?;
            let mut command = (entry.command)(&bench)?;
            entry.runs.push(once(&mut command)?.wall);
        }
    }
    let log = folder.join("install.jsonl");
    let mut file = File::create(&log)?;
    for entry in &entries {
        for run in &entry.runs {
            writeln!(
                file,
                "{}",
                json!({"name": entry.name, "us": run.as_micros()})
            )?;
        }
    }
    print(&entries);
    println!("\nevery run: {}", log.display());
    Ok(())
}

fn print(entries: &[Entry]) {
    let median = |runs: &[Duration]| {
        let mut runs = runs.to_vec();
        runs.sort();
        runs[runs.len() / 2].as_secs_f64() * 1e3
    };
    let plain = median(&entries[0].runs);
    println!("{:<24} {:>10} {:>10}", "", "median ms", "of plain");
    for entry in entries {
        let ms = median(&entry.runs);
        println!("{:<24} {ms:>10.2} {:>9.2}x", entry.name, ms / plain);
    }
    let paired = entries[0].runs.iter().zip(&entries[1].runs);
    let mut ratios: Vec<_> = paired
        .map(|(plain, ours)| ours.as_secs_f64() / plain.as_secs_f64())
        .collect();
    ratios.sort_by(f64::total_cmp);
    println!(
        "fresh install against the plain loop, paired: {:.2}x",
        ratios[ratios.len() / 2]
    );
}

impl Bench {
    fn command(&self, word: &str) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .arg(word)
            .current_dir(&self.project)
            .env_clear()
            .env("HOME", &self.home)
            .env("PATH", "/usr/bin:/bin");
        command
    }
}

fn prepare(folder: &Path) -> Result<Bench> {
    let built = Command::new("cargo")
        .args(["build", "--release", "--quiet"])
        .status()?;
    ensure!(built.success(), "could not build the program");
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let bench = Bench {
        binary: fs::canonicalize("target/release/lean-computer-use")?,
        home: folder.join("home"),
        project: folder.join("home/project"),
        installed: folder.join("installed"),
    };
    installed(&bench)?;
    fs::rename(bench.project.join(".claude"), &bench.installed)?;
    Ok(bench)
}

fn empty(bench: &Bench) -> Result<()> {
    if bench.project.exists() {
        fs::remove_dir_all(&bench.project)?;
    }
    Ok(fs::create_dir_all(bench.project.join(".git"))?)
}

fn installed(bench: &Bench) -> Result<()> {
    empty(bench)?;
    once(&mut bench.command("install")).map(drop)
}

fn large(bench: &Bench) -> Result<()> {
    empty(bench)?;
    let mut text = "{\n  \"env\": {\n".to_owned();
    while text.len() < LARGE {
        let n = text.len();
        text.push_str(&format!("    \"NAME_{n}\": \"value \\u00e9 {n}\",\n"));
    }
    text.push_str("    \"LAST\": \"\"\n  }\n}\n");
    let folder = bench.project.join(".claude");
    fs::create_dir(&folder)?;
    Ok(fs::write(folder.join("settings.json"), text)?)
}

fn install(bench: &Bench) -> Result<Command> {
    Ok(bench.command("install"))
}

fn plain(bench: &Bench) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg("copy")
        .arg(&bench.installed)
        .arg(bench.project.join(".claude"));
    Ok(command)
}

/// The plain loop: temp file, fsync, rename, nothing else.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    for entry in WalkDir::new(from) {
        let entry = entry?;
        let target = to.join(entry.path().strip_prefix(from)?);
        if entry.file_type().is_dir() {
            fs::create_dir_all(&target)?;
            continue;
        }
        let name = target
            .file_name()
            .context("a file has a name")?
            .to_string_lossy();
        let temp = target.with_file_name(format!("{name}.tmp"));
        let mut file = File::create(&temp)?;
        file.write_all(&fs::read(entry.path())?)?;
        file.sync_all()?;
        fs::rename(&temp, &target)?;
    }
    Ok(())
}
