//! What is other than in the last read of the same window: two trees in, lines out. Pure.

use std::collections::HashMap;

use super::receipt;
use super::shown::{RawText, Shown};
use super::tree::{Node, Tree};

/// Lines with `+` (came), `~` (changed, as it is now) and `-` (went). Controls are the same by
/// their ref, texts by what they say.
#[must_use]
pub fn between(before: &Tree, now: &Tree) -> Vec<Shown> {
    let old = counted(before);
    let new = counted(now);
    let mut lines = Vec::new();
    for (key, node) in &new {
        let was = old.iter().find(|(other, _)| other == key);
        match was {
            None => lines.push(marked("+", node)),
            Some((_, was)) if differs(was, node) => lines.push(marked("~", node)),
            Some(_) => {}
        }
    }
    let gone = old
        .iter()
        .filter(|(key, _)| !new.iter().any(|(other, _)| other == key));
    lines.extend(gone.map(|(_, node)| marked("-", node)));
    lines
}

/// Each node with what it is known by: equal ones get a running number.
fn counted(tree: &Tree) -> Vec<((String, usize), &Node)> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let known = tree.nodes.iter().map(|node| {
        let key = match &node.reference {
            Some(reference) => reference.clone(),
            None => format!("{} {}", node.role.reveal(), node.name.reveal()),
        };
        let number = seen.entry(key.clone()).or_default();
        *number += 1;
        ((key, *number), node)
    });
    known.collect()
}

fn differs(was: &Node, is: &Node) -> bool {
    let parts = |node: &Node| -> (RawText, Option<RawText>, Option<bool>) {
        (node.name.clone(), node.value.clone(), node.selected)
    };
    parts(was) != parts(is)
}

fn marked(mark: &'static str, node: &Node) -> Shown {
    Shown::line(&[Shown::own(mark), receipt::candidate(node)])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::refs::Refs;
    use super::super::shown::RawAnswer;
    use super::super::tree;
    use super::*;

    #[test]
    fn what_came_what_changed_and_what_went() {
        let mut refs = Refs::default();
        let mut tree = |display: &str, button: &str, rows: &str| {
            let elements = json!([
                {"element_token": "s:0", "role": "edit bar", "label": display, "value": display},
                {"element_token": "s:1", "role": "push button", "label": button},
                {"element_token": "s:2", "role": "check box", "label": "Bold", "selected": display == "7"},
            ]);
            let mut tree = tree::parse(&RawAnswer::new(
                json!({"elements": elements, "tree_markdown": rows}),
            ));
            refs.mark(&mut tree.nodes);
            tree
        };
        let before = tree("7", "Save", "- label = \"a\"\n- label = \"a\"\n");
        let now = tree("56", "Open", "- label = \"a\"\n- label = \"b\"\n");
        let lines: Vec<_> = between(&before, &now)
            .iter()
            .map(|line| line.as_str().to_owned())
            .collect();
        assert_eq!(
            lines,
            [
                "~ #c1 \"edit bar\" \"56\"",
                "+ #c4 \"push button\" \"Open\"",
                "~ #c3 \"check box\" \"Bold\"",
                "+ label \"b\"",
                "- #c2 \"push button\" \"Save\"",
                "- label \"a\"",
            ]
        );
        assert!(between(&now, &now).is_empty());
    }
}
