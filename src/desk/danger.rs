//! What is not done without a word from the brief: labels, chords and apps in, a yes or
//! `needs_confirmation` out. The list is data (`assets/danger.json`). A precaution, not a wall:
//! apps mislabel things. Pure.

use std::sync::LazyLock;

use serde::Deserialize;

use super::outcome::{Code, Failure, Status};
use super::packet::{Chord, Target};
use super::shown::{RawText, Shown};
use super::tree::Node;

/// What the caller was granted.
#[derive(Debug, Default, Clone)]
pub struct Grant {
    /// Labels of risky controls that may be pressed, word for word.
    pub labels: Vec<String>,
    /// Terminals and system settings may be operated.
    pub apps: bool,
    /// Keys may be sent with the window in front.
    pub foreground: bool,
}

#[derive(Deserialize)]
struct List {
    labels: Vec<String>,
    whole_labels: Vec<String>,
    chords: Vec<String>,
    apps: Vec<String>,
}

static LIST: LazyLock<List> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../assets/danger.json"))
        .expect("assets/danger.json is checked by a test")
});

impl Grant {
    /// A label that is to be pressed.
    pub fn label(&self, label: &RawText) -> Result<(), Failure> {
        let words = words(label.reveal());
        if is_dangerous(&words) && !self.approves(&words) {
            return Err(needs(
                "risky_label",
                &[Shown::own("needs --approve"), Shown::text(label, 60)],
            ));
        }
        Ok(())
    }

    /// A control that is to be pressed. What is typed into is no button, whatever its name.
    pub fn control(&self, node: &Node) -> Result<(), Failure> {
        if node.is_field() {
            return Ok(());
        }
        let named = !node.name.reveal().trim().is_empty();
        self.label(if named { &node.name } else { &node.description })
    }

    /// A target that no control answers to yet, by what it is called in the packet.
    pub fn target(&self, target: &Target) -> Result<(), Failure> {
        match target {
            Target::Name(name) | Target::RoleName(_, name) | Target::Part(name) => {
                self.label(&RawText::new(name.as_str()))
            }
            Target::Role(_) | Target::Ref(_) => Ok(()),
        }
    }

    /// A chord; `window` is what is known of the window it goes to. Return and Space press what
    /// has the focus; where the focus cannot be seen, a dialog with a risky button counts.
    pub fn chord(&self, chord: &Chord, window: &[Node]) -> Result<(), Failure> {
        let label = chord.label();
        if LIST.chords.contains(&label) && !self.approves(&words(&label)) {
            let label = RawText::new(label);
            return Err(needs(
                "risky_chord",
                &[Shown::own("needs --approve"), Shown::text(&label, 60)],
            ));
        }
        if !chord.presses_focus() {
            return Ok(());
        }
        match window.iter().find(|node| node.focused) {
            Some(node) => self.control(node),
            None if window.iter().any(is_dialog) => {
                let mut pressable = window.iter().filter(|node| node.token.is_some());
                pressable.try_for_each(|node| self.control(node))
            }
            None => Ok(()),
        }
    }

    /// An app, by any of its names.
    pub fn app(&self, restricted: bool) -> Result<(), Failure> {
        if restricted && !self.apps {
            return Err(needs("restricted_app", &[Shown::own("needs --allow-app")]));
        }
        Ok(())
    }

    /// Delivery with the window in front.
    pub fn front(&self, asked: bool) -> Result<(), Failure> {
        if asked && !self.foreground {
            return Err(needs("foreground", &[Shown::own("needs --foreground")]));
        }
        Ok(())
    }

    fn approves(&self, words: &[String]) -> bool {
        self.labels.iter().any(|label| self::words(label) == words)
    }
}

/// Whether an app of this name runs commands or changes the system.
#[must_use]
pub fn is_restricted(name: &str) -> bool {
    let name = name.to_lowercase();
    let plain = name.strip_suffix(".desktop").unwrap_or(&name);
    let plain = plain.strip_suffix(".app").unwrap_or(plain);
    LIST.apps.iter().any(|app| app == plain || name == *app)
        || plain.ends_with(" terminal")
        || plain.starts_with("com.apple.systempreferences")
}

