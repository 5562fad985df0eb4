//! `exit-codes`: the table of every command, from the embedded data.

use std::io::Write;

use anyhow::Result;

use crate::exit::{ExitCodes, render, table};
use crate::host::Host;

/// Arguments of `exit-codes`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Runs `exit-codes`.
pub fn run(args: &Args, host: &mut Host) -> Result<ExitCodes> {
    let table = table();
    if args.json {
        serde_json::to_writer_pretty(&mut host.out, &table)?;
        writeln!(host.out)?;
        return Ok(ExitCodes::Done);
    }
    host.out.write_all(render::text(&table).as_bytes())?;
    Ok(ExitCodes::Done)
}
