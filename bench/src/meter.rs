//! `bench meter`: makes a tree, installs the peers, runs all in turn with cold and warm caches, and
//! prints who took how long and who was right.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use walkdir::WalkDir;

use crate::peers;
use crate::run::{Run, forget, once, recall};
use crate::tree::Maker;

/// What to do.
pub struct Plan {
    pub bytes: usize,
    pub seed: u64,
    pub rounds: usize,
    pub folder: PathBuf,
    pub alone: bool,
    pub tool: Option<PathBuf>,
}

/// Input and output tokens of an answer; none when it has no such.
type Totals = Result<Option<(u64, u64)>>;
type Judge = Box<dyn Fn(&[u8]) -> Totals>;

/// One that takes part.
struct Entry {
    name: String,
    command: Box<dyn Fn() -> Command>,
    totals: Judge,
    state: State,
    runs: Vec<Run>,
    wrong: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum State {
    Warm,
    Cold,
}

/// Does it all.
pub fn run(plan: &Plan) -> Result<()> {
    let home = plan
        .folder
        .join(format!("tree-{}-{}", plan.seed, plan.bytes));
    let truth = tree(&home, plan)?;
    let mut entries = Vec::new();
    let tool = plan.tool.clone().map_or_else(built, Ok)?;
    entries.extend(ours(&tool, &home, State::Warm));
    entries.extend(ours(&tool, &home, State::Cold));
    let peers = if plan.alone {
        Vec::new()
    } else {
        peers::install(&plan.folder.join("peers"))
    };
    for peer in peers {
        match peer {
            Ok(peer) => entries.extend(theirs(peer, &home)),
            Err((name, why)) => println!("skipped {name}: {why}"),
        }
    }
    for round in 0..plan.rounds {
        for at in 0..entries.len() {
            // Another one begins in every round.
            let at = (at + round) % entries.len();
            measure(&mut entries[at], &home);
        }
    }
    let log = plan.folder.join("runs.jsonl");
    write(&log, &entries)?;
    print(&entries, &truth);
    println!("\nevery run: {}", log.display());
    Ok(())
}

fn measure(entry: &mut Entry, home: &Path) {
    if entry.wrong.is_some() {
        return;
    }
    let run = || {
        match entry.state {
            State::Cold => forget(home)?,
            // Whoever ran before may have made the system forget, also files that only some read.
            State::Warm => recall(home)?,
        }
        once(&mut (entry.command)())
    };
    match run() {
        Ok(run) => entry.runs.push(run),
        Err(error) => entry.wrong = Some(format!("{error:#}")),
    }
}

/// Input and output tokens, and messages.
fn tree(home: &Path, plan: &Plan) -> Result<Value> {
    let known = home.join("truth.json");
    if let Ok(text) = fs::read(&known) {
        return Ok(serde_json::from_slice(&text)?);
    }
    eprintln!(
        "writing {} bytes of transcripts into {}",
        plan.bytes,
        home.display()
    );
    let mut failed = None;
    let (mut files, mut bytes) = (0_u64, 0);
    let truth = Maker::new(plan.seed, plan.bytes).run(|file| {
        let path = home.join(".claude").join(file.path);
        files += u64::from(path.extension().is_some_and(|end| end == "jsonl"));
        bytes += file.bytes.len();
        let folder = path.parent().unwrap_or(home);
        let done = fs::create_dir_all(folder).and_then(|()| fs::write(&path, file.bytes));
        failed = failed.take().or(done.err());
    });
    failed.map_or(Ok(()), Err)?;
    let truth = json!({
        "messages": truth.total[0], "input": truth.total[1], "output": truth.total[2],
        "files": files, "bytes": bytes,
    });
    fs::write(known, serde_json::to_vec(&truth)?)?;
    Ok(truth)
}

/// What is built here.
fn built() -> Result<PathBuf> {
    let build = ["build", "--release", "--package", OURS];
    let built = Command::new("cargo").args(build).status();
    ensure!(
        built.is_ok_and(|status| status.success()),
        "could not build {OURS}"
    );
    Ok(std::env::current_exe()?.with_file_name(OURS))
}

fn ours(tool: &Path, home: &Path, state: State) -> Vec<Entry> {
    let entry = |name: &str, words: &'static [&'static str]| {
        let (tool, home) = (tool.to_owned(), home.to_owned());
        Entry {
            name: name.to_owned(),
            command: Box::new(move || {
                let mut command = Command::new(&tool);
                command
                    .args(["meter", "--json", "--by", "total"])
                    .args(words);
                command.env_clear().env("HOME", &home).env("TZ", "UTC");
                command
            }),
            totals: Box::new(|out| {
                let answer: Value = serde_json::from_slice(out)?;
                let total = &answer["total"];
                Ok(total["input"].as_u64().zip(total["output"].as_u64()))
            }),
            state,
            runs: Vec::new(),
            wrong: None,
        }
    };
    let scan_home = home.to_owned();
    let scan = Entry {
        name: "(memmem \"usage\" alone)".to_owned(),
        command: Box::new(move || {
            scan_command(&scan_home).unwrap_or_else(|_| Command::new("false"))
        }),
        totals: Box::new(|_| Ok(None)),
        ..entry("", &[])
    };
    vec![
        entry(OURS, &["--no-ledger"]),
        entry("lean-computer-use, with its ledger", &[]),
        scan,
    ]
}

