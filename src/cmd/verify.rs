//! `verify`: compares the disk with the manifest and with the binary.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde::Serialize;

use super::install::{project_root, recorded};
use super::proof;
use crate::escape::shown;
use crate::exit::Verify;
use crate::host::Host;
use crate::install::verify::{Finding, findings};
use crate::install::{Plan, Wanted, found};
use crate::proof::Record;

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The project folder [default: the nearest one upwards with .claude or .git]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
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
    root: String,
    findings: &'a [Finding],
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<&'a Record>,
}

/// Runs `verify`.
pub fn run(args: &Args, host: &mut Host) -> Result<Verify> {
    let root = project_root(args.project.as_deref(), host)?;
    let wanted = Wanted::project();
    let found = found::look(&root, &wanted)?;
    let Some(manifest) = recorded(&found, &wanted)? else {
        let place = shown(&root.to_string_lossy());
        bail!("not installed in {place}: run lean-computer-use install");
    };
    let plan = Plan::new(&wanted, &found, Some(&manifest), false);
    let findings = findings(&plan, &manifest);
    let proof = if args.proof {
        Some(proof::run(&root, host)?)
    } else {
        None
    };
    let proven = proof.as_ref().is_none_or(|proof| proof.ok);
    let ok = proven && findings.iter().all(Finding::ok);
    if args.json {
        let answer = Answer {
            schema: 1,
            ok,
            root: root.to_string_lossy().into_owned(),
            findings: &findings,
            proof: proof.as_ref(),
        };
        serde_json::to_writer_pretty(&mut host.out, &answer)?;
        writeln!(host.out)?;
    } else {
        print(host, &root, &findings)?;
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
