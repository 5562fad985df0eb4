//! One file a command: reads what the flow needs, calls the flow, prints.

mod claude_version;
pub mod completions;
pub mod desk;
pub mod desk_clean;
pub mod desk_read;
pub mod desk_run;
pub mod desk_running;
mod desk_tries;
pub mod desk_world;
pub mod diff;
pub mod doctor;
pub mod exit_codes;
pub mod hook;
pub mod install;
pub mod man;
pub mod meter;
pub mod place;
pub mod proof;
pub mod status;
mod tracked;
pub mod try_loop;
pub mod uninstall;
pub mod verify;
