//! The embedded data that an install is made of: which tools and hooks there are, how their
//! commands are written, and what earlier releases called them. In go the assets, out come values.

use include_dir::Dir;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::place::Scope;
use super::settings::{Form, Registration, Spelling};
use crate::assets::{ASSETS, HOOKS};

/// `assets/desk/tools.json`.
#[derive(Debug, Deserialize)]
pub struct Desk {
    /// How agents call the program in project scope.
    pub prefix: String,
    /// The desk commands.
    pub tools: Vec<String>,
    /// A permission rule, with tokens.
    pub rule: String,
}

/// `assets/exit-codes.json`.
#[derive(Debug, Deserialize)]
pub struct Table {
    /// One entry a command.
    pub commands: Vec<serde_json::Value>,
}

/// `assets/earlier.json`: what earlier releases installed and this one does not.
#[derive(Debug, Default, Deserialize)]
pub struct Earlier {
    /// Files, from the folder that holds `agents/`.
    pub files: Vec<String>,
    /// Hooks.
    pub hooks: Vec<String>,
    /// Desk commands.
    pub tools: Vec<String>,
    /// How they wrote the commands of hooks.
    commands: Vec<Commands>,
}

/// `hooks/registrations.json`.
#[derive(Debug, Deserialize)]
pub struct Registered {
    command: Commands,
    timeout: u64,
    /// The hooks.
    pub hooks: Vec<Hook>,
}

/// The command of a hook, with tokens.
#[derive(Debug, Deserialize)]
struct Commands {
    project: String,
    user: String,
}

/// One hook.
#[derive(Debug, Deserialize)]
pub struct Hook {
    /// Such as `retry-guard`.
    pub name: String,
    events: Vec<HookEvent>,
}

#[derive(Debug, Deserialize)]
struct HookEvent {
    event: String,
    matcher: Option<String>,
}

/// Everything, read once.
#[derive(Debug)]
pub struct Shipped {
    /// The desk commands.
    pub desk: Desk,
    /// The exit codes.
    pub table: Table,
    /// The hooks.
    pub registered: Registered,
    /// What was there before.
    pub earlier: Earlier,
}

impl Shipped {
    /// Reads the embedded data.
    ///
    /// # Panics
    /// When it is not what this build expects, which a test rules out.
    #[must_use]
    pub fn read() -> Self {
        Self {
            desk: data(&ASSETS, "desk/tools.json"),
            table: data(&ASSETS, "exit-codes.json"),
            registered: data(&HOOKS, "registrations.json"),
            earlier: data(&ASSETS, "earlier.json"),
        }
    }

    /// The handlers to register. `ours` is the absolute folder of the launchers, needed in user
    /// scope only.
    #[must_use]
    pub fn registrations(&self, scope: Scope, ours: &str) -> Vec<Registration> {
        let mut all = Vec::new();
        for hook in &self.registered.hooks {
            let form = self.form(scope, &hook.name);
            let command = form.command(&match scope {
                Scope::User => in_single_quotes(ours),
                Scope::Project | Scope::Local => {
                    "$CLAUDE_PROJECT_DIR/.claude/lean-computer-use".to_owned()
                }
            });
            for HookEvent { event, matcher } in &hook.events {
                all.push(Registration {
                    hook: hook.name.clone(),
                    event: event.clone(),
                    matcher: matcher.clone(),
                    command: command.clone(),
                    timeout: self.registered.timeout,
                    form: form.clone(),
                });
            }
        }
        all
    }

    /// Every form that a handler of ours can have in this scope, with the hook's name.
    #[must_use]
    pub fn forms(&self, scope: Scope) -> Vec<(String, Form)> {
        let names = self.registered.hooks.iter().map(|hook| &hook.name);
        names
            .chain(&self.earlier.hooks)
            .map(|name| (name.clone(), self.form(scope, name)))
            .collect()
    }

    /// How the command of a hook is written, and how earlier releases wrote it.
    fn form(&self, scope: Scope, hook: &str) -> Form {
        let now = std::iter::once(&self.registered.command);
        Form {
            spellings: now
                .chain(&self.earlier.commands)
                .map(|commands| commands.spelling(scope, hook))
                .collect(),
            quote: match scope {
                Scope::User => '\'',
                Scope::Project | Scope::Local => '"',
            },
        }
    }

