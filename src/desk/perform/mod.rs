//! Carries a packet out, step by step, until one fails. Reads the window once and acts by the
//! tokens of that read; reads again when a target is missing and before every check.
//!
//! `look` finds controls and checks texts, `press` and `write` act on one control, `batch` puts
//! several actions into one call where the driver can take them, `token` is one action of `desk`.
//! `keys` counts as one press for each character.

use super::danger::Grant;
use super::outcome::{Code, Failure, Status, Stop};
use super::packet::Step;
use super::receipt;
use super::request::Window;
use super::shown::{RawText, Shown};
use super::tree::Node;
use super::window::{BEHIND, Seen, Target};

mod batch;
mod look;
pub mod press;
pub mod token;
mod write;

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

/// Number and verb of the step that stopped a packet, and why.
pub type Stopped = (usize, &'static str, Stop);

/// What a packet came to.
pub struct Performed {
    /// The steps that were good.
    pub steps: Vec<Outcome>,
    /// The step that was not, and why.
    pub stop: Option<Stopped>,
    /// The window after the last step, in full; none when it cannot be read, as when it closed.
    pub read: Option<Vec<u8>>,
    /// What to say of a dialog that stands before it.
    pub note: Option<&'static str>,
}

/// One thing to do; a `keys` step is several.
#[derive(Clone, Copy)]
struct Move<'p> {
    number: usize,
    step: &'p Step,
    key: Option<char>,
}

/// Carries out the steps. Then the window is read again unless it just was, so that the read that
/// is saved shows the end.
pub fn perform(steps: &[(usize, Step)], target: &mut Target) -> Performed {
    let moves = moves(steps);
    let mut performer = Performer::new(target);
    let mut done: Vec<Outcome> = Vec::new();
    let mut stop = performer.forewarned(&moves).err();
    let mut rest = moves.as_slice();
    while let (None, [first, ..]) = (&stop, rest) {
        let (count, failed) = performer.advance(rest, &mut done);
        let failed_at = rest.get(count).unwrap_or(first);
        let failed = failed.map(|why| performer.midway(why));
        stop = failed.map(|why| (failed_at.number, failed_at.step.verb(), why));
        rest = &rest[count..];
    }
    // A step that failed half-way is no good step.
    if let Some((number, _, _)) = &stop {
        done.retain(|step| step.number != *number);
    }
    performer.read_the_end(stop.as_ref().map(|(_, _, stop)| stop));
    let note = performer.dialog_at_the_end(&mut stop);
    Performed {
        note,
        steps: done,
        stop,
        read: performer.seen.map(|seen| seen.bytes),
    }
}

fn moves(steps: &[(usize, Step)]) -> Vec<Move<'_>> {
    let mut moves = Vec::new();
    for (number, step) in steps {
        let one = |key| Move {
            number: *number,
            step,
            key,
        };
        match step {
            Step::Keys(keys) => {
                let keys = keys.chars().filter(|key| !key.is_whitespace());
                moves.extend(keys.map(|key| one(Some(key))));
            }
            _ => moves.push(one(None)),
        }
    }
    moves
}

/// It can have come up before the last step: what followed it went to the window behind.
const DIALOG: &str = "a dialog is in front: the next call goes to it";

/// Whether asking the driver once more is worth it after this.
fn driver_answers(stop: &Stop) -> bool {
    matches!(stop, Stop::Failed(failure) if failure.status != Status::Unknown)
}

/// `done` when a check that held stands after every action that nothing else proved.
#[must_use]
pub fn overall(steps: &[Outcome]) -> Status {
    let proved =
        |step: &Outcome| matches!(step.verb, "expect" | "wait") && step.status == Status::Done;
    let last = steps.iter().rposition(proved).unwrap_or(0);
    let open =
        |(index, step): (usize, &Outcome)| step.status == Status::Unverified && index >= last;
    if steps.iter().enumerate().any(open) {
        return Status::Unverified;
    }
    Status::Done
}

/// A packet that is under way.
struct Performer<'t, 'a, 'b> {
    target: &'t mut Target<'a, 'b>,
    seen: Option<Seen>,
    /// Something was done since the last read.
    stale: bool,
    acted: bool,
    last: Last,
    /// The highest ref of the read that the last action went by.
    known: usize,
}

/// What the driver said of the last action.
#[derive(Default)]
struct Last {
    /// Its word for the effect.
    effect: Option<Code>,
    /// It went by the pointer, not to a control.
    strayed: bool,
    /// It opened a window.
    opened: bool,
}

type Stepped = Result<(Status, Vec<Shown>), Stop>;

impl<'t, 'a, 'b> Performer<'t, 'a, 'b> {
    fn new(target: &'t mut Target<'a, 'b>) -> Self {
        Self {
            target,
            seen: None,
            stale: true,
            acted: false,
            last: Last::default(),
            known: 0,
        }
    }
}

