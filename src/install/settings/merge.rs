//! Our entries into a settings file. In go its text and what we want there, out come the new text
//! and what was created on the way, so that removal can give back the old bytes. Insertions only:
//! what is not ours keeps every byte.

use std::collections::BTreeSet;
use std::ops::Range;

use super::edit::{self, Edit};
use super::registration::{Claim, Registration, State};
use super::shape::Shape;
use super::style::{Json, Style, indent_before};
use super::text::{Fault, Value};
use super::unmerge::{Gone, cuts, unmerge};
use super::{Emptied, Entries, Trace, is_blank};

type Item = (Option<String>, Json);

/// Brings `text` (without a byte order mark) to hold `entries`. A blank text counts as an empty
/// object. `trace` is what earlier runs left to remember; it grows.
pub fn merge(text: &str, entries: &Entries, trace: &mut Trace) -> Result<String, Fault> {
    if is_blank(text) {
        return Ok(fresh(text, entries, trace));
    }
    let tidied = tidy(text, entries)?;
    let shape = Shape::parse(&tidied)?;
    let mut inserts = Inserts {
        style: Style::of(&tidied, Some(shape.root)),
        edits: Vec::new(),
        trace,
    };
    let mut at_root = inserts.hooks(&shape, entries);
    at_root.extend(inserts.permissions(&shape, entries));
    let members: Vec<_> = shape
        .members
        .iter()
        .map(super::text::Member::span)
        .collect();
    inserts.append("", shape.root, &members, &at_root, true);
    let edits = inserts.edits;
    Ok(edit::apply(&tidied, edits))
}

/// Brings `text` from the entries of the last install, with what that had created, to `entries`:
/// what is no longer wanted goes, the rest is merged. Returns the new text and what is to be
/// remembered from now on.
pub fn renew(
    text: &str,
    last: Option<(&Entries, &Trace)>,
    entries: &Entries,
) -> Result<(String, Trace), Fault> {
    let mut trace = last.map(|(_, trace)| trace.clone()).unwrap_or_default();
    let mut text = text.to_owned();
    if let Some((last, old)) = last {
        let gone = Entries {
            registrations: last
                .registrations
                .iter()
                .filter(|old| !entries.registrations.iter().any(|new| new.succeeds(old)))
                .cloned()
                .collect(),
            rules: last
                .rules
                .iter()
                .filter(|rule| !entries.rules.contains(rule))
                .cloned()
                .collect(),
        };
        if gone != Entries::default() {
            let rest = unmerge(&text, &gone, old)?;
            text = rest.or_else(|| old.blank_document()).unwrap_or_default();
            trace.rules.retain(|rule| entries.rules.contains(rule));
        }
    }
    let merged = merge(&text, entries, &mut trace)?;
    trace.forget_events(&entries.registrations);
    Ok((merged, trace))
}

/// Our entries as a document of their own, for a person to add by hand.
#[must_use]
pub fn fragment(entries: &Entries) -> String {
    fresh("", entries, &mut Trace::default())
}

/// One copy of each handler, with a command that works.
fn tidy(text: &str, entries: &Entries) -> Result<String, Fault> {
    let shape = Shape::parse(text)?;
    let style = Style::of(text, Some(shape.root));
    let (mut gone, mut edits) = (Gone::default(), Vec::new());
    for registration in &entries.registrations {
        let Some((n, event)) = shape.event(&registration.event) else {
            continue;
        };
        let claims = registration.claims(event);
        let keep = claims.iter().position(|claim| claim.state == State::Same);
        let keep = keep.unwrap_or(0);
        for (at, claim) in claims.iter().enumerate() {
            let Claim { group, handler, .. } = *claim;
            if at != keep {
                gone.handlers.insert((n, group, handler));
            } else if claim.state == State::Stale {
                let value = event.groups[group].handlers[handler].value;
                edits.push(rewrite(value, registration, &style));
            }
        }
    }
    gone.owners.clone_from(&entries.registrations);
    edits.extend(cuts(&shape, &gone, &Trace::default()));
    Ok(edit::apply(text, edits))
}

fn rewrite(value: Value<'_>, registration: &Registration, style: &Style) -> Edit {
    let indent = indent_before(value.text(), value.span().start);
    let indent = indent.filter(|_| value.raw().contains('\n'));
    Edit {
        range: value.span(),
        text: style.value(&registration.handler(), indent),
    }
}

/// A whole new document behind whatever white space there was.
fn fresh(blank: &str, entries: &Entries, trace: &mut Trace) -> String {
    let mut members = Vec::new();
    if !entries.registrations.is_empty() {
        let events = by_event(&entries.registrations, |_| true);
        members.push(("hooks".to_owned(), new_events(&events, trace)));
    }
    if !entries.rules.is_empty() {
        let allow = rules(&entries.rules, trace, &BTreeSet::new());
        members.push(("permissions".to_owned(), new_allow(allow, trace)));
    }
    trace.created("");
    trace.emptied("", blank);
    blank.to_owned() + &Style::of(blank, None).document(&Json::Object(members))
}

struct Inserts<'a> {
    style: Style,
    edits: Vec<Edit>,
    trace: &'a mut Trace,
}

