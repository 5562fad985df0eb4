//! Token meter: transcript bytes → lines → records → messages → totals → report.
//!
//! In this order:
//!
//! - [`find`] which files are transcripts, and whose (IO: lists folders)
//! - [`scan`] shares them out to all cores; [`transcript`] feeds each through the next three (IO:
//!   reads files), and [`ledger`] keeps what they said, as the bytes
//!   of [`kept`] (IO: its own file)
//! - [`lines`] bytes → lines
//! - [`record`] one line → its records: the slow way, which is right for any line, with [`loose`]
//!   for what has another shape than expected. [`quick`] gives the same for ordinary lines, in one
//!   [`walk`] over their [`keys`] and [`texts`]; [`ends`] suffices for lines without usage
//! - [`rows`] the lines of one file → its rows
//! - [`messages`] the rows of all files → each message once, with its owner
//! - [`filter`] which of them a report is about
//! - [`totals`] messages → rows, grouped: by the days of a [`calendar`], each with its [`cost`] from
//!   [`prices`] by a [`tariff`]. [`tools`] is a pass of its own over the lines
//! - [`series`] and [`compare`] totals → what a chart or two sides need
//! - [`report`] all of that → table, JSON, CSV, page

pub mod calendar;
pub mod compare;
pub mod cost;
pub mod ends;
pub mod filter;
pub mod find;
pub mod kept;
pub mod keys;
pub mod ledger;
pub mod lines;
pub mod loose;
pub mod messages;
pub mod prices;
pub mod quick;
pub mod record;
pub mod report;
pub mod rows;
pub mod scan;
pub mod series;
pub mod tariff;
pub mod texts;
pub mod tools;
pub mod totals;
pub mod transcript;
pub mod walk;

pub use cost::Cost;
pub use filter::Filter;
pub use find::{Found, Origin, Transcript};
pub use messages::{Chunks, Counted, Messages};
pub use prices::Prices;
pub use record::Usage;
pub use scan::Scan;
pub use tools::Tools;
pub use totals::{By, Row, Totals};
