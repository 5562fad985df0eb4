//! A run that is killed at any system call that changes or syncs the disk: the next run completes
//! or undoes it, and settings.json is whole at every moment.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{AGENT, SETTINGS};
use crate::context::{TestContext, binary_path, tree};
use crate::observe::Run;

/// The calls that change what is on disk, and the one that makes it last. A file is created by
/// `openat`, after which the next of these finds it.
pub const CALLS: [&str; 10] = [
    "write", "fsync", "rename", "renameat", "mkdir", "rmdir", "unlink", "unlinkat", "fchmod",
    "fchown",
];

/// The user's settings: bytes of all kinds.
const MINE: &str = "{\r\n\t\"a\" : 1.0,\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [ ]\r\n\t}\r\n}";

/// One run that is killed, over and over, each time one call later.
struct Story {
    /// Makes the project that the run starts from.
    given: fn(&TestContext),
    /// The run.
    words: &'static [&'static str],
    /// What an uninstall gives back in the end.
    before: fn(&TestContext),
}

#[test]
#[ignore = "needs strace: .ci/run"]
fn a_first_install() {
    let given = |ctx: &TestContext| {
        ctx.write(SETTINGS, MINE);
    };
    every_kill(&Story {
        given,
        words: &["install", "--allow"],
        before: given,
    });
}

#[test]
#[ignore = "needs strace: .ci/run"]
fn a_first_install_into_nothing() {
    let nothing = |_: &TestContext| {};
    every_kill(&Story {
        given: nothing,
        words: &["install"],
        before: nothing,
    });
}

#[test]
#[ignore = "needs strace: .ci/run"]
fn an_install_over_a_file_of_somebody_else() {
    let given = |ctx: &TestContext| {
        ctx.write(AGENT, "theirs");
        ctx.write(".claude/lean-computer-use/config.toml", "mine");
    };
    every_kill(&Story {
        given,
        words: &["install", "--force"],
        before: given,
    });
}

#[test]
#[ignore = "needs strace: .ci/run"]
fn an_upgrade() {
    every_kill(&Story {
        given: super::upgrade::released,
        words: &["install"],
        before: super::upgrade::before_release,
    });
}

#[test]
#[ignore = "needs strace: .ci/run"]
fn a_move_to_another_settings_file() {
    every_kill(&Story {
        given: |ctx| {
            ctx.write(SETTINGS, MINE);
            ctx.install(0);
        },
        words: &["install", "--local"],
        before: |ctx| {
            ctx.write(SETTINGS, MINE);
        },
    });
}

#[test]
#[ignore = "needs strace: .ci/run"]
fn an_uninstall() {
    every_kill(&Story {
        given: |ctx| {
            ctx.write(SETTINGS, MINE);
            ctx.write(AGENT, "theirs");
            ctx.run(&["install", "--force"]).observe().expect(0);
        },
        words: &["uninstall"],
        before: |ctx| {
            ctx.write(SETTINGS, MINE);
            ctx.write(AGENT, "theirs");
        },
    });
}

#[test]
#[ignore = "needs strace: .ci/run"]
fn an_uninstall_of_everything() {
    every_kill(&Story {
        given: |ctx| drop(ctx.install(0)),
        words: &["uninstall"],
        before: |_| {},
    });
}

#[test]
#[ignore = "needs strace: .ci/run"]
fn an_uninstall_around_a_folder_that_was_there_before() {
    let evidence = |ctx: &TestContext| {
        ctx.write(".claude/lean-computer-use/local/evidence/a", "mine");
    };
    every_kill(&Story {
        given: |ctx| {
            ctx.write(".claude/lean-computer-use/local/evidence/a", "mine");
            ctx.install(0);
        },
        words: &["uninstall"],
        before: evidence,
    });
}

#[test]
#[ignore = "needs strace: .ci/run"]
fn an_uninstall_in_a_clone() {
    every_kill(&Story {
        given: |ctx| {
            ctx.install(0);
            let local = ctx.project.join(".claude/lean-computer-use/local");
            fs::remove_dir_all(local).unwrap();
        },
        words: &["uninstall"],
        before: |_| {},
    });
}

fn every_kill(story: &Story) {
    let ctx = TestContext::new();
    (story.before)(&ctx);
    let before = ctx.tree();
    let force = story.words.contains(&"--force") || before.contains_key(AGENT);
    let mut kills = 0;
    for call in CALLS {
        for nth in 1.. {
            let ctx = TestContext::new();
            (story.given)(&ctx);
            if !killed(&ctx, story.words, call, nth) {
                break;
            }
            kills += 1;
            let at = format!("{:?} killed at {call} {nth}", story.words);
            whole(&ctx, &before, &at);
            let copy = ctx.home.join("copy");
            copy_tree(&ctx.project, &copy);
            let seen = ctx.run(&["uninstall"]).observe();
            assert_eq!(seen.code, 0, "{at}: {seen}");
            assert_eq!(ctx.tree(), before, "{at}, then uninstall");
            goes_on(&ctx, &copy, force, &at);
            assert_eq!(tree(&copy), before, "{at}, then install and uninstall");
        }
    }
    assert!(kills > 30, "only {kills} kills");
}

/// Whether the run was killed at the nth call of this kind; else it ended before.
pub fn killed(ctx: &TestContext, words: &[&str], call: &str, nth: u32) -> bool {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null"]);
    command.args(["-e", &format!("trace={call}"), "-e"]);
    command.arg(format!("inject={call}:signal=KILL:when={nth}"));
    command.arg(binary_path()).args(words);
    let seen = Run::new(command, "killed").world(ctx).unrecorded();
    assert!(
        [0, 137].contains(&seen.code),
        "strace is missing or may not trace: {seen}"
    );
    seen.code == 137
}

/// settings.json parses, and every byte of the user's is in it.
fn whole(ctx: &TestContext, before: &std::collections::BTreeMap<String, String>, at: &str) {
    let Ok(text) = fs::read_to_string(ctx.project.join(SETTINGS)) else {
        assert!(
            !before.contains_key(SETTINGS),
            "{at}: settings.json is gone"
        );
        return;
    };
    let json: Result<serde_json::Value, _> = serde_json::from_str(&text);
    assert!(json.is_ok(), "{at}: {text}");
    if before
        .get(SETTINGS)
        .is_some_and(|what| what.contains("1.0"))
    {
        let mut rest = text.bytes();
        let kept = MINE.bytes().all(|byte| rest.any(|other| other == byte));
        assert!(kept, "{at}: {text}");
    }
}

/// The next install completes: nothing differs then, and an uninstall gives everything back.
fn goes_on(ctx: &TestContext, project: &Path, force: bool, at: &str) {
    let mut install = vec!["install"];
    install.extend(force.then_some("--force"));
    for (words, code) in [(&install[..], 0), (&["verify"], 0), (&["uninstall"], 0)] {
        let seen = ctx.run(words).dir(project).observe();
        assert_eq!(seen.code, code, "{at}, then {words:?}: {seen}");
    }
}

fn copy_tree(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.unwrap();
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(target).unwrap();
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
