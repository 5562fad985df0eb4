//! What Claude Code makes of its settings here: can it read them, would it run our hooks, does it
//! trust this project, is it new enough.

use serde_json::Value;

use super::Line;
use super::installed::install;
use crate::cmd::claude_version::{self, Age};
use crate::cmd::place::{Opened, config_folder};
use crate::cmd::status::elsewhere;
use crate::escape::{quoted, shown};
use crate::files::read_if_present;
use crate::host::Host;
use crate::install::manifest::WithoutHooks;
use crate::install::shipped::shell_word;
use crate::install::{Scope, claude};

/// The lines of one place.
pub fn lines(opened: &Opened, host: &Host, lines: &mut Vec<Line>) {
    for source in &opened.found.sources {
        let what = format!("{} settings", source.name);
        let path = shown(&host.friendly(&source.path));
        let file = shell_word(&source.path.to_string_lossy());
        lines.push(match source.read() {
            Ok(_) => Line::ok(&what, path),
            Err(fault) => {
                let seen = format!("{path}:{fault}; Claude Code ignores such a file or its hooks");
                Line::fail(
                    &what,
                    seen,
                    format!("${{EDITOR:-vi}} +{} {file}", fault.line),
                )
            }
        });
    }
    if let Some((source, reason)) = claude::inert(&opened.found.sources) {
        let path = shown(&host.friendly(&source.path));
        let file = shell_word(&source.path.to_string_lossy());
        lines.push(Line::fail(
            "hooks",
            format!("{reason} ({path})"),
            format!("${{EDITOR:-vi}} {file}"),
        ));
    }
    if let Some(reason) = elsewhere(opened, host) {
        let root = shell_word(&opened.place.root.to_string_lossy());
        lines.push(Line::fail("folder", reason, format!("cd {root} && claude")));
    }
    if opened.place.scope != Scope::User {
        lines.push(trust(opened, host));
    }
    lines.extend(plugin(opened));
}

/// Either the plugin of ours brings the hooks or the settings do; both answer once, and cost twice.
fn plugin(opened: &Opened) -> Option<Line> {
    let without_hooks = opened.recorded.as_ref().map(|found| found.without_hooks)?;
    let seen = match (claude::plugin(&opened.found.sources), without_hooks) {
        (Some(plugin), None) => format!("the plugin {} brings the hooks too", quoted(&plugin)),
        (None, Some(WithoutHooks::Plugin)) => {
            "the plugin that brought the hooks is no longer enabled".to_owned()
        }
        _ => return None,
    };
    Some(Line::fail("plugin", seen, install(opened)))
}

/// Claude Code asks once a project whether it is trusted; before that it drops permission rules,
/// and in a terminal hooks too.
fn trust(opened: &Opened, host: &Host) -> Line {
    let root = shown(&opened.place.root.to_string_lossy());
    let mend = format!(
        "cd {} && claude",
        shell_word(&opened.place.root.to_string_lossy())
    );
    let folder = host.folder_var("CLAUDE_CONFIG_DIR").or(host.home());
    let state =
        folder.and_then(|folder| read_if_present(&folder.join(".claude.json")).ok().flatten());
    let Some(state) = state.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok()) else {
        return Line::note(
            "trust",
            "Claude Code was never started by this user",
            Some(mend),
        );
    };
    let trusted = opened.place.root.ancestors().any(|folder| {
        let project = &state["projects"][folder.to_string_lossy().as_ref()];
        project["hasTrustDialogAccepted"] == true
    });
    if trusted {
        Line::ok("trust", format!("{root} is trusted"))
    } else {
        let seen = "this project is not trusted yet, so permission rules and hooks do not count";
        Line::fail("trust", seen, mend)
    }
}

/// The version of the `claude` on PATH.
pub fn version(host: &Host, lines: &mut Vec<Line>) {
    let Some(said) = claude_version::asked(host) else {
        let folder = config_folder(host).map(|folder| shown(&host.friendly(&folder)));
        let folder = folder.unwrap_or_default();
        lines.push(Line::note(
            "claude",
            format!("not on PATH; its folder would be {folder}"),
            None,
        ));
        return;
    };
    let word = shown(said.split_whitespace().next().unwrap_or_default());
    lines.push(match claude_version::age(&said) {
        Age::Fine => Line::ok("claude", format!("version {word}")),
        Age::TooOld => {
            let oldest = claude_version::oldest();
            let seen = format!("version {word} is older than {oldest}, the oldest that was tried");
            Line::fail("claude", seen, "claude update")
        }
        Age::Unknown => Line::note(
            "claude",
            format!("its version is not readable: {}", quoted(&said)),
            None,
        ),
    });
}
