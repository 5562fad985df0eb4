//! The plugin in the real Claude Code: valid, installed from a local marketplace, firing, beside a
//! project install answering once, and gone without a trace. The model is played (`claude/`).

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::claude::api::{Api, Asked};
use crate::claude::project::{knocks, project};
use crate::claude::scenario::{MAIN, Scenario, bash, call, delegate, say};
use crate::claude::session::{self, Env, Session, Version};
use crate::context::{TestContext, binary_path, tree};
use crate::observe::Observed;
use crate::real_claude::{HOOK_TROUBLE, hooked, results};

const VERSIONS: [Version; 2] = [Version::New, Version::Old];

const PLUGIN: &str = "lean-computer-use@lean-computer-use";

const RUNNER: &str = "lean-computer-use:desk-runner";

fn repository() -> PathBuf {
    // A marketplace is used where it lies, so it must hold nothing else that matters here.
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// A project whose user has the program, not on PATH, and no plugin yet.
fn world() -> TestContext {
    let ctx = project();
    fs::remove_file(ctx.bin.join("lean-computer-use")).unwrap();
    let bin = ctx.home.join(".local/bin");
    fs::create_dir_all(&bin).unwrap();
    symlink(binary_path(), bin.join("lean-computer-use")).unwrap();
    // As the plugin's README.md asks.
    let readme = include_str!("../plugin/README.md");
    let (_, rules) = readme.split_once("```json\n").unwrap();
    let (rules, _) = rules.split_once("```").unwrap();
    ctx.write(".claude/settings.local.json", rules);
    ctx
}

/// `claude plugin` with these words.
fn plugin(ctx: &TestContext, version: Version, words: &[&str]) -> Observed {
    let mut command = version.command(ctx, Env::new());
    command.arg("plugin").args(words);
    crate::observe::Run::new(command, "claude").unrecorded()
}

fn enable(ctx: &TestContext, version: Version) {
    let repository = repository();
    let add = ["marketplace", "add", repository.to_str().unwrap()];
    plugin(ctx, version, &add).expect(0);
    plugin(ctx, version, &["install", PLUGIN]).expect(0);
}

#[track_caller]
fn play(version: Version, ctx: &TestContext, scenario: Scenario) -> (Api, Session) {
    let api = Api::start(scenario);
    let session = session::run_version(version, ctx, Env::new(), &api, &["Open the door."]);
    for (path, text) in session.transcripts() {
        for mark in HOOK_TROUBLE {
            assert!(!text.contains(mark), "{mark} in {}: {text}", path.display());
        }
    }
    (api, session)
}

/// Three knocks in the main thread and in the runner, which then reads an app.
fn scenario() -> Scenario {
    let knock = || std::iter::repeat_n(bash("./knock"), 3);
    let skill = call("Skill", &json!({"skill": "lean-computer-use:desk-task"}));
    let main = knock().chain([skill, delegate(RUNNER, "runner"), say("It stays shut.")]);
    let read = bash("lean-computer-use desk-read --simulated simulated-calculator");
    let runner = knock().chain([read, say("Cleanup: done.")]);
    Scenario::default().main(main).script("runner", runner)
}

#[track_caller]
fn assert_guarded_once(ctx: &TestContext, api: &Api, session: &Session) {
    for script in [MAIN, "runner"] {
        let results = results(api, script);
        let third = &results[2].1;
        assert!(third.contains("retry guard: not run. "), "{third}");
        assert_eq!(third.matches("retry guard").count(), 1, "{third}");
        let asked = api.asked(script);
        let told: Vec<_> = asked.iter().map(Asked::news).collect();
        let nudges = told[2].matches("retry guard: same error twice").count();
        assert_eq!(nudges, 1, "{script}: {told:#?}");
    }
    assert_eq!(knocks(ctx), 4);
    let (failed, read) = &results(api, "runner")[3];
    assert!(!failed && read.contains("edit bar"), "{read}");
    assert_eq!(hooked(ctx), session.model_usage(), "each token once");
}

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn claude_code_calls_plugin_and_marketplace_valid() {
    let ctx = TestContext::new();
    for version in VERSIONS {
        for folder in [repository(), repository().join("plugin")] {
            let words = ["validate", "--strict", folder.to_str().unwrap()];
            let seen = plugin(&ctx, version, &words).expect(0);
            assert!(seen.stdout.contains("Validation passed"), "{seen}");
        }
    }
}

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn the_plugin_alone_guards_meters_and_runs_desk_commands() {
    for version in VERSIONS {
        let ctx = world();
        enable(&ctx, version);
        let (api, session) = play(version, &ctx, scenario());
        assert_guarded_once(&ctx, &api, &session);

        let first = &api.asked("runner")[0];
        assert_eq!(first.tools(), ["Read", "Bash"]);
        assert!(
            first.model().starts_with("claude-haiku-"),
            "{}",
            first.model()
        );
        let skill = api.asked(MAIN)[4].news();
        assert!(skill.contains("Fill in every field"), "the brief: {skill}");
        assert!(skill.contains(RUNNER), "{skill}");
        assert!(!ctx.project.join(".claude/lean-computer-use").exists());
    }
}

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn a_project_install_and_the_plugin_answer_once() {
    for version in VERSIONS {
        let ctx = world();
        ctx.run(&["install"]).observe().expect(0);
        assert!(ctx.read(".claude/settings.json").contains("retry-guard"));
        enable(&ctx, version);
        let (api, session) = play(version, &ctx, scenario());
        assert_guarded_once(&ctx, &api, &session);
    }
}

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn install_leaves_the_hooks_to_the_plugin_that_claude_code_enabled() {
    let ctx = world();
    enable(&ctx, Version::New);
    let seen = ctx.run(&["install"]).observe().expect(0);
    assert!(
        seen.stdout
            .contains("the enabled plugin of lean-computer-use brings them"),
        "{seen}"
    );
    assert!(!ctx.read(".claude/settings.json").contains("retry-guard"));
}

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn without_the_program_the_plugin_blocks_nothing() {
    let ctx = world();
    fs::remove_dir_all(ctx.home.join(".local")).unwrap();
    enable(&ctx, Version::New);
    let (api, _) = play(Version::New, &ctx, scenario());
    assert_eq!(knocks(&ctx), 6, "none is refused");
    let (failed, read) = &results(&api, "runner")[3];
    assert!(
        *failed && read.contains("could not find the program"),
        "{read}"
    );
    assert!(!ctx.home.join(".local").exists(), "no state");
}

#[test]
#[ignore = "needs the real Claude Code: .ci/run"]
fn after_uninstall_no_setting_names_it() {
    let ctx = world();
    let user = ctx.home.join(".claude/settings.json");
    fs::create_dir_all(user.parent().unwrap()).unwrap();
    fs::write(&user, "{\n  \"model\": \"opus\"\n}\n").unwrap();
    let settings = || -> Value { serde_json::from_slice(&fs::read(&user).unwrap()).unwrap() };
    let (before, project) = (settings(), tree(&ctx.project));
    enable(&ctx, Version::New);
    assert_eq!(settings()["enabledPlugins"][PLUGIN], true);
    plugin(&ctx, Version::New, &["uninstall", PLUGIN]).expect(0);
    plugin(
        &ctx,
        Version::New,
        &["marketplace", "remove", "lean-computer-use"],
    )
    .expect(0);

    assert_eq!(tree(&ctx.project), project);
    let left = settings().to_string();
    assert!(!left.contains("lean-computer-use"), "{left}");
    assert_eq!(settings()["model"], before["model"]);
    let main = std::iter::repeat_n(bash("./knock"), 3);
    let (api, _) = play(Version::New, &ctx, Scenario::default().main(main));
    assert_eq!(knocks(&ctx), 3, "no hook of ours ran");
    let offer = api.asked(MAIN)[0].body.to_string();
    assert!(!offer.contains("desk-runner"), "{offer}");
}
