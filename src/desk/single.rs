//! One tool on one app: a request in, its status and what proves it out. What is risky is checked
//! against the last read of the window, which is where its tokens come from.

use serde_json::Value;

use super::calls::Calls;
use super::outcome::{Code, Failure, Status, Stop};
use super::packet::Chord;
use super::request::{Kind, Request, Window};
use super::saved;
use super::shown::RawText;
use super::tree::Tree;
use super::window::Target;

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
}

/// Finds the window and calls the tool. Before anything is typed the window is confirmed: the
/// driver types into the app even when the window it was given is gone.
pub fn call(app: &str, request: &Request, calls: &mut Calls) -> Result<Called, Stop> {
    // A tool that reads may read any app.
    calls.grant.apps |= !request.tool.changes();
    let front = request.arguments.get("delivery_mode") == Some(&Value::from("foreground"));
    calls.grant.front(front)?;
    let mut target = Target::resolve(calls, app)?;
    if request.tool.changes() {
        allowed(request, &mut target)?;
    }
    if request.tool.kind == Kind::Writes && target.cached && !target.is_there()? {
        target.calls.run.forget_window();
        let code = Some(Code::own("window_gone"));
        return Err(Failure::new(Status::Refused, code).into());
    }
    let yes = target.ask(request.tool, &request.arguments)?;
    let effect = yes.answer.reveal().get("effect");
    let effect = effect.and_then(Value::as_str);
    let effect_word = effect.and_then(Code::parse);
    let (status, read) = match request.tool.kind {
        Kind::Reads => (Status::Done, Some(yes.bytes)),
        _ => (Status::of_effect(effect), None),
    };
    if !status.is_good() {
        return Err(Failure::new(status, None).into());
    }
    Ok(Called {
        status,
        effect: effect_word,
        read,
        window: target.window,
        cached: target.cached,
    })
}

/// Whether the brief lets it: by the label of what is pressed, the menu's names, the keys.
fn allowed(request: &Request, target: &mut Target) -> Result<(), Stop> {
    let text = |field: &str| request.arguments.get(field).and_then(Value::as_str);
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
            let last = saved::last(target.calls.run, target.window);
            let mut nodes = last.map(|tree| tree.nodes).unwrap_or_default();
            if text("element_token").is_some() {
                let pressed =
                    |node: &super::tree::Node| node.token.as_deref() == text("element_token");
                nodes.retain(pressed);
                for node in &mut nodes {
                    node.focused = true;
                }
            } else if chord.presses_focus() {
                nodes = target.read()?.tree.nodes;
            }
            Ok(target.calls.grant.chord(&chord, &nodes)?)
        }
        "click" | "double_click" | "right_click" => {
            let Some(tree) = saved::last(target.calls.run, target.window) else {
                return Ok(());
            };
            let pressed = match text("element_token") {
                Some(token) => tree
                    .nodes
                    .iter()
                    .find(|node| node.token.as_deref() == Some(token)),
                None => under(request, &tree),
            };
            Ok(pressed.map_or(Ok(()), |node| target.calls.grant.control(node))?)
        }
        _ => Ok(()),
    }
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
fn under<'t>(request: &Request, tree: &'t Tree) -> Option<&'t super::tree::Node> {
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
