//! Writes trees of transcripts with all that makes meters go wrong, and knows the truth about
//! them: it counts each message when it makes it, and never looks at what it wrote. In: a seed and
//! a size. Out: files, and what a meter must say.

use std::collections::BTreeMap;

use fastrand::Rng;

mod messages;
mod shapes;

use shapes::{BROKEN, GLUED, Line, Session, Usage, WORDS, add, count, date, replace};

/// Tokens and messages: `messages, input, output, cache_write, cache_write_1h, cache_read,
/// web_search`.
pub type Sum = [u64; 7];

/// What a meter must say.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Truth {
    pub total: Sum,
    pub by_session: BTreeMap<String, Sum>,
    pub by_model: BTreeMap<String, Sum>,
    pub by_agent: BTreeMap<String, Sum>,
    pub by_day: BTreeMap<String, Sum>,
    /// Lines that hold nothing whole, and lines with a whole record and a broken one.
    pub broken: u64,
    pub glued: u64,
}

/// One file below the tree.
pub struct File {
    pub path: String,
    pub bytes: Vec<u8>,
}

const MODELS: [&str; 4] = [
    "claude-opus-5",
    "claude-sonnet-4-5-20250929",
    "claude-haiku-4-5",
    "m/\u{e9}",
];

/// A line that a resumed session may copy, with the message that it counts for.
/// Makes one tree.
pub struct Maker {
    rng: Rng,
    clock: u64,
    next: u64,
    truth: Truth,
    finished: Vec<Session>,
    size: usize,
}

impl Maker {
    pub fn new(seed: u64, size: usize) -> Self {
        Self {
            rng: Rng::with_seed(seed),
            clock: 1_785_000_000_000,
            next: 0,
            truth: Truth::default(),
            finished: Vec::new(),
            size,
        }
    }

    /// Hands each file to `write` and answers with the truth about all of them.
    pub fn run(mut self, mut write: impl FnMut(File)) -> Truth {
        let mut written = 0;
        let mut write = |file: File| {
            written += file.bytes.len();
            write(file);
            written
        };
        let mut done = 0;
        while done < self.size {
            done = self.session(&mut write);
        }
        self.truth
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(0..100) < percent
    }

    fn name(&mut self, before: &str) -> String {
        self.next += 1;
        format!("{before}{:06x}{:08x}", self.next, self.rng.u32(..))
    }

    fn text(&mut self, length: usize) -> String {
        let mut text = String::with_capacity(length + 40);
        while text.len() < length {
            text.push_str(WORDS[self.rng.usize(..WORDS.len())]);
            text.push(' ');
        }
        text
    }

    fn now(&mut self) -> String {
        self.clock += self.rng.u64(1..9000);
        let (days, ms) = (self.clock / 86_400_000, self.clock % 86_400_000);
        let (h, m, s) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
        format!("{}T{h:02}:{m:02}:{s:02}.{:03}Z", date(days), ms % 1000)
    }

    fn session(&mut self, write: &mut impl FnMut(File) -> usize) -> usize {
        let mut session = self.begin();
        let turns = self.rng.usize(2..30);
        let mut pending = Vec::new();
        for _ in 0..turns {
            self.user(&mut session);
            for _ in 0..self.rng.usize(1..6) {
                self.message(&mut session, None);
                if self.chance(15) {
                    self.noise(&mut session, &mut pending);
                }
            }
        }
        let path = format!("projects/{}/{}.jsonl", session.project, session.id);
        let mut done = self.write(&session, path, write);
        let agents = self.rng.usize(0..3).max(usize::from(!pending.is_empty()));
        for at in 0..agents {
            let calls = if at == 0 {
                std::mem::take(&mut pending)
            } else {
                Vec::new()
            };
            done = self.agent(&session, calls, write);
        }
        if session.lines.len() < 4000 {
            self.finished.push(session);
            if self.finished.len() > 10 {
                self.finished.remove(0);
            }
        }
        done
    }

