//! Finds controls and checks texts: looks again for a while at what an app shows late, and in a
//! window that opened in front, as a dialog does.

use std::time::{Duration, Instant};

use super::{Performer, Stepped};
use crate::desk::find::{self, Found};
use crate::desk::outcome::{Code, Failure, Status, Stop};
use crate::desk::packet::{Target, Test, keypad};
use crate::desk::receipt;
use crate::desk::shown::{RawText, Shown};
use crate::desk::tree::Node;

/// How often to look for what an app shows late: a second or two.
const LOOKS: usize = 8;

/// How many lines a `read` step shows.
const READ_LINES: usize = 40;

/// The one control to act on.
pub fn to_act<'a>(target: &Target, nodes: &'a [Node]) -> Result<&'a Node, Failure> {
    one(find::to_act(target, nodes)).map_err(|mut failure| {
        // What is greyed out is told as a text without a token; so is a label.
        if failure.status == Status::NotFound
            && let Found::One(text) = find::to_see(target, nodes)
            && text.token.is_none()
            && find::is_whole(target, text)
        {
            failure.code = Some(Code::own("no_control"));
            failure.detail.insert(0, receipt::candidate(text));
        }
        failure
    })
}

/// The button of a character, by the first of its names that a control has.
pub fn to_press(key: char, nodes: &[Node]) -> Result<&Node, Failure> {
    let names = keypad::names(key);
    let mut found = names
        .into_iter()
        .map(|name| to_act(&Target::Name(name), nodes));
    let first = found
        .next()
        .unwrap_or_else(|| Err(Failure::new(Status::NotFound, None)));
    match first {
        Err(no) if no.status == Status::NotFound => {
            let other = found.find(|found| match found {
                Ok(_) => true,
                Err(no) => no.status != Status::NotFound,
            });
            other.unwrap_or(Err(no))
        }
        first => first,
    }
}

fn one(found: Found<'_>) -> Result<&Node, Failure> {
    let (status, nodes) = match found {
        Found::One(node) => return Ok(node),
        Found::Many(nodes) => (Status::Ambiguous, nodes),
        Found::None(nodes) => (Status::NotFound, nodes),
    };
    let mut failure = Failure::new(status, None);
    failure.detail = nodes.into_iter().map(receipt::candidate).collect();
    Err(failure)
}

