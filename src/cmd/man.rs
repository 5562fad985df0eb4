//! `man`: the manual as man pages, one for the program and one for each command, made from the
//! command line and the exit-code table. One page to standard output, or all below a folder.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use fs_err as fs;

use crate::escape::{quoted, shown};
use crate::exit::{self, CommandTable, Exits, Program};
use crate::files;
use crate::host::Host;

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The command whose page is printed; without it, the program's own
    command: Option<String>,
    /// Write every page below DIR instead, such as ~/.local/share/man/man1
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

/// Runs `man` for the command line `cli`, whose help holds no exit codes: pages have them from the
/// table.
pub fn run(args: &Args, cli: clap::Command, host: &mut Host) -> Result<exit::Man> {
    let pages = pages(cli)?;
    let Some(folder) = &args.out else {
        let name = args.command.as_deref().unwrap_or(Program::COMMAND);
        let Some(page) = pages.iter().find(|page| page.command == name) else {
            bail!(
                "could not find a page: no command is called {}",
                quoted(name)
            );
        };
        host.out.write_all(&page.text)?;
        return Ok(exit::Man::Done);
    };
    fs::create_dir_all(host.cwd.join(folder))?;
    for page in pages {
        let path = folder.join(page.file);
        files::put(&host.cwd.join(&path), &page.text, 0o644).context("could not write a page")?;
        writeln!(host.out, "{}", shown(&path.to_string_lossy()))?;
    }
    files::sync_folder(&host.cwd.join(folder))?;
    Ok(exit::Man::Done)
}

struct Page {
    command: String,
    file: String,
    text: Vec<u8>,
}

/// The program's page first, then the commands' as `--help` lists them.
fn pages(cli: clap::Command) -> io::Result<Vec<Page>> {
    let mut cli = cli.disable_help_subcommand(true);
    cli.build();
    let table = exit::table();
    let commands = cli
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    let all = std::iter::once(&cli).chain(commands);
    all.map(|command| page(command, &table.commands)).collect()
}

fn page(command: &clap::Command, tables: &[CommandTable]) -> io::Result<Page> {
    let name = command.get_name().to_owned();
    let version = env!("CARGO_PKG_VERSION");
    let man = Man::new(command.clone()).source(format!("{} {version}", Program::COMMAND));
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    if let Some(notes) = command.get_after_help() {
        notes_section(&notes.to_string()).to_writer(&mut text)?;
    }
    for table in tables.iter().filter(|table| table.name == name) {
        exit_section(table).to_writer(&mut text)?;
    }
    let file = man.get_filename();
    Ok(Page {
        command: name,
        file,
        text,
    })
}

/// Lines as they stand, since they are aligned.
fn notes_section(notes: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["NOTES"]).control("nf", []);
    for line in notes.lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    roff
}

fn exit_section(table: &CommandTable) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for row in &table.exits {
        roff.control("TP", []);
        roff.text([bold(row.label())]);
        roff.text([roman(&row.meaning)]);
    }
    roff
}
