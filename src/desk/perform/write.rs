//! Writes text into a control and reads it back: whole, behind what is there, as a choice, as
//! keystrokes. Text that is cut short is a mismatch and never typed again by itself.

use serde_json::{Map, Value, json};

use super::press::{good, same};
use super::{Performer, look};
use crate::desk::outcome::{Code, Failure, Status, Stop};
use crate::desk::packet::{Chord, Target};
use crate::desk::request::Tool;
use crate::desk::shown::{RawText, Shown, is_bullets};
use crate::desk::tree::{Node, Offer};
use crate::desk::window::own;

impl Performer<'_, '_, '_> {
    pub fn set(&mut self, target: &Target, text: &RawText) -> Result<Status, Stop> {
        // Whether it can be set goes by what is in such a field.
        if self.stale && self.find(|nodes| look::to_act(target, nodes))?.offers == Offer::Activate {
            self.seen = None;
        }
        let node = self.find(|nodes| look::to_act(target, nodes))?;
        if way_to_set(&node, text)?.0.name == "type_text" {
            self.may_type()?;
        }
        let (effect, before) = self.act_on(target, |node| way_to_set(node, text))?;
        self.read_back(&before, target, effect, |field| compare(field, text))
    }

    /// A no where a text that is typed could reach another window.
    pub fn may_type(&mut self) -> Result<(), Stop> {
        self.unobstructed()?;
        if self.target.is_alone()? {
            return Ok(());
        }
        let mut no = Failure::new(Status::Refused, Some(Code::own("other_windows")));
        no.detail.push(Shown::own(
            "the app has another window, which a typed text can reach; desk set_value writes to the field itself, and can submit its form",
        ));
        Err(no.into())
    }

    /// What is in the field after a write; looked at a few times, since some show it late.
    pub fn read_back(
        &mut self,
        before: &Node,
        target: &Target,
        effect: Status,
        compare: impl Fn(&Node) -> Result<Status, Failure>,
    ) -> Result<Status, Stop> {
        // The action can have come with a read of the window at rest.
        if !self.stale
            && let Some(seen) = &self.seen
            && let Ok(status) = written(
                before,
                self.known,
                target,
                effect,
                &seen.tree.nodes,
                &compare,
            )
        {
            return Ok(status);
        }
        self.target.calls.settle();
        let known = self.known;
        self.look(3, |nodes| {
            written(before, known, target, effect, nodes, &compare)
        })
    }

    pub fn append(&mut self, target: &Target, text: &RawText) -> Result<Status, Stop> {
        let node = self.find_as_is(|nodes| look::to_act(target, nodes))?;
        if is_secret(&node) || node.guessed || node.is_cut() {
            return Err(refused("text_not_readable"));
        }
        let whole = format!("{}{}", node.text().reveal(), text.reveal());
        self.set(target, &RawText::new(whole))
    }

    pub fn pick(&mut self, target: &Target, option: &RawText) -> Result<Status, Stop> {
        self.grant().label(option)?;
        let arguments = Map::from_iter([("value".to_owned(), json!(option.reveal()))]);
        let (effect, before) =
            self.act_on(target, |_| Ok((own("set_value")?, arguments.clone())))?;
        self.read_back(&before, target, effect, |list| {
            let shows = [Some(&list.name), list.value.as_ref()];
            if shows.contains(&Some(option)) {
                return Ok(Status::Done);
            }
            // A list with a label of its own does not show its choice; the driver saw it chosen.
            if effect == Status::Done && list.value.is_none() && list.name == before.name {
                return Ok(Status::Unverified);
            }
            Err(Failure::new(Status::Mismatch, None))
        })
    }

    /// Keystrokes into a control. Where the driver would drop the end of them, the text is set
    /// behind what is there instead.
    pub fn type_into(&mut self, target: &Target, text: &RawText) -> Result<Status, Stop> {
        if cfg!(target_os = "linux") && !text.reveal().is_ascii() {
            return self.append(target, text);
        }
        let arguments = Map::from_iter([("text".to_owned(), json!(text.reveal()))]);
        let node = self.find_as_is(|nodes| look::to_act(target, nodes))?;
        typeable(&node, text.reveal())?;
        if node.offers != Offer::Activate && !self.target.is_alone()? {
            return self.append(target, text);
        }
        if node.offers == Offer::Activate {
            self.may_type()?;
        }
        let (effect, before) = self.act_on(target, |node| {
            typeable(node, text.reveal())?;
            Ok((own("type_text")?, arguments.clone()))
        })?;
        self.read_back(&before, target, effect, |field| {
            inserted(&before, field, text)
        })
    }

    /// Keystrokes into whatever has the keys. The window is read first: the driver types into the
    /// app even when the window it was given is gone.
    pub fn type_anywhere(&mut self, text: &RawText) -> Result<Status, Stop> {
        if cfg!(target_os = "linux") && !text.reveal().is_ascii() {
            return Err(refused("text_needs_a_field"));
        }
        if self.stale || self.seen.is_none() {
            self.read()?;
        }
        self.unobstructed()?;
        if text.reveal().contains('\n') {
            let nodes = self.seen.as_ref().map(|seen| seen.tree.nodes.as_slice());
            self.grant()
                .chord(&Chord::enter(), nodes.unwrap_or_default())?;
        }
        let arguments = Map::from_iter([("text".to_owned(), json!(text.reveal()))]);
        good(self.call(own("type_text")?, &arguments)?)
    }
}

