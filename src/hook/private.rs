//! Files and folders that only this user may touch: 0700 and 0600, owned by the user, no link
//! followed, nothing that blocks. IO. On Windows the profile folder's own rights do that work.

use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use fs_err as fs;

use crate::escape;

/// Makes sure that `folder` is there and private. Folders above it are made when missing.
pub fn folder(folder: &Path) -> Result<()> {
    if let Some(above) = folder.parent()
        && !above.exists()
    {
        make(above, true)?;
    }
    match make(folder, false) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error.into()),
        _ => check(folder),
    }
}

/// Refuses a folder that is a link, no folder, or somebody else's.
pub fn check(folder: &Path) -> Result<()> {
    let found = fs::symlink_metadata(folder)?;
    if !found.is_dir() {
        bail!("could not use {}: not a folder", escape::path(folder));
    }
    own(folder, &found)
}

#[cfg(unix)]
fn own(folder: &Path, found: &std::fs::Metadata) -> Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    if found.uid() != rustix::process::geteuid().as_raw() {
        bail!(
            "could not use {}: it is another user's",
            escape::path(folder)
        );
    }
    let mode = found.mode() & 0o777;
    if mode & 0o077 != 0 {
        fs::set_permissions(folder, PermissionsExt::from_mode(mode & 0o700))?;
    }
    Ok(())
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the Unix form can refuse")]
fn own(_: &Path, _: &std::fs::Metadata) -> Result<()> {
    Ok(())
}

fn make(folder: &Path, above: bool) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(above);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Opens a file for reading and appending; it is made when missing.
pub fn open(path: &Path) -> Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    let file = no_follow(&mut options).open(path);
    regular(file, path)
}

/// Makes an empty file that must not be there.
pub fn create(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    no_follow(&mut options).open(path).map(drop)
}

/// The last `limit` bytes of a file and how many stand before; empty when there is no such file.
pub fn tail(path: &Path, limit: u64) -> Result<(u64, Vec<u8>)> {
    let file = no_follow(OpenOptions::new().read(true)).open(path);
    if matches!(&file, Err(error) if error.kind() == io::ErrorKind::NotFound) {
        return Ok((0, Vec::new()));
    }
    let mut file = regular(file, path)?;
    let length = file.metadata()?.len();
    let start = length.saturating_sub(limit);
    if start > 0 {
        file.seek(SeekFrom::Start(start))?;
    }
    // With room for the end, which a reader must see, so that one read does.
    let room = usize::try_from(length - start).unwrap_or_default() + 32;
    let mut bytes = Vec::with_capacity(room);
    file.take(limit).read_to_end(&mut bytes)?;
    Ok((start, bytes))
}

/// Appends in one write, so that what others append at the same time stays whole. One that a full
/// disk cut short is an error and is not gone on with: others may have written behind it.
pub fn append(path: &Path, bytes: &[u8]) -> Result<()> {
    let written = open(path)?.write(bytes)?;
    if written < bytes.len() {
        bail!("could not write all of a record to {}", escape::path(path));
    }
    Ok(())
}

fn regular(file: io::Result<std::fs::File>, path: &Path) -> Result<std::fs::File> {
    let file = file.with_context(|| format!("could not open {}", escape::path(path)))?;
    if !file.metadata()?.is_file() {
        bail!("could not use {}: not a file", escape::path(path));
    }
    Ok(file)
}

#[cfg(unix)]
fn no_follow(options: &mut OpenOptions) -> &OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;
    // Without waiting, or a pipe in our place would hold up every tool call.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    options.mode(0o600).custom_flags(flags.cast_signed())
}

#[cfg(not(unix))]
fn no_follow(options: &mut OpenOptions) -> &OpenOptions {
    options
}
