//! Rows by day → a row for every day, week or month between the first and the last: what a chart
//! needs, where a gap is a gap. In: totals by day. Out: few enough rows to draw.

use jiff::{ToSpan, civil};

use super::calendar::Day;
use super::totals::{By, Row, Totals};

/// No more bars than this: on a phone one is still three pixels wide.
const MOST: usize = 92;

/// Evenly spaced rows.
#[derive(Debug, PartialEq, Eq)]
pub struct Series {
    /// What one row stands for.
    pub by: By,
    /// Each with its name, in order; also those with nothing in them.
    pub rows: Vec<(String, Row)>,
    /// How many of the oldest were left out.
    pub left_out: usize,
}

/// Spreads out `days`, which are grouped by day; by week or by month when there would be too many.
#[must_use]
pub fn series(days: &Totals) -> Series {
    let known = days.rows.iter();
    let known: Vec<(civil::Date, &Row)> = known
        .filter_map(|(key, row)| Some((key.as_deref()?.parse().ok()?, row)))
        .collect();
    let mut by = By::Day;
    let mut rows = spread(&known, by);
    for coarser in [By::Week, By::Month] {
        if rows.len() > MOST {
            by = coarser;
            rows = spread(&known, by);
        }
    }
    let left_out = rows.len().saturating_sub(MOST);
    rows.drain(..left_out);
    Series { by, rows, left_out }
}

fn spread(known: &[(civil::Date, &Row)], by: By) -> Vec<(String, Row)> {
    let mut rows: Vec<(String, Row)> = Vec::new();
    let (Some((first, _)), Some((last, _))) = (known.first(), known.last()) else {
        return rows;
    };
    let mut known = known.iter().peekable();
    let dates = first.series(1.day()).take_while(|date| date <= last);
    for date in dates {
        let name = by.text_of(Day::new(date));
        if rows.last().is_none_or(|(last, _)| *last != name) {
            rows.push((name, Row::default()));
        }
        if let (Some((_, row)), Some((_, into))) =
            (known.next_if(|(day, _)| *day == date), rows.last_mut())
        {
            into.merge(row);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(dates: &[&str]) -> Totals {
        let row = Row {
            messages: 1,
            ..Row::default()
        };
        let rows = dates.iter().map(|date| (Some((*date).to_owned()), row));
        Totals {
            by: By::Day,
            total: Row::default(),
            rows: rows.chain([(None, row)]).collect(),
            left_out: 0,
            missing: std::collections::BTreeSet::new(),
        }
    }

    #[test]
    fn gaps_are_gaps_and_bars_are_few() {
        for (dates, by, first, count, left_out) in [
            (&[][..], By::Day, None, 0, 0),
            (&["2026-02-27"][..], By::Day, Some("2026-02-27"), 1, 0),
            (
                &["2026-02-27", "2026-03-02"],
                By::Day,
                Some("2026-02-27"),
                4,
                0,
            ),
            (
                &["2026-01-01", "2026-12-31"],
                By::Week,
                Some("2026-W01"),
                53,
                0,
            ),
            (
                &["2020-01-31", "2026-02-01"],
                By::Month,
                Some("2020-01"),
                74,
                0,
            ),
            (
                &["0001-01-01", "2026-02-01"],
                By::Month,
                Some("2018-07"),
                92,
                24_210,
            ),
        ] {
            let series = series(&days(dates));
            let got = series.rows.first().map(|(name, _)| name.as_str());
            assert_eq!(
                (series.by, got, series.rows.len()),
                (by, first, count),
                "{dates:?}"
            );
            assert_eq!(series.left_out, left_out);
            if left_out == 0 {
                let sum: u64 = series.rows.iter().map(|(_, row)| row.messages).sum();
                assert_eq!(sum, dates.len() as u64);
            }
        }
    }
}
