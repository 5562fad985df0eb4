//! What to run so that a row of the table is seen: words, standard input, what was there before.
//! Data and its expansion over the table; runs nothing.

use crate::exit::{Class, CommandTable, Table};

/// One process and how it should end.
#[derive(Debug, Clone)]
pub struct Case {
    /// As in the table.
    pub command: String,
    /// The code, as a shell reports it.
    pub code: i32,
    /// The signal that ends it, sent once it waits.
    pub signal: Option<Signal>,
    /// What is started.
    pub by: By,
    /// The words behind it.
    pub words: Vec<String>,
    /// Its standard input.
    pub stdin: &'static str,
    /// What is done in its folder before.
    pub before: &'static [Before],
    /// Whether PATH leads nowhere: a launcher has to need no other program.
    pub bare: bool,
    /// A path in the state folder that is there afterwards, when the binary was reached.
    pub leaves: Option<&'static str>,
}

/// A signal that a person or a host sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// A polite end.
    Terminate,
}

/// What is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The recorded binary.
    Binary,
    /// The installed desk launcher of the command.
    Desk,
    /// The installed hook launcher of the command, sourced as its registration does.
    Hook,
}

/// A step before the case.
#[derive(Debug, Clone, Copy)]
pub enum Before {
    /// The binary with these words.
    Run(&'static [&'static str]),
    /// A file of the scratch project with another text.
    Write(&'static str),
}

const INSTALL: Before = Before::Run(&["install"]);
const EDIT: Before = Before::Write(".claude/agents/desk-runner.md");
const CLICK: &str = r#"{"element_token":"s00000001:1"}"#;
const QUIT: &str = r#"{"keys":["Alt","F4"]}"#;
const SIMULATED: &str = "--simulated";
const HANG: &str = "simulated-hang";

/// Rows that need words of their own: command, code, words, what is done before.
const OWN: &[(&str, i32, &[&str], &[Before])] = &[
    ("lean-computer-use", 0, &["--version"], &[]),
    ("install", 0, &[], &[]),
    ("uninstall", 0, &[], &[INSTALL]),
    ("uninstall", 1, &[], &[INSTALL, EDIT]),
    ("verify", 0, &[], &[INSTALL]),
    ("verify", 1, &[], &[INSTALL, EDIT]),
    ("status", 0, &[], &[]),
    ("diff", 0, &[], &[INSTALL]),
    ("diff", 1, &[], &[]),
    (
        "doctor",
        0,
        &["--user"],
        &[Before::Run(&["install", "--user"])],
    ),
    ("doctor", 1, &[], &[]),
    ("meter", 0, &[], &[]),
    ("try", 0, &[], &[]),
    // Bare: without a shell on PATH its steps fail.
    ("try", 1, &[], &[]),
    ("exit-codes", 0, &[], &[]),
    ("completions", 0, &["bash"], &[]),
    ("man", 0, &[], &[]),
    (
        "desk",
        0,
        &["simulated-calculator", "get_window_state"],
        &[],
    ),
    ("desk", 1, &["simulated-refusal", "click", CLICK], &[]),
    (
        "desk",
        4,
        &["simulated-silent", "click", CLICK, "--limit=20"],
        &[],
    ),
    ("desk", 64, &["simulated-calculator", "kill_app"], &[]),
    ("desk", 75, &["simulated-exit-75", "click", CLICK], &[]),
    ("desk", 9, &["simulated-exit-9", "click", CLICK], &[]),
    ("desk", 200, &["simulated-exit-200", "click", CLICK], &[]),
    ("desk-run", 0, &["simulated-calculator", "click 1"], &[]),
    ("desk-run", 1, &["simulated-calculator", "click none"], &[]),
    (
        "desk-run",
        4,
        &["simulated-silent", "click 1", "--limit=20"],
        &[],
    ),
    ("desk-run", 75, &["simulated-exit-75", "click 1"], &[]),
    ("desk-run", 9, &["simulated-exit-9", "click 1"], &[]),
    ("desk-run", 200, &["simulated-exit-200", "click 1"], &[]),
    (
        "desk-run",
        3,
        &["simulated-calculator", "menu File > Quit"],
        &[],
    ),
    ("desk-running", 0, &["simulated-calculator"], &[]),
    ("desk-running", 75, &["simulated-exit-75"], &[]),
    ("desk-running", 9, &["simulated-exit-9"], &[]),
    ("desk-running", 200, &["simulated-exit-200"], &[]),
    ("desk", 3, &["simulated-calculator", "hotkey", QUIT], &[]),
    ("desk-read", 0, &["simulated-calculator"], &[]),
    ("desk-read", 1, &["simulated-refusal"], &[]),
    ("desk-read", 75, &["simulated-exit-75"], &[]),
    ("desk-read", 9, &["simulated-exit-9"], &[]),
    ("desk-read", 200, &["simulated-exit-200"], &[]),
    ("desk-clean", 0, &["simulated-calculator"], &[]),
    (
        "desk-clean",
        3,
        &["simulated-exit-9"],
        &[Before::Run(&["desk-read", SIMULATED, "simulated-exit-9"])],
    ),
];

