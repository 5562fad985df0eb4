//! Whether an answer of the driver is a yes. From content first, then from the exit code: drivers
//! up to 0.26 exit 0 when a tool failed, later ones exit 1 and say why on standard output, as JSON
//! or as plain text, or on standard error. Pure.

use serde_json::Value;

use super::driver::{Answer, End};
use super::outcome::Code;
use super::shown::{RawAnswer, RawText};

/// What an answer amounts to.
pub enum Judged {
    /// A yes; its `effect` says how sure.
    Answered(RawAnswer),
    /// A no. The call did not happen, unless `code` says otherwise.
    Refused {
        /// The driver's word.
        code: Option<Code>,
        /// The driver's sentence. It can echo text that was to be typed.
        detail: RawText,
    },
    /// No background process of the driver runs; the call reached nobody.
    NotRunning,
    /// The session label was ended before; the call was rejected.
    SessionEnded,
    /// The driver waits for system permissions.
    PermissionsPending(RawText),
    /// Its own status, 5 or higher.
    Status(u8, RawText),
    /// Not to be told whether the call happened, and why not.
    Unclear(&'static str),
}

/// Judges an answer.
#[must_use]
pub fn judge(answer: &Answer) -> Judged {
    let code = match answer.end {
        End::TimedOut => return Judged::Unclear("timed_out"),
        End::TooBig => return Judged::Unclear("answer_too_big"),
        End::Signal => return Judged::Unclear("driver_died"),
        End::Exited(code) => code,
    };
    if code == 75 {
        return Judged::PermissionsPending(said(answer));
    }
    if let (true, Ok(code)) = (code > 4, u8::try_from(code)) {
        return Judged::Status(code, said(answer));
    }
    match serde_json::from_slice::<Value>(&answer.stdout) {
        Ok(value) if value.is_object() => judge_object(value, code),
        Ok(_) => Judged::Unclear("not_an_object"),
        Err(_) => judge_text(answer, code),
    }
}

fn judge_object(value: Value, exit: i32) -> Judged {
    // A report on several actions says of each whether it was a yes.
    let is_report =
        value.get("executed").is_some() && value.get("steps").is_some_and(Value::is_array);
    if is_report {
        return Judged::Answered(RawAnswer::new(value));
    }
    let text = |at: &str| value.pointer(at).and_then(Value::as_str);
    let effect = text("/effect");
    let code = text("/refusal/code")
        .or(text("/code"))
        .or(text("/error/code"))
        .or(text("/error"));
    let no = value.get("refusal").is_some_and(|r| !r.is_null())
        || value.get("error").is_some_and(|e| !e.is_null())
        || matches!(text("/status"), Some("refused" | "failed" | "error"))
        || matches!(effect, Some("none" | "refused"))
        || (code.is_some() && effect.is_none())
        || value.get("ok") == Some(&Value::Bool(false))
        || value.get("isError") == Some(&Value::Bool(true));
    if no {
        let detail = text("/refusal/message")
            .or(text("/detail"))
            .or(text("/message"))
            .or(text("/error/message"))
            .unwrap_or_default();
        return Judged::Refused {
            code: code.and_then(Code::parse),
            detail: RawText::new(detail),
        };
    }
    if exit != 0 {
        return Judged::Unclear("exit_contradicts_answer");
    }
    Judged::Answered(RawAnswer::new(value))
}

/// Plain text is how drivers say that the window, the process or an argument is wrong.
fn judge_text(answer: &Answer, exit: i32) -> Judged {
    let Ok(text) = std::str::from_utf8(&answer.stdout) else {
        return Judged::Unclear("not_text");
    };
    let all = said(answer);
    let has = |words: &str| all.reveal().contains(words);
    if text.trim_start().starts_with(['{', '[']) {
        return Judged::Unclear("answer_cut_short");
    }
    if text.trim().is_empty() && has("daemon is not running") {
        return Judged::NotRunning;
    }
    if text.trim().is_empty() && has("session has ended") {
        return Judged::SessionEnded;
    }
    if exit == 0 && all.reveal().is_empty() {
        return Judged::Unclear("no_answer");
    }
    let code = if has("stale or no longer running") {
        Some(Code::own("window_gone"))
    } else {
        None
    };
    Judged::Refused { code, detail: all }
}

/// Both streams, since the reason can stand on either.
fn said(answer: &Answer) -> RawText {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let (out, err) = (text(&answer.stdout), text(&answer.stderr));
    RawText::new(format!("{out} {err}").trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(exit: i32, stdout: &str, stderr: &str) -> String {
        let answer = Answer {
            end: End::Exited(exit),
            stdout: stdout.into(),
            stderr: stderr.into(),
        };
        match judge(&answer) {
            Judged::Answered(_) => "yes".to_owned(),
            Judged::Refused { code, .. } => {
                format!("no {}", code.map_or("-".to_owned(), |c| c.to_string()))
            }
            Judged::NotRunning => "not running".to_owned(),
            Judged::SessionEnded => "session ended".to_owned(),
            Judged::PermissionsPending(_) => "permissions".to_owned(),
            Judged::Status(code, _) => format!("status {code}"),
            Judged::Unclear(why) => format!("unclear {why}"),
        }
    }

    #[test]
    fn content_decides_before_the_exit_code() {
        let refusal = r#"{"refusal":{"code":"stale_element_token"},"status":"refused"}"#;
        for (exit, stdout, stderr, want) in [
            (0, r#"{"effect":"confirmed"}"#, "", "yes"),
            (0, r#"{"effect":"unverifiable","code":"x"}"#, "", "yes"),
            (0, r#"{"windows":[]}"#, "", "yes"),
            (1, refusal, "", "no stale_element_token"),
            (0, refusal, "", "no stale_element_token"),
            (
                0,
                r#"{"code":"background_unavailable"}"#,
                "",
                "no background_unavailable",
            ),
            (1, r#"{"code":"a_b","effect":"none"}"#, "", "no a_b"),
            (
                0,
                r#"{"error":"APP_NOT_INSTALLED"}"#,
                "",
                "no app_not_installed",
            ),
            (0, r#"{"ok":false}"#, "", "no -"),
            (
                1,
                r#"{"effect":"confirmed"}"#,
                "",
                "unclear exit_contradicts_answer",
            ),
            (0, "Missing required field: pid", "", "no -"),
            (
                1,
                "Window 1 is stale or no longer running; refresh.",
                "",
                "no window_gone",
            ),
            (1, "", "Permission denied: tool", "no -"),
            (
                1,
                "",
                "Cua Driver daemon is not running on /s.",
                "not running",
            ),
            (1, "", "session has ended; tool call", "session ended"),
            (75, "", "permissions_pending", "permissions"),
            (9, r#"{"effect":"confirmed"}"#, "", "status 9"),
            (0, "", "", "unclear no_answer"),
            (0, r#"{"effect":"#, "", "unclear answer_cut_short"),
            (0, "[]", "", "unclear not_an_object"),
        ] {
            assert_eq!(word(exit, stdout, stderr), want, "{exit} {stdout} {stderr}");
        }
    }
}
