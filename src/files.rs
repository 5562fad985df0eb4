//! Reading, replacing and naming (by digest) whole files. A reader sees the old file or the new one, never a part.

use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use fs_err as fs;
use sha2::{Digest, Sha256};

use crate::escape;

/// The SHA-256 of `bytes`, in lower-case hex.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The SHA-256 of a file of any length, in lower-case hex. Holds a piece of it at a time.
pub fn sha256_of(path: &Path) -> io::Result<String> {
    let (mut file, mut digest) = (fs::File::open(path)?, Sha256::new());
    let mut piece = vec![0; 32 << 10];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hex(&digest.finalize())),
            read => digest.update(&piece[..read]),
        }
    }
}

/// The first `bytes` bytes of a digest, in lower-case hex: a short name or fingerprint.
#[must_use]
pub fn short(digest: &[u8], bytes: usize) -> String {
    hex(digest.get(..bytes).unwrap_or(digest))
}

/// Lower-case hex.
fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    nibbles
        .map(|n| char::from(DIGITS[usize::from(n)]))
        .collect()
}

/// The file's bytes, or none when there is no such file. What is no file is an error: a pipe in its
/// place would keep us waiting for ever.
pub fn read_if_present(path: &Path) -> Result<Option<Vec<u8>>> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        bail!("could not read {}: it is no plain file", escape::path(path));
    }
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What the name of every temp file and folder of ours starts with.
pub const TEMP: &str = ".lean-computer-use-";

/// Replaces `path` by a file with these bytes: a temp file beside it, fsync, rename, fsync of the
/// folder. `mode` (permission bits on Unix) is set before the first byte is written, since the
/// content may be private.
pub fn replace(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    put(path, bytes, mode)?;
    sync_folder(folder_of(path)?)
}

/// The same without the last step, for a caller that writes several files into one folder and
/// then calls [`sync_folder`] once. A file keeps its owner, and its access list and other extended
/// attributes as far as they can be set; a new one gets the owner of its folder when root writes it.
pub fn put(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let folder = folder_of(path)?;
    let mut temp = tempfile::Builder::new()
        .prefix(TEMP)
        .tempfile_in(folder)
        .with_context(|| format!("could not write in {}", escape::path(folder)))?;
    keep_owner(path, folder, temp.as_file())?;
    set_mode(temp.as_file(), mode)?;
    keep_attributes(path, temp.as_file());
    temp.write_all(bytes)
        .and_then(|()| temp.as_file().sync_all())
        .with_context(|| format!("could not write {}", escape::path(path)))?;
    temp.persist(path)
        .map_err(|error| error.error)
        .with_context(|| format!("could not replace {}", escape::path(path)))?;
    Ok(())
}

fn folder_of(path: &Path) -> Result<&Path> {
    path.parent().context("a file path has a folder")
}

#[cfg(unix)]
fn keep_owner(path: &Path, folder: &Path, temp: &std::fs::File) -> Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let now = temp.metadata()?;
    let owner = match fs::metadata(path) {
        Ok(old) => Some((old.uid(), old.gid())),
        Err(_) if now.uid() == 0 => {
            let folder = fs::metadata(folder)?;
            Some((folder.uid(), folder.gid()))
        }
        Err(_) => None,
    };
    match owner {
        Some((uid, gid)) if (uid, gid) != (now.uid(), now.gid()) => {
            // A group that we are not in is not ours to give; another owner is.
            let group = (gid != now.gid()).then_some(gid);
            let given = fchown(temp, (uid != now.uid()).then_some(uid), group);
            if uid == now.uid() { Ok(()) } else { given }
        }
        _ => Ok(()),
    }
    .with_context(|| format!("could not keep the owner of {}", escape::path(path)))
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &Path, _: &std::fs::File) -> Result<()> {
    Ok(())
}

/// What cannot be read or set here belongs to the system.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn keep_attributes(path: &Path, temp: &std::fs::File) {
    use rustix::fs::{
        XattrFlags, fgetxattr, fgetxattr_query, flistxattr, flistxattr_query, fsetxattr,
    };
    let Ok(old) = fs::File::open(path) else {
        return;
    };
    let mut names = vec![0; flistxattr_query(&old).unwrap_or(0)];
    if names.is_empty() {
        return;
    }
    let length = flistxattr(&old, &mut names).unwrap_or(0);
    let names = names[..length].split(|byte| *byte == 0);
    for name in names.filter(|name| !name.is_empty()) {
        let mut value = vec![0; fgetxattr_query(&old, name).unwrap_or(0)];
        if let Ok(length) = fgetxattr(&old, name, &mut value) {
            let _ = fsetxattr(temp, name, &value[..length], XattrFlags::empty());
        }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn keep_attributes(_: &Path, _: &std::fs::File) {}

/// Sets the permission bits of a file that is there; nothing on Windows.
pub fn set_mode_of(path: &Path, mode: u32) -> Result<()> {
    set_mode(fs::File::open(path)?.file(), mode)
}

#[cfg(unix)]
fn set_mode(file: &std::fs::File, mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(file.set_permissions(std::fs::Permissions::from_mode(mode))?)
}

#[cfg(not(unix))]
fn set_mode(_: &std::fs::File, _: u32) -> Result<()> {
    Ok(())
}

/// Makes the renames and removals in a folder durable.
#[cfg(unix)]
pub fn sync_folder(folder: &Path) -> Result<()> {
    Ok(fs::File::open(folder)?.sync_all()?)
}

/// Windows has no such call and needs none.
#[cfg(not(unix))]
pub fn sync_folder(_: &Path) -> Result<()> {
    Ok(())
}
