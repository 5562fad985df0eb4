//! Stories of runs that meet on the real thing: at the same time, on one app, on one driver.

use crate::context::TestContext;
use crate::desktop::Desktop;
use crate::observe::Run;
use crate::real_desk_apps::{packet, running};

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn a_driver_that_was_started_for_us_is_stopped_by_the_last() {
    let ctx = TestContext::new();
    let desktop = Desktop::start(&ctx);
    desktop.ask(&["stop"]).unwrap();
    let as_session = |words: &[&str], session: &str| -> Run {
        desktop
            .run(ctx.run(words))
            .env("CLAUDE_CODE_SESSION_ID", session)
    };
    for session in ["a", "b"] {
        let read = ["desk-run", "mate-calc", "click clear"];
        as_session(&read, session).observe().expect(0);
    }
    let clean = ["desk-clean", "mate-calc"];
    let seen = as_session(&clean, "a").observe().expect(0);
    assert!(
        seen.stdout.ends_with("session ended, driver left\n"),
        "{seen}"
    );
    assert!(desktop.ask(&["status"]).is_some());
    let seen = as_session(&clean, "b").observe().expect(0);
    assert!(
        seen.stdout.ends_with("session ended, driver ended\n"),
        "{seen}"
    );
    assert_eq!(desktop.ask(&["status"]), None);
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn two_runs_at_once_do_not_meet() {
    let ctx = TestContext::new();
    let desktop = Desktop::start(&ctx);
    let one = ["desk-run", "mate-calc"];
    packet(&desktop, &ctx, &one, "click clear").expect(0);
    let sums = [("2×3=", "6"), ("9×9=", "81")];
    let started: Vec<_> = sums
        .iter()
        .enumerate()
        .map(|(at, (keys, sum))| {
            let steps = format!("click clear\nkeys \"{keys}\"\nexpect \"edit bar\": = {sum}");
            let run = desktop
                .run(ctx.run(&one))
                .env("CLAUDE_CODE_SESSION_ID", at.to_string());
            run.stdin(steps).start()
        })
        .collect();
    for run in started {
        run.observe().expect(0);
    }
    assert_eq!(running(&ctx, "mate-calc").len(), 1);
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn names_of_one_app_at_once_start_one_copy_and_take_turns() {
    let ctx = TestContext::new();
    let desktop = Desktop::start(&ctx);
    let names = ["mate-calc", "MATE Calculator"];
    for sums in [
        [("2×3=", "6"), ("9×9=", "81")],
        [("4×4=", "16"), ("8×8=", "64")],
    ] {
        let started = names.iter().zip(sums).map(|(name, (keys, sum))| {
            let steps = format!("click clear\nkeys \"{keys}\"\nexpect \"edit bar\": = {sum}");
            let run = desktop.run(ctx.run(&["desk-run", name]));
            run.stdin(steps).start()
        });
        let started: Vec<_> = started.collect();
        for run in started {
            run.observe().expect(0);
        }
        assert_eq!(running(&ctx, "mate-calc").len(), 1);
    }
    // Whoever launched it, it is one app.
    for name in names {
        let running = ["desk-running", name];
        let seen = desktop.run(ctx.run(&running)).observe().expect(0);
        assert_eq!(seen.stdout, "true\n");
    }
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn an_app_is_quit_by_another_of_its_names() {
    let ctx = TestContext::new();
    let desktop = Desktop::start(&ctx);
    let launch = ["desk-run", "MATE Calculator"];
    packet(&desktop, &ctx, &launch, "click clear").expect(0);
    // Neither by another session nor for another app.
    for (name, session) in [("mate-calc", "other"), ("mousepad", "default")] {
        let clean = ["desk-clean", name, "--launched-by-run"];
        let run = desktop.run(ctx.run(&clean));
        let seen = run.env("CLAUDE_CODE_SESSION_ID", session).observe();
        let seen = seen.expect(0);
        assert!(seen.stdout.starts_with("desk-clean: app none, "), "{seen}");
        assert_eq!(running(&ctx, "mate-calc").len(), 1);
    }
    let clean = ["desk-clean", "mate-calc", "--launched-by-run"];
    let seen = desktop.run(ctx.run(&clean)).observe().expect(0);
    assert!(seen.stdout.starts_with("desk-clean: app ended, "), "{seen}");
    assert_eq!(running(&ctx, "mate-calc").len(), 0);
}
