//! Verdict → the JSON line that Claude Code reads, or nothing. Decides nothing.
//!
//! Format: <https://docs.claude.com/en/docs/claude-code/hooks>. A refusal is JSON with exit 0; the
//! model is shown the reason, so it states facts and what is allowed instead.

use serde_json::{Value, json};

use super::event::Call;
use super::history::{MEMORY_MS, Run};
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

impl Verdict {
    /// Refuses a call that failed this way before. `now` is milliseconds since 1970.
    #[must_use]
    pub fn deny(call: &Call, run: &Run, now: i64) -> Self {
        let exit = run.exit.map_or(String::new(), |n| format!(" (exit {n})"));
        Self::Deny(format!(
            "retry guard: not run. This exact call failed {} times with the same error{exit}, last {} ago: \
             {}. Allowed instead: a changed call, or this one after a file edit, a new user prompt or {} \
             minutes. Otherwise stop and report the failure.",
            run.times,
            duration(now - run.last),
            masked(call),
            MEMORY_MS / 60_000,
        ))
    }

    /// Tells, at the last failure that is let pass, what comes next.
    #[must_use]
    pub fn nudge() -> Self {
        Self::Nudge(
            "retry guard: same error twice for this exact call; a third identical attempt will be \
             refused. Change the call, or stop and report it."
                .to_owned(),
        )
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

fn duration(ms: i64) -> String {
    match ms.max(0) / 1000 {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds / 60),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_refusal_says_what_happened_and_what_is_allowed() {
        let call = Call {
            tool: "Bash".to_owned(),
            input: json!({"command": "make x", "description": "d"}),
            id: None,
        };
        let run = |exit, last| Run {
            times: 2,
            exit,
            last,
        };
        let Verdict::Deny(reason) = Verdict::deny(&call, &run(Some(2), 0), 14_000) else {
            panic!("not a refusal");
        };
        assert_eq!(
            reason,
            "retry guard: not run. This exact call failed 2 times with the same error (exit 2), \
             last 14 s ago: \"make x\". Allowed instead: a changed call, or this one after a file \
             edit, a new user prompt or 15 minutes. Otherwise stop and report the failure."
        );
        let Verdict::Deny(reason) = Verdict::deny(&call, &run(None, 0), 300_000) else {
            panic!("not a refusal");
        };
        assert!(reason.contains("same error, last 5 min ago"), "{reason}");
    }

    #[test]
    fn silence_is_nothing_and_the_rest_is_json() {
        assert_eq!(Verdict::Silent.line(), None);
        for (verdict, pointer) in [
            (Verdict::nudge(), "/hookSpecificOutput/additionalContext"),
            (Verdict::Say("x\ny".to_owned()), "/systemMessage"),
        ] {
            let line = verdict.line().unwrap();
            assert!(!line.contains('\n'));
            let json: Value = serde_json::from_str(&line).unwrap();
            assert!(
                json.pointer(pointer).is_some_and(Value::is_string),
                "{line}"
            );
        }
    }
}