/// Commands that can be made to wait, and how.
const WAITING: &[(&str, &[&str], &[Before])] = &[
    ("meter", &["-"], &[]),
    ("desk", &[HANG, "click", CLICK], &[]),
    ("desk-run", &[HANG, "click 1"], &[]),
    ("desk-read", &[HANG], &[]),
    ("desk-running", &[HANG], &[]),
    (
        "desk-clean",
        &[HANG],
        &[Before::Run(&["desk-read", SIMULATED, HANG, "--limit=1"])],
    ),
];

/// A prompt and an end, which the two hooks write down.
const EVENTS: &[(&str, &str, &str)] = &[
    (
        "hook retry-guard",
        r#"{"session_id":"proof","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"false"},"tool_use_id":"toolu_1","error":"Exit code 1","cwd":"/","is_interrupt":false}"#,
        "guard",
    ),
    ("hook token-meter", "{}", ""),
];

/// Every case of every command in the table.
#[must_use]
pub fn all(table: &Table) -> Vec<Case> {
    table.commands.iter().flat_map(of_command).collect()
}

fn of_command(table: &CommandTable) -> Vec<Case> {
    if table.name.starts_with("hook ") {
        return of_hook(&table.name);
    }
    let own = OWN.iter().filter(|(command, ..)| *command == table.name);
    let mut cases: Vec<_> = own
        .map(|(command, code, words, before)| case(command, *code, words, before))
        .collect();
    for row in &table.exits {
        match row.class {
            Class::CouldNotRun => cases.push(broken(&table.name, 2, "--no-such-flag")),
            Class::Internal => cases.push(broken(&table.name, 70, "--internal-error")),
            Class::Signal => cases.extend(waiting(&table.name)),
            _ => {}
        }
    }
    cases
}

fn case(command: &str, code: i32, words: &[&str], before: &'static [Before]) -> Case {
    let is_desk = command.starts_with("desk");
    let by = if is_desk { By::Desk } else { By::Binary };
    let name = (by == By::Binary && command != "lean-computer-use").then_some(command);
    let simulated = is_desk.then_some(SIMULATED);
    let words = name.iter().chain(words).chain(&simulated);
    Case {
        command: command.to_owned(),
        code,
        signal: None,
        by,
        words: words.map(|word| (*word).to_owned()).collect(),
        stdin: "",
        before,
        bare: is_desk || (command, code) == ("try", 1),
        leaves: None,
    }
}

/// A flag that ends the command before it does anything, with what it cannot do without.
fn broken(command: &str, code: i32, flag: &str) -> Case {
    let words: &[&str] = match command {
        "desk" => &["x", "click", flag],
        "completions" => &["bash", flag],
        command if command.starts_with("desk-") => &["x", flag],
        _ => &[flag],
    };
    case(command, code, words, &[])
}

fn waiting(command: &str) -> Vec<Case> {
    let signals = [(Signal::Interrupt, 130), (Signal::Terminate, 143)];
    let known = WAITING.iter().filter(|(name, ..)| *name == command);
    known
        .flat_map(|(_, words, before)| {
            signals.map(|(signal, code)| Case {
                signal: Some(signal),
                ..case(command, code, words, before)
            })
        })
        .collect()
}

/// A hook ends with 0 whatever happens; through its launcher it reaches the binary.
fn of_hook(command: &str) -> Vec<Case> {
    let direct = |flag: &str| Case {
        words: command
            .split(' ')
            .chain([flag])
            .map(str::to_owned)
            .collect(),
        ..case(command, 0, &[], &[])
    };
    let launched = |stdin, leaves| Case {
        by: By::Hook,
        words: Vec::new(),
        stdin,
        leaves,
        bare: true,
        ..case(command, 0, &[], &[])
    };
    let mut cases = vec![
        direct("--no-such-flag"),
        direct("--internal-error"),
        launched("garbage", None),
    ];
    let known = EVENTS.iter().filter(|(name, ..)| *name == command);
    cases.extend(known.map(|(_, event, leaves)| {
        launched(event, Some(*leaves).filter(|leaves| !leaves.is_empty()))
    }));
    cases
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::table;

    /// A row that nobody can show on a user's machine would make `verify --proof` fail there.
    #[test]
    fn every_row_has_its_cases() {
        let table = table();
        let cases = all(&table);
        for command in &table.commands {
            for row in &command.exits {
                let own = cases.iter().filter(|case| case.command == command.name);
                let of_row = |case: &&Case| {
                    let hit = command.row(case.code, case.signal.is_some());
                    hit.is_some_and(|hit| hit.label() == row.label())
                };
                let count = own.filter(of_row).count();
                assert!(
                    count >= row.values(),
                    "{} {}: {count} cases in src/proof/cases.rs",
                    command.name,
                    row.label()
                );
            }
        }
    }
}
