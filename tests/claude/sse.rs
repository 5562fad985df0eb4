//! One answer in the form of the Messages API. Goes in: content blocks, usage, names. Comes out: the
//! whole message, or the same as a body of server-sent events. Source of the shapes: the API's
//! documentation of messages and of streaming.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// The numbers of one request, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    pub cache_write: u64,
    pub cache_read: u64,
}

impl Usage {
    /// Numbers that no other request of the run has, each kind in a range of its own, so that a sum
    /// that leaves one out, counts one twice or swaps two kinds is a wrong sum.
    pub fn of_request(n: u64) -> Self {
        Self {
            input: 3 + n * n,
            output: 100 + 7 * n,
            cache_write: 2_000 + 31 * n,
            cache_read: 50_000 + 1_013 * n,
        }
    }

    fn json(self, output: u64) -> Value {
        let long = self.cache_write / 3;
        json!({
            "input_tokens": self.input,
            "output_tokens": output,
            "cache_creation_input_tokens": self.cache_write,
            "cache_read_input_tokens": self.cache_read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": self.cache_write - long,
                "ephemeral_1h_input_tokens": long,
            },
            "service_tier": "standard",
        })
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input += other.input;
        self.output += other.output;
        self.cache_write += other.cache_write;
        self.cache_read += other.cache_read;
    }
}

/// The message as one JSON object, tool calls with ids that are unique for this `n`.
pub fn message(n: u64, model: &str, blocks: &[Value], usage: Usage) -> Value {
    let content: Vec<Value> = (0..)
        .zip(blocks)
        .map(|(i, block)| with_id(block, n, i))
        .collect();
    json!({
        "id": format!("msg_standin{n:04}"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": stop_reason(blocks),
        "stop_sequence": null,
        "usage": usage.json(usage.output),
    })
}

/// A message of [`message`] as the events of a stream.
pub fn stream(message: &Value, usage: Usage) -> String {
    let mut opening = message.clone();
    opening["content"] = json!([]);
    opening["stop_reason"] = Value::Null;
    // The API opens with a placeholder and tells the true count at the end.
    opening["usage"] = usage.json(1);
    let mut out = String::new();
    event(&mut out, "message_start", json!({"message": opening}));
    for (i, block) in message["content"].as_array().unwrap().iter().enumerate() {
        let (start, delta) = opened(block);
        let start = json!({"index": i, "content_block": start});
        event(&mut out, "content_block_start", start);
        event(
            &mut out,
            "content_block_delta",
            json!({"index": i, "delta": delta}),
        );
        event(&mut out, "content_block_stop", json!({"index": i}));
    }
    let delta = json!({"stop_reason": message["stop_reason"], "stop_sequence": null});
    let mut closing = usage.json(usage.output);
    closing.as_object_mut().unwrap().remove("service_tier");
    closing.as_object_mut().unwrap().remove("cache_creation");
    event(
        &mut out,
        "message_delta",
        json!({"delta": delta, "usage": closing}),
    );
    event(&mut out, "message_stop", json!({}));
    out
}

fn with_id(block: &Value, n: u64, i: usize) -> Value {
    let mut block = block.clone();
    if block["type"] == "tool_use" {
        block["id"] = json!(format!("toolu_standin{n:04}x{i:02}"));
    }
    block
}

fn stop_reason(blocks: &[Value]) -> &'static str {
    let calls = blocks.iter().any(|block| block["type"] == "tool_use");
    if calls { "tool_use" } else { "end_turn" }
}

/// A block as it starts, empty, and the one delta that fills it.
fn opened(block: &Value) -> (Value, Value) {
    if block["type"] == "tool_use" {
        let mut start = block.clone();
        start["input"] = json!({});
        let input = block["input"].to_string();
        let delta = json!({"type": "input_json_delta", "partial_json": input});
        return (start, delta);
    }
    let delta = json!({"type": "text_delta", "text": block["text"]});
    (json!({"type": "text", "text": ""}), delta)
}

fn event(out: &mut String, name: &str, mut data: Value) {
    data["type"] = json!(name);
    let _ = write!(out, "event: {name}\ndata: {data}\n\n");
}
