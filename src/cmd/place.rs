//! Which install a command means: `--user`, `--local` or a project, found, locked and read. Shared
//! by `install`, `uninstall`, `verify`, `status`, `diff` and `doctor`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use fs_err as fs;

use crate::escape::{self, shown};
use crate::files::read_if_present;
use crate::host::Host;
use crate::install::found::{self, Found};
use crate::install::lock::{self, Hold};
use crate::install::{Binary, Journal, Manifest, Place, Scope, Wanted, binary, scope};

/// Arguments that say where.
#[derive(Debug, Default, Clone, clap::Args)]
pub struct Where {
    /// The user's own folder: `$CLAUDE_CONFIG_DIR` or ~/.claude
    #[arg(long, conflicts_with_all = ["local", "project"])]
    pub user: bool,
    /// The project, with the hooks in settings.local.json, which is not committed
    #[arg(long)]
    pub local: bool,
    /// The project folder [default: the nearest one upwards with .claude or .git]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
}

/// How a place is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To install: the scope is what was asked for, the binary the running one.
    Install {
        /// Links out of the project are followed.
        follow_links: bool,
    },
    /// To uninstall: links are followed when the install did.
    Uninstall,
    /// To look, through any link.
    Look,
}

/// A place that was read under its lock.
pub struct Opened {
    /// The place.
    pub place: Place,
    /// What it wants.
    pub wanted: Wanted,
    /// What it holds.
    pub found: Found,
    /// What the last install left.
    pub recorded: Option<Manifest>,
    /// Nobody else installs here as long as this is there.
    hold: Hold,
}

impl Where {
    /// Finds, locks and reads the place. `running` is the binary that an install would record.
    pub fn open(&self, purpose: Purpose, running: &Path, host: &Host) -> Result<Opened> {
        let root = if self.user {
            user_root(host)?
        } else {
            project_root(self.project.as_deref(), host)?
        };
        let mut place = Place::new(self.scope(), root, config_folder(host));
        place.follow_links |= purpose
            != Purpose::Install {
                follow_links: false,
            };
        let hold = lock::hold(place.lock())?;
        let root = shown(&place.root.to_string_lossy());
        let opened = read(place, purpose, running, hold);
        if self.user {
            return opened.with_context(|| format!("in {root}"));
        }
        let opened = opened?;
        let installed = opened.recorded.as_ref().map(|manifest| manifest.scope);
        match installed {
            None => Ok(opened),
            Some(_) if matches!(purpose, Purpose::Install { .. }) => Ok(opened),
            Some(installed) if installed == opened.place.scope => Ok(opened),
            Some(installed) if self.local => {
                bail!("not installed in local scope: {root} has an install in {installed} scope")
            }
            Some(installed) => {
                let mut place = Place::new(installed, opened.place.root, opened.place.config);
                place.follow_links = true;
                read(place, purpose, running, opened.hold)
            }
        }
    }

    fn scope(&self) -> Scope {
        match (self.user, self.local) {
            (true, _) => Scope::User,
            (false, true) => Scope::Local,
            (false, false) => Scope::Project,
        }
    }
}

impl Opened {
    /// The manifest, or that there is none.
    pub fn installed(&self) -> Result<&Manifest> {
        let root = shown(&self.place.root.to_string_lossy());
        let flag = if self.place.scope == Scope::User {
            " --user"
        } else {
            ""
        };
        self.recorded.as_ref().with_context(|| {
            format!("not installed in {root}: run lean-computer-use install{flag}")
        })
    }
}

fn read(place: Place, purpose: Purpose, running: &Path, hold: Hold) -> Result<Opened> {
    let name = format!("{}/binary", place.names.local);
    let last = read_if_present(&place.at(&name)).ok().flatten();
    let last = last.and_then(|record| binary::recorded(&record));
    let wanted = match (purpose, last) {
        (Purpose::Uninstall | Purpose::Look, Some((last, _))) => Wanted::new(&place, &last)?,
        _ => Wanted::new(&place, running)?,
    };
    let found = found::look(&place, &wanted)?;
    let recorded = recorded(&found, &wanted, &place)?;
    let mut opened = Opened {
        place,
        wanted,
        found,
        recorded,
        hold,
    };
    let followed = opened
        .recorded
        .as_ref()
        .is_some_and(|manifest| manifest.follow_links);
    if purpose == Purpose::Uninstall && opened.place.scope != Scope::User && !followed {
        opened.place.follow_links = false;
        opened.found = found::look(&opened.place, &opened.wanted)?;
    }
    Ok(opened)
}

