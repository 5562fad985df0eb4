//! The members of a line that are read, and those that usually stand beside them: in the order in
//! which Claude Code 2.1.332 writes them, and 2.1.197 with few changes. A member that is not listed
//! is passed over too, only less quickly.

use super::super::keys::Key;
use super::Hole;
use super::usages::Count;

/// Of a line.
pub const LINE: [(Key, Line); 18] = [
    (Key::new("parentUuid"), Line::Hole(Hole::Any)),
    (Key::new("isSidechain"), Line::Hole(Hole::Sidechain)),
    (Key::new("agentId"), Line::Hole(Hole::Agent)),
    (Key::new("message"), Line::Message),
    (Key::new("requestId"), Line::Hole(Hole::Request)),
    (Key::new("attributionAgent"), Line::Hole(Hole::AgentType)),
    (Key::new("type"), Line::Type),
    (Key::new("uuid"), Line::Hole(Hole::Uuid)),
    (Key::new("timestamp"), Line::Hole(Hole::At)),
    (Key::new("effort"), Line::Other),
    (Key::new("perTurnEffort"), Line::Other),
    (Key::new("madeBy"), Line::Other),
    (Key::new("userType"), Line::Other),
    (Key::new("entrypoint"), Line::Other),
    (Key::new("cwd"), Line::Other),
    (Key::new("sessionId"), Line::Hole(Hole::Session)),
    (Key::new("version"), Line::Other),
    (Key::new("data"), Line::Data),
];

/// What to do with a member of a line.
#[derive(Clone, Copy)]
pub enum Line {
    /// To pass it over.
    Other,
    /// To read what usually differs from the last line.
    Hole(Hole),
    /// To note what it is.
    Type,
    /// To walk through the message.
    Message,
    /// To leave the line to the slow way: it embeds another.
    Data,
}

/// Of a message.
pub const MESSAGE: [(Key, Message); 10] = [
    (Key::new("model"), Message::Hole(Hole::Model)),
    (Key::new("id"), Message::Hole(Hole::Id)),
    (Key::new("type"), Message::Other),
    (Key::new("role"), Message::Other),
    (Key::new("content"), Message::Hole(Hole::Content)),
    (Key::new("container"), Message::Other),
    (Key::new("stop_reason"), Message::Hole(Hole::StopReason)),
    (Key::new("stop_sequence"), Message::Other),
    (Key::new("usage"), Message::Hole(Hole::Usage)),
    (Key::new("context_management"), Message::Other),
];

/// What to do with a member of a message.
#[derive(Clone, Copy)]
pub enum Message {
    /// To pass it over.
    Other,
    /// To read what usually differs from the last line.
    Hole(Hole),
}

/// Of a block of its content.
pub const BLOCK: [(Key, Block); 7] = [
    (Key::new("type"), Block::Type),
    (Key::new("text"), Block::Other),
    (Key::new("thinking"), Block::Other),
    (Key::new("signature"), Block::Other),
    (Key::new("id"), Block::Id),
    (Key::new("name"), Block::Other),
    (Key::new("input"), Block::Other),
];

/// What to do with a member of a block.
#[derive(Clone, Copy)]
pub enum Block {
    /// To pass it over.
    Other,
    /// To note what it is.
    Type,
    /// To note the id, which a tool call has.
    Id,
}

/// Of a usage, or of an iteration of one.
pub const USAGE: [(Key, Usage); 13] = [
    (Key::new("input_tokens"), Usage::Count(Count::Input)),
    (
        Key::new("cache_creation_input_tokens"),
        Usage::Count(Count::CacheWrite),
    ),
    (
        Key::new("cache_read_input_tokens"),
        Usage::Count(Count::CacheRead),
    ),
    (Key::new("output_tokens"), Usage::Count(Count::Output)),
    (Key::new("output_tokens_details"), Usage::Other),
    (Key::new("server_tool_use"), Usage::Counts(&SERVER)),
    (Key::new("service_tier"), Usage::Other),
    (Key::new("cache_creation"), Usage::Counts(&SPLIT)),
    (Key::new("inference_geo"), Usage::Other),
    (Key::new("iterations"), Usage::Iterations),
    (Key::new("speed"), Usage::Other),
    (Key::new("type"), Usage::Type),
    (Key::new("model"), Usage::Other),
];

/// What to do with a member of a usage.
#[derive(Clone, Copy)]
pub enum Usage {
    /// To pass it over.
    Other,
    /// To read a count.
    Count(Count),
    /// To read the counts in an object.
    Counts(&'static [(Key, Count)]),
    /// To walk through them.
    Iterations,
    /// To see whether it stands apart.
    Type,
}

const SPLIT: [(Key, Count); 2] = [
    (Key::new("ephemeral_5m_input_tokens"), Count::None),
    (Key::new("ephemeral_1h_input_tokens"), Count::Hour),
];

const SERVER: [(Key, Count); 2] = [
    (Key::new("web_search_requests"), Count::WebSearch),
    (Key::new("web_fetch_requests"), Count::WebFetch),
];
