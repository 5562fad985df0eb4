//! Short refs (`#c17`): a control keeps its number for as long as a run lasts, whatever reads come
//! between. A number belongs to role, identifier, name and ancestors. Nodes in, numbers out. Pure.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::tree::Node;
use crate::files;

/// The file's name in the run's folder.
pub const FILE: &str = "refs.json";

/// Every control that a run has seen; the first is `c1`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Refs(Vec<Identity>);

/// What makes a control the same one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Identity {
    /// Of role, identifier, name and ancestors.
    print: String,
    /// Its place among those that look the same, and how many these are. When their number
    /// changes, none of them can be told any more.
    place: usize,
    of: usize,
}

/// The highest number that a control of these has. What is new in a later read has a higher one.
#[must_use]
pub fn highest(nodes: &[Node]) -> usize {
    nodes.iter().filter_map(number).max().unwrap_or(0)
}

/// The number of a control's ref.
#[must_use]
pub fn number(node: &Node) -> Option<usize> {
    node.reference.as_deref()?.strip_prefix('c')?.parse().ok()
}

impl Refs {
    /// Gives every control its ref. Says whether one was new.
    pub fn mark(&mut self, nodes: &mut [Node]) -> bool {
        let known = self.0.len();
        let mut numbers: HashMap<Identity, usize> = HashMap::new();
        for (index, identity) in self.0.iter().enumerate() {
            numbers.entry(identity.clone()).or_insert(index + 1);
        }
        let prints: Vec<Option<String>> = (0..nodes.len()).map(|at| print(nodes, at)).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for print in prints.iter().flatten() {
            *counts.entry(print).or_default() += 1;
        }
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (node, print) in nodes.iter_mut().zip(&prints) {
            let Some(print) = print else { continue };
            let place = places.entry(print).or_default();
            let identity = Identity {
                print: print.clone(),
                place: *place,
                of: counts[print.as_str()],
            };
            *place += 1;
            let number = *numbers.entry(identity.clone()).or_insert_with(|| {
                self.0.push(identity);
                self.0.len()
            });
            node.reference = Some(format!("c{number}"));
        }
        self.0.len() > known
    }

    /// Whether this ref was ever given.
    #[must_use]
    pub fn knows(&self, reference: &str) -> bool {
        self.identity(reference).is_some()
    }

    /// Whether nothing else looked the same as this control.
    #[must_use]
    pub fn is_lone(&self, reference: &str) -> bool {
        self.identity(reference).is_some_and(|it| it.of == 1)
    }

    fn identity(&self, reference: &str) -> Option<&Identity> {
        let number: usize = reference.strip_prefix('c')?.parse().ok()?;
        self.0.get(number.checked_sub(1)?)
    }
}

/// 16 hex digits; none for what cannot be acted on.
fn print(nodes: &[Node], at: usize) -> Option<String> {
    let node = &nodes[at];
    node.token.as_ref()?;
    let mut hash = Sha256::new();
    let mut feed = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    let mut next = Some(at);
    // Reads are finite, and a driver that lists a circle is not worth a hang.
    for _ in 0..64 {
        let Some(node) = next.and_then(|at| nodes.get(at)) else {
            break;
        };
        feed(node.role.reveal());
        feed(node.identifier.reveal());
        feed(if node.is_named_by_value() {
            ""
        } else {
            node.name.reveal()
        });
        next = node.parent;
    }
    Some(files::short(&hash.finalize(), 8))
}

#[cfg(test)]
mod tests {
    use super::super::shown::RawText;
    use super::*;

    fn node(role: &str, name: &str, parent: Option<usize>) -> Node {
        Node {
            token: Some(format!("s:{name}")),
            role: RawText::new(role),
            name: RawText::new(name),
            parent,
            ..Node::default()
        }
    }

    fn marked(refs: &mut Refs, mut nodes: Vec<Node>) -> Vec<String> {
        refs.mark(&mut nodes);
        nodes
            .into_iter()
            .map(|node| node.reference.unwrap())
            .collect()
    }

    #[test]
    fn a_control_keeps_its_number() {
        let mut refs = Refs::default();
        let (save, open) = (
            || node("button", "Save", None),
            || node("button", "Open", None),
        );
        assert_eq!(marked(&mut refs, vec![save(), open()]), ["c1", "c2"]);
        assert_eq!(
            marked(&mut refs, vec![open(), node("button", "New", None), save()]),
            ["c2", "c3", "c1"]
        );
        // Under another parent it is another control.
        let tab = || node("page tab", "T", None);
        assert_eq!(
            marked(&mut refs, vec![tab(), node("button", "Save", Some(0))])[1],
            "c5"
        );
        assert!(refs.knows("c5") && !refs.knows("c6") && !refs.knows("c0"));
    }

    #[test]
    fn twins_are_told_apart_only_while_none_comes_or_goes() {
        let mut refs = Refs::default();
        let twin = || node("entry", "", None);
        assert_eq!(marked(&mut refs, vec![twin(), twin()]), ["c1", "c2"]);
        assert_eq!(marked(&mut refs, vec![twin(), twin()]), ["c1", "c2"]);
        assert_eq!(marked(&mut refs, vec![twin()]), ["c3"]);
        assert!(refs.is_lone("c3") && !refs.is_lone("c1") && !refs.is_lone("c9"));
    }

    #[test]
    fn a_field_that_is_named_by_its_text_keeps_its_number() {
        let mut refs = Refs::default();
        let field = |text: &str| Node {
            value: Some(RawText::new(text)),
            ..node("edit bar", text, None)
        };
        assert_eq!(marked(&mut refs, vec![field("7")]), ["c1"]);
        assert_eq!(marked(&mut refs, vec![field("56")]), ["c1"]);
        let empty = Node {
            value: None,
            ..node("edit bar", "", None)
        };
        assert_eq!(marked(&mut refs, vec![empty]), ["c1"]);
    }
}
