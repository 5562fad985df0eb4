//! The command line: which commands there are, and the one way from a command's outcome to the
//! process's exit code.

use std::ffi::OsString;
use std::io::Write;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::cmd;
use crate::escape;
use crate::exit::{self, Exits, Program, is_broken_pipe};
use crate::host::{Host, Start};

/// Lets a coding agent operate native desktop apps cheaply and checkably.
#[derive(Debug, Parser)]
#[command(name = "lean-computer-use", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Install the desk tools, the runner agent and the hooks into a project's .claude
    Install(cmd::install::Args),
    /// Give back exactly what was there before
    Uninstall(cmd::uninstall::Args),
    /// Compare what is installed with what was shipped
    Verify(cmd::verify::Args),
    /// Say what is installed where
    Status(cmd::status::Args),
    /// Show what install would change
    Diff(cmd::diff::Args),
    /// Check that everything works here, and say what mends it
    Doctor(cmd::doctor::Args),
    /// Count tokens over Claude Code transcripts
    Meter(Box<cmd::meter::Args>),
    /// Call one driver tool on one app
    Desk(cmd::desk::Args),
    /// Run a packet of steps on one app
    DeskRun(cmd::desk_run::Args),
    /// Read an app's window, filtered and redacted
    DeskRead(cmd::desk_read::Args),
    /// Tell whether an app runs
    DeskRunning(cmd::desk_running::Args),
    /// Remove what a desk run left behind
    DeskClean(cmd::desk_clean::Args),
    /// Try the whole loop in a scratch project, step by step
    Try(cmd::try_loop::Args),
    /// Print the exit codes of every command
    ExitCodes(cmd::exit_codes::Args),
    /// Print what a shell needs to complete words, or write it to its file
    Completions(cmd::completions::Args),
    /// Print a man page, or write all of them
    Man(cmd::man::Args),
}

/// The flag that makes a command panic before it does anything, so that tests and `verify --proof`
/// can see how a panic ends. The argument parser does not know it, so that no completion offers it.
pub const INTERNAL_ERROR: &str = "--internal-error";

/// The command line as data, with each command's exit codes at the end of its help.
#[must_use]
pub fn command() -> clap::Command {
    let mut cli = Cli::command();
    for table in exit::table().commands {
        let codes = format!("Exit codes:\n{}", exit::render::rows(&table));
        let with_codes = |command: clap::Command| {
            let help = match command.get_after_help() {
                Some(help) => format!("{help}\n\n{codes}"),
                None => codes,
            };
            command.after_long_help(help)
        };
        if cli.find_subcommand(&table.name).is_some() {
            cli = cli.mut_subcommand(&table.name, with_codes);
        } else if table.name == Program::COMMAND {
            cli = with_codes(cli);
        }
    }
    cli
}

fn parse(words: &[&OsString]) -> Result<Cli, clap::Error> {
    Cli::from_arg_matches(&command().try_get_matches_from(words)?)
}

/// The words without [`INTERNAL_ERROR`], and whether it was there; behind a `--` words are not
/// flags.
fn without_internal_error(words: &[OsString]) -> (Vec<&OsString>, bool) {
    let mut flags = words.iter().take_while(|word| *word != "--");
    match flags.position(|word| word == INTERNAL_ERROR) {
        Some(place) => (
            words[..place].iter().chain(&words[place + 1..]).collect(),
            true,
        ),
        None => (words.iter().collect(), false),
    }
}

/// Parses `words`, runs the command and prints what went wrong, if anything did.
pub fn run(words: &[OsString], host: &mut Host) -> ExitCode {
    std::panic::set_hook(Box::new(report_panic));
    let (words, internal_error) = without_internal_error(words);
    if internal_error {
        host.start = Start::Panics;
    }
    let cli = match parse(&words) {
        Ok(cli) => cli,
        Err(error) => return finish(host, |host| usage(&error, host)),
    };
    let Some(command) = cli.command else {
        return finish(host, |_| Ok(Program::CouldNotRun));
    };
    match command {
        Command::Install(args) => finish(host, |host| cmd::install::run(&args, host)),
        Command::Uninstall(args) => finish(host, |host| cmd::uninstall::run(&args, host)),
        Command::Verify(args) => finish(host, |host| cmd::verify::run(&args, host)),
        Command::Status(args) => finish(host, |host| cmd::status::run(&args, host)),
        Command::Diff(args) => finish(host, |host| cmd::diff::run(&args, host)),
        Command::Doctor(args) => finish(host, |host| cmd::doctor::run(&args, host)),
        Command::Meter(args) => finish(host, |host| cmd::meter::run(&args, host)),
        Command::Desk(args) => finish(host, |host| cmd::desk::run(&args, host)),
        Command::DeskRun(args) => finish(host, |host| cmd::desk_run::run(&args, host)),
        Command::DeskRead(args) => finish(host, |host| cmd::desk_read::run(&args, host)),
        Command::DeskRunning(args) => finish(host, |host| cmd::desk_running::run(&args, host)),
        Command::DeskClean(args) => finish(host, |host| cmd::desk_clean::run(&args, host)),
        Command::Try(args) => finish(host, |host| cmd::try_loop::run(&args, host)),
        Command::ExitCodes(args) => finish(host, |host| cmd::exit_codes::run(&args, host)),
        Command::Completions(args) => finish(host, |host| {
            cmd::completions::run(&args, Cli::command(), host)
        }),
        Command::Man(args) => finish(host, |host| cmd::man::run(&args, Cli::command(), host)),
    }
}

/// Help and version are answers; everything else that clap reports is a usage error, which ends
/// every command with the same code.
fn usage(error: &clap::Error, host: &mut Host) -> Result<Program> {
    let text = error.render();
    if error.use_stderr() {
        write!(host.err, "{}", text.ansi())?;
        return Ok(Program::CouldNotRun);
    }
    write!(host.out, "{}", text.ansi())?;
    Ok(Program::Done)
}

fn finish<E: Exits>(host: &mut Host, command: impl FnOnce(&mut Host) -> Result<E>) -> ExitCode {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        assert!(host.start == Start::Runs, "asked for with {INTERNAL_ERROR}");
        let exit = command(host)?;
        host.out.flush()?;
        Ok::<E, anyhow::Error>(exit)
    }));
    let exit = match outcome {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) if is_broken_pipe(&error) => E::DONE,
        Ok(Err(error)) => {
            let failure = escape::failure(&error);
            let _ = writeln!(host.err, "{}: {failure}", speaker(E::COMMAND));
            E::COULD_NOT_RUN
        }
        Err(_) => E::INTERNAL,
    };
    ExitCode::from(exit.code())
}

/// The retry guard tells desk failures apart by the tool's own line, so desk tools speak under
/// their own name.
fn speaker(command: &'static str) -> &'static str {
    if command.starts_with("desk") {
        command
    } else {
        "lean-computer-use"
    }
}

/// Where it happened, not the panic's own message: that can hold text of an app.
fn report_panic(info: &PanicHookInfo<'_>) {
    let place = info
        .location()
        .map(|at| format!(" at {}:{}", at.file(), at.line()))
        .unwrap_or_default();
    let _ = writeln!(
        anstream::stderr(),
        "lean-computer-use: internal error{place}; please report it"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_one_before_the_dashes_only() {
        let case = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let (rest, asked) = without_internal_error(&words);
            (rest.len(), asked)
        };
        assert_eq!(case("x man --internal-error"), (2, true));
        assert_eq!(case("x man"), (2, false));
        assert_eq!(case("x desk-run y -- --internal-error"), (5, false));
    }

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }
}
