use serde_json::json;

use super::*;

const SECRET: Secret = Secret([1; 32]);

/// Plays calls one second apart. Each has the tool, the command and how it ends: an error, `ok`,
/// or `?` for a call that is only asked for. The answers: `.` silent, `n` nudge, `D` deny.
#[derive(Default)]
struct Play {
    logs: Logs,
    now: i64,
    calls: usize,
    limits: Limits,
    said: Option<String>,
}

impl Play {
    fn event(&mut self, what: What) -> char {
        let event = Event {
            session: "s".to_owned(),
            agent: None,
            agent_type: None,
            cwd: "/p".to_owned(),
            prompt: None,
            transcript: None,
            what,
        };
        self.now += 1000;
        let (verdict, new) = judge(
            &event,
            Known {
                logs: &self.logs,
                secret: &SECRET,
                limits: self.limits,
                now: self.now,
            },
        );
        for record in new {
            serde_json::to_writer(&mut self.logs.session.bytes, &record).unwrap();
            self.logs.session.bytes.push(b'\n');
        }
        self.said = verdict.line();
        match verdict {
            Verdict::Silent | Verdict::Say(_) => '.',
            Verdict::Nudge(_) => 'n',
            Verdict::Deny(_) => 'D',
        }
    }

    fn call(&mut self, tool: &str, before: &str, after: &str, end: &str) -> String {
        self.calls += 1;
        let call = |command: &str| Call {
            tool: tool.to_owned(),
            input: json!({"command": command}),
            id: Some(self.calls.to_string()),
        };
        let (before, after) = (call(before), call(after));
        let answer = self.event(What::Before(before));
        let mut answers = String::from(answer);
        if answer == 'D' || end == "?" {
            return answers;
        }
        answers.push(self.event(match end {
            "ok" => What::Succeeded(after),
            error => What::Failed(
                after,
                Failure {
                    error: error.trim_start_matches('!').to_owned(),
                    interrupted: error.starts_with('!'),
                },
            ),
        }));
        answers
    }
}

#[test]
fn the_third_identical_failure_is_refused() {
    for (story, want) in [
        ("make:1 make:1 make:? make:?", ".. .n D D"),
        (
            "make:1 make:2 make:1 make:? make:1 make:?",
            ".. .. .. . .n D",
        ),
        ("make:1 ls:ok make:1 make:?", ".. .. .n D"),
        ("make:1 make:ok make:1 make:?", ".. .. .. ."),
        ("make:1 make:1 other:1 make:?", ".. .n .. D"),
        ("make:!1 make:!1 make:?", ".. .. ."),
        (
            "make:130 make:137 make:143 make:143 make:?",
            ".. .. .. .. .",
        ),
    ] {
        let mut play = Play::default();
        let got: Vec<_> = story
            .split(' ')
            .map(|step| {
                let (command, end) = step.split_once(':').unwrap();
                let end = match end {
                    "ok" | "?" => end.to_owned(),
                    "!1" => "!Exit code 1".to_owned(),
                    code => format!("Exit code {code}\nboom"),
                };
                play.call("Bash", command, command, &end)
            })
            .collect();
        assert_eq!(got.join(" "), want, "{story}");
    }
}

#[test]
fn an_edit_resets_and_a_refused_permission_does_not_count() {
    let mut play = Play::default();
    let fail = "Exit code 1\nboom";
    play.call("Bash", "make", "make", fail);
    play.call("Bash", "make", "make", fail);
    assert_eq!(play.call("Write", "f", "f", "no such folder"), "..");
    assert_eq!(play.call("Bash", "make", "make", "?"), "D");
    assert_eq!(play.call("Write", "f", "f", "ok"), "..");
    assert_eq!(play.call("Bash", "make", "make", "?"), ".");
    for _ in 0..3 {
        let refused = "Permission to use Bash has been denied";
        assert_eq!(play.call("Bash", "rm x", "rm x", refused), "..");
    }
}

#[test]
fn a_rewritten_call_counts_under_what_was_asked() {
    let mut play = Play::default();
    let fail = "Exit code 1\nboom";
    play.call("Bash", "make", "rtk make", fail);
    play.call("Bash", "make", "rtk make", fail);
    assert_eq!(play.call("Bash", "make", "?", "?"), "D");
    assert_eq!(play.call("Bash", "rtk make", "?", "?"), ".");
}

#[test]
fn an_event_that_comes_twice_counts_once() {
    let mut play = Play::default();
    let call = Call {
        tool: "Bash".to_owned(),
        input: json!({"command": "make"}),
        id: Some("1".to_owned()),
    };
    let failure = Failure {
        error: "boom".to_owned(),
        interrupted: false,
    };
    for _ in 0..4 {
        assert_eq!(play.event(What::Before(call.clone())), '.');
        assert_eq!(play.event(What::Failed(call.clone(), failure.clone())), '.');
    }
}

#[test]
fn limits_and_scope_are_what_is_set() {
    let fail = "Exit code 1\nboom";
    let limits = Limits::parse("[guard]\nplain = 3").unwrap();
    let mut play = Play {
        limits,
        ..Play::default()
    };
    let told: Vec<_> = (0..4)
        .map(|_| play.call("Bash", "make", "make", fail))
        .collect();
    assert_eq!(told, ["..", "..", ".n", "D"]);
    for (scope, desk, other) in [("all", "D", "D"), ("desk", "D", ".."), ("off", "..", "..")] {
        let mut play = Play {
            limits: Limits::default().with_scope(Some(scope)),
            ..Play::default()
        };
        for (command, want) in [("desk-run a 'click x'", desk), ("make", other)] {
            play.call("Bash", command, command, fail);
            play.call("Bash", command, command, fail);
            assert_eq!(
                play.call("Bash", command, command, fail),
                want,
                "{scope} {command}"
            );
        }
    }
}

#[test]
fn the_third_refusal_in_a_row_says_to_stop() {
    let mut play = Play::default();
    let fail = "Exit code 1\nboom";
    play.call("Bash", "make", "make", fail);
    play.call("Bash", "make", "make", fail);
    let last = |play: &Play| play.said.clone().unwrap();
    for stop in [false, false, true, true] {
        assert_eq!(play.call("Bash", "make", "make", "?"), "D");
        assert_eq!(last(&play).contains("report this as the result"), stop);
    }
}
