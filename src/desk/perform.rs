//! Carries a packet out, step by step, until one fails. Reads the window once and acts by the
//! tokens of that read; reads again when a target is missing and before every check.

use serde_json::{Map, Value, json};

use super::find::{self, Found};
use super::outcome::{Code, Failure, Status, Stop};
use super::packet::{self, Step, Test};
use super::receipt;
use super::request::Tool;
use super::shown::{RawText, Shown, is_bullets};
use super::tree::Node;
use super::window::{Seen, Target, own};

/// How often to look for what an app shows late: a second or two.
const LOOKS: usize = 8;

/// How many lines a `read` step shows.
const READ_LINES: usize = 40;

/// What one step came to.
pub struct Outcome {
    /// The step's number, as its author counts.
    pub number: usize,
    /// Its verb.
    pub verb: &'static str,
    /// How it ended.
    pub status: Status,
    /// What a check saw, or the lines a `read` shows.
    pub shown: Vec<Shown>,
}

/// What a packet came to.
pub struct Performed {
    /// The steps that were good.
    pub steps: Vec<Outcome>,
    /// The step that was not, and why.
    pub stop: Option<(usize, &'static str, Stop)>,
    /// The window after the last step, in full; none when it cannot be read, as when it closed.
    pub read: Option<Vec<u8>>,
}

/// Carries out the steps. Then the window is read again unless it just was, so that the read that
/// is saved shows the end.
pub fn perform(steps: &[(usize, Step)], target: &mut Target) -> Performed {
    let mut performer = Performer {
        target,
        seen: None,
        stale: true,
        acted: false,
    };
    let mut done = Vec::new();
    let mut stop = None;
    for (number, step) in steps {
        let (number, verb) = (*number, step.verb());
        match performer.step(step) {
            Ok((status, shown)) => done.push(Outcome {
                number,
                verb,
                status,
                shown,
            }),
            Err(why) => {
                stop = Some((number, verb, why));
                break;
            }
        }
    }
    // A last action can close its window; then there is nothing to read, and the read at hand
    // would show what was there before.
    let answers = stop
        .as_ref()
        .is_none_or(|(_, _, stop)| driver_answers(stop));
    if performer.stale {
        performer.seen = None;
        if answers {
            let _ = performer.read();
        }
    }
    Performed {
        steps: done,
        stop,
        read: performer.seen.map(|seen| seen.bytes),
    }
}

/// Whether asking the driver once more is worth it after this.
fn driver_answers(stop: &Stop) -> bool {
    matches!(stop, Stop::Failed(failure) if failure.status != Status::Unknown)
}

/// `done` when a check that held stands after every action that nothing else proved.
#[must_use]
pub fn overall(steps: &[Outcome]) -> Status {
    let proved = |step: &Outcome| step.verb == "expect";
    let last = steps.iter().rposition(proved).unwrap_or(0);
    let open =
        |(index, step): (usize, &Outcome)| step.status == Status::Unverified && index >= last;
    if steps.iter().enumerate().any(open) {
        return Status::Unverified;
    }
    Status::Done
}

struct Performer<'t, 'a, 'b> {
    target: &'t mut Target<'a, 'b>,
    seen: Option<Seen>,
    /// Something was done since the last read.
    stale: bool,
    acted: bool,
}

type Stepped = Result<(Status, Vec<Shown>), Stop>;

