//! Token meter: transcript bytes → lines → records → messages → totals → report.
//!
//! In this order:
//!
//! - [`find`] which files are transcripts, and whose (IO: lists folders)
//! - [`scan`] opens each and feeds it through the next three (IO: reads files)
//! - [`lines`] bytes → lines
//! - [`record`] one line → its records; the only place that knows the transcript format, with
//!   [`loose`] for what has another shape than expected
//! - [`messages`] records → each message once, with its owner
//! - [`totals`] messages → rows, grouped; [`prices`] tells what each [`cost`]
//! - [`report`] rows → table or JSON

pub mod calendar;
pub mod compare;
pub mod cost;
pub mod filter;
pub mod find;
pub mod lines;
pub mod loose;
pub mod messages;
pub mod prices;
pub mod record;
pub mod report;
pub mod scan;
pub mod series;
pub mod tariff;
pub mod tools;
pub mod totals;

pub use cost::Cost;
pub use filter::Filter;
pub use find::{Found, Origin, Transcript};
pub use messages::{Counted, Messages};
pub use prices::Prices;
pub use record::Usage;
pub use scan::Scan;
pub use tools::Tools;
pub use totals::{By, Row, Totals};
