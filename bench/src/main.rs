//! Benchmarks. Each installs what it compares with, checks everybody's answers, and writes every
//! single run to a file beside the table that it prints.
//!
//! `cargo run -p bench --release -- meter`, `-- install`, `-- hook` or `-- desk`

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;

mod binary;
mod desk;
mod desk_cost;
mod desktop;
mod hook;
mod install;
mod meter;
mod peers;
mod run;
mod tree;

#[derive(Parser)]
enum Command {
    /// The token meter beside other meters, over a generated tree of transcripts
    Meter {
        /// Size of the tree
        #[arg(long, default_value_t = 503_000_000)]
        bytes: usize,
        /// Decides what the tree holds
        #[arg(long, default_value_t = 7)]
        seed: u64,
        /// How often each meter runs, in each state of the caches
        #[arg(long, default_value_t = 7)]
        rounds: usize,
        /// Where trees, peers and results are kept
        #[arg(long, default_value = "target/bench")]
        folder: PathBuf,
        /// Install and run no other meters
        #[arg(long)]
        alone: bool,
        /// Measure this binary, as the released one, and not what is built here
        #[arg(long)]
        tool: Option<PathBuf>,
    },
    /// A fresh install beside a plain loop that writes the same files, a second install, and one
    /// into large settings
    Install {
        /// How often each runs
        #[arg(long, default_value_t = 25)]
        rounds: usize,
        /// Where projects and results are kept
        #[arg(long, default_value = "target/bench")]
        folder: PathBuf,
    },
    /// The guard's hook beside a shell that does nothing, and beside other languages
    Hook {
        /// How often each runs
        #[arg(long, default_value_t = 300)]
        rounds: usize,
        /// Where results are kept
        #[arg(long, default_value = "target/bench")]
        folder: PathBuf,
    },
    /// Tokens that desk tasks return, beside the driver's own ways, on a private desktop
    Desk {
        /// The native cua-driver, 0.35.4 or later
        #[arg(long, env = "LCU_TEST_CUA_DRIVER")]
        driver: PathBuf,
        /// The binary that is measured
        #[arg(long, default_value = "target/release/lean-computer-use")]
        tool: PathBuf,
        /// How often a click is timed in each way
        #[arg(long, default_value_t = 31)]
        rounds: usize,
        /// Where results are kept
        #[arg(long, default_value = "target/bench")]
        folder: PathBuf,
    },
    /// Size and start of the released binary, beside a program that does nothing
    Binary {
        /// The binary that is measured
        #[arg(
            long,
            default_value = "target/x86_64-unknown-linux-musl/dist/lean-computer-use"
        )]
        tool: PathBuf,
        /// How often each runs
        #[arg(long, default_value_t = 500)]
        rounds: usize,
        /// Where results are kept
        #[arg(long, default_value = "target/bench")]
        folder: PathBuf,
    },
    /// Writes, syncs and renames every file of a folder into another one, and does nothing else
    #[command(hide = true)]
    Copy { from: PathBuf, to: PathBuf },
    /// Counts `"usage"` in a tree and does nothing else: what reading alone takes
    #[command(hide = true)]
    Scan { folder: PathBuf },
}

fn main() -> Result<()> {
    match Command::parse() {
        Command::Meter {
            bytes,
            seed,
            rounds,
            folder,
            alone,
            tool,
        } => meter::run(&meter::Plan {
            bytes,
            seed,
            rounds,
            folder: std::path::absolute(folder)?,
            alone,
            tool: tool.map(std::path::absolute).transpose()?,
        }),
        Command::Install { rounds, folder } => install::run(rounds, &std::path::absolute(folder)?),
        Command::Hook { rounds, folder } => hook::run(&hook::Plan { rounds, folder }),
        Command::Desk {
            driver,
            tool,
            rounds,
            folder,
        } => desk::run(driver, &std::path::absolute(tool)?, &folder, rounds),
        Command::Binary {
            tool,
            rounds,
            folder,
        } => binary::run(&binary::Plan {
            tool: std::path::absolute(tool)?,
            rounds,
            folder,
        }),
        Command::Copy { from, to } => install::copy(&from, &to),
        Command::Scan { folder } => meter::scan(&folder),
    }
}
