//! The desk flow: operates one app's window through a driver, says little, and says it truly.
//!
//! ```text
//! words → request, packet                      what is asked for                  (pure)
//! app, window                                  which app and window that is
//! tree → find, lines                           which control, which lines         (pure)
//! calls → driver (cua | simulated) → judge     one call, and whether it was a yes
//! single, perform                              one tool; a packet, step by step
//! saved, session, state                        what is kept
//! shown → receipt                              what may be printed, and its form  (pure)
//! ```
//!
//! `locate` finds the driver's binary, `outcome` is the closed set of ways to end, `clean` undoes
//! what a run left.

pub mod app;
pub mod calls;
pub mod clean;
pub mod cua;
pub mod driver;
pub mod find;
pub mod judge;
pub mod lines;
pub mod locate;
pub mod outcome;
pub mod packet;
pub mod perform;
pub mod receipt;
pub mod request;
pub mod saved;
pub mod session;
pub mod shown;
pub mod simulated;
pub mod single;
pub mod state;
pub mod tree;
pub mod window;

pub use calls::Calls;
pub use driver::{Driver, Limits};
pub use outcome::{Status, Stop};
pub use session::Run;
pub use state::StateFolder;
pub use window::Target;
