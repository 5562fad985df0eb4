//! `verify --proof`: sees every exit code again through what is installed, says row by row what was
//! seen, and keeps the result for `status`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use fs_err as fs;

use crate::escape::{quoted, shown};
use crate::exit;
use crate::files::sha256;
use crate::host::Host;
use crate::install::wanted::{LOCAL, OURS};
use crate::proof::record::{self, Binary};
use crate::proof::{Installed, Proven, Record, World, prove};

/// Proves the install in `root`, whose commands are called by name, and writes `proof.json`.
pub fn run(root: &Path, host: &Host) -> Result<Record> {
    if cfg!(not(unix)) {
        bail!("could not prove anything: launchers and signals need macOS or Linux");
    }
    let (path, digest) = recorded(root)?;
    let bytes = fs::read(&path).with_context(|| {
        format!(
            "could not read the recorded binary: run install again in {}",
            root.display()
        )
    })?;
    let sha256 = sha256(&bytes);
    let doubts = doubts(&path, &sha256, &digest, host);
    let world = World::new(Installed {
        root: root.to_owned(),
        ours: root.join(OURS),
        binary: path.clone(),
    })?;
    let rows = prove(&exit::table(), &world);
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

/// Path and digest of the binary that the launchers start, as `install` wrote them.
fn recorded(root: &Path) -> Result<(PathBuf, String)> {
    let record = fs::read_to_string(root.join(LOCAL).join("binary"))
        .context("could not tell which binary the launchers start: run install again")?;
    let mut lines = record.lines();
    match (lines.next(), lines.next()) {
        (Some(path), Some(digest)) if Path::new(path).is_absolute() => {
            Ok((path.into(), digest.to_owned()))
        }
        _ => bail!("could not read which binary the launchers start: run install again"),
    }
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
    match on_path(host) {
        None => doubts.push(format!(
            "lean-computer-use is not on PATH, and agents call it by its name: put {place} on PATH"
        )),
        Some(hit) if !is_same(&hit, sha256) => {
            let hit = quoted(&host.friendly(&hit));
            doubts.push(format!(
                "PATH leads to another binary, {hit}, and agents call it by its name: put {place} before it"
            ));
        }
        Some(_) => {}
    }
    doubts
}

fn is_same(path: &Path, digest: &str) -> bool {
    fs::read(path).is_ok_and(|bytes| sha256(&bytes) == digest)
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
