//! Several actions in one call of the driver's `run_steps`, where it has that (0.35.4 and later).
//! A batch is a run of presses, or a run of texts for different fields, whose controls the read at
//! hand shows, each once: they go by token, since the driver's own matching takes parts of names.
//! The answers are those of single calls.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::press::{astray, good, strayed};
use super::write::{compare, way_to_set, written};
use super::{Last, Move, Performer, look};
use crate::desk::outcome::{Code, Failure, Status, Stop};
use crate::desk::packet::{Step, Target};
use crate::desk::refs::highest;
use crate::desk::request::{Kind, Tool};
use crate::desk::shown::{RawText, Shown};
use crate::desk::tree::{Node, Offer};
use crate::desk::window::{WIDE, own};

/// The driver takes 64 and gives a batch at most a minute.
const MOST: usize = 40;

/// A text that no app shows.
const NOWHERE: &str = "lcu-5f0e2b61";

/// One action of a batch.
pub struct Item<'p> {
    tool: &'static Tool,
    arguments: Map<String, Value>,
    node: Node,
    /// What is to be in which field afterwards.
    text: Option<(&'p Target, &'p RawText)>,
}

impl Performer<'_, '_, '_> {
    /// The next moves as a batch, when there are at least two of them and the driver can.
    pub fn batch<'p>(&mut self, moves: &[Move<'p>]) -> Result<Option<Vec<Item<'p>>>, Stop> {
        let Some(seen) = self.seen.as_ref().filter(|seen| seen.tree.dialog.is_none()) else {
            return Ok(None);
        };
        let mut items: Vec<Item> = Vec::new();
        for one in moves.iter().take(MOST) {
            let Some(item) = self.item(one, &seen.tree.nodes) else {
                break;
            };
            let fits = items.iter().all(|other| {
                other.text.is_some() == item.text.is_some()
                    && (item.text.is_none() || other.node.token != item.node.token)
            });
            if !fits {
                break;
            }
            items.push(item);
        }
        self.known = highest(&seen.tree.nodes);
        let types = items.iter().any(|item| item.tool.name == "type_text");
        if items.len() < 2 || !self.target.calls.batches()? || types && !self.target.is_alone()? {
            return Ok(None);
        }
        Ok(Some(items))
    }

    fn item<'p>(&self, one: &Move<'p>, nodes: &[Node]) -> Option<Item<'p>> {
        let press = |node: &Node| {
            self.grant().control(node).ok()?;
            Some((own("click").ok()?, Map::new(), node.clone(), None))
        };
        let (tool, mut arguments, node, text) = match one.step {
            Step::Click(target) => press(look::to_act(target, nodes).ok()?)?,
            Step::Keys(_) => press(look::to_press(one.key?, nodes).ok()?)?,
            Step::Set(target, text) => {
                let node = look::to_act(target, nodes).ok()?;
                let (tool, arguments) = way_to_set(node, text).ok()?;
                if node.offers == Offer::Activate && self.stale {
                    return None;
                }
                (tool, arguments, node.clone(), Some((target, text)))
            }
            _ => return None,
        };
        arguments.insert("element_token".to_owned(), json!(node.token));
        Some(Item {
            tool,
            arguments,
            node,
            text,
        })
    }

    /// Sends a batch. Returns how the good ones ended, and why it stopped, if it did.
    pub fn send(&mut self, items: &[Item]) -> (Vec<Status>, Option<Stop>) {
        self.stale = true;
        let report = match self.report(items, None) {
            Ok(report) => report,
            Err(stop) => return (Vec::new(), Some(stop)),
        };
        self.acted = true;
        self.observe(&report);
        let (mut statuses, mut stop) = outcomes(&report, items);
        if let Some(Stop::Failed(no)) = &stop
            && no.is("stale_element_token")
        {
            // It certainly did nothing: the next round reads again and acts by a fresh token.
            self.seen = None;
            if !statuses.is_empty() {
                stop = None;
            }
        }
        // The read in the report is of the moment after the last text, which is too early.
        if !statuses.is_empty() && items.iter().any(|item| item.text.is_some()) {
            self.target.calls.settle();
            if let Err(why) = self.read() {
                return (statuses, Some(why));
            }
        }
        let done = items.iter().zip(statuses.clone()).enumerate();
        for (at, (item, status)) in done {
            match self.confirmed(item, status) {
                Ok(status) => statuses[at] = status,
                Err(why) => {
                    statuses.truncate(at);
                    return (statuses, Some(why));
                }
            }
        }
        (statuses, stop)
    }

    /// Types a text and reads the window when the app has come to rest, in one call.
    pub fn type_and_read(
        &mut self,
        tool: &'static Tool,
        arguments: &Map<String, Value>,
        node: &Node,
    ) -> Result<Status, Stop> {
        self.stale = true;
        self.last = Last::default();
        let items = [Item {
            tool,
            arguments: arguments.clone(),
            node: node.clone(),
            text: None,
        }];
        let report = self.report(&items, Some(self.target.calls.limits.settle))?;
        self.acted = true;
        self.observe(&report);
        match outcomes(&report, &items) {
            (_, Some(stop)) => Err(stop),
            (statuses, None) => Ok(statuses.first().copied().unwrap_or(Status::Unverified)),
        }
    }

    /// `rest`: how long to wait between the last action and the read.
    fn report(&mut self, items: &[Item], rest: Option<Duration>) -> Result<Value, Stop> {
        let step = |item: &Item| json!({"tool": item.tool.name, "args": item.arguments});
        let mut steps: Vec<_> = items.iter().map(step).collect();
        let mut arguments = Map::new();
        if let Some(rest) = rest {
            // The driver pauses between steps only; a check that holds at once is one.
            let millis = u64::try_from(rest.as_millis()).unwrap_or(0);
            arguments.insert("delay_ms".to_owned(), json!(millis));
            steps.push(json!({"wait_for": {"text": NOWHERE, "gone": true, "timeout_ms": 1}}));
        }
        let mut observe: Map<String, Value> = WIDE
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.to_json()))
            .collect();
        observe.insert("since".to_owned(), Value::Null);
        observe.insert("include_screenshot".to_owned(), json!(false));
        arguments.insert("steps".to_owned(), Value::Array(steps));
        arguments.insert("observe".to_owned(), Value::Object(observe));
        let yes = self.target.ask(own("run_steps")?, &arguments)?;
        Ok(yes.answer.reveal().clone())
    }

    /// The read that the driver took after the last action.
    fn observe(&mut self, report: &Value) {
        self.seen = None;
        let good = report.pointer("/observation/ok") == Some(&Value::Bool(true));
        if let Some(state) = report.pointer("/observation/state").filter(|_| good)
            && let Ok(seen) = self.target.seen(state)
        {
            self.seen = Some(seen);
            self.stale = false;
        }
    }

    /// A text is read back; where the read at hand does not show it yet, the window is read again.
    fn confirmed(&mut self, item: &Item, status: Status) -> Result<Status, Stop> {
        let Some((target, text)) = item.text else {
            return good(status);
        };
        let same = |field: &Node| compare(field, text);
        if let Some(seen) = &self.seen
            && let Ok(status) = written(
                &item.node,
                self.known,
                target,
                status,
                &seen.tree.nodes,
                &same,
            )
        {
            return Ok(status);
        }
        self.read_back(&item.node, target, status, same)
    }
}

