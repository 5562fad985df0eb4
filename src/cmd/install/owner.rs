//! Whether root is about to write into the folder of somebody else. `sudo lean-computer-use
//! install` would leave files there that their owner cannot change.

use std::path::Path;

use anyhow::Result;

/// Refuses root in a folder of another user.
#[cfg(unix)]
pub fn check(root: &Path) -> Result<()> {
    use std::os::unix::fs::MetadataExt;
    let there = root
        .ancestors()
        .find_map(|folder| fs_err::metadata(folder).ok());
    let owner = there.map_or(0, |found| found.uid());
    if rustix::process::geteuid().is_root() && owner != 0 {
        anyhow::bail!(
            "could not install as root: {} belongs to user {owner}; run this as that user, or with --as-root",
            crate::escape::path(root)
        );
    }
    Ok(())
}

/// Windows has no root.
#[cfg(not(unix))]
pub fn check(_: &Path) -> Result<()> {
    Ok(())
}
