//! An app of `judge/` on a desktop of its own. It notes what really happened, and that is the
//! judge.

use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};

use crate::context::TestContext;
use crate::desktop::{Desktop, processes, until};
use crate::observe::Observed;

/// The app, on a desktop of its own.
pub struct Liar<'c> {
    pub ctx: &'c TestContext,
    pub desktop: Desktop,
    pub notes: PathBuf,
    name: &'static str,
}

impl<'c> Liar<'c> {
    pub fn start(ctx: &'c TestContext) -> Self {
        Self::of(ctx, "liar")
    }

    /// Another app that `judge/` has.
    pub fn of(ctx: &'c TestContext, name: &'static str) -> Self {
        let desktop = Desktop::start(ctx);
        let notes = ctx.root().join("notes");
        let mut liar = Self {
            ctx,
            desktop,
            notes,
            name,
        };
        liar.again();
        liar
    }

    /// Starts the app; the one before is gone.
    pub fn again(&mut self) {
        until("its end", || self.pids().is_empty());
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judge");
        let script = script.join(format!("{}.py", self.name));
        let script = script.to_str().unwrap();
        let notes = self.notes.to_str().unwrap().to_owned();
        std::fs::write(&self.notes, "").unwrap();
        self.desktop
            .spawn(&["/usr/bin/python3", "-B", script, &notes]);
        until("the app", || {
            !self.desktop.judged(self.name, "spin button").is_empty()
        });
    }

    pub fn pids(&self) -> Vec<u32> {
        let all = processes(self.ctx).into_iter();
        all.filter(|(_, name)| name == self.name)
            .map(|(pid, _)| pid)
            .collect()
    }

    pub fn signal(&self, signal: Signal) {
        for pid in self.pids() {
            let pid = Pid::from_raw(pid.try_into().unwrap()).unwrap();
            kill_process(pid, signal).unwrap();
        }
    }

    pub fn run(&self, words: &[&str]) -> Observed {
        let run = self.desktop.run(self.ctx.run(words));
        run.env("DESK_GUARD", "off").observe()
    }

    pub fn packet(&self, steps: &[&str]) -> Observed {
        self.run(&[&["desk-run", self.name], steps].concat())
    }

    /// Waits for a note of what the app does in its own time.
    pub fn until_noted(&self, what: &str) {
        let noted = || std::fs::read_to_string(&self.notes).unwrap().contains(what);
        until(what, noted);
    }

    /// Tokens of a new read, by the names of the controls.
    pub fn tokens(&self) -> impl Fn(&str) -> String + use<> {
        let read = self.run(&["desk", self.name, "get_window_state", "--json"]);
        let file = read.expect(0).json()["file"].as_str().unwrap().to_owned();
        let window = std::fs::read_to_string(file).unwrap();
        let window: serde_json::Value = serde_json::from_str(&window).unwrap();
        let elements = window["elements"].as_array().unwrap().clone();
        move |name| {
            let named = elements.iter().find(|element| element["label"] == name);
            named.unwrap()["element_token"].as_str().unwrap().to_owned()
        }
    }

    /// What the app noted since the last look, as `WHAT VALUE`.
    pub fn noted(&self) -> Vec<String> {
        let notes = std::fs::read_to_string(&self.notes).unwrap();
        std::fs::write(&self.notes, "").unwrap();
        let line = |line: &str| {
            let note: serde_json::Value = serde_json::from_str(line).unwrap();
            format!("{} {}", note["what"].as_str().unwrap(), note["value"])
        };
        notes.lines().map(line).collect()
    }
}

pub fn first(seen: &Observed) -> &str {
    let line = seen.stdout.lines().next().unwrap_or_default();
    line.split([',', '(']).next().unwrap().trim_end()
}
