//! Puts our files into a project's `.claude`, and takes them out again, byte for byte.
//!
//! ```text
//! scope → wanted → found → plan (wanted, found, recorded) → apply | verify → manifest
//! ```
//!
//! `scope` finds the root, `lock` holds it, `wanted` says what should exist, `found` reads what
//! exists, `manifest` what the last install left. `plan` decides, and `settings` edits
//! settings.json for it; `apply` carries the plan out, `verify` reads it as an answer. `binary`
//! finds out what the launchers should start. IO stands in `lock`, `found`, `binary` and `apply`.

pub mod apply;
pub mod binary;
pub mod found;
pub mod lock;
pub mod manifest;
pub mod plan;
pub mod scope;
pub mod settings;
pub mod verify;
pub mod wanted;

pub use binary::{Binary, OnPath};
pub use manifest::Manifest;
pub use plan::Plan;
pub use wanted::Wanted;
