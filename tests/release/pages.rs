//! `man` and `completions`, and the files in `man/` and `completions/` that go into the archives:
//! they are committed, because a binary built for another machine cannot write them.

use std::fs;
use std::path::Path;

use lean_computer_use::exit;

use super::repository;
use crate::context::{TestContext, tree};

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

/// Says what renders them again, instead of two long texts.
fn same(written: &Path, folder: &str) {
    let stale = differing(written, &repository(folder));
    assert!(
        stale.is_empty(),
        "run scripts/render: {folder}/ differs in {stale:?}"
    );
}

/// Names in either folder whose texts are not the same in both.
fn differing(one: &Path, other: &Path) -> Vec<String> {
    let texts = |folder: &Path| {
        let texts = tree(folder).into_iter();
        let kind = |what: String| {
            what.split_once(' ')
                .map(|(_mode, kind)| kind.replace("\\r", ""))
        };
        texts
            .map(|(name, what)| (name, kind(what)))
            .collect::<Vec<_>>()
    };
    let (one, other) = (texts(one), texts(other));
    let lone = |these: &[(String, Option<String>)], those: &[(String, Option<String>)]| {
        let lone = these.iter().filter(|entry| !those.contains(entry));
        lone.map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    let mut names = [lone(&one, &other), lone(&other, &one)].concat();
    names.sort();
    names.dedup();
    names
}

#[test]
fn pages_are_as_committed() {
    let ctx = TestContext::new();
    let seen = ctx.run(&["man", "--out", "man"]).observe().expect(0);
    assert!(seen.stdout.contains("man/lean-computer-use.1\n"), "{seen}");
    same(&ctx.project.join("man"), "man");
}

#[test]
fn completions_are_as_committed() {
    let ctx = TestContext::new();
    for shell in SHELLS {
        let words = ["completions", shell, "--out", "made/completions"];
        ctx.run(&words).observe().expect(0);
        let printed = ctx.run(&["completions", shell]).observe().expect(0).stdout;
        assert!(printed.contains("desk-running"), "{shell}");
        assert!(
            !printed.contains("internal-error"),
            "{shell}: a hidden flag"
        );
    }
    same(&ctx.project.join("made/completions"), "completions");
}

/// Every command has a page with its codes in it, as the table has them.
#[test]
fn a_page_holds_its_exit_codes() {
    let ctx = TestContext::new();
    for command in exit::table().commands {
        if command.name.starts_with("hook ") {
            continue;
        }
        let words = match &*command.name {
            "lean-computer-use" => vec!["man"],
            name => vec!["man", name],
        };
        let page = ctx.run(&words).observe().expect(0).stdout;
        let (_, codes) = page.split_once(".SH \"EXIT STATUS\"\n").unwrap();
        for row in &command.exits {
            let line = format!(".TP\n\\fB{}\\fR\n{}\n", row.label(), roff(&row.meaning));
            assert!(codes.contains(&line), "{}: {line}\n{codes}", command.name);
        }
    }
}

/// A meaning as roff spells it.
fn roff(text: &str) -> String {
    text.replace('-', "\\-").replace('\'', "\\*(Aq")
}

#[test]
fn what_cannot_be_written_or_found_is_named() {
    let ctx = TestContext::new();
    let seen = ctx.run(&["man", "nope"]).observe().expect(2);
    assert!(
        seen.stderr.contains("no command is called \"nope\""),
        "{seen}"
    );
    ctx.run(&["completions", "nosuchshell"]).observe().expect(2);
    fs::write(ctx.project.join("file"), "").unwrap();
    for words in [
        &["man", "--out", "file"][..],
        &["completions", "bash", "--out", "file"],
    ] {
        let seen = ctx.run(words).observe().expect(2);
        assert!(seen.stderr.contains("file"), "{seen}");
    }
}
