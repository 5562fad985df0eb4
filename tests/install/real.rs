//! The real Claude Code with what `install --user` and `install --local` write: the agent is
//! registered, its desk commands run unasked, the guard refuses the third identical failure.

use crate::claude::api::Api;
use crate::claude::project::{knocks, project};
use crate::claude::scenario::{MAIN, Scenario, bash, delegate, say};
use crate::claude::session::{self, Env};
use crate::real_claude::results;

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn in_the_users_own_folder() {
    works("--user");
}

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn for_this_machine_only() {
    works("--local");
}

fn works(scope: &str) {
    let ctx = project();
    ctx.run(&["install", scope, "--allow"]).observe().expect(0);
    let binary = ctx.bin.join("lean-computer-use");
    let read = format!(
        "{} desk-read --simulated simulated-calculator",
        binary.display()
    );
    let knock = || std::iter::repeat_n(bash("./knock"), 3);
    let main = knock().chain([delegate("desk-runner", "runner"), say("Done.")]);
    let runner = [bash(&read), say("Cleanup: done.")];
    let scenario = Scenario::default().main(main).script("runner", runner);
    let api = Api::start(scenario);
    session::run(&ctx, Env::new(), &api, "Open the door.");

    assert_eq!(knocks(&ctx), 2);
    let tries = results(&api, MAIN);
    assert!(tries[2].1.contains("retry guard: not run. "), "{tries:#?}");
    let offer = api.asked(MAIN)[0].body.to_string();
    assert!(offer.contains("- desk-runner: "), "{offer}");
    let told = api.asked("runner")[0].body["system"].to_string();
    assert!(told.contains(binary.to_str().unwrap()), "{told}");
    let read = results(&api, "runner");
    assert!(!read[0].0, "it ran unasked: {read:#?}");
}
