//! `verify --proof`: every row of the exit-code table seen again on this machine.
//!
//! ```text
//! table → cases → world (a private folder, one process a case) → judged rows → record
//! ```
//!
//! `world` is the only stage that starts what is installed, once `ignored` has seen to it that
//! signals are heard; `record` the only one that writes outside the
//! private folder, and it writes one file. Desk tools and hooks run through the installed
//! launchers, everything else through the recorded binary, on the simulated driver.

mod cases;
#[cfg(unix)]
mod ignored;
pub mod judge;
pub mod record;
mod world;

#[cfg(unix)]
pub use ignored::heard_by_children;
pub use judge::{Proven, Saw};
pub use record::Record;
pub use world::{Installed, World};

use anyhow::Result;

use crate::exit::Table;

/// Runs every row of the table, a few at a time.
pub fn prove(table: &Table, world: &World) -> Result<Vec<Proven>> {
    #[cfg(unix)]
    heard_by_children()?;
    let cases = cases::all(table);
    let saw = world.run_all(&cases);
    Ok(judge::judge(table, &cases, &saw))
}
