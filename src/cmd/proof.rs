//! `verify --proof`: sees every exit code again through what is installed, says row by row what was
//! seen, and keeps the result for `status`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::place::Opened;
use crate::escape::{quoted, shown};
use crate::exit;
use crate::files::sha256_of;
use crate::host::Host;
use crate::install::{Scope, binary};
use crate::proof::record::{self, Binary};
use crate::proof::{Installed, Proven, Record, World, prove};

/// Proves an install and writes `proof.json`.
pub fn run(opened: &Opened, host: &Host) -> Result<Record> {
    if cfg!(not(unix)) {
        bail!("could not prove anything: launchers and signals need macOS or Linux");
    }
    let root = &opened.place.root;
    let recorded = opened.found.binary.as_deref().and_then(binary::recorded);
    let (path, digest) =
        recorded.context("could not tell which binary the launchers start: run install again")?;
    let sha256 = sha256_of(&path)
        .context("could not read the binary that the launchers start: run install again")?;
    let mut doubts = doubts(&path, &sha256, &digest, host);
    if opened.place.scope == Scope::Project {
        doubts.extend(by_name(&path, &sha256, host));
    }
    let world = World::new(Installed {
        root: root.to_owned(),
        ours: opened.place.at(&opened.place.names.ours),
        binary: path.clone(),
        launchers: launchers(opened),
    })?;
    let rows = prove(&exit::table(), &world)?;
    let record = Record {
        schema: 1,
        date: host.now(),
        root: root.to_string_lossy().into_owned(),
        binary: Binary {
            path: path.to_string_lossy().into_owned(),
            sha256,
        },
        ok: doubts.is_empty() && rows.iter().all(|row| row.ok),
        doubts,
        rows,
    };
    record::write(&host.state_folder()?, &record)?;
    Ok(record)
}

/// Names of the desk tools that this release installs.
fn launchers(opened: &Opened) -> Vec<String> {
    let tools = opened.wanted.files.iter().filter(|file| file.executable);
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    tools.filter_map(|file| name(&file.path)).collect()
}

/// How the last proof went, how old it is and whether its binary has changed since: one line, and
/// whether all was as listed then. None when there was no proof.
pub fn last(host: &Host) -> Result<Option<(String, bool)>> {
    let Some(record) = record::read(&host.state_folder()?)? else {
        return Ok(None);
    };
    let now = sha256_of(Path::new(&record.binary.path));
    let line = record.line(host.now(), &now.unwrap_or_default());
    Ok(Some((line, record.ok)))
}

/// What is wrong with the binaries that are at hand, one line each.
fn doubts(path: &Path, sha256: &str, recorded: &str, host: &Host) -> Vec<String> {
    let mut doubts = Vec::new();
    let place = quoted(&host.friendly(path));
    if sha256 != recorded {
        doubts.push(format!(
            "{place} is not the binary that was recorded: run install again"
        ));
    }
    if host.exe.as_deref().is_some_and(|exe| !is_same(exe, sha256)) {
        doubts.push(format!(
            "{place}, which the launchers start, is another binary than this one: run install again"
        ));
    }
    doubts
}

/// In project scope agents call the binary by its name.
fn by_name(path: &Path, sha256: &str, host: &Host) -> Option<String> {
    let place = quoted(&host.friendly(path));
    match on_path(host) {
        None => Some(format!(
            "lean-computer-use is not on PATH, and agents call it by its name: put {place} on PATH"
        )),
        Some(hit) if !is_same(&hit, sha256) => {
            let hit = quoted(&host.friendly(&hit));
            Some(format!(
                "PATH leads to another binary, {hit}, and agents call it by its name: put {place} before it"
            ))
        }
        Some(_) => None,
    }
}

fn is_same(path: &Path, digest: &str) -> bool {
    sha256_of(path).is_ok_and(|now| now == digest)
}

fn on_path(host: &Host) -> Option<PathBuf> {
    let name = format!("{}{}", env!("CARGO_PKG_NAME"), std::env::consts::EXE_SUFFIX);
    std::env::split_paths(host.var("PATH")?)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name))
        .find(|hit| hit.is_file())
}

/// Prints each row with what was seen, and what is wrong besides.
pub fn print(record: &Record, out: &mut dyn Write) -> Result<()> {
    let binary = shown(&record.binary.path);
    writeln!(
        out,
        "proof: {binary} and the installed launchers, on the simulated desktop"
    )?;
    for row in &record.rows {
        writeln!(out, "{}", line(row).trim_end())?;
    }
    for doubt in &record.doubts {
        writeln!(out, "  DOUBT    {doubt}")?;
    }
    let good = record.rows.iter().filter(|row| row.ok).count();
    let all = record.rows.len();
    writeln!(out, "{good} of {all} exit codes were seen as listed")?;
    Ok(())
}

fn line(row: &Proven) -> String {
    let mark = if row.ok { "ok" } else { "DIFFERS" };
    let (command, code, saw) = (&row.command, &row.code, row.saw.join(", "));
    format!(
        "  {mark:<7}  {command:<18} {code:>5}  saw {saw:<9} {}",
        row.why
    )
}