fn needs(code: &'static str, line: &[Shown]) -> Failure {
    let mut failure = Failure::new(Status::NeedsConfirmation, Some(Code::own(code)));
    failure.detail.push(Shown::line(line));
    failure
}

fn is_dialog(node: &Node) -> bool {
    matches!(
        node.role.reveal(),
        "dialog" | "alert" | "AXSheet" | "AXDialog"
    )
}

fn is_dangerous(label: &[String]) -> bool {
    let holds = |phrase: &String| {
        let phrase = words(phrase);
        label.windows(phrase.len()).any(|part| part == phrase)
    };
    let whole = |phrase: &String| label == words(phrase);
    LIST.labels.iter().any(holds) || LIST.whole_labels.iter().any(whole)
}

/// Lower-case words, without what stands around them: `Don’t Save…` is `don't`, `save`. The
/// underscore marks a shortcut in some toolkits.
fn words(label: &str) -> Vec<String> {
    let label = label.to_lowercase().replace('’', "'").replace('_', "");
    let parts = label.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '+');
    let words = parts.filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(outcome: Result<(), Failure>) -> Option<String> {
        outcome.err().map(|no| no.code.unwrap().to_string())
    }

    #[test]
    fn risky_labels_need_their_own_approval() {
        let none = Grant::default();
        let label = |grant: &Grant, text: &str| code(grant.label(&RawText::new(text)));
        for text in [
            "Send",
            "_Delete",
            "Don’t Save",
            "Close without Saving",
            "Move to Trash…",
            "Quit Notes",
            "I agree",
            "Replace",
            "PAY €5",
            "Close Tab",
        ] {
            assert_eq!(label(&none, text).as_deref(), Some("risky_label"), "{text}");
            let grant = Grant {
                labels: vec![text.to_lowercase().replace('…', "")],
                ..Grant::default()
            };
            assert_eq!(label(&grant, text), None, "{text}");
        }
        for text in [
            "Save",
            "Sender",
            "clear",
            "Find and Replace...",
            "Cancel",
            "OK",
            "",
            "×",
        ] {
            assert_eq!(label(&none, text), None, "{text}");
        }
        let save = Grant {
            labels: vec!["Save".to_owned()],
            ..Grant::default()
        };
        assert_eq!(label(&save, "Don't Save").as_deref(), Some("risky_label"));
    }

    #[test]
    fn keys_that_press_the_focus_count_as_a_press() {
        let node = |name: &str, focused| Node {
            token: Some("s:1".to_owned()),
            role: RawText::new("push button"),
            name: RawText::new(name),
            focused,
            ..Node::default()
        };
        let dialog = Node {
            role: RawText::new("dialog"),
            ..Node::default()
        };
        let press = |chord: &str, window: &[Node]| {
            let chord = Chord::parse(chord).unwrap();
            code(Grant::default().chord(&chord, window))
        };
        let (send, save) = (node("Send", false), node("Save", true));
        let risky = Some("risky_label");
        assert_eq!(press("return", &[node("Send", true)]).as_deref(), risky);
        assert_eq!(
            press("space", &[dialog.clone(), send.clone()]).as_deref(),
            risky
        );
        assert_eq!(press("return", &[dialog.clone(), send.clone(), save]), None);
        assert_eq!(press("return", std::slice::from_ref(&send)), None);
        assert_eq!(press("ctrl+s", &[dialog, send]), None);
        assert_eq!(press("Alt+F4", &[]).as_deref(), Some("risky_chord"));
    }

    #[test]
    fn terminals_and_settings_are_known_by_any_name() {
        for app in [
            "xterm",
            "MATE Terminal",
            "com.apple.Terminal",
            "org.gnome.Settings.desktop",
        ] {
            assert!(is_restricted(app), "{app}");
        }
        for app in ["mate-calc", "Terminal Velocity", "com.apple.calculator"] {
            assert!(!is_restricted(app), "{app}");
        }
    }
}
