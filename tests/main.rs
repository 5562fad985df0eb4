//! The one integration binary: stories told through the command line, with a temp home, a PATH of
//! our own and a fixed clock. Tests that need a real part carry
//! `#[ignore = "needs …: .ci/run"]`; `.ci/run` installs the parts and runs them with
//! `cargo test -- --include-ignored`.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests start processes, write files and may stop at the first surprise"
)]

#[cfg(unix)]
mod claude;
mod context;
mod desk;
mod desk_batches;
#[cfg(unix)]
mod desk_busy;
mod desk_dialogs;
#[cfg(unix)]
mod desk_driver;
#[cfg(unix)]
mod desk_fake;
mod desk_flow;
#[cfg(target_os = "linux")]
mod desk_kills;
#[cfg(target_os = "linux")]
mod desk_quit;
mod desk_scripted;
mod desk_state;
mod desk_statuses;
#[cfg(target_os = "linux")]
mod desktop;
mod exit_codes;
mod hook;
mod install;
#[cfg(target_os = "linux")]
mod liar;
mod meter;
mod meter_compare;
mod meter_faults;
mod meter_filter;
mod meter_ledger;
mod meter_page;
mod meter_report;
mod meter_trees;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod npm;
mod observe;
#[cfg(unix)]
mod plugin_launchers;
mod proof_faults;
#[cfg(unix)]
mod real_claude;
#[cfg(unix)]
mod real_claude_guard;
#[cfg(target_os = "linux")]
mod real_desk;
#[cfg(target_os = "linux")]
mod real_desk_apps;
#[cfg(target_os = "linux")]
mod real_desk_dialogs;
#[cfg(target_os = "linux")]
mod real_desk_liar;
#[cfg(target_os = "linux")]
mod real_desk_meet;
#[cfg(target_os = "linux")]
mod real_desk_odd;
#[cfg(unix)]
mod real_plugin;
#[cfg(target_os = "linux")]
mod real_try;
mod release;
#[path = "../bench/src/tree/mod.rs"]
mod tree;
mod try_loop;
#[cfg(unix)]
mod verify_proof;

/// What the proof (`tests/proof.rs`) is made of, for its own tests.
mod proof {
    pub mod check;
    pub mod log;
    pub mod types;
}
