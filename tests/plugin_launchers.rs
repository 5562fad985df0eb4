//! The plugin's launchers as Claude Code runs them, in three shells: which binary they find, and
//! that without one nothing is said and nothing blocked. What Claude Code itself makes of the plugin
//! is in `real_plugin`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::context::{TestContext, binary_path};
use crate::hook::{event, says};
use crate::observe::Run;

const SHELLS: [&str; 3] = ["sh", "dash", "bash"];

const NAME: &str = "lean-computer-use";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin")
}

/// The commands of `hooks.json`, each once.
fn commands() -> Vec<String> {
    let hooks = fs::read(root().join("hooks/hooks.json")).unwrap();
    let hooks: Value = serde_json::from_slice(&hooks).unwrap();
    let groups = hooks["hooks"].as_object().unwrap().values();
    let mut commands: Vec<_> = groups
        .flat_map(|groups| groups.as_array().unwrap())
        .flat_map(|group| group["hooks"].as_array().unwrap())
        .map(|hook| hook["command"].as_str().unwrap().to_owned())
        .collect();
    commands.sort();
    commands.dedup();
    assert_eq!(commands.len(), 2, "{commands:?}");
    commands
}

/// A home with nothing of ours, in which the plugin is enabled.
struct World(TestContext);

impl World {
    fn new() -> Self {
        let ctx = TestContext::new();
        fs::remove_file(ctx.bin.join(NAME)).unwrap();
        Self(ctx)
    }

    /// A hook's command, as Claude Code starts it.
    fn hook(&self, shell: &str, command: &str) -> Run {
        let mut sh = Command::new(Path::new("/bin").join(shell));
        sh.args(["-c", command]);
        let data = self.0.home.join(".claude/plugins/data/x");
        Run::new(sh, "hook retry-guard")
            .world(&self.0)
            .env("CLAUDE_PLUGIN_ROOT", root())
            .env("CLAUDE_PLUGIN_DATA", data)
            .env("CLAUDE_PROJECT_DIR", &self.0.project)
            .stdin("{}")
    }

    /// What the guard says to two failures and a third attempt.
    fn guard(&self, shell: &str) -> [&'static str; 3] {
        let command = &commands()[0];
        assert!(command.contains("retry-guard"), "{command}");
        ["failed", "failed", "before"].map(|name| {
            let event = event("2.1.332", name, &json!({"tool_use_id": null}));
            let run = self.hook(shell, command).stdin(event.to_string());
            let seen = run.observe().expect(0);
            assert_eq!(seen.stderr, "");
            says(&serde_json::from_str(&seen.stdout).unwrap_or(Value::Null))
        })
    }

    /// The program that the plugin puts on the PATH of Bash.
    fn program(&self, path: &str, words: &[&str]) -> Run {
        let mut command = Command::new(root().join("bin").join(NAME));
        command.args(words);
        let path = format!("{}:{path}:/usr/bin:/bin", root().join("bin").display());
        Run::new(command, words[0]).world(&self.0).env("PATH", path)
    }

    fn put(&self, path: &str) {
        let path = self.0.home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(binary_path(), path).unwrap();
    }
}

