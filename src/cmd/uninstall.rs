//! `uninstall`: gives back exactly what was there before.

use std::io::Write;

use anyhow::Result;
use fs_err as fs;
use serde_json::json;

use super::place::{Opened, Purpose, Where};
use crate::escape::{self, shown};
use crate::exit::Uninstall;
use crate::host::Host;
use crate::install::actions::{self, Action};
use crate::install::plan::{Fate, FilePlan, Options, Removal, State};
use crate::install::registered::registered_in;
use crate::install::{Plan, remove, stage};

/// Arguments of `uninstall`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Where from.
    #[command(flatten)]
    pub place: Where,
    /// Say what would be done, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Runs `uninstall`.
pub fn run(args: &Args, host: &mut Host) -> Result<Uninstall> {
    let exe = host.exe.clone().unwrap_or_default();
    let opened = args.place.open(Purpose::Uninstall, &exe, host)?;
    if !args.dry_run {
        stage::sweep(&opened.place, &opened.wanted)?;
    }
    let Some(manifest) = &opened.recorded else {
        return not_installed(args, &opened, host);
    };
    let plan = Plan::new(
        &opened.wanted,
        &opened.found,
        Some(manifest),
        Options::default(),
    );
    let removal = plan.removal(manifest)?;
    if !args.dry_run {
        remove::uninstall(&opened.place, &plan, &removal, manifest)?;
    }
    let kept: Vec<_> = removal
        .kept()
        .map(str::to_owned)
        .chain(backups(&opened, &removal))
        .collect();
    if args.json {
        json_answer(args, &opened, &actions::of_removal(&removal), &kept, host)?;
    } else if args.dry_run {
        dry(&opened, &removal, host)?;
    } else {
        report(&opened, &removal, &kept, host)?;
    }
    Ok(if kept.is_empty() {
        Uninstall::Done
    } else {
        Uninstall::Partial
    })
}

/// Without a manifest nobody knows whose it is, so what looks like ours stays and is named.
fn not_installed(args: &Args, opened: &Opened, host: &mut Host) -> Result<Uninstall> {
    let plan = Plan::new(&opened.wanted, &opened.found, None, Options::default());
    let settings = opened.place.names.settings_files();
    let settings: Vec<_> = settings
        .filter(|file| !registered_in(&plan, file).is_empty())
        .collect();
    let same = |file: &&FilePlan<'_>| matches!(file.state, State::Same | State::Mode);
    let files = plan.files.iter().filter(same);
    let files: Vec<_> = files.map(|file| file.path.to_owned()).collect();
    let left = [settings.as_slice(), files.as_slice()].concat();
    if args.json {
        json_answer(args, opened, &[], &left, host)?;
    } else {
        let place = escape::path(&opened.place.root);
        writeln!(host.out, "nothing to do: not installed in {place}")?;
        let why = "no manifest says that we put it there";
        for file in settings {
            writeln!(host.out, "  kept, as {why}: our entries in {file}")?;
        }
        for file in files {
            writeln!(host.out, "  kept, as {why}: {file}")?;
        }
        if !left.is_empty() {
            let mend = "takes the entries out; the files are yours to remove";
            writeln!(
                host.out,
                "lean-computer-use install and then uninstall {mend}"
            )?;
        }
    }
    Ok(if left.is_empty() {
        Uninstall::Done
    } else {
        Uninstall::Partial
    })
}

fn backups<'a>(opened: &'a Opened, removal: &'a Removal<'_>) -> impl Iterator<Item = String> + 'a {
    removal
        .backups
        .iter()
        .map(|name| opened.place.names.backup(name))
}

fn json_answer(
    args: &Args,
    opened: &Opened,
    actions: &[Action],
    kept: &[String],
    host: &mut Host,
) -> Result<()> {
    let answer = json!({
        "schema": 1,
        "scope": opened.place.scope,
        "root": opened.place.root.to_string_lossy(),
        "dry_run": args.dry_run,
        "actions": actions,
        "kept": kept,
    });
    serde_json::to_writer_pretty(&mut host.out, &answer)?;
    Ok(writeln!(host.out)?)
}

fn dry(opened: &Opened, removal: &Removal<'_>, host: &mut Host) -> Result<()> {
    let place = shown(&opened.place.root.to_string_lossy());
    writeln!(
        host.out,
        "would remove lean-computer-use from {place}, and writes nothing:"
    )?;
    for Action { does, path } in actions::of_removal(removal) {
        writeln!(host.out, "  {does:<10} {}", shown(&path))?;
    }
    Ok(())
}

fn report(opened: &Opened, removal: &Removal<'_>, kept: &[String], host: &mut Host) -> Result<()> {
    let place = shown(&opened.place.root.to_string_lossy());
    let gone = |(_, fate): &&(&str, Fate<'_>)| matches!(fate, Fate::Gone | Fate::Restored(_));
    let files = removal.files.iter().filter(gone).count();
    writeln!(
        host.out,
        "removed lean-computer-use from {place}: {files} files"
    )?;
    for edit in &removal.settings {
        match edit.after {
            Some(_) => writeln!(host.out, "  our entries are out of {}", edit.file)?,
            None => writeln!(host.out, "  {} held nothing else and is gone", edit.file)?,
        }
    }
    for (path, fate) in &removal.files {
        match fate {
            Fate::Restored(_) => writeln!(host.out, "  given back as it was before: {path}")?,
            Fate::NoBackup => writeln!(
                host.out,
                "  kept, as the backup of what it replaced is not on this machine: {path}"
            )?,
            Fate::Kept => writeln!(host.out, "  kept, as it was changed since: {path}")?,
            Fate::Gone | Fate::NotOurs => {}
        }
    }
    for path in kept.iter().filter(|path| path.contains("/backups/")) {
        writeln!(host.out, "  kept, as it holds an edit of yours: {path}")?;
    }
    let local = &opened.place.names.local;
    let left = fs::read_dir(opened.place.at(local)).is_ok_and(|mut all| all.next().is_some());
    if left && removal.backups.is_empty() {
        let why = "as the folder was there before the install";
        writeln!(host.out, "  left alone, {why}: what is in {local}")?;
    }
    Ok(())
}
