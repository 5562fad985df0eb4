//! Presses: a click, a tick, a key of a keypad, a chord, a menu. What is risky is checked again on
//! the very control that is pressed.

use serde_json::{Map, Value, json};

use super::{Last, Performer, look};
use crate::desk::danger::Grant;
use crate::desk::find::{self, Found};
use crate::desk::outcome::{Code, Failure, Status, Stop};
use crate::desk::packet::{Chord, Target};
use crate::desk::receipt;
use crate::desk::refs::{highest, number};
use crate::desk::request::Tool;
use crate::desk::shown::RawText;
use crate::desk::tree::{Node, Offer};
use crate::desk::window::own;

/// How much of a dialog is shown to who did not know of it.
const DIALOG_LINES: usize = 8;

/// Every name on the way counts: a menu's own name can be the risky one.
pub fn allowed_menu(grant: &Grant, path: &[String]) -> Result<(), Failure> {
    let mut labels = path.iter().map(|name| RawText::new(name.as_str()));
    labels.try_for_each(|label| grant.label(&label))
}

impl Performer<'_, '_, '_> {
    pub fn click(&mut self, target: &Target) -> Result<Status, Stop> {
        self.press_one(|nodes| look::to_act(target, nodes))
    }

    pub fn key(&mut self, key: char) -> Result<Status, Stop> {
        self.press_one(|nodes| look::to_press(key, nodes))
    }

    fn press_one(
        &mut self,
        settle: impl Fn(&[Node]) -> Result<&Node, Failure>,
    ) -> Result<Status, Stop> {
        let grant = self.grant().clone();
        let (status, _) = self.act(settle, |node| {
            grant.control(node)?;
            Ok((own("click")?, Map::new()))
        })?;
        good(status)
    }

    /// The same on what a target names.
    pub fn act_on(
        &mut self,
        target: &Target,
        how: impl Fn(&Node) -> Result<(&'static Tool, Map<String, Value>), Stop>,
    ) -> Result<(Status, Node), Stop> {
        self.act(|nodes| look::to_act(target, nodes), how)
    }

    /// Acts on a control by token, with the tool and the arguments that its control asks for. A
    /// token that the driver calls stale certainly did nothing, so the window is read again and
    /// the action tried once more.
    pub fn act(
        &mut self,
        settle: impl Fn(&[Node]) -> Result<&Node, Failure>,
        how: impl Fn(&Node) -> Result<(&'static Tool, Map<String, Value>), Stop>,
    ) -> Result<(Status, Node), Stop> {
        let mut tries = 0;
        loop {
            let node = self.find(&settle)?;
            self.unobstructed()?;
            self.known = self
                .seen
                .as_ref()
                .map_or(0, |seen| highest(&seen.tree.nodes));
            let (tool, mut arguments) = how(&node)?;
            arguments.insert("element_token".to_owned(), json!(node.token));
            let outcome = if tool.name == "type_text" && self.target.calls.batches()? {
                self.type_and_read(tool, &arguments, &node)
            } else {
                self.call(tool, &arguments)
            };
            tries += 1;
            match outcome {
                Err(Stop::Failed(no)) if no.is("stale_element_token") && tries == 1 => {
                    self.seen = None;
                }
                Ok(_) if self.last.strayed && node.offers == Offer::Press => {
                    return Err(astray().into());
                }
                outcome => return outcome.map(|status| (status, node)),
            }
        }
    }

    /// A no where the read at hand shows a dialog in front: whoever wrote the step did not know of
    /// it. The next command goes to the dialog.
    pub fn unobstructed(&mut self) -> Result<(), Stop> {
        let Some(dialog) = self.seen.as_ref().and_then(|seen| seen.tree.dialog.clone()) else {
            return Ok(());
        };
        self.seen = self.target.go_to(&dialog)?;
        let mut no = Failure::new(Status::Refused, Some(Code::own("dialog_in_front")));
        no.detail
            .push(receipt::dialog(&dialog, self.seen.is_some()));
        if let Some(seen) = &self.seen {
            let nodes = seen.tree.nodes.iter().take(DIALOG_LINES);
            no.detail.extend(nodes.map(receipt::candidate));
        }
        Err(no.into())
    }

    /// One call that changes something.
    pub fn call(
        &mut self,
        tool: &'static Tool,
        arguments: &Map<String, Value>,
    ) -> Result<Status, Stop> {
        self.stale = true;
        let yes = self.target.ask(tool, arguments)?;
        self.acted = true;
        let answer = yes.answer.reveal();
        let effect = answer.get("effect").and_then(Value::as_str);
        self.last = Last {
            effect: effect.and_then(Code::parse),
            strayed: strayed(answer),
            opened: opened(answer),
        };
        if self.last.opened {
            // The read at hand does not show what may stand in front now.
            self.seen = None;
        }
        Ok(Status::of_effect(effect))
    }

    /// Nothing when it is so already: a second click would undo the first.
    pub fn check(&mut self, target: &Target, on: bool) -> Result<Status, Stop> {
        let node = self.find_as_is(|nodes| look::to_act(target, nodes))?;
        match node.is_on() {
            None => {
                let code = Some(Code::own("state_not_readable"));
                return Err(Failure::new(Status::Refused, code).into());
            }
            Some(is) if is == on => return Ok(Status::Done),
            Some(_) => {}
        }
        self.click(target)?;
        let known = self.known;
        self.look(3, |nodes| {
            match same(&node, known, target, nodes).map(Node::is_on) {
                Some(Some(is)) if is == on => Ok(Status::Done),
                Some(Some(_)) => Err(Failure::new(Status::NoEffect, None)),
                Some(None) | None => Ok(Status::Unverified),
            }
        })
    }

    pub fn menu(&mut self, path: &[String]) -> Result<Status, Stop> {
        allowed_menu(self.grant(), path)?;
        if self.seen.is_none() {
            self.read()?;
        }
        self.unobstructed()?;
        let arguments = Map::from_iter([("path".to_owned(), json!(path))]);
        good(self.call(own("invoke_menu")?, &arguments)?)
    }

    /// Keys go to the window, not to a control; so it is read first, which shows that it is there.
    pub fn press(&mut self, chord: &Chord) -> Result<Status, Stop> {
        if self.stale || self.seen.is_none() {
            self.read()?;
        }
        self.unobstructed()?;
        let nodes = self.seen.as_ref().map(|seen| seen.tree.nodes.as_slice());
        self.grant().chord(chord, nodes.unwrap_or_default())?;
        let (tool, mut arguments) = if chord.modifiers.is_empty() {
            ("press_key", json!({"key": chord.key}))
        } else {
            let keys = chord.modifiers.iter().copied();
            let keys: Vec<_> = keys.chain([chord.key.as_str()]).collect();
            ("hotkey", json!({ "keys": keys }))
        };
        let (tool, arguments) = (own(tool)?, arguments.as_object_mut());
        let mut arguments = arguments.map(std::mem::take).unwrap_or_default();
        match self.call(tool, &arguments) {
            // It certainly did not happen, and coming to the front was granted.
            Err(Stop::Failed(no)) if no.is("background_unavailable") && self.grant().foreground => {
                arguments.insert("delivery_mode".to_owned(), json!("foreground"));
                good(self.call(tool, &arguments)?)
            }
            outcome => good(outcome?),
        }
    }
}

/// Whether the driver saw the app open a window.
#[must_use]
pub fn opened(answer: &Value) -> bool {
    let evidence = answer.get("evidence").and_then(Value::as_array);
    evidence.into_iter().flatten().any(|it| {
        let word = |field: &str| it.get(field).and_then(Value::as_str).unwrap_or_default();
        word("kind") == "window_change" && word("detail").contains("opened")
    })
}

/// Whether the driver moved the pointer instead of acting on the control.
#[must_use]
pub fn strayed(answer: &Value) -> bool {
    let word = |field: &str| answer.get(field).and_then(Value::as_str);
    // A report on several actions has no route for each, only a sentence.
    let said = word("message").unwrap_or_default();
    word("route") == Some("synthetic_events") || said.contains("real pointer click")
}

/// A control that can be pressed was clicked at with the pointer: the app did not answer. Such a
/// click was seen to land on another control, and the press can still come when the app wakes up
/// (0.37, Linux).
#[must_use]
pub fn astray() -> Failure {
    Failure::new(Status::Unknown, Some(Code::own("app_not_answering")))
}

/// The packet goes on after it; anything else is a failure.
pub fn good(status: Status) -> Result<Status, Stop> {
    if status.is_good() {
        return Ok(status);
    }
    Err(Failure::new(status, None).into())
}

/// The control that was acted on, in a later read. By its name, which another control that has
/// come to its place does not have; of several with this name the one at its place. One that is
/// named by its own text, one without a name, and one whose name changed, by its place, unless the
/// one there is another that was known before: `known` is the highest ref of then. Else by the
/// target.
#[must_use]
pub fn same<'a>(
    before: &Node,
    known: usize,
    target: &Target,
    nodes: &'a [Node],
) -> Option<&'a Node> {
    let role = |node: &&Node| node.role == before.role;
    let place = |node: &&Node| node.frame.is_some() && node.frame == before.frame;
    let has_name = !before.name.reveal().is_empty() && !before.guessed;
    if has_name && !before.is_named_by_value() {
        let named = |node: &&Node| role(node) && node.name == before.name;
        let mut named = nodes.iter().filter(named);
        match (named.next(), named.next()) {
            (Some(node), None) => return Some(node),
            (Some(first), Some(second)) => {
                let mut all = [first, second].into_iter().chain(named);
                return all.find(place);
            }
            (None, _) => {}
        }
    }
    let is_new = |node: &Node| number(node).is_some_and(|number| number > known);
    // A label gives way to the text of its field, and the ref is then that of such a field.
    let fits = |node: &&Node| {
        node.reference == before.reference
            || node.is_named_by_value()
            || is_new(node) && node.name != before.name
    };
    let mut there = nodes
        .iter()
        .filter(|node| role(node) && place(node) && fits(node));
    if let (Some(node), None) = (there.next(), there.next()) {
        return Some(node);
    }
    match find::to_act(target, nodes) {
        Found::One(node) => Some(node),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_is_known_by_its_name_before_its_place() {
        let node = |name: &str, value: &str, at: i64| Node {
            role: RawText::new("text"),
            reference: Some("c3".to_owned()),
            name: RawText::new(name),
            value: Some(RawText::new(value)),
            frame: Some([at, 0, 9, 9]),
            ..Node::default()
        };
        let with = |reference: &str, node: Node| Node {
            reference: Some(reference.to_owned()),
            ..node
        };
        let old = |name: &str, value: &str, at| with("c8", node(name, value, at));
        let new = |name: &str, value: &str, at| with("c10", node(name, value, at));
        for (before, nodes, want) in [
            // It moved, and another one took its place.
            (
                node("Tag", "", 1),
                vec![node("Tagged", "a", 1), node("Tag", "", 2)],
                Some(1),
            ),
            // Of twins the one at its place, or none.
            (
                node("Tag", "", 1),
                vec![node("Tag", "a", 2), node("Tag", "", 1)],
                Some(1),
            ),
            (
                node("Tag", "", 1),
                vec![node("Tag", "a", 2), node("Tag", "", 3)],
                None,
            ),
            // Named by its text, which is another now.
            (
                node("84", "84", 1),
                vec![node("9", "9", 1), node("84", "84", 2)],
                Some(0),
            ),
            (node("", "", 1), vec![node("a", "a", 1)], Some(0)),
            // Its label changed.
            (node("Tag", "", 1), vec![new("Tag (1)", "a", 1)], Some(0)),
            (node("Tag", "", 1), vec![old("a", "a", 1)], Some(0)),
            // It went, and one that was there before came up to its place.
            (node("Tag", "", 1), vec![old("Other", "a", 1)], None),
            (node("", "", 1), vec![new("", "a", 1)], None),
        ] {
            let target = Target::Ref("c9".to_owned());
            let found = same(&before, 9, &target, &nodes);
            let want = want.map(|at: usize| &nodes[at]);
            assert_eq!(found, want, "{:?}", nodes.len());
        }
    }
}
