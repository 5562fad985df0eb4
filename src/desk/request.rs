//! `desk`'s words: tool and arguments in, a checked [`Request`] out. Knows the closed list of
//! tools and the fields of each; a test with the real driver holds the list against the driver's
//! own schemas. Pure.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A driver tool that desk offers or uses.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    /// The driver's name for it.
    pub name: &'static str,
    /// Fields that a caller may fill.
    pub fields: &'static [&'static str],
    /// Fields that desk fills.
    pub own: &'static [&'static str],
    /// What it does.
    pub kind: Kind,
}

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Changes nothing: may be repeated.
    Reads,
    /// Acts on a window.
    Acts,
    /// Acts, and carries text: its answer can repeat the text.
    Writes,
    /// Several actions in one call; for desk itself.
    Batch,
    /// For desk itself; changes nothing in a window.
    Internal,
}

const WINDOW: &[&str] = &["pid", "window_id", "session"];

/// The closed list. Tools that start programs by path, end processes, record, change settings or
/// reach beyond one window are not on it.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "get_window_state",
        fields: &[
            "query",
            "max_elements",
            "max_depth",
            "timeout_ms",
            "tree_format",
        ],
        own: &["pid", "window_id", "session", "include_screenshot"],
        kind: Kind::Reads,
    },
    Tool {
        name: "click",
        fields: &[
            "element_token",
            "x",
            "y",
            "button",
            "count",
            "modifier",
            "delivery_mode",
        ],
        own: WINDOW,
        kind: Kind::Acts,
    },
    Tool {
        name: "double_click",
        fields: &["element_token", "x", "y", "delivery_mode"],
        own: WINDOW,
        kind: Kind::Acts,
    },
    Tool {
        name: "right_click",
        fields: &["element_token", "x", "y", "modifier", "delivery_mode"],
        own: WINDOW,
        kind: Kind::Acts,
    },
    Tool {
        name: "scroll",
        fields: &[
            "element_token",
            "x",
            "y",
            "direction",
            "by",
            "amount",
            "delivery_mode",
        ],
        own: WINDOW,
        kind: Kind::Acts,
    },
    Tool {
        name: "invoke_menu",
        fields: &["path"],
        own: WINDOW,
        kind: Kind::Acts,
    },
    Tool {
        name: "press_key",
        fields: &["element_token", "key", "modifiers", "delivery_mode"],
        own: WINDOW,
        kind: Kind::Writes,
    },
    Tool {
        name: "hotkey",
        fields: &["element_token", "keys", "delivery_mode"],
        own: WINDOW,
        kind: Kind::Writes,
    },
    Tool {
        name: "set_value",
        fields: &["element_token", "value"],
        own: WINDOW,
        kind: Kind::Writes,
    },
    Tool {
        name: "type_text",
        fields: &["element_token", "text", "delivery_mode"],
        own: WINDOW,
        kind: Kind::Writes,
    },
    Tool {
        name: "run_steps",
        fields: &[],
        own: &["pid", "window_id", "session", "steps", "observe"],
        kind: Kind::Batch,
    },
    Tool {
        name: "list_apps",
        fields: &[],
        own: &["session"],
        kind: Kind::Internal,
    },
    Tool {
        name: "list_windows",
        fields: &[],
        own: &["pid", "session"],
        kind: Kind::Internal,
    },
    Tool {
        name: "launch_app",
        fields: &[],
        own: &["name", "bundle_id", "session"],
        kind: Kind::Internal,
    },
    Tool {
        name: "end_session",
        fields: &[],
        own: &["session"],
        kind: Kind::Internal,
    },
];

/// The tool of this name, desk's own ones included.
#[must_use]
pub fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

impl Tool {
    /// Whether it changes something in an app.
    #[must_use]
    pub fn changes(&self) -> bool {
        matches!(self.kind, Kind::Acts | Kind::Writes | Kind::Batch)
    }

    /// Whether callers may name it.
    #[must_use]
    pub fn is_offered(&self) -> bool {
        !matches!(self.kind, Kind::Batch | Kind::Internal)
    }

    /// `arguments` with what desk fills in, for the fields this tool knows and no others: the
    /// driver refuses a field it does not know.
    #[must_use]
    pub fn filled(
        &self,
        mut arguments: Map<String, Value>,
        window: Option<Window>,
        session: &str,
    ) -> Value {
        for field in self.own {
            let value = match (*field, window) {
                ("pid", Some(window)) => json!(window.pid),
                ("window_id", Some(window)) => json!(window.id),
                ("session", _) => json!(session),
                ("include_screenshot", _) => json!(false),
                _ => continue,
            };
            arguments.insert((*field).to_owned(), value);
        }
        Value::Object(arguments)
    }
}

