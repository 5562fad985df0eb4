//! The one integration binary: stories told through the command line, with a temp home, a PATH of
//! our own and a fixed clock. Tests that need a real part carry
//! `#[ignore = "needs …: .ci/run"]`; `.ci/run` installs the parts and runs them with
//! `cargo test -- --include-ignored`.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests start processes, write files and may stop at the first surprise"
)]

mod context;
mod exit_codes;
mod meter;
mod meter_ledger;
mod meter_page;
mod meter_report;
mod meter_trees;
mod observe;
#[path = "../bench/src/tree/mod.rs"]
mod tree;
