//! Bytes → event. In: what Claude Code writes to a hook's standard input. Out: what happened, or
//! nothing when it is no event that a hook of ours looks at. Keeps no text of a prompt.
//!
//! Fields: <https://docs.claude.com/en/docs/claude-code/hooks>, and as recorded with 2.1.197 and
//! 2.1.332.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

mod pairs;

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The session; a subagent's events carry its parent's.
    pub session: String,
    /// The subagent; none in the main thread.
    pub agent: Option<String>,
    /// The subagent's type, when there is one.
    pub agent_type: Option<String>,
    /// The folder that the agent works in; it follows the agent's own `cd`.
    pub cwd: String,
    /// The id of the prompt that it belongs to, when there is one.
    pub prompt: Option<String>,
    /// The session's transcript.
    pub transcript: Option<PathBuf>,
    /// What happened.
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A tool is about to run.
    Before(Call),
    /// A tool ran well.
    Succeeded(Call),
    /// A tool failed.
    Failed(Call, Failure),
    /// A prompt came in.
    Prompt {
        /// Whether a person sent it; notifications of background tasks arrive as prompts too.
        person: bool,
    },
    /// A subagent stopped.
    AgentStopped {
        /// Its own transcript, which need not exist.
        transcript: Option<PathBuf>,
    },
    /// The main thread stopped.
    Stopped,
    /// The session ended.
    SessionEnded,
}

/// The agent that works on apps.
pub const RUNNER: &str = "desk-runner";

impl Event {
    /// Whether the desk-runner sent it. A plugin's agents carry the plugin's name before their own
    /// (seen on 2.1.197 and 2.1.332).
    #[must_use]
    pub fn is_of_runner(&self) -> bool {
        let agent = self.agent_type.as_deref().unwrap_or_default();
        let own = agent.strip_prefix(concat!(env!("CARGO_PKG_NAME"), ":"));
        own.unwrap_or(agent) == RUNNER
    }
}

impl What {
    /// A short name of the kind of event.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Before(_) => "before",
            Self::Succeeded(_) => "succeeded",
            Self::Failed(..) => "failed",
            Self::Prompt { .. } => "prompt",
            Self::AgentStopped { .. } => "agent-stopped",
            Self::Stopped => "stopped",
            Self::SessionEnded => "session-ended",
        }
    }
}

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The tool's name.
    pub tool: String,
    /// Its input, as the model sent it plus defaults.
    pub input: Value,
    /// What ties the events of one call together.
    pub id: Option<String>,
}

/// How a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// For a shell `Exit code N`, a line end, then its merged output.
    pub error: String,
    /// Whether the user stopped it.
    pub interrupted: bool,
}

#[derive(Deserialize)]
struct Payload<'a> {
    session_id: String,
    hook_event_name: String,
    #[serde(default)]
    transcript_path: Text,
    #[serde(default)]
    cwd: Text,
    #[serde(default)]
    agent_id: Text,
    #[serde(default)]
    agent_type: Text,
    #[serde(default)]
    agent_transcript_path: Text,
    tool_name: Option<String>,
    tool_input: Option<Value>,
    #[serde(default)]
    tool_use_id: Text,
    #[serde(default)]
    prompt_id: Text,
    #[serde(default)]
    error: Text,
    #[serde(default)]
    is_interrupt: Value,
    #[serde(default)]
    source: Text,
    #[serde(borrow)]
    prompt: Option<&'a RawValue>,
}

/// A text that is not empty. Any other value is the text that it is written as: one that a later
/// version writes in another shape must not hide the event.
#[derive(Default, Deserialize)]
#[serde(from = "Value")]
struct Text(Option<String>);

impl From<Value> for Text {
    fn from(value: Value) -> Self {
        let text = match value {
            Value::Null => None,
            Value::String(text) => Some(text),
            other => Some(other.to_string()),
        };
        Self(text.filter(|text| !text.is_empty()))
    }
}

/// The event in `bytes`; what follows the first JSON value is not looked at.
#[must_use]
pub fn parse(bytes: &[u8]) -> Option<Event> {
    read(bytes).or_else(|| read(&pairs::repaired(bytes)?))
}

fn read(bytes: &[u8]) -> Option<Event> {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<Payload>();
    let mut payload = values.next()?.ok()?;
    let what = what(&mut payload)?;
    Some(Event {
        session: Some(payload.session_id).filter(|session| !session.is_empty())?,
        agent: payload.agent_id.0,
        agent_type: payload.agent_type.0,
        cwd: payload.cwd.0.unwrap_or_default(),
        prompt: payload.prompt_id.0,
        transcript: payload.transcript_path.0.map(PathBuf::from),
        what,
    })
}

