//! The desk flow: operates one app's window through a driver, says little, and says it truly.
//!
//! ```text
//! words → request, packet → danger             what is asked for, and may be done (pure)
//! app, resolve, window                         which app and window that is
//! tree → refs, find, lines, changes            which control, which lines         (pure)
//! calls → driver (cua | simulated) → judge     one call, and whether it was a yes
//! single, perform                              one tool; a packet, step by step
//! saved, session, state, busy, retry           what is kept
//! shown → receipt                              what may be printed, and its form  (pure)
//! ```
//!
//! `locate` finds the driver's binary, `outcome` is the closed set of ways to end, `clean` undoes
//! what a run left, and `close` asks an app's windows to go for it.

pub mod app;
pub mod busy;
pub mod calls;
pub mod changes;
pub mod clean;
pub mod close;
pub mod cua;
pub mod danger;
pub mod driver;
pub mod find;
pub mod judge;
pub mod lines;
pub mod locate;
pub mod outcome;
pub mod packet;
pub mod perform;
pub mod receipt;
pub mod refs;
pub mod request;
pub mod resolve;
pub mod retry;
pub mod saved;
pub mod session;
pub mod shown;
pub mod simulated;
pub mod single;
pub mod state;
pub mod tree;
pub mod window;

pub use calls::Calls;
pub use danger::Grant;
pub use driver::{Driver, Limits};
pub use outcome::{Status, Stop};
pub use session::Run;
pub use state::StateFolder;
pub use window::Target;
