//! `diff`: what `install` would change, as a unified diff.

use std::io::Write;

use anyhow::Result;

use super::place::{Purpose, Where, running_binary};
use crate::exit::Diff;
use crate::host::Host;
use crate::install::plan::{Options, Plan};
use crate::install::{Scope, diff};

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which install.
    #[command(flatten)]
    pub place: Where,
    /// As install --allow
    #[arg(long)]
    pub allow: bool,
}

/// Runs `diff`.
pub fn run(args: &Args, host: &mut Host) -> Result<Diff> {
    let binary = running_binary(host)?;
    // An install keeps its scope here: only a flag moves it.
    let looked = args.place.open(Purpose::Look, &binary.path, host)?;
    let place = Where {
        local: looked.place.scope == Scope::Local,
        ..args.place.clone()
    };
    drop(looked);
    let opened = place.open(Purpose::Install { follow_links: true }, &binary.path, host)?;
    let options = Options {
        allow: args.allow,
        ..Options::default()
    };
    let plan = Plan::new(
        &opened.wanted,
        &opened.found,
        opened.recorded.as_ref(),
        options,
    );
    plan.installable()?;
    let text = diff::unified(&plan);
    write!(host.out, "{text}")?;
    Ok(if text.is_empty() {
        Diff::Done
    } else {
        Diff::Differs
    })
}