impl Performer<'_, '_, '_> {
    fn step(&mut self, step: &Step) -> Stepped {
        match step {
            Step::Click(target) => Ok((self.click(target)?, Vec::new())),
            Step::Set(target, text) => Ok((self.set(target, text)?, Vec::new())),
            Step::Expect(target, how, text) => self.expect(target, *how, text),
            Step::Read(target) => self.show(target),
        }
    }

    fn read(&mut self) -> Result<&[Node], Stop> {
        self.stale = false;
        // A read that failed leaves none: the one before would show what is no more.
        self.seen = None;
        let seen = self.target.read()?;
        Ok(&self.seen.insert(seen).tree.nodes)
    }

    fn click(&mut self, target: &packet::Target) -> Result<Status, Stop> {
        let (status, _) = self.act(target, |_| Ok((own("click")?, Map::new())))?;
        match status {
            Status::Done | Status::Unverified => Ok(status),
            _ => Err(Failure::new(status, None).into()),
        }
    }

    /// Acts on a target by token, with the tool and the arguments that its control asks for. A
    /// token that the driver calls stale certainly did nothing, so the window is read again and
    /// the action tried once more.
    fn act(
        &mut self,
        target: &packet::Target,
        how: impl Fn(&Node) -> Result<(&'static Tool, Map<String, Value>), Stop>,
    ) -> Result<(Status, Node), Stop> {
        let mut tries = 0;
        loop {
            let node = self.find(target)?;
            let (tool, mut arguments) = how(&node)?;
            arguments.insert("element_token".to_owned(), json!(node.token));
            let outcome = self.target.ask(tool, &arguments);
            tries += 1;
            match outcome {
                Err(Stop::Failed(no)) if no.is("stale_element_token") && tries == 1 => {
                    self.seen = None;
                }
                Err(stop) => {
                    self.stale = true;
                    return Err(stop);
                }
                Ok(yes) => {
                    (self.stale, self.acted) = (true, true);
                    let effect = yes.answer.reveal().get("effect");
                    return Ok((Status::of_effect(effect.and_then(Value::as_str)), node));
                }
            }
        }
    }

    fn find(&mut self, target: &packet::Target) -> Result<Node, Stop> {
        // The read at hand will do for a target that it holds, whatever was done since.
        if let Some(seen) = &self.seen
            && let Found::One(node) = find::to_act(target, &seen.tree.nodes)
        {
            return Ok(node.clone());
        }
        let looks = if self.acted { LOOKS } else { 1 };
        self.look(looks, |nodes| one(find::to_act(target, nodes)).cloned())
    }

    /// Reads until the check holds, a few times; the last no is the answer.
    fn look<T>(
        &mut self,
        looks: usize,
        check: impl Fn(&[Node]) -> Result<T, Failure>,
    ) -> Result<T, Stop> {
        for left in (0..looks).rev() {
            let checked = check(self.read()?);
            match checked {
                Ok(value) => return Ok(value),
                Err(failure) if left == 0 => return Err(self.explained(failure).into()),
                Err(_) => self.target.calls.pause(),
            }
        }
        Err(Failure::new(Status::NotFound, None).into())
    }

    /// An empty or cut tree is a reason of its own, and no proof that something is not there.
    fn explained(&self, mut failure: Failure) -> Failure {
        let tree = self.seen.as_ref().map(|seen| &seen.tree);
        if let Some(tree) = tree.filter(|_| failure.status == Status::NotFound) {
            if let Some(reason) = &tree.degraded {
                failure.code = Some(Code::own("window_not_readable"));
                failure.detail.push(Shown::text(reason, 200));
            } else if tree.is_partial {
                failure.code = Some(Code::own("window_read_in_part"));
            }
        }
        failure
    }

    fn set(&mut self, target: &packet::Target, text: &RawText) -> Result<Status, Stop> {
        let (effect, before) = self.act(target, |node| way_to_set(node, text))?;
        let check = |nodes: &[Node]| match same_field(&before, target, nodes) {
            Some(field) => compare(field, text),
            None if effect == Status::NoEffect => Err(Failure::new(effect, None)),
            None => Ok(Status::Unverified),
        };
        self.look(3, check)
    }

    fn expect(&mut self, target: &packet::Target, how: Test, text: &RawText) -> Stepped {
        let looks = if self.acted { LOOKS } else { 2 };
        let seen = self.look(looks, |nodes| {
            let node = one(find::to_see(target, nodes))?;
            let (is, wanted) = (node.text().reveal(), text.reveal());
            let holds = match how {
                Test::Is => is == wanted,
                Test::Holds => is.contains(wanted),
            };
            let shown = Shown::value(&node.role, node.text(), 200);
            if holds {
                return Ok(shown);
            }
            let mut failure = Failure::new(Status::Mismatch, None);
            failure.detail.push(receipt::node(node));
            Err(failure)
        })?;
        Ok((Status::Done, vec![seen]))
    }

    fn show(&mut self, target: &packet::Target) -> Stepped {
        let nodes = self.read()?;
        let found = find::to_read(target, nodes);
        let lines = found
            .iter()
            .take(READ_LINES)
            .map(|node| receipt::node(node));
        let mut lines: Vec<_> = lines.collect();
        if found.len() > READ_LINES {
            let more = Shown::count(found.len() - READ_LINES);
            lines.push(Shown::line(&[more, Shown::own("more")]));
        }
        Ok((Status::Done, lines))
    }
}

