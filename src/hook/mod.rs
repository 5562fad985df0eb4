//! Hooks: stdin JSON → event → verdict → stdout JSON.
//!
//! In this order:
//!
//! - [`event`] bytes → what happened
//! - [`chain`] a shell command → its parts, and which call a desk tool
//! - [`command`] the same → the form that is compared, and of what sort it is
//! - [`failure`] an error → its exit code and the text that equal errors share
//! - [`key`] a call, an error → a keyed fingerprint
//! - [`record`] log bytes → earlier records
//! - [`history`] earlier records → how often one call failed in one way
//! - [`retry_guard`] event and history → verdict and new records, within [`limits`]
//! - [`token_meter`] event and transcripts → [`usage`] rows and verdict, without the [`copies`] that
//!   a forked session begins with
//! - [`verdict`] verdict → the JSON that Claude Code reads, or nothing; with [`masked`] for the
//!   failed input as it may be shown
//! - [`state`] where records live, [`private`] how such files are opened, and [`account`] what
//!   they tell of the guard itself (IO)
//!
//! Everything fails open: an error means no answer, and the tool call goes on.

pub mod account;
pub mod chain;
pub mod command;
pub mod copies;
pub mod event;
pub mod failure;
pub mod history;
pub mod key;
pub mod limits;
pub mod masked;
pub mod private;
pub mod record;
pub mod retry_guard;
pub mod state;
pub mod token_meter;
pub mod usage;
pub mod verdict;

pub use event::Event;
pub use verdict::Verdict;