/// One window of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// The process.
    pub pid: i64,
    /// The driver's id of the window.
    pub id: i64,
}

/// A call that may be made.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    /// The tool.
    pub tool: &'static Tool,
    /// The caller's own arguments.
    pub arguments: Map<String, Value>,
}

/// Why a call may not be made. Holds no text of the arguments.
#[derive(Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Exit 64: not on the list.
    NoSuchTool,
    /// Exit 2: the arguments, and what is wrong with them.
    Arguments(String),
}

/// Checks tool and arguments. `linux`: the driver there drops the end of a non-ASCII text that is
/// typed, though it says it typed all of it.
pub fn parse(tool_name: &str, arguments: &str, linux: bool) -> Result<Request, Unfit> {
    let tool = tool(tool_name)
        .filter(|tool| tool.is_offered())
        .ok_or(Unfit::NoSuchTool)?;
    let value: Value = serde_json::from_str(arguments).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        Unfit::Arguments(format!("not JSON at {line}:{column}"))
    })?;
    let Value::Object(arguments) = value else {
        return Err(Unfit::Arguments("not a JSON object".to_owned()));
    };
    if arguments
        .keys()
        .any(|key| !tool.fields.contains(&key.as_str()))
    {
        let fields = tool.fields.join(", ");
        return Err(Unfit::Arguments(format!(
            "a field that {} does not take here; it takes {fields}",
            tool.name
        )));
    }
    if arguments.values().any(has_nul) {
        return Err(Unfit::Arguments("NUL is no character of a text".to_owned()));
    }
    let typed = arguments.get("text").and_then(Value::as_str);
    if linux && tool.name == "type_text" && typed.is_some_and(|text| !text.is_ascii()) {
        return Err(Unfit::Arguments(
            "text outside ASCII must go through set_value".to_owned(),
        ));
    }
    Ok(Request { tool, arguments })
}

/// The driver cannot pass it on, and reaches no app any more once it tried (0.37, Linux).
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(has_nul),
        Value::Object(fields) => fields.values().any(has_nul),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_tools_and_fields_pass() {
        let bad = |words: &str| Err(Unfit::Arguments(words.to_owned()));
        let fields = "a field that click does not take here; it takes element_token, x, y, button, count, modifier, delivery_mode";
        for (tool, arguments, want) in [
            ("click", r#"{"element_token":"s00000001:2"}"#, Ok("click")),
            ("launch_app", r#"{"name":"x"}"#, Err(Unfit::NoSuchTool)),
            ("kill_app", "{}", Err(Unfit::NoSuchTool)),
            ("click", r#"{"pid":1}"#, bad(fields)),
            ("click", r#"{"scope":"desktop"}"#, bad(fields)),
            ("click", "[]", bad("not a JSON object")),
            ("set_value", r#"{"value":"hunter2"#, bad("not JSON at 1:17")),
            (
                "set_value",
                r#"{"value":"\ud800"}"#,
                bad("not JSON at 1:17"),
            ),
            ("set_value", r#"{"value":"é☕"}"#, Ok("set_value")),
            (
                "set_value",
                r#"{"value":"a\u0000"}"#,
                bad("NUL is no character of a text"),
            ),
            (
                "invoke_menu",
                r#"{"path":["a","\u0000"]}"#,
                bad("NUL is no character of a text"),
            ),
            (
                "type_text",
                r#"{"text":"é"}"#,
                bad("text outside ASCII must go through set_value"),
            ),
        ] {
            let got = parse(tool, arguments, true).map(|request| request.tool.name);
            assert_eq!(got, want, "{tool} {arguments}");
        }
        assert!(parse("type_text", r#"{"text":"é"}"#, false).is_ok());
    }

    #[test]
    fn desk_fills_only_what_the_tool_knows() {
        let window = Some(Window { pid: 7, id: 9 });
        let filled = |name| {
            tool(name)
                .unwrap()
                .filled(Map::new(), window, "s")
                .to_string()
        };
        assert_eq!(filled("click"), r#"{"pid":7,"session":"s","window_id":9}"#);
        assert_eq!(filled("list_apps"), r#"{"session":"s"}"#);
        assert!(filled("get_window_state").contains(r#""include_screenshot":false"#));
    }
}
