//! One line → its records. The only place that knows what Claude Code writes into a transcript.
//! In: the bytes of a line. Out: the usage records in it, and why bytes were skipped. Counts
//! nothing twice or once; [`super::messages`] does.
//!
//! The fields were read off transcripts of 2.1.197 and 2.1.332; there is no published schema.

use std::io::{BufReader, Read};
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::lines::Line;
use super::loose::{Count, Flag, List, Object, Text};

mod broken;

pub use broken::{glued, whole};

/// Tokens and server tool calls. All counts are as the API reports them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Input tokens that were neither written to nor read from the cache.
    pub input: u64,
    /// Output tokens, thinking included.
    pub output: u64,
    /// Cache writes, all.
    pub cache_write: u64,
    /// The part of the cache writes that lives an hour; the rest lives five minutes.
    pub cache_write_1h: u64,
    /// Cache reads.
    pub cache_read: u64,
    /// Web searches by the server.
    pub web_search: u64,
    /// Web fetches by the server.
    pub web_fetch: u64,
}

impl Usage {
    /// The five-minute cache writes, and what the split leaves out of the total.
    #[must_use]
    pub fn cache_write_5m(&self) -> u64 {
        self.cache_write - self.cache_write_1h
    }
}

/// A transcript can claim any count: sums stop at the greatest number.
impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.cache_write_1h = self.cache_write_1h.saturating_add(other.cache_write_1h);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.web_search = self.web_search.saturating_add(other.web_search);
        self.web_fetch = self.web_fetch.saturating_add(other.web_fetch);
    }
}

/// What one line says about one message. Its texts are borrowed as they stand in the line, or read
/// out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent facts of a line, each read off it"
)]
pub struct Record<T> {
    /// A copy that a parent keeps of its agent's message; it may be unfinished.
    pub copy: bool,
    /// `message.id`.
    pub id: Option<T>,
    /// Whether there is a request id.
    pub request: bool,
    /// The line's own id.
    pub uuid: Option<T>,
    /// The session that the line names.
    pub session: Option<T>,
    /// The line's time, as written.
    pub at: Option<T>,
    /// The subagent that the line names.
    pub agent: Option<T>,
    /// The type of that subagent, where the line tells it.
    pub agent_type: Option<T>,
    /// Whether a subagent wrote the line, named or not.
    pub sidechain: bool,
    /// The model.
    pub model: Option<T>,
    /// The message's own usage.
    pub usage: Usage,
    /// Usage that stands outside of it, under its own model (none: the message's).
    pub apart: Vec<(Option<String>, Usage)>,
    /// Whether the message had ended when the line was written.
    pub finished: bool,
    /// The tool calls in the line, each by the [`tool`] of its id.
    pub tools: Vec<u64>,
}

impl<T> Default for Record<T> {
    fn default() -> Self {
        Self {
            copy: false,
            id: None,
            request: false,
            uuid: None,
            session: None,
            at: None,
            agent: None,
            agent_type: None,
            sidechain: false,
            model: None,
            usage: Usage::default(),
            apart: Vec::new(),
            finished: false,
            tools: Vec::new(),
        }
    }
}

/// What a line held.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// Usage records; more than one only when lines were glued together.
    pub records: Vec<Record<String>>,
    /// The line's session and time, as written, whatever kind of line it is.
    pub session: Option<String>,
    /// See `session`.
    pub at: Option<String>,
    /// Why bytes of the line were skipped.
    pub skipped: Option<Skip>,
}

/// Why bytes were skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Skip {
    /// The last line, without a line end: cut, or being written.
    CutLastLine,
    /// Not JSON.
    NotJson,
    /// JSON, but not an object.
    NotAnObject,
    /// A broken line with a whole record behind or before the break, which was counted.
    Glued,
}

