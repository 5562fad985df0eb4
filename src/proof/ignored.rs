//! Signals that whoever started us ignores (`nohup`, a script's background): every process that we
//! start would ignore them too, and the rows that a signal ends could not be seen. In goes nothing,
//! out comes a process whose children hear them again. Starts a shell to find out; does not touch a
//! signal that is not ignored.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/// Makes those that are ignored heard in processes that are started from now on. A handler that does
/// nothing is no ignored signal, and a new program begins without handlers: so we go on ignoring
/// what was ignored, and our children do not.
pub fn heard_by_children() -> Result<()> {
    let some = [
        ("HUP", SIGHUP),
        ("INT", SIGINT),
        ("QUIT", SIGQUIT),
        ("TERM", SIGTERM),
    ];
    for (name, number) in some {
        if ignored(name)? {
            let nobody_reads = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(number, nobody_reads)
                .with_context(|| format!("could not give SIG{name} its meaning back"))?;
        }
    }
    Ok(())
}

/// Whether a process of ours outlives the signal.
#[expect(
    clippy::disallowed_methods,
    reason = "only a process can tell what it is started with"
)]
fn ignored(name: &str) -> Result<bool> {
    let mut shell = Command::new("/bin/sh");
    shell
        .env_clear()
        .args(["-c", &format!("ulimit -c 0; kill -{name} $$")]);
    let status = shell.status().context("could not start /bin/sh")?;
    Ok(status.success())
}
