//! The retry guard in the real Claude Code, in both versions that are described: what it refuses,
//! what starts the count again, and what it must let pass. The model is played (`claude/`).

use serde_json::{Value, json};

use crate::claude::api::{Api, Asked};
use crate::claude::project::{LOCKED, knocks};
use crate::claude::scenario::{MAIN, Scenario, Step, bash, call, delegate, say};
use crate::claude::session::{self, Env, Version};
use crate::context::TestContext;
use crate::real_claude::{HOOK_TROUBLE, installed, results};

const VERSIONS: [Version; 2] = [Version::New, Version::Old];

/// Fails, but goes well each second time; with an argument it fails in another way each time.
const MOOD: &str = "#!/bin/sh\necho x >>moods\nn=$(wc -l <moods)\n\
                    [ $# = 0 ] && [ $((n % 2)) = 0 ] && exit 0\n\
                    echo \"not now${1:+ $n}\" >&2\nexit 3\n";

/// The installed project, in which the model may do a little more.
fn world(settings: &Value) -> TestContext {
    use std::os::unix::fs::PermissionsExt;
    let ctx = installed();
    let mut settings = settings.clone();
    settings["permissions"] = json!({
        "allow": ["Write", "Edit", "Bash(./mood:*)", "Bash(./knock:*)", "Bash(sleep:*)"],
    });
    ctx.write(".claude/settings.local.json", settings.to_string());
    let mood = ctx.write("mood", MOOD);
    std::fs::set_permissions(mood, std::fs::Permissions::from_mode(0o755)).unwrap();
    ctx
}

#[track_caller]
fn play(version: Version, ctx: &TestContext, scenario: Scenario, prompts: &[&str]) -> Api {
    let api = Api::start(scenario);
    let session = session::run_version(version, ctx, Env::new(), &api, prompts);
    for (path, text) in session.transcripts() {
        for mark in HOOK_TROUBLE {
            assert!(!text.contains(mark), "{mark} in {}: {text}", path.display());
        }
    }
    api
}

/// How a call ended: `ok`, `F` failed, `D` refused.
fn ends(version: Version, results: &[(bool, String)]) -> String {
    let end = |(failed, text): &(bool, String)| {
        // What this version puts before a hook's reason.
        let before = match version {
            Version::New => "PreToolUse:Bash hook error: ",
            Version::Old => "",
        };
        let reason = text.strip_prefix(before).unwrap_or_default();
        match failed {
            true if reason.starts_with("retry guard: not run. ") => 'D',
            true => 'F',
            false => '.',
        }
    };
    results.iter().map(end).collect()
}

fn times(command: &str, times: usize) -> Vec<Step> {
    vec![bash(command); times]
}

fn write() -> Step {
    let input = json!({"file_path": "note", "content": "tried twice"});
    call("Write", &input)
}

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn the_third_identical_failure_is_refused_in_both_versions() {
    for version in VERSIONS {
        let ctx = world(&json!({}));
        let mut main = times("./knock", 3);
        main.extend([delegate("desk-runner", "runner"), say("It stays shut.")]);
        let runner = times("./knock", 3);
        let scenario = Scenario::default().main(main).script("runner", runner);
        let api = play(version, &ctx, scenario, &["Open the door."]);
        for script in [MAIN, "runner"] {
            let results = results(&api, script);
            assert_eq!(
                ends(version, &results[..3]),
                "FFD",
                "{version:?} {results:#?}"
            );
            assert_eq!(results[0].1, LOCKED);
            let told: Vec<_> = api.asked(script).iter().map(Asked::news).collect();
            assert!(
                told[2].contains("retry guard: same error twice"),
                "{told:#?}"
            );
        }
        assert_eq!(knocks(&ctx), 4);
    }
}

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn a_success_an_edit_and_a_new_prompt_start_the_count_again() {
    for version in VERSIONS {
        let ctx = world(&json!({}));
        let mut main = times("./mood", 6);
        main.extend(times("./knock", 2));
        main.push(write());
        main.extend(times("./knock", 3));
        main.push(say("It stays shut."));
        main.extend(times("./knock", 3));
        main.push(say("It stays shut."));
        let scenario = Scenario::default().main(main);
        let api = play(version, &ctx, scenario, &["Open the door.", "Once more."]);
        let results = results(&api, MAIN);
        let got = ends(version, &results);
        assert_eq!(got, "F.F.F.FF.FFDFFD", "{version:?} {results:#?}");
        assert_eq!(knocks(&ctx), 6);
    }
}

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn polls_and_other_errors_are_let_pass() {
    for version in VERSIONS {
        let ctx = world(&json!({}));
        let mut main = times("sleep 0.1 && ./knock", 4);
        main.extend(times("./mood aloud", 2));
        main.extend(times("./knock", 1));
        main.push(say("It stays shut."));
        let api = play(
            version,
            &ctx,
            Scenario::default().main(main),
            &["Wait for it."],
        );
        let results = results(&api, MAIN);
        assert_eq!(
            ends(version, &results),
            "FFFFFFF",
            "{version:?} {results:#?}"
        );
        for asked in api.asked(MAIN) {
            assert!(!asked.body.to_string().contains("retry guard"));
        }
    }
}

/// Read-only calls of one message run at once, so their hooks know nothing of each other.
#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn identical_calls_of_one_message_pass_and_the_next_is_refused() {
    for version in VERSIONS {
        let ctx = world(&json!({}));
        let one = bash("cat no-such-file").0.remove(0);
        let main = [
            Step(vec![one; 3]),
            bash("cat no-such-file"),
            say("There is none."),
        ];
        let api = play(version, &ctx, Scenario::default().main(main), &["Read it."]);
        let results = results(&api, MAIN);
        assert_eq!(
            ends(version, &results[3..]),
            "D",
            "{version:?} {results:#?}"
        );
        let first = ends(version, &results[..3]);
        assert!(first.starts_with("FF"), "{version:?} {results:#?}");
    }
}

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn a_hook_that_rewrites_commands_does_not_blind_it() {
    let answer = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "allow",
        "updatedInput": {"command": "./knock rewritten"},
    }});
    let hook = json!({"type": "command", "command": format!("echo '{answer}'"), "timeout": 5});
    for version in VERSIONS {
        let ctx = world(&json!({
            "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook.clone()]}]},
        }));
        let mut main = times("./knock", 3);
        main.push(say("It stays shut."));
        let api = play(
            version,
            &ctx,
            Scenario::default().main(main),
            &["Open the door."],
        );
        let results = results(&api, MAIN);
        assert_eq!(ends(version, &results), "FFD", "{version:?} {results:#?}");
        assert_eq!(knocks(&ctx), 2);
    }
}
