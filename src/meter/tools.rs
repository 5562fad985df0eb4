//! Whose results filled the context: a reading pass of its own. In: transcripts and the messages
//! that count. Out: calls and the size of their results by tool; a Bash line that calls desk tools
//! counts for them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Read};
use std::ops::AddAssign;

use memchr::memmem;
use serde::Deserialize;
use serde_json::Value;

use crate::desk_command::desk_tools;

use super::lines::Lines;
use super::loose::{List, Object, Text};
use super::record::{glued, whole};

/// Tool calls of transcripts, each once over all files: resumed sessions hold copies.
#[derive(Debug, Default)]
pub struct Tools {
    calls: HashMap<String, Call>,
}

#[derive(Debug, Default)]
struct Call {
    tool: Option<String>,
    message: Option<String>,
    size: Size,
}

/// What a model reads of a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Size {
    bytes: u64,
    images: u64,
}

/// Calls of one tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ToolRow {
    /// How often it was called.
    pub calls: u64,
    /// Bytes of the text that its results hold.
    pub result_bytes: u64,
    /// Images in them; how many tokens one takes depends on its size in pixels, which is not known
    /// here.
    pub images: u64,
}

impl ToolRow {
    /// About how many tokens the results' text takes: a token is some four bytes.
    #[must_use]
    pub fn result_tokens(&self) -> u64 {
        self.result_bytes / 4
    }
}

impl AddAssign for ToolRow {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.result_bytes += other.result_bytes;
        self.images += other.images;
    }
}

/// All tools.
#[derive(Debug, Default)]
pub struct ToolTotals {
    /// Everything, also what `limit` leaves out.
    pub total: ToolRow,
    /// By tool, the one with the longest results first; none where only a result is there.
    pub rows: Vec<(Option<String>, ToolRow)>,
    /// How many rows `limit` left out.
    pub left_out: usize,
}

impl ToolTotals {
    /// Keeps the first `count` rows.
    pub fn limit(&mut self, count: usize) {
        self.left_out = self.rows.len().saturating_sub(count);
        self.rows.truncate(count);
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Entry {
    message: Object<Message>,
    data: Object<Data>,
}

/// The parent's copy of its agent's line.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Data {
    message: Object<Inner>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Inner {
    message: Object<Message>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Message {
    id: Text,
    content: List<Object<Block>>,
}

/// A call (`id`, `name`, `input`) or a result (`tool_use_id`, `content`), by the server or not.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Block {
    r#type: Text,
    id: Text,
    name: Text,
    input: Object<Input>,
    tool_use_id: Text,
    content: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Input {
    command: Text,
}

impl Tools {
    /// Reads one transcript.
    pub fn read(&mut self, reader: impl Read) -> io::Result<()> {
        let mut lines = Lines::new(reader, Vec::new(), usize::MAX);
        while let Some(line) = lines.next_line()? {
            // Every call and every result has it in its type.
            if memmem::find(line.bytes, b"tool_").is_some() {
                self.line(&String::from_utf8_lossy(line.bytes));
            }
        }
        Ok(())
    }

    fn line(&mut self, text: &str) {
        let objects = match whole::<Entry>(text) {
            Some(object) => object.0.into_iter().collect(),
            None => glued(text),
        };
        for entry in objects {
            self.entry(entry);
        }
    }

    fn entry(&mut self, entry: Entry) {
        let copy = entry.data.0.and_then(|data| data.message.0?.message.0);
        for message in entry.message.0.into_iter().chain(copy) {
            for block in message.content.0.into_iter().filter_map(|block| block.0) {
                self.block(block, message.id.0.as_ref());
            }
        }
    }

    fn block(&mut self, block: Block, message: Option<&String>) {
        let kind = block.r#type.0.unwrap_or_default();
        if kind.ends_with("tool_use") {
            let Some(id) = block.id.0 else { return };
            let call = self.calls.entry(id).or_default();
            let command = block.input.0.and_then(|input| input.command.0);
            call.tool = block.name.0.map(|name| label(name, command.as_deref()));
            call.message = message.cloned();
        } else if kind.ends_with("tool_result") {
            let Some(id) = block.tool_use_id.0 else {
                return;
            };
            let (call, size) = (self.calls.entry(id).or_default(), size(&block.content));
            if size.bytes >= call.size.bytes {
                call.size = size;
            }
        }
    }

    /// Adds up. With `messages`, only calls of messages with these ids.
    #[must_use]
    pub fn totals(&self, messages: Option<&HashSet<&str>>) -> ToolTotals {
        let mut total = ToolRow::default();
        let mut rows: BTreeMap<Option<&String>, ToolRow> = BTreeMap::new();
        for call in self.calls.values() {
            let message = call.message.as_deref();
            if messages.is_some_and(|ids| message.is_none_or(|id| !ids.contains(id))) {
                continue;
            }
            let row = ToolRow {
                calls: 1,
                result_bytes: call.size.bytes,
                images: call.size.images,
            };
            total += row;
            *rows.entry(call.tool.as_ref()).or_default() += row;
        }
        let rows = rows.into_iter().map(|(tool, row)| (tool.cloned(), row));
        let mut rows: Vec<_> = rows.collect();
        rows.sort_by_key(|(_, row)| std::cmp::Reverse((row.result_bytes, row.calls)));
        ToolTotals {
            total,
            rows,
            left_out: 0,
        }
    }
}

/// A line with several desk tools has one result, which is not split.
fn label(name: String, command: Option<&str>) -> String {
    let desk = match command {
        Some(command) if name == "Bash" || name == "PowerShell" => desk_tools(command),
        _ => Vec::new(),
    };
    let mut names: Vec<&str> = Vec::new();
    for tool in desk {
        if !names.contains(&tool) {
            names.push(tool);
        }
    }
    if names.is_empty() {
        name
    } else {
        names.join("+")
    }
}

/// Text counts as it is sent, without the escapes of JSON; what is no text and no image, as JSON.
fn size(content: &Value) -> Size {
    let length = |text: &str| u64::try_from(text.len()).unwrap_or(u64::MAX);
    let mut size = Size::default();
    match content {
        Value::Null => {}
        Value::String(text) => size.bytes = length(text),
        Value::Array(blocks) => {
            for block in blocks {
                match (block["type"].as_str(), block["text"].as_str()) {
                    (Some("text"), Some(text)) => size.bytes += length(text),
                    (Some("image"), _) => size.images += 1,
                    _ => size.bytes += length(&block.to_string()),
                }
            }
        }
        other => size.bytes = length(&other.to_string()),
    }
    size
}

#[cfg(test)]
mod tests;
