//! What permission bits do not tell and only a write meets: refused before the first write where it
//! can be known, and else said and gone on with by the next run.

use std::process::Command;

use super::{AGENT, SETTINGS, names};
use crate::context::TestContext;
use crate::observe::{Observed, Run};

/// A run behind shell lines that set a trap, in a mount namespace of its own.
fn behind(ctx: &TestContext, trap: &str, words: &str) -> Observed {
    let line = format!("{trap} || exit 9\nexec lean-computer-use {words}");
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "sh", "-c", &line]);
    let name = words.split(' ').next().unwrap();
    let seen = Run::new(unshare, name).world(ctx).observe();
    assert!(seen.code != 9, "needs root, unshare and chattr: {seen}");
    seen
}

fn shell(ctx: &TestContext, line: &str) {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]);
    let seen = Run::new(shell, "sh").world(ctx).unrecorded();
    assert_eq!(seen.code, 0, "{line}: {seen}");
}

#[test]
#[ignore = "needs root, unshare and chattr: .ci/run"]
fn what_can_be_known_is_refused_before_the_first_write() {
    let flagged = "is immutable or append-only; chattr -ia frees it";
    for (trap, after, want) in [
        (
            "chattr +i .claude/settings.json",
            "chattr -i .claude/settings.json",
            flagged,
        ),
        ("chattr +a .claude", "chattr -a .claude", flagged),
        ("chattr +i .claude", "chattr -i .claude", flagged),
        (
            "chattr +a .claude/agents",
            "chattr -a .claude/agents",
            flagged,
        ),
        (
            "mount --bind ../mine .claude/settings.json",
            "true",
            "is a mount of its own; install where it comes from",
        ),
        (
            "mount --bind .claude/agents .claude/agents && mount -o remount,bind,ro .claude/agents",
            "true",
            "make it writable",
        ),
        (
            "mount -t tmpfs -o size=96k none .claude/agents
             head -c 60000 /dev/zero >.claude/agents/x",
            "true",
            "its disk has 36 KiB left, and",
        ),
    ] {
        let ctx = TestContext::new();
        ctx.write(SETTINGS, "{}");
        ctx.write("../mine", "{}");
        std::fs::create_dir_all(ctx.project.join(".claude/agents")).unwrap();
        let before = ctx.tree();
        let seen = behind(&ctx, trap, "install");
        shell(&ctx, after);
        assert_eq!(seen.code, 2, "{trap}: {seen}");
        assert!(seen.stderr.contains(want), "{trap}: {seen}");
        assert_eq!(ctx.tree(), before, "{trap}");
        ctx.install(0);
        ctx.uninstall(0);
        assert_eq!(ctx.tree(), before, "{trap}");
    }
}

#[test]
#[ignore = "needs root, unshare and chattr: .ci/run"]
fn an_uninstall_is_refused_as_a_whole_too() {
    let ctx = TestContext::installed();
    let before = ctx.tree();
    for (path, flag) in [
        (AGENT, "i"),
        (SETTINGS, "i"),
        (".claude/skills/desk-task", "a"),
    ] {
        let trap = format!("chattr +{flag} {path}");
        let seen = behind(&ctx, &trap, "uninstall");
        shell(&ctx, &format!("chattr -{flag} {path}"));
        assert_eq!(seen.code, 2, "{seen}");
        assert_eq!(ctx.tree(), before, "{path}");
    }
    ctx.uninstall(0);
    assert_eq!(names(&ctx.project), ".git/\n");
}

/// A disk that has room and no names left: nobody can ask for that before.
#[test]
#[ignore = "needs root, unshare and chattr: .ci/run"]
fn what_stops_half_way_says_so_and_the_next_run_goes_on() {
    for (next, want) in [
        (
            "install",
            "completed what an earlier run had left half done",
        ),
        ("uninstall", "removed lean-computer-use"),
    ] {
        let ctx = TestContext::new();
        std::fs::create_dir(ctx.project.join(".claude")).unwrap();
        let trap = format!(
            "mount -t tmpfs -o size=4m,nr_inodes=16 none .claude
             lean-computer-use install 2>first && exit 8
             grep -q 'stopped half way: run install again, which goes on from there, or uninstall' \
                first || exit 7
             mount -o remount,nr_inodes=999 .claude
             lean-computer-use {next} >second 2>&1 || exit 6
             grep -q '{want}' second || exit 5
             lean-computer-use uninstall >/dev/null; test -z \"$(ls -A .claude)\""
        );
        assert_eq!(behind(&ctx, &trap, "status").code, 0, "{next}");
    }
}
