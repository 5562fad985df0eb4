//! The proof finds what it is there for: each fault is planted in a copy of sound facts.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use lean_computer_use::exit::{Class, Table, render, table};

use crate::proof::check::{Document, Facts, Suite, faults, filled};
use crate::proof::log::Seen;
use crate::proof::types;

/// Facts of a suite in which one test saw every row, and two values where a row stands for several.
fn sound() -> Facts {
    let mut table = table();
    let mut seen = Vec::new();
    for command in &mut table.commands {
        for row in &mut command.exits {
            row.proof = vec!["seen".to_owned()];
            let codes = match (row.code, row.class) {
                (Some(code), _) => vec![i32::from(code)],
                (None, Class::Signal) => vec![130, 143],
                (None, _) => vec![9, 200],
            };
            seen.extend(codes.into_iter().map(|code| Seen {
                test: "seen".to_owned(),
                command: command.name.clone(),
                code,
                signal: row.class == Class::Signal,
            }));
        }
    }
    let text = render::text(&table);
    Facts {
        commands: table.commands.iter().map(|c| c.name.clone()).collect(),
        types: types::all(),
        suite: Suite {
            all: names(&["seen", "blind", "real"]),
            ignored: names(&["real"]),
            passed: names(&["seen", "blind", "real"]),
            failed: BTreeSet::new(),
        },
        documents: vec![Document {
            name: "exit-codes".to_owned(),
            want: text.clone(),
            text,
        }],
        table,
        seen,
    }
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The faults of sound facts with this one planted.
fn planted(plant: impl FnOnce(&mut Facts)) -> String {
    let mut facts = sound();
    plant(&mut facts);
    faults(&facts).join("\n")
}

fn proof<'a>(table: &'a mut Table, command: &str, label: &str) -> &'a mut Vec<String> {
    let command = table.commands.iter_mut().find(|c| c.name == command);
    let mut rows = command.unwrap().exits.iter_mut();
    &mut rows.find(|row| row.label() == label).unwrap().proof
}

fn saw(facts: &mut Facts, command: &str, code: i32) {
    facts.seen.push(Seen {
        test: "blind".to_owned(),
        command: command.to_owned(),
        code,
        signal: false,
    });
}

#[test]
fn sound_facts_have_no_fault() {
    assert_eq!(planted(|_| ()), "");
}

#[test]
fn a_stray_exit_is_found() {
    let found = planted(|facts| saw(facts, "verify", 3));
    assert_eq!(found, "verify: blind saw 3, which is not listed");
    let found = planted(|facts| saw(facts, "hook retry-guard", 2));
    assert_eq!(found, "hook retry-guard: blind saw 2, which is not listed");
}

/// On a path that no test takes, only the lints see it.
#[test]
#[ignore = "needs clippy: .ci/run"]
fn a_stray_exit_does_not_pass_the_lints() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(home.join("Cargo.toml")).unwrap();
    let (_, lints) = manifest.split_once("\n[lints.rust]").unwrap();
    let temp = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| fs::write(temp.path().join(path), text).unwrap();
    write(
        "Cargo.toml",
        &format!(
            "[package]\nname = \"planted\"\nedition = \"2024\"\n\n[workspace]\n\n[lints.rust]{lints}"
        ),
    );
    fs::copy(home.join("clippy.toml"), temp.path().join("clippy.toml")).unwrap();
    fs::create_dir(temp.path().join("src")).unwrap();
    let clippy = || {
        let mut command = Command::new("cargo");
        command.args(["clippy", "--quiet", "--offline", "--", "-A", "missing-docs"]);
        command.current_dir(temp.path());
        command.env("CARGO_TARGET_DIR", temp.path().join("target"));
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), said)
    };
    write("src/main.rs", "//! Planted.\nfn main() {}\n");
    let (passes, said) = clippy();
    assert!(passes, "clippy is there and the copy is sound: {said}");
    write(
        "src/main.rs",
        "//! Planted.\nfn main() {\n    run();\n}\n\nfn run() {\n    std::process::exit(3);\n}\n",
    );
    let (passes, said) = clippy();
    assert!(!passes && said.contains("exit"), "{said}");
}

#[test]
fn a_new_code_is_found() {
    let found = planted(|facts| {
        let verify = facts.types.iter_mut().find(|(name, _)| *name == "verify");
        verify.unwrap().1.push(99);
    });
    assert_eq!(
        found,
        "verify: its type gives [0, 1, 2, 70, 99], which is not its table"
    );
}

#[test]
fn an_unmapped_panic_is_found() {
    let found = planted(|facts| {
        let panics = |seen: &&mut Seen| seen.command == "meter" && seen.code == 70;
        facts.seen.iter_mut().find(panics).unwrap().code = 101;
    });
    assert_eq!(
        found,
        "meter: seen saw 101, which is not listed\nmeter 70: seen did not see it"
    );
}

#[test]
fn a_row_without_a_sound_test_is_found() {
    let row = |test: &'static [&str]| {
        planted(move |facts| {
            *proof(&mut facts.table, "verify", "1") = test.iter().map(|&t| t.to_owned()).collect();
        })
    };
    assert_eq!(row(&[]), "verify 1: no test is named");
    assert_eq!(row(&["gone"]), "verify 1: there is no test gone");
    assert_eq!(row(&["blind"]), "verify 1: blind did not see it");
    assert_eq!(
        row(&["seen", "real"]),
        "verify 1: real is ignored: a row is proven without real parts"
    );
    let failed = planted(|facts| {
        facts.suite.passed.remove("blind");
        saw(facts, "verify", 1);
        *proof(&mut facts.table, "verify", "1") = vec!["blind".to_owned()];
    });
    assert_eq!(failed, "verify 1: blind did not pass");
    let failed = planted(|facts| facts.suite.failed.extend(names(&["other"])));
    assert_eq!(failed, "other failed");
}

#[test]
fn one_value_does_not_prove_a_row_of_many() {
    let found = planted(|facts| facts.seen.retain(|seen| seen.code != 200));
    for command in ["desk", "desk-run", "desk-read"] {
        let line = format!("{command} other: 2 values have to be seen");
        assert!(found.contains(&line), "{found}");
    }
    let found = planted(|facts| facts.seen.retain(|seen| seen.code != 130));
    assert!(
        found.contains("meter 128+n: 2 values have to be seen"),
        "{found}"
    );
}

#[test]
fn an_edited_table_is_found() {
    let found = planted(|facts| facts.documents[0].text.push('x'));
    assert_eq!(
        found,
        "exit-codes: its exit codes differ from assets/exit-codes.json"
    );
}

#[test]
fn a_command_without_a_table_and_a_table_without_a_command_are_found() {
    let found = planted(|facts| {
        facts.commands.insert("desk-more".to_owned());
        facts.commands.remove("try");
    });
    assert_eq!(
        found,
        "desk-more: it has no table\ntry: a table of no command"
    );
}

#[test]
fn tests_are_filled_in_only_where_the_row_is_not_proven() {
    let mut facts = sound();
    proof(&mut facts.table, "verify", "0").clear();
    *proof(&mut facts.table, "verify", "1") = vec!["real".to_owned()];
    let mut found = filled(&facts);
    assert_eq!(proof(&mut found, "verify", "0"), &["seen"]);
    assert_eq!(proof(&mut found, "verify", "1"), &["seen"]);
    facts.suite.passed.clear();
    let mut found = filled(&facts);
    assert!(proof(&mut found, "verify", "1").is_empty());
}
