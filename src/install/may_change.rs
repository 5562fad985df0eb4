//! Refuses before the first write what would fail half way: a folder or file that may not be
//! changed, an owner that could not be kept, too little room on a disk. In go the paths that a run
//! changes, out comes nothing or the refusal. Reads only. What shows itself only at the write (a
//! quota, a rule of a security module) the journal has to mend.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};

use crate::escape;

/// What a run changes.
#[derive(Debug, Default)]
pub struct Changes {
    /// Files that are written, with their size in bytes. What stands there is replaced.
    pub written: Vec<(PathBuf, u64)>,
    /// Files that go, or get another mode.
    pub others: Vec<PathBuf>,
}

impl Changes {
    /// Refuses what could not be carried out as a whole.
    pub fn check(&self) -> Result<()> {
        for (path, _) in &self.written {
            ensure!(
                may_replace(path),
                "could not replace {}: it belongs to another user; run this as that user",
                escape::path(path)
            );
        }
        let paths = self
            .written
            .iter()
            .map(|(path, _)| path)
            .chain(&self.others);
        let mut folders = BTreeSet::new();
        for path in paths {
            check_held(path, held(path).or_else(|| mounted(path)))?;
            folders.extend(folder_of(path));
        }
        for folder in folders {
            check_held(folder, held(folder))?;
            ensure!(
                writable(folder),
                "could not write in {}: make it writable, or run this as its owner",
                escape::path(folder)
            );
        }
        self.check_room()
    }

    /// Each file takes whole blocks, and so do new folders and a temp file.
    fn check_room(&self) -> Result<()> {
        let mut disks: BTreeMap<u64, (&Path, u64)> = BTreeMap::new();
        for (path, bytes) in &self.written {
            let Some(folder) = folder_of(path) else {
                continue;
            };
            let disk = disks.entry(disk_of(folder)).or_insert((folder, 0));
            disk.1 += bytes.div_ceil(BLOCK) * BLOCK;
        }
        for (folder, bytes) in disks.into_values() {
            let needed = bytes + SLACK;
            let room = room(folder).unwrap_or(needed);
            ensure!(
                room >= needed,
                "could not write in {}: its disk has {} KiB left, and {} are needed",
                escape::path(folder),
                room / 1024,
                needed / 1024
            );
        }
        Ok(())
    }
}

/// What most file systems give a file at a time, in bytes.
const BLOCK: u64 = 4096;

/// For folders, the temp file and the journal's growth, in bytes.
const SLACK: u64 = 16 * BLOCK;

/// The folder that a path is written in, or the one above it that is there.
fn folder_of(path: &Path) -> Option<&Path> {
    path.ancestors().skip(1).find(|folder| folder.exists())
}

fn check_held(path: &Path, held: Option<&str>) -> Result<()> {
    held.map_or(Ok(()), |why| {
        bail!("could not change {}: {why}", escape::path(path))
    })
}

/// Which flag of the file system forbids a change that permission bits allow.
#[cfg(target_os = "linux")]
fn held(path: &Path) -> Option<&'static str> {
    use rustix::fs::StatxAttributes;
    let flags = StatxAttributes::IMMUTABLE | StatxAttributes::APPEND;
    let why = "it is immutable or append-only; chattr -ia frees it";
    attributes(path).intersects(flags).then_some(why)
}

/// Nothing can take the place of what is mounted.
#[cfg(target_os = "linux")]
fn mounted(path: &Path) -> Option<&'static str> {
    use rustix::fs::StatxAttributes;
    let why = "it is a mount of its own; install where it comes from";
    let mounted = attributes(path).contains(StatxAttributes::MOUNT_ROOT);
    mounted.then_some(why)
}

/// None on old kernels, which do not tell; then it shows when it is tried.
#[cfg(target_os = "linux")]
fn attributes(path: &Path) -> rustix::fs::StatxAttributes {
    use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};
    let found = statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::TYPE);
    found.map_or(StatxAttributes::empty(), |found| found.stx_attributes)
}

#[cfg(target_os = "macos")]
fn held(path: &Path) -> Option<&'static str> {
    use std::os::macos::fs::MetadataExt;
    /// `UF_IMMUTABLE`, `UF_APPEND`, `SF_IMMUTABLE` and `SF_APPEND` of `chflags(2)`.
    const FLAGS: u32 = 0x2 | 0x4 | 0x2_0000 | 0x4_0000;
    let found = fs_err::symlink_metadata(path).ok()?;
    let why = "it is locked; chflags nouchg unlocks it";
    (found.st_flags() & FLAGS != 0).then_some(why)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn held(_: &Path) -> Option<&'static str> {
    None
}

#[cfg(not(target_os = "linux"))]
fn mounted(_: &Path) -> Option<&'static str> {
    None
}

#[cfg(unix)]
fn may_replace(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid();
    let owner = fs_err::metadata(path).map(|found| found.uid());
    user.is_root() || owner.map_or(true, |owner| owner == user.as_raw())
}

#[cfg(unix)]
fn writable(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(unix)]
fn disk_of(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    fs_err::metadata(folder).map_or(0, |found| found.dev())
}

/// Bytes left for this user. A disk that names no size is one that grows.
#[cfg(unix)]
fn room(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    (disk.f_blocks > 0).then(|| disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Windows says all of it when it is tried.
#[cfg(not(unix))]
fn may_replace(_: &Path) -> bool {
    true
}

#[cfg(not(unix))]
fn writable(_: &Path) -> bool {
    true
}

#[cfg(not(unix))]
fn disk_of(_: &Path) -> u64 {
    0
}

#[cfg(not(unix))]
fn room(_: &Path) -> Option<u64> {
    None
}
