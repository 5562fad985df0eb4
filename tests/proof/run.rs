//! Gets the facts: from the log of this very `cargo test`, else by running the suite; and the
//! documents.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lean_computer_use::exit::render::{self, Document as Kind};
use lean_computer_use::exit::{Exits, Program, Table, table};
use lean_computer_use::install::{Place, Scope, Wanted};

use super::check::{Document, Facts, Suite};
use super::log::{self, Line, Seen};
use super::types;

/// Documents with a rendered part.
pub const DOCUMENTS: &[(&str, Kind)] = &[
    ("README.md", Kind::Readme),
    ("assets/desk/README.md", Kind::Desk),
];

/// A file of the repository.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// All facts.
pub fn facts() -> io::Result<Facts> {
    let (suite, seen) = match of_this_run() {
        Some(facts) => facts,
        None => of_own_run()?,
    };
    let table = table();
    Ok(Facts {
        documents: documents(&table)?,
        table,
        types: types::all(),
        commands: commands()?,
        suite,
        seen,
    })
}

/// Removes this run's log, and those of runs that ended unjudged.
pub fn forget() {
    let own = log::current();
    for entry in fs::read_dir(log::folder()).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let cargo = name.split('-').next().unwrap_or_default();
        if own.as_deref() == Some(&entry.path()) || !Path::new("/proc").join(cargo).exists() {
            // Another run may be removing it as well.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// What the suite's own run before this one in the same `cargo test` left. One thread for all
/// tests gives them no names, so that run says nothing.
fn of_this_run() -> Option<(Suite, Vec<Seen>)> {
    let facts = read(&log::current()?).ok()?;
    forget();
    let named = facts.1.iter().all(|seen| seen.test != "main");
    named.then_some(facts)
}

fn of_own_run() -> io::Result<(Suite, Vec<Seen>)> {
    let log = tempfile::NamedTempFile::new()?;
    // The suite's own output would only bury ours.
    let ended = Command::new(binary()?)
        .env(log::VARIABLE, log.path())
        .env_remove("RUST_TEST_THREADS")
        .arg("--test-threads=2")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if !ended.success() {
        return Err(io::Error::other(
            "the suite itself failed; run `cargo test --test main` and mend that first",
        ));
    }
    read(log.path())
}

/// The suite's binary, as cargo builds it for this profile.
fn binary() -> io::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args([
        "test",
        "--test",
        "main",
        "--no-run",
        "--message-format=json",
    ]);
    if Path::new(env!("CARGO_BIN_EXE_lean-computer-use"))
        .iter()
        .any(|part| part == "release")
    {
        command.arg("--release");
    }
    let output = command
        .current_dir(path(""))
        .stderr(Stdio::null())
        .output()?;
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|line| line["target"]["name"] == "main")
        .find_map(|line| Some(PathBuf::from(line["executable"].as_str()?)))
        .ok_or_else(|| io::Error::other("cargo built no tests/main.rs"))
}

fn read(log: &Path) -> io::Result<(Suite, Vec<Seen>)> {
    let (mut suite, mut seen) = (Suite::default(), Vec::new());
    for line in fs::read_to_string(log)?.lines() {
        match serde_json::from_str(line)? {
            Line::Suite(binary) => {
                suite.all = names(&binary, &[])?;
                suite.ignored = names(&binary, &["--ignored"])?;
            }
            Line::Saw(end) => seen.push(end),
            Line::Ended { test, passed } => {
                let tests = if passed {
                    &mut suite.passed
                } else {
                    &mut suite.failed
                };
                tests.insert(test);
            }
        }
    }
    Ok((suite, seen))
}

fn names(binary: &Path, words: &[&str]) -> io::Result<BTreeSet<String>> {
    let output = Command::new(binary).arg("--list").args(words).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
    Ok(names.map(str::to_owned).collect())
}

/// What can be called: the program itself, its commands, and every executable and hook that
/// `install` leaves.
fn commands() -> io::Result<BTreeSet<String>> {
    let cli = lean_computer_use::cli::command();
    let mut names: BTreeSet<_> = cli
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    names.insert(Program::COMMAND.to_owned());
    let place = Place::new(Scope::Project, path(""), None);
    let wanted = Wanted::new(&place, Path::new("/binary"));
    for file in wanted.map_err(io::Error::other)?.files {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        if file.kind == "hook" {
            names.insert(format!("hook {name}"));
        } else if file.executable {
            names.insert(name.to_owned());
        }
    }
    Ok(names)
}

fn documents(table: &Table) -> io::Result<Vec<Document>> {
    let mut documents = Vec::new();
    for (name, kind) in DOCUMENTS {
        let text = fs::read_to_string(path(name))?;
        let want = render::filled(&text, &render::markdown(table, *kind));
        documents.push(Document {
            name: (*name).to_owned(),
            want: want.unwrap_or_default(),
            text,
        });
    }
    let printed = Command::new(env!("CARGO_BIN_EXE_lean-computer-use"))
        .arg("exit-codes")
        .output()?;
    documents.push(Document {
        name: "exit-codes".to_owned(),
        text: String::from_utf8_lossy(&printed.stdout).into_owned(),
        want: render::text(table),
    });
    Ok(documents)
}