impl Inserts<'_> {
    fn append(
        &mut self,
        pointer: &str,
        container: Value<'_>,
        children: &[Range<usize>],
        items: &[Item],
        lines: bool,
    ) {
        if items.is_empty() {
            return;
        }
        if children.is_empty() {
            let inner = &container.text()[container.inner()];
            self.trace.emptied(pointer, inner);
        }
        let edit = self.style.append(container, children, items, lines);
        self.edits.push(edit);
    }

    /// Inserts below `hooks`; what must be inserted beside it is returned.
    fn hooks(&mut self, shape: &Shape<'_>, entries: &Entries) -> Vec<Item> {
        let missing = by_event(&entries.registrations, |registration| {
            let event = shape.event(&registration.event);
            event.is_none_or(|(_, event)| registration.claims(event).is_empty())
        });
        if missing.is_empty() {
            return Vec::new();
        }
        let Some((hooks, events)) = &shape.hooks else {
            return vec![(Some("hooks".to_owned()), new_events(&missing, self.trace))];
        };
        let lines = on_lines(*hooks);
        let mut new = Vec::new();
        for (name, groups) in missing {
            let pointer = format!("/hooks/{name}");
            if let Some((_, event)) = shape.event(&name) {
                let children: Vec<_> = event.groups.iter().map(|g| g.value.span()).collect();
                let items: Vec<_> = groups.into_iter().map(|group| (None, group)).collect();
                self.append(
                    &pointer,
                    event.list,
                    &children,
                    &items,
                    on_lines(event.list),
                );
            } else {
                self.trace.created(&pointer);
                new.push((Some(name), Json::List(groups)));
            }
        }
        let children: Vec<_> = events.iter().map(|event| event.span.clone()).collect();
        self.append("/hooks", *hooks, &children, &new, lines);
        Vec::new()
    }

    /// The same for `permissions`.
    fn permissions(&mut self, shape: &Shape<'_>, entries: &Entries) -> Vec<Item> {
        let present: BTreeSet<_> = shape.rules().collect();
        let missing = rules(&entries.rules, self.trace, &present);
        if missing.is_empty() {
            return Vec::new();
        }
        let Some(permissions) = &shape.permissions else {
            let allow = new_allow(missing, self.trace);
            return vec![(Some("permissions".to_owned()), allow)];
        };
        if let Some((list, rules)) = &permissions.allow {
            let children: Vec<_> = rules.iter().map(|(value, _)| value.span()).collect();
            let items: Vec<_> = missing.into_iter().map(|rule| (None, rule)).collect();
            self.append(
                "/permissions/allow",
                *list,
                &children,
                &items,
                on_lines(*list),
            );
            return Vec::new();
        }
        let members: Vec<_> = permissions
            .members
            .iter()
            .map(super::text::Member::span)
            .collect();
        let items = vec![(Some("allow".to_owned()), Json::List(missing))];
        self.trace.created("/permissions/allow");
        let value = permissions.value;
        self.append("/permissions", value, &members, &items, on_lines(value));
        Vec::new()
    }
}

/// Whether an empty container is filled line by line: as the member that it is the value of.
fn on_lines(container: Value<'_>) -> bool {
    let text = container.text();
    let start = container.span().start;
    let line = &text[text[..start].rfind('\n').map_or(0, |newline| newline + 1)..start];
    text[..start].contains('\n') && line.trim_start().starts_with('"')
}

/// The groups to add, by event in the order of the registrations.
fn by_event(
    registrations: &[Registration],
    wanted: impl Fn(&Registration) -> bool,
) -> Vec<(String, Vec<Json>)> {
    let mut events: Vec<(String, Vec<Json>)> = Vec::new();
    for registration in registrations.iter().filter(|r| wanted(r)) {
        let group = registration.group();
        match events
            .iter_mut()
            .find(|(name, _)| *name == registration.event)
        {
            Some((_, groups)) => groups.push(group),
            None => events.push((registration.event.clone(), vec![group])),
        }
    }
    events
}

fn new_events(events: &[(String, Vec<Json>)], trace: &mut Trace) -> Json {
    trace.created("/hooks");
    let member = |(name, groups): &(String, Vec<Json>)| {
        trace.created(&format!("/hooks/{name}"));
        (name.clone(), Json::List(groups.clone()))
    };
    Json::Object(events.iter().map(member).collect())
}

fn new_allow(rules: Vec<Json>, trace: &mut Trace) -> Json {
    trace.created("/permissions");
    trace.created("/permissions/allow");
    Json::Object(vec![("allow".to_owned(), Json::List(rules))])
}

/// The rules that are not there yet; from now on they are ours.
fn rules(wanted: &[String], trace: &mut Trace, present: &BTreeSet<&str>) -> Vec<Json> {
    let missing = wanted
        .iter()
        .filter(|rule| !present.contains(rule.as_str()));
    missing
        .map(|rule| {
            if !trace.rules.contains(rule) {
                trace.rules.push(rule.clone());
            }
            Json::Text(rule.clone())
        })
        .collect()
}

impl Trace {
    /// Drops what is remembered of events that no longer hold a handler of ours.
    fn forget_events(&mut self, registrations: &[Registration]) {
        let kept = |pointer: &str| match pointer.strip_prefix("/hooks/") {
            Some(event) => registrations.iter().any(|r| r.event == event),
            None => true,
        };
        self.created_keys.retain(|pointer| kept(pointer));
        self.emptied.retain(|emptied| kept(&emptied.pointer));
    }

    fn created(&mut self, pointer: &str) {
        if !self.created_keys.iter().any(|known| known == pointer) {
            self.created_keys.push(pointer.to_owned());
        }
    }

    fn emptied(&mut self, pointer: &str, inner: &str) {
        self.emptied.retain(|known| known.pointer != pointer);
        self.emptied.push(Emptied {
            pointer: pointer.to_owned(),
            inner: inner.to_owned(),
        });
    }
}
