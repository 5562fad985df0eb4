//! A read of a window: the driver's answer in, [`Node`]s out. Pure.
//!
//! What can be acted on comes from the structured `elements`, which no text of an app can imitate.
//! Static text stands only in `tree_markdown`, as rows without a number; from there it is taken
//! for reading. Where `elements` is missing the numbered rows stand in for it.
//!
//! Rows: `- [3] push button "name" value="v" (description "d") [actions=[click]]` and
//! `- label = "84"` on Linux; `- [3] AXButton "title" = "value" (description) [id=Seven …]` on
//! macOS. Quotes inside a text are not escaped, and a text can span lines.

use std::collections::HashMap;

use serde_json::Value;

use super::shown::{RawAnswer, RawText, is_bullets};

/// One control or text of a window.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Node {
    /// What an action names it by, until the next read; none for static text.
    pub token: Option<String>,
    /// The role, and after a blank the subrole where there is one.
    pub role: RawText,
    /// The name or label; empty when it has none.
    pub name: RawText,
    /// The value, when it has one.
    pub value: Option<RawText>,
    /// The description; empty when it has none.
    pub description: RawText,
    /// The developer's identifier (macOS); empty when it has none.
    pub identifier: RawText,
    /// Where it is on the screen: x, y, width, height.
    pub frame: Option<[i64; 4]>,
    /// What it offers to do.
    pub offers: Offer,
    /// Ticked or chosen, where the driver says so.
    pub selected: Option<bool>,
    /// It has the keys; most drivers do not say so.
    pub focused: bool,
    /// The control around it: an index into the same list.
    pub parent: Option<usize>,
    /// The driver does not tell a field's text from its label: its name is either. Drivers before
    /// 0.33 on Linux.
    pub guessed: bool,
    /// Its short ref, without the `#`; see [`super::refs`].
    pub reference: Option<String>,
}

/// The action that a control offers, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Offer {
    /// None of these.
    #[default]
    Other,
    /// To be pressed, in the words of either system.
    Press,
    /// `activate` (AT-SPI): what Enter does in a field, for instance sending its form.
    Activate,
}

impl Offer {
    fn of(actions: &[&str]) -> Self {
        let has = |wanted: &[&str]| actions.iter().any(|action| wanted.contains(action));
        if has(&["activate"]) {
            Self::Activate
        } else if has(&["click", "press", "toggle"]) {
            Self::Press
        } else {
            Self::Other
        }
    }
}

/// Roles of controls whose text is their value, in the words of both systems.
const FIELDS: &[&str] = &[
    "text",
    "edit bar",
    "entry",
    "password text",
    "spin button",
    "AXTextField",
    "AXTextArea",
];

/// The driver cuts a text after so many characters, and does not say so (0.37, Linux).
const CUT: usize = 4096;

static EMPTY: RawText = RawText::empty();

impl Node {
    /// What a person would read off it: its value, else its name. An empty field has no value,
    /// and its name is only its label.
    #[must_use]
    pub fn text(&self) -> &RawText {
        match &self.value {
            Some(value) => value,
            // A password field has its bullets in the name, and no value (0.37, Linux).
            None if is_bullets(self.name.reveal()) => &self.name,
            None if self.guessed => &self.name,
            None if self.token.is_some() && self.is_field() => &EMPTY,
            None => &self.name,
        }
    }

    /// Whether its text may go on behind what was read: nothing is then equal to it.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        let text = self.text().reveal();
        text.len() >= CUT && text.chars().count() >= CUT
    }

    /// Whether text is typed into it.
    #[must_use]
    pub fn is_field(&self) -> bool {
        let role = self.role.reveal();
        FIELDS
            .iter()
            .any(|field| role.split(" AX").next() == Some(field))
    }

    /// Whether its value is a number, which it writes in its own way: 5 as `5.0`.
    #[must_use]
    pub fn is_number(&self) -> bool {
        let role = self.role.reveal();
        matches!(
            role,
            "slider" | "spin button" | "AXSlider" | "AXIncrementor"
        )
    }

    /// Whether its name is its content: a field named by its text, a list named by its choice.
    #[must_use]
    pub fn is_named_by_value(&self) -> bool {
        let role = self.role.reveal();
        self.value.as_ref() == Some(&self.name)
            || matches!(role, "combo box" | "AXPopUpButton" | "AXComboBox")
    }

    /// Whether it is ticked: AT-SPI says it as a state, macOS as the value 1 or 0.
    #[must_use]
    pub fn is_on(&self) -> Option<bool> {
        let value = self.value.as_ref().map(RawText::reveal);
        match (self.selected, value) {
            (Some(on), _) => Some(on),
            (None, Some("1" | "true")) => Some(true),
            (None, Some("0" | "false")) => Some(false),
            _ => None,
        }
    }
}

