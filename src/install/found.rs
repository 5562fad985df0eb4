//! What a project holds of what we want there. In goes a root, out comes a value with all bytes
//! that matter. Reads only; refuses what it could not write to later.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use fs_err as fs;

use super::wanted::{LOCAL, MANIFEST, OURS, SETTINGS, Wanted};
use crate::escape::shown;
use crate::files::read_if_present;

/// A project as it is.
#[derive(Debug, Default)]
pub struct Found {
    /// What stands at the wanted paths, as far as there is anything.
    pub files: BTreeMap<String, OnDisk>,
    /// Newer texts that were put beside edited files, by the path of those.
    pub offers: BTreeMap<String, Vec<u8>>,
    /// Wanted folders that are there.
    pub folders: BTreeSet<String>,
    /// settings.json.
    pub settings: Option<Settings>,
    /// The manifest.
    pub manifest: Option<Vec<u8>>,
    /// Files in our folder that nobody wants there.
    pub extra: Vec<String>,
}

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnDisk {
    /// A plain file.
    File {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Whether its owner may execute it.
        executable: bool,
    },
    /// Something else, in words.
    Other(&'static str),
}

/// settings.json as it is.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where it really lies: the end of its links.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its permission bits.
    pub mode: u32,
    /// Whether nobody may write it.
    pub read_only: bool,
}

/// Looks at everything `wanted` in `root`, an absolute path without links.
pub fn look(root: &Path, wanted: &Wanted) -> Result<Found> {
    let mut found = Found::default();
    for folder in wanted.folders() {
        if folder_is_there(root, folder)? {
            found.folders.insert(folder.to_owned());
        }
    }
    folder_is_there(root, LOCAL)?;
    for file in &wanted.files {
        if let Some(on_disk) = on_disk(&root.join(&file.path), file.executable)? {
            found.files.insert(file.path.clone(), on_disk);
        }
        if let Some(bytes) = read_if_present(&root.join(format!("{}.new", file.path)))? {
            found.offers.insert(file.path.clone(), bytes);
        }
    }
    found.settings = settings(root)?;
    found.manifest = match on_disk(&root.join(MANIFEST), false)? {
        Some(OnDisk::File { bytes, .. }) => Some(bytes),
        Some(OnDisk::Other(what)) => bail!("could not read {MANIFEST}: it is {what}"),
        None => None,
    };
    found.extra = extra(root, wanted)?;
    Ok(found)
}

/// Whether a folder is there; refused when something else is, or a link that leaves the project.
fn folder_is_there(root: &Path, folder: &str) -> Result<bool> {
    let path = root.join(folder);
    match metadata(&path)? {
        Some(found) if found.is_dir() => Ok(true),
        Some(found) if found.is_symlink() => {
            let target = follow(root, folder)?;
            ensure!(
                target.is_dir(),
                "could not use {folder}: it links to something that is no folder"
            );
            Ok(true)
        }
        Some(_) => {
            bail!("could not use {folder}: a file stands where a folder is needed; move it away")
        }
        None => Ok(false),
    }
}

/// What stands at a path, links not followed.
fn metadata(path: &Path) -> Result<Option<std::fs::Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The end of a link, which must lie inside the project.
fn follow(root: &Path, path: &str) -> Result<PathBuf> {
    let target = fs::canonicalize(root.join(path))
        .with_context(|| format!("could not follow the link {path}: mend or remove it"))?;
    ensure!(
        target.starts_with(root),
        "could not use {path}: it is a link out of the project, to {}",
        shown(&target.to_string_lossy())
    );
    Ok(target)
}

fn on_disk(path: &Path, wanted: bool) -> Result<Option<OnDisk>> {
    let Some(metadata) = metadata(path)? else {
        return Ok(None);
    };
    Ok(Some(if metadata.is_file() {
        OnDisk::File {
            bytes: fs::read(path)?,
            executable: executable(&metadata, wanted),
        }
    } else if metadata.is_dir() {
        OnDisk::Other("a folder")
    } else if metadata.is_symlink() {
        OnDisk::Other("a link")
    } else {
        OnDisk::Other("no plain file")
    }))
}

fn settings(root: &Path) -> Result<Option<Settings>> {
    let path = root.join(SETTINGS);
    let Some(metadata) = metadata(&path)? else {
        return Ok(None);
    };
    let path = if metadata.is_symlink() {
        follow(root, SETTINGS)?
    } else {
        path
    };
    let metadata = fs::metadata(&path)?;
    ensure!(
        metadata.is_file(),
        "could not use {SETTINGS}: it is no file; move it away and run this again"
    );
    Ok(Some(Settings {
        bytes: fs::read(&path)?,
        mode: mode(&metadata),
        read_only: metadata.permissions().readonly(),
        path,
    }))
}

/// Files in our own folder beside what is wanted, the manifest, the machine's own and the user's
/// `config.toml`.
fn extra(root: &Path, wanted: &Wanted) -> Result<Vec<String>> {
    let ours = root.join(OURS);
    if !ours.is_dir() {
        return Ok(Vec::new());
    }
    let mut extra = Vec::new();
    let local = root.join(LOCAL);
    let walk = walkdir::WalkDir::new(&ours).sort_by_file_name().into_iter();
    for entry in walk.filter_entry(|entry| entry.path() != local) {
        let entry = entry.with_context(|| format!("could not look into {OURS}"))?;
        let inside = entry.path().strip_prefix(&ours).unwrap_or(entry.path());
        let path = format!("{OURS}/{}", inside.to_string_lossy().replace('\\', "/"));
        let offered = path.strip_suffix(".new");
        let known = path == MANIFEST
            || path == format!("{OURS}/config.toml")
            || wanted.file(offered.unwrap_or(&path)).is_some();
        if !entry.file_type().is_dir() && !known {
            extra.push(path);
        }
    }
    Ok(extra)
}

#[cfg(unix)]
fn mode(metadata: &std::fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o7777
}

#[cfg(not(unix))]
fn mode(_: &std::fs::Metadata) -> u32 {
    0o644
}

/// Only the owner's bit: the others differ by umask from clone to clone.
#[cfg(unix)]
fn executable(metadata: &std::fs::Metadata, _: bool) -> bool {
    mode(metadata) & 0o100 != 0
}

/// Windows has no such bit, so it is as wanted.
#[cfg(not(unix))]
fn executable(_: &std::fs::Metadata, wanted: bool) -> bool {
    wanted
}
