//! What should exist in a project: every file with its path, bytes and mode, every hook handler and
//! permission rule. In go the embedded assets, out comes a value; tokens are filled here. Does not
//! look at the disk.

use std::collections::BTreeSet;

use include_dir::Dir;
use serde::Deserialize;

use super::settings::{Entries, Registration};
use crate::assets::{AGENTS, ASSETS, BRIEFS, HOOKS};
use crate::files::sha256;

/// The folder that is ours alone, from the root.
pub const OURS: &str = ".claude/lean-computer-use";
/// The manifest, from the root.
pub const MANIFEST: &str = ".claude/lean-computer-use/manifest.json";
/// What belongs to one machine, from the root.
pub const LOCAL: &str = ".claude/lean-computer-use/local";
/// The merged file, from the root.
pub const SETTINGS: &str = ".claude/settings.json";

/// Everything that an install of this release leaves in a project.
#[derive(Debug)]
pub struct Wanted {
    /// Files, in the order of their paths.
    pub files: Vec<WantedFile>,
    /// Our part of settings.json; the rules only when they are asked for.
    pub entries: Entries,
    /// What a command of ours starts and ends with, for each hook.
    pub forms: Vec<(String, String)>,
    /// The exit-code table.
    pub commands: Vec<serde_json::Value>,
    /// SHA-256 over all files with their paths: the same on every platform.
    pub digest: String,
}

/// One file.
#[derive(Debug)]
pub struct WantedFile {
    /// From the root, with forward slashes.
    pub path: String,
    /// What it is for: `agent`, `skill`, `brief`, `tool`, `hook`, `doc` or `data`.
    pub kind: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether it is started by its name.
    pub executable: bool,
}

impl WantedFile {
    /// Its permission bits.
    #[must_use]
    pub fn mode(&self) -> u32 {
        if self.executable { 0o755 } else { 0o644 }
    }
}

impl Wanted {
    /// What the project scope wants.
    ///
    /// # Panics
    /// When the embedded data is not what this build expects, which a test rules out.
    #[must_use]
    pub fn project() -> Self {
        let registered: Registered = data(&HOOKS, "registrations.json");
        let desk: Desk = data(&ASSETS, "desk/tools.json");
        let table: Table = data(&ASSETS, "exit-codes.json");
        let mut files = files(&desk, &registered);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let rule = |tool: &String| {
            let rule = desk.rule.replace("__DESK__", &desk.prefix.project);
            rule.replace("__TOOL__", tool)
        };
        Self {
            entries: Entries {
                registrations: registered.all(),
                rules: desk.tools.iter().map(rule).collect(),
            },
            forms: registered
                .hooks
                .iter()
                .map(|h| registered.form(&h.name))
                .collect(),
            commands: table.commands,
            digest: digest(&files),
            files,
        }
    }

    /// The file of this path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&WantedFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Every folder that the files need, parents first.
    #[must_use]
    pub fn folders(&self) -> BTreeSet<&str> {
        let mut folders = BTreeSet::new();
        for file in &self.files {
            let slashes = file.path.match_indices('/');
            folders.extend(slashes.map(|(at, _)| &file.path[..at]));
        }
        folders
    }
}

fn digest(files: &[WantedFile]) -> String {
    let all = files.iter().flat_map(|file| {
        let head = format!("{}\0{}\0", file.path, file.bytes.len());
        head.into_bytes()
            .into_iter()
            .chain(file.bytes.iter().copied())
    });
    sha256(&all.collect::<Vec<_>>())
}

fn files(desk: &Desk, registered: &Registered) -> Vec<WantedFile> {
    let mut files = Vec::new();
    let mut add = |path: String, kind, bytes: Vec<u8>| {
        files.push(WantedFile {
            path,
            kind,
            bytes,
            executable: kind == "tool",
        });
    };
    let text = |bytes: &[u8]| fill(bytes, "__DESK__", &desk.prefix.project);
    for (name, bytes) in each(&AGENTS) {
        add(format!(".claude/agents/{name}"), "agent", text(bytes));
    }
    for (name, bytes) in each(&BRIEFS) {
        add(format!("{OURS}/briefs/{name}"), "brief", text(bytes));
    }
    for (name, bytes) in each(&ASSETS).filter(|(name, _)| name.starts_with("skills/")) {
        add(format!(".claude/{name}"), "skill", text(bytes));
    }
    for name in ["README.md", "desk/README.md"] {
        add(format!("{OURS}/{name}"), "doc", text(asset(&ASSETS, name)));
    }
    for tool in &desk.tools {
        let bytes = fill(asset(&ASSETS, "desk/launcher"), "__TOOL__", tool);
        add(format!("{OURS}/desk/{tool}"), "tool", bytes);
    }
    for hook in &registered.hooks {
        let bytes = fill(asset(&HOOKS, "launcher"), "__HOOK__", &hook.name);
        add(format!("{OURS}/hooks/{}", hook.name), "hook", bytes);
    }
    for (name, source) in [
        ("exit-codes.json", "exit-codes.json"),
        (".gitignore", "gitignore"),
    ] {
        add(
            format!("{OURS}/{name}"),
            "data",
            asset(&ASSETS, source).to_vec(),
        );
    }
    files
}

