//! What lines are made of.

use std::fmt::Write as _;

use super::Sum;

/// What texts are made of, as it stands in JSON.
pub const WORDS: [&str; 16] = [
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

#[derive(Clone)]
pub struct Line {
    pub bytes: Vec<u8>,
}

/// A session as it is written.
pub struct Session {
    pub project: String,
    pub id: String,
    pub agent: Option<String>,
    pub model: &'static str,
    pub style: u8,
    pub requests: bool,
    pub lines: Vec<Line>,
}

/// What a message uses: input, output, cache writes, those for an hour, cache reads, searches;
/// and the input of another model's advice.
pub struct Usage {
    pub counts: [u64; 6],
    pub advice: Option<u64>,
}

/// Stands in every line that holds nothing whole.
pub const BROKEN: &[u8] = br#""id":"msg_torn""#;
/// Stands in every line that holds a broken record and a whole one.
pub const GLUED: &[u8] = br#""text":"torn {"#;

impl Session {
    pub fn put(&mut self, line: String) {
        self.lines.push(Line {
            bytes: line.into_bytes(),
        });
    }

    pub fn head(&self) -> String {
        let mut head = format!(r#""parentUuid":"u","isSidechain":{}"#, self.agent.is_some());
        if let Some(agent) = &self.agent {
            let _ = write!(head, r#","agentId":"{agent}""#);
        }
        head
    }

    pub fn tail(&self, at: &str) -> String {
        let session = &self.id;
        format!(
            r#""uuid":"v","timestamp":"{at}","userType":"external","cwd":"C:\\dev\\p","sessionId":"{session}","version":"2.1.{}","gitBranch":"main""#,
            self.style
        )
    }
}

impl Usage {
    /// Lines of old versions have no split, no server tools and no iterations.
    pub fn json(&self, output: u64, style: u8, last: bool) -> String {
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

pub fn add(sum: &mut Sum, more: Sum) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
}

pub fn count(lines: &[Line], word: &[u8]) -> u64 {
    let has = |line: &&Line| line.bytes.windows(word.len()).any(|here| here == word);
    lines.iter().filter(has).count() as u64
}

pub fn replace(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
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
pub fn date(mut days: u64) -> String {
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
