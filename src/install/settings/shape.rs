//! The parts of a settings file that we touch, checked against what Claude Code accepts. In goes
//! the parsed text, out comes a view with spans, or the first fault: Claude Code drops hooks or the
//! whole file on each of them, so installing beside one would be a false success. Seen on 2.1.197
//! and 2.1.332; unknown keys are accepted there and here.

use std::ops::Range;

use super::text::{Fault, Member, Value};

/// A settings file, as far as it matters to us.
#[derive(Debug)]
pub struct Shape<'t> {
    /// The whole document.
    pub root: Value<'t>,
    /// Its members.
    pub members: Vec<Member<'t>>,
    /// `hooks` and the events in it.
    pub hooks: Option<(Value<'t>, Vec<Event<'t>>)>,
    /// `permissions`, its members and its `allow`.
    pub permissions: Option<Permissions<'t>>,
}

/// One event of `hooks`.
#[derive(Debug)]
pub struct Event<'t> {
    /// Such as `PreToolUse`.
    pub name: String,
    /// Key and value.
    pub span: Range<usize>,
    /// The array.
    pub list: Value<'t>,
    /// Its matcher groups.
    pub groups: Vec<Group<'t>>,
}

/// One matcher group.
#[derive(Debug)]
pub struct Group<'t> {
    /// The object.
    pub value: Value<'t>,
    /// The matcher, when there is one.
    pub matcher: Option<String>,
    /// Whether it has no key but `matcher` and `hooks`.
    pub plain: bool,
    /// Its `hooks`.
    pub list: Value<'t>,
    /// The handlers in it.
    pub handlers: Vec<Handler<'t>>,
}

/// One handler.
#[derive(Debug)]
pub struct Handler<'t> {
    /// The object.
    pub value: Value<'t>,
    /// Its command, when it is of type `command`.
    pub command: Option<String>,
}

/// `permissions`.
#[derive(Debug)]
pub struct Permissions<'t> {
    /// The object.
    pub value: Value<'t>,
    /// Its members.
    pub members: Vec<Member<'t>>,
    /// `allow` and its rules.
    pub allow: Option<(Value<'t>, Vec<(Value<'t>, String)>)>,
}

impl<'t> Shape<'t> {
    /// Parses and checks.
    pub fn parse(text: &'t str) -> Result<Self, Fault> {
        let root = Value::parse(text)?;
        let members = object(root, "the settings must be an object")?;
        let hooks = match only(&members, root, "hooks")? {
            Some(value) => Some((value, events(value)?)),
            None => None,
        };
        let permissions = match only(&members, root, "permissions")? {
            Some(value) => Some(permissions(value)?),
            None => None,
        };
        Ok(Self {
            root,
            members,
            hooks,
            permissions,
        })
    }

    /// The events of `hooks`.
    #[must_use]
    pub fn events(&self) -> &[Event<'t>] {
        self.hooks.as_ref().map_or(&[], |(_, events)| events)
    }

    /// The rules of `permissions.allow`.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        let allow = self.permissions.as_ref().and_then(|p| p.allow.as_ref());
        allow
            .into_iter()
            .flat_map(|(_, rules)| rules.iter().map(|(_, rule)| rule.as_str()))
    }

    /// Whether the file says that no hook may run.
    #[must_use]
    pub fn hooks_disabled(&self) -> bool {
        self.members.iter().any(|member| {
            member.key.as_deref() == Some("disableAllHooks") && member.value.raw() == "true"
        })
    }
}

fn events(hooks: Value<'_>) -> Result<Vec<Event<'_>>, Fault> {
    let members = object(hooks, "hooks must be an object")?;
    let mut events: Vec<Event> = Vec::with_capacity(members.len());
    for member in members {
        // A key that is no valid text is nobody's event, but it must not get lost either.
        let raw = || hooks.text()[member.name.clone()].to_owned();
        let name = member.key.clone().unwrap_or_else(raw);
        if events.iter().any(|event| event.name == name) {
            return Err(duplicate(hooks, &member, &name));
        }
        let wrong = format!("hooks.{name} must be an array");
        let groups = array(member.value, &wrong)?
            .into_iter()
            .map(|value| group(value, &name))
            .collect::<Result<_, _>>()?;
        events.push(Event {
            name,
            span: member.span(),
            list: member.value,
            groups,
        });
    }
    Ok(events)
}

fn group<'t>(value: Value<'t>, event: &str) -> Result<Group<'t>, Fault> {
    let members = object(
        value,
        &format!("a group of hooks.{event} must be an object"),
    )?;
    let matcher = match only(&members, value, "matcher")? {
        Some(matcher) => {
            let wrong = || matcher.fault("matcher must be a string");
            Some(matcher.string().ok_or_else(wrong)?)
        }
        None => None,
    };
    let Some(list) = only(&members, value, "hooks")? else {
        return Err(value.fault(format!("a group of hooks.{event} must hold a hooks array")));
    };
    let handlers = array(list, "the hooks of a group must be an array")?
        .into_iter()
        .map(handler)
        .collect::<Result<_, _>>()?;
    Ok(Group {
        value,
        plain: members.len() == 1 + usize::from(matcher.is_some()),
        matcher,
        list,
        handlers,
    })
}

