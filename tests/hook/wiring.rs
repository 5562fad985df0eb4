//! The registered form as Claude Code runs it, in every scope and in three shells: whatever is
//! broken on disk or in the surroundings, it ends with 0 and without a word.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{event, says};
use crate::context::{TestContext, binary_path};
use crate::observe::{Observed, Run};

const SHELLS: [&str; 3] = ["sh", "dash", "bash"];

const SCOPES: [Scope; 3] = [
    Scope {
        flags: &[],
        claude: "project/.claude",
        settings: "settings.json",
    },
    Scope {
        flags: &["--local"],
        claude: "project/.claude",
        settings: "settings.local.json",
    },
    Scope {
        flags: &["--user"],
        claude: ".claude",
        settings: "settings.json",
    },
];

/// Where an install goes.
struct Scope {
    flags: &'static [&'static str],
    /// Below the home folder.
    claude: &'static str,
    settings: &'static str,
}

/// What is broken, and how.
type Broken = (&'static str, fn(&Installed));

/// An install with a binary of its own that can be broken. It is the only one on the machine.
struct Installed {
    ctx: TestContext,
    claude: PathBuf,
    binary: PathBuf,
    commands: Vec<String>,
}

impl Installed {
    fn new(scope: &Scope) -> Self {
        let ctx = TestContext::new();
        let own = ctx.root().join("own binary");
        fs::create_dir(&own).unwrap();
        let binary = own.join("lean-computer-use");
        symlink(binary_path(), &binary).unwrap();
        let words = [&["install"], scope.flags].concat();
        ctx.run(&words).env("PATH", &own).observe().expect(0);
        fs::remove_file(ctx.bin.join("lean-computer-use")).unwrap();
        let claude = ctx.home.join(scope.claude);
        let settings = fs::read(claude.join(scope.settings)).unwrap();
        let settings: Value = serde_json::from_slice(&settings).unwrap();
        let mut commands: Vec<_> = settings["hooks"]
            .as_object()
            .unwrap()
            .values()
            .flat_map(|groups| groups.as_array().unwrap())
            .flat_map(|group| group["hooks"].as_array().unwrap())
            .map(|hook| hook["command"].as_str().unwrap().to_owned())
            .collect();
        commands.sort();
        commands.dedup();
        assert_eq!(commands.len(), 2, "{commands:?}");
        Self {
            ctx,
            claude,
            binary,
            commands,
        }
    }

    fn ours(&self) -> PathBuf {
        self.claude.join("lean-computer-use")
    }

    fn launcher(&self) -> PathBuf {
        self.ours().join("hooks/retry-guard")
    }

    /// Which binary the launchers of a project start; those of the user name it themselves.
    fn record(&self) -> PathBuf {
        self.ours().join("local/binary")
    }

    /// Puts a script in the binary's place, or what the system cannot start.
    fn replace_binary(&self, text: &str) {
        fs::remove_file(&self.binary).unwrap();
        let name = self.ctx.program("stand-in", text);
        fs::rename(name, &self.binary).unwrap();
    }

    /// The guard's registered command.
    fn guard(&self) -> &str {
        let mut all = self.commands.iter();
        all.find(|command| command.contains("retry-guard")).unwrap()
    }

    fn run(&self, shell: &str, line: &str) -> Run {
        let mut command = Command::new(Path::new("/bin").join(shell));
        command.args(["-c", line]);
        let before = event("2.1.332", "before", &json!({"tool_use_id": null}));
        Run::new(command, "hook retry-guard")
            .world(&self.ctx)
            .env("CLAUDE_PROJECT_DIR", &self.ctx.project)
            .stdin(before.to_string())
    }
}

#[track_caller]
fn silent(seen: Observed, what: &str) {
    let seen = seen.expect(0);
    assert_eq!((&*seen.stdout, &*seen.stderr), ("", ""), "{what}");
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn the_registered_form_refuses_the_third_attempt() {
    for scope in SCOPES {
        for shell in SHELLS {
            let world = Installed::new(&scope);
            let run = |name: &str| {
                let event = event("2.1.332", name, &json!({"tool_use_id": null}));
                // In another folder than the project's, as after an agent's own `cd`.
                let run = world.run(shell, world.guard()).dir(Path::new("/"));
                let seen = run.stdin(event.to_string()).observe().expect(0);
                assert_eq!(seen.stderr, "");
                let answer = serde_json::from_str(&seen.stdout).unwrap_or(Value::Null);
                says(&answer)
            };
            assert_eq!(
                [run("failed"), run("failed"), run("before")],
                ["", "nudge", "deny"],
                "{shell} {:?}",
                scope.flags
            );
        }
    }
}

#[test]
fn nothing_on_disk_makes_a_registered_hook_fail_or_speak() {
    let broken: Vec<Broken> = vec![
        ("no folder", |w| fs::remove_dir_all(w.ours()).unwrap()),
        ("no .claude", |w| fs::remove_dir_all(&w.claude).unwrap()),
        ("no launcher", |w| fs::remove_file(w.launcher()).unwrap()),
        ("a launcher that cannot be read", |w| mode(&w.launcher(), 0)),
        ("a launcher without its mode", |w| {
            mode(&w.launcher(), 0o644);
        }),
        ("an empty launcher", |w| {
            fs::write(w.launcher(), "").unwrap();
        }),
        ("a cut launcher", |w| {
            let text = fs::read(w.launcher()).unwrap();
            fs::write(w.launcher(), &text[..text.len() * 3 / 4]).unwrap();
        }),
        ("a launcher with CRLF", |w| {
            let text = fs::read_to_string(w.launcher()).unwrap();
            fs::write(w.launcher(), text.replace('\n', "\r\n")).unwrap();
        }),
        ("a launcher that exits 2", |w| {
            fs::write(w.launcher(), "echo noise >&2; exit 2").unwrap();
        }),
        ("a launcher that is a folder", |w| {
            fs::remove_file(w.launcher()).unwrap();
            fs::create_dir(w.launcher()).unwrap();
        }),
        ("no record", |w| fs::remove_file(w.record()).unwrap()),
        ("a record of nothing", |w| {
            fs::write(w.record(), "").unwrap();
        }),
        ("a record of noise", |w| {
            fs::write(w.record(), "\0\u{1}$(exit 2)\n`x`").unwrap();
        }),
        ("no binary", |w| fs::remove_file(&w.binary).unwrap()),
        ("a binary without its mode", |w| {
            w.replace_binary("#!/bin/sh\necho noise\n");
            mode(&w.binary, 0o644);
        }),
        ("a binary that is none", |w| {
            w.replace_binary("\u{7f}ELFnoise");
        }),
        ("a binary that is empty", |w| w.replace_binary("")),
        ("a binary that is a folder", |w| {
            fs::remove_file(&w.binary).unwrap();
            fs::create_dir(&w.binary).unwrap();
        }),
        ("a binary that fails", |w| {
            w.replace_binary("#!/bin/sh\necho noise >&2\nexit 2\n");
        }),
        ("no project", |w| {
            fs::remove_dir_all(&w.ctx.project).unwrap();
        }),
    ];
    for scope in SCOPES {
        for (what, break_it) in &broken {
            let world = Installed::new(&scope);
            break_it(&world);
            for shell in SHELLS {
                for command in &world.commands {
                    // A project that is gone is no folder to start in.
                    let run = world.run(shell, command).dir(world.ctx.root());
                    silent(run.observe(), &format!("{what}, {shell}, {command}"));
                }
            }
        }
    }
}

#[test]
fn nor_do_surroundings() {
    type Surroundings = (&'static str, fn(Run) -> Run);
    let surroundings: [Surroundings; 9] = [
        ("no HOME", |run| run.without_env("HOME")),
        ("no PATH", |run| run.without_env("PATH")),
        ("no HOME, no PATH", |run| {
            run.without_env("HOME").without_env("PATH")
        }),
        ("empty", |run| run.env("PATH", "").env("HOME", "")),
        ("HOME nowhere", |run| run.env("HOME", "/nowhere at all")),
        ("no project", |run| run.without_env("CLAUDE_PROJECT_DIR")),
        ("an empty project", |run| run.env("CLAUDE_PROJECT_DIR", "")),
        ("relative", |run| run.env("CLAUDE_PROJECT_DIR", "relative")),
        ("another folder", |run| run.dir(Path::new("/"))),
    ];
    for scope in SCOPES {
        let world = Installed::new(&scope);
        for shell in SHELLS {
            for command in &world.commands {
                let run = |line: &str| world.run(shell, line);
                for (what, change) in surroundings {
                    let seen = change(run(command)).observe();
                    silent(seen, &format!("{what}, {shell}, {command}"));
                }
                for streams in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full", "<."] {
                    // For the shell itself, as whoever starts it leaves them.
                    let line = format!("exec {streams}; {command}");
                    silent(
                        run(&line).observe(),
                        &format!("{streams}, {shell}, {command}"),
                    );
                }
                let gone = format!("mkdir gone; cd gone; rmdir ../gone; {command}");
                silent(run(&gone).observe(), "a folder that is gone");
            }
        }
    }
}

/// A shell says itself that a child was killed, so it must have nowhere to say it.
#[test]
fn a_binary_that_is_killed_blocks_nothing_and_nobody_hears_of_it() {
    for scope in SCOPES {
        let world = Installed::new(&scope);
        for signal in ["KILL", "SEGV", "ABRT", "TERM", "PIPE", "INT"] {
            world.replace_binary(&format!("#!/bin/sh\nkill -{signal} $$\n"));
            for shell in SHELLS {
                for command in &world.commands {
                    let seen = world.run(shell, command).observe();
                    silent(seen, &format!("{signal}, {shell}, {command}"));
                }
            }
        }
    }
}
