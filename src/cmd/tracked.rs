//! Whether git tracks what belongs to one machine. Git itself is asked, which alone knows every
//! form that its index can have; where it is missing or refuses, the index is searched as bytes.

use std::process::{Command, Stdio};

use crate::host::Host;
use crate::install::{Place, tracked};

/// Whether a file below `local/` is in the index of the repository around this place.
pub fn local_is_tracked(place: &Place, host: &Host) -> bool {
    let Some(index) = tracked::index_around(&place.root) else {
        return false;
    };
    asked(place, host).unwrap_or_else(|| tracked::names_local(&index, place))
}

/// What git says. Its settings may name a program for it to start, which is not for us to start.
fn asked(place: &Place, host: &Host) -> Option<bool> {
    #[expect(clippy::disallowed_methods, reason = "only git knows its index")]
    let output = Command::new("git")
        .args(["-c", "core.fsmonitor=false", "ls-files", "-z", "--"])
        .arg(&place.names.local)
        .current_dir(&place.root)
        .env_clear()
        .envs(
            host.env()
                .filter(|(name, _)| *name == "PATH" || *name == "HOME"),
        )
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then_some(!output.stdout.is_empty())
}
