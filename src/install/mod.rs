//! Puts our files into a project's `.claude` or the user's own, and takes them out again, byte for
//! byte.
//!
//! ```text
//! place → wanted → found → plan (wanted, found, recorded) → apply | remove | verify | diff → manifest
//! ```
//!
//! `scope` finds the root and `place` names what is in it, `lock` holds it, `shipped` is the
//! embedded data and `wanted` what should exist of it, `found` reads what exists, `manifest` what
//! the last install left, `journal` what is true after a run that was cut off. `plan` decides,
//! `settings` edits settings files for it, `claude` says what Claude Code's other settings mean.
//! `may_change` refuses what would fail half way, then `apply` and `remove` carry a plan out between
//! the two steps of `stage`; `actions`, `diff` and `verify` read it as answers, `registered` what is
//! in the settings. `binary` finds out what the launchers should start. IO stands in `lock`, `found`,
//! `binary`, `may_change`, `stage`, `apply` and `remove`.

pub mod actions;
pub mod apply;
pub mod binary;
pub mod claude;
pub mod diff;
pub mod found;
pub mod journal;
pub mod lock;
pub mod manifest;
pub mod may_change;
pub mod place;
pub mod plan;
pub mod registered;
pub mod remove;
pub mod scope;
pub mod settings;
pub mod shipped;
pub mod stage;
pub mod tracked;
pub mod verify;
pub mod wanted;

pub use binary::{Binary, OnPath};
pub use journal::Journal;
pub use manifest::Manifest;
pub use place::{Place, Scope};
pub use plan::Plan;
pub use wanted::Wanted;
