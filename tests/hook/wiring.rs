//! The registered form as Claude Code runs it, in three shells: whatever is broken on disk or in
//! the surroundings, it ends with 0 and without a word.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{event, says};
use crate::context::{TestContext, binary_path};
use crate::observe::{Observed, Run};

const SHELLS: [&str; 3] = ["sh", "dash", "bash"];

const FOLDER: &str = ".claude/lean-computer-use";

/// What is broken, and how.
type Broken = (&'static str, fn(&Installed));

/// An installed project with a binary of its own that can be broken.
struct Installed {
    ctx: TestContext,
    binary: PathBuf,
    commands: Vec<String>,
}

impl Installed {
    fn new() -> Self {
        let ctx = TestContext::new();
        ctx.run(&["install"]).observe().expect(0);
        let binary = ctx.root().join("own binary");
        fs::copy(binary_path(), &binary).unwrap();
        let record = ctx.project.join(FOLDER).join("local/binary");
        fs::write(record, format!("{}\n", binary.display())).unwrap();
        fs::remove_file(ctx.bin.join("lean-computer-use")).unwrap();
        let settings: Value = serde_json::from_str(&ctx.read(".claude/settings.json")).unwrap();
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
            binary,
            commands,
        }
    }

    fn launcher(&self) -> PathBuf {
        self.ctx.project.join(FOLDER).join("hooks/retry-guard")
    }

    fn record(&self) -> PathBuf {
        self.ctx.project.join(FOLDER).join("local/binary")
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
    for shell in SHELLS {
        let world = Installed::new();
        let run = |name: &str| {
            let event = event("2.1.332", name, &json!({"tool_use_id": null}));
            let run = world.run(shell, world.guard()).stdin(event.to_string());
            let seen = run.observe().expect(0);
            assert_eq!(seen.stderr, "");
            let answer = serde_json::from_str(&seen.stdout).unwrap_or(Value::Null);
            says(&answer)
        };
        assert_eq!(
            [run("failed"), run("failed"), run("before")],
            ["", "nudge", "deny"]
        );
    }
}

#[test]
fn nothing_on_disk_makes_a_registered_hook_fail_or_speak() {
    let broken: Vec<Broken> = vec![
        ("no folder", |w| {
            fs::remove_dir_all(w.ctx.project.join(FOLDER)).unwrap();
        }),
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
        ("a binary without its mode", |w| mode(&w.binary, 0o644)),
        ("a binary that is none", |w| {
            fs::write(&w.binary, "\u{7f}ELFnoise").unwrap();
        }),
        ("a binary that is empty", |w| {
            fs::write(&w.binary, "").unwrap();
        }),
        ("a binary that is a folder", |w| {
            fs::remove_file(&w.binary).unwrap();
            fs::create_dir(&w.binary).unwrap();
        }),
        ("a binary that fails", |w| {
            fs::write(&w.binary, "#!/bin/sh\necho noise >&2\nexit 2\n").unwrap();
        }),
        ("no project", |w| {
            fs::remove_dir_all(&w.ctx.project).unwrap();
        }),
    ];
    for (what, break_it) in broken {
        let world = Installed::new();
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

#[test]
fn nor_do_surroundings() {
    let world = Installed::new();
    for shell in SHELLS {
        for command in &world.commands {
            let run = |line: &str| world.run(shell, line);
            silent(run(command).without_env("HOME").observe(), "no HOME");
            silent(run(command).without_env("PATH").observe(), "no PATH");
            silent(
                run(command).env("PATH", "").env("HOME", "").observe(),
                "empty",
            );
            silent(
                run(command).env("HOME", "/nowhere at all").observe(),
                "HOME nowhere",
            );
            silent(
                run(command).without_env("CLAUDE_PROJECT_DIR").observe(),
                "no project",
            );
            silent(
                run(command).env("CLAUDE_PROJECT_DIR", "").observe(),
                "an empty project",
            );
            silent(
                run(command).env("CLAUDE_PROJECT_DIR", "relative").observe(),
                "relative",
            );
            silent(run(command).dir(Path::new("/")).observe(), "another folder");
            for streams in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full"] {
                silent(run(&format!("{command} {streams}")).observe(), streams);
            }
            let gone = format!("mkdir gone; cd gone; rmdir ../gone; {command}");
            silent(run(&gone).observe(), "a folder that is gone");
        }
    }
}

/// The shell itself says that a child was killed, which nobody is shown when it ends with 0.
#[test]
fn a_binary_that_is_killed_blocks_nothing() {
    let world = Installed::new();
    fs::write(&world.binary, "#!/bin/sh\nkill -9 $$\n").unwrap();
    for shell in SHELLS {
        for command in &world.commands {
            let seen = world.run(shell, command).observe().expect(0);
            assert_eq!(seen.stdout, "");
        }
    }
}
