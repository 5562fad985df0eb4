//! `completions`: what a shell needs to complete words of this program, to standard output or as
//! the file that the shell looks for. The command line comes in as data; nothing is installed.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap_complete::{Generator, Shell};
use fs_err as fs;

use crate::escape::shown;
use crate::exit::Completions;
use crate::files;
use crate::host::Host;

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell that reads them
    shell: Shell,
    /// Write the file below DIR, under the name that the shell looks for
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs `completions` for the command line `cli`.
pub fn run(args: &Args, mut cli: clap::Command, host: &mut Host) -> Result<Completions> {
    let name = cli.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut cli, &name, &mut script);
    let Some(folder) = &args.out else {
        host.out.write_all(&script)?;
        return Ok(Completions::Done);
    };
    let path = folder.join(args.shell.file_name(&name));
    fs::create_dir_all(host.cwd.join(folder))?;
    files::replace(&host.cwd.join(&path), &script, 0o644)
        .context("could not write the completions")?;
    writeln!(host.out, "{}", shown(&path.to_string_lossy()))?;
    Ok(Completions::Done)
}
