//! Rows → a table for people, JSON, CSV or a page. In: a [`Sheet`] and what is to be said beside
//! it. Writes into any writer; computes nothing.
//!
//! - [`sheet`] totals → named fields, the same for every format; [`number`] writes one for people
//! - [`table`], [`json`], [`csv`] the formats
//! - [`beside`] two sides and their ratios
//! - [`page`] several groupings as one HTML page, with [`chart`] for its pictures

use std::collections::BTreeMap;

pub mod beside;
pub mod chart;
pub mod csv;
pub mod json;
pub mod number;
pub mod page;
pub mod sheet;
pub mod table;

pub use number::thousands;
pub use sheet::{Field, Fields, Sheet, Value, message_fields};

/// Everything that a report says.
#[derive(Debug)]
pub struct Report {
    /// The rows.
    pub sheet: Sheet,
    /// Totals of transcripts that are gone; not in the sheet's total.
    pub gone: Option<Fields>,
    /// What reading came to.
    pub reading: Reading,
}

/// What reading came to.
#[derive(Debug, Default)]
pub struct Reading {
    /// Transcripts read to their end.
    pub read: u64,
    /// Transcripts and folders that could not be read; each has a note.
    pub unreadable: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Skipped lines by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// One line each, safe to print.
    pub notes: Vec<String>,
}

impl Reading {
    /// What else there is to say, one line each: skipped lines by reason, then the notes.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if !self.skipped.is_empty() {
            let reasons = self.skipped.iter();
            let reasons: Vec<_> = reasons
                .map(|(reason, count)| format!("{} {reason}", thousands(*count)))
                .collect();
            remarks.push(format!("skipped lines: {}", reasons.join(", ")));
        }
        remarks.extend(self.notes.iter().map(|note| format!("note: {note}")));
        remarks
    }
}
