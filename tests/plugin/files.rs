//! What the plugin consists of. In go the data that `install` uses and `release/project.toml`, out
//! come files with their paths in the repository. Reads and writes nothing.

use lean_computer_use::assets::{ASSETS, HOOKS};
use lean_computer_use::install::shipped::{Shipped, asset};
use lean_computer_use::install::{Place, Scope, Wanted};
use serde_json::{Map, Value, json};

/// One file of the plugin.
pub struct File {
    pub path: String,
    pub text: String,
    /// Whether it is started by its name.
    pub executable: bool,
}

/// What the plugin is made of.
pub struct Sources {
    wanted: Wanted,
    project: toml::Table,
    registrations: Value,
    licence: String,
}

impl Sources {
    pub fn new(project: &str, licence: &str) -> Self {
        let place = Place::new(Scope::Project, "/".into(), None);
        let registrations = asset(&HOOKS, "registrations.json");
        Self {
            wanted: Wanted::new(&place, "/".as_ref()).unwrap(),
            project: project.parse().unwrap(),
            registrations: serde_json::from_slice(registrations).unwrap(),
            licence: licence.to_owned(),
        }
    }

    /// Every file, in the order of their paths.
    pub fn files(&self) -> Vec<File> {
        let plain = |path: &str, text| File {
            path: path.to_owned(),
            text,
            executable: false,
        };
        let agent = self.installed(".claude/agents/desk-runner.md");
        let mut files = vec![
            plain(
                ".claude-plugin/marketplace.json",
                pretty(&self.marketplace()),
            ),
            plain(
                "plugin/.claude-plugin/plugin.json",
                pretty(&self.manifest()),
            ),
            plain("plugin/LICENSE", self.licence.clone()),
            plain("plugin/README.md", self.readme()),
            plain("plugin/agents/desk-runner.md", agent),
            File {
                executable: true,
                ..plain(
                    "plugin/bin/lean-computer-use",
                    text(asset(&ASSETS, "plugin/launcher")),
                )
            },
            plain("plugin/hooks/hooks.json", pretty(&self.hooks())),
        ];
        for hook in &self.shipped().registered.hooks {
            let launcher = text(asset(&HOOKS, "launcher-plugin"));
            let launcher = launcher.replace("__HOOK__", &hook.name);
            files.push(plain(&format!("plugin/hooks/{}", hook.name), launcher));
        }
        files.push(plain("plugin/skills/desk-task/SKILL.md", self.skill()));
        files
    }

    fn shipped(&self) -> &Shipped {
        &self.wanted.shipped
    }

    fn word(&self, key: &str) -> &str {
        self.project[key].as_str().unwrap()
    }

    /// A file as `install` writes it.
    fn installed(&self, path: &str) -> String {
        text(&self.wanted.file(path).unwrap().bytes)
    }

    fn manifest(&self) -> Value {
        json!({
            "name": self.word("name"),
            "version": env!("CARGO_PKG_VERSION"),
            "description": self.word("description"),
            "author": {"name": self.word("owner")},
            "homepage": self.word("homepage"),
            "repository": self.word("repository"),
            "license": self.word("license"),
            "keywords": self.project["topics"],
        })
    }

    fn marketplace(&self) -> Value {
        json!({
            "name": self.word("name"),
            "owner": {"name": self.word("owner")},
            "metadata": {"description": self.word("description")},
            "plugins": [{
                "name": self.word("name"),
                "source": "./plugin",
                "description": self.word("description"),
            }],
        })
    }

    /// The events of `install`, each with the plugin's own command.
    fn hooks(&self) -> Value {
        let form = self.registrations["command"]["plugin"].as_str().unwrap();
        let mut events = Map::new();
        for registration in self.shipped().registrations(Scope::Project, "") {
            let mut group = json!({"hooks": [{
                "type": "command",
                "command": form.replace("__HOOK__", &registration.hook),
                "timeout": registration.timeout,
            }]});
            if let Some(matcher) = registration.matcher {
                group["matcher"] = json!(matcher);
            }
            let groups = events
                .entry(registration.event)
                .or_insert_with(|| json!([]));
            groups.as_array_mut().unwrap().push(group);
        }
        json!({"hooks": events})
    }

    /// The skill with the brief in it: Claude Code refuses to read a plugin's files unasked, and
    /// names a plugin's agents by the plugin.
    fn skill(&self) -> String {
        let skill = self.installed(".claude/skills/desk-task/SKILL.md");
        let skill = put(
            &skill,
            "Copy `.claude/lean-computer-use/briefs/desk-brief.md` and",
            "Copy the brief below and",
        );
        let skill = put(
            &skill,
            ", below `.claude/lean-computer-use/local/evidence/`,",
            "",
        );
        let brief = self.installed(".claude/lean-computer-use/briefs/desk-brief.md");
        let all = format!("{skill}\n{}", put(&brief, "# Desk brief", "## Desk brief"));
        put(&all, "`desk-runner`", "`lean-computer-use:desk-runner`")
    }

    fn readme(&self) -> String {
        let readme = text(asset(&ASSETS, "plugin/README.md"));
        let readme = put(&readme, "__REPOSITORY__", self.word("repository"));
        let rules = self.shipped().rules(&self.shipped().desk.prefix);
        let rules = json!({"permissions": {"allow": rules}});
        put(&readme, "__RULES__", pretty(&rules).trim_end())
    }
}

/// Replaces what must be there.
fn put(text: &str, what: &str, with: &str) -> String {
    // A line may end anywhere in it.
    let words: Vec<_> = what.split(' ').map(regex_lite::escape).collect();
    let pattern = regex_lite::Regex::new(&words.join(r"\s+")).unwrap();
    assert!(pattern.is_match(text), "{what:?} is not in {text}");
    pattern
        .replace_all(text, regex_lite::NoExpand(with))
        .into_owned()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}
