//! The real Claude Code with what `install --user` and `install --local` write: the agent is
//! registered, the model gets the brief and desk commands run unasked, the guard refuses the third
//! identical failure.

use serde_json::json;

use crate::claude::api::{Api, Asked};
use crate::claude::project::{knocks, project};
use crate::claude::scenario::{MAIN, Scenario, bash, call, delegate, say};
use crate::claude::session::{self, Env, Version};
use crate::real_claude::results;

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn in_the_users_own_folder() {
    works("--user", None);
}

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn for_this_machine_only() {
    let brief = ".claude/lean-computer-use/briefs/desk-brief.md";
    works("--local", Some(brief));
}

/// `brief` is where in the project the skill sends the model for it; none when the skill holds it.
fn works(scope: &str, brief: Option<&str>) {
    for version in [Version::New, Version::Old] {
        let ctx = project();
        ctx.run(&["install", scope, "--allow"]).observe().expect(0);
        let binary = ctx.bin.join("lean-computer-use");
        let words = "desk-read --simulated simulated-calculator";
        let read = format!("{} {words}", binary.display());
        let knocks_thrice = std::iter::repeat_n(bash("./knock"), 3);
        let skill = call("Skill", &json!({"skill": "desk-task"}));
        let look = |path| call("Read", &json!({"file_path": ctx.project.join(path)}));
        let main = knocks_thrice
            .chain([skill])
            .chain(brief.map(look))
            .chain([delegate("desk-runner", "runner"), say("Done.")]);
        let runner = [bash(&read), say("Cleanup: done.")];
        let scenario = Scenario::default().main(main).script("runner", runner);
        let api = Api::start(scenario);
        session::run_version(version, &ctx, Env::new(), &api, &["Open the door."]);

        assert_eq!(knocks(&ctx), 2);
        let tries = results(&api, MAIN);
        assert!(tries[2].1.contains("retry guard: not run. "), "{tries:#?}");
        let offer = api.asked(MAIN)[0].body.to_string();
        assert!(offer.contains("- desk-runner: "), "{offer}");
        let told: String = api.asked(MAIN).iter().map(Asked::news).collect();
        let told = told + &tries.iter().map(|(_, said)| &**said).collect::<String>();
        assert!(told.contains("- **Done signal:**"), "no brief: {told}");
        let told = api.asked("runner")[0].body["system"].to_string();
        assert!(told.contains(binary.to_str().unwrap()), "{told}");
        let read = results(&api, "runner");
        assert!(!read[0].0, "it ran unasked: {read:#?}");
    }
}
