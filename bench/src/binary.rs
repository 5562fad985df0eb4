//! `bench binary`: how big the released binary is, and how long it takes to say its version, in
//! pairs with a program that does nothing. Writes every run; prints medians.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::run::once;

/// What is measured, and where results are kept.
pub struct Plan {
    pub tool: PathBuf,
    pub rounds: usize,
    pub folder: PathBuf,
}

/// What the program is compared with.
const NOTHING: &str = "/bin/true";

/// Measures and prints.
pub fn run(plan: &Plan) -> Result<()> {
    let tool = &plan.tool;
    let bytes = fs::metadata(tool)
        .with_context(|| {
            format!(
                "could not find {}: cargo build --profile dist --target x86_64-unknown-linux-musl",
                tool.display()
            )
        })?
        .len();
    let mut pairs = Vec::new();
    for round in 0..plan.rounds + 10 {
        // Each is first in every second round.
        let (ours, nothing) = if round % 2 == 0 {
            let ours = version(tool)?;
            (ours, start(NOTHING)?)
        } else {
            let nothing = start(NOTHING)?;
            (version(tool)?, nothing)
        };
        // The first ones fill the caches.
        if round >= 10 {
            pairs.push((ours, nothing));
        }
    }
    fs::create_dir_all(&plan.folder)?;
    let log = plan.folder.join("binary-runs.jsonl");
    let mut file = File::create(&log)?;
    for (ours, nothing) in &pairs {
        let line = json!({"version_s": ours.as_secs_f64(), "nothing_s": nothing.as_secs_f64()});
        writeln!(file, "{line}")?;
    }
    print(&pairs);
    println!(
        "\n{bytes} bytes; {} rounds, every run: {}",
        plan.rounds,
        log.display()
    );
    Ok(())
}

fn version(tool: &Path) -> Result<Duration> {
    let run = once(Command::new(tool).arg("--version"))?;
    ensure!(
        run.out.starts_with(b"lean-computer-use "),
        "it said {:?}",
        run.out
    );
    Ok(run.wall)
}

fn start(program: &str) -> Result<Duration> {
    Ok(once(&mut Command::new(program))?.wall)
}

fn print(pairs: &[(Duration, Duration)]) {
    let ms = |of: &dyn Fn(&(Duration, Duration)) -> f64| {
        let mut ms: Vec<_> = pairs.iter().map(|pair| of(pair) * 1e3).collect();
        ms.sort_by(f64::total_cmp);
        let at = |part: usize| ms.get(ms.len() * part / 100).copied().unwrap_or_default();
        format!("{:.2} | {:.2}", at(50), at(95))
    };
    println!("| program | p50 ms | p95 ms |\n|---|---|---|");
    println!(
        "| lean-computer-use --version | {} |",
        ms(&|pair| pair.0.as_secs_f64())
    );
    println!("| {NOTHING} | {} |", ms(&|pair| pair.1.as_secs_f64()));
    println!(
        "| difference in a pair | {} |",
        ms(&|pair| pair.0.as_secs_f64() - pair.1.as_secs_f64())
    );
}
