//! What may be set: how often each class of failures is let pass, and what is guarded. Pure: it
//! takes the text of a project's `config.toml`. Says nothing of where that file lies.

use serde::Deserialize;

use super::record::Class;

/// What holds unless it is set.
const DEFAULT: Limits = Limits {
    scope: Scope::All,
    plain: 2,
    silent: 4,
    transient: 4,
    poll: 6,
    ceiling: 6,
};

/// No setting may be higher: a guard that lets more pass is better turned off.
const HIGHEST: usize = 1000;

/// How often what is let pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// What is guarded.
    pub scope: Scope,
    /// Identical failures of each class.
    plain: usize,
    silent: usize,
    transient: usize,
    poll: usize,
    /// Failures of one call with any errors; then no more probes are let pass either.
    pub ceiling: usize,
}

/// What is guarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// All tools that the hook is registered for.
    All,
    /// Desk commands only.
    Desk,
    /// Nothing.
    Off,
}

impl Default for Limits {
    fn default() -> Self {
        DEFAULT
    }
}

impl Limits {
    /// The limits in the text of a `config.toml`. An error says what is wrong with the text, in
    /// one line; the defaults hold then.
    pub fn parse(config: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Config {
            #[serde(default)]
            guard: Limits,
        }
        let config: Config = toml::from_str(config).map_err(|error| {
            let message = error
                .message()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned();
            match error.span() {
                Some(span) => {
                    let before = config.get(..span.start).unwrap_or_default();
                    format!("line {}: {message}", before.matches('\n').count() + 1)
                }
                None => message,
            }
        })?;
        let limits = config.guard;
        let all = [
            limits.plain,
            limits.silent,
            limits.transient,
            limits.poll,
            limits.ceiling,
        ];
        if all.iter().all(|limit| (1..=HIGHEST).contains(limit)) {
            return Ok(limits);
        }
        Err(format!("guard: a limit is a number from 1 to {HIGHEST}"))
    }

    /// The same with the scope that the user's environment names, which wins. What it does not
    /// know is passed over.
    #[must_use]
    pub fn with_scope(self, name: Option<&str>) -> Self {
        let scope = match name {
            Some("all") => Scope::All,
            Some("desk") => Scope::Desk,
            Some("off") => Scope::Off,
            _ => self.scope,
        };
        Self { scope, ..self }
    }

    /// So many identical failures are let pass.
    #[must_use]
    pub fn of(&self, class: Class) -> usize {
        match class {
            Class::Plain => self.plain,
            Class::Silent => self.silent,
            Class::Transient => self.transient,
            Class::Poll => self.poll,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_config_changes_what_it_names() {
        for (config, want) in [
            ("", DEFAULT),
            ("[other]\nx = 1", DEFAULT),
            (
                "[guard]\nplain = 3\nscope = \"desk\"",
                Limits {
                    plain: 3,
                    scope: Scope::Desk,
                    ..DEFAULT
                },
            ),
        ] {
            assert_eq!(Limits::parse(config), Ok(want), "{config}");
        }
    }

    #[test]
    fn a_broken_config_is_told_in_one_line() {
        for (config, want) in [
            ("guard = 7", "line 1: invalid type"),
            ("[guard]\nplain = 0", "guard: a limit is a number from 1"),
            ("[guard]\nplain = \"2\"", "line 2: invalid type"),
            ("[guard]\nscope = \"none\"", "line 2: unknown variant"),
            ("[guard]\nplains = 2", "line 2: unknown field"),
            ("\n[guard", "line 2: "),
        ] {
            let error = Limits::parse(config).unwrap_err();
            assert!(error.starts_with(want), "{config}: {error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn the_environment_wins() {
        let scope = |name| DEFAULT.with_scope(name).scope;
        assert_eq!(scope(Some("desk")), Scope::Desk);
        assert_eq!(scope(Some("off")), Scope::Off);
        for unknown in [None, Some(""), Some("OFF")] {
            assert_eq!(scope(unknown), Scope::All);
        }
        let desk = DEFAULT.with_scope(Some("desk"));
        assert_eq!(desk.with_scope(Some("all")).scope, Scope::All);
    }
}
