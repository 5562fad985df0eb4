//! What Claude Code's other settings files mean for our hooks. In go the files in the order in
//! which they count, out comes why no hook would run, and whether a plugin of ours is on. Reads
//! nothing; a file that Claude Code would ignore counts for nothing here too.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::settings::{self, Shape};

/// One settings file of Claude Code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// `managed`, `local`, `project` or `user`.
    pub name: &'static str,
    /// Where it lies.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Where the settings lie that an administrator set for the whole machine.
/// <https://docs.claude.com/en/docs/claude-code/settings>
#[must_use]
pub fn managed() -> &'static Path {
    Path::new(if cfg!(target_os = "macos") {
        "/Library/Application Support/ClaudeCode/managed-settings.json"
    } else if cfg!(windows) {
        r"C:\Program Files\ClaudeCode\managed-settings.json"
    } else {
        "/etc/claude-code/managed-settings.json"
    })
}

impl Source {
    /// What Claude Code would read, or the place and reason of what it stumbles over.
    pub fn read(&self) -> Result<Value, settings::Fault> {
        let (_, text) = settings::decode(&self.bytes)?;
        if settings::is_blank(text) {
            return Ok(Value::Null);
        }
        Shape::parse(text)?;
        serde_json::from_str(text).map_err(|error| settings::Fault {
            line: error.line(),
            column: error.column(),
            reason: error.to_string(),
        })
    }
}

/// Why no hook of ours would run, if so: the first file that decides it, and its words.
#[must_use]
pub fn inert(sources: &[Source]) -> Option<(&Source, &'static str)> {
    for source in sources {
        let Ok(json) = source.read() else { continue };
        if source.name == "managed" && json["allowManagedHooksOnly"] == true {
            return Some((source, "allowManagedHooksOnly is true: no other hook runs"));
        }
        match json["disableAllHooks"].as_bool() {
            Some(true) => return Some((source, "disableAllHooks is true: no hook runs")),
            Some(false) => return None,
            None => {}
        }
    }
    None
}

/// The enabled plugin of ours, if there is one: what counts is the first file that names it.
#[must_use]
pub fn plugin(sources: &[Source]) -> Option<String> {
    let mut decided = Vec::new();
    for source in sources {
        let Ok(json) = source.read() else { continue };
        let plugins = json["enabledPlugins"].as_object();
        for (name, enabled) in plugins.into_iter().flatten() {
            let ours = name.split('@').next() == Some(env!("CARGO_PKG_NAME"));
            if ours && !decided.contains(name) {
                if *enabled == true {
                    return Some(name.clone());
                }
                decided.push(name.clone());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(texts: &[(&'static str, &str)]) -> Vec<Source> {
        let source = |(name, text): &(&'static str, &str)| Source {
            name,
            path: PathBuf::new(),
            bytes: text.as_bytes().to_vec(),
        };
        texts.iter().map(source).collect()
    }

    #[test]
    fn the_first_file_that_says_it_counts() {
        let (on, off) = (
            r#"{"disableAllHooks": false}"#,
            r#"{"disableAllHooks": true}"#,
        );
        let broken = r#"{"disableAllHooks": true,}"#;
        for (texts, want) in [
            (vec![("local", "{}"), ("user", off)], Some("user")),
            (vec![("local", on), ("user", off)], None),
            (vec![("local", broken), ("project", off)], Some("project")),
            (vec![("local", broken)], None),
            (
                vec![("managed", r#"{"allowManagedHooksOnly": true}"#)],
                Some("managed"),
            ),
            (vec![("user", r#"{"allowManagedHooksOnly": true}"#)], None),
            (vec![("user", "")], None),
        ] {
            let sources = sources(&texts);
            assert_eq!(
                inert(&sources).map(|(source, _)| source.name),
                want,
                "{texts:?}"
            );
        }
    }

    #[test]
    fn a_plugin_of_ours_is_known_from_any_market() {
        let enabled = r#"{"enabledPlugins": {"lean-computer-use@any": true, "x@y": true}}"#;
        let disabled = r#"{"enabledPlugins": {"lean-computer-use@any": false}}"#;
        for (texts, want) in [
            (vec![("user", enabled)], true),
            (vec![("local", disabled), ("user", enabled)], false),
            (
                vec![(
                    "user",
                    r#"{"enabledPlugins": {"lean-computer-use-x@y": true}}"#,
                )],
                false,
            ),
        ] {
            assert_eq!(plugin(&sources(&texts)).is_some(), want, "{texts:?}");
        }
    }
}