/// How to put a text into a field. The driver follows `set_value` by the field's `activate`, where
/// it has one (seen on 0.37, Linux): a dialog with one field was sent by setting it. So text is
/// typed into such a field, which needs it to be empty and the text to be ASCII; else it is a no.
fn way_to_set(node: &Node, text: &RawText) -> Result<(&'static Tool, Map<String, Value>), Stop> {
    let (tool, field) = if !node.activates {
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

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c == ' ' || c.is_ascii_graphic())
}

fn one(found: Found<'_>) -> Result<&Node, Failure> {
    let (status, nodes) = match found {
        Found::One(node) => return Ok(node),
        Found::Many(nodes) => (Status::Ambiguous, nodes),
        Found::None(nodes) => (Status::NotFound, nodes),
    };
    let mut failure = Failure::new(status, None);
    failure.detail = nodes.into_iter().map(receipt::node).collect();
    Err(failure)
}

/// The field that was written to, in a later read: by its place on the screen, since a field that
/// is named by its own text has another name now; else by the target.
fn same_field<'a>(before: &Node, target: &packet::Target, nodes: &'a [Node]) -> Option<&'a Node> {
    let same = |node: &&Node| {
        node.frame.is_some() && node.frame == before.frame && node.role == before.role
    };
    let mut there = nodes.iter().filter(same);
    if let (Some(node), None) = (there.next(), there.next()) {
        return Some(node);
    }
    match find::to_act(target, nodes) {
        Found::One(node) => Some(node),
        _ => None,
    }
}

/// Equality in the field. A field that shows bullets cannot be compared; neither can one that
/// trims what it shows (macOS).
fn compare(field: &Node, text: &RawText) -> Result<Status, Failure> {
    let (is, wanted) = (field.text().reveal(), text.reveal());
    if is_bullets(is) || field.role.reveal().to_lowercase().contains("password") {
        return Ok(Status::Unverified);
    }
    if is == wanted {
        return Ok(Status::Done);
    }
    if cfg!(target_os = "macos") && (is == wanted.trim() || wanted.is_empty()) {
        return Ok(Status::Unverified);
    }
    let mut failure = Failure::new(Status::Mismatch, None);
    let length = |text: &str| Shown::count(text.chars().count());
    failure.detail.push(Shown::line(&[
        Shown::own("characters asked:"),
        length(wanted),
        Shown::own("there:"),
        length(is),
    ]));
    Err(failure)
}

#[cfg(test)]
mod tests {
    use super::Status::{Done, Unverified};
    use super::*;

    #[test]
    fn a_packet_is_done_only_when_a_check_follows_what_is_open() {
        let steps = |words: &[(&'static str, Status)]| {
            let step = |(index, &(verb, status)): (usize, &(&'static str, Status))| Outcome {
                number: index + 1,
                verb,
                status,
                shown: Vec::new(),
            };
            words.iter().enumerate().map(step).collect::<Vec<_>>()
        };
        for (words, want) in [
            (vec![("click", Unverified), ("expect", Done)], Done),
            (vec![("expect", Done), ("click", Unverified)], Unverified),
            (vec![("click", Unverified), ("read", Done)], Unverified),
            (vec![("click", Unverified)], Unverified),
            (vec![("set", Done)], Done),
            (vec![("read", Done)], Done),
        ] {
            assert_eq!(overall(&steps(&words)), want, "{words:?}");
        }
    }
}