/// What the driver's report says of each action: the good ones, then the no.
fn outcomes(report: &Value, items: &[Item]) -> (Vec<Status>, Option<Stop>) {
    let mut statuses = Vec::new();
    let steps = report.get("steps").and_then(Value::as_array);
    for (at, item) in items.iter().enumerate() {
        let step = steps.and_then(|steps| steps.get(at));
        let word = |field: &str| step.and_then(|step| step.get(field)?.as_str());
        if step.and_then(|step| step.get("ok")) == Some(&Value::Bool(true)) {
            if item.node.offers == Offer::Press && step.is_some_and(strayed) {
                return (statuses, Some(astray().into()));
            }
            statuses.push(Status::of_effect(word("effect")));
            continue;
        }
        if step.is_none() {
            // Not reported, and the ones before were good: nobody knows.
            let code = Some(Code::own("report_cut_short"));
            return (statuses, Some(Failure::new(Status::Unknown, code).into()));
        }
        let said = word("message").unwrap_or_default();
        let code = match word("code") {
            Some(code) => Code::parse(code),
            None if said.contains("element_token is stale") => {
                Some(Code::own("stale_element_token"))
            }
            None if said.contains("stale or no longer running") => Some(Code::own("window_gone")),
            None => None,
        };
        let mut failure = Failure::new(Status::Refused, code);
        // The sentence can repeat a text that was to be typed.
        if item.tool.kind != Kind::Writes && !said.is_empty() {
            failure.detail.push(Shown::text(&RawText::new(said), 300));
        }
        return (statuses, Some(failure.into()));
    }
    (statuses, None)
}
