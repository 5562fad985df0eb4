//! A user's way with npm, from the first install to the last trace.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{Npm, archives, executable};
use crate::context::tree;

const RECORD: &str = ".claude/lean-computer-use/local/binary";
const SETTINGS: &str = ".claude/settings.json";

impl Npm {
    fn install_global(&self, words: &[&str]) {
        let all = [&["install", "-g", "--ignore-scripts"], words].concat();
        self.npm(&all).expect(0);
    }

    /// Runs every hook that the project registers, as Claude Code does: each ends with 0 and
    /// without a word. Returns how many there are.
    #[track_caller]
    fn hooks_are_silent(&self) -> usize {
        let settings: Value = serde_json::from_str(&self.ctx.read(SETTINGS)).unwrap();
        let events = settings["hooks"].as_object().unwrap().values();
        let groups = events.flat_map(|groups| groups.as_array().unwrap());
        let handlers: Vec<_> = groups
            .flat_map(|group| group["hooks"].as_array().unwrap())
            .collect();
        for handler in &handlers {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", handler["command"].as_str().unwrap()]);
            let run = self.run(&mut shell, "a hook");
            let run = run.env("CLAUDE_PROJECT_DIR", &self.ctx.project).stdin("{}");
            let seen = run.unrecorded().expect(0);
            assert_eq!((&*seen.stdout, &*seen.stderr), ("", ""));
        }
        handlers.len()
    }
}

#[test]
#[ignore = "needs verdaccio: .ci/run"]
fn a_global_install_is_the_program_itself() {
    let mut npm = Npm::new();
    npm.install_global(&["lean-computer-use"]);
    npm.registry.stop();
    fs::remove_dir_all(npm.ctx.home.join("npm cache")).unwrap();
    let version = concat!("lean-computer-use ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(
        npm.program(&["--version"]).observe().expect(0).stdout,
        version
    );

    let seen = npm.program(&["install", "--allow"]).observe().expect(0);
    assert_eq!(seen.stderr, "", "nothing is doubtful about it");
    let recorded = npm.ctx.read(RECORD);
    assert_eq!(
        recorded.lines().next(),
        npm.binary().to_str(),
        "node is not in between"
    );
    assert!(npm.hooks_are_silent() > 0);

    npm.program(&["verify"]).observe().expect(0);
    npm.ctx.write(".claude/agents/desk-runner.md", "mine");
    npm.program(&["verify"]).observe().expect(1);
    npm.program(&["verify", "--no-such-flag"])
        .observe()
        .expect(2);
    let quit = [
        "desk-run",
        "--simulated",
        "simulated-calculator",
        "menu File > Quit",
    ];
    npm.program(&quit).observe().expect(3);
    let passed = ["desk-run", "--simulated", "simulated-exit-127", "click 1"];
    npm.program(&passed).observe().expect(127);
}

#[test]
#[ignore = "needs verdaccio: .ci/run"]
fn without_optional_packages_one_line_says_what_is_missing() {
    let npm = Npm::new();
    // A global install brings them whatever it is told.
    npm.npm(&["install", "lean-computer-use", "--omit=optional"])
        .expect(0);
    let program = npm.ctx.project.join("node_modules/.bin/lean-computer-use");
    let run = |words: &[&str]| npm.run(Command::new(&program).args(words), "the wrapper");
    let seen = run(&["status"]).unrecorded().expect(127);
    assert_eq!(
        seen.stderr,
        "lean-computer-use: could not start: its package lean-computer-use-linux-x64 is not \
         installed: install lean-computer-use again, with optional dependencies\n"
    );
    let seen = run(&["hook", "retry-guard"]).unrecorded().expect(0);
    assert_eq!((&*seen.stdout, &*seen.stderr), ("", ""));
}

