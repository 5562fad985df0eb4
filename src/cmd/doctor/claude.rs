//! What Claude Code makes of its settings here: can it read them, would it run our hooks, does it
//! trust this project, is it new enough.

use std::process::{Command, Stdio};

use fs_err as fs;
use serde_json::Value;

use super::Line;
use super::installed::install;
use crate::cmd::place::{Opened, config_folder};
use crate::cmd::status::elsewhere;
use crate::escape::{quoted, shown};
use crate::host::Host;
use crate::install::manifest::WithoutHooks;
use crate::install::shipped::shell_word;
use crate::install::{Scope, claude};

/// The oldest version that everything was seen to work with.
const OLDEST: [u32; 3] = [2, 1, 197];

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
    let state = folder.and_then(|folder| fs::read(folder.join(".claude.json")).ok());
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
    let folder = config_folder(host).map(|folder| shown(&host.friendly(&folder)));
    #[expect(
        clippy::disallowed_methods,
        reason = "asking a program for its version starts it"
    )]
    let run = Command::new("claude")
        .arg("--version")
        .env_clear()
        .envs(host.env())
        .stdin(Stdio::null())
        .output();
    let said = run.ok().filter(|output| output.status.success());
    let Some(said) = said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()) else {
        let folder = folder.unwrap_or_default();
        lines.push(Line::note(
            "claude",
            format!("not on PATH; its folder would be {folder}"),
            None,
        ));
        return;
    };
    let word = said.split_whitespace().next().unwrap_or_default();
    let oldest = OLDEST.map(|n| n.to_string()).join(".");
    lines.push(match parse(word) {
        Some(version) if version >= OLDEST => {
            Line::ok("claude", format!("version {}", shown(word)))
        }
        Some(_) => {
            let seen = format!(
                "version {} is older than {oldest}, the oldest that was tried",
                shown(word)
            );
            Line::fail("claude", seen, "claude update")
        }
        None => Line::note(
            "claude",
            format!("its version is not readable: {}", quoted(said.trim())),
            None,
        ),
    });
}

fn parse(version: &str) -> Option<[u32; 3]> {
    let mut parts = version.split('.').map(|part| part.parse().ok());
    let three = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(three)
}
