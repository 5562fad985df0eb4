//! The ledger: totals with it are those without it, whatever happens to the files, to the ledger
//! itself, and beside it.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use lean_computer_use::meter::{Chunks, Counted, Found, Scan};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::context::TestContext;
use crate::meter_trees::{grow, summed};

/// A tree, and a folder for a ledger.
struct World {
    folder: TempDir,
}

impl World {
    fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        grow(&folder.path().join("t"), seed, 60_000);
        Self { folder }
    }

    fn ledger(&self) -> PathBuf {
        self.folder.path().join("cache/meter")
    }

    fn found(&self) -> Found {
        let mut found = Found::default();
        found.add(&self.folder.path().join("t")).unwrap();
        found
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<_> = self
            .found()
            .transcripts
            .into_iter()
            .map(|one| one.path)
            .collect();
        files.sort();
        files
    }

    fn with(&self) -> Scan {
        Scan::with_ledger(self.found(), &self.ledger(), |_, _| {})
    }

    /// Reads both ways, and answers with what is gone.
    #[track_caller]
    fn check(&self, why: &str) -> Vec<Counted> {
        let (with, without) = (self.with(), Scan::of(self.found()));
        assert!(with.not_kept.is_none(), "{why}: {:?}", with.not_kept);
        let read = |scan: &Scan| (scan.read, scan.bytes, scan.skipped.clone());
        assert_eq!(read(&with), read(&without), "{why}");
        let (counted, gone) = settled(with);
        assert_eq!(counted, settled(without).0, "{why}");
        gone
    }
}

/// What was read and what is gone, each in an order that does not differ from run to run.
fn settled(scan: Scan) -> (Vec<Counted>, Vec<Counted>) {
    let in_order = |all: Chunks<Counted>| {
        let mut all: Vec<_> = all.into_iter().collect();
        all.sort_by_cached_key(|one| format!("{one:?}"));
        all
    };
    let (counted, gone) = scan.settle();
    (in_order(counted), in_order(gone))
}

/// Something that happens to a file.
#[derive(Debug, Clone)]
enum Happening {
    Append(usize),
    AppendPart(usize),
    Truncate(usize),
    ChangeInPlace(usize),
    Rotate,
    Delete,
    Copy,
    SetBack,
    /// The file beside an agent's, which tells its type.
    WriteType(u8),
    DeleteType,
    Wait,
}

fn happening() -> impl Strategy<Value = Happening> {
    use Happening::{
        Append, AppendPart, ChangeInPlace, Copy, Delete, DeleteType, Rotate, SetBack, Truncate,
        Wait, WriteType,
    };
    prop_oneof![
        4 => (0..9000_usize).prop_map(Append),
        3 => (0..3000_usize).prop_map(AppendPart),
        2 => (0..9000_usize).prop_map(Truncate),
        3 => (0..90_usize).prop_map(ChangeInPlace),
        1 => Just(Rotate),
        1 => Just(Delete),
        1 => Just(Copy),
        2 => Just(SetBack),
        3 => (0..3_u8).prop_map(WriteType),
        1 => Just(DeleteType),
        2 => Just(Wait),
    ]
}