/// A window as it was read.
pub struct Tree {
    /// Controls and texts, top to bottom; static texts after the controls.
    pub nodes: Vec<Node>,
    /// The driver did not list everything.
    pub is_partial: bool,
    /// The driver's reason for an empty tree.
    pub degraded: Option<RawText>,
    /// The window that was read.
    pub pid: Option<i64>,
    /// The same.
    pub window_id: Option<i64>,
    /// Where its upper left corner is on the screen.
    pub origin: Option<[i64; 2]>,
    /// What stands before it.
    pub dialog: Option<Dialog>,
}

/// A modal dialog: nobody at the screen can use the window behind it. Drivers from 0.28 on tell it
/// on Linux; what is done behind it all the same can happen, or be swallowed (0.37: GTK does it).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    /// The driver's id of its window.
    pub id: i64,
    /// Its title.
    pub title: RawText,
}

impl Tree {
    /// For an answer of a driver that names fields by their text and tells no values.
    pub fn guess(&mut self) {
        for node in &mut self.nodes {
            let is_mac = node.role.reveal().starts_with("AX");
            node.guessed = node.is_field() && node.value.is_none() && !is_mac;
        }
    }
}

/// Takes an answer of `get_window_state` apart; what is missing is left out.
#[must_use]
pub fn parse(answer: &RawAnswer) -> Tree {
    let answer = answer.reveal();
    let text = |name: &str| answer.get(name).and_then(Value::as_str).unwrap_or_default();
    let rows = rows(text("tree_markdown"));
    let elements = answer.get("elements").and_then(Value::as_array);
    let mut nodes: Vec<Node> = if let Some(elements) = elements {
        let mut nodes: Vec<Node> = elements.iter().map(element).collect();
        adopt(elements, &mut nodes);
        nodes
    } else {
        let numbered = rows.iter().filter(|row| row.number.is_some());
        numbered.map(|row| row.node(text("snapshot_id"))).collect()
    };
    let fixed = rows.iter().filter(|row| row.number.is_none());
    nodes.extend(fixed.map(|row| row.node("")));
    let corner = |side: &str| answer.pointer(&format!("/window_bounds/{side}"))?.as_i64();
    Tree {
        origin: corner("x").zip(corner("y")).map(|(x, y)| [x, y]),
        nodes,
        is_partial: answer.get("truncated") == Some(&Value::Bool(true)),
        degraded: answer
            .get("degraded_reason")
            .and_then(Value::as_str)
            .map(RawText::new),
        pid: answer.get("pid").and_then(Value::as_i64),
        window_id: answer.get("window_id").and_then(Value::as_i64),
        dialog: dialog(answer),
    }
}

fn dialog(answer: &Value) -> Option<Dialog> {
    let dialogs = answer.get("dialogs").and_then(Value::as_array)?;
    let mut modal = dialogs
        .iter()
        .filter(|it| it.get("modal") == Some(&Value::Bool(true)));
    let dialog = modal.next()?;
    let title = dialog.get("title").and_then(Value::as_str);
    Some(Dialog {
        id: dialog.get("window_id")?.as_i64()?,
        title: RawText::new(title.unwrap_or_default()),
    })
}

fn element(element: &Value) -> Node {
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| element.get(name)?.as_str());
        found.map(RawText::new)
    };
    let role = [element.get("role"), element.get("subrole")];
    let role: Vec<_> = role
        .iter()
        .filter_map(|role| role.as_ref()?.as_str())
        .collect();
    let frame =
        ["x", "y", "w", "h"].map(|side| element.pointer(&format!("/frame/{side}"))?.as_i64());
    Node {
        token: text(&["element_token"]).map(|token| token.reveal().to_owned()),
        role: RawText::new(role.join(" ")),
        name: text(&["label", "title", "name"]).unwrap_or_default(),
        value: text(&["value"]),
        description: text(&["description"]).unwrap_or_default(),
        identifier: text(&["identifier", "id"]).unwrap_or_default(),
        offers: offers(element),
        selected: ["selected", "checked"]
            .iter()
            .find_map(|name| element.get(name)?.as_bool()),
        focused: element.get("focused") == Some(&Value::Bool(true)),
        parent: None,
        guessed: false,
        reference: None,
        frame: match frame {
            [Some(x), Some(y), Some(w), Some(h)] => Some([x, y, w, h]),
            _ => None,
        },
    }
}

