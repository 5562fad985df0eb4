//! `verify`: compares the disk with the manifest and with the binary.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::place::{Purpose, Where};
use super::proof;
use crate::escape::shown;
use crate::exit::Verify;
use crate::host::Host;
use crate::install::plan::Options;
use crate::install::verify::{Finding, findings};
use crate::install::{Plan, Scope};
use crate::proof::Record;

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which install.
    #[command(flatten)]
    pub place: Where,
    /// See every exit code again, through the installed launchers and the recorded binary
    #[arg(long)]
    pub proof: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    schema: u32,
    ok: bool,
    scope: Scope,
    root: String,
    findings: &'a [Finding],
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<&'a Record>,
}

/// Runs `verify`.
pub fn run(args: &Args, host: &mut Host) -> Result<Verify> {
    let exe = host.exe.clone().unwrap_or_default();
    let opened = args.place.open(Purpose::Look, &exe, host)?;
    let manifest = opened.installed()?;
    let plan = Plan::new(
        &opened.wanted,
        &opened.found,
        Some(manifest),
        Options::default(),
    );
    let findings = findings(&plan, manifest);
    let proof = if args.proof {
        Some(proof::run(&opened, host)?)
    } else {
        None
    };
    let proven = proof.as_ref().is_none_or(|proof| proof.ok);
    let ok = proven && findings.iter().all(Finding::ok);
    if args.json {
        let answer = Answer {
            schema: 1,
            ok,
            scope: opened.place.scope,
            root: opened.place.root.to_string_lossy().into_owned(),
            findings: &findings,
            proof: proof.as_ref(),
        };
        serde_json::to_writer_pretty(&mut host.out, &answer)?;
        writeln!(host.out)?;
    } else {
        print(host, &opened.place.root, &findings)?;
        if let Some(proof) = &proof {
            proof::print(proof, &mut host.out)?;
        }
    }
    Ok(if ok { Verify::Done } else { Verify::Drift })
}

/// What is not as shipped, one a line.
fn print(host: &mut Host, root: &Path, findings: &[Finding]) -> Result<()> {
    let place = shown(&root.to_string_lossy());
    let drift: Vec<_> = findings.iter().filter(|finding| !finding.ok()).collect();
    if drift.is_empty() {
        let count = findings.len();
        writeln!(host.out, "ok: all {count} things in {place} are as shipped")?;
        return Ok(());
    }
    writeln!(
        host.out,
        "{} of {} things in {place} differ:",
        drift.len(),
        findings.len()
    )?;
    for finding in drift {
        let (state, path) = (finding.state, shown(&finding.path));
        match finding.detail.as_str() {
            "" => writeln!(host.out, "  {state:<10}  {path}")?,
            detail => writeln!(host.out, "  {state:<10}  {path}: {detail}")?,
        }
    }
    Ok(())
}
