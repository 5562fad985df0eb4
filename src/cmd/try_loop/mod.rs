//! `try`: the whole loop in a scratch project, printed step by step. Every step is the shipped
//! program itself, run as a process, through what `install` put there.

mod scratch;
mod steps;

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;

use crate::escape;
use crate::exit::Try;
use crate::host::Host;

use scratch::Scratch;

/// Arguments of `try`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Keep the scratch project in this new or empty folder
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Use the real cua-driver on a real calculator instead of the simulated one
    #[arg(long)]
    pub real: bool,
}

/// Runs `try`.
pub fn run(args: &Args, host: &mut Host) -> Result<Try> {
    let scratch = Scratch::new(args.keep.as_deref(), host)?;
    let place = escape::path(&scratch.project);
    writeln!(host.out, "the whole loop, in a scratch project: {place}\n")?;
    let before = scratch.snapshot()?;

    let mut failed = 0;
    for (name, step) in steps::all(args.real) {
        write!(host.out, "{name:<13} ")?;
        host.out.flush()?;
        let (mark, text) = match step(&scratch) {
            Ok(text) => ("ok", text),
            Err(error) => {
                failed += 1;
                ("FAILED", crate::escape::failure(&error))
            }
        };
        let text = text.trim_end().replace('\n', &format!("\n{:21} ", ""));
        writeln!(host.out, "{mark:<7} {text}")?;
    }

    let changed = before.differences(&scratch.snapshot()?);
    writeln!(host.out)?;
    if args.keep.is_some() {
        writeln!(host.out, "kept: {place}")?;
    }
    if failed > 0 {
        writeln!(host.out, "{failed} step(s) failed")?;
    }
    if changed.is_empty() {
        let count = before.len();
        writeln!(
            host.out,
            "the project is as it was: {count} entries, byte for byte"
        )?;
    } else {
        writeln!(
            host.out,
            "the project is NOT as it was: {}",
            changed.join(", ")
        )?;
    }
    Ok(if failed == 0 && changed.is_empty() {
        Try::Done
    } else {
        Try::Failed
    })
}
