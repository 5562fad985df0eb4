//! The private folder of the desk tools: claims it, makes folders in it. Follows no link, and
//! takes no folder that holds anything else.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

#[cfg(unix)]
use anyhow::Context;
use anyhow::{Result, bail};
use fs_err as fs;

use crate::files;

const MARKER: &str = ".desk-state";

/// Stands for a driver that we started.
const STARTED: &str = "driver-started";

/// Permission bits of every file in it.
pub const PRIVATE: u32 = 0o600;

/// A folder that is ours.
#[derive(Clone)]
pub struct StateFolder(PathBuf);

impl StateFolder {
    /// Claims a folder: one that carries our marker, an empty one, or a new one.
    pub fn claim(path: &Path) -> Result<Self> {
        let refuse = |why: &str| {
            let path = path.display();
            format!("could not use {path} for state: {why}; name a new or empty folder")
        };
        if path.is_relative() {
            bail!(refuse("it is not absolute"));
        }
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => make(path)?,
            Err(error) => return Err(error.into()),
            Ok(meta) if meta.is_symlink() => bail!(refuse("it is a link")),
            Ok(meta) if !meta.is_dir() => bail!(refuse("it is not a folder")),
            Ok(_) => {}
        }
        let marker = path.join(MARKER);
        if fs::symlink_metadata(&marker).is_ok_and(|meta| meta.is_file()) {
            return Ok(Self(path.to_owned()));
        }
        // A claim that was killed half-way, and one beside us, leave a temp file of ours.
        let mut names = fs::read_dir(path)?.filter_map(|entry| Some(entry.ok()?.file_name()));
        if names.any(|name| !is_temp(&name) && name != MARKER) {
            bail!(refuse("it holds files that are not ours"));
        }
        make_private(path)?;
        files::replace(&marker, b"state of lean-computer-use desk tools\n", PRIVATE)?;
        Ok(Self(path.to_owned()))
    }

    /// The folder if it was claimed before; makes nothing.
    pub fn claimed(path: &Path) -> Result<Option<Self>> {
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            _ => Self::claim(path).map(Some),
        }
    }

    /// Notes that the driver's background process is started for us. Before it is started: what
    /// comes up later than we wait is ours too.
    pub fn note_driver(&self) -> Result<()> {
        files::replace(
            &self.0.join(STARTED),
            b"cua-driver was started for desk\n",
            PRIVATE,
        )
    }

    /// Whether it was noted.
    #[must_use]
    pub fn started_driver(&self) -> bool {
        fs::symlink_metadata(self.0.join(STARTED)).is_ok_and(|meta| meta.is_file())
    }

    /// Forgets it.
    pub fn forget_driver(&self) -> Result<()> {
        Ok(fs::remove_file(self.0.join(STARTED))?)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// Whether a file bears the name of our temp files: a command that was killed leaves one.
#[must_use]
pub fn is_temp(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(files::TEMP.as_bytes())
}

/// A private folder below one that is ours; a link in its place is refused.
pub fn folder_in(parent: &Path, name: &str) -> Result<PathBuf> {
    let path = parent.join(name);
    match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => make(&path)?,
        Err(error) => return Err(error.into()),
        Ok(meta) if !meta.is_dir() => {
            bail!("could not use {}: it is not a folder", path.display())
        }
        Ok(_) => {}
    }
    Ok(path)
}

#[cfg(unix)]
fn make(path: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .with_context(|| format!("could not make {}", path.display()))
}

#[cfg(not(unix))]
fn make(path: &Path) -> Result<()> {
    Ok(fs::create_dir_all(path)?)
}

#[cfg(unix)]
fn make_private(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(
        path,
        std::fs::Permissions::from_mode(0o700),
    )?)
}

#[cfg(not(unix))]
fn make_private(_: &Path) -> Result<()> {
    Ok(())
}
