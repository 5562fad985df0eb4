//! The modules of `lean-computer-use`, listed for the fuzz targets and the benchmarks. The
//! binary is the only product; nothing here is a stable interface.
//!
//! Four flows, each one folder, each read top to bottom (ARCHITECTURE.md):
//!
//! ```text
//! transcript bytes → lines → records → totals → report                        meter
//! hook stdin JSON → event → verdict → stdout JSON                             hook
//! place → wanted → plan → apply | remove | verify → manifest                  install
//! desk argv → request → app and window → driver call → saved read → receipt   desk
//! ```

pub mod assets;
pub mod cli;
pub mod cmd;
pub mod desk;
pub mod desk_command;
pub mod escape;
pub mod exit;
pub mod files;
pub mod hook;
pub mod host;
pub mod install;
pub mod meter;
pub mod proof;
