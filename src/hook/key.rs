//! A call, an error → a fingerprint. Keyed with a secret of the session, so that what is on disk
//! tells nothing about commands and errors once the secret is gone. Pure.

use std::fmt::Write as _;

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::event::Call;

/// The secret of one session.
#[derive(Clone)]
pub struct Secret(pub [u8; 32]);

/// 16 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Print(String);

/// Tools whose input is a command line; everything else in it only describes the call.
pub const SHELLS: [&str; 2] = ["Bash", "PowerShell"];

impl Secret {
    /// Of a call by the main thread or a subagent in a folder.
    #[must_use]
    pub fn call(&self, agent: Option<&str>, cwd: &str, call: &Call) -> Print {
        let agent = agent.unwrap_or_default();
        let shell = SHELLS.contains(&call.tool.as_str());
        // Other tools name their files whole.
        let cwd = if shell { cwd.trim_end_matches('/') } else { "" };
        self.print("call", &[agent, &call.tool, cwd, &canonical(call)])
    }

    /// Of an error, and the exit code it names.
    #[must_use]
    pub fn error(&self, error: &str) -> (Option<i64>, Print) {
        let (exit, text) = exit_code(error);
        let code = exit.map_or(String::new(), |code| code.to_string());
        (exit, self.print("error", &[&code, &plain(text)]))
    }

    /// Of the id of a call.
    #[must_use]
    pub fn id(&self, id: &str) -> Print {
        self.print("id", &[id])
    }

    fn print(&self, kind: &str, parts: &[&str]) -> Print {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        for part in std::iter::once(&kind).chain(parts) {
            // With its length, so that no two lists of parts look alike.
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part.as_bytes());
        }
        Print(hex(&mac.finalize().into_bytes()))
    }
}

/// The input as far as it makes two calls the same call. For a shell the command alone, without
/// blanks around it; else all of it, keys in order.
#[must_use]
pub fn canonical(call: &Call) -> String {
    if SHELLS.contains(&call.tool.as_str())
        && let Some(command) = call.input.get("command").and_then(Value::as_str)
    {
        return command.trim().to_owned();
    }
    let mut text = String::new();
    sorted(&call.input, &mut text);
    text
}

/// Compact JSON with the keys of every object in order, whatever order the map keeps.
fn sorted(value: &Value, out: &mut String) {
    let mut list = |open: char, close: char, items: Vec<(Option<&String>, &Value)>| {
        out.push(open);
        for (at, (key, value)) in items.into_iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            if let Some(key) = key {
                let _ = write!(out, "{}:", Value::from(key.as_str()));
            }
            sorted(value, out);
        }
        out.push(close);
    };
    match value {
        Value::Object(object) => {
            let mut items: Vec<_> = object.iter().map(|(key, v)| (Some(key), v)).collect();
            items.sort_by_key(|(key, _)| *key);
            list('{', '}', items);
        }
        Value::Array(items) => list('[', ']', items.iter().map(|v| (None, v)).collect()),
        other => {
            let _ = write!(out, "{other}");
        }
    }
}

/// `Exit code 3` in front of a shell's output, and what follows it.
fn exit_code(error: &str) -> (Option<i64>, &str) {
    let Some(rest) = error.strip_prefix("Exit code ") else {
        return (None, error);
    };
    let (code, text) = rest.split_once('\n').unwrap_or((rest, ""));
    match code.trim_end().parse() {
        Ok(code) => (Some(code), text),
        Err(_) => (None, error),
    }
}

/// Without what a terminal would not show either.
fn plain(text: &str) -> String {
    let text = anstream::adapter::strip_str(text).to_string();
    text.replace("\r\n", "\n").trim().to_owned()
}

/// 16 hex digits that name a session or an agent on disk. Not keyed: the secret itself is found
/// through it.
#[must_use]
pub fn folder_name(id: &str) -> String {
    hex(&Sha256::digest(id))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().take(8).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SECRET: Secret = Secret([7; 32]);

    fn bash(input: Value) -> Call {
        Call {
            tool: "Bash".to_owned(),
            input,
            id: None,
        }
    }

    #[test]
    fn the_same_call_has_the_same_print() {
        let one = bash(json!({"command": "make x"}));
        let print = SECRET.call(None, "/p", &one);
        for (agent, cwd, input, same) in [
            (
                None,
                "/p",
                json!({"command": "make x", "description": "again"}),
                true,
            ),
            (
                None,
                "/p/",
                json!({"command": " make x\n", "timeout": 5}),
                true,
            ),
            (None, "/p", json!({"command": "make  x"}), false),
            (None, "/q", json!({"command": "make x"}), false),
            (Some("a"), "/p", json!({"command": "make x"}), false),
        ] {
            let other = SECRET.call(agent, cwd, &bash(input.clone()));
            assert_eq!(other == print, same, "{agent:?} {cwd} {input}");
        }
        assert_ne!(Secret([8; 32]).call(None, "/p", &one), print);
    }

    #[test]
    fn the_input_of_other_tools_counts_whole_in_any_order() {
        let edit = |input| Call {
            tool: "Edit".to_owned(),
            ..bash(input)
        };
        let one: Value = serde_json::from_str(r#"{"b":[1,{"d":1,"c":"\n"}],"a":"x"}"#).unwrap();
        assert_eq!(
            canonical(&edit(one)),
            r#"{"a":"x","b":[1,{"c":"\n","d":1}]}"#
        );
    }

    #[test]
    fn errors_differ_in_code_and_text() {
        let print = |text| SECRET.error(text);
        assert_eq!(print("Exit code 3\nto-err").0, Some(3));
        assert_eq!(print("Exit code 1").0, Some(1));
        assert_eq!(print("Exit code zero\nx").0, None);
        assert_eq!(print("no such file").0, None);
        assert_eq!(
            print("Exit code 3\n\u{1b}[31mto-err\u{1b}[0m\r\nx\r\n"),
            print("Exit code 3\nto-err\nx")
        );
        assert_ne!(print("Exit code 3\nx").1, print("Exit code 4\nx").1);
        assert_ne!(print("Exit code 3\nx").1, print("Exit code 3\ny").1);
        assert_ne!(print("x").1, SECRET.id("x"));
    }
}
