//! What a place holds of what we want there. In goes a place, out comes a value with all bytes
//! that matter. Reads only; refuses what it could not write to later.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use fs_err as fs;

use super::claude::{Source, managed};
use super::place::{Place, Scope};
use super::wanted::Wanted;
use crate::escape::shown;
use crate::files::{TEMP, read_if_present};

/// A place as it is.
#[derive(Debug, Default)]
pub struct Found {
    /// What stands at the paths that this or an earlier release installs, as far as there is
    /// anything.
    pub files: BTreeMap<String, OnDisk>,
    /// Newer texts that were put beside edited files, by the path of those.
    pub offers: BTreeMap<String, Vec<u8>>,
    /// Wanted folders that are there.
    pub folders: BTreeSet<String>,
    /// The settings files that could hold entries of ours.
    pub settings: BTreeMap<String, Settings>,
    /// All settings files that Claude Code would read here, in the order in which they count.
    pub sources: Vec<Source>,
    /// The manifest.
    pub manifest: Option<Vec<u8>>,
    /// What a run that was cut off left to remember.
    pub journal: Option<Vec<u8>>,
    /// Which binary the launchers start: path and digest, one a line.
    pub binary: Option<Vec<u8>>,
    /// Names of the kept bytes of replaced files.
    pub backups: BTreeSet<String>,
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
        /// Its permission bits.
        mode: u32,
    },
    /// Something else.
    Odd(Odd),
}

/// What is no plain file that we can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Odd {
    /// A folder.
    Folder,
    /// A link.
    Link,
    /// A pipe, a device, a socket.
    Special,
    /// A file that may not be read.
    Unreadable,
}

impl Odd {
    /// In words, behind "it is".
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Folder => "a folder",
            Self::Link => "a link",
            Self::Special => "no plain file",
            Self::Unreadable => "a file that cannot be read",
        }
    }
}

/// A settings file as it is.
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

/// Looks at everything that `wanted` names in `place`.
pub fn look(place: &Place, wanted: &Wanted) -> Result<Found> {
    let mut found = Found::default();
    for folder in wanted.known_folders() {
        if folder_is_there(place, folder)? {
            found.folders.insert(folder.to_owned());
        }
    }
    let paths = wanted
        .files
        .iter()
        .map(|file| &file.path)
        .chain(&wanted.earlier);
    for path in paths {
        if let Some(on_disk) = on_disk(&place.at(path))? {
            found.files.insert(path.clone(), on_disk);
        }
        if let Some(bytes) = plain(place, &format!("{path}.new"))? {
            found.offers.insert(path.clone(), bytes);
        }
    }
    for file in place.names.settings_files() {
        if let Some(settings) = settings(place, &file)? {
            found.settings.insert(file, settings);
        }
    }
    found.sources = sources(place, &found.settings)?;
    found.manifest = plain(place, &place.names.manifest)?;
    found.journal = plain(place, &place.names.journal)?;
    found.binary = plain(place, &format!("{}/binary", place.names.local))?;
    found.backups = backups(place)?;
    found.extra = extra(place, wanted)?;
    Ok(found)
}

/// The bytes of a file of ours that must be a plain one.
fn plain(place: &Place, name: &str) -> Result<Option<Vec<u8>>> {
    match on_disk(&place.at(name))? {
        Some(OnDisk::File { bytes, .. }) => Ok(Some(bytes)),
        Some(OnDisk::Odd(what)) => bail!("could not read {name}: it is {}", what.words()),
        None => Ok(None),
    }
}

