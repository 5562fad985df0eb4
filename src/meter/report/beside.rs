//! A comparison → a table with ratios, or JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::escape::shown;
use crate::meter::compare::{Comparison, Ratio, Side, cost_ratio, ratio};

use super::Reading;
use super::json::{self, Object};
use super::number::{text, thousands};
use super::sheet::{Field, Fields, Value, message_fields, tool_fields};
use super::table::aligned;

/// Two sides and what is to be said beside them.
#[derive(Debug)]
pub struct Beside {
    /// The numbers.
    pub both: Comparison,
    /// Whether costs were asked for.
    pub priced: bool,
    /// What reading each came to.
    pub readings: [Reading; 2],
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    a: Named<'a>,
    b: Named<'a>,
    ratio: Ratios,
    tools: Vec<Tool<'a>>,
    notes: Vec<&'a str>,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    #[serde(flatten)]
    fields: Object<'a>,
}

#[derive(Serialize)]
struct Tool<'a> {
    key: BTreeMap<&'static str, Option<&'a str>>,
    a: Object<'a>,
    b: Object<'a>,
    ratio: Ratios,
}

type Ratios = BTreeMap<&'static str, Option<f64>>;

impl Beside {
    /// The two beside each other, and how many times the first the second is.
    pub fn table(&self, mut out: impl Write) -> io::Result<()> {
        let Comparison { a, b } = &self.both;
        let head = ["", &shown(&a.name), &shown(&b.name), "ratio"].map(str::to_owned);
        let mut rows = Vec::new();
        for (a, b) in self.fields(a).iter().zip(&self.fields(b)) {
            if let Some(title) = a.title {
                rows.push(line(title, a, b));
            }
        }
        for (tool, a, b) in self.both.tools() {
            let name = tool.map_or_else(|| "(unknown)".to_owned(), shown);
            let counts = (a.result_tokens(), b.result_tokens());
            rows.push(vec![
                format!("results of {name}, about tokens"),
                thousands(counts.0),
                thousands(counts.1),
                times(ratio(counts.0, counts.1)),
            ]);
        }
        writeln!(out, "{}", aligned(head.to_vec(), rows))?;
        for (side, reading) in [a, b].into_iter().zip(&self.readings) {
            for remark in reading.remarks() {
                writeln!(out, "{}: {remark}", shown(&side.name))?;
            }
        }
        Ok(())
    }

    /// One JSON document.
    pub fn json(&self, out: impl Write) -> io::Result<()> {
        let Comparison { a, b } = &self.both;
        let (of_a, of_b) = (self.fields(a), self.fields(b));
        let tools = self.both.tools();
        let tools: Vec<_> = tools
            .iter()
            .map(|(tool, a, b)| (*tool, tool_fields(a), tool_fields(b)))
            .collect();
        let notes = self.readings.iter().flat_map(|reading| &reading.notes);
        let document = Document {
            schema: 1,
            ratio: ratios(&of_a, &of_b),
            a: Named {
                name: &a.name,
                fields: Object(&of_a),
            },
            b: Named {
                name: &b.name,
                fields: Object(&of_b),
            },
            tools: tools
                .iter()
                .map(|(tool, a, b)| Tool {
                    key: BTreeMap::from([("tool", *tool)]),
                    ratio: ratios(a, b),
                    a: Object(a),
                    b: Object(b),
                })
                .collect(),
            notes: notes.map(String::as_str).collect(),
        };
        json::write(&document, out)
    }

    fn fields(&self, side: &Side) -> Fields {
        message_fields(&side.row, self.priced)
    }
}

fn line(title: &str, a: &Field, b: &Field) -> Vec<String> {
    vec![
        title.to_owned(),
        text(a.value),
        text(b.value),
        times(of(a, b)),
    ]
}

fn of(a: &Field, b: &Field) -> Ratio {
    match (a.value, b.value) {
        (Value::Count(a), Value::Count(b)) => ratio(a, b),
        (Value::Money(Some(a)), Value::Money(Some(b))) => cost_ratio(&a, &b),
        _ => None,
    }
}

fn ratios(a: &Fields, b: &Fields) -> Ratios {
    let pairs = a.iter().zip(b);
    let numbers =
        pairs.map(|(a, b)| (a.name, of(a, b).and_then(|ratio| plain(ratio).parse().ok())));
    numbers.collect()
}

fn times(ratio: Ratio) -> String {
    ratio.map_or_else(|| "–".to_owned(), |ratio| format!("×{}", plain(ratio)))
}

fn plain(thousandths: u64) -> String {
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}
