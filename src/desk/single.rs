//! One tool on one app: a request in, its status and what proves it out. Tokens come from the saved
//! reads of the window: what is risky is checked against those, and a text that goes to such a
//! control is read back as a packet's step reads it back.

use serde_json::Value;

use super::calls::Calls;
use super::outcome::{Code, Failure, Status, Stop};
use super::packet::Chord;
use super::perform::press::{astray, opened, strayed};
use super::perform::token::{self, Acted, Order};
use super::request::{Kind, Request, Window};
use super::saved;
use super::shown::{RawText, Shown};
use super::tree::{Node, Offer, Tree};
use super::window::{Target, is_gone};

/// What a call came to.
pub struct Called {
    /// How it ended.
    pub status: Status,
    /// The driver's word for the effect.
    pub effect: Option<Code>,
    /// The full answer, of a tool that reads.
    pub read: Option<Vec<u8>>,
    /// The window it was for.
    pub window: Window,
    /// Whether the window was known from an earlier command.
    pub cached: bool,
    /// What to say of a window in front.
    pub note: Option<&'static str>,
}

/// It can stand before the one that was acted in; the next action looks first.
const OPENED: &str = "a window opened";

/// Finds the window and calls the tool.
pub fn call(app: &str, request: &Request, calls: &mut Calls) -> Result<Called, Stop> {
    // A tool that reads may read any app.
    calls.grant.apps |= !request.tool.changes();
    let front = request.arguments.get("delivery_mode") == Some(&Value::from("foreground"));
    calls.grant.front(front)?;
    let mut target = Target::resolve(calls, app)?;
    if request.tool.kind == Kind::Reads {
        let (bytes, note) = target.look(request.tool, &request.arguments)?;
        return Ok(Called {
            read: Some(bytes),
            note,
            ..called(&target, (Status::Done, None, None))
        });
    }
    let known = match text(request, "element_token") {
        Some(token) => saved::with_token(target.calls.run, target.window, token)?,
        None => None,
    };
    if is_by_ref(request) && known.is_none() {
        let mut no = Failure::new(Status::NotFound, None);
        no.detail
            .push(Shown::own("no read of this window shows it"));
        return Err(no.into());
    }
    allowed(request, known.as_ref(), &mut target)?;
    let acted = match act(request, known.as_ref(), &mut target) {
        Err(Stop::Failed(no)) if is_gone(&no) => {
            target.calls.run.forget_window()?;
            return Err(no.into());
        }
        outcome => outcome?,
    };
    target.calls.run.note_opened(acted.2.is_some())?;
    if !acted.0.is_good() {
        return Err(Failure::new(acted.0, None).into());
    }
    Ok(called(&target, acted))
}

fn called(target: &Target, (status, effect, note): Said) -> Called {
    Called {
        status,
        effect,
        note,
        read: None,
        window: target.window,
        cached: target.cached,
    }
}

/// A text for a known control is read back. Everything else is what the driver says it is, but a
/// text is never `done` by its word alone: an app can rewrite it a moment later.
fn act(request: &Request, known: Option<&Node>, target: &mut Target) -> Result<Said, Stop> {
    if target.calls.run.has_opened() {
        target.calls.run.note_opened(false)?;
        token::look_first(target)?;
    }
    let carries_text = matches!(request.tool.name, "set_value" | "type_text");
    let order = known.map(|known| Order {
        tool: request.tool,
        arguments: &request.arguments,
        known,
    });
    if let Some(order) = order.as_ref().filter(|_| carries_text) {
        return token::write(target, order).map(said);
    }
    // Only a new read tells what the driver calls it now.
    if let Some(order) = order.as_ref().filter(|_| is_by_ref(request)) {
        return token::act(target, order).map(said);
    }
    // The driver types into the app even when the window it was given is gone.
    if request.tool.kind == Kind::Writes && target.cached && !target.is_there()? {
        let code = Some(Code::own("window_gone"));
        return Err(Failure::new(Status::Refused, code).into());
    }
    let yes = match (target.ask(request.tool, &request.arguments), order) {
        (Ok(yes), Some(order))
            if order.known.offers == Offer::Press && strayed(yes.answer.reveal()) =>
        {
            return Err(astray().into());
        }
        // It certainly did nothing; a read of ours can have ended the token's life.
        (Err(Stop::Failed(no)), Some(order)) if no.is("stale_element_token") => {
            return token::act(target, &order).map(said);
        }
        (outcome, _) => outcome?,
    };
    let effect = yes.answer.reveal().get("effect").and_then(Value::as_str);
    let status = match Status::of_effect(effect) {
        Status::Done if carries_text => Status::Unverified,
        status => status,
    };
    let note = opened(yes.answer.reveal()).then_some(OPENED);
    Ok((status, effect.and_then(Code::parse), note))
}