fn offers(element: &Value) -> Offer {
    let actions = element.get("actions").and_then(Value::as_array);
    let actions = actions.into_iter().flatten().filter_map(Value::as_str);
    Offer::of(&actions.collect::<Vec<_>>())
}

/// Parents are named by the driver's own numbers, which are not the places in the list.
fn adopt(elements: &[Value], nodes: &mut [Node]) {
    let number = |element: &Value, field: &str| element.get(field).and_then(Value::as_u64);
    let places: HashMap<u64, usize> = elements
        .iter()
        .enumerate()
        .filter_map(|(place, element)| Some((number(element, "element_index")?, place)))
        .collect();
    for (node, element) in nodes.iter_mut().zip(elements) {
        let parent = number(element, "parent_index");
        node.parent = parent.and_then(|parent| places.get(&parent).copied());
    }
}

struct Row<'a> {
    number: Option<&'a str>,
    rest: String,
}

/// Joins lines that belong to one row: a line that does not look like the begin of one continues
/// the text before it.
fn rows(markdown: &str) -> Vec<Row<'_>> {
    let mut rows: Vec<Row> = Vec::new();
    for line in markdown.lines() {
        let begin = line.trim_start().strip_prefix("- ");
        match (begin, rows.last_mut()) {
            (Some(rest), _) => {
                let numbered = rest
                    .strip_prefix('[')
                    .and_then(|rest| rest.split_once("] "));
                let numbered = numbered.filter(|(n, _)| n.bytes().all(|b| b.is_ascii_digit()));
                rows.push(Row {
                    number: numbered.map(|(number, _)| number),
                    rest: numbered.map_or(rest, |(_, rest)| rest).to_owned(),
                });
            }
            (None, Some(row)) => {
                row.rest.push('\n');
                row.rest.push_str(line);
            }
            (None, None) => {}
        }
    }
    rows
}

impl Row<'_> {
    fn node(&self, snapshot: &str) -> Node {
        let (role, rest) = self.rest.split_once('"').unwrap_or((&self.rest, ""));
        let role = role.trim().trim_end_matches('=').trim_end();
        let mut node = Node {
            token: self.number.map(|number| format!("{snapshot}:{number}")),
            role: RawText::new(role),
            ..Node::default()
        };
        if self.number.is_none() {
            let text = rest.rfind('"').map_or(rest, |end| &rest[..end]);
            node.name = RawText::new(text);
            return node;
        }
        let (name, rest) = until(rest, &["\" value=\"", "\" = \"", "\" (", "\" ["]);
        node.name = RawText::new(name);
        node.offers = match rest.rsplit_once("actions=[") {
            Some((_, actions)) => {
                let (actions, _) = actions.split_once(']').unwrap_or((actions, ""));
                Offer::of(&actions.split(',').map(str::trim).collect::<Vec<_>>())
            }
            None => Offer::Other,
        };
        let valued = rest
            .strip_prefix("\" value=\"")
            .or(rest.strip_prefix("\" = \""));
        let rest = match valued {
            Some(rest) => {
                let (value, rest) = until(rest, &["\" (", "\" ["]);
                node.value = Some(RawText::new(value));
                rest
            }
            None => rest,
        };
        if let Some(rest) = rest.strip_prefix("\" (") {
            let (description, _) = rest.split_once(") [").unwrap_or((rest, ""));
            let plain = description
                .strip_prefix("description \"")
                .and_then(|text| text.strip_suffix('"'));
            node.description = RawText::new(plain.unwrap_or(description));
        }
        let id = rest.split_once("[id=").map(|(_, rest)| rest);
        let id = id.and_then(|rest| rest.split([' ', ']']).next());
        node.identifier = RawText::new(id.unwrap_or_default());
        node
    }
}

/// Text before the first mark, else before the last quote, and the rest from there on.
fn until<'a>(text: &'a str, marks: &[&str]) -> (&'a str, &'a str) {
    let at = marks.iter().filter_map(|mark| text.find(mark)).min();
    let at = at.or(text.rfind('"')).unwrap_or(text.len());
    text.split_at(at)
}

#[cfg(test)]
mod tests;
