//! Rows → a table for people, or JSON. In: rows and what is to be said beside them. Writes into
//! any writer; computes nothing.

use std::collections::BTreeMap;
use std::io::{self, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, Table};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::escape::shown;

use super::totals::{By, Row, Totals};

/// Everything that a report says.
#[derive(Debug)]
pub struct Report {
    /// The rows.
    pub totals: Totals,
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

/// The JSON document; its fields stand in this order.
#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    by: &'a str,
    total: BTreeMap<&'static str, u64>,
    rows: Vec<Map<String, Value>>,
    files: Value,
    skipped: &'a BTreeMap<&'static str, u64>,
    notes: &'a [String],
}

impl Report {
    /// One JSON document.
    pub fn json(&self, mut out: impl Write) -> io::Result<()> {
        let by = self.totals.by.name();
        let rows = self.totals.rows.iter().map(|(key, row)| {
            let mut object = Map::new();
            object.insert("key".to_owned(), json!({ by: key }));
            object.extend(fields(row).map(|(name, count)| (name.to_owned(), Value::from(count))));
            object
        });
        let document = Document {
            schema: 1,
            by,
            total: fields(&self.totals.total).collect(),
            rows: rows.collect(),
            files: json!({"read": self.read, "unreadable": self.unreadable, "bytes": self.bytes}),
            skipped: &self.skipped,
            notes: &self.notes,
        };
        serde_json::to_writer_pretty(&mut out, &document)?;
        writeln!(out)
    }

    /// A table with a total line, then what else there is to say.
    pub fn table(&self, mut out: impl Write) -> io::Result<()> {
        if self.read > 0 {
            writeln!(out, "{}", self.grid().trim_fmt())?;
        }
        if self.totals.total.partial > 0 {
            let count = thousands(self.totals.total.partial);
            writeln!(
                out,
                "messages without an end: {count} (their output may be more)"
            )?;
        }
        if !self.skipped.is_empty() {
            let reasons: Vec<_> = self
                .skipped
                .iter()
                .map(|(reason, count)| format!("{} {reason}", thousands(*count)))
                .collect();
            writeln!(out, "skipped lines: {}", reasons.join(", "))?;
        }
        for note in &self.notes {
            writeln!(out, "note: {note}")?;
        }
        Ok(())
    }

    fn grid(&self) -> Table {
        let mut table = Table::new();
        table.load_style(NOTHING);
        let by = self.totals.by;
        let first = if by == By::Total { "" } else { by.name() };
        let names = [
            first,
            "messages",
            "input",
            "output",
            "cache write",
            "cache read",
        ];
        table.set_header(names);
        for (key, row) in &self.totals.rows {
            table.add_row(cells(&label(by, key.as_deref()), row));
        }
        table.add_row(cells("total", &self.totals.total));
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
            if column.index > 0 {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }
}

fn fields(row: &Row) -> impl Iterator<Item = (&'static str, u64)> {
    let usage = row.usage;
    [
        ("messages", row.messages),
        ("input", usage.input),
        ("output", usage.output),
        ("cache_write", usage.cache_write),
        ("cache_write_5m", usage.cache_write_5m()),
        ("cache_write_1h", usage.cache_write_1h),
        ("cache_read", usage.cache_read),
        ("web_search", usage.web_search),
        ("web_fetch", usage.web_fetch),
        ("partial", row.partial),
    ]
    .into_iter()
}

fn label(by: By, key: Option<&str>) -> String {
    match (key, by) {
        (Some(key), _) => shown(key),
        (None, By::Agent) => "(main thread)".to_owned(),
        (None, _) => "(unknown)".to_owned(),
    }
}

fn cells(label: &str, row: &Row) -> Vec<Cell> {
    let usage = row.usage;
    let counts = [
        row.messages,
        usage.input,
        usage.output,
        usage.cache_write,
        usage.cache_read,
    ];
    let mut cells = vec![Cell::new(label)];
    cells.extend(counts.iter().map(|count| Cell::new(thousands(*count))));
    cells
}

/// `1234567` as `1,234,567`.
#[must_use]
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        for (count, want) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(thousands(count), want);
        }
    }
}