const OURS: &str = "lean-computer-use";

fn scan_command(home: &Path) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("scan").arg(home);
    Ok(command)
}

fn theirs(peer: peers::Peer, home: &Path) -> Vec<Entry> {
    let peer = std::rc::Rc::new(peer);
    [State::Warm, State::Cold]
        .map(|state| {
            let (asked, answered, home) = (peer.clone(), peer.clone(), home.to_owned());
            Entry {
                name: peer.name.clone(),
                command: Box::new(move || asked.command(&home)),
                totals: Box::new(move |out| answered.totals(out).map(Some)),
                state,
                runs: Vec::new(),
                wrong: None,
            }
        })
        .into()
}

/// Reads every transcript and counts `"usage"`, on all cores.
pub fn scan(folder: &Path) -> Result<()> {
    let files = WalkDir::new(folder).into_iter().filter_map(Result::ok);
    let mut files: Vec<_> = files
        .filter(|file| file.path().extension().is_some_and(|end| end == "jsonl"))
        .filter_map(|file| Some((file.metadata().ok()?.len(), file.into_path())))
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    let (next, hits) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || -> Result<()> {
        let finder = memchr::memmem::Finder::new("\"usage\"");
        let mut buffer = vec![0; 512 << 10];
        while let Some((_, path)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut file = File::open(path)?;
            loop {
                let read = file.read(&mut buffer)?;
                if read == 0 {
                    break;
                }
                hits.fetch_add(finder.find_iter(&buffer[..read]).count(), Ordering::Relaxed);
            }
        }
        Ok(())
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| Ok(())))
    })?;
    println!("{}", hits.into_inner());
    Ok(())
}

fn write(path: &Path, entries: &[Entry]) -> Result<()> {
    let mut file =
        File::create(path).with_context(|| format!("could not write {}", path.display()))?;
    for entry in entries {
        for (round, run) in entry.runs.iter().enumerate() {
            let line = json!({
                "name": entry.name, "state": format!("{:?}", entry.state), "round": round,
                "wall_s": run.wall.as_secs_f64(), "cpu_s": run.cpu.as_secs_f64(), "memory": run.memory,
            });
            writeln!(file, "{line}")?;
        }
    }
    Ok(())
}

fn print(entries: &[Entry], truth: &Value) {
    println!(
        "\n{} bytes in {} files, {} messages; truth: {} input, {} output\n",
        truth["bytes"], truth["files"], truth["messages"], truth["input"], truth["output"]
    );
    println!(
        "| meter | caches | median s | least s | cpu s | of ours: wall | of ours: cpu | memory MB | input | output |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let ours: BTreeMap<_, _> = entries
        .iter()
        .filter(|entry| entry.name == OURS)
        .map(|entry| (format!("{:?}", entry.state), &entry.runs))
        .collect();
    for entry in entries {
        let state = format!("{:?}", entry.state);
        if let Some(wrong) = &entry.wrong {
            println!("| {} | {state} | no result: {wrong} |", entry.name);
            continue;
        }
        let wall = |run: &Run| run.wall.as_secs_f64();
        let cpu = |run: &Run| run.cpu.as_secs_f64();
        let ratio = |of: &dyn Fn(&Run) -> f64| {
            let pairs = entry.runs.iter().zip(ours[&state]);
            median(pairs.map(|(theirs, ours)| of(theirs) / of(ours)).collect())
        };
        let walls: Vec<_> = entry.runs.iter().map(wall).collect();
        let least = walls.iter().copied().fold(f64::INFINITY, f64::min);
        let memory = entry.runs.iter().map(|run| run.memory).max().unwrap_or(0) / 1_000_000;
        println!(
            "| {} | {state} | {:.3} | {least:.3} | {:.3} | {:.2} | {:.2} | {memory} | {} |",
            entry.name,
            median(walls.clone()),
            median(entry.runs.iter().map(cpu).collect()),
            ratio(&wall),
            ratio(&cpu),
            answer(entry, truth)
        );
    }
}

/// Input and output beside the truth.
fn answer(entry: &Entry, truth: &Value) -> String {
    let Some(run) = entry.runs.last() else {
        return "| ".to_owned();
    };
    match (entry.totals)(&run.out) {
        Ok(Some((input, output))) => {
            let beside = |got: u64, name: &str| {
                let want = truth[name].as_u64().unwrap_or(0);
                if got == want {
                    "exact".to_owned()
                } else {
                    let off = (got as f64 / want as f64 - 1.0) * 100.0;
                    format!("{got} ({off:+.2} %)")
                }
            };
            format!("{} | {}", beside(input, "input"), beside(output, "output"))
        }
        Ok(None) => "- | -".to_owned(),
        Err(error) => format!("{error:#} | "),
    }
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of.get(of.len() / 2).copied().unwrap_or(f64::NAN)
}
