//! Simulated apps that end badly on purpose, each in one way, so that every exit code can be seen
//! without a desktop. The app's name says how: `simulated-exit-75`, `simulated-refusal`,
//! `simulated-hang`, `simulated-silent`, `simulated-deaf`, `simulated-cut`.

use std::time::Duration;

use crate::desk::driver::{Answer, End};

/// How calls for an app end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The driver ends with this status and says nothing.
    Exit(u8),
    /// The driver says no.
    Refusal,
    /// The driver does not answer in time.
    Hang,
    /// The driver answers what reads, and never what acts.
    Silent,
    /// The app does nothing when it is clicked, and the driver sees it.
    Deaf,
    /// The app drops the last character of a text, and the driver says that all is well.
    Cut,
}

impl Ending {
    /// What the app's name asks for.
    #[must_use]
    pub fn of(app: &str) -> Option<Self> {
        match app.strip_prefix("simulated-")? {
            "refusal" => Some(Self::Refusal),
            "hang" => Some(Self::Hang),
            "silent" => Some(Self::Silent),
            "deaf" => Some(Self::Deaf),
            "cut" => Some(Self::Cut),
            word => word.strip_prefix("exit-")?.parse().ok().map(Self::Exit),
        }
    }

    /// The answer to this tool; none where the calculator answers. Takes the whole limit where no
    /// answer comes.
    #[must_use]
    pub fn answer(self, tool: &str, limit: Duration) -> Option<Answer> {
        let reads = tool.starts_with("list_") || tool.starts_with("get_");
        let (end, stdout) = match self {
            Self::Exit(status) => (End::Exited(status.into()), ""),
            Self::Refusal => (
                End::Exited(1),
                r#"{"refusal":{"code":"refused_on_purpose","message":"on purpose"},"status":"refused"}"#,
            ),
            Self::Deaf | Self::Cut => return None,
            Self::Silent if reads => return None,
            Self::Hang | Self::Silent => {
                std::thread::sleep(limit);
                (End::TimedOut, "")
            }
        };
        let stdout = stdout.into();
        let stderr = Vec::new();
        Some(Answer {
            end,
            stdout,
            stderr,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_how_it_ends() {
        for (app, want) in [
            ("simulated-exit-75", Some(Ending::Exit(75))),
            ("simulated-exit-256", None),
            ("simulated-refusal", Some(Ending::Refusal)),
            ("simulated-hang", Some(Ending::Hang)),
            ("simulated-silent", Some(Ending::Silent)),
            ("simulated-deaf", Some(Ending::Deaf)),
            ("simulated-cut", Some(Ending::Cut)),
            ("simulated-calculator", None),
            ("exit-75", None),
        ] {
            assert_eq!(Ending::of(app), want, "{app}");
        }
    }

    #[test]
    fn only_what_acts_stays_silent() {
        let none = Duration::ZERO;
        assert!(Ending::Silent.answer("list_apps", none).is_none());
        assert!(Ending::Silent.answer("get_window_state", none).is_none());
        let answer = Ending::Silent.answer("click", none).unwrap();
        assert_eq!(answer.end, End::TimedOut);
    }
}