/// What a read after a write says about it.
pub fn written(
    before: &Node,
    known: usize,
    target: &Target,
    effect: Status,
    nodes: &[Node],
    compare: &impl Fn(&Node) -> Result<Status, Failure>,
) -> Result<Status, Failure> {
    match same(before, known, target, nodes) {
        // What is greyed out now is told without its value.
        Some(field) if field.token.is_none() && field.value.is_none() => Ok(Status::Unverified),
        Some(field) => compare(field),
        None if effect == Status::NoEffect => Err(Failure::new(effect, None)),
        None => Ok(Status::Unverified),
    }
}

/// How to put a text into a field. The driver follows `set_value` by the field's `activate`, where
/// it has one (seen on 0.37, Linux): a dialog with one field was sent by setting it. So text is
/// typed into such a field, which needs it to be empty and the text to be ASCII; else it is a no.
pub fn way_to_set(
    node: &Node,
    text: &RawText,
) -> Result<(&'static Tool, Map<String, Value>), Stop> {
    let (tool, field) = if node.offers != Offer::Activate {
        ("set_value", "value")
    } else if node.text().reveal().is_empty() && is_plain(text.reveal()) {
        ("type_text", "text")
    } else {
        let mut no = Failure::new(Status::Refused, Some(Code::own("setting_could_submit")));
        no.detail.push(Shown::own(
            "only ASCII into an empty field is sure not to submit; desk set_value sets it all the same",
        ));
        return Err(no.into());
    };
    let arguments = Map::from_iter([(field.to_owned(), json!(text.reveal()))]);
    Ok((own(tool)?, arguments))
}

/// A line end that is typed into such a field sends its form.
pub fn typeable(node: &Node, text: &str) -> Result<(), Stop> {
    if node.offers == Offer::Activate && text.contains('\n') {
        return Err(refused("setting_could_submit"));
    }
    Ok(())
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c == ' ' || c.is_ascii_graphic())
}

fn is_secret(field: &Node) -> bool {
    let role = field.role.reveal().to_lowercase();
    is_bullets(field.text().reveal()) || role.contains("password") || role.contains("secure")
}

fn refused(code: &'static str) -> Stop {
    Failure::new(Status::Refused, Some(Code::own(code))).into()
}

/// Equality in the field. A field that shows bullets cannot be compared; neither can one that
/// trims what it shows (macOS).
pub fn compare(field: &Node, text: &RawText) -> Result<Status, Failure> {
    let (is, wanted) = (field.text().reveal(), text.reveal());
    let is_part = field.is_cut() && wanted.starts_with(is);
    if is_secret(field) || field.guessed || is_part {
        return Ok(Status::Unverified);
    }
    if is == wanted || field.is_number() && is_same_number(is, wanted) {
        return Ok(Status::Done);
    }
    if cfg!(target_os = "macos") && (is == wanted.trim() || wanted.is_empty()) {
        return Ok(Status::Unverified);
    }
    Err(cut(wanted, is))
}

fn is_same_number(is: &str, wanted: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    number(is).is_some() && number(is) == number(wanted)
}

/// The text was put somewhere into what was there, and nothing else changed.
pub fn inserted(before: &Node, field: &Node, text: &RawText) -> Result<Status, Failure> {
    if is_secret(field) || field.guessed || field.is_cut() || before.is_cut() {
        return Ok(Status::Unverified);
    }
    let (was, is, typed) = (before.text().reveal(), field.text().reveal(), text.reveal());
    let mut places = was.char_indices().map(|(at, _)| at).chain([was.len()]);
    let there = |at: usize| is == [&was[..at], typed, &was[at..]].concat();
    if places.any(there) {
        return Ok(Status::Done);
    }
    if cfg!(target_os = "macos") {
        return Ok(Status::Unverified);
    }
    Err(cut(&[was, typed].concat(), is))
}

fn cut(wanted: &str, is: &str) -> Failure {
    let mut failure = Failure::new(Status::Mismatch, None);
    let length = |text: &str| Shown::count(text.chars().count());
    failure.detail.push(Shown::line(&[
        Shown::own("characters asked:"),
        length(wanted),
        Shown::own("there:"),
        length(is),
    ]));
    failure
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_text_is_there_whole_or_it_is_a_mismatch() {
        let field = |text: &str| Node {
            role: RawText::new("text"),
            value: Some(RawText::new(text)),
            ..Node::default()
        };
        for (was, is, good) in [
            ("", "abc", true),
            ("12", "12abc", true),
            ("12", "1abc2", true),
            ("é", "abcé", true),
            ("", "ab", cfg!(target_os = "macos")),
            ("12", "abc", cfg!(target_os = "macos")),
        ] {
            let seen = inserted(&field(was), &field(is), &RawText::new("abc"));
            assert_eq!(seen.is_ok(), good, "{was} {is}");
        }
        // Of a long text only the begin is read, so that nothing is equal to it.
        let long = "é".repeat(4096);
        for (wanted, want) in [
            (long.clone(), Some(Status::Unverified)),
            (format!("{long}x"), Some(Status::Unverified)),
            (format!("x{long}"), None),
        ] {
            let seen = compare(&field(&long), &RawText::new(wanted)).ok();
            assert_eq!(seen, want);
        }
        let seen = inserted(&field("a"), &field(&long), &RawText::new("b"));
        assert_eq!(seen.ok(), Some(Status::Unverified));
    }
}
