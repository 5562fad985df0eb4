//! Two sides → their numbers and ratios. In: what each side came to. Out: pairs; formats nothing.

use std::collections::BTreeMap;

use super::cost::Cost;
use super::tools::{ToolRow, ToolTotals};
use super::totals::Row;

/// One side.
#[derive(Debug)]
pub struct Side {
    /// As the user named it.
    pub name: String,
    /// Its messages.
    pub row: Row,
    /// Its tools.
    pub tools: ToolTotals,
}

/// Two sides beside each other.
#[derive(Debug)]
pub struct Comparison {
    /// The first.
    pub a: Side,
    /// The second.
    pub b: Side,
}

/// How many times the first the second is, in thousandths. None where that means nothing.
pub type Ratio = Option<u64>;

impl Comparison {
    /// The tools of both, the one with the longest results first; a side that never called it has
    /// an empty row.
    #[must_use]
    pub fn tools(&self) -> Vec<(Option<&str>, ToolRow, ToolRow)> {
        let mut both: BTreeMap<Option<&str>, (ToolRow, ToolRow)> = BTreeMap::new();
        for (tool, row) in &self.a.tools.rows {
            both.entry(tool.as_deref()).or_default().0 = *row;
        }
        for (tool, row) in &self.b.tools.rows {
            both.entry(tool.as_deref()).or_default().1 = *row;
        }
        let both = both.into_iter().map(|(tool, (a, b))| (tool, a, b));
        let mut both: Vec<_> = both.collect();
        both.sort_by_key(|(_, a, b)| std::cmp::Reverse(a.result_bytes.max(b.result_bytes)));
        both
    }
}

/// Of two counts.
#[must_use]
pub fn ratio(a: u64, b: u64) -> Ratio {
    let thousandths = (u128::from(b) * 1000 + u128::from(a / 2)).checked_div(u128::from(a))?;
    u64::try_from(thousandths).ok()
}

/// Of two costs that are known whole.
#[must_use]
pub fn cost_ratio(a: &Cost, b: &Cost) -> Ratio {
    ratio(a.nano, b.nano).filter(|_| a.unpriced + b.unpriced == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_rounded_and_never_invented() {
        for (a, b, want) in [
            (2, 1, Some(500)),
            (3, 2, Some(667)),
            (1, 40, Some(40_000)),
            (5, 0, Some(0)),
            (0, 5, None),
            (0, 0, None),
            (1, u64::MAX, None),
        ] {
            assert_eq!(ratio(a, b), want, "{a} {b}");
        }
        let known = Cost::of(Some(4));
        let mut open = known;
        open += Cost::of(None);
        assert_eq!(cost_ratio(&known, &known), Some(1000));
        assert_eq!(cost_ratio(&known, &open), None);
    }

    #[test]
    fn tools_of_either_side_are_there() {
        let side = |name: &str, tools: &[(&str, u64)]| Side {
            name: name.to_owned(),
            row: Row::default(),
            tools: ToolTotals {
                rows: tools
                    .iter()
                    .map(|(tool, bytes)| {
                        let row = ToolRow {
                            calls: 1,
                            result_bytes: *bytes,
                            images: 0,
                        };
                        (Some((*tool).to_owned()), row)
                    })
                    .collect(),
                ..ToolTotals::default()
            },
        };
        let both = Comparison {
            a: side("a", &[("Bash", 10)]),
            b: side("b", &[("desk-run", 20), ("Bash", 5)]),
        };
        let tools = both.tools();
        let got: Vec<_> = tools
            .iter()
            .map(|(tool, a, b)| (tool.unwrap_or("?"), a.result_bytes, b.result_bytes))
            .collect();
        assert_eq!(got, [("desk-run", 0, 20), ("Bash", 10, 5)]);
    }
}
