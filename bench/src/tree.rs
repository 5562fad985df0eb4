//! Writes trees of transcripts with all that makes meters go wrong, and knows the truth about
//! them: it counts each message when it makes it, and never looks at what it wrote. In: a seed and
//! a size. Out: files, and what a meter must say.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fastrand::Rng;

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
const WORDS: [&str; 16] = [
    "return",
    "{",
    "}",
    "\\n",
    "\\\"usage\\\":{\\\"output_tokens\\\":99}",
    "\\\\",
    "let x = 1;",
    "\u{65e5}\u{672c}",
    "\\t",
    "\\u001b[2J",
    "a,b",
    "]",
    "\\\"}",
    "tokens",
    "na\u{ef}ve",
    "0x1f",
];

/// A line that a resumed session may copy, with the message that it counts for.
#[derive(Clone)]
struct Line {
    bytes: Vec<u8>,
}

/// A session as it is written.
struct Session {
    project: String,
    id: String,
    agent: Option<String>,
    model: &'static str,
    style: u8,
    requests: bool,
    lines: Vec<Line>,
}

struct Usage {
    counts: [u64; 6],
    advice: Option<u64>,
}

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

    fn user(&mut self, session: &mut Session) {
        let length = self.rng.usize(10..2000);
        let (text, at) = (self.text(length), self.now());
        let (head, tail) = (session.head(), session.tail(&at));
        session.put(format!(
            r#"{{{head},"type":"user","message":{{"role":"user","content":"{text}"}},{tail}}}"#
        ));
    }

    /// A message of one or more lines, one for each block of its content. The last line counts.
    fn message(&mut self, session: &mut Session, call: Option<(String, Usage)>) {
        let (id, usage) = call.unwrap_or_else(|| self.call());
        let blocks = self.rng.usize(1..4);
        let placeholder = blocks > 1 && self.chance(35);
        let request = self.name("req_");
        let mut first = None;
        let mut at = self.now();
        for block in 0..blocks {
            let last = block + 1 == blocks;
            if self.chance(70) {
                at = self.now();
            }
            let day = first.get_or_insert_with(|| at[..10].to_owned()).clone();
            let output = if last || !placeholder {
                usage.counts[1]
            } else {
                usage.counts[1].min(2)
            };
            let content = self.block(last);
            let json = usage.json(output, session.style, last);
            let request = if session.requests {
                format!(r#""requestId":"{request}","#)
            } else {
                String::new()
            };
            let (head, tail, model) = (session.head(), session.tail(&at), session.model);
            let stop = if last { "\"end_turn\"" } else { "null" };
            let mut line = format!(
                r#"{{{head},"message":{{"model":"{model}","id":"{id}","type":"message","role":"assistant","content":[{content}],"stop_reason":{stop},"stop_sequence":null,"usage":{json}}},{request}"type":"assistant",{tail}}}"#
            )
            .into_bytes();
            self.spoil(&mut line);
            if self.chance(1) {
                line = [
                    br#"{"parentUuid":"u","message":{"content":[{"text":"torn "#.as_slice(),
                    &line,
                ]
                .concat();
                self.truth.glued += 1;
            }
            session.lines.push(Line { bytes: line });
            if last {
                self.count(session, &usage, &day);
            }
        }
        if self.chance(70) {
            self.result(session);
        }
    }

    /// Bytes that are no UTF-8 stand in a text, where they do no harm.
    fn spoil(&mut self, line: &mut Vec<u8>) {
        let text = br#""text":""#;
        if self.chance(1)
            && let Some(at) = line.windows(text.len()).position(|here| here == text)
        {
            line.splice(at + text.len()..at + text.len(), [0xff, 0xfe, 0x80]);
        }
    }

    fn call(&mut self) -> (String, Usage) {
        let write = self.rng.u64(0..9000);
        let hour = self.rng.u64(0..=write);
        let search = u64::from(self.chance(2));
        let usage = Usage {
            counts: [
                self.rng.u64(1..900),
                self.rng.u64(5..4000),
                write,
                hour,
                self.rng.u64(0..190_000),
                search,
            ],
            advice: self.chance(2).then(|| self.rng.u64(1..500)),
        };
        (self.name("msg_01"), usage)
    }

    fn block(&mut self, last: bool) -> String {
        let length = self.rng.usize(20..2000);
        let (text, id) = (self.text(length), self.name("toolu_"));
        match (last, self.rng.u8(..10)) {
            (true, 0) => format!(
                r#"{{"type":"tool_use","id":"{id}","name":"q","input":{{"id":null,"model":null,"usage":{{"output_tokens":5}}}}}}"#
            ),
            (true, 1..6) => format!(
                r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"{text}"}}}}"#
            ),
            (false, 0..5) => {
                format!(r#"{{"type":"thinking","thinking":"{text}","signature":"abc"}}"#)
            }
            _ => format!(r#"{{"type":"text","text":"{text}"}}"#),
        }
    }

    fn result(&mut self, session: &mut Session) {
        let mut length = self.rng.usize(20..6000);
        if self.chance(8) {
            length *= 16;
        }
        let (text, at) = (self.text(length), self.now());
        let (head, tail) = (session.head(), session.tail(&at));
        let result = if self.chance(3) {
            r#"{"totalTokens":5,"usage":{"input_tokens":111,"output_tokens":444}}"#.to_owned()
        } else {
            format!(r#"{{"stdout":"{text}","stderr":""}}"#)
        };
        let mut line = format!(
            r#"{{{head},"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","text":"{text}"}}]}},"toolUseResult":{result},{tail}}}"#
        )
        .into_bytes();
        self.spoil(&mut line);
        session.lines.push(Line { bytes: line });
    }

    /// Lines that count for nothing.
    fn noise(&mut self, session: &mut Session, pending: &mut Vec<(String, Usage)>) {
        let (at, text) = (self.now(), self.text(60));
        let (head, tail) = (session.head(), session.tail(&at));
        match self.rng.u8(..8) {
            0 => session.put(format!(r#"{{"type":"file-history-snapshot","snapshot":{{"timestamp":"{at}","{}":"{text}"}}}}"#, "f")),
            1 => session.put(String::new()),
            2 => session.put(format!(
                r#"{{{head},"type":"assistant","message":{{"id":"x","model":"<synthetic>","usage":{{"input_tokens":0,"output_tokens":0}}}},{tail}}}"#
            )),
            3 => {
                session.put(format!(r#"{{{head},"message":{{"id":"msg_torn","content":[{{"text":"{text}"#));
                self.truth.broken += 1;
            }
            4 if session.agent.is_none() => {
                let (id, usage) = self.call();
                let json = usage.json(1, session.style, false);
                session.put(format!(
                    r#"{{{head},"type":"progress","data":{{"type":"agent_progress","message":{{"type":"assistant","message":{{"id":"{id}","model":"{}","usage":{json}}},"requestId":"r","timestamp":"{at}"}}}},{tail}}}"#,
                    session.model
                ));
                pending.push((id, usage));
            }
            5 => session.put(format!(r#"{{{head},"type":"system","subtype":"compact_boundary","content":"{text}",{tail}}}"#)),
            _ => session.put(format!(r#"{{"type":"queue-operation","timestamp":"{at}","sessionId":"{}","content":"{text}"}}"#, session.id)),
        }
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

const BROKEN: &[u8] = br#""id":"msg_torn""#;
const GLUED: &[u8] = br#""text":"torn {"#;

impl Session {
    fn put(&mut self, line: String) {
        self.lines.push(Line {
            bytes: line.into_bytes(),
        });
    }

    fn head(&self) -> String {
        let mut head = format!(r#""parentUuid":"u","isSidechain":{}"#, self.agent.is_some());
        if let Some(agent) = &self.agent {
            let _ = write!(head, r#","agentId":"{agent}""#);
        }
        head
    }

    fn tail(&self, at: &str) -> String {
        let session = &self.id;
        format!(
            r#""uuid":"v","timestamp":"{at}","userType":"external","cwd":"C:\\dev\\p","sessionId":"{session}","version":"2.1.{}","gitBranch":"main""#,
            self.style
        )
    }
}

impl Usage {
    /// Lines of old versions have no split, no server tools and no iterations.
    fn json(&self, output: u64, style: u8, last: bool) -> String {
        let [input, _, write, hour, read, search] = self.counts;
        let five = (write - hour) / 2;
        let mut json = format!(
            r#"{{"input_tokens":{input},"cache_creation_input_tokens":{write},"cache_read_input_tokens":{read},"output_tokens":{output}"#
        );
        if style > 0 {
            let _ = write!(
                json,
                r#","cache_creation":{{"ephemeral_5m_input_tokens":{five},"ephemeral_1h_input_tokens":{hour}}},"service_tier":null"#
            );
        }
        if style > 0 && last {
            let _ = write!(
                json,
                r#","server_tool_use":{{"web_search_requests":{search},"web_fetch_requests":0}},"iterations":[{{"type":"message","input_tokens":{input},"output_tokens":{output},"model":null}}"#
            );
            if let Some(advice) = self.advice {
                let _ = write!(
                    json,
                    r#",{{"type":"advisor_message","model":"adviser","input_tokens":{advice},"output_tokens":1}}"#
                );
            }
            json.push(']');
        }
        json.push('}');
        json
    }
}

fn add(sum: &mut Sum, more: Sum) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
}

fn count(lines: &[Line], word: &[u8]) -> u64 {
    let has = |line: &&Line| line.bytes.windows(word.len()).any(|here| here == word);
    lines.iter().filter(has).count() as u64
}

fn replace(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at..].starts_with(old) {
            out.extend(new);
            at += old.len();
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    out
}

/// Days since 1970 as a date, counted year by year.
fn date(mut days: u64) -> String {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= months[month] {
        days -= months[month];
        month += 1;
    }
    format!("{year}-{:02}-{:02}", month + 1, days + 1)
}
