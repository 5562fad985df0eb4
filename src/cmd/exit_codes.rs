//! `exit-codes`: the table of every command, from the embedded data.

use std::io::Write;

use anyhow::Result;

use crate::exit::{ExitCodes, table};
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
    for command in &table.commands {
        writeln!(host.out, "{}", command.name)?;
        for row in &command.exits {
            let code = row.code.map_or("other".to_owned(), |code| code.to_string());
            writeln!(host.out, "  {code:>5}  {}", row.meaning)?;
        }
    }
    Ok(ExitCodes::Done)
}
