//! `verify --proof`: every exit code seen again through what is installed, and what is wrong there
//! named.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::context::{TestContext, copy_program, tree};

fn installed() -> TestContext {
    let ctx = TestContext::new();
    ctx.run(&["install"]).observe().expect(0);
    ctx
}

/// The rows that were not seen as listed: `desk-run 4`, and what was said.
fn wrong(proof: &Value) -> Vec<(String, String)> {
    let rows = proof["rows"].as_array().unwrap().iter();
    let text = |row: &Value, field: &str| row[field].as_str().unwrap_or_default().to_owned();
    rows.filter(|row| row["ok"] == false)
        .map(|row| {
            let place = format!("{} {}", text(row, "command"), text(row, "code"));
            (place, text(row, "why"))
        })
        .collect()
}

#[test]
fn every_row_is_seen_and_only_the_result_is_left() {
    let ctx = installed();
    let before = tree(ctx.root());
    let seen = ctx.run(&["verify", "--proof"]).observe().expect(0);
    assert!(!seen.stdout.contains("DIFFERS"), "{seen}");
    let rows = lean_computer_use::exit::table();
    let rows: usize = rows.commands.iter().map(|c| c.exits.len()).sum();
    let last = format!("{rows} of {rows} exit codes were seen as listed\n");
    assert!(seen.stdout.ends_with(&last), "{seen}");
    assert!(
        seen.stdout
            .contains("desk-run           128+n  saw 130, 143\n"),
        "{seen}"
    );

    let state = ctx.home.join(".local/state/lean-computer-use");
    let result: Value =
        serde_json::from_slice(&fs::read(state.join("proof.json")).unwrap()).unwrap();
    assert_eq!(result["date"], "2026-11-30T12:00:00Z");
    assert_eq!(result["ok"], true);
    assert_eq!(result["binary"]["sha256"].as_str().unwrap().len(), 64);
    let status = ctx.run(&["status"]).observe().expect(0);
    let line = format!("proof    {rows} of {rows} exit codes seen as listed, just now\n");
    assert!(status.stdout.contains(&line), "{status}");
    // Nothing else, neither in the project nor at home nor in the temp folder.
    fs::remove_dir_all(ctx.home.join(".local")).unwrap();
    assert_eq!(tree(ctx.root()), before);
}

/// As `nohup` and the background of a script start it.
#[test]
#[cfg(unix)]
fn signals_that_its_starter_ignores_are_seen_too() {
    let ctx = installed();
    let line = "trap '' INT TERM HUP; exec lean-computer-use verify --proof";
    let seen = ctx.shell(line, "verify").observe().expect(0);
    assert!(!seen.stdout.contains("DIFFERS"), "{seen}");
}

/// A launcher that needs `env` where there is none, a hook that never reaches the binary, another
/// binary under our name on PATH.
#[test]
fn what_is_wrong_is_named() {
    let ctx = installed();
    let ours = ".claude/lean-computer-use";
    let launcher = format!("{ours}/desk/desk-read");
    let text = ctx.read(&launcher).replace("exec \"$", "exec env \"$");
    ctx.write(&launcher, text);
    ctx.write(&format!("{ours}/hooks/retry-guard"), "exit 0\n");
    let other = ctx.root().join("other");
    fs::create_dir(&other).unwrap();
    copy_program(Path::new("/bin/true"), &other.join("lean-computer-use"));
    let path = format!("{}:/usr/bin:/bin", other.display());

    let run = ctx.run(&["verify", "--proof", "--json"]).env("PATH", path);
    let answer = run.observe().expect(1).json();
    let proof = &answer["proof"];
    assert_eq!(answer["ok"], false);
    let wrong = wrong(proof);
    let (hooks, desk): (Vec<_>, Vec<_>) = wrong
        .iter()
        .partition(|(place, _)| place.starts_with("hook "));
    assert_eq!(
        hooks,
        [&(
            "hook retry-guard 0".to_owned(),
            "the launcher did not reach the binary".to_owned()
        )]
    );
    assert!(!desk.is_empty());
    for (place, why) in desk {
        assert!(place.starts_with("desk-read "), "{place}");
        assert!(why.contains("env: not found"), "{place}: {why}");
    }
    let doubts = proof["doubts"].as_array().unwrap();
    assert_eq!(doubts.len(), 1, "{doubts:?}");
    let doubt = doubts[0].as_str().unwrap();
    assert!(doubt.starts_with("PATH leads to another binary"), "{doubt}");
    let modified = |path: &Path| {
        let findings = answer["findings"].as_array().unwrap();
        findings.iter().any(|finding| {
            finding["path"] == path.to_str().unwrap() && finding["state"] == "modified"
        })
    };
    assert!(modified(Path::new(&launcher)));
}

#[test]
fn without_a_recorded_binary_there_is_nothing_to_prove() {
    let ctx = installed();
    fs::remove_file(ctx.project.join(".claude/lean-computer-use/local/binary")).unwrap();
    let seen = ctx.run(&["verify", "--proof"]).observe().expect(2);
    assert!(seen.stderr.contains("run install again"), "{seen}");
}
