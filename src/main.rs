//! Parses, runs, maps the outcome to an exit code. The only place that prints a failure.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use lean_computer_use::host::{Host, Start};
use lean_computer_use::{cli, cmd};

/// With musl's own allocator, the released meter takes a third longer: its one lock, and memory that
/// is given back and fetched anew (bench/README.md).
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let argv: Vec<_> = std::env::args_os().collect();
    let mut host = Host::real();
    // Before the argument parser: exit 2 from a hook blocks the tool call, and 2 is what a usage
    // error ends with. https://docs.claude.com/en/docs/claude-code/hooks
    if argv.get(1).is_some_and(|word| word == "hook") {
        std::panic::set_hook(Box::new(|_| {}));
        let mut words = &argv[2..];
        if let [rest @ .., last] = words
            && last == cli::INTERNAL_ERROR
        {
            words = rest;
            host.start = Start::Panics;
        }
        let _ = catch_unwind(AssertUnwindSafe(|| cmd::hook::run(words, &mut host)));
        return ExitCode::SUCCESS;
    }
    cli::run(&argv, &mut host)
}
