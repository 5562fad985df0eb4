//! A sheet → comma-separated values, for spreadsheets: one line a row; no total line, which a sum
//! over the column would count again, unless the total is all there is.

use std::io::{self, Write};

use crate::escape::shown;
use crate::meter::cost;
use crate::meter::totals::By;

use super::{Field, Report, Value};

impl Report {
    /// A head line, then one line a row.
    pub fn csv(&self, out: impl Write) -> io::Result<()> {
        let sheet = &self.sheet;
        let mut csv = csv::Writer::from_writer(out);
        let names = sheet.total.iter().map(|field| field.name);
        csv.write_record(std::iter::once(sheet.by.name()).chain(names))?;
        if sheet.by == By::Total {
            csv.write_record(std::iter::once(String::new()).chain(sheet.total.iter().map(plain)))?;
        }
        for (key, fields) in &sheet.rows {
            let key = key.as_deref().map_or_else(String::new, cell);
            csv.write_record(std::iter::once(key).chain(fields.iter().map(plain)))?;
        }
        csv.flush()
    }
}

/// Foreign text that a spreadsheet does not take for a formula.
#[must_use]
pub fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let quote = if formula { "'" } else { "" };
    format!("{quote}{}", shown(text))
}

fn plain(field: &Field) -> String {
    match field.value {
        Value::Count(count) => count.to_string(),
        Value::Money(cost) => cost
            .and_then(|cost| cost.known())
            .map_or_else(String::new, cost::plain),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        for (text, want) in [
            ("claude-opus-4-8", "claude-opus-4-8"),
            ("=1+1", "'\"=1+1\""),
            ("+1", "'+1"),
            ("-home-dev-p", "'-home-dev-p"),
            ("@x", "'@x"),
            ("\t=1", "'\"\\t=1\""),
            ("\r=1", "'\"\\r=1\""),
        ] {
            assert_eq!(cell(text), want);
        }
    }
}