fn happen(what: &Happening, path: &Path, more: &[u8]) {
    let bytes = fs::read(path).unwrap();
    let append = |bytes: &[u8]| {
        let mut file = OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(bytes).unwrap();
    };
    match what {
        Happening::Append(size) => {
            let end = more.iter().skip(*size).position(|byte| *byte == b'\n');
            append(&more[..end.map_or(more.len(), |end| size + end + 1)]);
        }
        Happening::AppendPart(size) => append(&more[..more.len().min(*size)]),
        Happening::Truncate(size) => {
            let file = OpenOptions::new().write(true).open(path).unwrap();
            file.set_len(bytes.len().saturating_sub(*size) as u64)
                .unwrap();
        }
        // The same size, the same file, another number.
        Happening::ChangeInPlace(at) => {
            let word = b"\"output_tokens\":";
            let places = bytes
                .windows(word.len())
                .enumerate()
                .filter(|(_, w)| w == word);
            let places: Vec<_> = places.map(|(at, _)| at + word.len()).collect();
            if !places.is_empty() {
                let mut bytes = bytes;
                let digit = &mut bytes[places[at % places.len()]];
                *digit = if *digit == b'7' { b'3' } else { b'7' };
                fs::write(path, bytes).unwrap();
            }
        }
        Happening::Rotate => {
            fs::rename(path, path.with_extension("old.jsonl")).unwrap();
            fs::write(path, more).unwrap();
        }
        Happening::Delete => fs::remove_file(path).unwrap(),
        Happening::Copy => fs::write(path.with_extension("copy.jsonl"), bytes).unwrap(),
        Happening::SetBack => {
            let file = OpenOptions::new().write(true).open(path).unwrap();
            let past = SystemTime::now() - Duration::from_hours(24);
            file.set_modified(past).unwrap();
        }
        // The same length each time.
        Happening::WriteType(kind) => {
            let text = format!(r#"{{"agentType":"type {kind}"}}"#);
            fs::write(path.with_extension("meta.json"), text).unwrap();
        }
        Happening::DeleteType => drop(fs::remove_file(path.with_extension("meta.json"))),
        // Longer than the time in which a change could hide behind the same time stamp.
        Happening::Wait => thread::sleep(Duration::from_millis(150)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn totals_are_those_without_a_ledger_whatever_happens(
        seed in 0..500_u64,
        what in prop::collection::vec((happening(), any::<prop::sample::Index>()), 1..12),
    ) {
        let world = World::new(seed);
        let other = tempfile::tempdir().unwrap();
        grow(other.path(), seed + 1000, 30_000);
        let mut more = Found::default();
        more.add(other.path()).unwrap();
        let more: Vec<_> = more.transcripts.iter().map(|one| fs::read(&one.path).unwrap()).collect();
        world.check("at first");
        for (at, (what, which)) in what.iter().enumerate() {
            let files = world.files();
            if files.is_empty() { break }
            happen(what, &files[which.index(files.len())], &more[which.index(more.len())]);
            world.check(&format!("after {at}: {what:?}"));
        }
        world.check("unchanged");
    }
}

/// Nothing else tells the type of these agents, and nothing of their transcripts changes.
#[test]
fn a_type_that_is_told_later_or_anew_or_no_more_is_noticed() {
    let world = World::new(11);
    world.check("at first");
    let files = world.files();
    let agent = |path: &&PathBuf| {
        path.file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with("agent-")
    };
    let agents: Vec<_> = files.iter().filter(agent).collect();
    assert!(!agents.is_empty());
    let mut seen = BTreeSet::new();
    for step in [
        Happening::WriteType(1),
        Happening::Wait,
        Happening::WriteType(2),
        Happening::Wait,
        Happening::DeleteType,
        Happening::WriteType(1),
    ] {
        for path in &agents {
            happen(&step, path, &[]);
        }
        world.check(&format!("{step:?}"));
        let (counted, _) = settled(world.with());
        let types = counted
            .iter()
            .filter_map(|one| one.owner.agent_type.as_deref());
        seen.extend(types.filter(|t| t.starts_with("type ")).map(str::to_owned));
    }
    assert_eq!(seen.len(), 2, "{seen:?}");
}

#[test]
fn what_is_gone_stands_apart_and_is_counted_once() {
    let world = World::new(7);
    let before = world.check("at first");
    assert_eq!(before, []);
    let all = summed(&settled(world.with()).0).total;
    let files = world.files();
    let copy = files[0].with_file_name("copy.jsonl");
    fs::copy(&files[0], &copy).unwrap();
    world.check("with a copy");
    // What the copy still holds is not gone.
    fs::remove_file(&files[0]).unwrap();
    assert_eq!(world.check("copied, then deleted"), []);
    fs::remove_file(&copy).unwrap();
    for path in &files[1..] {
        let gone = world.check("deleted");
        let (here, _) = settled(world.with());
        let sum: Vec<_> = summed(&here)
            .total
            .iter()
            .zip(summed(&gone).total)
            .map(|(a, b)| a + b)
            .collect();
        assert_eq!(sum, all, "what is here and what is gone");
        fs::remove_file(path).unwrap();
    }
    assert_eq!(summed(&world.check("all deleted")).total, all);
}

#[test]
fn another_folder_is_not_gone() {
    let (one, two) = (World::new(1), World::new(2));
    one.with();
    let both = Scan::with_ledger(two.found(), &one.ledger(), |_, _| {});
    assert_eq!(settled(both).1, []);
}

#[test]
fn a_damaged_foreign_or_older_ledger_is_replaced() {
    let world = World::new(3);
    world.check("at first");
    let path = world.ledger().join("ledger");
    let good = fs::read(&path).unwrap();
    let mut flipped = good.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    let older = [b"lean-computer-use meter ledger 0\n", &good[33..]].concat();
    for bad in [
        b"".to_vec(),
        b"# my notes\n".to_vec(),
        good[..good.len() / 2].to_vec(),
        flipped,
        older,
    ] {
        fs::write(&path, &bad).unwrap();
        world.check("bad");
        assert_ne!(fs::read(&path).unwrap(), bad);
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let scan = world.with();
    assert!(scan.not_kept.is_some());
    assert_eq!(settled(scan).0, settled(Scan::of(world.found())).0);
}

#[test]
fn an_unchanged_tree_leaves_the_ledger_alone() {
    let world = World::new(5);
    world.check("at first");
    thread::sleep(Duration::from_millis(150));
    world.check("again: some files were too young");
    let written = || {
        fs::metadata(world.ledger().join("ledger"))
            .unwrap()
            .modified()
            .unwrap()
    };
    let before = written();
    thread::sleep(Duration::from_millis(20));
    world.check("unchanged");
    assert_eq!(written(), before);
}

/// Each writes what it has read beside what the others have.
#[test]
fn many_runs_at_once_lose_nothing() {
    let worlds: Vec<_> = (0..6).map(World::new).collect();
    let ledger = worlds[0].ledger();
    thread::scope(|scope| {
        for world in &worlds {
            let ledger = &ledger;
            scope.spawn(move || {
                for _ in 0..3 {
                    let scan = Scan::with_ledger(world.found(), ledger, |_, _| {});
                    assert!(scan.not_kept.is_none());
                    assert_eq!(settled(scan).0, settled(Scan::of(world.found())).0);
                }
            });
        }
    });
    for world in &worlds {
        let all = summed(&settled(Scan::of(world.found())).0);
        for path in world.files() {
            fs::remove_file(path).unwrap();
        }
        let scan = Scan::with_ledger(world.found(), &ledger, |_, _| {});
        let (here, gone) = settled(scan);
        assert_eq!((here, summed(&gone)), (Vec::new(), all));
    }
}

#[test]
fn meter_keeps_what_it_read_in_a_private_folder_and_only_when_it_may() {
    let ctx = TestContext::new();
    let tree = ctx.home.join(".claude");
    grow(&tree, 9, 600_000);
    let cache = ctx.home.join(".cache");
    let run = |words: &[&str]| {
        let words = [&["meter", "--json", "--by", "session"], words].concat();
        ctx.run(&words).observe().expect(0).json()
    };
    let without = run(&["--no-ledger"]);
    assert!(!cache.exists());
    assert_eq!(run(&[]), without);
    assert_eq!(run(&[]), without);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        for (path, mode) in [("meter", 0o700), ("meter/ledger", 0o600)] {
            let path = cache.join("lean-computer-use").join(path);
            assert_eq!(
                fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                mode
            );
        }
    }
    let elsewhere = ctx.root().join("elsewhere");
    let cached = ctx
        .run(&["meter", "--json"])
        .env("XDG_CACHE_HOME", elsewhere.display().to_string());
    cached.observe().expect(0);
    assert!(elsewhere.join("lean-computer-use/meter/ledger").exists());
    let sessions: BTreeSet<_> = fs::read_dir(tree.join("projects"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    fs::remove_dir_all(sessions.first().unwrap()).unwrap();
    let (with, without) = (run(&[]), run(&["--no-ledger"]));
    assert_eq!(with["total"], without["total"]);
    assert!(with["gone"]["messages"].as_u64().unwrap() > 0);
    assert!(without.get("gone").is_none());
}
