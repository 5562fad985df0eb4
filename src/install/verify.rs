//! The plan as an answer: is everything as shipped? In goes a plan, out come findings. Decides and
//! reads nothing.

use serde::Serialize;

use super::manifest::Manifest;
use super::plan::{FilePlan, Plan, State};
use super::settings::{self, Registration, Shape};
use super::wanted::{MANIFEST, SETTINGS};

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// A path from the root.
    pub path: String,
    /// `ok`, `missing`, `modified`, `mode`, `extra`; in settings.json also `edited`, `moved`,
    /// `duplicated`, `inert`, `unreadable`.
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
    let mut findings: Vec<_> = plan.files.iter().map(file).collect();
    let extra = plan.found.extra.iter();
    findings.extend(extra.map(|path| Finding::new(path, "extra", "")));
    findings.extend(settings(plan, manifest));
    findings.push(record(plan, manifest));
    findings
}

fn file(file: &FilePlan<'_>) -> Finding {
    let (state, detail) = match file.state {
        State::Same => ("ok", String::new()),
        State::Mode if file.wanted.executable => ("mode", "not executable".to_owned()),
        State::Mode => ("mode", "executable".to_owned()),
        State::New | State::Deleted => ("missing", String::new()),
        State::Outdated => ("modified", "from another release".to_owned()),
        State::Edited { .. } | State::Foreign => ("modified", String::new()),
        State::Blocked(what) => ("modified", format!("it is {what}")),
    };
    Finding::new(&file.wanted.path, state, detail)
}

fn settings(plan: &Plan<'_>, manifest: &Manifest) -> Vec<Finding> {
    let Some(found) = &plan.found.settings else {
        return vec![Finding::new(SETTINGS, "missing", "")];
    };
    let looked = settings::decode(&found.bytes).and_then(|(_, text)| {
        let shape = Shape::parse(text)?;
        Ok(entries(&shape, plan, manifest))
    });
    looked.unwrap_or_else(|fault| vec![Finding::new(SETTINGS, "unreadable", fault.to_string())])
}

fn entries(shape: &Shape<'_>, plan: &Plan<'_>, manifest: &Manifest) -> Vec<Finding> {
    let registrations = plan.wanted.entries.registrations.iter();
    let mut findings: Vec<_> = registrations
        .map(|registration| handler(shape, registration))
        .collect();
    let rules = manifest.settings().map(|record| &record.trace.rules);
    for rule in rules.into_iter().flatten() {
        let present = shape.rules().any(|found| found == rule);
        let state = if present { "ok" } else { "missing" };
        findings.push(Finding::new(SETTINGS, state, rule));
    }
    if shape.hooks_disabled() {
        findings.push(Finding::new(
            SETTINGS,
            "inert",
            "disableAllHooks is true: no hook runs",
        ));
    }
    findings
}

fn handler(shape: &Shape<'_>, registration: &Registration) -> Finding {
    let event = shape.event(&registration.event);
    let claims = event
        .map(|(_, event)| registration.claims(event))
        .unwrap_or_default();
    let name = registration
        .form
        .1
        .split(['/', '"'])
        .nth(2)
        .unwrap_or_default();
    let what = format!("{} {name}", registration.event);
    match claims.as_slice() {
        [] => Finding::new(SETTINGS, "missing", what),
        [claim] => {
            let state = match claim.state {
                settings::State::Same => "ok",
                settings::State::Moved => "moved",
                settings::State::Edited | settings::State::Stale => "edited",
            };
            Finding::new(SETTINGS, state, what)
        }
        many => Finding::new(
            SETTINGS,
            "duplicated",
            format!("{what}, {} times", many.len()),
        ),
    }
}

/// The manifest itself: as written, by this release.
fn record(plan: &Plan<'_>, manifest: &Manifest) -> Finding {
    let version = env!("CARGO_PKG_VERSION");
    let bytes = plan.found.manifest.as_deref().unwrap_or_default();
    if bytes != manifest.text().as_bytes() {
        return Finding::new(MANIFEST, "modified", "");
    }
    if manifest.tool.version != version || manifest.tool.digest != plan.wanted.digest {
        let detail = format!(
            "written by {}, this is {version} with other files; run install",
            crate::escape::shown(&manifest.tool.version)
        );
        return Finding::new(MANIFEST, "modified", detail);
    }
    Finding::new(MANIFEST, "ok", "")
}
