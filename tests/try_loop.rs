//! `try`: the README's first command.

use std::fs;

use crate::context::{TestContext, listing};
use crate::snapshot;

#[test]
fn the_whole_loop_leaves_nothing_behind() {
    let ctx = TestContext::new();
    let before = listing(ctx.root());
    let seen = ctx.run(&["try"]).observe().expect(0);
    let text = without_random_part(&seen.stdout);
    // The guard's answer counts down on the real clock.
    let (before_it, after_it) = text.split_once("a new user prompt or ").unwrap();
    let (_, after_it) = after_it.split_once(" from now").unwrap();
    let text = format!("{before_it}a new user prompt or [TIME] from now{after_it}");
    snapshot!(ctx, text, @r#"
    the whole loop, in a scratch project: [ROOT]/lean-computer-use-try-[RANDOM]/project

    install       ok      installed lean-computer-use [VERSION] in [ROOT]/lean-computer-use-try-[RANDOM]/project
                            14 files written below .claude
                            entries merged into .claude/settings.json
                            the desk commands are allowed in permissions.allow
                          next: start claude in [ROOT]/lean-computer-use-try-[RANDOM]/project; hooks and agent start with the next session
    verify        ok      ok: all 29 things in [ROOT]/lean-computer-use-try-[RANDOM]/project are as shipped
    retry guard   ok      the same failure twice; the third try was refused:
                          retry guard: not run. This exact call failed 2 times with the same error (exit 2), last 0 s ago: "make test". Allowed instead: a changed call, or this one after a file edit, a new user prompt or [TIME] from now. Otherwise stop and report the failure.
    desk packet   ok      a calculator built into this program, not a real app:
                          desk-run: done 7 steps (6 unverified), "84", simulated, .claude/lean-computer-use/local/evidence/try.json
                          desk-clean: app none, 4 files removed, session ended, driver none, simulated
    meter         ok      6 lines that repeat themselves: 2 messages, 15 in, 61 out, 3000 read from the cache
    token meter   ok      the Stop hook added a row for "claude-opus-4-8"
    uninstall     ok      removed lean-computer-use from [ROOT]/lean-computer-use-try-[RANDOM]/project: 14 files
                            our entries are out of .claude/settings.json

    the project is as it was: 4 entries, byte for byte
    "#);
    assert_eq!(seen.stderr, "");
    assert_eq!(listing(ctx.root()), before);
}

#[test]
fn the_scratch_project_can_be_kept() {
    let ctx = TestContext::new();
    let folder = ctx.root().join("kept");
    let words = ["try", "--keep", folder.to_str().unwrap()];
    let seen = ctx.run(&words).observe().expect(0);
    assert!(seen.stdout.contains("\nkept: "), "{seen}");
    assert!(folder.join("project/notes.txt").exists());

    let seen = ctx.run(&words).observe().expect(2);
    assert!(
        seen.stderr.contains("it is not empty; name a new folder"),
        "{seen}"
    );
}

#[test]
fn a_step_that_fails_is_named_and_the_rest_goes_on() {
    let ctx = TestContext::new();
    // No shell on PATH: what starts launchers cannot.
    let seen = ctx.run(&["try"]).env("PATH", &ctx.bin).observe().expect(1);
    let failed: Vec<_> = seen
        .stdout
        .lines()
        .filter(|line| line.contains("FAILED"))
        .collect();
    let names: Vec<_> = failed.iter().map(|line| line[..12].trim_end()).collect();
    assert_eq!(
        names,
        ["retry guard", "desk packet", "token meter"],
        "{seen}"
    );
    assert!(seen.stdout.contains("3 step(s) failed\n"), "{seen}");
    assert!(seen.stdout.ends_with("byte for byte\n"), "{seen}");
    assert_eq!(fs::read_dir(ctx.root()).unwrap().count(), 2);
}

/// The scratch folder's name ends in random characters.
fn without_random_part(text: &str) -> String {
    let name = "lean-computer-use-try-";
    let mut parts = text.split(name);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(name);
        out.push_str("[RANDOM]");
        out.push_str(part.find('/').map_or("", |at| &part[at..]));
    }
    out
}
