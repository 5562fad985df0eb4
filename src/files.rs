//! Reading, replacing and naming (by digest) whole files. A reader sees the old file or the new one, never a part.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};
use fs_err as fs;
use sha2::{Digest, Sha256};

/// The SHA-256 of `bytes`, in lower-case hex.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Lower-case hex.
fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    nibbles
        .map(|n| char::from(DIGITS[usize::from(n)]))
        .collect()
}

/// The file's bytes, or none when there is no such file.
pub fn read_if_present(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Replaces `path` by a file with these bytes: a temp file beside it, fsync, rename, fsync of the
/// folder. `mode` (permission bits on Unix) is set before the first byte is written, since the
/// content may be private.
pub fn replace(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let folder = path.parent().context("a file path has a folder")?;
    let mut temp = tempfile::Builder::new()
        .prefix(".lean-computer-use-")
        .tempfile_in(folder)
        .with_context(|| format!("could not write in {}", folder.display()))?;
    set_mode(temp.as_file(), mode)?;
    temp.write_all(bytes)
        .and_then(|()| temp.as_file().sync_all())
        .with_context(|| format!("could not write {}", path.display()))?;
    temp.persist(path)
        .map_err(|error| error.error)
        .with_context(|| format!("could not replace {}", path.display()))?;
    sync_folder(folder)
}

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

/// A rename is only on disk once its folder is. Windows has no such call and needs none.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> Result<()> {
    Ok(fs::File::open(folder)?.sync_all()?)
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> Result<()> {
    Ok(())
}
