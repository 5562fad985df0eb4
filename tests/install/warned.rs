//! What an install warns of, in one line and only when it is true.

use std::fs;
use std::process::Command;

use super::SETTINGS;
use crate::context::TestContext;
use crate::observe::{Observed, Run};

const OLD: &str =
    "warning: Claude Code 2.1.9 is older than 2.1.197, the oldest that was tried: claude update";

#[test]
fn of_a_claude_code_that_is_too_old() {
    let ctx = TestContext::new();
    assert_eq!(warnings(&ctx.install(0)), [""; 0]);
    for (said, warns) in [
        ("2.1.9 (Claude Code)", true),
        ("2.1.332 (Claude Code)", false),
        ("no version", false),
    ] {
        ctx.program("claude", &format!("#!/bin/sh\necho '{said}'\n"));
        ctx.uninstall(0);
        let seen = ctx.install(0);
        let want = if warns { vec![OLD] } else { vec![] };
        assert_eq!(warnings(&seen), want);
    }
    for broken in ["exit 1", "kill -9 $$"] {
        ctx.program("claude", &format!("#!/bin/sh\necho 2.1.9\n{broken}\n"));
        ctx.uninstall(0);
        assert_eq!(warnings(&ctx.install(0)), [""; 0], "{broken}");
    }
}

/// What an install warned of, besides where the binary of a test lies.
fn warnings(seen: &Observed) -> Vec<&str> {
    let lines = seen.stderr.lines();
    lines
        .filter(|line| !line.contains("lies in a build or temp folder"))
        .collect()
}

/// As its own installer lays it out: nothing has to be started to know, so every run says it.
#[test]
fn of_one_whose_path_tells_it_without_starting_it() {
    let ctx = TestContext::new();
    let versions = ctx.home.join(".local/share/claude/versions");
    fs::create_dir_all(&versions).unwrap();
    let started = ctx.root().join("started");
    let program = ctx.program("claude", &format!("#!/bin/sh\n>'{}'\n", started.display()));
    fs::rename(&program, versions.join("2.1.9")).unwrap();
    std::os::unix::fs::symlink(versions.join("2.1.9"), program).unwrap();
    for words in [&["install", "--dry-run"][..], &["install"], &["install"]] {
        let seen = ctx.run(words).observe().expect(0);
        assert_eq!(warnings(&seen), [OLD]);
    }
    let json = ctx.run(&["install", "--json"]).observe().json();
    assert_eq!(
        format!("warning: {}", json["warnings"][1].as_str().unwrap()),
        OLD
    );
    assert!(!started.exists());
}

/// In a project, in a folder of it, and with each form of git's index.
#[test]
#[ignore = "needs git: .ci/run"]
fn of_a_folder_that_belongs_to_one_machine_and_is_committed() {
    for version in ["2", "3", "4", "split"] {
        for below in ["", "below/"] {
            let ctx = TestContext::new();
            fs::remove_dir(ctx.project.join(".git")).unwrap();
            let git = |words: &[&str]| {
                let mut git = Command::new("git");
                git.args(words);
                let seen = Run::new(git, "git").world(&ctx).unrecorded();
                assert_eq!(seen.code, 0, "needs git: {seen}");
            };
            git(&["init", "-q"]);
            ctx.write(&format!("{below}{SETTINGS}"), "{}\n");
            ctx.write("0", "");
            let folder = ctx.project.join(below);
            let run = |words: &[&str]| ctx.run(words).dir(&folder).observe();
            assert_eq!(warnings(&run(&["install"]).expect(0)), [""; 0]);
            git(&["add", "."]);
            assert_eq!(
                warnings(&run(&["install"]).expect(0)),
                [""; 0],
                "it is ignored"
            );
            let tracked = format!("{below}.claude/lean-computer-use/local/binary");
            git(&["add", "-f", &tracked]);
            if version == "split" {
                git(&["update-index", "--split-index"]);
            } else {
                git(&["update-index", "--index-version", version]);
            }
            let said = "git tracks \".claude/lean-computer-use/local\", which belongs to one machine: git rm -r --cached \".claude/lean-computer-use/local\"";
            let seen = run(&["install"]).expect(0);
            assert_eq!(warnings(&seen), [format!("warning: {said}")], "{version}");
            let seen = run(&["status"]).expect(0);
            assert!(seen.stdout.contains(said), "{version}: {seen}");
            let seen = run(&["doctor"]);
            assert!(
                seen.stdout.contains("FAIL project: git: git tracks"),
                "{version}: {seen}"
            );
        }
    }
}
