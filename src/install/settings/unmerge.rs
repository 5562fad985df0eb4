//! Our entries out of a settings file. In go its text, what is ours and what we created; out comes
//! the text without our part, down to the bytes that were there. What a user moved, added or wrote
//! meanwhile stays.

use std::collections::BTreeSet;

use super::edit::{self, Edit};
use super::registration::Registration;
use super::shape::{Event, Permissions, Shape};
use super::text::Fault;
use super::{Entries, Trace, is_blank};

/// What is taken out, by numbers in the shape.
#[derive(Debug, Default)]
pub struct Gone {
    /// Event, group, handler.
    pub handlers: BTreeSet<(usize, usize, usize)>,
    /// Rules of `permissions.allow`.
    pub rules: BTreeSet<usize>,
    /// Whose handlers they are: a group goes with its handler only when we made it.
    pub owners: Vec<Registration>,
}

/// The text without `entries`; none when the document was ours and nothing else is in it.
pub fn unmerge(text: &str, entries: &Entries, trace: &Trace) -> Result<Option<String>, Fault> {
    if is_blank(text) {
        return Ok(Some(text.to_owned()));
    }
    let shape = Shape::parse(text)?;
    let mut gone = Gone {
        owners: entries.registrations.clone(),
        ..Gone::default()
    };
    for registration in &entries.registrations {
        if let Some((n, event)) = shape.event(&registration.event) {
            let claims = registration.claims(event).into_iter();
            gone.handlers
                .extend(claims.map(|claim| (n, claim.group, claim.handler)));
        }
    }
    let rules = shape.rules().enumerate();
    gone.rules = rules
        .filter(|(_, rule)| entries.rules.iter().any(|ours| ours == rule))
        .map(|(n, _)| n)
        .collect();
    let edits = cuts(&shape, &gone, trace);
    let rest = edit::apply(text, edits);
    let nothing_left = Shape::parse(&rest)?.members.is_empty();
    Ok((!(nothing_left && trace.has_created(""))).then_some(rest))
}

/// The edits that take `gone` out, and with it each container that we created and that is empty
/// then.
pub fn cuts(shape: &Shape<'_>, gone: &Gone, trace: &Trace) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut members = BTreeSet::new();
    if let Some((hooks, events)) = &shape.hooks {
        let (inside, events_gone) = from_events(events, gone, trace);
        let none_left = events_gone.len() == events.len();
        if none_left && trace.has_created("/hooks") {
            members.extend(shape.member("hooks"));
        } else {
            edits.extend(inside);
            let spans: Vec<_> = events.iter().map(|event| event.span.clone()).collect();
            edits.extend(edit::cut(
                hooks.inner(),
                &spans,
                &events_gone,
                trace.inner("/hooks"),
            ));
        }
    }
    if let Some(permissions) = &shape.permissions {
        match from_permissions(permissions, gone, trace) {
            Some(inside) => edits.extend(inside),
            None => members.extend(shape.member("permissions")),
        }
    }
    let spans: Vec<_> = shape
        .members
        .iter()
        .map(super::text::Member::span)
        .collect();
    edits.extend(edit::cut(
        shape.root.inner(),
        &spans,
        &members,
        trace.inner(""),
    ));
    edits
}

/// The edits inside the events that stay, and the numbers of those that go.
fn from_events(events: &[Event<'_>], gone: &Gone, trace: &Trace) -> (Vec<Edit>, BTreeSet<usize>) {
    let (mut edits, mut whole) = (Vec::new(), BTreeSet::new());
    for (n, event) in events.iter().enumerate() {
        let pointer = format!("/hooks/{}", event.name);
        let (inside, groups) = from_groups(n, event, gone);
        if groups.len() == event.groups.len() && trace.has_created(&pointer) {
            whole.insert(n);
            continue;
        }
        edits.extend(inside);
        let spans: Vec<_> = event
            .groups
            .iter()
            .map(|group| group.value.span())
            .collect();
        edits.extend(edit::cut(
            event.list.inner(),
            &spans,
            &groups,
            trace.inner(&pointer),
        ));
    }
    (edits, whole)
}

/// The same for the groups of one event.
fn from_groups(n: usize, event: &Event<'_>, gone: &Gone) -> (Vec<Edit>, BTreeSet<usize>) {
    let (mut edits, mut whole) = (Vec::new(), BTreeSet::new());
    for (at, group) in event.groups.iter().enumerate() {
        let handlers: BTreeSet<_> = (0..group.handlers.len())
            .filter(|&handler| gone.handlers.contains(&(n, at, handler)))
            .collect();
        let made_by_us = group.plain
            && gone
                .owners
                .iter()
                .any(|owner| owner.event == event.name && owner.matcher == group.matcher);
        if made_by_us && !handlers.is_empty() && handlers.len() == group.handlers.len() {
            whole.insert(at);
            continue;
        }
        let spans: Vec<_> = group
            .handlers
            .iter()
            .map(|handler| handler.value.span())
            .collect();
        edits.extend(edit::cut(group.list.inner(), &spans, &handlers, ""));
    }
    (edits, whole)
}

/// The edits inside `permissions`; none when it goes whole.
fn from_permissions(
    permissions: &Permissions<'_>,
    gone: &Gone,
    trace: &Trace,
) -> Option<Vec<Edit>> {
    const ALLOW: &str = "/permissions/allow";
    let Some((list, rules)) = &permissions.allow else {
        return Some(Vec::new());
    };
    if gone.rules.len() == rules.len() && trace.has_created(ALLOW) {
        if permissions.members.len() == 1 && trace.has_created("/permissions") {
            return None;
        }
        let members = &permissions.members;
        let allow = members
            .iter()
            .position(|m| m.key.as_deref() == Some("allow"));
        let spans: Vec<_> = members.iter().map(super::text::Member::span).collect();
        let inner = permissions.value.inner();
        let allow = allow.into_iter().collect();
        return Some(edit::cut(
            inner,
            &spans,
            &allow,
            trace.inner("/permissions"),
        ));
    }
    let spans: Vec<_> = rules.iter().map(|(value, _)| value.span()).collect();
    Some(edit::cut(
        list.inner(),
        &spans,
        &gone.rules,
        trace.inner(ALLOW),
    ))
}

impl Trace {
    /// The whole text that stood in the file before, when there was no document in it.
    #[must_use]
    pub fn blank_document(&self) -> Option<String> {
        self.has_created("").then(|| self.inner("").to_owned())
    }

    fn has_created(&self, pointer: &str) -> bool {
        self.created_keys.iter().any(|known| known == pointer)
    }

    /// What stood between the brackets before we filled them.
    fn inner(&self, pointer: &str) -> &str {
        let known = self.emptied.iter().find(|known| known.pointer == pointer);
        known.map_or("", |known| known.inner.as_str())
    }
}
