//! `verify --proof`: every row of the exit-code table seen again on this machine.
//!
//! ```text
//! table → cases → world (a private folder, one process a case) → judged rows → record
//! ```
//!
//! `world` is the only stage that starts processes; `record` the only one that writes outside the
//! private folder, and it writes one file. Desk tools and hooks run through the installed
//! launchers, everything else through the recorded binary, on the simulated driver.

mod cases;
pub mod judge;
pub mod record;
mod world;

pub use judge::{Proven, Saw};
pub use record::Record;
pub use world::{Installed, World};

use crate::exit::Table;

/// Runs every row of the table, a few at a time.
#[must_use]
pub fn prove(table: &Table, world: &World) -> Vec<Proven> {
    let cases = cases::all(table);
    let saw = world.run_all(&cases);
    judge::judge(table, &cases, &saw)
}