impl Performer<'_, '_, '_> {
    /// Reads the window now.
    pub fn read(&mut self) -> Result<&[Node], Stop> {
        self.stale = false;
        // A read that failed leaves none: the one before would show what is no more.
        self.seen = None;
        let seen = self.target.read()?;
        Ok(&self.seen.insert(seen).tree.nodes)
    }

    /// A control to act on; the read at hand will do when it holds one, whatever was done since.
    pub fn find(
        &mut self,
        settle: impl Fn(&[Node]) -> Result<&Node, Failure>,
    ) -> Result<Node, Stop> {
        if let Some(seen) = &self.seen
            && let Ok(node) = settle(&seen.tree.nodes)
        {
            return Ok(node.clone());
        }
        let looks = if self.acted { LOOKS } else { 1 };
        self.look(looks, |nodes| settle(nodes).cloned())
    }

    /// The same for a step that goes by what is in the control, not by its name alone: an action
    /// before it can have changed that, so an older read will not do.
    pub fn find_as_is(
        &mut self,
        settle: impl Fn(&[Node]) -> Result<&Node, Failure>,
    ) -> Result<Node, Stop> {
        if self.stale {
            self.seen = None;
        }
        self.find(settle)
    }

    /// Reads until the check holds, a few times; the last no is the answer.
    pub fn look<T>(
        &mut self,
        looks: usize,
        check: impl Fn(&[Node]) -> Result<T, Failure>,
    ) -> Result<T, Stop> {
        for left in (0..looks).rev() {
            let failure = match check(self.read()?) {
                Ok(value) => return Ok(value),
                Err(failure) => failure,
            };
            // Soon, since a dialog is there at once, and again at the end.
            if failure.status == Status::NotFound
                && (left == 0 || left + 2 == looks)
                && let Some(value) = self.look_in_front(&check)?
            {
                return Ok(value);
            }
            if left == 0 {
                return Err(self.explained(failure).into());
            }
            self.target.calls.pause();
        }
        Err(Failure::new(Status::NotFound, None).into())
    }

    /// The same check in windows of the app that stand in front of this one. Where it holds is
    /// where the packet goes on.
    fn look_in_front<T>(
        &mut self,
        check: impl Fn(&[Node]) -> Result<T, Failure>,
    ) -> Result<Option<T>, Stop> {
        let here = self.window();
        let seen = self.seen.take();
        for window in self.target.in_front()? {
            self.target.window = window;
            let Ok(there) = self.target.read_this() else {
                continue;
            };
            if let Ok(value) = check(&there.tree.nodes) {
                self.seen = Some(there);
                self.target.stay()?;
                return Ok(Some(value));
            }
        }
        self.target.window = here;
        self.seen = seen;
        Ok(None)
    }

    /// An empty or cut tree is a reason of its own, and no proof that something is not there.
    fn explained(&self, mut failure: Failure) -> Failure {
        let tree = self.seen.as_ref().map(|seen| &seen.tree);
        if let Some(tree) = tree.filter(|_| failure.status == Status::NotFound) {
            if let Some(reason) = &tree.degraded {
                failure.code = Some(Code::own("window_not_readable"));
                failure.detail.push(Shown::text(reason, 200));
            } else if tree.is_partial {
                failure.code = Some(Code::own("window_read_in_part"));
            }
        }
        failure
    }

    pub fn expect(&mut self, target: &Target, how: Test, text: &RawText) -> Stepped {
        let looks = if self.acted { LOOKS } else { 2 };
        let (status, seen) = self.look(looks, |nodes| holds(target, how, text, nodes))?;
        Ok((status, vec![seen]))
    }

    /// Looks until something matches or the time is over.
    pub fn wait(&mut self, target: &Target, time: Duration) -> Stepped {
        let end = Instant::now() + time;
        loop {
            let last = Instant::now() >= end;
            let shows = |nodes: &[Node]| {
                if !nodes.iter().any(|node| find::shows(target, node)) {
                    let near = one(find::to_see(target, nodes)).err();
                    return Err(near.unwrap_or_else(|| Failure::new(Status::NotFound, None)));
                }
                Ok(())
            };
            match self.look(1, shows) {
                Ok(()) => return Ok((Status::Done, Vec::new())),
                Err(Stop::Failed(no)) if no.status == Status::NotFound && !last => {
                    self.target.calls.pause();
                }
                Err(stop) => return Err(stop),
            }
        }
    }

    pub fn show(&mut self, target: &Target) -> Stepped {
        let nodes = self.read()?;
        let found = find::to_read(target, nodes);
        let lines = found
            .iter()
            .take(READ_LINES)
            .map(|node| receipt::node(node));
        let mut lines: Vec<_> = lines.collect();
        if found.len() > READ_LINES {
            let more = Shown::count(found.len() - READ_LINES);
            lines.push(Shown::line(&[more, Shown::own("more")]));
        }
        Ok((Status::Done, lines))
    }
}

/// Whether the check holds. Where the driver does not tell a field's text from its label, nothing
/// is proved.
fn holds(
    target: &Target,
    how: Test,
    text: &RawText,
    nodes: &[Node],
) -> Result<(Status, Shown), Failure> {
    let node = one(find::to_see(target, nodes))?;
    let (is, wanted) = (node.text().reveal(), text.reveal());
    let is_part = node.is_cut() && how == Test::Is;
    let holds = match how {
        Test::Is if is_part => wanted.starts_with(is),
        Test::Is => is == wanted,
        Test::Holds => is.contains(wanted),
    };
    if holds {
        let shown = Shown::value(&node.role, node.text(), 200);
        let guessed = node.guessed && !is.is_empty();
        return Ok((
            if guessed || is_part {
                Status::Unverified
            } else {
                Status::Done
            },
            shown,
        ));
    }
    let code = node.is_cut().then(|| Code::own("text_read_in_part"));
    let mut failure = Failure::new(Status::Mismatch, code);
    failure.detail.push(receipt::node(node));
    Err(failure)
}
