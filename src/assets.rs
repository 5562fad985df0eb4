//! The plain files that are installed, embedded: `agents/`, `briefs/`, `hooks/` and `assets/`.
//! Nothing that is installed stands as a string in a `.rs` file.

use include_dir::{Dir, include_dir};

/// `agents/`: subagent definitions.
pub static AGENTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/agents");
/// `briefs/`: what the main agent fills in.
pub static BRIEFS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/briefs");
/// `hooks/`: launchers, and `registrations.json`, which is data and not installed.
pub static HOOKS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/hooks");
/// `assets/`: desk launchers, READMEs, the exit-code table, the skill.
pub static ASSETS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets");