/// What the last install left, checked; after one that was cut off, what is true now.
fn recorded(found: &Found, wanted: &Wanted, place: &Place) -> Result<Option<Manifest>> {
    let doubt =
        |name: &str, what: &str| format!("could not trust {name}, so nothing was done: {what}");
    if let Some(bytes) = &found.journal {
        let journal = Journal::parse(bytes, wanted)
            .with_context(|| doubt(&place.names.journal, "remove it"))?;
        return Ok(journal.recorded(found));
    }
    let Some(bytes) = &found.manifest else {
        return Ok(None);
    };
    let manifest = Manifest::parse(bytes, wanted).with_context(|| {
        doubt(
            &place.names.manifest,
            "get it back from version control, or remove it",
        )
    })?;
    Ok(Some(manifest))
}

/// Claude Code's folder of this user; an empty or relative `CLAUDE_CONFIG_DIR` counts as unset.
pub fn config_folder(host: &Host) -> Option<PathBuf> {
    let asked = host.folder_var("CLAUDE_CONFIG_DIR").map(Path::to_owned);
    asked.or_else(|| Some(host.home()?.join(".claude")))
}

/// The user's own folder without links, which need not be there; the folder above it must.
fn user_root(host: &Host) -> Result<PathBuf> {
    let folder = config_folder(host).context(
        "could not find the user's folder: set HOME or CLAUDE_CONFIG_DIR to an absolute path",
    )?;
    if let Ok(real) = fs::canonicalize(&folder) {
        ensure!(
            real.is_dir(),
            "could not use {}: it is no folder",
            escape::path(&folder)
        );
        return Ok(real);
    }
    ensure!(
        fs::symlink_metadata(&folder).is_err(),
        "could not follow the link {}: mend or remove it",
        escape::path(&folder)
    );
    let (above, name) = (folder.parent(), folder.file_name());
    let (above, name) = above
        .zip(name)
        .context("could not use the root of the disk as the user's folder")?;
    let above = fs::canonicalize(above).with_context(|| {
        format!(
            "could not find the folder that {} goes into",
            escape::path(&folder)
        )
    })?;
    Ok(above.join(name))
}

/// The project that the user means.
pub fn project_root(asked: Option<&Path>, host: &Host) -> Result<PathBuf> {
    let cwd = fs::canonicalize(&host.cwd)?;
    let asked = match asked {
        Some(folder) => {
            let folder =
                fs::canonicalize(cwd.join(folder)).context("could not find the project")?;
            if !folder.is_dir() {
                bail!(
                    "could not use {} as a project: it is no folder",
                    escape::path(&folder)
                );
            }
            Some(folder)
        }
        None => None,
    };
    let home = host.home().and_then(|home| fs::canonicalize(home).ok());
    scope::root(asked.as_deref(), &cwd, home.as_deref(), is_project)
}

/// Whether a folder looks like a project.
#[must_use]
pub fn is_project(folder: &Path) -> bool {
    scope::MARKERS.iter().any(|name| folder.join(name).exists())
}

/// The binary that runs, as an install would record it.
pub fn running_binary(host: &Host) -> Result<Binary> {
    let exe = host
        .exe
        .as_deref()
        .context("could not find the running binary")?;
    let temp = ["TMPDIR", "TEMP"]
        .iter()
        .find_map(|name| host.folder_var(name));
    binary::look(&binary::Around {
        exe,
        path: host.var("PATH"),
        temp: temp.unwrap_or(Path::new("/tmp")),
        home: host.home(),
    })
}