    fn begin(&mut self) -> Session {
        let style = self.rng.u8(..3);
        let mut session = Session {
            project: format!("-home-dev-p{}", self.rng.u8(..8)),
            id: self.name("s"),
            agent: None,
            model: MODELS[self.rng.usize(..MODELS.len())],
            style,
            requests: !self.chance(8),
            lines: Vec::new(),
        };
        if self.chance(20) && !self.finished.is_empty() {
            let old = &self.finished[self.rng.usize(..self.finished.len())];
            let some = self.rng.usize(1..=old.lines.len());
            session.project.clone_from(&old.project);
            for line in &old.lines[..some] {
                let bytes = replace(&line.bytes, old.id.as_bytes(), session.id.as_bytes());
                session.lines.push(Line { bytes });
            }
            self.truth.broken += count(&session.lines, BROKEN);
            self.truth.glued += count(&session.lines, GLUED);
        } else if self.chance(40) {
            let summary = self.text(40);
            session.put(format!(
                r#"{{"type":"summary","summary":"{summary}","leafUuid":"u"}}"#
            ));
        }
        session
    }

    fn agent(
        &mut self,
        parent: &Session,
        calls: Vec<(String, Usage)>,
        write: &mut impl FnMut(File) -> usize,
    ) -> usize {
        let id = self.name("a");
        let kind = ["Explore", "desk-runner", "Plan"][self.rng.usize(..3)].to_owned();
        let mut session = Session {
            project: parent.project.clone(),
            id: parent.id.clone(),
            agent: Some(id.clone()),
            lines: Vec::new(),
            ..*parent
        };
        self.user(&mut session);
        let before = self.truth.total;
        for call in calls {
            self.message(&mut session, Some(call));
        }
        for _ in 0..self.rng.usize(1..20) {
            self.message(&mut session, None);
        }
        let more = std::array::from_fn(|at| self.truth.total[at] - before[at]);
        add(self.truth.by_agent.entry(kind.clone()).or_default(), more);
        let (project, session_id) = (&parent.project, &parent.id);
        let stem = match self.rng.u8(..10) {
            0 => format!("projects/{project}/agent-{id}"),
            1 => format!("projects/{project}/{session_id}/subagents/workflows/wf_1/agent-{id}"),
            _ => format!("projects/{project}/{session_id}/subagents/agent-{id}"),
        };
        let meta = format!(r#"{{"agentType":"{kind}","description":"x"}}"#);
        write(File {
            path: format!("{stem}.meta.json"),
            bytes: meta.into(),
        });
        self.write(&session, format!("{stem}.jsonl"), write)
    }

    fn write(
        &mut self,
        session: &Session,
        path: String,
        write: &mut impl FnMut(File) -> usize,
    ) -> usize {
        let end: &[u8] = if self.chance(5) { b"\r\n" } else { b"\n" };
        let mut bytes = Vec::new();
        if self.chance(5) {
            bytes.extend("\u{feff}".as_bytes());
        }
        for line in &session.lines {
            bytes.extend(&line.bytes);
            bytes.extend(end);
        }
        if self.chance(10) {
            bytes.extend(br#"{"parentUuid":"u","message":{"id":"msg_cut","usage":{"input_tok"#);
            self.truth.broken += 1;
        }
        write(File { path, bytes })
    }

    fn count(&mut self, session: &Session, usage: &Usage, day: &str) {
        let [input, output, write, hour, read, search] = usage.counts;
        let old = session.style == 0;
        let hour = if old { 0 } else { hour };
        let search = if old { 0 } else { search };
        let sum = [1, input, output, write, hour, read, search];
        self.tell(session, session.model, day, sum);
        if let Some(advice) = usage.advice.filter(|_| !old) {
            self.tell(session, "adviser", day, [0, advice, 1, 0, 0, 0, 0]);
        }
    }

    fn tell(&mut self, session: &Session, model: &str, day: &str, sum: Sum) {
        let truth = &mut self.truth;
        add(&mut truth.total, sum);
        add(truth.by_session.entry(session.id.clone()).or_default(), sum);
        add(truth.by_model.entry(model.to_owned()).or_default(), sum);
        add(truth.by_day.entry(day.to_owned()).or_default(), sum);
        if session.agent.is_none() {
            add(truth.by_agent.entry(String::new()).or_default(), sum);
        }
    }
}
