//! A sheet → an aligned table. Writes ANSI styles; the stream it writes to strips them where they
//! are not wanted.

use std::io::{self, Write};

use anstyle::Style;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};

use crate::meter::totals::By;

use super::number::{text, thousands};
use super::{Fields, Report, Sheet, Value};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

impl Report {
    /// A table with a total line, then what else there is to say.
    pub fn table(&self, mut out: impl Write) -> io::Result<()> {
        if self.reading.read > 0 {
            let text = grid(&self.sheet);
            let last = text.lines().count() - 1;
            for (at, line) in text.lines().enumerate() {
                let bold = at == 0 || at == last;
                let style = if bold { BOLD } else { Style::new() };
                writeln!(out, "{style}{line}{style:#}")?;
            }
        }
        let remarks = self.own_remarks().into_iter();
        for remark in remarks.chain(self.reading.remarks()) {
            writeln!(out, "{DIM}{remark}{DIM:#}")?;
        }
        Ok(())
    }

    /// What the numbers do not show.
    fn own_remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.sheet.left_out > 0 {
            let count = self.sheet.left_out;
            remarks.push(format!("rows left out: {count} (the total counts them)"));
        }
        if let Some(gone) = &self.gone {
            let counts: Vec<_> = shown(gone)
                .map(|(title, value)| format!("{} {title}", text(value)))
                .collect();
            let counts = counts.join(", ");
            remarks.push(format!(
                "from files that are gone, not in the total: {counts}"
            ));
        }
        let mut fields = self.sheet.total.iter();
        let partial = fields.find(|field| field.name == "partial");
        if let Some(Value::Count(count @ 1..)) = partial.map(|field| field.value) {
            let count = thousands(count);
            remarks.push(format!(
                "messages without an end: {count} (their output may be more)"
            ));
        }
        remarks
    }
}

fn grid(sheet: &Sheet) -> String {
    let first = if sheet.by == By::Total {
        ""
    } else {
        sheet.by.name()
    };
    let titles = shown(&sheet.total).map(|(title, _)| title.to_owned());
    let head = std::iter::once(first.to_owned()).chain(titles).collect();
    let rows = sheet.rows.iter();
    let rows = rows.map(|(key, fields)| cells(&sheet.label(key.as_deref()), fields));
    let total = cells("total", &sheet.total);
    aligned(head, rows.chain([total]).collect())
}

fn cells(label: &str, fields: &Fields) -> Vec<String> {
    let numbers = shown(fields).map(|(_, value)| text(value));
    std::iter::once(label.to_owned()).chain(numbers).collect()
}

/// Names on the left, numbers on the right.
#[must_use]
pub fn aligned(head: Vec<String>, rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(head);
    table.add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
        if column.index > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

/// What a table shows of a row.
pub fn shown(fields: &Fields) -> impl Iterator<Item = (&'static str, Value)> {
    let fields = fields.iter();
    fields.filter_map(|field| Some((field.title?, field.value)))
}

#[cfg(test)]
mod tests {
    use crate::meter::report::Reading;
    use crate::meter::report::sheet::message_fields;
    use crate::meter::totals::Row;

    use super::*;

    #[test]
    fn files_that_are_gone_stand_apart() {
        let row = |messages| {
            message_fields(
                &Row {
                    messages,
                    ..Row::default()
                },
                false,
            )
        };
        let report = Report {
            sheet: Sheet {
                by: By::Total,
                total: row(3),
                rows: Vec::new(),
                left_out: 0,
            },
            gone: Some(row(1234)),
            reading: Reading {
                read: 1,
                ..Reading::default()
            },
        };
        let mut out = Vec::new();
        report.table(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let line = "from files that are gone, not in the total: 1,234 messages, 0 input";
        assert!(text.contains(line), "{text}");
        let mut out = Vec::new();
        report.json(&mut out).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(
            (&json["total"]["messages"], &json["gone"]["messages"]),
            (&3.into(), &1234.into())
        );
    }
}
