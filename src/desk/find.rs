//! Which node a target means: nodes and target in, one node, several or none out. Whole names
//! only, unless a part is asked for: asked for "Save", the driver itself pressed "Don't Save". Pure.

use super::packet::Target;
use super::shown::RawText;
use super::tree::Node;

/// What the nodes say to a target.
#[derive(Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// Exactly one.
    One(&'a Node),
    /// More than one; at most five of them.
    Many(Vec<&'a Node>),
    /// None; at most three whose names are near.
    None(Vec<&'a Node>),
}

/// A control to act on: only nodes that have a token.
#[must_use]
pub fn to_act<'a>(target: &Target, nodes: &'a [Node]) -> Found<'a> {
    let nodes: Vec<_> = nodes.iter().filter(|node| node.token.is_some()).collect();
    settle(target, &nodes, false)
}

/// A control or text to look at. Several that read the same are as good as one; a part of a name
/// counts when no whole one does.
#[must_use]
pub fn to_see<'a>(target: &Target, nodes: &'a [Node]) -> Found<'a> {
    let nodes: Vec<_> = nodes.iter().collect();
    match settle(target, &nodes, true) {
        Found::Many(many) if many.iter().all(|node| node.text() == many[0].text()) => {
            Found::One(many[0])
        }
        found => found,
    }
}

/// Whether a node has the very name that is asked for.
#[must_use]
pub fn is_whole(target: &Target, node: &Node) -> bool {
    match target {
        Target::Name(name) | Target::RoleName(_, name) => same(node.name.reveal(), name),
        Target::Role(_) | Target::Part(_) | Target::Ref(_) => false,
    }
}

/// Every node a `read` step shows.
#[must_use]
pub fn to_read<'a>(target: &Target, nodes: &'a [Node]) -> Vec<&'a Node> {
    nodes
        .iter()
        .filter(|node| !is_other(target, node))
        .collect()
}

fn is_other(target: &Target, node: &Node) -> bool {
    !match target {
        Target::Name(part) | Target::Part(part) => mentions(node, part),
        Target::Role(role) => has_role(node, role),
        Target::RoleName(role, part) => has_role(node, role) && mentions(node, part),
        Target::Ref(reference) => node.reference.as_ref() == Some(reference),
    }
}

/// Whether a name, value or description holds the part, whatever the case.
#[must_use]
pub fn mentions(node: &Node, part: &str) -> bool {
    texts(node).iter().any(|text| holds(text, part))
}

/// Whether a node shows that what is waited for is there: by the words, unless a part is asked for.
#[must_use]
pub fn shows(target: &Target, node: &Node) -> bool {
    let says = |name| texts(node).iter().any(|text| says(text, name));
    match target {
        Target::Name(name) => says(name),
        Target::RoleName(role, name) => has_role(node, role) && says(name),
        Target::Part(_) | Target::Role(_) | Target::Ref(_) => !is_other(target, node),
    }
}

fn texts(node: &Node) -> [&str; 3] {
    [&node.name, node.text(), &node.description].map(RawText::reveal)
}

fn holds(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

/// Whether the words stand in a text, whatever the case: "saved" is not in "Unsaved", nor 8 in 84.
fn says(text: &str, words: &str) -> bool {
    let (text, words) = (text.to_lowercase(), words.to_lowercase());
    // Scripts that do not part their words begin about here.
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && c < '\u{2e80}');
    let cut = |outside: Option<char>, inside: Option<char>| joins(outside) && joins(inside);
    text.match_indices(&words).any(|(at, found)| {
        let (before, after) = (&text[..at], &text[at + found.len()..]);
        !cut(before.chars().next_back(), found.chars().next())
            && !cut(after.chars().next(), found.chars().next_back())
    })
}

/// Whether a node has this role, in the words of either system: `button` is `push button` and
/// `AXButton`.
#[must_use]
pub fn has_role(node: &Node, role: &str) -> bool {
    let words = node.role.reveal();
    let first = words.split(" AX").next().unwrap_or(words);
    plain_role(first) == plain_role(role)
}

fn plain_role(role: &str) -> String {
    let role = role.strip_prefix("AX").unwrap_or(role);
    let role: String = role.chars().filter(|c| !c.is_whitespace()).collect();
    let role = role.to_lowercase();
    role.strip_prefix("push").unwrap_or(&role).to_owned()
}

fn settle<'a>(target: &Target, nodes: &[&'a Node], parts: bool) -> Found<'a> {
    let (role, name) = match target {
        Target::Role(role) => (Some(role), None),
        Target::RoleName(role, name) => (Some(role), Some(name)),
        Target::Name(name) | Target::Part(name) => (None, Some(name)),
        Target::Ref(reference) => {
            let named = |node: &&&Node| node.reference.as_ref() == Some(reference);
            return one_of(nodes.iter().filter(named).copied().collect(), Vec::new);
        }
    };
    let of_role = |node: &&&Node| role.is_none_or(|role| has_role(node, role));
    let pool: Vec<&Node> = nodes.iter().filter(of_role).copied().collect();
    let Some(name) = name else {
        // A name that ends so must be quoted.
        let name = role.map(|role| format!("{role}:")).unwrap_or_default();
        let named = nodes.iter().filter(|node| same(node.name.reveal(), &name));
        return one_of(pool, || named.clone().take(3).copied().collect());
    };
    let only_part = matches!(target, Target::Part(_));
    let first = tiers(only_part, parts)
        .map(|tier| {
            let fits = pool.iter().filter(|node| tier(node, name));
            fits.copied().collect::<Vec<_>>()
        })
        .find(|matches| !matches.is_empty());
    one_of(first.unwrap_or_default(), || nearest(name, nodes))
}