/// Whether a folder is there; refused when something else is, or a link that leaves the project.
fn folder_is_there(place: &Place, folder: &str) -> Result<bool> {
    let path = place.at(folder);
    match metadata(&path)? {
        Some(found) if found.is_dir() => Ok(true),
        Some(found) if found.is_symlink() => {
            let target = follow(place, folder)?;
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

/// The end of a link, which must lie inside the project unless all links are followed.
fn follow(place: &Place, name: &str) -> Result<PathBuf> {
    let target = fs::canonicalize(place.at(name))
        .with_context(|| format!("could not follow the link {name}: mend or remove it"))?;
    ensure!(
        place.follow_links || target.starts_with(&place.root),
        "could not use {name}: it is a link out of the project, to {}; install --follow-links goes there",
        shown(&target.to_string_lossy())
    );
    Ok(target)
}

fn on_disk(path: &Path) -> Result<Option<OnDisk>> {
    let Some(metadata) = metadata(path)? else {
        return Ok(None);
    };
    let odd = |odd| Ok(Some(OnDisk::Odd(odd)));
    if metadata.is_dir() {
        return odd(Odd::Folder);
    }
    if metadata.is_symlink() {
        return odd(Odd::Link);
    }
    if !metadata.is_file() {
        return odd(Odd::Special);
    }
    let mode = mode(&metadata);
    match fs::read(path) {
        Ok(bytes) => Ok(Some(OnDisk::File { bytes, mode })),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => odd(Odd::Unreadable),
        Err(error) => Err(error.into()),
    }
}

fn settings(place: &Place, file: &str) -> Result<Option<Settings>> {
    let path = place.at(file);
    let Some(metadata) = metadata(&path)? else {
        return Ok(None);
    };
    let path = if metadata.is_symlink() {
        follow(place, file)?
    } else {
        path
    };
    let metadata = fs::metadata(&path)?;
    ensure!(
        metadata.is_file(),
        "could not use {file}: it is no file; move it away and run this again"
    );
    let bytes = fs::read(&path).with_context(|| format!("could not read {file}"))?;
    Ok(Some(Settings {
        bytes,
        mode: mode(&metadata),
        read_only: metadata.permissions().readonly(),
        path,
    }))
}

/// Managed settings first, then local, project and user settings: the first that says something
/// decides. The user's own come along in every scope.
fn sources(place: &Place, settings: &BTreeMap<String, Settings>) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    let mut add = |name, path: &Path, bytes: Option<Vec<u8>>| {
        let path = path.to_owned();
        sources.extend(bytes.map(|bytes| Source { name, path, bytes }));
    };
    add("managed", managed(), read_if_present(managed())?);
    if place.scope == Scope::User {
        let own = settings.get(&place.names.settings);
        add(
            "user",
            &place.at(&place.names.settings),
            own.map(|own| own.bytes.clone()),
        );
        return Ok(sources);
    }
    for (name, file) in [
        ("local", ".claude/settings.local.json"),
        ("project", ".claude/settings.json"),
    ] {
        add(
            name,
            &place.at(file),
            settings.get(file).map(|own| own.bytes.clone()),
        );
    }
    if let Some(config) = &place.config {
        let path = config.join("settings.json");
        // One that cannot be read is not ours to complain about.
        let bytes = read_if_present(&path).unwrap_or(None);
        add("user", &path, bytes);
    }
    Ok(sources)
}

/// A temp file that a run was cut off over holds nothing that is not elsewhere too.
fn backups(place: &Place) -> Result<BTreeSet<String>> {
    let mut backups = BTreeSet::new();
    let folder = place.at(&place.names.backup(""));
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !name.starts_with(TEMP) {
            backups.insert(name);
        }
    }
    Ok(backups)
}

/// Files in our own folder beside what is wanted, the manifest, the machine's own and the user's
/// `config.toml`.
fn extra(place: &Place, wanted: &Wanted) -> Result<Vec<String>> {
    let (names, ours) = (&place.names, place.at(&place.names.ours));
    if !ours.is_dir() {
        return Ok(Vec::new());
    }
    let mut extra = Vec::new();
    let local = place.at(&names.local);
    let walk = walkdir::WalkDir::new(&ours).sort_by_file_name().into_iter();
    for entry in walk.filter_entry(|entry| entry.path() != local) {
        let entry = entry.with_context(|| format!("could not look into {}", names.ours))?;
        let inside = entry.path().strip_prefix(&ours).unwrap_or(entry.path());
        let inside = inside.to_string_lossy().replace('\\', "/");
        let path = format!("{}/{inside}", names.ours);
        let offered = path.strip_suffix(".new");
        let known = path == names.manifest
            || inside == "config.toml"
            || wanted.knows(offered.unwrap_or(&path));
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
