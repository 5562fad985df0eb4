//! Compares table, passed tests, observations and documents. Facts in, faults out, one line each;
//! reads and writes nothing.

use std::collections::{BTreeMap, BTreeSet};

use lean_computer_use::exit::{CommandTable, Row, Table};

use super::log::Seen;

/// Named tests a row, at most, when they are filled in.
const FEW: usize = 2;

/// Everything that is compared.
#[derive(Clone)]
pub struct Facts {
    pub table: Table,
    /// Every code that the commands' types can give.
    pub types: Vec<(&'static str, Vec<u8>)>,
    /// Commands of the command line, hooks and installed executables.
    pub commands: BTreeSet<String>,
    pub suite: Suite,
    pub seen: Vec<Seen>,
    pub documents: Vec<Document>,
}

/// The tests, by name.
#[derive(Clone, Default)]
pub struct Suite {
    pub all: BTreeSet<String>,
    /// Those that are not run unless a real part is there.
    pub ignored: BTreeSet<String>,
    /// Those that passed, of any kind.
    pub passed: BTreeSet<String>,
    /// Those that saw something and failed.
    pub failed: BTreeSet<String>,
}

/// A text that shows the table.
#[derive(Clone)]
pub struct Document {
    pub name: String,
    pub text: String,
    /// What the data renders.
    pub want: String,
}

/// What is wrong, in the order of the table.
pub fn faults(facts: &Facts) -> Vec<String> {
    let failed = facts.suite.failed.iter();
    let mut faults: Vec<_> = failed.map(|test| format!("{test} failed")).collect();
    faults.extend(without_table(facts));
    faults.extend(types(&facts.table, &facts.types));
    for command in &facts.table.commands {
        faults.extend(unlisted(command, &facts.seen));
        for row in &command.exits {
            let place = format!("{} {}", command.name, row.label());
            let unproven = proof(command, row, facts);
            faults.extend(unproven.into_iter().map(|why| format!("{place}: {why}")));
        }
    }
    let differs = |document: &&Document| document.text != document.want;
    faults.extend(facts.documents.iter().filter(differs).map(|document| {
        let name = &document.name;
        format!("{name}: its exit codes differ from assets/exit-codes.json")
    }));
    faults
}

fn without_table(facts: &Facts) -> Vec<String> {
    let tables: BTreeSet<_> = facts
        .table
        .commands
        .iter()
        .map(|c| c.name.clone())
        .collect();
    let seen = facts.seen.iter().map(|seen| seen.command.clone()).collect();
    let used: BTreeSet<_> = facts.commands.union(&seen).cloned().collect();
    let bare = used.difference(&tables);
    let idle = tables.difference(&facts.commands);
    bare.map(|name| format!("{name}: it has no table"))
        .chain(idle.map(|name| format!("{name}: a table of no command")))
        .collect()
}

/// Where types and table differ.
pub fn types(table: &Table, types: &[(&str, Vec<u8>)]) -> Vec<String> {
    let codes = |command: &CommandTable| command.exits.iter().filter_map(|row| row.code).collect();
    let listed: BTreeMap<&str, Vec<u8>> = table
        .commands
        .iter()
        .map(|command| (command.name.as_str(), codes(command)))
        .collect();
    types
        .iter()
        .filter(|(name, codes)| listed.get(name) != Some(codes))
        .map(|(name, codes)| format!("{name}: its type gives {codes:?}, which is not its table"))
        .collect()
}

fn unlisted(command: &CommandTable, seen: &[Seen]) -> Vec<String> {
    let own = seen.iter().filter(|seen| seen.command == command.name);
    let stray = own.filter(|seen| command.row(seen.code, seen.signal).is_none());
    let lines: BTreeSet<_> = stray
        .map(|seen| {
            let Seen { test, code, .. } = seen;
            format!("{}: {test} saw {code}, which is not listed", command.name)
        })
        .collect();
    lines.into_iter().collect()
}

/// Why the row is not proven by the tests that it names.
fn proof(command: &CommandTable, row: &Row, facts: &Facts) -> Vec<String> {
    let mut why: Vec<_> = row
        .proof
        .iter()
        .filter_map(|test| refuted(test, command, row, facts))
        .collect();
    let values: BTreeSet<_> = row
        .proof
        .iter()
        .flat_map(|test| values(test, command, row, &facts.seen))
        .collect();
    if row.proof.is_empty() {
        why.push("no test is named".to_owned());
    } else if why.is_empty() && values.len() < row.values() {
        why.push(format!("{} values have to be seen", row.values()));
    }
    why
}

fn refuted(test: &str, command: &CommandTable, row: &Row, facts: &Facts) -> Option<String> {
    let suite = &facts.suite;
    if !suite.all.contains(test) {
        return Some(format!("there is no test {test}"));
    }
    if suite.ignored.contains(test) {
        return Some(format!(
            "{test} is ignored: a row is proven without real parts"
        ));
    }
    if !suite.passed.contains(test) {
        return Some(format!("{test} did not pass"));
    }
    let saw = !values(test, command, row, &facts.seen).is_empty();
    (!saw).then(|| format!("{test} did not see it"))
}

/// The codes of the row that this test saw.
fn values(test: &str, command: &CommandTable, row: &Row, seen: &[Seen]) -> BTreeSet<i32> {
    let of_row = |seen: &&Seen| {
        let own = command.row(seen.code, seen.signal);
        let is_row = own.is_some_and(|own| own.label() == row.label());
        seen.test == test && seen.command == command.name && is_row
    };
    seen.iter().filter(of_row).map(|seen| seen.code).collect()
}

/// The table with every row's tests filled in: those named before as long as they prove the row,
/// else the first that do.
pub fn filled(facts: &Facts) -> Table {
    let mut table = facts.table.clone();
    for command in &mut table.commands {
        let name = command.clone();
        for row in &mut command.exits {
            let is_proven = proof(&name, row, facts).is_empty();
            if !is_proven {
                row.proof = found(&name, row, facts);
            }
        }
    }
    table
}

fn found(command: &CommandTable, row: &Row, facts: &Facts) -> Vec<String> {
    let tests: BTreeSet<_> = facts.seen.iter().map(|seen| seen.test.as_str()).collect();
    let proves = |test: &&str| refuted(test, command, row, facts).is_none();
    let tests: Vec<_> = tests.into_iter().filter(proves).collect();
    let seen = |test: &str| values(test, command, row, &facts.seen).len();
    // One test that sees enough values is better than several.
    let enough = tests.iter().filter(|test| seen(test) >= row.values());
    let chosen: Vec<_> = enough.map(|test| (*test).to_owned()).take(FEW).collect();
    if chosen.is_empty() {
        return tests.into_iter().map(str::to_owned).take(FEW).collect();
    }
    chosen
}
