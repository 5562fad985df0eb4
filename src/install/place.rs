//! Where an install lives: its scope, its root and the names in it. In go a scope and a root, out
//! come paths. Reads nothing.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Whose settings hold the hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// A project's settings.json: committed, for everybody who works on it.
    Project,
    /// The same files, but the project's settings.local.json: for this machine only.
    Local,
    /// The user's own folder: for every project of this user.
    User,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Project => "project",
            Self::Local => "local",
            Self::User => "user",
        })
    }
}

/// The names of an install, from its root, with forward slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// What stands before every other name: `.claude/` in a project, nothing in the user's folder,
    /// which is such a folder itself.
    pub prefix: &'static str,
    /// The folder that is ours alone.
    pub ours: String,
    /// The part of it that belongs to one machine.
    pub local: String,
    /// The manifest.
    pub manifest: String,
    /// What a run that was cut off leaves behind.
    pub journal: String,
    /// The settings file that is merged.
    pub settings: String,
}

impl Names {
    /// The names in this scope.
    #[must_use]
    pub fn new(scope: Scope) -> Self {
        let prefix = if scope == Scope::User { "" } else { ".claude/" };
        let ours = format!("{prefix}lean-computer-use");
        let settings = match scope {
            Scope::Local => "settings.local.json",
            Scope::Project | Scope::User => "settings.json",
        };
        Self {
            prefix,
            local: format!("{ours}/local"),
            manifest: format!("{ours}/manifest.json"),
            journal: format!("{ours}/local/journal.json"),
            settings: format!("{prefix}{settings}"),
            ours,
        }
    }

    /// Every settings file that an install at this root could have merged.
    pub fn settings_files(&self) -> impl Iterator<Item = String> {
        let local =
            (!self.prefix.is_empty()).then(|| format!("{}settings.local.json", self.prefix));
        [format!("{}settings.json", self.prefix)]
            .into_iter()
            .chain(local)
    }

    /// Where the bytes of a replaced file are kept.
    #[must_use]
    pub fn backup(&self, sha256: &str) -> String {
        format!("{}/backups/{sha256}", self.local)
    }
}

/// One install.
#[derive(Debug, Clone)]
pub struct Place {
    /// Its scope.
    pub scope: Scope,
    /// The project, or the user's own folder; absolute and without links.
    pub root: PathBuf,
    /// The names in it.
    pub names: Names,
    /// Whether links may lead out of the root.
    pub follow_links: bool,
    /// Claude Code's folder of this user, when there is one.
    pub config: Option<PathBuf>,
}

impl Place {
    /// An install of this scope. Links out of a project are not followed; the user's own folder
    /// may be a web of links.
    #[must_use]
    pub fn new(scope: Scope, root: PathBuf, config: Option<PathBuf>) -> Self {
        Self {
            names: Names::new(scope),
            follow_links: scope == Scope::User,
            scope,
            root,
            config,
        }
    }

    /// A name as a path.
    #[must_use]
    pub fn at(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The folder whose handle is the lock: the root, or above it what is there for sure.
    #[must_use]
    pub fn lock(&self) -> &Path {
        match self.scope {
            Scope::User => self.root.parent().unwrap_or(&self.root),
            Scope::Project | Scope::Local => &self.root,
        }
    }
}
