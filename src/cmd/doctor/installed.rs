//! What is installed: files as shipped, the binary where it was, permission rules, folders.

use std::path::Path;

use super::Line;
use crate::cmd::place::Opened;
use crate::cmd::{proof, tracked};
use crate::escape::shown;
use crate::files::{read_if_present, sha256};
use crate::hook::account;
use crate::host::Host;
use crate::install::plan::{Options, Plan};
use crate::install::shipped::shell_word;
use crate::install::{Scope, binary, verify};

/// The flag that names the scope of an install.
pub fn flag(scope: Scope) -> &'static str {
    match scope {
        Scope::Project => "",
        Scope::Local => " --local",
        Scope::User => " --user",
    }
}

/// `lean-computer-use install` for this place.
pub fn install(opened: &Opened) -> String {
    format!("lean-computer-use install{}", flag(opened.place.scope))
}

/// The lines of one place.
pub fn lines(opened: &Opened, host: &Host, lines: &mut Vec<Line>) {
    let Some(manifest) = &opened.recorded else {
        return;
    };
    let plan = Plan::new(
        &opened.wanted,
        &opened.found,
        Some(manifest),
        Options::default(),
    );
    let findings = verify::findings(&plan, manifest);
    let drift: Vec<_> = findings
        .iter()
        .filter(|f| !f.ok() && f.state != "inert" && !unreadable_settings(f, opened))
        .collect();
    if let [first, ..] = drift.as_slice() {
        let (state, path) = (first.state, shown(&first.path));
        let seen = format!(
            "{} things differ, first: {state} {path} {}",
            drift.len(),
            first.detail
        );
        // An edit of the user's gives way only by force.
        let forced = drift
            .iter()
            .any(|f| matches!(f.state, "modified" | "missing" | "edited"));
        let force = if forced { " --force" } else { "" };
        lines.push(Line::fail(
            "install",
            seen.trim_end(),
            format!("{}{force}", install(opened)),
        ));
    } else {
        let root = shown(&opened.place.root.to_string_lossy());
        lines.push(Line::ok("install", format!("as shipped, in {root}")));
    }
    lines.push(starts(opened, host));
    let allowed = plan
        .settings
        .as_ref()
        .is_ok_and(|settings| settings.allowed);
    lines.push(if allowed {
        Line::ok("permissions", "the desk commands are allowed")
    } else {
        let seen = "each desk command asks, and background subagents are refused";
        Line::note(
            "permissions",
            seen,
            Some(format!("{} --allow", install(opened))),
        )
    });
    if tracked::local_is_tracked(&opened.place, host) {
        let local = format!("{}/local", opened.place.names.ours);
        let seen = format!("git tracks {local}, which belongs to one machine");
        lines.push(Line::fail(
            "git",
            seen,
            format!("git rm -r --cached {local}"),
        ));
    }
}

/// A settings file that Claude Code cannot read has a line of its own, with where and why.
fn unreadable_settings(finding: &verify::Finding, opened: &Opened) -> bool {
    finding.state == "unreadable" && finding.path == opened.place.names.settings
}

/// The binary that the launchers start first.
fn starts(opened: &Opened, host: &Host) -> Line {
    let recorded = opened.found.binary.as_deref().and_then(binary::recorded);
    let Some((path, digest)) = recorded else {
        return Line::fail(
            "binary",
            "this machine's path of it is not recorded",
            install(opened),
        );
    };
    let name = shown(&host.friendly(&path));
    match read_if_present(&path) {
        Ok(Some(bytes)) if sha256(&bytes) == digest => Line::ok("binary", name),
        Ok(Some(_)) => Line::fail(
            "binary",
            format!("{name} is another one than was installed from"),
            install(opened),
        ),
        Ok(None) | Err(_) => Line::fail("binary", format!("{name} is gone"), install(opened)),
    }
}

/// The last `verify --proof`. Only a user runs it, so none is nothing broken.
pub fn proof(host: &Host) -> Line {
    let again = Some("lean-computer-use verify --proof".to_owned());
    match proof::last(host) {
        Ok(Some((line, true))) => Line::ok("proof", line),
        Ok(Some((line, false))) => Line::note("proof", line, again),
        Ok(None) => Line::note("proof", "no exit code was proven here yet", again),
        Err(error) => Line::note("proof", crate::escape::failure(&error), again),
    }
}

/// The folder that hooks and desk tools write to.
pub fn state_folder(host: &Host, lines: &mut Vec<Line>) {
    lines.push(match host.state_folder() {
        Err(error) => Line::fail(
            "state folder",
            crate::escape::failure(&error),
            "export HOME=/path",
        ),
        Ok(folder) => {
            let name = shown(&host.friendly(&folder));
            let there = folder.ancestors().find(|folder| folder.exists());
            if there.is_some_and(full) {
                let seen = format!("{name} lies on a disk that is full");
                let there = there.unwrap_or(&folder).to_string_lossy();
                Line::fail(
                    "state folder",
                    seen,
                    format!("df -h {}", shell_word(&there)),
                )
            } else if there.is_some_and(writable) {
                Line::ok("state folder", name)
            } else {
                let there = there.unwrap_or(&folder).to_string_lossy();
                let mend = format!("chmod u+rwx {}", shell_word(&there));
                Line::fail("state folder", format!("{name} cannot be written"), mend)
            }
        }
    });
}

/// What went wrong with the guard itself, which it never says: it fails open and silently.
pub fn guard(host: &Host) -> Option<Line> {
    let state = host.state_folder().ok()?;
    let silent = |error| {
        let folder = shell_word(&state.to_string_lossy());
        let seen = format!("it is silent: {}", crate::escape::failure(&error));
        Line::fail("guard", seen, format!("mv {folder} {folder}.old"))
    };
    let summary = account::check(&state).and_then(|()| account::summary(&state, None));
    let sum = match summary {
        Ok(sum) => sum,
        Err(error) => return Some(silent(error)),
    };
    let faults = account::faults(&state);
    if (faults, sum.errors, sum.asleep) == (0, 0, 0) {
        return Some(Line::ok("guard", "no trouble of its own"));
    }
    let seen = format!(
        "{faults} inputs were no event, it failed {} times itself, and sleeps in {} sessions",
        sum.errors, sum.asleep
    );
    Some(Line::note("guard", seen, None))
}

/// Whether not one block of its disk is left for this user.
#[cfg(unix)]
fn full(folder: &Path) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|disk| disk.f_blocks > 0 && disk.f_bavail == 0)
}

#[cfg(not(unix))]
fn full(_: &Path) -> bool {
    false
}

#[cfg(unix)]
fn writable(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    folder.is_dir() && access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn writable(folder: &Path) -> bool {
    folder.is_dir()
}
