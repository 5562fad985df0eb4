//! One desk command at a time on an app: takes a lock in a folder, or says that it is busy. All
//! commands of a user take it in the same folder, wherever their state lies: an app has one screen.
//! The lock goes with the process, however that ends.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use super::state::StateFolder;
use crate::{escape, files};

/// Waits for the app's lock. Keep the file for as long as the app is operated.
pub fn lock(folder: &StateFolder, app: &str, limit: Duration) -> Result<File> {
    let digest = Sha256::digest(app.to_lowercase());
    let name = format!("{}.lock", files::short(&digest, 3));
    let path = folder.path().join(name);
    let file = open(&path).with_context(|| format!("could not open {}", path.display()))?;
    let end = Instant::now() + limit;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("could not lock {}", path.display()));
            }
            Err(TryLockError::WouldBlock) if Instant::now() >= end => bail!(
                "busy: another desk command still works on {}; try again when it is done",
                escape::quoted(app)
            ),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// A link in its place is not followed.
#[cfg(unix)]
fn open(path: &std::path::Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let no_follow = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or(0);
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    options.mode(super::state::PRIVATE).custom_flags(no_follow);
    options.open(path)
}

#[cfg(not(unix))]
fn open(path: &std::path::Path) -> std::io::Result<File> {
    File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}
