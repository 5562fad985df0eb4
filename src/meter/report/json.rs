//! A sheet → one JSON document, for programs.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::escape;

use super::{Fields, Report, Value};

/// Its fields stand in this order.
#[derive(serde::Serialize)]
struct Document<'a> {
    schema: u32,
    by: &'static str,
    total: Object<'a>,
    rows: Vec<Keyed<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gone: Option<Object<'a>>,
    files: Files,
    skipped: &'a BTreeMap<&'static str, u64>,
    notes: &'a [String],
}

#[derive(serde::Serialize)]
struct Files {
    read: u64,
    unreadable: u64,
    bytes: u64,
}

#[derive(serde::Serialize)]
struct Keyed<'a> {
    key: BTreeMap<&'static str, Option<&'a str>>,
    #[serde(flatten)]
    fields: Object<'a>,
}

/// Fields as an object.
pub struct Object<'a>(pub &'a Fields);

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for field in self.0 {
            match field.value {
                Value::Count(count) => map.serialize_entry(field.name, &count)?,
                Value::Money(cost) => {
                    map.serialize_entry(field.name, &cost.and_then(|cost| cost.usd()))?;
                }
            }
        }
        map.end()
    }
}

impl Report {
    /// One JSON document.
    pub fn json(&self, out: impl Write) -> io::Result<()> {
        let by = self.sheet.by.name();
        let rows = self.sheet.rows.iter();
        let reading = &self.reading;
        let document = Document {
            schema: 1,
            by,
            total: Object(&self.sheet.total),
            rows: rows
                .map(|(key, fields)| Keyed {
                    key: BTreeMap::from([(by, key.as_deref())]),
                    fields: Object(fields),
                })
                .collect(),
            gone: self.gone.as_ref().map(Object),
            files: Files {
                read: reading.read,
                unreadable: reading.unreadable,
                bytes: reading.bytes,
            },
            skipped: &reading.skipped,
            notes: &reading.notes,
        };
        write(&document, out)
    }
}

/// Writes any document; foreign text in it cannot do anything to a terminal either.
pub fn write(document: &impl Serialize, mut out: impl Write) -> io::Result<()> {
    let text = serde_json::to_string_pretty(document)?;
    writeln!(out, "{}", escape::json(&text))
}
