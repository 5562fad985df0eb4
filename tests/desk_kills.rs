//! A desk command that is killed at any system call which changes the disk: the next one finds
//! nothing that it refuses, and cleaning up leaves nothing of the run.

use std::fs;

use crate::context::TestContext;
use crate::install::crash::{CALLS, killed};

const CALC: &str = "simulated-calculator";

fn run(ctx: &TestContext, words: &[&str], code: i32) {
    let fixed = ["--simulated", "--state", "state"];
    ctx.run(&[words, &fixed].concat()).observe().expect(code);
}

#[test]
#[ignore = "needs strace: .ci/run"]
fn a_state_folder_is_claimed_at_once_or_not_at_all() {
    let mut kills = 0;
    for call in CALLS {
        for nth in 1.. {
            let ctx = TestContext::new();
            // One that is new, and one that was made before and is empty.
            if nth % 2 == 0 {
                fs::create_dir(ctx.project.join("state")).unwrap();
            }
            let words = [
                "desk-run",
                CALC,
                "click clear",
                "--simulated",
                "--state",
                "state",
            ];
            if !killed(&ctx, &words, call, nth) {
                break;
            }
            kills += 1;
            run(&ctx, &["desk-run", CALC, "click clear"], 0);
            run(&ctx, &["desk-clean", CALC], 0);
            let left = crate::context::tree(&ctx.project.join("state"));
            let run_folder = |name: &&String| name.len() == 6;
            let names: Vec<_> = left.keys().filter(run_folder).collect();
            assert!(names.is_empty(), "killed at {call} {nth}: {names:?}");
        }
    }
    assert!(kills > 15, "only {kills} kills");
}