fn what(payload: &mut Payload<'_>) -> Option<What> {
    Some(match payload.hook_event_name.as_str() {
        "PreToolUse" => What::Before(call(payload)?),
        "PostToolUse" => What::Succeeded(call(payload)?),
        "PostToolUseFailure" => What::Failed(
            call(payload)?,
            Failure {
                error: payload.error.0.take().unwrap_or_default(),
                interrupted: payload.is_interrupt == true,
            },
        ),
        "UserPromptSubmit" => What::Prompt {
            person: is_from_a_person(payload),
        },
        "SubagentStop" => What::AgentStopped {
            transcript: payload.agent_transcript_path.0.take().map(PathBuf::from),
        },
        "Stop" => What::Stopped,
        "SessionEnd" => What::SessionEnded,
        _ => return None,
    })
}

fn call(payload: &mut Payload<'_>) -> Option<Call> {
    Some(Call {
        tool: payload.tool_name.take()?,
        input: payload.tool_input.take().unwrap_or_default(),
        id: payload.tool_use_id.0.take(),
    })
}

/// Newer versions name the source; the others are told by how a task notification begins.
fn is_from_a_person(payload: &Payload<'_>) -> bool {
    let source = payload.source.0.as_deref();
    // As it stands in the JSON, whatever it is.
    let prompt = payload.prompt.map(RawValue::get).unwrap_or_default();
    source.is_none_or(|source| matches!(source, "user" | "sdk"))
        && !prompt.starts_with("\"<task-notification>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(fields: &str) -> Option<What> {
        let json = format!(r#"{{"session_id":"s","hook_event_name":"UserPromptSubmit"{fields}}}"#);
        parse(json.as_bytes()).map(|event| event.what)
    }

    #[test]
    fn machine_made_prompts_are_told_from_a_persons() {
        for (fields, person) in [
            ("", true),
            (r#","prompt":"go on""#, true),
            (r#","prompt":"go","source":"user""#, true),
            (r#","prompt":"go","source":"loop_wakeup""#, false),
            (r#","prompt":"<task-notification>\nx""#, false),
            (r#","prompt":"what is <task-notification>?""#, true),
        ] {
            assert_eq!(prompt(fields), Some(What::Prompt { person }), "{fields}");
        }
    }

    #[test]
    fn the_runner_is_known_by_its_own_name_and_the_plugins() {
        for (agent, want) in [
            ("desk-runner", true),
            ("lean-computer-use:desk-runner", true),
            ("other:desk-runner", false),
            ("lean-computer-use:other", false),
            ("", false),
        ] {
            let json =
                format!(r#"{{"session_id":"s","hook_event_name":"Stop","agent_type":"{agent}"}}"#);
            let event = parse(json.as_bytes()).unwrap();
            assert_eq!(event.is_of_runner(), want, "{agent}");
        }
    }

    #[test]
    fn a_field_of_another_shape_hides_no_event() {
        let json = r#"{"session_id":"s","hook_event_name":"PostToolUseFailure","agent_id":7,
            "agent_type":["x"],"cwd":null,"tool_name":"Bash","tool_input":[],"tool_use_id":1.5,
            "error":{"code":1},"is_interrupt":"no","source":{},"prompt_id":""}"#;
        let event = parse(json.as_bytes()).unwrap();
        assert_eq!(event.agent.as_deref(), Some("7"));
        assert_eq!(event.prompt, None);
        let What::Failed(call, failure) = event.what else {
            panic!("{:?}", event.what)
        };
        assert_eq!(
            (call.tool.as_str(), call.id.as_deref()),
            ("Bash", Some("1.5"))
        );
        assert_eq!(
            (failure.error.as_str(), failure.interrupted),
            (r#"{"code":1}"#, false)
        );
    }

    #[test]
    fn what_is_no_event_of_ours_is_nothing() {
        for json in [
            "",
            "null",
            "[]",
            "{}",
            r#"{"session_id":"s"}"#,
            r#"{"session_id":"","hook_event_name":"Stop"}"#,
            r#"{"session_id":"s","hook_event_name":"Nope"}"#,
            r#"{"session_id":"s","hook_event_name":"PreToolUse"}"#,
            r#"{"session_id":7,"hook_event_name":"Stop"}"#,
            r#"{"session_id":"s","hook_event_name":"Stop""#,
        ] {
            assert_eq!(parse(json.as_bytes()), None, "{json}");
        }
    }
}
