//! Rows judged: what each case saw against what its row says. Pure.

use serde::{Deserialize, Serialize};

use super::cases::Case;
use crate::exit::{CommandTable, Row, Table};

/// How one process ended.
#[derive(Debug, Clone)]
pub struct Saw {
    /// The code, as a shell reports it; none when it could not be started or did not end.
    pub code: Option<i32>,
    /// Whether a signal ended it.
    pub signal: bool,
    /// What it said, or why it was not seen: one line.
    pub said: String,
}

/// A row as it was seen here.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Proven {
    /// The command.
    pub command: String,
    /// The row's code: `2`, `other`, `128+n`.
    pub code: String,
    /// The codes that were seen; `none` for a process that was not seen to end.
    pub saw: Vec<String>,
    /// Whether they are the row's.
    pub ok: bool,
    /// What was said where one was not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// One entry a row, in the order of the table. `saw` belongs to `cases`, one to one.
#[must_use]
pub fn judge(table: &Table, cases: &[Case], saw: &[Saw]) -> Vec<Proven> {
    let pairs: Vec<_> = cases.iter().zip(saw).collect();
    let rows = |command| move |row| (command, row);
    table
        .commands
        .iter()
        .flat_map(|command| command.exits.iter().map(rows(command)))
        .map(|(command, row)| proven(command, row, &pairs))
        .collect()
}

fn proven(command: &CommandTable, row: &Row, pairs: &[(&Case, &Saw)]) -> Proven {
    let is_of_row = |code, signal| {
        let hit = command.row(code, signal);
        hit.is_some_and(|hit| hit.label() == row.label())
    };
    let own: Vec<_> = pairs
        .iter()
        .filter(|(case, _)| case.command == command.name)
        .filter(|(case, _)| is_of_row(case.code, case.signal.is_some()))
        .collect();
    let wrong = own
        .iter()
        .find(|(case, saw)| saw.code != Some(case.code) || saw.signal != case.signal.is_some());
    let mut codes: Vec<_> = own.iter().map(|(_, saw)| shown(saw)).collect();
    codes.dedup();
    let why = match wrong {
        Some((_, saw)) => saw.said.clone(),
        None if own.len() < row.values() => "nothing here shows it".to_owned(),
        None => String::new(),
    };
    Proven {
        command: command.name.clone(),
        code: row.label(),
        saw: codes,
        ok: wrong.is_none() && own.len() >= row.values(),
        why,
    }
}

fn shown(saw: &Saw) -> String {
    saw.code.map_or("none".to_owned(), |code| code.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::cases;
    use super::*;
    use crate::exit::table;

    fn as_listed(cases: &[Case]) -> Vec<Saw> {
        let saw = |case: &Case| Saw {
            code: Some(case.code),
            signal: case.signal.is_some(),
            said: String::new(),
        };
        cases.iter().map(saw).collect()
    }

    #[test]
    fn one_wrong_code_is_one_wrong_row() {
        let table = table();
        let cases = cases::all(&table);
        let mut saw = as_listed(&cases);
        assert!(judge(&table, &cases, &saw).iter().all(|row| row.ok));

        let is = |case: &Case| case.command == "desk-run" && case.code == 4;
        let at = cases.iter().position(is).unwrap();
        saw[at].code = Some(127);
        saw[at].said = "not found".to_owned();
        let rows = judge(&table, &cases, &saw);
        let wrong: Vec<_> = rows.iter().filter(|row| !row.ok).collect();
        assert_eq!(wrong.len(), 1);
        assert_eq!(
            (&*wrong[0].command, &*wrong[0].code, &*wrong[0].why),
            ("desk-run", "4", "not found")
        );
        assert_eq!(wrong[0].saw, ["127"]);

        // A status that only looks like a signal is none.
        let mut saw = as_listed(&cases);
        let is = |case: &Case| case.command == "meter" && case.code == 143;
        saw[cases.iter().position(is).unwrap()].signal = false;
        assert!(!judge(&table, &cases, &saw).iter().all(|row| row.ok));
    }

    #[test]
    fn a_row_without_a_case_is_not_proven() {
        let table = table();
        let rows = judge(&table, &[], &[]);
        assert!(rows.iter().all(|row| !row.ok && !row.why.is_empty()));
    }
}
