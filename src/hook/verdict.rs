//! Verdict → the JSON line that Claude Code reads, or nothing. Decides nothing.
//!
//! Format: <https://docs.claude.com/en/docs/claude-code/hooks>. A refusal is JSON with exit 0; the
//! model is shown the reason, so it states facts and what is allowed instead.

use serde_json::{Value, json};

use super::event::Call;
use super::history::{DESK_MEMORY_MS, MEMORY_MS};
use super::masked::masked;

/// What a hook answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing: not a byte.
    Silent,
    /// The call is not run; the model reads why.
    Deny(String),
    /// The failed call's result reaches the model with this beside it.
    Nudge(String),
    /// A person reads this; the model does not.
    Say(String),
}

/// Why a call is refused, as far as the model is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal<'a> {
    /// What it did.
    pub why: Why,
    /// The last failure's exit code, when it has one.
    pub exit: Option<i64>,
    /// How long ago that was, in milliseconds.
    pub ago: i64,
    /// In how many milliseconds the same call is let pass once.
    pub probe: Option<i64>,
    /// What a desk tool said then: tool, step and code.
    pub evidence: Option<&'a str>,
    /// Whether it is a desk command.
    pub desk: bool,
    /// How often it was refused since it last ran, this time included.
    pub in_a_row: usize,
}

/// What a refused call did; with how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It failed with the same error.
    Same(usize),
    /// It failed, with different errors.
    Ceiling(usize),
    /// It failed with one element token after the other.
    Family(usize),
}

/// At this refusal in a row the model is told to stop.
const ENOUGH: usize = 3;

impl Verdict {
    /// Refuses a call that failed before.
    #[must_use]
    pub fn deny(call: &Call, refusal: &Refusal<'_>) -> Self {
        let what = match refusal.why {
            Why::Same(times) => format!("This exact call failed {times} times with the same error"),
            Why::Ceiling(times) => format!("This exact call failed {times} times"),
            Why::Family(times) => {
                format!("This action failed {times} times, each on a fresh token")
            }
        };
        let exit = refusal
            .exit
            .map_or(String::new(), |n| format!(" (exit {n})"));
        let said = refusal
            .evidence
            .map_or(String::new(), |line| format!(" [{line}]"));
        let ago = duration(refusal.ago);
        let stop = match refusal.in_a_row {
            ENOUGH.. => "Refused again and again: stop and report this as the result.",
            _ => "Otherwise stop and report the failure.",
        };
        Self::Deny(format!(
            "retry guard: not run. {what}{exit}, last {ago} ago: {}{said}. Allowed instead: {}. {stop}",
            masked(call),
            instead(refusal),
        ))
    }

    /// Tells, at the last failure that is let pass, what comes next.
    #[must_use]
    pub fn nudge(times: usize) -> Self {
        let times = if times == 2 {
            "twice".to_owned()
        } else {
            format!("{times} times")
        };
        Self::Nudge(format!(
            "retry guard: same error {times} for this exact call; an identical attempt will now be \
             refused. Change the call, or stop and report it."
        ))
    }

    /// The same for an action that fails with one element token after the other.
    #[must_use]
    pub fn nudge_family(times: usize) -> Self {
        Self::Nudge(format!(
            "retry guard: this action failed {times} times, each on a fresh token. Use another \
             element or tool, or stop and report it."
        ))
    }

    /// One line of JSON without a line end; none for silence.
    #[must_use]
    pub fn line(&self) -> Option<String> {
        let specific = |value: Value| Some(json!({"hookSpecificOutput": value}).to_string());
        match self {
            Self::Silent => None,
            Self::Deny(reason) => specific(json!({
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            })),
            Self::Nudge(text) => specific(json!({
                "hookEventName": "PostToolUseFailure",
                "additionalContext": text,
            })),
            Self::Say(text) => Some(json!({"systemMessage": text}).to_string()),
        }
    }
}

fn instead(refusal: &Refusal<'_>) -> String {
    let memory = if refusal.desk {
        DESK_MEMORY_MS
    } else {
        MEMORY_MS
    };
    let later = refusal.probe.map_or_else(
        || format!("{} minutes", memory / 60_000),
        // Rounded up: sooner, the same call would be refused once more.
        |left| match (left.max(1000) + 999) / 1000 {
            seconds @ ..60 => format!("{seconds} s from now"),
            seconds => format!("{} min from now", (seconds + 59) / 60),
        },
    );
    if matches!(refusal.why, Why::Family(_)) {
        return format!("another element or tool, or this one after a new user prompt or {later}");
    }
    let change = if refusal.desk {
        "successful desk action"
    } else {
        "file edit"
    };
    format!("a changed call, or this one after a {change}, a new user prompt or {later}")
}

fn duration(ms: i64) -> String {
    match ms.max(0) / 1000 {
        seconds @ 0..=120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds / 60),
    }
}

#[cfg(test)]
mod tests;
