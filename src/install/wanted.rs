//! What should exist in a place: every file with its path, bytes and mode, every hook handler and
//! permission rule. In go the embedded assets, out comes a value; tokens are filled here. Does not
//! look at the disk.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use include_dir::Dir;

use super::place::{Names, Place, Scope};
use super::settings::{Entries, Form};
use super::shipped::{Shipped, asset, in_single_quotes, shell_word};
use crate::assets::{AGENTS, ASSETS, BRIEFS, HOOKS};
use crate::escape;
use crate::files::sha256;

/// Everything that an install of this release leaves in a place.
#[derive(Debug)]
pub struct Wanted {
    /// Its scope.
    pub scope: Scope,
    /// The names it uses.
    pub names: Names,
    /// Files, in the order of their paths.
    pub files: Vec<WantedFile>,
    /// Our part of the settings; the rules only when they are asked for.
    pub entries: Entries,
    /// How a handler of each hook is written, in any release.
    pub forms: Vec<(String, Form)>,
    /// The exit-code table.
    pub commands: Vec<serde_json::Value>,
    /// SHA-256 over all files of project scope with their paths: the same on every machine.
    pub digest: String,
    /// Files that only earlier releases installed.
    pub earlier: Vec<String>,
    /// The data it was made from.
    pub shipped: Shipped,
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
    /// What `place` wants, when the launchers are to start `binary`. Project scope names no path
    /// of this machine, so there the binary is not used.
    pub fn new(place: &Place, binary: &Path) -> Result<Self> {
        let shipped = Shipped::read();
        let scope = place.scope;
        let [ours, binary] = [&place.at(&place.names.ours), binary].map(|path| {
            let text = path.to_str().map(|text| text.replace('\\', "/"));
            text.with_context(|| {
                format!(
                    "could not use the path {}: it is not UTF-8",
                    escape::path(path)
                )
            })
        });
        let (ours, binary) = (ours?, binary?);
        let prefix = match scope {
            Scope::Project => shipped.desk.prefix.clone(),
            Scope::Local | Scope::User => shell_word(&binary),
        };
        let files = |scope, prefix: &str| {
            let fill = Fill {
                shipped: &shipped,
                scope,
                names: &Names::new(scope),
                prefix,
                binary: &binary,
            };
            fill.files()
        };
        Ok(Self {
            entries: Entries {
                registrations: shipped.registrations(scope, &ours),
                rules: shipped.rules(&prefix),
            },
            forms: shipped.forms(scope),
            commands: shipped.table.commands.clone(),
            digest: digest(&files(Scope::Project, &shipped.desk.prefix)),
            earlier: shipped
                .earlier
                .files
                .iter()
                .map(|path| format!("{}{path}", place.names.prefix))
                .collect(),
            files: files(scope, &prefix),
            names: place.names.clone(),
            scope,
            shipped,
        })
    }

    /// The file of this path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&WantedFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Whether some release of ours installs a file here.
    #[must_use]
    pub fn knows(&self, path: &str) -> bool {
        self.file(path).is_some() || self.earlier.iter().any(|earlier| earlier == path)
    }

    /// Every folder that the files need, and the machine's own, parents first. The root itself is
    /// one in user scope.
    #[must_use]
    pub fn folders(&self) -> BTreeSet<&str> {
        let mut folders = BTreeSet::from([self.names.local.as_str()]);
        if self.names.prefix.is_empty() {
            folders.insert("");
        }
        for file in &self.files {
            folders.extend(above(&file.path));
        }
        folders
    }

    /// Those, and the folders of earlier releases.
    #[must_use]
    pub fn known_folders(&self) -> BTreeSet<&str> {
        let mut folders = self.folders();
        folders.extend(self.earlier.iter().flat_map(|path| above(path)));
        folders
    }
}

fn above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
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

/// The brief, as the skill names it.
const BRIEF: &str = "`.claude/lean-computer-use/briefs/desk-brief.md`";

/// What the tokens of the embedded files stand for.
struct Fill<'a> {
    shipped: &'a Shipped,
    scope: Scope,
    names: &'a Names,
    prefix: &'a str,
    binary: &'a str,
}

