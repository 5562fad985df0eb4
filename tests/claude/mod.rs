//! Drives the real Claude Code against a stand-in for its API on the loopback interface:
//!
//! ```text
//! scenario (what the model says) → sse (as the API says it) → api (serves and records) → session (runs `claude -p`)
//! ```
//!
//! Nothing of Claude Code itself is replaced: its permission rules, hooks, subagents and transcripts
//! are the real ones. Only the model is played.

pub mod api;
pub mod project;
pub mod scenario;
pub mod session;
pub mod sse;
