//! The members of a line that are read, and those that usually stand beside them: in the order in
//! which Claude Code 2.1.332 writes them, and 2.1.197 with few changes. A member that is not listed
//! is passed over too, only less quickly.

use super::super::keys::Key;

/// Of a line.
pub const LINE: [(Key, Line); 18] = [
    (Key::new("parentUuid"), Line::Other),
    (Key::new("isSidechain"), Line::Sidechain),
    (Key::new("agentId"), Line::Agent),
    (Key::new("message"), Line::Message),
    (Key::new("requestId"), Line::Request),
    (Key::new("attributionAgent"), Line::AgentType),
    (Key::new("type"), Line::Type),
    (Key::new("uuid"), Line::Uuid),
    (Key::new("timestamp"), Line::Timestamp),
    (Key::new("effort"), Line::Other),
    (Key::new("perTurnEffort"), Line::Other),
    (Key::new("madeBy"), Line::Other),
    (Key::new("userType"), Line::Other),
    (Key::new("entrypoint"), Line::Other),
    (Key::new("cwd"), Line::Other),
    (Key::new("sessionId"), Line::Session),
    (Key::new("version"), Line::Other),
    (Key::new("data"), Line::Data),
];

/// What is taken of a line.
#[derive(Clone, Copy)]
pub enum Line {
    Other,
    Sidechain,
    Agent,
    Message,
    Request,
    AgentType,
    Type,
    Uuid,
    Timestamp,
    Session,
    Data,
}

/// Of a message.
pub const MESSAGE: [(Key, Message); 10] = [
    (Key::new("model"), Message::Model),
    (Key::new("id"), Message::Id),
    (Key::new("type"), Message::Other),
    (Key::new("role"), Message::Other),
    (Key::new("content"), Message::Content),
    (Key::new("container"), Message::Other),
    (Key::new("stop_reason"), Message::StopReason),
    (Key::new("stop_sequence"), Message::Other),
    (Key::new("usage"), Message::Usage),
    (Key::new("context_management"), Message::Other),
];

/// What is taken of a message.
#[derive(Clone, Copy)]
pub enum Message {
    Other,
    Model,
    Id,
    Content,
    StopReason,
    Usage,
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

/// What is taken of a block.
#[derive(Clone, Copy)]
pub enum Block {
    Other,
    Type,
    Id,
}

/// Of a usage, or of an iteration of one.
pub const COUNTS: [(Key, Count); 13] = [
    (Key::new("input_tokens"), Count::Input),
    (Key::new("cache_creation_input_tokens"), Count::CacheWrite),
    (Key::new("cache_read_input_tokens"), Count::CacheRead),
    (Key::new("output_tokens"), Count::Output),
    (Key::new("output_tokens_details"), Count::Other),
    (Key::new("server_tool_use"), Count::Server),
    (Key::new("service_tier"), Count::Other),
    (Key::new("cache_creation"), Count::Split),
    (Key::new("inference_geo"), Count::Other),
    (Key::new("iterations"), Count::Iterations),
    (Key::new("speed"), Count::Other),
    (Key::new("type"), Count::Type),
    (Key::new("model"), Count::Other),
];

/// What is taken of a usage.
#[derive(Clone, Copy)]
pub enum Count {
    Other,
    Input,
    CacheWrite,
    CacheRead,
    Output,
    Server,
    Split,
    Iterations,
    Type,
}

/// Of a usage's cache writes.
pub const SPLIT: [(Key, Pair); 2] = [
    (Key::new("ephemeral_5m_input_tokens"), Pair::Second),
    (Key::new("ephemeral_1h_input_tokens"), Pair::First),
];

/// Of a usage's server tools.
pub const SERVER: [(Key, Pair); 2] = [
    (Key::new("web_search_requests"), Pair::First),
    (Key::new("web_fetch_requests"), Pair::Second),
];

/// Two counts that belong together.
#[derive(Clone, Copy)]
pub enum Pair {
    First,
    Second,
}