    /// The permission rules, for agents that call the program by `prefix`.
    #[must_use]
    pub fn rules(&self, prefix: &str) -> Vec<String> {
        let rule = |tool: &String| self.rule(prefix, tool);
        self.desk.tools.iter().map(rule).collect()
    }

    /// Whether an install of ours can have added this rule: any path of the program, any tool.
    #[must_use]
    pub fn is_rule(&self, rule: &str) -> bool {
        let tools = self.desk.tools.iter().chain(&self.earlier.tools);
        tools.into_iter().any(|tool| {
            let form = self.rule("\0", tool);
            let (before, behind) = form.split_once('\0').unwrap_or_default();
            let called = rule
                .strip_prefix(before)
                .and_then(|rest| rest.strip_suffix(behind));
            called.is_some_and(|called| is_program(called, &self.desk.prefix))
        })
    }

    fn rule(&self, prefix: &str, tool: &str) -> String {
        let rule = self.desk.rule.replace("__TOOL__", tool);
        rule.replace("__DESK__", prefix)
    }
}

impl Commands {
    fn spelling(&self, scope: Scope, hook: &str) -> Spelling {
        let template = match scope {
            Scope::User => &self.user,
            Scope::Project | Scope::Local => &self.project,
        };
        let template = template.replace("__HOOK__", hook);
        let (before, behind) = template
            .split_once("__OURS__")
            .expect("the tests read the embedded data");
        Spelling {
            before: before.to_owned(),
            behind: behind.to_owned(),
        }
    }
}

/// A word that a shell takes for the program: its bare name, or an absolute path to it.
fn is_program(called: &str, bare: &str) -> bool {
    let quoted = called
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''));
    let path = quoted.map_or(called.to_owned(), |inner| inner.replace(r"'\''", "'"));
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    called == bare || (shell_word(&path) == called && path.contains('/') && name.starts_with(bare))
}

/// `path` as one word of a shell command, bare when nothing in it is special.
#[must_use]
pub fn shell_word(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:+@%,".contains(c);
    if path.chars().all(plain) {
        return path.to_owned();
    }
    format!("'{}'", in_single_quotes(path))
}

/// `text` as it stands between the single quotes of a shell command.
#[must_use]
pub fn in_single_quotes(text: &str) -> String {
    text.replace('\'', r"'\''")
}

fn data<T: DeserializeOwned>(folder: &Dir<'static>, path: &str) -> T {
    serde_json::from_slice(asset(folder, path)).expect("the tests read the embedded data")
}

/// The bytes of an embedded file.
///
/// # Panics
/// When there is none, which a test rules out.
#[must_use]
pub fn asset(folder: &Dir<'static>, path: &str) -> &'static [u8] {
    folder
        .get_file(path)
        .expect("the tests build every wanted file")
        .contents()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rules_of_our_form_are_ours() {
        let shipped = Shipped::read();
        for (rule, want) in [
            ("Bash(lean-computer-use desk-run:*)", true),
            ("Bash(/opt/bin/lean-computer-use desk:*)", true),
            ("Bash('/o p/lean-computer-use' desk:*)", true),
            (r"Bash('/it'\''s/lean-computer-use' desk:*)", true),
            ("Bash(/o p/lean-computer-use desk:*)", false),
            ("Bash(/bin/rm desk:*)", false),
            ("Bash(lean-computer-use rm:*)", false),
            ("Bash(desk:*)", false),
            ("Read", false),
        ] {
            assert_eq!(shipped.is_rule(rule), want, "{rule}");
        }
        for prefix in [
            "lean-computer-use",
            &shell_word("/it's a/lean-computer-use"),
        ] {
            assert!(
                shipped
                    .rules(prefix)
                    .iter()
                    .all(|rule| shipped.is_rule(rule))
            );
        }
    }

    #[test]
    fn user_commands_survive_any_folder() {
        let shipped = Shipped::read();
        let all = shipped.registrations(Scope::User, "/it's $HOME/lean-computer-use");
        assert_eq!(
            all[0].command,
            r"{ ( . '/it'\''s $HOME/lean-computer-use/hooks/retry-guard' ) || true; } 2>/dev/null || true"
        );
        let project = shipped.registrations(Scope::Local, "");
        assert_eq!(
            project[0].command,
            r#"{ ( . "$CLAUDE_PROJECT_DIR/.claude/lean-computer-use/hooks/retry-guard" ) || true; } 2>/dev/null || true"#
        );
    }
}
