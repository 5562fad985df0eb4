//! Random trees of transcripts against the truth of their maker, and the short way of reading
//! against the slow one on broken bytes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use jiff::Timestamp;
use lean_computer_use::meter::lines::{Line, Lines};
use lean_computer_use::meter::quick::Reader;
use lean_computer_use::meter::record::{Skip, parse};
use lean_computer_use::meter::rows::Rows;
use lean_computer_use::meter::{Counted, Found, Origin, Scan, ends};
use memchr::memmem;
use proptest::prelude::*;

use crate::tree::{File, Maker, Sum, Truth};

/// Writes the tree of a seed and answers with its truth.
pub fn grow(root: &Path, seed: u64, size: usize) -> Truth {
    Maker::new(seed, size).run(|File { path, bytes }| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    })
}

/// What messages come to, as the maker of a tree tells it.
pub fn summed<'a>(counted: impl IntoIterator<Item = &'a Counted>) -> Truth {
    let mut truth = Truth::default();
    for one in counted {
        let usage = &one.usage;
        let sum = [
            u64::from(one.message),
            usage.input,
            usage.output,
            usage.cache_write,
            usage.cache_write_1h,
            usage.cache_read,
            usage.web_search,
        ];
        let text = |name: &Option<std::sync::Arc<str>>| name.as_deref().unwrap_or("").to_owned();
        let agent = if one.owner.agent.is_some() {
            text(&one.owner.agent_type)
        } else {
            String::new()
        };
        let day = one.at.map_or(String::new(), |at| {
            let at = Timestamp::from_microsecond(at).unwrap();
            at.to_string()[..10].to_owned()
        });
        add(&mut truth.total, sum);
        for (by, key) in [
            (&mut truth.by_session, text(&one.owner.session)),
            (&mut truth.by_model, text(&one.model)),
            (&mut truth.by_agent, agent),
            (&mut truth.by_day, day),
        ] {
            add(by.entry(key).or_default(), sum);
        }
    }
    truth
}

fn add(sum: &mut Sum, more: Sum) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
}

fn scan(root: &Path) -> Scan {
    let mut found = Found::default();
    found.add(root).unwrap();
    Scan::of(found)
}

/// With what was skipped.
pub fn said(scan: Scan) -> Truth {
    let skipped = |skip| scan.skipped.get(&skip).copied().unwrap_or(0);
    let (broken, glued) = (
        skipped(Skip::NotJson) + skipped(Skip::CutLastLine),
        skipped(Skip::Glued),
    );
    Truth {
        broken,
        glued,
        ..summed(&scan.messages.settle())
    }
}

#[test]
fn random_trees_give_the_truth_of_their_maker() {
    for seed in 0..30 {
        let folder = tempfile::tempdir().unwrap();
        let truth = grow(folder.path(), seed, 400_000);
        assert!(truth.total[0] > 10, "seed {seed} makes too little to tell");
        assert_eq!(said(scan(folder.path())), truth, "seed {seed}");
    }
}

