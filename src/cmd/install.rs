//! `install`: plan, apply, say in a few lines what was done and what to do next.

use std::io::Write;

use anyhow::Result;

use super::place::{Opened, Purpose, Where, is_project, running_binary};
use crate::escape::shown;
use crate::exit::Install;
use crate::host::Host;
use crate::install::apply::{self, Records};
use crate::install::plan::{Options, Plan};
use crate::install::{Binary, Scope, actions, diff, stage};

mod owner;
mod report;

use report::Report;

/// Arguments of `install`.
#[derive(Debug, clap::Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one flag of the command line each"
)]
pub struct Args {
    /// Where to.
    #[command(flatten)]
    pub place: Where,
    /// Also allow the desk commands in permissions.allow, so that no call asks
    #[arg(long)]
    pub allow: bool,
    /// Say what would be done, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print what would be changed as a unified diff, and write nothing
    #[arg(long)]
    pub diff: bool,
    /// Replace files of somebody else (kept in a backup, which uninstall gives back), edited ones
    /// too, and put back what you removed
    #[arg(long)]
    pub force: bool,
    /// Register no hooks: files only
    #[arg(long)]
    pub no_hooks: bool,
    /// Follow links that lead out of the project
    #[arg(long)]
    pub follow_links: bool,
    /// Install as root into a folder of another user, who will own the files
    #[arg(long)]
    pub as_root: bool,
    /// Ask nothing
    #[arg(long, short)]
    pub yes: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

impl Args {
    fn options(&self) -> Options {
        Options {
            allow: self.allow,
            no_hooks: self.no_hooks,
            force: self.force,
            follow_links: self.follow_links,
        }
    }

    fn writes(&self) -> bool {
        !self.dry_run && !self.diff
    }
}

/// Runs `install`.
pub fn run(args: &Args, host: &mut Host) -> Result<Install> {
    let binary = running_binary(host)?;
    let purpose = Purpose::Install {
        follow_links: args.follow_links,
    };
    let opened = args.place.open(purpose, &binary.path, host)?;
    if !args.as_root {
        owner::check(&opened.place.root)?;
    }
    let plan = Plan::new(
        &opened.wanted,
        &opened.found,
        opened.recorded.as_ref(),
        args.options(),
    );
    plan.installable()?;
    if args.diff {
        write!(host.out, "{}", diff::unified(&plan))?;
        return Ok(Install::Done);
    }
    let records = Records::of(&plan, &binary.record()?)?;
    if args.writes() {
        if !agreed(args, &opened, host)? {
            writeln!(host.out, "nothing was done")?;
            return Ok(Install::Done);
        }
        carry_out(&opened, &plan, &records, &binary)?;
    }
    let report = Report {
        opened: &opened,
        plan: &plan,
        binary: &binary,
        actions: actions::of_install(&plan, &records),
        dry: args.dry_run,
    };
    if args.json {
        report.json(host)?;
    } else {
        report.text(host)?;
    }
    Ok(Install::Done)
}

fn carry_out(opened: &Opened, plan: &Plan<'_>, records: &Records, binary: &Binary) -> Result<()> {
    stage::sweep(&opened.place, &opened.wanted)?;
    binary.settle()?;
    let actions = actions::of_install(plan, records);
    if actions.iter().any(actions::Action::changes) || opened.found.journal.is_some() {
        apply::install(&opened.place, plan, records)?;
    }
    Ok(())
}

/// Asks before a folder that looks like no project becomes one. Only a person at a terminal is
/// asked.
fn agreed(args: &Args, opened: &Opened, host: &mut Host) -> Result<bool> {
    let root = &opened.place.root;
    let known =
        opened.place.scope == Scope::User || args.place.project.is_some() || is_project(root);
    if known || args.yes || !host.interactive {
        return Ok(true);
    }
    let place = shown(&root.to_string_lossy());
    write!(
        host.out,
        "{place} has no .git and no .claude: install here? [y/N] "
    )?;
    host.out.flush()?;
    let mut answer = String::new();
    let mut byte = [0; 1];
    while host.stdin.read(&mut byte)? == 1 && byte != *b"\n" {
        answer.push(char::from(byte[0]));
    }
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