/// An executable script that says that it ran.
fn script(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "#!/bin/sh\necho ran >>\"$HOME/ran\"\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

const FOLDERS: [&str; 3] = [
    ".local/bin/lean-computer-use",
    ".cargo/bin/lean-computer-use",
    ".local/share/lean-computer-use/bin/lean-computer-use",
];

const IN_NPM: &str = ".local/lib/node_modules/lean-computer-use/node_modules/lean-computer-use-linux-x64/bin/lean-computer-use";

#[test]
fn hooks_find_the_binary_where_it_usually_is() {
    for shell in SHELLS {
        for path in FOLDERS.into_iter().chain([IN_NPM]) {
            let world = World::new();
            world.put(path);
            if path == IN_NPM {
                script(&world.0.home.join(FOLDERS[0]));
            }
            let said = world.guard(shell);
            assert_eq!(said, ["", "nudge", "deny"], "{shell} {path}");
            assert!(!world.0.home.join("ran").exists(), "node is left out");
        }
    }
}

#[test]
fn hooks_start_what_a_user_install_recorded_before_anything_else() {
    let world = World::new();
    let elsewhere = world.0.root().join("else where").join(NAME);
    fs::create_dir(elsewhere.parent().unwrap()).unwrap();
    symlink(binary_path(), &elsewhere).unwrap();
    let path = format!("{}:/usr/bin:/bin", elsewhere.parent().unwrap().display());
    let run = world.0.run(&["install", "--user"]).env("PATH", path);
    run.observe().expect(0);
    script(&world.0.home.join(FOLDERS[0]));
    assert_eq!(world.guard("sh"), ["", "nudge", "deny"]);
    assert!(!world.0.home.join("ran").exists());
}

/// A project's settings can set PATH.
#[test]
fn hooks_do_not_look_at_path() {
    let world = World::new();
    script(&world.0.bin.join(NAME));
    for command in commands() {
        world.hook("sh", &command).observe().expect(0);
    }
    assert!(!world.0.home.join("ran").exists());
}

#[test]
fn without_a_binary_hooks_are_silent() {
    let world = World::new();
    let silent = |run: Run| {
        let seen = run.observe().expect(0);
        assert_eq!((&*seen.stdout, &*seen.stderr), ("", ""));
    };
    for shell in SHELLS {
        for command in commands() {
            let run = || world.hook(shell, &command);
            silent(run());
            for name in ["CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "HOME", "PATH"] {
                silent(run().without_env(name));
                silent(run().env(name, ""));
                silent(run().env(name, "/no where/$(exit 2)"));
            }
            silent(run().dir(Path::new("/")));
        }
    }
}

#[test]
fn beside_a_project_install_each_event_is_answered_once() {
    let world = World::new();
    world.put(FOLDERS[0]);
    world.0.run(&["install"]).observe().expect(0);
    let settings: Value = serde_json::from_str(&world.0.read(".claude/settings.json")).unwrap();
    let own = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str();
    let both = [own.unwrap().to_owned(), commands()[0].clone()];
    let mut answers = Vec::new();
    for (n, name) in ["failed", "failed", "before"].iter().enumerate() {
        let event = event(
            "2.1.332",
            name,
            &json!({"tool_use_id": format!("call {n}")}),
        );
        let started = both.each_ref().map(|command| {
            let run = world.hook("sh", command).stdin(event.to_string());
            run.start()
        });
        let said = started.map(|one| {
            let seen = one.observe().expect(0);
            says(&serde_json::from_str(&seen.stdout).unwrap_or(Value::Null))
        });
        let mut said: Vec<_> = said.into_iter().filter(|said| !said.is_empty()).collect();
        answers.append(&mut said);
    }
    assert_eq!(answers, ["nudge", "deny"]);
}

#[test]
fn agents_can_call_the_program_by_its_name() {
    let version = ["--version"];
    let want = concat!("lean-computer-use ", env!("CARGO_PKG_VERSION"), "\n");
    let says_so = |world: &World, path: &str| {
        let run = world.program(path, &version).named(NAME);
        assert_eq!(run.observe().expect(0).stdout, want, "{path}");
    };
    for path in FOLDERS {
        let world = World::new();
        world.put(path);
        says_so(&world, "/nowhere");
        // Another copy of the plugin, which would call this one back.
        let other = world.0.root().join("other");
        fs::create_dir_all(other.join(".claude-plugin")).unwrap();
        fs::write(other.join(".claude-plugin/plugin.json"), "{}").unwrap();
        script(&other.join("bin").join(NAME));
        says_so(&world, other.join("bin").to_str().unwrap());
        assert!(!world.0.home.join("ran").exists());
    }
    let world = World::new();
    world.put("on path/lean-computer-use");
    script(&world.0.home.join(FOLDERS[0]));
    says_so(&world, world.0.home.join("on path").to_str().unwrap());
    assert!(!world.0.home.join("ran").exists(), "PATH comes first");
    let said = world.program("/nowhere", &["desk-running", "x"]);
    said.unrecorded().expect(0);
    assert!(world.0.home.join("ran").exists());
}

#[test]
fn without_the_program_its_name_says_what_to_do() {
    let world = World::new();
    let seen = world.program("/nowhere", &["desk-run", "x"]).observe();
    let seen = seen.expect(2);
    assert!(
        seen.stderr
            .starts_with("lean-computer-use: could not find the program"),
        "{seen}"
    );
}