impl Skip {
    /// Its name in every output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CutLastLine => "cut_last_line",
            Self::NotJson => "not_json",
            Self::NotAnObject => "not_an_object",
            Self::Glued => "glued_lines",
        }
    }

    /// Of a line that is no JSON and has or has not a line end.
    #[must_use]
    pub fn broken(whole: bool) -> Self {
        if whole {
            Self::NotJson
        } else {
            Self::CutLastLine
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Entry {
    r#type: Text,
    message: Object<Message>,
    data: Object<Data>,
    #[serde(rename = "requestId")]
    request: Text,
    uuid: Text,
    timestamp: Text,
    #[serde(rename = "sessionId")]
    session: Text,
    #[serde(rename = "agentId")]
    agent: Text,
    #[serde(rename = "attributionAgent")]
    agent_type: Text,
    #[serde(rename = "isSidechain")]
    sidechain: Flag,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Data {
    message: Object<Box<Entry>>,
    #[serde(rename = "agentId")]
    agent: Text,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Message {
    id: Text,
    model: Text,
    stop_reason: Text,
    usage: Object<Counts>,
    content: List<Object<Block>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Block {
    r#type: Text,
    id: Text,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Counts {
    r#type: Text,
    model: Text,
    input_tokens: Count,
    output_tokens: Count,
    cache_creation_input_tokens: Count,
    cache_read_input_tokens: Count,
    cache_creation: Object<Split>,
    server_tool_use: Object<ServerTools>,
    iterations: List<Object<Counts>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Split {
    ephemeral_1h_input_tokens: Count,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ServerTools {
    web_search_requests: Count,
    web_fetch_requests: Count,
}

/// What stands in a line.
#[must_use]
pub fn parse(line: &Line<'_>) -> Parsed {
    if let Ok(value) = serde_json::from_slice(line.bytes) {
        return parsed(value);
    }
    // Invalid UTF-8 in a field that is read is forgiven too.
    let text = String::from_utf8_lossy(line.bytes);
    if let Some(value) = whole(&text) {
        return parsed(value);
    }
    let mut parsed = Parsed {
        skipped: Some(Skip::broken(line.whole)),
        ..Parsed::default()
    };
    for entry in glued(&text) {
        take(entry, &mut parsed);
        parsed.skipped = Some(Skip::Glued);
    }
    parsed
}

/// What stands in a line that is too long to be held; none when it is not JSON as it stands.
#[must_use]
pub fn parse_long(line: impl Read) -> Option<Parsed> {
    serde_json::from_reader(BufReader::new(line))
        .ok()
        .map(parsed)
}

fn parsed(value: Object<Entry>) -> Parsed {
    let mut parsed = Parsed::default();
    match value.0 {
        Some(entry) => take(entry, &mut parsed),
        None => parsed.skipped = Some(Skip::NotAnObject),
    }
    parsed
}

fn take(entry: Entry, parsed: &mut Parsed) {
    parsed.session.clone_from(&entry.session.0);
    parsed.at.clone_from(&entry.timestamp.0);
    match entry.r#type.0.as_deref() {
        Some("assistant") => parsed.records.extend(record(entry)),
        Some("progress") => parsed.records.extend(copy(entry)),
        _ => {}
    }
}

/// An `agent_progress` line embeds the agent's own line as far as it had come.
fn copy(outer: Entry) -> Option<Record<String>> {
    let data = outer.data.0?;
    let inner = *data.message.0?;
    if inner.r#type.0.as_deref() != Some("assistant") {
        return None;
    }
    let agent = inner.agent.0.clone().or(data.agent.0);
    let mut record = record(inner)?;
    record.copy = true;
    record.session = outer.session.0;
    record.agent = agent;
    record.sidechain = true;
    Some(record)
}

fn record(entry: Entry) -> Option<Record<String>> {
    let message = entry.message.0?;
    let counts = message.usage.0?;
    if message.model.0.as_deref() == Some("<synthetic>") {
        return None;
    }
    let blocks = message.content.0.into_iter().filter_map(|block| block.0);
    let tools = blocks.filter(|block| block.r#type.0.as_deref() == Some("tool_use"));
    Some(Record {
        copy: false,
        id: message.id.0,
        request: entry.request.0.is_some(),
        uuid: entry.uuid.0,
        session: entry.session.0,
        at: entry.timestamp.0,
        agent: entry.agent.0,
        agent_type: entry.agent_type.0,
        sidechain: entry.sidechain.0,
        model: message.model.0,
        usage: usage(&counts),
        apart: counts.iterations.0.into_iter().filter_map(apart).collect(),
        finished: message.stop_reason.0.is_some(),
        tools: tools
            .filter_map(|block| block.id.0.as_ref().map(|id| tool(id.as_bytes())))
            .collect(),
    })
}

/// Stands for the id of a tool call, in a sixth of its room: calls are only counted.
#[must_use]
pub fn tool(id: &[u8]) -> u64 {
    xxh3_64(id)
}

fn usage(counts: &Counts) -> Usage {
    let cache_write = counts.cache_creation_input_tokens.0;
    let split = counts.cache_creation.0.as_ref();
    let server = counts.server_tool_use.0.as_ref();
    Usage {
        input: counts.input_tokens.0,
        output: counts.output_tokens.0,
        cache_write,
        cache_write_1h: split.map_or(0, |s| s.ephemeral_1h_input_tokens.0.min(cache_write)),
        cache_read: counts.cache_read_input_tokens.0,
        web_search: server.map_or(0, |s| s.web_search_requests.0),
        web_fetch: server.map_or(0, |s| s.web_fetch_requests.0),
    }
}

/// Two kinds of iteration are not part of the message's own counts: another model's advice and
/// compaction by the server.
/// <https://docs.claude.com/en/docs/build-with-claude/compaction>
fn apart(iteration: Object<Counts>) -> Option<(Option<String>, Usage)> {
    let counts = iteration.0?;
    let kind = counts.r#type.0.as_deref()?;
    matches!(kind, "advisor_message" | "compaction").then(|| {
        let usage = Usage {
            web_search: 0,
            web_fetch: 0,
            ..usage(&counts)
        };
        (counts.model.0, usage)
    })
}

#[cfg(test)]
mod tests;
