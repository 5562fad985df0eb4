//! A call, an error → a fingerprint. Keyed with a secret of the session, so that what is on disk
//! tells nothing about commands and errors once the secret is gone. Pure.

use std::fmt;
use std::fmt::Write as _;

use hmac::{Hmac, KeyInit, Mac};
use serde::de::{Deserializer, Error as _};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::command::Command;
use super::event::Call;
use super::failure::Said;

/// The secret of one session.
#[derive(Clone)]
pub struct Secret(pub [u8; 32]);

/// 16 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Print(u64);

/// What makes two calls the same call.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The call.
    pub key: Print,
    /// All calls that differ in the snapshot of an element token only.
    pub family: Option<Print>,
    /// Whether it is a desk command. Its key holds in the whole session and every folder: an app
    /// has one state, whoever looks.
    pub desk: bool,
    /// For a shell what it runs.
    pub command: Option<Command>,
}

/// Tools whose input is a command line; everything else in it only describes the call.
const SHELLS: [&str; 2] = ["Bash", "PowerShell"];

impl Secret {
    /// Of a call by the main thread or a subagent in a folder.
    #[must_use]
    pub fn identity(&self, agent: Option<&str>, cwd: &str, call: &Call) -> Identity {
        let agent = agent.unwrap_or_default();
        let Some(line) = command_line(call) else {
            // Other tools name their files whole.
            let key = self.print("call", &[agent, &call.tool, "", &canonical(call)]);
            return Identity {
                key,
                family: None,
                desk: false,
                command: None,
            };
        };
        let command = Command::of(cwd, line);
        let desk = command.is_desk();
        let (scope, cwd) = if desk {
            ("*", "")
        } else {
            (agent, &*command.cwd)
        };
        let family = command.family().filter(|_| desk);
        Identity {
            key: self.print("call", &[scope, &call.tool, cwd, &command.text]),
            family: family.map(|family| self.print("family", &[scope, &family])),
            desk,
            command: Some(command),
        }
    }

    /// Of an error.
    #[must_use]
    pub fn error(&self, said: &Said) -> Print {
        let code = said.exit.map_or(String::new(), |code| code.to_string());
        self.print("error", &[&code, &said.text])
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
        Print(first_eight(&mac.finalize().into_bytes()))
    }
}

impl fmt::Display for Print {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for Print {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Print {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        let digits = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let number = u64::from_str_radix(text, 16).ok();
        let number = number.filter(|_| digits && text.len() == 16);
        number
            .map(Self)
            .ok_or_else(|| D::Error::custom("not 16 hex digits"))
    }
}

/// The input as far as it makes two calls the same call, and as it may be shown once masked: for a
/// shell the command as it came, without blanks around it; else all of it, keys in order.
#[must_use]
pub fn canonical(call: &Call) -> String {
    if let Some(line) = command_line(call) {
        return line.trim().to_owned();
    }
    let mut text = String::new();
    sorted(&call.input, &mut text);
    text
}

fn command_line(call: &Call) -> Option<&str> {
    let shell = SHELLS.contains(&call.tool.as_str());
    let command = call.input.get("command").filter(|_| shell);
    command.and_then(Value::as_str)
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

/// 16 hex digits that name a session or an agent on disk. Not keyed: the secret itself is found
/// through it.
#[must_use]
pub fn folder_name(id: &str) -> String {
    Print(first_eight(&Sha256::digest(id))).to_string()
}

fn first_eight(bytes: &[u8]) -> u64 {
    let first = bytes.iter().take(8);
    first.fold(0, |number, byte| number << 8 | u64::from(*byte))
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
        let print = SECRET.identity(None, "/p", &one).key;
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
                json!({"command": " make  x\n", "timeout": 5}),
                true,
            ),
            (None, "/q", json!({"command": "cd /p && make x 2>&1"}), true),
            (None, "/p", json!({"command": "make 'x'"}), false),
            (None, "/q", json!({"command": "make x"}), false),
            (Some("a"), "/p", json!({"command": "make x"}), false),
        ] {
            let other = SECRET.identity(agent, cwd, &bash(input.clone())).key;
            assert_eq!(other == print, same, "{agent:?} {cwd} {input}");
        }
        assert_ne!(Secret([8; 32]).identity(None, "/p", &one).key, print);
    }

    #[test]
    fn desk_commands_are_the_same_for_all_agents_everywhere() {
        let click = |token: &str| {
            let command = format!("desk a click '{{\"element_token\":\"{token}\"}}'");
            bash(json!({"command": command}))
        };
        let one = SECRET.identity(None, "/p", &click("s0000002a:14"));
        let other = SECRET.identity(Some("a"), "/q", &click("s0000002a:14"));
        assert!(one.desk && one.key == other.key && one.family == other.family);
        let fresh = SECRET.identity(None, "/p", &click("s0000002b:14"));
        assert!(fresh.key != one.key && fresh.family == one.family);
        let elsewhere = SECRET.identity(None, "/p", &click("s0000002b:15"));
        assert!(elsewhere.family.is_some() && elsewhere.family != one.family);
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
        let print = |text| SECRET.error(&Said::of(text, false));
        assert_eq!(print("Exit code 3\nx\n"), print("Exit code 3\nx"));
        assert_ne!(print("Exit code 3\nx"), print("Exit code 4\nx"));
        assert_ne!(print("Exit code 3\nx"), print("Exit code 3\ny"));
        assert_ne!(print("x"), SECRET.id("x"));
    }

    #[test]
    fn a_print_is_sixteen_digits_on_disk() {
        let print = SECRET.id("x");
        let json = serde_json::to_string(&print).unwrap();
        assert_eq!(json.len(), 18);
        assert_eq!(serde_json::from_str::<Print>(&json).unwrap(), print);
        for broken in ["\"\"", "\"xyz\"", "\"+123456789abcdef\"", "7"] {
            assert!(serde_json::from_str::<Print>(broken).is_err(), "{broken}");
        }
    }
}
