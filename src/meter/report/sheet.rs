//! Totals → named fields in order: what every format shows. In: totals of messages or tools. Out:
//! a [`Sheet`]. Decides names and order, not looks.

use crate::escape::shown;
use crate::meter::cost::Cost;
use crate::meter::tools::{ToolRow, ToolTotals};
use crate::meter::totals::{By, Row, Totals};

/// Rows of fields under keys, and their total.
#[derive(Debug)]
pub struct Sheet {
    /// What the rows are grouped by.
    pub by: By,
    /// Everything, also what is left out.
    pub total: Fields,
    /// Each row with its key.
    pub rows: Vec<(Option<String>, Fields)>,
    /// How many rows a limit left out.
    pub left_out: usize,
}

/// One row, in the order of the columns.
pub type Fields = Vec<Field>;

/// One number with its names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    /// In JSON and CSV.
    pub name: &'static str,
    /// At the head of a table's column; none where a table does not show it.
    pub title: Option<&'static str>,
    /// The number.
    pub value: Value,
}

/// A number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// Of tokens, calls, bytes.
    Count(u64),
    /// Of money; none when nobody asked.
    Money(Option<Cost>),
}

impl Sheet {
    /// Rows of messages. `priced` says whether costs were asked for.
    #[must_use]
    pub fn of_messages(totals: &Totals, priced: bool) -> Self {
        let rows = totals.rows.iter();
        Self {
            by: totals.by,
            total: message_fields(&totals.total, priced),
            rows: rows
                .map(|(key, row)| (key.clone(), message_fields(row, priced)))
                .collect(),
            left_out: totals.left_out,
        }
    }

    /// Rows of tools.
    #[must_use]
    pub fn of_tools(totals: &ToolTotals) -> Self {
        let rows = totals.rows.iter();
        Self {
            by: By::Tool,
            total: tool_fields(&totals.total),
            rows: rows
                .map(|(key, row)| (key.clone(), tool_fields(row)))
                .collect(),
            left_out: totals.left_out,
        }
    }

    /// A row's key as a person reads it, safe to print.
    #[must_use]
    pub fn label(&self, key: Option<&str>) -> String {
        match (key, self.by) {
            (Some(key), _) => shown(key),
            (None, By::Agent) => "(main thread)".to_owned(),
            (None, _) => "(unknown)".to_owned(),
        }
    }
}

/// A row of messages.
#[must_use]
pub fn message_fields(row: &Row, priced: bool) -> Fields {
    let usage = &row.usage;
    let count = |name, title, count| Field {
        name,
        title,
        value: Value::Count(count),
    };
    vec![
        count("messages", Some("messages"), row.messages),
        count("input", Some("input"), usage.input),
        count("output", Some("output"), usage.output),
        count("cache_write", Some("cache write"), usage.cache_write),
        count("cache_write_5m", None, usage.cache_write_5m()),
        count("cache_write_1h", None, usage.cache_write_1h),
        count("cache_read", Some("cache read"), usage.cache_read),
        count("web_search", None, usage.web_search),
        count("web_fetch", None, usage.web_fetch),
        Field {
            name: "cost_usd",
            title: priced.then_some("cost"),
            value: Value::Money(priced.then_some(row.cost)),
        },
        count("unpriced", None, row.cost.unpriced),
        count("partial", None, row.partial),
    ]
}

/// A row of tools.
#[must_use]
pub fn tool_fields(row: &ToolRow) -> Fields {
    let count = |name, title, count| Field {
        name,
        title: Some(title),
        value: Value::Count(count),
    };
    vec![
        count("calls", "calls", row.calls),
        count("result_bytes", "result bytes", row.result_bytes),
        count(
            "result_tokens_estimate",
            "about tokens",
            row.result_tokens(),
        ),
    ]
}
