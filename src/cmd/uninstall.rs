//! `uninstall`: gives back exactly what was there before.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::install::{project_root, recorded};
use crate::escape::shown;
use crate::exit::Uninstall;
use crate::host::Host;
use crate::install::apply::{self, Removed, SettingsFate};
use crate::install::{Plan, Wanted, found, lock};

/// Arguments of `uninstall`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The project folder [default: the nearest one upwards with .claude or .git]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
}

/// Runs `uninstall`.
pub fn run(args: &Args, host: &mut Host) -> Result<Uninstall> {
    let root = project_root(args.project.as_deref(), host)?;
    let wanted = Wanted::project();
    let _hold = lock::hold(&root)?;
    let found = found::look(&root, &wanted)?;
    let Some(manifest) = recorded(&found, &wanted)? else {
        let place = shown(&root.to_string_lossy());
        writeln!(host.out, "nothing to do: not installed in {place}")?;
        return Ok(Uninstall::Done);
    };
    let plan = Plan::new(&wanted, &found, Some(&manifest), false);
    let done = apply::uninstall(&root, &plan, &manifest)?;
    report(host, &root, &done)
}

fn report(host: &mut Host, root: &Path, done: &Removed) -> Result<Uninstall> {
    let place = shown(&root.to_string_lossy());
    writeln!(
        host.out,
        "removed lean-computer-use from {place}: {} files",
        done.files
    )?;
    match done.settings {
        SettingsFate::Untouched => {}
        SettingsFate::Restored => {
            writeln!(host.out, "  our entries are out of .claude/settings.json")?;
        }
        SettingsFate::Removed => writeln!(
            host.out,
            "  .claude/settings.json held nothing else and is gone"
        )?,
    }
    for path in &done.kept {
        writeln!(host.out, "  kept, as it was changed since: {path}")?;
    }
    Ok(if done.kept.is_empty() {
        Uninstall::Done
    } else {
        Uninstall::Partial
    })
}
