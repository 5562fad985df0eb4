//! The plan as an answer: is everything as shipped? In go a plan, out come findings. Decides and
//! reads nothing.

use serde::Serialize;

use super::found::Odd;
use super::manifest::Manifest;
use super::plan::{FilePlan, Plan, State};
use super::settings::{self, Registration, Shape};

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// A path from the root.
    pub path: String,
    /// `ok`, `missing`, `modified`, `mode`, `line ends`, `link`, `type`, `unreadable`, `extra`; in
    /// settings files also `edited`, `moved`, `duplicated`, `inert`.
    pub state: &'static str,
    /// What exactly; empty when the state says it all.
    pub detail: String,
}

impl Finding {
    fn new(path: &str, state: &'static str, detail: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            state,
            detail: detail.into(),
        }
    }

    /// Whether it is as shipped.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.state == "ok"
    }
}

/// Everything that was looked at: files in the order of their paths, then what is extra, the
/// settings and the manifest.
#[must_use]
pub fn findings(plan: &Plan<'_>, manifest: &Manifest) -> Vec<Finding> {
    let mut findings: Vec<_> = plan.files.iter().filter_map(file).collect();
    let extra = plan.found.extra.iter();
    findings.extend(extra.map(|path| Finding::new(path, "extra", "")));
    findings.extend(hooks(plan, manifest));
    findings.push(record(plan, manifest));
    findings
}

/// The part of the findings that settings files hold, and whether hooks can run.
#[must_use]
pub fn hooks(plan: &Plan<'_>, manifest: &Manifest) -> Vec<Finding> {
    let file = &plan.wanted.names.settings;
    let mut findings = Vec::new();
    if manifest.without_hooks.is_none() || !manifest.settings.is_empty() {
        findings.extend(in_settings(plan, manifest));
    }
    if let Some(reason) = plan.inert() {
        findings.push(Finding::new(file, "inert", reason));
    }
    findings
}

fn file(file: &FilePlan<'_>) -> Option<Finding> {
    let shipped = file.wanted.is_some();
    let (state, detail) = match file.state {
        State::New | State::Deleted | State::Edited { .. } if !shipped => return None,
        State::Outdated if !shipped => ("extra", "no longer shipped"),
        State::Same => ("ok", ""),
        State::Mode if file.wanted.is_some_and(|wanted| wanted.executable) => {
            ("mode", "not executable")
        }
        State::Mode => ("mode", "executable"),
        State::LineEnds => ("line ends", "it has carriage returns"),
        State::New | State::Deleted => ("missing", ""),
        State::Outdated => ("modified", "from another release"),
        State::Edited { .. } | State::Foreign => ("modified", ""),
        State::Blocked(Odd::Link) => ("link", "a file belongs there"),
        State::Blocked(Odd::Unreadable) => ("unreadable", ""),
        State::Blocked(odd) => ("type", odd.words()),
    };
    Some(Finding::new(file.path, state, detail))
}

fn in_settings(plan: &Plan<'_>, manifest: &Manifest) -> Vec<Finding> {
    let file = &plan.wanted.names.settings;
    let Some(found) = plan.found.settings.get(file) else {
        return vec![Finding::new(file, "missing", "")];
    };
    let looked = settings::decode(&found.bytes).and_then(|(_, text)| {
        // An empty file is fine with Claude Code.
        let text = if settings::is_blank(text) { "{}" } else { text };
        let shape = Shape::parse(text)?;
        Ok(entries(&shape, plan, manifest))
    });
    looked.unwrap_or_else(|fault| vec![Finding::new(file, "unreadable", fault.to_string())])
}

fn entries(shape: &Shape<'_>, plan: &Plan<'_>, manifest: &Manifest) -> Vec<Finding> {
    let file = &plan.wanted.names.settings;
    let mut findings = Vec::new();
    if manifest.without_hooks.is_none() {
        let registrations = plan.wanted.entries.registrations.iter();
        findings.extend(registrations.map(|registration| handler(file, shape, registration)));
    }
    let rules = manifest.settings(file).map(|record| &record.trace.rules);
    for rule in rules.into_iter().flatten() {
        let present = shape.rules().any(|found| found == rule);
        let state = if present { "ok" } else { "missing" };
        findings.push(Finding::new(file, state, rule));
    }
    findings
}

fn handler(file: &str, shape: &Shape<'_>, registration: &Registration) -> Finding {
    let event = shape.event(&registration.event);
    let claims = event
        .map(|(_, event)| registration.claims(event))
        .unwrap_or_default();
    let what = format!("{} {}", registration.event, registration.hook);
    match claims.as_slice() {
        [] => Finding::new(file, "missing", what),
        [claim] => {
            let state = match claim.state {
                settings::State::Same => "ok",
                settings::State::Moved => "moved",
                settings::State::Edited | settings::State::Stale => "edited",
            };
            Finding::new(file, state, what)
        }
        many => Finding::new(file, "duplicated", format!("{what}, {} times", many.len())),
    }
}

/// The manifest itself: as written, by this release, and no run cut off over it.
fn record(plan: &Plan<'_>, manifest: &Manifest) -> Finding {
    let version = env!("CARGO_PKG_VERSION");
    let file = &plan.wanted.names.manifest;
    if plan.found.journal.is_some() {
        return Finding::new(
            file,
            "modified",
            "an install or uninstall was cut off: run it again",
        );
    }
    let bytes = plan.found.manifest.as_deref().unwrap_or_default();
    if bytes != manifest.text().as_bytes() {
        return Finding::new(file, "modified", "");
    }
    if manifest.tool.version != version || manifest.tool.digest != plan.wanted.digest {
        let detail = format!(
            "written by {}, this is {version} with other files; run install",
            crate::escape::shown(&manifest.tool.version)
        );
        return Finding::new(file, "modified", detail);
    }
    Finding::new(file, "ok", "")
}