impl Performer<'_, '_, '_> {
    fn grant(&self) -> &Grant {
        &self.target.calls.grant
    }

    /// What needs a confirmation is told before the first step: by the names of the controls that
    /// are there, else by what the packet calls them.
    fn forewarned(&mut self, moves: &[Move]) -> Result<(), (usize, &'static str, Stop)> {
        if moves.iter().all(|one| one.step.only_looks()) {
            return Ok(());
        }
        let at = |one: &Move, stop: Stop| (one.number, one.step.verb(), stop);
        let nodes = match (moves.first(), self.read()) {
            (_, Ok(nodes)) => nodes.to_vec(),
            (Some(first), Err(stop)) => return Err(at(first, stop)),
            (None, Err(_)) => return Ok(()),
        };
        for one in moves {
            self.warned(one, &nodes)
                .map_err(|failure| at(one, failure.into()))?;
        }
        Ok(())
    }

    fn warned(&self, one: &Move, nodes: &[Node]) -> Result<(), Failure> {
        let grant = self.grant();
        match one.step {
            Step::Click(target) | Step::Check(target, _) => match look::to_act(target, nodes) {
                Ok(node) => grant.control(node),
                Err(_) => grant.target(target),
            },
            Step::Keys(_) => match look::to_press(one.key.unwrap_or_default(), nodes) {
                Ok(node) => grant.control(node),
                Err(_) => Ok(()),
            },
            Step::Pick(_, option) => grant.label(option),
            Step::Menu(path) => press::allowed_menu(grant, path),
            Step::Press(chord) => grant.chord(chord, nodes),
            _ => Ok(()),
        }
    }

    /// Goes on by as many moves as one call can take. Returns how many were good, and why it
    /// stopped.
    fn advance(&mut self, moves: &[Move], done: &mut Vec<Outcome>) -> (usize, Option<Stop>) {
        let batch = match self.batch(moves) {
            Ok(batch) => batch,
            Err(stop) => return (0, Some(stop)),
        };
        if let Some(batch) = batch {
            let (statuses, stop) = self.send(&batch);
            for (one, status) in moves.iter().zip(&statuses) {
                note(done, one, *status, Vec::new());
            }
            // A token that is stale at once is tried again, alone and from a fresh read.
            let is_stale = matches!(&stop, Some(Stop::Failed(no)) if no.is("stale_element_token"));
            if !(statuses.is_empty() && is_stale) {
                return (statuses.len(), stop);
            }
        }
        let Some(first) = moves.first() else {
            return (0, None);
        };
        match self.step(first) {
            Ok((status, shown)) => {
                note(done, first, status, shown);
                (1, None)
            }
            Err(stop) => (0, Some(stop)),
        }
    }

    fn step(&mut self, one: &Move) -> Stepped {
        let plain = |status: Status| (status, Vec::new());
        match one.step {
            Step::Click(target) => self.click(target).map(plain),
            Step::Check(target, on) => self.check(target, *on).map(plain),
            Step::Keys(_) => self.key(one.key.unwrap_or_default()).map(plain),
            Step::Press(chord) => self.press(chord).map(plain),
            Step::Menu(path) => self.menu(path).map(plain),
            Step::Set(target, text) => self.set(target, text).map(plain),
            Step::Append(target, text) => self.append(target, text).map(plain),
            Step::Pick(target, option) => self.pick(target, option).map(plain),
            Step::Type(Some(target), text) => self.type_into(target, text).map(plain),
            Step::Type(None, text) => self.type_anywhere(text).map(plain),
            Step::Expect(target, how, text) => self.expect(target, *how, text),
            Step::Wait(target, time) => self.wait(target, *time),
            Step::Read(target) => self.show(target),
        }
    }

    /// A packet that did something did not fail to run: who reads that would run it again.
    fn midway(&self, stop: Stop) -> Stop {
        match stop {
            Stop::CouldNot(error) if self.acted => {
                let code = Some(Code::own("could_not_go_on"));
                let mut failure = Failure::new(Status::Refused, code);
                let why = RawText::new(format!("{error:#}"));
                failure.detail.push(Shown::text(&why, 300));
                failure.into()
            }
            stop => stop,
        }
    }

    /// A last action can close its window; then there is nothing to read, and the read at hand
    /// would show what was there before.
    fn read_the_end(&mut self, stop: Option<&Stop>) {
        if self.stale {
            self.seen = None;
            if stop.is_none_or(driver_answers) {
                let _ = self.read();
            }
        }
    }

    /// Goes to a dialog that stands before the window now, for the next command, and says so.
    fn dialog_at_the_end(&mut self, stop: &mut Option<Stopped>) -> Option<&'static str> {
        let seen = self.seen.as_ref()?;
        let dialog = seen.tree.dialog.clone()?;
        // An app that does not answer for the one does not for the other.
        let is_read =
            seen.tree.degraded.is_none() && matches!(self.target.go_to(&dialog), Ok(Some(_)));
        if let Some((_, _, Stop::Failed(no))) = stop {
            no.detail.push(receipt::dialog(&dialog, is_read));
        }
        Some(if is_read { DIALOG } else { BEHIND })
    }

    fn window(&self) -> Window {
        self.target.window
    }
}

/// Adds an outcome; the presses of one `keys` step are one outcome.
fn note(done: &mut Vec<Outcome>, one: &Move, status: Status, shown: Vec<Shown>) {
    if let Some(last) = done.last_mut().filter(|last| last.number == one.number) {
        if status == Status::Unverified {
            last.status = status;
        }
        return;
    }
    done.push(Outcome {
        number: one.number,
        verb: one.step.verb(),
        status,
        shown,
    });
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
            (vec![("press", Unverified), ("wait", Done)], Done),
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