fn one_of<'a>(mut matches: Vec<&'a Node>, near: impl Fn() -> Vec<&'a Node>) -> Found<'a> {
    match matches.as_slice() {
        [] => Found::None(near()),
        [one] => Found::One(one),
        _ => {
            matches.truncate(5);
            Found::Many(matches)
        }
    }
}

type Tier = fn(&Node, &str) -> bool;

/// Ways to answer to a name, the surest first.
fn tiers(only_part: bool, parts: bool) -> impl Iterator<Item = Tier> {
    let whole: [Tier; 5] = [
        |node, name| node.name.reveal() == name,
        |node, name| same(node.name.reveal(), name),
        |node, name| node.description.reveal() == name,
        |node, name| same(node.description.reveal(), name),
        |node, name| node.identifier.reveal() == name,
    ];
    let part: Tier = if only_part {
        |node, name| holds(node.name.reveal(), name)
    } else {
        |node, name| says(node.name.reveal(), name)
    };
    let whole = whole.into_iter().filter(move |_| !only_part);
    whole.chain((only_part || parts).then_some(part))
}

fn same(text: &str, name: &str) -> bool {
    text.to_lowercase() == name.to_lowercase()
}

fn nearest<'a>(name: &str, nodes: &[&'a Node]) -> Vec<&'a Node> {
    let name = name.to_lowercase();
    let mut near: Vec<_> = nodes
        .iter()
        .filter(|node| !node.name.reveal().is_empty())
        .map(|node| {
            let other = node.name.reveal().to_lowercase();
            let far = if other.contains(&name) {
                0.0
            } else {
                1.0 - strsim::normalized_damerau_levenshtein(&name, &other)
            };
            (far, *node)
        })
        .collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    near.into_iter().take(3).map(|(_, node)| node).collect()
}

#[cfg(test)]
mod tests {
    use super::super::shown::RawText;
    use super::*;

    fn node(token: bool, role: &str, name: &str, description: &str) -> Node {
        Node {
            token: token.then(|| name.to_owned()),
            role: RawText::new(role),
            name: RawText::new(name),
            description: RawText::new(description),
            ..Node::default()
        }
    }

    fn words(found: &Found) -> String {
        let names = |nodes: &[&Node]| {
            let names: Vec<_> = nodes.iter().map(|n| n.name.reveal().to_owned()).collect();
            names.join(",")
        };
        match found {
            Found::One(node) => node.name.reveal().to_owned(),
            Found::Many(nodes) => format!("many {}", names(nodes)),
            Found::None(nodes) => format!("none {}", names(nodes)),
        }
    }

    #[test]
    fn whole_names_only_unless_a_part_is_asked_for() {
        let nodes = [
            node(true, "push button", "Don't Save", ""),
            node(true, "push button", "Cancel", "Stop it"),
            node(true, "AXButton", "OK", ""),
            node(true, "toggle button", "ok", ""),
            node(false, "label", "Status: saved", ""),
        ];
        let name = |n: &str| Target::Name(n.to_owned());
        let part = |n: &str| Target::Part(n.to_owned());
        let role = |r: &str, n: &str| Target::RoleName(r.to_owned(), n.to_owned());
        for (target, act, see) in [
            (name("Save"), "none Don't Save,Cancel,OK", "Don't Save"),
            (part("Save"), "Don't Save", "many Don't Save,Status: saved"),
            (name("OK"), "OK", "OK"),
            (name("oK"), "many OK,ok", "many OK,ok"),
            (name("stop it"), "Cancel", "Cancel"),
            (role("button", "OK"), "OK", "OK"),
            (Target::Role("togglebutton".to_owned()), "ok", "ok"),
            (Target::Role("label".to_owned()), "none ", "Status: saved"),
        ] {
            assert_eq!(words(&to_act(&target, &nodes)), act, "act {target:?}");
            assert_eq!(words(&to_see(&target, &nodes)), see, "see {target:?}");
        }
    }

    #[test]
    fn what_is_waited_for_is_there_in_words() {
        let there = |target: &Target, text: &str| {
            let node = Node {
                name: RawText::new(text),
                ..Node::default()
            };
            shows(target, &node)
        };
        for (words, text, want) in [
            ("Saved", "Saved", true),
            ("saved", "File: Saved.", true),
            ("Saved", "Unsaved changes", false),
            ("8", "84", false),
            ("8", "7 8", true),
            ("日本", "日本語", true),
            ("é", "café", false),
            ("50%", "50%", true),
            ("50%", "150%", false),
        ] {
            assert_eq!(
                there(&Target::Name(words.to_owned()), text),
                want,
                "{words} {text}"
            );
        }
        assert!(there(&Target::Part("saved".to_owned()), "Unsaved"));
    }
}
