//! What an install says: what it did, what it left alone, what to do next, and what is doubtful.

use std::io::Write;

use anyhow::Result;
use serde_json::json;

use crate::cmd::claude_version::{self, Age};
use crate::cmd::place::Opened;
use crate::cmd::tracked;
use crate::escape::{quoted, shown};
use crate::host::Host;
use crate::install::actions::{Action, left_alone};
use crate::install::manifest::WithoutHooks;
use crate::install::{Binary, OnPath, Plan, Scope};

/// Everything that there is to say.
pub struct Report<'a> {
    /// Where.
    pub opened: &'a Opened,
    /// What was decided.
    pub plan: &'a Plan<'a>,
    /// What the launchers start.
    pub binary: &'a Binary,
    /// What is done.
    pub actions: Vec<Action>,
    /// Whether it was not done after all.
    pub dry: bool,
}

impl Report<'_> {
    /// One JSON document.
    pub fn json(&self, host: &mut Host) -> Result<()> {
        let mut warnings = Vec::new();
        self.warnings(host, &mut warnings);
        let answer = json!({
            "schema": 1,
            "scope": self.opened.place.scope,
            "root": self.opened.place.root.to_string_lossy(),
            "version": env!("CARGO_PKG_VERSION"),
            "dry_run": self.dry,
            "actions": self.actions,
            "allowed": self.allowed(),
            "rules": self.plan.wanted.entries.rules,
            "binary": self.binary.path.to_string_lossy(),
            "warnings": warnings,
        });
        serde_json::to_writer_pretty(&mut host.out, &answer)?;
        Ok(writeln!(host.out)?)
    }

    /// A few lines.
    pub fn text(&self, host: &mut Host) -> Result<()> {
        let place = shown(&self.opened.place.root.to_string_lossy());
        let version = env!("CARGO_PKG_VERSION");
        let line = if !self.changes() {
            format!("nothing to do: lean-computer-use {version} is installed in {place}")
        } else if self.dry {
            format!("would install lean-computer-use {version} in {place}, and writes nothing:")
        } else {
            format!("installed lean-computer-use {version} in {place}")
        };
        writeln!(host.out, "{line}")?;
        if self.dry {
            for Action { does, path } in &self.actions {
                writeln!(host.out, "  {does:<10} {}", shown(path))?;
            }
        } else {
            self.done(host)?;
        }
        self.permissions(host)?;
        if self.changes() && !self.dry {
            self.next(host, &place)?;
        }
        let mut warnings = Vec::new();
        self.warnings(host, &mut warnings);
        for warning in warnings {
            writeln!(host.err, "warning: {warning}")?;
        }
        Ok(())
    }

    fn changes(&self) -> bool {
        self.actions.iter().any(Action::changes)
    }

    fn allowed(&self) -> bool {
        self.plan
            .settings
            .as_ref()
            .is_ok_and(|settings| settings.allowed)
    }

    fn done(&self, host: &mut Host) -> Result<()> {
        let below = match self.opened.place.scope {
            Scope::User => String::new(),
            Scope::Project | Scope::Local => " below .claude".to_owned(),
        };
        let written = self
            .actions
            .iter()
            .filter(|action| action.writes_file())
            .count();
        if written > 0 {
            writeln!(host.out, "  {written} files written{below}")?;
        }
        for action in self
            .actions
            .iter()
            .filter(|action| action.changes_settings())
        {
            let what = match action.does {
                "merge" => "merged into",
                _ => "taken out of",
            };
            writeln!(host.out, "  entries {what} {}", action.path)?;
        }
        let merged = self.actions.iter().any(Action::changes_settings);
        if self.changes() && written == 0 && !merged {
            writeln!(host.out, "  recorded which binary the launchers start here")?;
        }
        if self.changes() && self.binary.copied_from.is_some() {
            let path = shown(&host.friendly(&self.binary.path));
            writeln!(
                host.out,
                "  npx forgets its programs: this one was copied to {path}, which stays"
            )?;
        }
        if self.opened.found.journal.is_some() {
            let what = "completed what an earlier run had left half done";
            writeln!(host.out, "  {what}")?;
        }
        for action in self
            .actions
            .iter()
            .filter(|action| action.does == "replace")
        {
            writeln!(
                host.out,
                "  replaced, and kept in a backup: {}",
                action.path
            )?;
        }
        match self.plan.without_hooks {
            Some(WithoutHooks::Asked) => writeln!(host.out, "  no hooks, as you asked")?,
            Some(WithoutHooks::Plugin) => writeln!(
                host.out,
                "  no hooks: the enabled plugin of lean-computer-use brings them"
            )?,
            None => {}
        }
        self.left(host)
    }

    fn left(&self, host: &mut Host) -> Result<()> {
        let (edited, removed) = left_alone(self.plan);
        for (path, offered) in edited {
            let beside = if offered {
                "; the new text is beside it as .new"
            } else {
                ""
            };
            writeln!(host.out, "  kept as you edited it: {path}{beside}")?;
        }
        for path in removed {
            writeln!(host.out, "  left out as you removed it: {path}")?;
        }
        Ok(())
    }

    fn permissions(&self, host: &mut Host) -> Result<()> {
        if self.allowed() {
            writeln!(
                host.out,
                "  the desk commands are allowed in permissions.allow"
            )?;
            return Ok(());
        }
        let flag = match self.opened.place.scope {
            Scope::Project => "",
            Scope::Local => " --local",
            Scope::User => " --user",
        };
        writeln!(
            host.out,
            "  the desk commands are not allowed: each call asks, and background subagents are refused\n  \
             to allow them: lean-computer-use install{flag} --allow"
        )?;
        if self.changes() {
            writeln!(host.out, "  which adds to permissions.allow")?;
            for rule in &self.plan.wanted.entries.rules {
                writeln!(host.out, "    {rule}")?;
            }
        }
        Ok(())
    }

    fn next(&self, host: &mut Host, place: &str) -> Result<()> {
        if self.opened.place.scope == Scope::Local {
            writeln!(
                host.out,
                "do not commit .claude/agents/desk-runner.md and .claude/skills/desk-task: they name \
                 this machine's binary; .git/info/exclude keeps them out"
            )?;
        }
        let start = match self.opened.place.scope {
            Scope::User => "start claude in any project".to_owned(),
            Scope::Project | Scope::Local => format!("start claude in {place}"),
        };
        Ok(writeln!(
            host.out,
            "next: {start}; hooks and agent start with the next session"
        )?)
    }

    fn warnings(&self, host: &Host, warnings: &mut Vec<String>) {
        let path = shown(&host.friendly(&self.binary.path));
        // In the other scopes agents call the program by its whole path.
        if self.opened.place.scope == Scope::Project {
            match &self.binary.on_path {
                OnPath::This => {}
                OnPath::Nothing => warnings.push(format!(
                    "lean-computer-use is not on PATH, and agents call it by its name: put {path} on PATH"
                )),
                OnPath::Other(other) => warnings.push(format!(
                    "PATH leads to another lean-computer-use, {}, and agents call it by its name",
                    shown(&host.friendly(other))
                )),
            }
        }
        if self.binary.may_go_away {
            warnings.push(format!(
                "{path} lies in a build or temp folder and may go away: install again from where it stays"
            ));
        }
        if tracked::local_is_tracked(&self.opened.place, host) {
            let what = quoted(&self.opened.place.names.local);
            warnings.push(format!(
                "git tracks {what}, which belongs to one machine: git rm -r --cached {what}"
            ));
        }
        self.claude(host, warnings);
        let settings = &self.plan.wanted.names.settings;
        if self
            .plan
            .settings
            .as_ref()
            .is_ok_and(|settings| settings.marked)
        {
            warnings.push(format!(
                "{settings} starts with a byte order mark, which old versions of Claude Code refuse"
            ));
        }
        if let (Some(reason), None) = (self.plan.inert(), self.plan.without_hooks) {
            warnings.push(format!(
                "the hooks are registered and will not run: {reason}"
            ));
        }
    }

    /// A Claude Code that is too old. Where its path does not tell, only a run that changed
    /// something takes the time to ask it.
    fn claude(&self, host: &Host, warnings: &mut Vec<String>) {
        let ask = self.changes() && !self.dry;
        let said = claude_version::told(host);
        let said = said.or_else(|| ask.then(|| claude_version::asked(host)).flatten());
        if let Some(said) = said.filter(|said| claude_version::age(said) == Age::TooOld) {
            let word = shown(said.split_whitespace().next().unwrap_or_default());
            let oldest = claude_version::oldest();
            warnings.push(format!(
                "Claude Code {word} is older than {oldest}, the oldest that was tried: claude update"
            ));
        }
    }
}
