//! One tool on one app: a request in, its status and what proves it out.

use super::calls::Calls;
use super::outcome::{Code, Failure, Status, Stop};
use super::request::{Kind, Request, Window};
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
    let mut target = Target::resolve(calls, app)?;
    if request.tool.kind == Kind::Writes && target.cached && !target.is_there()? {
        target.calls.run.forget_window();
        let code = Some(Code::own("window_gone"));
        return Err(Failure::new(Status::Refused, code).into());
    }
    let yes = target.ask(request.tool, &request.arguments)?;
    let effect = yes.answer.reveal().get("effect");
    let effect = effect.and_then(serde_json::Value::as_str);
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
