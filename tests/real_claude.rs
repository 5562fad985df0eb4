//! The real Claude Code in a project with what `install --allow` writes: the guard refuses, the
//! runner does desk work, the meter agrees, and after `uninstall` nothing is left. The model is
//! played (`claude/`); what it may run is decided by the settings alone.

use crate::claude::api::{Api, Asked};
use crate::claude::project::{LOCKED, heard, knocks, project};
use crate::claude::scenario::{MAIN, Scenario, Step, bash, say};
use crate::claude::session;
use crate::context::TestContext;

fn three_times(command: &str) -> impl Iterator<Item = Step> + use<> {
    std::iter::repeat_n(bash(command), 3)
}

/// What a script's tool calls came back with, in order: whether each is an error, and its text.
fn results(api: &Api, script: &str) -> Vec<(bool, String)> {
    let asked = api.asked(script);
    asked.iter().flat_map(Asked::results).collect()
}

/// A session with nothing of ours in it: the third failure runs as the first, and neither what the
/// model is told nor what is kept of the session names us.
#[track_caller]
fn assert_without_us(ctx: &TestContext) {
    let script = three_times("./knock").chain([say("It stays shut.")]);
    let api = Api::start(Scenario::default().main(script));
    let session = session::run(ctx, &api, "Open the door.");

    assert_eq!(results(&api, MAIN), vec![(true, LOCKED.to_owned()); 3]);
    assert_eq!((knocks(ctx), heard(ctx)), (3, 3));
    for asked in api.all() {
        assert_names_nothing("a request", &asked.body.to_string());
    }
    assert_names_nothing("the start", &session.init().to_string());
    for (path, text) in session.transcripts() {
        assert_names_nothing(path.to_str().unwrap(), &text);
    }
}

#[track_caller]
fn assert_names_nothing(place: &str, text: &str) {
    for name in ["lean-computer-use", "desk-", "retry-guard", "token-meter"] {
        assert!(!text.contains(name), "{place} names {name}: {text}");
    }
}

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn a_session_before_us_is_what_the_others_are_compared_with() {
    let ctx = project();
    assert_without_us(&ctx);
}