impl Fill<'_> {
    fn files(&self) -> Vec<WantedFile> {
        let mut files = Vec::new();
        let mut add = |path: String, kind, bytes: Vec<u8>| {
            files.push(WantedFile {
                path,
                kind,
                bytes,
                executable: kind == "tool",
            });
        };
        let (base, ours) = (self.names.prefix, &self.names.ours);
        for (name, bytes) in each(&AGENTS) {
            add(format!("{base}agents/{name}"), "agent", self.text(bytes));
        }
        for (name, bytes) in each(&BRIEFS) {
            add(format!("{ours}/briefs/{name}"), "brief", self.text(bytes));
        }
        for (name, bytes) in each(&ASSETS).filter(|(name, _)| name.starts_with("skills/")) {
            add(format!("{base}{name}"), "skill", self.skill(bytes));
        }
        for name in ["README.md", "desk/README.md"] {
            add(
                format!("{ours}/{name}"),
                "doc",
                self.text(asset(&ASSETS, name)),
            );
        }
        let user = self.scope == Scope::User;
        let launcher = if user {
            "desk/launcher-user"
        } else {
            "desk/launcher"
        };
        for tool in &self.shipped.desk.tools {
            let bytes = self.launcher(asset(&ASSETS, launcher), "__TOOL__", tool);
            add(format!("{ours}/desk/{tool}"), "tool", bytes);
        }
        let launcher = if user { "launcher-user" } else { "launcher" };
        for hook in &self.shipped.registered.hooks {
            let bytes = self.launcher(asset(&HOOKS, launcher), "__HOOK__", &hook.name);
            add(format!("{ours}/hooks/{}", hook.name), "hook", bytes);
        }
        let local = self.scope == Scope::Local;
        let ignored = if local {
            "gitignore-local"
        } else {
            "gitignore"
        };
        for (name, source) in [
            ("exit-codes.json", "exit-codes.json"),
            (".gitignore", ignored),
        ] {
            add(
                format!("{ours}/{name}"),
                "data",
                asset(&ASSETS, source).to_vec(),
            );
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files
    }

    fn text(&self, bytes: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(bytes);
        text.replace("__DESK__", self.prefix).into_bytes()
    }

    /// In user scope with the brief in it: Claude Code reads nothing outside the project unasked
    /// but a skill itself (seen with 2.1.197 and 2.1.332).
    fn skill(&self, bytes: &[u8]) -> Vec<u8> {
        if self.scope != Scope::User {
            return self.text(bytes);
        }
        let text = String::from_utf8_lossy(bytes).replace(BRIEF, "the brief below");
        let brief = String::from_utf8_lossy(asset(&BRIEFS, "desk-brief.md"));
        let all = format!("{text}\n#{brief}");
        self.text(all.as_bytes())
    }

    fn launcher(&self, bytes: &[u8], token: &str, name: &str) -> Vec<u8> {
        let text = String::from_utf8_lossy(bytes).replace(token, name);
        text.replace("__BINARY__", &in_single_quotes(self.binary))
            .into_bytes()
    }
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn wanted(scope: Scope) -> Wanted {
        let place = Place::new(scope, PathBuf::from("/home/it's me/.claude"), None);
        Wanted::new(&place, Path::new("/opt/a b/lean-computer-use")).unwrap()
    }

    #[test]
    fn every_token_is_filled() {
        for scope in [Scope::Project, Scope::Local, Scope::User] {
            let wanted = wanted(scope);
            for file in &wanted.files {
                let text = std::str::from_utf8(&file.bytes).unwrap();
                assert!(!text.contains("__"), "{}", file.path);
            }
            for registration in &wanted.entries.registrations {
                assert!(!registration.command.contains("__"));
                assert!(registration.form.fits(&registration.command));
                let mut spellings = registration.form.spellings.iter();
                assert!(spellings.all(|spelling| spelling.behind.starts_with("/hooks/")));
            }
            assert!(
                wanted
                    .entries
                    .rules
                    .iter()
                    .all(|rule| wanted.shipped.is_rule(rule))
            );
            assert_eq!(wanted.digest, self::wanted(Scope::Project).digest);
        }
    }

    #[test]
    fn a_project_names_no_path_of_this_machine() {
        let text = |scope| {
            let files = wanted(scope).files.into_iter();
            let files: Vec<_> = files
                .filter(|f| String::from_utf8_lossy(&f.bytes).contains("/opt/a b"))
                .collect();
            files.into_iter().map(|f| f.path).collect::<Vec<_>>()
        };
        assert_eq!(text(Scope::Project), Vec::<String>::new());
        assert!(text(Scope::Local).contains(&".claude/agents/desk-runner.md".to_owned()));
        assert!(text(Scope::User).contains(&"lean-computer-use/hooks/retry-guard".to_owned()));
    }

    #[test]
    fn the_users_skill_holds_the_brief() {
        let skill = |scope| {
            let wanted = wanted(scope);
            let skill = wanted
                .files
                .iter()
                .find(|file| file.kind == "skill")
                .unwrap();
            String::from_utf8(skill.bytes.clone()).unwrap()
        };
        assert!(skill(Scope::Project).contains(BRIEF));
        let skill = skill(Scope::User);
        assert!(!skill.contains("briefs/"), "{skill}");
        assert!(skill.contains("\n## Desk brief\n"), "{skill}");
    }

    #[test]
    fn every_tool_is_a_command_of_the_table() {
        let wanted = wanted(Scope::Project);
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
        let wanted = wanted(Scope::Project);
        let folders: Vec<_> = wanted.folders().into_iter().collect();
        assert_eq!(folders[..2], [".claude", ".claude/agents"]);
        let wanted = self::wanted(Scope::User);
        let folders: Vec<_> = wanted.folders().into_iter().collect();
        assert_eq!(folders[..2], ["", "agents"]);
    }
}