/// A ref stands where the driver takes its token.
fn is_by_ref(request: &Request) -> bool {
    text(request, "element_token").is_some_and(|token| token.starts_with('#'))
}

/// Status, the driver's word for the effect, and what to say besides.
type Said = (Status, Option<Code>, Option<&'static str>);

fn said((status, effect, opened): Acted) -> Said {
    (status, effect, opened.then_some(OPENED))
}

/// Whether the brief lets it: by the label of what is pressed, the menu's names, the keys.
fn allowed(request: &Request, known: Option<&Node>, target: &mut Target) -> Result<(), Stop> {
    match request.tool.name {
        "invoke_menu" => {
            let path = request.arguments.get("path").and_then(Value::as_array);
            let names = path.into_iter().flatten().filter_map(Value::as_str);
            let mut labels = names.map(RawText::new);
            Ok(labels.try_for_each(|label| target.calls.grant.label(&label))?)
        }
        "press_key" | "hotkey" => {
            let Some(chord) = chord(request) else {
                return Ok(());
            };
            let nodes = match text(request, "element_token") {
                // The key goes to that control.
                Some(_) => known.map(focused).into_iter().collect(),
                None if chord.presses_focus() => target.read()?.tree.nodes,
                None => Vec::new(),
            };
            Ok(target.calls.grant.chord(&chord, &nodes)?)
        }
        // A line end presses what has the keys.
        "type_text" if text(request, "text").is_some_and(|text| text.contains('\n')) => {
            let nodes = match known {
                Some(known) => vec![focused(known)],
                None => target.read_this()?.tree.nodes,
            };
            Ok(target.calls.grant.chord(&Chord::enter(), &nodes)?)
        }
        "click" | "double_click" | "right_click" => {
            let last = match known {
                Some(_) => None,
                None => saved::last(target.calls.run, target.window),
            };
            let pressed = known.or(last.as_ref().and_then(|tree| under(request, tree)));
            Ok(pressed.map_or(Ok(()), |node| target.calls.grant.control(node))?)
        }
        _ => Ok(()),
    }
}

fn focused(node: &Node) -> Node {
    Node {
        focused: true,
        ..node.clone()
    }
}

fn text<'r>(request: &'r Request, field: &str) -> Option<&'r str> {
    request.arguments.get(field).and_then(Value::as_str)
}

fn chord(request: &Request) -> Option<Chord> {
    let words = |field: &str| {
        let list = request.arguments.get(field).and_then(Value::as_array);
        let words = list.into_iter().flatten().filter_map(Value::as_str);
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    let mut keys = words("modifiers");
    keys.extend(words("keys"));
    let key = request.arguments.get("key").and_then(Value::as_str);
    keys.extend(key.map(str::to_owned));
    Chord::parse(&keys.join("+")).ok()
}

/// The smallest control under a point of the window.
fn under<'t>(request: &Request, tree: &'t Tree) -> Option<&'t Node> {
    let number = |field: &str| request.arguments.get(field).and_then(Value::as_f64);
    let [left, top] = tree.origin?;
    #[expect(
        clippy::cast_precision_loss,
        reason = "screens are smaller than 2^52 points"
    )]
    let point = [number("x")? + left as f64, number("y")? + top as f64];
    let frames = tree
        .nodes
        .iter()
        .filter_map(|node| Some((node, node.frame?)));
    #[expect(
        clippy::cast_precision_loss,
        reason = "screens are smaller than 2^52 points"
    )]
    let holds = |at: f64, from: i64, size: i64| at >= from as f64 && at < (from + size) as f64;
    let there =
        frames.filter(|(_, [x, y, w, h])| holds(point[0], *x, *w) && holds(point[1], *y, *h));
    there
        .min_by_key(|(_, [_, _, w, h])| w * h)
        .map(|(node, _)| node)
}
