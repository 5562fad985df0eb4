//! Hooks: stdin JSON → event → verdict → stdout JSON.
//!
//! In this order:
//!
//! - [`event`] bytes → what happened
//! - [`key`] a call, an error → a keyed fingerprint
//! - [`history`] earlier records → how often one call failed in one way
//! - [`retry_guard`] event and history → verdict and new records
//! - [`token_meter`] event and transcripts → usage rows and verdict
//! - [`verdict`] verdict → the JSON that Claude Code reads, or nothing; with [`masked`] for the
//!   failed input as it may be shown
//! - [`state`] where records live, and [`private`] how such files are opened (IO)
//!
//! Everything fails open: an error means no answer, and the tool call goes on.

pub mod event;
pub mod history;
pub mod key;
pub mod masked;
pub mod private;
pub mod retry_guard;
pub mod state;
pub mod token_meter;
pub mod verdict;

pub use event::Event;
pub use verdict::Verdict;