/// Both ways to read one line, behind some other.
fn compare(before: &[u8], bytes: &[u8]) {
    let shown = || String::from_utf8_lossy(bytes).into_owned();
    let readers = [(); 2].map(|()| {
        let mut reader = Reader::default();
        let _ = reader.read(before);
        reader
    });
    let [mut reader, mut other] = readers;
    let end = ends::of(bytes);
    if let Some(again) = reader.end(bytes) {
        assert_eq!(end, Some(again), "{}", shown());
    }
    let line = Line {
        bytes,
        whole: true,
        usage: memmem::find(bytes, br#""usage""#).is_some(),
        long: None,
    };
    let parsed = parse(&line);
    if let Some(end) = end
        && parsed.skipped.is_none()
    {
        let said = (Some(lossy(end.session)), Some(lossy(end.at)));
        assert_eq!((parsed.session, parsed.at), said, "{}", shown());
    }
    if let Some(quick) = reader.read(bytes) {
        let (mut short, mut slow) = (Rows::default(), Rows::default());
        short.take(&line, &Origin::default(), &mut other);
        slow.take_slowly(&line, &Origin::default());
        assert_eq!(short, slow, "{}", shown());
        assert_eq!(parsed.skipped, None, "{}", shown());
        assert_eq!(usize::from(quick.real), parsed.records.len(), "{}", shown());
    }
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// The lines of some trees, and the pieces that mutations put into them.
fn lines() -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    for seed in 0..6 {
        Maker::new(seed, 30_000).run(|File { bytes, .. }| {
            let all = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
            lines.extend(all.filter(|line| line.len() < 6000).map(<[u8]>::to_vec));
        });
    }
    lines
}

const PIECES: [&[u8]; 36] = [
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\n",
    b"\x01",
    b"\xff",
    b"null",
    b"true",
    b"0",
    b"-1",
    b"1.5",
    b"1e400",
    b" ",
    br#""type":"assistant","#,
    br#""sessionId":null,"#,
    br#""usage":{"output_tokens":7},"#,
    br"\u0041",
    br"\ud800",
    br#"{"parentUuid""#,
    br"\\",
    br#"\""#,
    b"\x1f",
    br"\u00g0",
    br"\x",
    br"\u001b\u001b",
    br#""\\""#,
    br#""content":[],"#,
    br#""id":"x","#,
    br#""message":{"usage":{}},"#,
    br#""usage":{"output_tokens":9}}"#,
    br#"]},"usage":{"output_tokens":9}}"#,
];

/// Lines made to fool whoever looks only at the head and the tail of a message.
#[test]
fn the_short_way_is_the_slow_way_on_lines_made_to_fool_it() {
    let head =
        r#"{"parentUuid":null,"message":{"id":"msg_1","model":"m","type":"message","content":"#;
    let usage = r#""stop_reason":null,"usage":{"input_tokens":3,"output_tokens":4}"#;
    let tail = r#","requestId":"r","type":"assistant","uuid":"u","timestamp":"t","sessionId":"s"}"#;
    let nested = r#"{"message":{"id":"msg_2","usage":{"output_tokens":90}},"type":"assistant"}"#;
    let text = |text: &str| format!(r#"[{{"type":"text","text":"{text}"}}]"#);
    let contents = [
        text("plain"),
        text(&nested.replace('"', r#"\""#)),
        text(&"]},\"usage\":{\"output_tokens\":90}}".replace('"', r#"\""#)),
        text(r"\u001b[2J\u001b \\"),
        text(&format!("{}{}", "x".repeat(60), r#"\\\\\" ]}} "#)),
        text(r"\ud83d"),
        text("torn").replace("\"}]", nested),
        text(&format!("torn {head}[]")),
        text("\t"),
        text(r"\x"),
        text("\u{feff}{"),
        format!(r#"[{{"type":"tool_use","id":"t1","input":{nested}}}]"#),
        format!(r#"[{{"type":"tool_use","input":[{nested},{nested}],"id":"t1"}},{nested}]"#),
        r#"[{"type":"tool_use","id":"t1","id":"t2"}]"#.to_owned(),
        r#"[{"type":"tool_use","id":"t\u0031"}]"#.to_owned(),
        nested.to_owned(),
        r#""text""#.to_owned(),
        "null".to_owned(),
        "[".to_owned(),
        "[]]".to_owned(),
        "[{]}".to_owned(),
    ];
    let again = [
        String::new(),
        r#","usage":{"output_tokens":90}"#.to_owned(),
        r#","usage":null"#.to_owned(),
        r#","id":"msg_2""#.to_owned(),
        r#","i\u0064":"msg_2""#.to_owned(),
        r#","content":[]"#.to_owned(),
        format!(r#","container":{nested}"#),
        format!(r#","container":[{{{usage}}}]"#),
    ];
    let after = [
        String::new(),
        format!(r#","toolUseResult":{nested}"#),
        format!(r#","message":{{{usage}}}"#),
        r#","message":null"#.to_owned(),
        r#","type":"user""#.to_owned(),
        r#","type":"progress","data":{}"#.to_owned(),
        r#","timestamp":"u""#.to_owned(),
        r#","cwd":"]}}\"""#.to_owned(),
        r#"},"usage":{"output_tokens":90"#.to_owned(),
        "}".to_owned(),
    ];
    let plain = format!("{head}[],{usage}}}{tail}");
    let mut quick = 0;
    for content in &contents {
        for again in &again {
            for after in &after {
                for (first, then) in [
                    (usage, again.as_str()),
                    (&again[again.len().min(1)..], usage),
                ] {
                    let comma = if first.is_empty() || then.starts_with(',') || then.is_empty() {
                        ""
                    } else {
                        ","
                    };
                    let line = format!("{head}{content},{first}{comma}{then}}}{after}{tail}");
                    compare(plain.as_bytes(), line.as_bytes());
                    quick += usize::from(Reader::default().read(line.as_bytes()).is_some());
                }
            }
        }
    }
    let calls = br#"[{"type":"tool_use","id":"t"#;
    let line = [
        head.as_bytes(),
        calls,
        b"\xff\"}],",
        usage.as_bytes(),
        b"}",
        tail.as_bytes(),
    ];
    compare(plain.as_bytes(), &line.concat());
    assert!(quick > 100, "only {quick} of them are read the short way");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_short_way_is_the_slow_way_on_broken_lines(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..7_usize, 0..PIECES.len()), 1..4),
        other in any::<prop::sample::Index>(),
        which in any::<prop::sample::Index>(),
    ) {
        thread_local!(static LINES: Vec<Vec<u8>> = lines());
        let mut line = LINES.with(|lines| lines[which.index(lines.len())].clone());
        let before = line.clone();
        compare(b"", &line);
        for (at, to, kind, piece) in changes {
            if line.is_empty() { break }
            let (at, to) = (at.index(line.len()), to.index(line.len()));
            let (at, to) = (at.min(to), at.max(to));
            let piece = PIECES[piece].iter().copied();
            match kind {
                0 => { line.splice(at..at, piece); }
                1 => { line.splice(at..=at, piece); }
                2 => { line.drain(at..=to.min(at + 40)); }
                3 => { line.truncate(to); }
                4 => { line.drain(..at); }
                // A torn line with another one behind the break.
                5 => LINES.with(|lines| { line.truncate(at); line.extend(&lines[other.index(lines.len())]); }),
                _ => { let copy = line[at..to].to_vec(); line.extend(copy); }
            }
        }
        compare(&before, &line);
        LINES.with(|lines| compare(&lines[other.index(lines.len())], &line));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    /// However a reader hands over bytes, and whatever the lengths of lines, the rows are those of
    /// the slow way, except for lines without usage that are broken in the middle.
    #[test]
    fn rows_do_not_depend_on_the_way_or_on_pieces(seed in 0..1000_u64, step in 1..5000_usize) {
        Maker::new(seed, 60_000).run(|File { path, bytes }| {
            if path.ends_with(".meta.json") { return }
            let origin = Origin::default();
            let (mut short, mut slow) = (Rows::default(), Rows::default());
            let mut lines = Lines::new(Steps(&bytes, step), Vec::new(), usize::MAX);
            let mut reader = Reader::default();
            while let Some(line) = lines.next_line().unwrap() {
                short.take(&line, &origin, &mut reader);
                slow.take_slowly(&line, &origin);
            }
            assert_eq!(short, slow);
        });
    }
}

struct Steps<'a>(&'a [u8], usize);

impl std::io::Read for Steps<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let step = self.1.min(into.len()).min(self.0.len());
        into[..step].copy_from_slice(&self.0[..step]);
        self.0 = &self.0[step..];
        Ok(step)
    }
}

/// Keys and their counts are easier to compare as text when they differ.
#[test]
fn a_tree_is_the_same_every_time() {
    let all = |seed| {
        let mut files = BTreeMap::new();
        let truth = Maker::new(seed, 100_000).run(|file| drop(files.insert(file.path, file.bytes)));
        (files, truth)
    };
    assert!(all(3) == all(3));
    assert!(all(3).1 != all(4).1);
}
