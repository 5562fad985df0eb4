//! One action by a token, as `desk` is given it. The token comes from a saved read; its control is
//! known again in a new read, so that a text is read back by the same check as a step's, and so
//! that our own reads, which end the life of tokens, are not in the caller's way.

use serde_json::{Map, Value, json};

use super::Performer;
use super::write::{compare, inserted, typeable};
use crate::desk::outcome::{Code, Failure, Status, Stop};
use crate::desk::packet;
use crate::desk::request::Tool;
use crate::desk::shown::RawText;
use crate::desk::tree::Node;
use crate::desk::window::Target;

/// An action and the control that it is for, as an earlier read of the window showed it.
pub struct Order<'o> {
    /// The tool.
    pub tool: &'static Tool,
    /// The caller's arguments; the token in them is replaced.
    pub arguments: &'o Map<String, Value>,
    /// The control, with its ref.
    pub known: &'o Node,
}

/// What the action came to, the driver's word for its effect, and whether a window opened.
pub type Acted = (Status, Option<Code>, bool);

/// Writes a text into the control and reads it back.
pub fn write(target: &mut Target, order: &Order) -> Result<Acted, Stop> {
    let mut performer = Performer::new(target);
    if order.tool.name == "type_text" {
        performer.may_type()?;
    }
    let (effect, before) = performer.act_again(order)?;
    let text = |field: &str| order.arguments.get(field).and_then(Value::as_str);
    let (set, typed) = (text("value").map(RawText::new), text("text"));
    let typed = RawText::new(typed.unwrap_or_default());
    let by_ref = packet::Target::Ref(before.reference.clone().unwrap_or_default());
    let status = performer.read_back(&before, &by_ref, effect, |field| match &set {
        Some(text) => compare(field, text),
        None => inserted(&before, field, &typed),
    })?;
    Ok((status, performer.last.effect, performer.last.opened))
}

/// Acts on the control by a fresh token.
pub fn act(target: &mut Target, order: &Order) -> Result<Acted, Stop> {
    let mut performer = Performer::new(target);
    let (status, _) = performer.act_again(order)?;
    Ok((status, performer.last.effect, performer.last.opened))
}

/// Reads this very window; a no where a dialog stands before it.
pub fn look_first(target: &mut Target) -> Result<(), Stop> {
    let mut performer = Performer::new(target);
    performer.seen = Some(performer.target.read_this()?);
    performer.unobstructed()
}

impl Performer<'_, '_, '_> {
    /// Reads this very window, which confirms that it stands, and acts on the control in it.
    fn act_again(&mut self, order: &Order) -> Result<(Status, Node), Stop> {
        self.seen = Some(self.target.read_this()?);
        self.stale = false;
        let grant = self.grant().clone();
        let run = &*self.target.calls.run;
        let is_lone = run.is_lone(order.known.reference.as_deref().unwrap_or_default());
        self.act(
            |nodes| again(order.known, is_lone, nodes),
            |node| {
                if order.tool.name.contains("click") {
                    grant.control(node)?;
                }
                if let Some(text) = order.arguments.get("text").and_then(Value::as_str) {
                    typeable(node, text)?;
                }
                let mut arguments = order.arguments.clone();
                arguments.insert("element_token".to_owned(), json!(node.token));
                Ok((order.tool, arguments))
            },
        )
    }
}

/// The control in a new read. One of several that look the same is it only at the same place.
fn again<'n>(known: &Node, is_lone: bool, nodes: &'n [Node]) -> Result<&'n Node, Failure> {
    let named = |node: &&Node| node.reference.is_some() && node.reference == known.reference;
    let there = nodes.iter().find(named);
    let is_it = |node: &&Node| is_lone || node.frame.is_some() && node.frame == known.frame;
    there
        .filter(is_it)
        .ok_or_else(|| Failure::new(Status::Refused, Some(Code::own("stale_element_token"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twin_is_known_again_only_at_its_place() {
        let node = |reference: &str, at: i64| Node {
            token: Some("s1:1".to_owned()),
            reference: Some(reference.to_owned()),
            frame: Some([at, 0, 9, 9]),
            ..Node::default()
        };
        for (reference, at, is_lone, found) in [
            ("c1", 0, true, true),
            ("c1", 5, true, true),
            ("c1", 0, false, true),
            ("c1", 5, false, false),
            ("c2", 0, true, false),
        ] {
            let nodes = [node(reference, at)];
            let seen = again(&node("c1", 0), is_lone, &nodes);
            assert_eq!(seen.is_ok(), found, "{reference} {at} {is_lone}");
        }
    }
}
