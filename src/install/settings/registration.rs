//! One hook handler of ours: how it is written, and how it is found again. In goes an event of a
//! settings file, out comes which of its handlers are ours. Decides nothing about them.

use super::shape::{Event, Handler};
use super::style::Json;

/// One registration: the identity is event, matcher and command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// The hook it calls.
    pub hook: String,
    /// Such as `PreToolUse`.
    pub event: String,
    /// The matcher of its group, when there is one.
    pub matcher: Option<String>,
    /// The whole command.
    pub command: String,
    /// Seconds.
    pub timeout: u64,
    /// How a command of ours is written.
    pub form: Form,
}

/// How a command of ours is written around the path of its launcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// As it is written now, then as earlier releases wrote it.
    pub spellings: Vec<Spelling>,
    /// The quote that the path stands in.
    pub quote: char,
}

/// What a command starts and ends with; the path between them is where the launcher lay when it
/// was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling {
    /// Up to the path, with its opening quote.
    pub before: String,
    /// From the path on.
    pub behind: String,
}

impl Form {
    /// The command with `path`, which is written as it may stand in the quotes.
    #[must_use]
    pub fn command(&self, path: &str) -> String {
        let now = self.spellings.first();
        now.map_or_else(String::new, |Spelling { before, behind }| {
            format!("{before}{path}{behind}")
        })
    }

    /// Whether `command` is of this form. Only what cannot end the quotes counts as a path.
    #[must_use]
    pub fn fits(&self, command: &str) -> bool {
        self.spellings.iter().any(|Spelling { before, behind }| {
            let rest = command.strip_prefix(before);
            let path = rest.and_then(|rest| rest.strip_suffix(behind));
            path.is_some_and(|path| {
                let path = match self.quote {
                    '\'' => path.replace(r"'\''", ""),
                    _ => path.to_owned(),
                };
                !path.is_empty() && !path.contains(self.quote)
            })
        })
    }
}

/// A handler that is ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// Number of its group in the event.
    pub group: usize,
    /// Its number in the group.
    pub handler: usize,
    /// What became of it.
    pub state: State,
}

/// What became of a handler of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// As written.
    Same,
    /// As written, in a group with another matcher.
    Moved,
    /// The command is ours, something else in it is not.
    Edited,
    /// The command names a launcher elsewhere, or is written as an earlier release wrote it.
    Stale,
}

impl Registration {
    /// Whether this is the same handler as an earlier one, whose launcher may have lain elsewhere.
    #[must_use]
    pub fn succeeds(&self, earlier: &Self) -> bool {
        (&self.event, &self.matcher, &self.form)
            == (&earlier.event, &earlier.matcher, &earlier.form)
    }

    /// The handler.
    #[must_use]
    pub fn handler(&self) -> Json {
        Json::Object(vec![
            ("type".to_owned(), Json::Text("command".to_owned())),
            ("command".to_owned(), Json::Text(self.command.clone())),
            ("timeout".to_owned(), Json::Number(self.timeout)),
        ])
    }

    /// The handler in a group of its own.
    pub fn group(&self) -> Json {
        let matcher = self.matcher.clone().map(Json::Text);
        let mut members: Vec<_> = matcher
            .map(|matcher| ("matcher".to_owned(), matcher))
            .into_iter()
            .collect();
        members.push(("hooks".to_owned(), Json::List(vec![self.handler()])));
        Json::Object(members)
    }

    /// Our handlers in this event: those in groups with our matcher, and only when there is none,
    /// those that were moved into other groups. A copy beside the original is the user's own.
    #[must_use]
    pub fn claims(&self, event: &Event<'_>) -> Vec<Claim> {
        let mut claims = Vec::new();
        for (at, group) in event.groups.iter().enumerate() {
            for (n, handler) in group.handlers.iter().enumerate() {
                if let Some(state) = self.state(handler) {
                    let claim = Claim {
                        group: at,
                        handler: n,
                        state,
                    };
                    claims.push((group.matcher == self.matcher, claim));
                }
            }
        }
        if claims.iter().any(|(at_home, _)| *at_home) {
            claims.retain(|(at_home, _)| *at_home);
            return claims.into_iter().map(|(_, claim)| claim).collect();
        }
        let moved = |claim: Claim| match claim.state {
            State::Same => Claim {
                state: State::Moved,
                ..claim
            },
            _ => claim,
        };
        claims.into_iter().map(|(_, claim)| moved(claim)).collect()
    }

    fn state(&self, handler: &Handler<'_>) -> Option<State> {
        let command = handler.command.as_deref()?;
        if command != self.command {
            return self.form.fits(command).then_some(State::Stale);
        }
        let members = handler.value.members().unwrap_or_default();
        let timeout = self.timeout.to_string();
        let same = members.len() == 3
            && members.iter().any(|member| {
                member.key.as_deref() == Some("timeout") && member.value.raw() == timeout
            });
        Some(if same { State::Same } else { State::Edited })
    }
}
