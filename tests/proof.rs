//! The proof of the exit-code table: part of `cargo test`, after the stories. It compares the
//! table with the tests that passed, what they observed, and the documents, and fails on any
//! difference. `cargo test --test proof -- --write` fills in the tests of every row and renders
//! the documents; what no test observed stays a fault. A filtered run is not judged.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a developer's tool: starts the suite, prints what is wrong, may stop at a surprise"
)]

#[path = "proof/check.rs"]
mod check;
#[path = "proof/log.rs"]
mod log;
#[path = "proof/run.rs"]
mod run;
#[path = "proof/types.rs"]
mod types;

use std::fs;
use std::io;
use std::process::ExitCode;

use lean_computer_use::exit::render;

use check::Facts;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args().skip(1).collect();
    if cfg!(not(unix)) {
        println!("\nproof of exit codes: skipped: its tests are for Unix");
        return ExitCode::SUCCESS;
    }
    if words.iter().any(|word| word == "--list") {
        return ExitCode::SUCCESS;
    }
    if is_filtered(&words) {
        run::forget();
        println!("\nproof of exit codes: skipped, as this run is filtered");
        return ExitCode::SUCCESS;
    }
    let mut facts = match run::facts() {
        Ok(facts) => facts,
        Err(error) => {
            println!("\nproof of exit codes: FAILED\n  {error}");
            return ExitCode::FAILURE;
        }
    };
    if words.iter().any(|word| word == "--write") {
        write(&mut facts).unwrap();
    }
    judge(&facts)
}

fn judge(facts: &Facts) -> ExitCode {
    let faults = check::faults(facts);
    if !faults.is_empty() {
        println!("\nproof of exit codes: FAILED");
        for fault in &faults {
            println!("  {fault}");
        }
        println!("  to name tests and render documents: cargo test --test proof -- --write");
        return ExitCode::FAILURE;
    }
    let rows: usize = facts.table.commands.iter().map(|c| c.exits.len()).sum();
    let seen = facts.seen.len();
    println!("\nproof of exit codes: ok: {rows} rows, {seen} observations");
    ExitCode::SUCCESS
}

/// Whether the suite's run left tests out. Words that take a value are known by name.
fn is_filtered(words: &[String]) -> bool {
    let takes_value = |word: &str| {
        [
            "--test-threads",
            "--color",
            "--format",
            "--logfile",
            "--shuffle-seed",
            "-Z",
        ]
        .contains(&word)
    };
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if takes_value(word) {
            words.next();
        } else if !word.starts_with('-')
            || word.starts_with("--skip")
            || ["--ignored", "--exact"].contains(&word)
        {
            return true;
        }
    }
    false
}

fn write(facts: &mut Facts) -> io::Result<()> {
    facts.table = check::filled(facts);
    fs::write(
        run::path("assets/exit-codes.json"),
        render::data(&facts.table),
    )?;
    for document in &mut facts.documents {
        if run::DOCUMENTS
            .iter()
            .any(|(name, _)| *name == document.name)
            && !document.want.is_empty()
        {
            fs::write(run::path(&document.name), &document.want)?;
            document.text.clone_from(&document.want);
        }
    }
    Ok(())
}
