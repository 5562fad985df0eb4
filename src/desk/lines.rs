//! `desk-read`'s choice of lines: a tree and what is wanted in, shown lines and counts out. Pure.

use super::changes;
use super::find::{has_role, mentions};
use super::receipt::{self, ReadLines};
use super::shown::Shown;
use super::tree::{Node, Tree};

/// What a reader wants to see.
pub struct Wanted<'a> {
    /// Any of these, whatever the case; none: every text.
    pub filters: &'a [String],
    /// Only this role.
    pub role: Option<&'a str>,
    /// Controls too, when nothing else is asked for.
    pub full: bool,
    /// At most this many lines.
    pub max: usize,
}

/// Roles that are there to be read, in the words of both systems.
const TEXTS: &[&str] = &[
    "label",
    "text",
    "edit bar",
    "entry",
    "static text",
    "paragraph",
    "heading",
    "password text",
    "AXStaticText",
    "AXTextField",
    "AXTextArea",
    "AXHeading",
];

/// Picks the lines.
#[must_use]
pub fn pick(tree: &Tree, wanted: &Wanted) -> ReadLines {
    let is_text = |node: &Node| TEXTS.iter().any(|role| has_role(node, role));
    let fits = |node: &&Node| {
        let role = match wanted.role {
            Some(role) => has_role(node, role),
            None => wanted.full || !wanted.filters.is_empty() || is_text(node),
        };
        let filters = wanted.filters;
        role && (filters.is_empty() || filters.iter().any(|part| mentions(node, part)))
    };
    let matching: Vec<_> = tree.nodes.iter().filter(fits).collect();
    ReadLines {
        lines: matching
            .iter()
            .take(wanted.max)
            .map(|node| receipt::candidate(node))
            .collect(),
        matching: matching.len(),
        all: tree.nodes.len(),
        gap: gap(tree),
    }
}

/// What is other than in the read before.
#[must_use]
pub fn changed(before: &Tree, now: &Tree, max: usize) -> ReadLines {
    let mut lines = changes::between(before, now);
    let matching = lines.len();
    lines.truncate(max);
    ReadLines {
        lines,
        matching,
        all: now.nodes.len(),
        gap: gap(now),
    }
}

fn gap(tree: &Tree) -> Option<Shown> {
    match (&tree.degraded, tree.is_partial) {
        (Some(reason), _) => Some(Shown::text(reason, 200)),
        (None, true) => Some(Shown::own("(the driver did not list everything)")),
        (None, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::shown::RawAnswer;
    use super::super::tree;
    use super::*;

    #[test]
    fn texts_by_default_and_whatever_a_filter_names() {
        let answer = json!({
            "elements": [
                {"element_token": "s00000001:0", "role": "push button", "label": "Save|As"},
                {"element_token": "s00000001:1", "role": "password text", "value": "hunter2"},
            ],
            "tree_markdown": "- label = \"Saved\"\n",
        });
        let tree = tree::parse(&RawAnswer::new(answer));
        let lines = |filters: &[&str], role, max| {
            let filters: Vec<_> = filters.iter().map(|f| (*f).to_owned()).collect();
            let read = pick(
                &tree,
                &Wanted {
                    filters: &filters,
                    role,
                    full: false,
                    max,
                },
            );
            let lines: Vec<_> = read.lines.iter().map(Shown::as_str).collect();
            (read.matching, lines.join("; "))
        };
        let secret = r#""password text" "" = "[redacted]""#;
        assert_eq!(
            lines(&[], None, 9),
            (2, format!(r#"{secret}; label "Saved""#))
        );
        let both = r#""push button" "Save|As"; label "Saved""#;
        assert_eq!(lines(&["SAVE"], None, 9), (2, both.to_owned()));
        assert_eq!(lines(&["e|a", "zzz"], None, 9).0, 1);
        assert!(!lines(&["hunter2"], None, 9).1.contains("hunter2"));
        assert_eq!(lines(&["save"], Some("button"), 9).0, 1);
        assert_eq!(
            lines(&["save"], None, 1),
            (2, r#""push button" "Save|As""#.to_owned())
        );
    }
}
