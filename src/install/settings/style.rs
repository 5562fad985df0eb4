//! How a settings file is laid out, and our own entries written the same way. In goes the text and
//! an entry, out comes the text to insert. Never changes what is there.

use std::ops::Range;

use super::edit::Edit;
use super::text::Value;

/// An entry of ours. Keys keep their order, which `serde_json::Value` would sort.
#[derive(Debug, Clone)]
pub enum Json {
    /// A string.
    Text(String),
    /// A number.
    Number(u64),
    /// An array.
    List(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}

/// The habits of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    newline: &'static str,
    unit: String,
    colon: String,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            newline: "\n",
            unit: "  ".to_owned(),
            colon: ": ".to_owned(),
        }
    }
}

impl Style {
    /// Reads the habits from the newlines, and from the first member of the root.
    pub fn of(text: &str, root: Option<Value<'_>>) -> Self {
        let mut style = Self::default();
        if text.contains("\r\n") {
            style.newline = "\r\n";
        }
        if let Some(root) = root
            && let Some(first) = root.members().unwrap_or_default().first()
        {
            let colon = &text[first.name.end..first.value.span().start];
            if !colon.contains('\n') {
                colon.clone_into(&mut style.colon);
            }
            if let Some(indent) = indent_before(text, first.name.start) {
                let base = line_indent(text, root.span().start);
                let unit = indent.strip_prefix(base).unwrap_or(indent);
                unit.clone_into(&mut style.unit);
            }
        }
        style
    }

    /// Inserts `items` (with a key in an object, without in an array) behind the last of the
    /// container's `children`. `lines` says how an empty container is filled.
    pub fn append(
        &self,
        container: Value<'_>,
        children: &[Range<usize>],
        items: &[(Option<String>, Json)],
        lines: bool,
    ) -> Edit {
        let text = container.text();
        if let Some(last) = children.last() {
            let indent = indent_before(text, last.start);
            let written = items.iter().fold(String::new(), |mut out, item| {
                out.push(',');
                out.push_str(&self.gap(indent));
                self.push(&mut out, item, indent);
                out
            });
            return Edit::insert(last.end, written);
        }
        let base = line_indent(text, container.span().start);
        let indent = lines.then(|| format!("{base}{}", self.unit));
        let inner = &text[container.inner()];
        let mut written = match &indent {
            Some(indent) => format!("{}{indent}", self.newline),
            None => inner.to_owned(),
        };
        written.push_str(&self.joined(items, indent.as_deref()));
        if lines && !inner.contains('\n') {
            written.push_str(self.newline);
            written.push_str(base);
        }
        Edit::insert(container.inner().start, written)
    }

    /// A whole document.
    pub fn document(&self, root: &Json) -> String {
        self.value(root, Some("")) + self.newline
    }

    /// One value; its first line stands where it is put, further lines at `indent`. On one line
    /// without an indent.
    pub fn value(&self, json: &Json, indent: Option<&str>) -> String {
        let (open, close, items): (_, _, Vec<_>) = match json {
            Json::Text(text) => return quote(text),
            Json::Number(number) => return number.to_string(),
            Json::List(list) => ('[', ']', list.iter().map(|v| (None, v.clone())).collect()),
            Json::Object(members) => {
                let keyed = |(key, value): &(String, Json)| (Some(key.clone()), value.clone());
                ('{', '}', members.iter().map(keyed).collect())
            }
        };
        let Some(indent) = indent else {
            return format!("{open}{}{close}", self.joined(&items, None));
        };
        let deeper = format!("{indent}{}", self.unit);
        let (newline, inner) = (self.newline, self.joined(&items, Some(&deeper)));
        format!("{open}{newline}{deeper}{inner}{newline}{indent}{close}")
    }

    fn joined(&self, items: &[(Option<String>, Json)], indent: Option<&str>) -> String {
        let mut out = String::new();
        for (n, item) in items.iter().enumerate() {
            if n > 0 {
                out.push(',');
                out.push_str(&self.gap(indent));
            }
            self.push(&mut out, item, indent);
        }
        out
    }

    fn push(&self, out: &mut String, (key, value): &(Option<String>, Json), indent: Option<&str>) {
        if let Some(key) = key {
            out.push_str(&quote(key));
            out.push_str(&self.colon);
        }
        out.push_str(&self.value(value, indent));
    }

    /// What stands between a comma and the next entry.
    fn gap(&self, indent: Option<&str>) -> String {
        match indent {
            Some(indent) => format!("{}{indent}", self.newline),
            None if self.colon == ":" => String::new(),
            None => " ".to_owned(),
        }
    }
}

/// The white space between the last newline and `at`; none when something else stands there, so
/// that the entry shares its line.
pub fn indent_before(text: &str, at: usize) -> Option<&str> {
    let line = text[..at].rfind('\n')? + 1;
    let indent = &text[line..at];
    indent
        .bytes()
        .all(|b| matches!(b, b' ' | b'\t'))
        .then_some(indent)
}

/// The white space at the start of the line that `at` stands on.
fn line_indent(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
