//! `ctrl+shift+s` → modifiers and a key, in the driver's words. Pure.

/// Keys that are pressed together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chord {
    /// Held down, in the driver's words.
    pub modifiers: Vec<&'static str>,
    /// The key, in lower case.
    pub key: String,
}

/// What people call a modifier, and what the driver calls it.
const MODIFIERS: &[(&str, &str)] = &[
    ("cmd", "cmd"),
    ("command", "cmd"),
    ("ctrl", "ctrl"),
    ("control", "ctrl"),
    ("alt", "alt"),
    ("option", "alt"),
    ("shift", "shift"),
    ("super", "super"),
    ("fn", "fn"),
];

const KEYS: &[&str] = &[
    "enter",
    "return",
    "tab",
    "escape",
    "space",
    "backspace",
    "delete",
    "insert",
    "home",
    "end",
    "pageup",
    "pagedown",
    "up",
    "down",
    "left",
    "right",
];

impl Chord {
    /// The key that a typed line end is.
    #[must_use]
    pub fn enter() -> Self {
        Self {
            modifiers: Vec::new(),
            key: "return".to_owned(),
        }
    }

    /// Reads a chord; the error says what one looks like.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const WHAT: &str =
            "a chord is one key, with modifiers before it: ctrl+shift+s, cmd+q, f5, return, escape";
        // The plus key itself stands last: ctrl++.
        let (before, key) = match text.strip_suffix('+') {
            Some(before) => (before.strip_suffix('+').unwrap_or(before), "+"),
            None => text.rsplit_once('+').unwrap_or(("", text)),
        };
        let key = key.to_lowercase();
        let function = key.strip_prefix('f').and_then(|n| n.parse::<u8>().ok());
        let is_key = KEYS.contains(&key.as_str())
            || function.is_some_and(|n| (1..=12).contains(&n))
            || key.chars().count() == 1 && key.chars().all(|c| c.is_ascii_graphic());
        let modifier = |name: &str| {
            let name = name.to_lowercase();
            let found = MODIFIERS.iter().find(|(known, _)| *known == name);
            found.map(|(_, ours)| *ours).ok_or(WHAT)
        };
        let modifiers = before.split('+').filter(|name| !name.is_empty());
        let modifiers = modifiers.map(modifier).collect::<Result<_, _>>()?;
        if !is_key {
            return Err(WHAT);
        }
        Ok(Self { modifiers, key })
    }

    /// As a person would write it, modifiers in a fixed order.
    #[must_use]
    pub fn label(&self) -> String {
        let mut words = self.modifiers.clone();
        words.sort_unstable();
        words.dedup();
        words.push(&self.key);
        words.join("+")
    }

    /// Return, Enter or Space without modifiers but Shift: it presses what has the focus.
    #[must_use]
    pub fn presses_focus(&self) -> bool {
        let bare = self.modifiers.iter().all(|name| *name == "shift");
        bare && matches!(self.key.as_str(), "return" | "enter" | "space")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_and_what_is_none() {
        for (text, want) in [
            ("cmd+s", Some("cmd+s")),
            ("Shift+Ctrl+S", Some("ctrl+shift+s")),
            ("Command+Q", Some("cmd+q")),
            ("ctrl++", Some("ctrl++")),
            ("+", Some("+")),
            ("F5", Some("f5")),
            ("Return", Some("return")),
            ("f13", None),
            ("hyper+s", None),
            ("ctrl+", Some("ctrl++")),
            ("save", None),
            ("é", None),
            ("", None),
        ] {
            let chord = Chord::parse(text).ok().map(|chord| chord.label());
            assert_eq!(chord.as_deref(), want, "{text}");
        }
    }
}