#[test]
#[ignore = "needs verdaccio: .ci/run"]
fn a_package_that_was_tampered_with_never_runs() {
    let change = |npm: &Npm, name: &str| {
        let folder = npm.registry.storage.join(name);
        let archive = format!("{name}-{}.tgz", env!("CARGO_PKG_VERSION"));
        repack_with(&folder.join(archive), "echo owned\n");
    };
    // npm goes on without an optional package, and the wrapper says which is missing.
    let npm = Npm::new();
    change(&npm, "lean-computer-use-linux-x64");
    let seen = npm.npm(&["install", "-g", "lean-computer-use"]);
    assert!(seen.stderr.contains("seems to be corrupted"), "{seen}");
    assert!(!npm.binary().exists());
    let seen = npm.program(&["--version"]).unrecorded().expect(127);
    assert!(
        seen.stderr.contains("-linux-x64 is not installed"),
        "{seen}"
    );

    let npm = Npm::new();
    change(&npm, "lean-computer-use");
    let seen = npm.npm(&["install", "-g", "lean-computer-use"]);
    assert!(
        seen.code != 0 && seen.stderr.contains("EINTEGRITY"),
        "{seen}"
    );
    assert!(!npm.prefix.join("bin/lean-computer-use").exists());
}

#[test]
#[ignore = "needs verdaccio: .ci/run"]
fn npx_installs_what_outlives_it() {
    let npm = Npm::new();
    npm.npx(&["verify"]).observe().expect(2);
    let seen = npm.npx(&["install"]).observe().expect(0);
    let kept = npm
        .ctx
        .home
        .join(".local/share/lean-computer-use/bin/lean-computer-use");
    let recorded = npm.ctx.read(RECORD);
    assert_eq!(recorded.lines().next(), kept.to_str());
    assert!(seen.stdout.contains("npx forgets its programs"), "{seen}");
    assert!(seen.stderr.contains("is not on PATH"), "{seen}");
    fs::remove_dir_all(npm.ctx.home.join("npm cache")).unwrap();
    assert!(npm.hooks_are_silent() > 0);
    assert_eq!(
        fs::read(kept).unwrap(),
        fs::read(archives::stripped()).unwrap()
    );
}

#[test]
#[ignore = "needs verdaccio: .ci/run"]
fn an_upgrade_and_the_end() {
    let npm = Npm::new();
    npm.ctx.write(SETTINGS, "{\n  \"model\": \"opus\"\n}\n");
    let before = tree(&npm.ctx.project);
    npm.install_global(&["lean-computer-use"]);
    npm.program(&["install"]).observe().expect(0);

    let binary = npm.ctx.root().join("next");
    let next = archives::next_release(&binary);
    let packages = npm.publish(&next, &binary);
    let seen = npm.upload(&next, &packages);
    assert_eq!(seen.stdout.matches("is there already").count(), 6, "{seen}");
    npm.install_global(&["lean-computer-use@latest"]);
    let seen = npm.program(&["--version"]).observe().expect(0);
    assert_eq!(seen.stdout, format!("lean-computer-use {next}\n"));
    assert_eq!(npm.ctx.read(RECORD).lines().next(), npm.binary().to_str());
    assert!(npm.hooks_are_silent() > 0);
    npm.program(&["install"]).observe().expect(0);
    npm.program(&["verify"]).observe().expect(0);
    assert!(
        npm.ctx
            .read(".claude/lean-computer-use/manifest.json")
            .contains(&next)
    );

    npm.npm(&["uninstall", "-g", "lean-computer-use"]).expect(0);
    assert!(!npm.binary().exists());
    assert!(
        npm.hooks_are_silent() > 0,
        "the project still registers them"
    );
    npm.npx(&["uninstall"]).observe().expect(0);
    assert_eq!(tree(&npm.ctx.project), before);
}

/// Replaces what a package would run.
fn repack_with(archive: &Path, script: &str) {
    let folder = tempfile::tempdir().unwrap();
    let tar = |words: &[&str]| {
        let mut tar = Command::new("tar");
        tar.args(words).arg(archive).arg("-C").arg(folder.path());
        if words[0] == "-czf" {
            tar.arg("package");
        }
        assert!(tar.status().unwrap().success());
    };
    tar(&["-xzf"]);
    for entry in fs::read_dir(folder.path().join("package/bin")).unwrap() {
        let path = entry.unwrap().path();
        fs::write(&path, script).unwrap();
        executable(&path);
    }
    tar(&["-czf"]);
}
