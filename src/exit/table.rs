//! The exit-code table as data: `assets/exit-codes.json`, read and written. A row says what a code
//! means and which tests observed it; a class says it for all commands at once.

use serde::{Deserialize, Serialize};

/// `assets/exit-codes.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Table {
    /// Version of this shape: 1.
    pub schema: u32,
    /// What each class means in the documents' tables, in their order.
    pub classes: Vec<Summary>,
    /// One entry a command.
    pub commands: Vec<CommandTable>,
}

/// One class in the documents' tables; a column that is empty has no such rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Summary {
    /// Which.
    pub class: Class,
    /// For commands that a person calls.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub management: String,
    /// For desk tools.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub desk: String,
}

/// One command's codes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CommandTable {
    /// As typed: `install`, `hook retry-guard`.
    pub name: String,
    /// Its rows, ascending.
    pub exits: Vec<Row>,
}

/// One row of a table.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    /// The code; none for a class that stands for several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<u8>,
    /// What kind of end it is.
    pub class: Class,
    /// What it means, in one line.
    pub meaning: String,
    /// The tests that observed it.
    pub proof: Vec<String>,
}

/// What kind of end a row is. The set is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// It was done, or the answer is yes.
    Done,
    /// It ran, and the answer is no.
    No,
    /// It could not run.
    CouldNotRun,
    /// Something is left to be settled.
    Pending,
    /// A person has to say yes first.
    NeedsConfirmation,
    /// It may have happened.
    Unknown,
    /// There is no such driver tool.
    NoSuchTool,
    /// A panic.
    Internal,
    /// The driver waits for the system.
    Permissions,
    /// The driver's own status above 4.
    Passthrough,
    /// Ended by a signal: 128 and its number.
    Signal,
}

impl Row {
    /// How the row's code is printed: `2`, `other`, `128+n`.
    #[must_use]
    pub fn label(&self) -> String {
        match (self.code, self.class) {
            (Some(code), _) => code.to_string(),
            (None, Class::Signal) => "128+n".to_owned(),
            (None, _) => "other".to_owned(),
        }
    }

    /// Whether a process that ended like this is one of this row; `signal`: it was ended by one.
    #[must_use]
    pub fn covers(&self, code: i32, signal: bool) -> bool {
        match (self.code, self.class) {
            (Some(own), _) => !signal && i32::from(own) == code,
            (None, Class::Signal) => signal && code > 128,
            (None, _) => !signal && code > 4,
        }
    }

    /// How many different values have to be seen before the row is proven.
    #[must_use]
    pub fn values(&self) -> usize {
        if self.code.is_some() { 1 } else { 2 }
    }
}

impl CommandTable {
    /// The row that an end belongs to; one with a code of its own comes first.
    #[must_use]
    pub fn row(&self, code: i32, signal: bool) -> Option<&Row> {
        let fits = |row: &&Row| row.covers(code, signal);
        let own = self.exits.iter().filter(|row| row.code.is_some());
        own.chain(&self.exits).find(fits)
    }

    /// Whether an agent calls it to act on an app.
    #[must_use]
    pub fn is_desk(&self) -> bool {
        self.name == "desk" || self.name.starts_with("desk-")
    }
}

/// The table as embedded.
///
/// # Panics
/// When the embedded data is not what this build expects, which a test rules out.
#[must_use]
pub fn table() -> Table {
    serde_json::from_str(include_str!("../../assets/exit-codes.json"))
        .expect("assets/exit-codes.json is checked by a test")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_belongs_to_one_row() {
        let table = table();
        let desk = table.commands.iter().find(|c| c.name == "desk").unwrap();
        let label = |code, signal| desk.row(code, signal).map(Row::label);
        assert_eq!(label(64, false).as_deref(), Some("64"));
        assert_eq!(label(9, false).as_deref(), Some("other"));
        assert_eq!(label(143, false).as_deref(), Some("other"));
        assert_eq!(label(143, true).as_deref(), Some("128+n"));
        assert_eq!(label(5, true), None);
        let hook = table.commands.iter().find(|c| c.name.starts_with("hook "));
        assert!(hook.unwrap().row(2, false).is_none());
    }
}
