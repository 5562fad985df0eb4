//! The handlers of ours that a settings file really holds, with the commands as they stand there:
//! what Claude Code would run. In go a plan, out come commands. Runs nothing.

use super::plan::Plan;
use super::settings::{self, Shape};

/// One handler of ours as it is registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    /// The hook that it calls.
    pub hook: String,
    /// Its event.
    pub event: String,
    /// Its command.
    pub command: String,
}

/// Every handler of ours, copies included, in the order of the registrations; none when the file
/// is not there or Claude Code would not read it.
#[must_use]
pub fn registered(plan: &Plan<'_>) -> Vec<Registered> {
    registered_in(plan, &plan.wanted.names.settings)
}

/// The same in one of the settings files.
#[must_use]
pub fn registered_in(plan: &Plan<'_>, file: &str) -> Vec<Registered> {
    let Some(found) = plan.found.settings.get(file) else {
        return Vec::new();
    };
    let Ok((_, text)) = settings::decode(&found.bytes) else {
        return Vec::new();
    };
    let Ok(shape) = Shape::parse(text) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for registration in &plan.wanted.entries.registrations {
        let Some((_, event)) = shape.event(&registration.event) else {
            continue;
        };
        for claim in registration.claims(event) {
            let handler = &event.groups[claim.group].handlers[claim.handler];
            all.extend(handler.command.clone().map(|command| Registered {
                hook: registration.hook.clone(),
                event: registration.event.clone(),
                command,
            }));
        }
    }
    all
}
