//! The exit-code table as text: what `exit-codes` and `--help` print, the two tables that the
//! documents hold, and the data file itself. Pure; writes nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

use super::table::{Class, CommandTable, Row, Table};

/// The start of a document's rendered part.
pub const BEGIN: &str = "<!-- exit codes: rendered from assets/exit-codes.json -->\n";
/// Its end.
pub const END: &str = "<!-- exit codes: end -->\n";

/// A document that holds a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Document {
    /// README.md: management commands and desk tools side by side.
    Readme,
    /// The installed README of the desk tools.
    Desk,
}

/// One command's rows, one a line, as `exit-codes` and `--help` print them.
#[must_use]
pub fn rows(command: &CommandTable) -> String {
    command.exits.iter().fold(String::new(), |mut text, row| {
        let _ = writeln!(text, "  {:>5}  {}", row.label(), row.meaning);
        text
    })
}

/// What `exit-codes` prints.
#[must_use]
pub fn text(table: &Table) -> String {
    table
        .commands
        .iter()
        .fold(String::new(), |mut text, command| {
            let _ = write!(text, "{}\n{}", command.name, rows(command));
            text
        })
}

/// The table of a document, in Markdown.
#[must_use]
pub fn markdown(table: &Table, document: Document) -> String {
    let mut lines = match document {
        Document::Readme => "| code | management commands | desk tools |\n|---|---|---|\n",
        Document::Desk => "| code | means |\n|---|---|\n",
    }
    .to_owned();
    for (label, management, desk) in by_code(table) {
        let line = match document {
            Document::Readme => format!("| {label} | {management} | {desk} |\n"),
            Document::Desk if desk.is_empty() => continue,
            Document::Desk => format!("| {label} | {desk} |\n"),
        };
        lines.push_str(&line.replace("|  |", "| |"));
    }
    lines
}

/// Code, what it says of management commands, of desk tools: in the order of the codes.
fn by_code(table: &Table) -> Vec<(String, String, String)> {
    let mut codes: BTreeMap<(u16, String), [Vec<Class>; 2]> = BTreeMap::new();
    let commands = table
        .commands
        .iter()
        .filter(|c| !c.name.starts_with("hook "));
    for command in commands {
        for row in &command.exits {
            let place = (order(row), row.label());
            let column = &mut codes.entry(place).or_default()[usize::from(command.is_desk())];
            if !column.contains(&row.class) {
                column.push(row.class);
            }
        }
    }
    let said = |classes: &[Class], desk: bool| {
        let summaries = table.classes.iter().filter(|s| classes.contains(&s.class));
        let texts = summaries.map(|s| if desk { &*s.desk } else { &*s.management });
        texts.collect::<Vec<_>>().join("; ")
    };
    let line = |((_, label), [management, desk]): (_, [Vec<Class>; 2])| {
        (label, said(&management, false), said(&desk, true))
    };
    codes.into_iter().map(line).collect()
}

/// Rows without a code of their own stand last.
fn order(row: &Row) -> u16 {
    match (row.code, row.class) {
        (Some(code), _) => code.into(),
        (None, Class::Signal) => 256,
        (None, _) => 257,
    }
}

/// The document with its rendered part replaced; none when it has no such part.
#[must_use]
pub fn filled(document: &str, table: &str) -> Option<String> {
    let (before, rest) = document.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}{table}{END}{after}"))
}

/// The data file: one row a line, so that a change is a line of a diff.
#[must_use]
pub fn data(table: &Table) -> String {
    let list = |indent: &str, lines: Vec<String>| {
        let lines: Vec<_> = lines.iter().map(|line| format!("{indent}{line}")).collect();
        lines.join(",\n")
    };
    let classes = list("    ", table.classes.iter().map(spaced).collect());
    let command = |command: &CommandTable| {
        let name = spaced(&command.name);
        let exits = list("        ", command.exits.iter().map(spaced).collect());
        format!("{{\n      \"name\": {name},\n      \"exits\": [\n{exits}\n      ]\n    }}")
    };
    let commands = list("    ", table.commands.iter().map(command).collect());
    let schema = table.schema;
    format!(
        "{{\n  \"schema\": {schema},\n  \"classes\": [\n{classes}\n  ],\n  \"commands\": [\n{commands}\n  ]\n}}\n"
    )
}

/// JSON on one line with a blank behind each colon and comma.
fn spaced(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut writer = serde_json::Serializer::with_formatter(&mut bytes, Spaced);
    // Strings and numbers always serialise.
    let _ = value.serialize(&mut writer);
    String::from_utf8_lossy(&bytes).into_owned()
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::table;

    #[test]
    fn every_row_has_its_place_in_the_documents() {
        let table = table();
        for command in table
            .commands
            .iter()
            .filter(|c| !c.name.starts_with("hook "))
        {
            for row in &command.exits {
                let place = format!("{} {}", command.name, row.label());
                let summary = table.classes.iter().find(|s| s.class == row.class);
                let summary =
                    summary.unwrap_or_else(|| panic!("{place}: its class has no summary"));
                let text = if command.is_desk() {
                    &summary.desk
                } else {
                    &summary.management
                };
                assert!(!text.is_empty(), "{place}: its class has no summary");
            }
        }
    }

    #[test]
    fn the_data_comes_back_as_it_was() {
        let (before, after) = (table(), data(&table()));
        let again: Table = serde_json::from_str(&after).unwrap();
        assert_eq!(format!("{before:?}"), format!("{again:?}"));
        assert_eq!(after, include_str!("../../assets/exit-codes.json"));
    }

    #[test]
    fn only_the_marked_part_is_replaced() {
        let text = format!("a\n{BEGIN}old\n{END}b\n");
        let want = format!("a\n{BEGIN}new\n{END}b\n");
        assert_eq!(filled(&text, "new\n").as_deref(), Some(&*want));
        assert_eq!(filled("no marks\n", "new\n"), None);
    }
}
