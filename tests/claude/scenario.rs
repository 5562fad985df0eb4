//! What the model says: a script for the main thread and one for each subagent, as values. Goes in:
//! tool calls and texts. Comes out: content blocks. Knows nothing of HTTP or streaming.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The scripts of one session. A conversation past the end of its script gets the text `done`.
#[derive(Default)]
pub struct Scenario {
    scripts: BTreeMap<String, Vec<Step>>,
}

/// One answer of the model: content blocks in the API's shape, the ids of tool calls left out.
#[derive(Clone)]
pub struct Step(pub Vec<Value>);

/// The script of a conversation whose prompt names no other.
pub const MAIN: &str = "main";

impl Scenario {
    pub fn main(self, steps: impl IntoIterator<Item = Step>) -> Self {
        self.script(MAIN, steps)
    }

    /// The script of the conversations whose first message holds [`cue`]`(name)`.
    pub fn script(mut self, name: &str, steps: impl IntoIterator<Item = Step>) -> Self {
        self.scripts
            .insert(name.to_owned(), steps.into_iter().collect());
        self
    }

    /// The answer to a conversation in which the model has already spoken `step` times.
    pub fn answer(&self, script: &str, step: usize) -> Step {
        let steps = self.scripts.get(script);
        steps
            .and_then(|steps| steps.get(step))
            .cloned()
            .unwrap_or_else(|| say("done"))
    }
}

impl Step {
    /// With a text before it, as models do: one message of two blocks, which a transcript keeps as
    /// two lines that both carry the whole usage.
    pub fn after_saying(mut self, text: &str) -> Self {
        self.0.insert(0, json!({"type": "text", "text": text}));
        self
    }
}

/// Put into a subagent's prompt, it picks the script.
pub fn cue(script: &str) -> String {
    format!("[script {script}]")
}

/// The script that a text asks for.
pub fn cued(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("[script ")?;
    rest.split_once(']').map(|(name, _)| name)
}

/// Says a text, and so ends its turn.
pub fn say(text: &str) -> Step {
    Step(vec![json!({"type": "text", "text": text})])
}

/// Calls one tool.
pub fn call(tool: &str, input: &Value) -> Step {
    Step(vec![
        json!({"type": "tool_use", "name": tool, "input": input}),
    ])
}

/// Runs a command.
pub fn bash(command: &str) -> Step {
    call(
        "Bash",
        &json!({"command": command, "description": "a step"}),
    )
}

/// Hands over to a subagent of this type, which plays the script of this name, and waits for it.
pub fn delegate(agent: &str, script: &str) -> Step {
    let mut step = delegate_in_background(agent, script);
    step.0[0]["input"]["run_in_background"] = json!(false);
    step
}

/// The same without waiting, which is what 2.1.332 does unless it is told otherwise.
pub fn delegate_in_background(agent: &str, script: &str) -> Step {
    let prompt = format!("Do the steps. {}", cue(script));
    let input = json!({"description": "a job", "prompt": prompt, "subagent_type": agent});
    call("Agent", &input)
}

#[test]
fn a_cue_is_found_in_its_own_text_only() {
    for (text, want) in [
        ("Do it. [script runner] Now.", Some("runner")),
        ("[script ", None),
        ("no cue here", None),
    ] {
        assert_eq!(cued(text), want, "{text}");
    }
    assert_eq!(cued(&cue("a-b")), Some("a-b"));
}
