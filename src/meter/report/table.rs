//! A sheet → an aligned table. Writes ANSI styles; the stream it writes to strips them where they
//! are not wanted.

use std::io::{self, Write};

use anstyle::Style;
use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, Table};

use crate::meter::cost::{self, Cost};
use crate::meter::totals::By;

use super::{Fields, Report, Sheet, Value};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

impl Report {
    /// A table with a total line, then what else there is to say.
    pub fn table(&self, mut out: impl Write) -> io::Result<()> {
        if self.reading.read > 0 {
            let text = grid(&self.sheet).trim_fmt();
            let last = text.lines().count() - 1;
            for (at, line) in text.lines().enumerate() {
                let style = if at == 0 || at == last {
                    BOLD
                } else {
                    Style::new()
                };
                writeln!(out, "{style}{line}{style:#}")?;
            }
        }
        if self.sheet.left_out > 0 {
            let count = self.sheet.left_out;
            writeln!(
                out,
                "{DIM}rows left out: {count} (the total counts them){DIM:#}"
            )?;
        }
        if let Some(gone) = &self.gone {
            let counts: Vec<_> = shown(gone)
                .map(|(title, value)| format!("{} {title}", text(value)))
                .collect();
            writeln!(
                out,
                "from files that are gone, not in the total: {}",
                counts.join(", ")
            )?;
        }
        let partial = self
            .sheet
            .total
            .iter()
            .find(|field| field.name == "partial");
        if let Some(Value::Count(count @ 1..)) = partial.map(|field| field.value) {
            let count = thousands(count);
            writeln!(
                out,
                "messages without an end: {count} (their output may be more)"
            )?;
        }
        for remark in self.reading.remarks() {
            writeln!(out, "{remark}")?;
        }
        Ok(())
    }
}

fn grid(sheet: &Sheet) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    let first = if sheet.by == By::Total {
        ""
    } else {
        sheet.by.name()
    };
    let titles = shown(&sheet.total).map(|(title, _)| title);
    table.set_header(std::iter::once(first).chain(titles));
    for (key, fields) in &sheet.rows {
        table.add_row(cells(&sheet.label(key.as_deref()), fields));
    }
    table.add_row(cells("total", &sheet.total));
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
        if column.index > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn cells(label: &str, fields: &Fields) -> Vec<Cell> {
    let numbers = shown(fields).map(|(_, value)| Cell::new(text(value)));
    std::iter::once(Cell::new(label)).chain(numbers).collect()
}

/// What a table shows of a row.
pub fn shown(fields: &Fields) -> impl Iterator<Item = (&'static str, Value)> {
    let fields = fields.iter();
    fields.filter_map(|field| Some((field.title?, field.value)))
}

/// A number as a person reads it.
#[must_use]
pub fn text(value: Value) -> String {
    match value {
        Value::Count(count) => thousands(count),
        Value::Money(None) => String::new(),
        Value::Money(Some(cost)) => money(&cost, 4),
    }
}

/// `$1,234.5678` with four `decimals`, and beside it what is not known.
#[must_use]
pub fn money(cost: &Cost, decimals: u32) -> String {
    let Some(nano) = cost.known() else {
        return "unpriced".to_owned();
    };
    let plain = cost::rounded(nano, decimals);
    let (dollars, cents) = plain.split_once('.').unwrap_or((&plain, "0"));
    let dollars = dollars
        .parse()
        .map_or_else(|_| dollars.to_owned(), thousands);
    let open = if cost.unpriced > 0 { " + unpriced" } else { "" };
    format!("${dollars}.{cents}{open}")
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

    #[test]
    fn money_says_what_it_does_not_know() {
        let mut cost = Cost::of(Some(1_234_567_800_000));
        assert_eq!(money(&cost, 4), "$1,234.5678");
        cost += Cost::of(None);
        assert_eq!(money(&cost, 4), "$1,234.5678 + unpriced");
        assert_eq!(money(&Cost::of(None), 4), "unpriced");
        assert_eq!(money(&Cost::default(), 4), "$0.0000");
    }
}