/// The files of an embedded folder, with their path in it.
fn each(folder: &'static Dir<'static>) -> impl Iterator<Item = (String, &'static [u8])> {
    let mut found = Vec::new();
    let mut folders = vec![folder];
    while let Some(next) = folders.pop() {
        folders.extend(next.dirs());
        found.extend(next.files().map(|file| {
            let path = file.path().to_string_lossy().replace('\\', "/");
            (path, file.contents())
        }));
    }
    found.into_iter()
}

fn asset(folder: &Dir<'static>, path: &str) -> &'static [u8] {
    folder
        .get_file(path)
        .expect("the tests build every wanted file")
        .contents()
}

fn data<T: for<'de> Deserialize<'de>>(folder: &Dir<'static>, path: &str) -> T {
    serde_json::from_slice(asset(folder, path)).expect("the tests read the embedded data")
}

fn fill(bytes: &[u8], token: &str, with: &str) -> Vec<u8> {
    String::from_utf8_lossy(bytes)
        .replace(token, with)
        .into_bytes()
}

/// `assets/desk/tools.json`.
#[derive(Deserialize)]
struct Desk {
    prefix: ByScope,
    tools: Vec<String>,
    rule: String,
}

#[derive(Deserialize)]
struct ByScope {
    project: String,
}

/// `assets/exit-codes.json`.
#[derive(Deserialize)]
struct Table {
    commands: Vec<serde_json::Value>,
}

/// `hooks/registrations.json`.
#[derive(Deserialize)]
struct Registered {
    command: ByScope,
    timeout: u64,
    hooks: Vec<Hook>,
}

#[derive(Deserialize)]
struct Hook {
    name: String,
    events: Vec<HookEvent>,
}

#[derive(Deserialize)]
struct HookEvent {
    event: String,
    matcher: Option<String>,
}

impl Registered {
    fn all(&self) -> Vec<Registration> {
        let mut all = Vec::new();
        for hook in &self.hooks {
            for HookEvent { event, matcher } in &hook.events {
                all.push(Registration {
                    event: event.clone(),
                    matcher: matcher.clone(),
                    command: self.command.project.replace("__HOOK__", &hook.name),
                    timeout: self.timeout,
                    form: self.form(&hook.name),
                });
            }
        }
        all
    }

    /// What stands before and behind the path of the launcher's folder.
    fn form(&self, hook: &str) -> (String, String) {
        let command = self.command.project.replace("__HOOK__", hook);
        let launcher = format!("$CLAUDE_PROJECT_DIR/{OURS}");
        let (before, behind) = command
            .split_once(&launcher)
            .expect("the tests read the embedded data");
        (before.to_owned(), behind.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_filled() {
        let wanted = Wanted::project();
        for file in &wanted.files {
            let text = std::str::from_utf8(&file.bytes).unwrap();
            assert!(!text.contains("__"), "{}", file.path);
        }
        for registration in &wanted.entries.registrations {
            assert!(!registration.command.contains("__"));
            let (before, behind) = &registration.form;
            assert!(
                before.len() > 2 && behind.starts_with("/hooks/"),
                "{before} {behind}"
            );
        }
        assert!(
            wanted
                .entries
                .rules
                .contains(&"Bash(lean-computer-use desk-run:*)".to_owned())
        );
    }

    #[test]
    fn every_tool_is_a_command_of_the_table() {
        let wanted = Wanted::project();
        let names: Vec<_> = wanted
            .commands
            .iter()
            .map(|c| c["name"].as_str().unwrap())
            .collect();
        for tool in wanted.files.iter().filter(|file| file.executable) {
            let name = tool.path.rsplit('/').next().unwrap();
            assert!(names.contains(&name), "{name}");
        }
    }

    #[test]
    fn parents_come_first() {
        let wanted = Wanted::project();
        let folders: Vec<_> = wanted.folders().into_iter().collect();
        assert_eq!(folders[..2], [".claude", ".claude/agents"]);
    }
}
