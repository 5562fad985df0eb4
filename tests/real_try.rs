//! `try --real`: the whole loop with the real driver and a real calculator.

use crate::context::TestContext;
use crate::desktop::{Desktop, processes};

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn the_whole_loop_on_a_real_calculator() {
    let ctx = TestContext::new();
    let desktop = Desktop::start(&ctx);
    let seen = desktop.run(ctx.run(&["try", "--real"])).observe().expect(0);
    assert!(
        seen.stdout.contains("mate-calc through cua-driver:"),
        "{seen}"
    );
    assert!(
        seen.stdout
            .contains("desk-run: done 7 steps (6 unverified), \"84\", "),
        "{seen}"
    );
    assert!(seen.stdout.ends_with("byte for byte\n"), "{seen}");
    let left = processes(&ctx);
    assert!(left.iter().all(|(_, name)| name != "mate-calc"), "{left:?}");
}
