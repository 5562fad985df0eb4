//! One install at a time in a project. In goes the root, out comes a hold on its folder handle:
//! no lock file that could be left behind.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::escape;

/// How long another install may take.
const TRIES: u32 = 500;
const PAUSE: Duration = Duration::from_millis(20);

/// Holds the project until it is dropped.
pub struct Hold(#[expect(dead_code, reason = "the open handle is the lock")] Option<File>);

/// Takes hold of `root`, to be called before anything in it is read. Waits up to 10 s.
pub fn hold(root: &Path) -> Result<Hold> {
    // Windows opens no folders as files, so there nothing is held.
    if cfg!(windows) {
        return Ok(Hold(None));
    }
    let open = || format!("could not open the folder {}", escape::path(root));
    let folder = File::open(root).with_context(open)?;
    for _ in 0..TRIES {
        match folder.try_lock() {
            Ok(()) => return Ok(Hold(Some(folder))),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => {
                return Err(error)
                    .with_context(|| format!("could not lock {}", escape::path(root)));
            }
        }
    }
    bail!(
        "busy: another install has held {} for 10 seconds; try again when it is done",
        escape::path(root)
    )
}
