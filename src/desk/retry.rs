//! The retry rule inside the desk tools, for agents whose hooks do not see a failure, and for the
//! failing part of a chain. The rule is the guard's own: a desk call is told to it as the events
//! that its hook would see, so that thresholds, classes, families and resets are the same ones.
//! Words and earlier records in, a yes or no and new records out. Pure.
//!
//! The count is the whole session's: any desk action of it that changes something starts it anew.

use serde::Deserialize;
use serde_json::json;

use crate::hook::event::{Call, Failure, What};
use crate::hook::record::{Kind, Record};
use crate::hook::retry_guard::{Known, judge};
use crate::hook::{Event, Verdict};

/// How a call ended, as far as the count is concerned.
#[derive(Clone, Copy)]
pub enum Ended<'a> {
    /// With this exit code and first line.
    Failed(u8, &'a str),
    /// Well, and nothing was changed.
    Looked,
    /// Well, and something may have changed.
    Changed,
}

/// Whether these words may not be tried again, and what is to be recorded then.
#[must_use]
pub fn refused(words: &[String], known: Known<'_>) -> Option<Vec<Record>> {
    match judge(&event(What::Before(call(words))), known) {
        (Verdict::Deny(_), records) => Some(records),
        _ => None,
    }
}

/// What is to be recorded of a call that ended.
#[must_use]
pub fn ended(words: &[String], ended: Ended, known: Known<'_>) -> Vec<Record> {
    let call = call(words);
    let what = match ended {
        Ended::Failed(code, line) => What::Failed(
            call,
            Failure {
                error: format!("Exit code {code}\n{line}"),
                interrupted: false,
            },
        ),
        Ended::Looked | Ended::Changed => What::Succeeded(call),
    };
    let (_, mut records) = judge(&event(what), known);
    if matches!(ended, Ended::Looked) {
        records.retain(|record| record.e != Kind::Changed);
    }
    records
}

/// As the agent's shell would have run it. Each word is quoted, so that none is taken for more.
fn call(words: &[String]) -> Call {
    let quoted = words.iter().skip(1);
    let quoted = quoted.map(|word| format!(" '{}'", word.replace('\'', "'\\''")));
    let name = words.first().map(String::as_str).unwrap_or_default();
    let line = format!("lean-computer-use {name}{}", quoted.collect::<String>());
    Call {
        tool: "Bash".to_owned(),
        input: json!({ "command": line }),
        id: None,
    }
}

fn event(what: What) -> Event {
    Event {
        session: String::new(),
        agent: None,
        agent_type: None,
        cwd: "/".to_owned(),
        prompt: None,
        transcript: None,
        what,
    }
}

/// When the user sent the last prompt, by a log of the guard: milliseconds since 1970.
#[must_use]
pub fn last_prompt(log: &[u8]) -> Option<i64> {
    #[derive(Deserialize)]
    struct Line {
        t: i64,
        e: String,
    }
    let lines = log.split(|byte| *byte == b'\n').rev();
    let mut lines = lines.filter_map(|line| serde_json::from_slice::<Line>(line).ok());
    lines.find(|line| line.e == "u").map(|line| line.t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::history::DESK_MEMORY_MS;
    use crate::hook::key::Secret;
    use crate::hook::limits::Limits;
    use crate::hook::record::{Log, Logs};

    const NO: &str = "desk-run: step 1: not_found";

    /// One session's count.
    #[derive(Default)]
    struct Count(Logs);

    impl Count {
        fn known(&self, now: i64) -> Known<'_> {
            Known {
                logs: &self.0,
                secret: &Secret([7; 32]),
                limits: Limits::default(),
                now,
            }
        }

        fn note(&mut self, records: &[Record]) {
            let Log { bytes, .. } = &mut self.0.session;
            for record in records {
                bytes.extend(serde_json::to_vec(record).unwrap());
                bytes.push(b'\n');
            }
        }

        fn ends(&mut self, what: &str, how: Ended, now: i64) {
            let records = ended(&words(what), how, self.known(now));
            self.note(&records);
        }

        fn refuses(&self, what: &str, now: i64) -> bool {
            refused(&words(what), self.known(now)).is_some()
        }
    }

    fn words(step: &str) -> Vec<String> {
        ["desk-run", "it's an app", "false []", step]
            .map(str::to_owned)
            .into()
    }

    fn failed_twice() -> Count {
        let mut count = Count::default();
        count.ends("click A", Ended::Failed(1, NO), 1000);
        assert!(!count.refuses("click A", 1500));
        count.ends("click A", Ended::Failed(1, NO), 2000);
        count
    }

    #[test]
    fn twice_the_same_and_no_third_time() {
        let count = failed_twice();
        assert!(count.refuses("click A", 3000));
        assert!(!count.refuses("click B", 3000));
        // No probe, as for the guard's own desk commands; only time.
        assert!(count.refuses("click A", 1000 + DESK_MEMORY_MS));
        assert!(!count.refuses("click A", 1001 + DESK_MEMORY_MS));
    }

    #[test]
    fn what_starts_the_count_anew() {
        for (step, how, still) in [
            ("click A", Ended::Looked, false),
            ("read B", Ended::Looked, true),
            // Of any app: the count is the session's.
            ("click B", Ended::Changed, false),
            ("click B", Ended::Failed(1, NO), true),
            (
                "click A",
                Ended::Failed(1, "desk-run: step 1: mismatch"),
                false,
            ),
            ("click A", Ended::Failed(4, NO), false),
        ] {
            let mut count = failed_twice();
            count.ends(step, how, 3000);
            assert_eq!(count.refuses("click A", 4000), still, "{step}");
        }
        let mut count = failed_twice();
        count.note(&[Record::new(3000, Kind::Prompt)]);
        assert!(!count.refuses("click A", 4000));
    }

    #[test]
    fn classes_and_families_are_the_guards() {
        // What passes by itself has more tries.
        let mut count = Count::default();
        for at in 1..=4 {
            assert!(!count.refuses("click A", at), "{at}");
            count.ends("click A", Ended::Failed(2, "desk-run: timed out"), at);
        }
        assert!(count.refuses("click A", 5));
        // One action with a fresh token each time.
        let click = |n: i64| {
            let token = format!(r#"{{"element_token":"s{n:08x}:7"}}"#);
            ["desk", "app", "click", &token].map(str::to_owned)
        };
        let mut count = Count::default();
        for n in 1..=5 {
            assert!(refused(&click(n), count.known(n)).is_none(), "{n}");
            let failed = Ended::Failed(1, "desk: refused x");
            let records = ended(&click(n), failed, count.known(n));
            count.note(&records);
        }
        assert!(refused(&click(6), count.known(6)).is_some());
    }

    #[test]
    fn the_last_prompt_of_a_log() {
        let log = b"{\"v\":1,\"t\":5,\"e\":\"u\"}\n{\"v\":1,\"t\":9,\"e\":\"f\"}\n{\"v\":1,\"t\":7,\"e\":\"u\"}\n{\"v\":1,\"t\":";
        assert_eq!(last_prompt(log), Some(7));
        assert_eq!(last_prompt(b""), None);
    }
}