fn handler(value: Value<'_>) -> Result<Handler<'_>, Fault> {
    let members = object(value, "a hook must be an object")?;
    let kind = only(&members, value, "type")?
        .and_then(|kind| kind.string())
        .ok_or_else(|| value.fault("a hook must have a type that is a string"))?;
    if let Some(timeout) = only(&members, value, "timeout")?
        && timeout.raw().parse::<f64>().is_err()
    {
        return Err(timeout.fault("timeout must be a number"));
    }
    let command = only(&members, value, "command")?;
    let command = match (kind.as_str(), command) {
        ("command", Some(command)) => {
            let wrong = || command.fault("command must be a string");
            Some(command.string().ok_or_else(wrong)?)
        }
        ("command", None) => return Err(value.fault("a hook of type command needs a command")),
        _ => None,
    };
    Ok(Handler { value, command })
}

fn permissions(value: Value<'_>) -> Result<Permissions<'_>, Fault> {
    let members = object(value, "permissions must be an object")?;
    // Seen: a bad value anywhere in here and the hooks of the whole file are gone.
    for key in ["deny", "ask"] {
        if let Some(list) = only(&members, value, key)? {
            rules(list, key)?;
        }
    }
    let allow = match only(&members, value, "allow")? {
        Some(list) => Some((list, rules(list, "allow")?)),
        None => None,
    };
    Ok(Permissions {
        value,
        members,
        allow,
    })
}

fn rules<'t>(list: Value<'t>, key: &str) -> Result<Vec<(Value<'t>, String)>, Fault> {
    array(list, &format!("permissions.{key} must be an array"))?
        .into_iter()
        .map(|value| {
            let wrong = || value.fault(format!("a rule of permissions.{key} must be a string"));
            Ok((value, value.string().ok_or_else(wrong)?))
        })
        .collect()
}

fn object<'t>(value: Value<'t>, wrong: &str) -> Result<Vec<Member<'t>>, Fault> {
    value.members().ok_or_else(|| value.fault(wrong))
}

fn array<'t>(value: Value<'t>, wrong: &str) -> Result<Vec<Value<'t>>, Fault> {
    value.elements().ok_or_else(|| value.fault(wrong))
}

/// The value of `key`. Which of two would count is the reader's choice, so two are a fault.
fn only<'t>(
    members: &[Member<'t>],
    owner: Value<'t>,
    key: &str,
) -> Result<Option<Value<'t>>, Fault> {
    let mut found = members.iter().filter(|m| m.key.as_deref() == Some(key));
    let first = found.next().map(|member| member.value);
    match found.next() {
        Some(second) => Err(duplicate(owner, second, key)),
        None => Ok(first),
    }
}

fn duplicate(owner: Value<'_>, member: &Member<'_>, key: &str) -> Fault {
    let reason = format!("the key {key} stands twice in one object");
    super::text::fault_at(owner.text(), member.name.start, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_claude_code_would_drop_is_refused() {
        for (text, want) in [
            ("[]", "1:1: the settings must be an object"),
            ("null", "1:1: the settings must be an object"),
            (r#"{"hooks": null}"#, "1:11: hooks must be an object"),
            (r#"{"hooks": []}"#, "1:11: hooks must be an object"),
            (
                r#"{"hooks": {"Stop": null}}"#,
                "1:20: hooks.Stop must be an array",
            ),
            (
                r#"{"hooks": {"Stop": [1]}}"#,
                "1:21: a group of hooks.Stop must be an object",
            ),
            (
                r#"{"hooks": {"Stop": [{"type": "command", "command": "x"}]}}"#,
                "1:21: a group of hooks.Stop must hold a hooks array",
            ),
            (
                r#"{"hooks": {"Stop": [{"hooks": {}}]}}"#,
                "1:31: the hooks of a group must be an array",
            ),
            (
                r#"{"hooks": {"Stop": [{"hooks": ["x"]}]}}"#,
                "1:32: a hook must be an object",
            ),
            (
                r#"{"hooks": {"Stop": [{"hooks": [{"type": 1}]}]}}"#,
                "1:32: a hook must have a type that is a string",
            ),
            (
                r#"{"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}"#,
                "1:32: a hook of type command needs a command",
            ),
            (
                r#"{"hooks": {"Stop": [{"hooks": [{"type": "x", "timeout": "5"}]}]}}"#,
                "1:57: timeout must be a number",
            ),
            (
                r#"{"hooks": {"Stop": [{"matcher": null, "hooks": []}]}}"#,
                "1:33: matcher must be a string",
            ),
            (
                "{\"hooks\": {},\n \"hooks\": {}}",
                "2:2: the key hooks stands twice in one object",
            ),
            (
                r#"{"hooks": {"Stop": [], "\u0053top": []}}"#,
                "1:24: the key Stop stands twice in one object",
            ),
            (
                r#"{"permissions": null}"#,
                "1:17: permissions must be an object",
            ),
            (
                r#"{"permissions": {"allow": "Bash"}}"#,
                "1:27: permissions.allow must be an array",
            ),
            (
                r#"{"permissions": {"allow": [1]}}"#,
                "1:28: a rule of permissions.allow must be a string",
            ),
        ] {
            assert_eq!(Shape::parse(text).unwrap_err().to_string(), want, "{text}");
        }
    }

    #[test]
    fn unknown_keys_are_none_of_our_business() {
        let text = r#"{"x": 1, "x": 2, "hooks": {"New": [{"y": 1, "hooks": [{"type": "z"}]}]}}"#;
        let shape = Shape::parse(text).unwrap();
        assert_eq!(shape.events()[0].name, "New");
        assert!(!shape.events()[0].groups[0].plain);
    }
}
