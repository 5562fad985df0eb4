//! `install`: plan, apply, say in a few lines what was done and what to do next.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use fs_err as fs;

use crate::escape::shown;
use crate::exit::Install;
use crate::host::Host;
use crate::install::apply::{self, Installed};
use crate::install::plan::SettingsPlan;
use crate::install::wanted::MANIFEST;
use crate::install::{Binary, Manifest, OnPath, Plan, Wanted, binary, found, lock, scope};

/// Arguments of `install`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The project folder [default: the nearest one upwards with .claude or .git]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Also allow the desk commands in permissions.allow, so that no call asks
    #[arg(long)]
    pub allow: bool,
}

/// Runs `install`.
pub fn run(args: &Args, host: &mut Host) -> Result<Install> {
    let root = project_root(args.project.as_deref(), host)?;
    let binary = running_binary(host)?;
    let wanted = Wanted::project();
    let _hold = lock::hold(&root)?;
    let found = found::look(&root, &wanted)?;
    let recorded = recorded(&found, &wanted)?;
    let plan = Plan::new(&wanted, &found, recorded.as_ref(), args.allow);
    let settings = plan.installable()?;
    let done = apply::install(&root, &plan, &binary.record)?;
    report(host, &root, &wanted, settings, &done)?;
    warn(host, settings, &binary)?;
    Ok(Install::Done)
}

/// The project that the user means.
pub fn project_root(asked: Option<&Path>, host: &Host) -> Result<PathBuf> {
    let cwd = fs::canonicalize(&host.cwd)?;
    let asked = match asked {
        Some(folder) => {
            let folder =
                fs::canonicalize(cwd.join(folder)).context("could not find the project")?;
            if !folder.is_dir() {
                bail!(
                    "could not use {} as a project: it is no folder",
                    folder.display()
                );
            }
            Some(folder)
        }
        None => None,
    };
    let home = host.home().and_then(|home| fs::canonicalize(home).ok());
    scope::root(asked.as_deref(), &cwd, home.as_deref(), |folder| {
        scope::MARKERS.iter().any(|name| folder.join(name).exists())
    })
}

/// What the last install left, checked.
pub fn recorded(found: &found::Found, wanted: &Wanted) -> Result<Option<Manifest>> {
    let Some(bytes) = &found.manifest else {
        return Ok(None);
    };
    let manifest = Manifest::parse(bytes, wanted).with_context(|| {
        format!("could not trust {MANIFEST}, so nothing was done: get it back from version control, or remove it")
    })?;
    Ok(Some(manifest))
}

fn running_binary(host: &Host) -> Result<Binary> {
    let exe = host
        .exe
        .as_deref()
        .context("could not find the running binary")?;
    let temp = ["TMPDIR", "TEMP"]
        .iter()
        .find_map(|name| host.folder_var(name));
    binary::look(exe, host.var("PATH"), temp.unwrap_or(Path::new("/tmp")))
}

fn report(
    host: &mut Host,
    root: &Path,
    wanted: &Wanted,
    settings: &SettingsPlan,
    done: &Installed,
) -> Result<()> {
    let place = shown(&root.to_string_lossy());
    let version = env!("CARGO_PKG_VERSION");
    if done.nothing() {
        writeln!(
            host.out,
            "nothing to do: lean-computer-use {version} is installed in {place}"
        )?;
    } else {
        writeln!(host.out, "installed lean-computer-use {version} in {place}")?;
    }
    if done.written > 0 {
        writeln!(host.out, "  {} files written below .claude", done.written)?;
    }
    if done.merged {
        writeln!(host.out, "  entries merged into .claude/settings.json")?;
    }
    if done.recorded && done.written == 0 && !done.merged {
        writeln!(host.out, "  recorded which binary the launchers start here")?;
    }
    for (path, offered) in &done.kept {
        let beside = if *offered {
            "; the new text is beside it as .new"
        } else {
            ""
        };
        writeln!(host.out, "  kept as you edited it: {path}{beside}")?;
    }
    for path in &done.left_out {
        writeln!(host.out, "  left out as you removed it: {path}")?;
    }
    permissions(host, wanted, settings, done)?;
    if !done.nothing() {
        writeln!(
            host.out,
            "next: start claude in {place}; hooks and agent start with the next session"
        )?;
    }
    Ok(())
}

fn permissions(
    host: &mut Host,
    wanted: &Wanted,
    settings: &SettingsPlan,
    done: &Installed,
) -> Result<()> {
    if settings.allowed {
        writeln!(
            host.out,
            "  the desk commands are allowed in permissions.allow"
        )?;
        return Ok(());
    }
    writeln!(
        host.out,
        "  the desk commands are not allowed: each call asks, and background subagents are refused\n  \
         to allow them: lean-computer-use install --allow"
    )?;
    if !done.nothing() {
        writeln!(host.out, "  which adds to permissions.allow")?;
        for rule in &wanted.entries.rules {
            writeln!(host.out, "    {rule}")?;
        }
    }
    Ok(())
}

fn warn(host: &mut Host, settings: &SettingsPlan, binary: &Binary) -> Result<()> {
    let path = shown(&host.friendly(&binary.path));
    match &binary.on_path {
        OnPath::This => {}
        OnPath::Nothing => writeln!(
            host.err,
            "warning: lean-computer-use is not on PATH, and agents call it by its name: put {path} on PATH"
        )?,
        OnPath::Other(other) => {
            let other = shown(&host.friendly(other));
            writeln!(
                host.err,
                "warning: PATH leads to another lean-computer-use, {other}, and agents call it by its name"
            )?;
        }
    }
    if binary.may_go_away {
        writeln!(
            host.err,
            "warning: {path} lies in a build or temp folder and may go away: install again from where it stays"
        )?;
    }
    if settings.marked {
        writeln!(
            host.err,
            "warning: .claude/settings.json starts with a byte order mark, which old versions of Claude Code refuse"
        )?;
    }
    if settings.disabled {
        writeln!(
            host.err,
            "warning: .claude/settings.json says disableAllHooks: no hook will run"
        )?;
    }
    Ok(())
}
