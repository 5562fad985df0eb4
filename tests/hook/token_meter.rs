//! `hook token-meter` on recorded sessions: rows add up to what `meter` says, whatever the order of
//! the events.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{answer, event, files, state};
use crate::context::{TestContext, listing};
use crate::meter::cases;
use crate::observe::Run;

/// A recorded session whose files appear in the home folder bit by bit.
struct Recorded {
    ctx: TestContext,
    version: &'static str,
    source: PathBuf,
    session: String,
    agent: String,
}

impl Recorded {
    fn new(version: &'static str) -> Self {
        let source = cases().join(format!("recorded-{version}/projects/-home-dev-project"));
        let stem = |folder: &Path| {
            let mut names = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
            let file = names.find(|path| path.extension().is_some_and(|e| e == "jsonl"));
            file.unwrap()
                .file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        };
        let session = stem(&source);
        let agent = stem(&source.join(&session).join("subagents"));
        Self {
            ctx: TestContext::new(),
            version,
            source,
            agent: agent.strip_prefix("agent-").unwrap().to_owned(),
            session,
        }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.ctx
            .home
            .join(".claude/projects/-home-dev-project")
            .join(name)
    }

    /// Writes the first `lines` lines of a file.
    fn appears(&self, name: &str, lines: usize) {
        let text = fs::read_to_string(self.source.join(name)).unwrap();
        let part: String = text.split_inclusive('\n').take(lines).collect();
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, part).unwrap();
    }

    fn main_appears(&self, lines: usize) {
        self.appears(&format!("{}.jsonl", self.session), lines);
    }

    fn agent_file(&self) -> String {
        format!("{}/subagents/agent-{}.jsonl", self.session, self.agent)
    }

    fn agent_appears(&self) {
        self.appears(&self.agent_file(), usize::MAX);
        self.appears(
            &self.agent_file().replace(".jsonl", ".meta.json"),
            usize::MAX,
        );
    }

    fn hook(&self, name: &str) -> Run {
        let mut changes = json!({
            "session_id": self.session,
            "transcript_path": self.at(&format!("{}.jsonl", self.session)),
        });
        if name == "agent-stopped" {
            changes["agent_id"] = json!(self.agent);
            changes["agent_transcript_path"] = json!(self.at(&self.agent_file()));
        }
        let event = event(self.version, name, &changes);
        let run = self.ctx.run(&["hook", "token-meter"]);
        run.stdin(event.to_string())
    }

    fn rows(&self) -> Vec<Value> {
        let text = fs::read_to_string(state(&self.ctx).join("usage.jsonl")).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The rows' sum and what `meter` says, both by model.
    #[track_caller]
    fn adds_up(&self) {
        let mut sum: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
        for row in self.rows() {
            for (model, counts) in row["models"].as_object().unwrap() {
                for (name, count) in counts.as_object().unwrap() {
                    *sum.entry(model.clone())
                        .or_default()
                        .entry(name.clone())
                        .or_default() += count.as_u64().unwrap();
                }
            }
        }
        let report = self
            .ctx
            .run(&["meter", "--by", "model", "--json"])
            .observe()
            .expect(0)
            .json();
        let rows = report["rows"].as_array().unwrap().iter();
        let want: BTreeMap<_, _> = rows
            .map(|row| {
                let count = |name: &str| row[name].as_u64().unwrap();
                let counts = BTreeMap::from([
                    ("requests".to_owned(), count("messages")),
                    ("input".to_owned(), count("input")),
                    ("output".to_owned(), count("output")),
                    ("cache_write".to_owned(), count("cache_write")),
                    ("cache_read".to_owned(), count("cache_read")),
                ]);
                (row["key"]["model"].as_str().unwrap().to_owned(), counts)
            })
            .collect();
        assert_eq!(sum, want);
    }
}

/// What is told of the recorded desk-runner; its models differ.
fn line(version: &str) -> Value {
    let cost = if version == "2.1.197" {
        "$0.0011"
    } else {
        "$0.0001"
    };
    let used = "desk-runner: 3 requests, 3,324 in (3,000 cached), 63 out";
    json!({"systemMessage": format!("{used}, {cost}")})
}

#[test]
fn each_agent_gets_a_row_once() {
    for version in super::VERSIONS {
        let world = Recorded::new(version);
        world.main_appears(usize::MAX);
        world.agent_appears();
        let said = answer(world.hook("agent-stopped"));
        assert_eq!(said, line(version));
        let rows = world.rows();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0]["agent"], Value::Null);
        assert_eq!(rows[0]["type"], Value::Null);
        assert_eq!(rows[1]["agent"], json!(world.agent));
        assert_eq!(rows[1]["type"], "desk-runner");
        assert_eq!(rows[1]["schema"], 1);
        assert_eq!(rows[1]["session"], json!(world.session));
        assert_eq!(rows[1]["at"], "2026-11-30T12:00:00Z");
        assert_eq!(rows[1]["tool_calls"], 3);
        world.adds_up();
        for name in ["stopped", "session-ended"] {
            assert_eq!(answer(world.hook(name)), Value::Null);
        }
        assert_eq!(world.rows(), rows, "nothing new, no row");
        #[cfg(unix)]
        // The lock of the ledger is empty, in a private folder.
        let mut names = super::without_hex(&listing(&state(&world.ctx)));
        names = names.replace("0644 meter/#/lock", "0600 meter/#/lock");
        assert_eq!(
            names,
            "0700 meter/\n0700 meter/#/\n0600 meter/#/#\n0600 meter/#/copies\n0600 meter/#/ledger\n\
             0600 meter/#/lock\n\
             0600 usage.jsonl\n"
        );
    }
}

#[test]
fn a_row_says_what_its_tokens_cost() {
    let world = Recorded::new("2.1.332");
    world.main_appears(30);
    answer(world.hook("stopped"));
    world.main_appears(usize::MAX);
    world.agent_appears();
    answer(world.hook("stopped"));
    let costs = world.rows().into_iter().map(|row| row["cost_usd"].as_f64());
    let sum: f64 = costs.map(Option::unwrap).sum();
    let report = world.ctx.run(&["meter", "--json"]).observe().expect(0);
    let want = report.json()["total"]["cost_usd"].as_f64().unwrap();
    assert!(want > 0.0 && (sum - want).abs() < 1e-9, "{sum} {want}");
}

#[test]
fn what_is_told_is_told_once_however_often_the_hook_is_registered() {
    let world = Recorded::new("2.1.332");
    world.main_appears(usize::MAX);
    world.agent_appears();
    let both = || [0; 2].map(|_| answer(world.hook("agent-stopped")));
    assert_eq!(both(), [line("2.1.332"), Value::Null]);
    assert_eq!(world.rows().len(), 2);
}

#[test]
fn the_budget_is_warned_of_once_when_it_is_crossed() {
    let world = Recorded::new("2.1.332");
    world.main_appears(30);
    let stop = |name: &str, budget: &str| {
        let run = world.hook(name);
        answer(run.env("LEAN_COMPUTER_USE_TOKEN_BUDGET", budget))
    };
    let used: u64 = {
        answer(world.hook("stopped"));
        let rows = world.rows();
        let models = rows[0]["models"].as_object().unwrap().values();
        let tokens = ["input", "output", "cache_write", "cache_read"];
        let counts = models.flat_map(|model| tokens.map(|kind| model[kind].as_u64().unwrap()));
        counts.sum()
    };
    for unset in ["", "many", "-1"] {
        assert_eq!(stop("stopped", unset), Value::Null, "{unset}");
    }
    assert_eq!(stop("stopped", &used.to_string()), Value::Null);
    let budget = (used - 1).to_string();
    let warned = stop("stopped", &budget);
    let text = warned["systemMessage"].as_str().unwrap();
    assert!(
        text.starts_with("token budget: this session used "),
        "{text}"
    );
    assert_eq!(stop("stopped", &budget), Value::Null, "once");
    world.agent_appears();
    let said = stop("agent-stopped", &budget);
    assert_eq!(said, line("2.1.332"), "not even later");
}

/// As `claude --resume ID --fork-session` does: the old lines, named anew.
#[test]
fn a_forked_session_does_not_count_the_messages_that_it_copied() {
    for version in super::VERSIONS {
        let mut world = Recorded::new(version);
        world.main_appears(30);
        answer(world.hook("stopped"));
        world.adds_up();
        let original = world.session.clone();
        let name = format!("{original}.jsonl");
        let fork = "f0f0f0f0-0000-4000-8000-000000000001";
        let written = fs::read_to_string(world.at(&name)).unwrap();
        let copied = written.replace(&original, fork);
        let last = written.lines().rfind(|line| line.contains(r#""usage""#));
        let new = |id: &str, session: &str| {
            let mut line: Value = serde_json::from_str(last.unwrap()).unwrap();
            line["message"]["id"] = json!(id);
            line["uuid"] = json!(id);
            line["sessionId"] = json!(session);
            format!("{line}\n")
        };
        let file = world.at(&format!("{fork}.jsonl"));
        fork.clone_into(&mut world.session);
        // 2.1.197 sends an event before any message is in the file.
        fs::write(&file, "{\"type\":\"queue-operation\"}\n").unwrap();
        answer(world.hook("stopped"));
        fs::write(&file, format!("{copied}{}", new("msg_fork", fork))).unwrap();
        answer(world.hook("stopped"));
        assert_eq!(world.rows().len(), 2, "one row for each session");
        world.adds_up();
        // Both go on; the original keeps what it had counted.
        fs::write(
            world.at(&name),
            format!("{written}{}", new("msg_more", &original)),
        )
        .unwrap();
        world.session.clone_from(&original);
        answer(world.hook("stopped"));
        world.adds_up();
        let more = format!(
            "{copied}{}{}",
            new("msg_fork", fork),
            new("msg_fork_2", fork)
        );
        fs::write(&file, more).unwrap();
        fork.clone_into(&mut world.session);
        answer(world.hook("session-ended"));
        world.adds_up();
    }
}

#[test]
fn a_subagent_that_stops_after_the_main_thread_adds_the_rest() {
    let world = Recorded::new("2.1.332");
    world.main_appears(30);
    assert_eq!(answer(world.hook("stopped")), Value::Null);
    world.adds_up();
    world.main_appears(usize::MAX);
    world.agent_appears();
    assert_eq!(answer(world.hook("stopped")), Value::Null);
    world.adds_up();
    let rows = world.rows();
    assert_eq!(rows.len(), 3);
    // All its requests are told, also those that an earlier event had read.
    assert_eq!(answer(world.hook("agent-stopped")), line("2.1.332"));
    assert_eq!(world.rows(), rows);
}

#[test]
fn hooks_that_run_at_once_count_once() {
    let world = Recorded::new("2.1.332");
    world.main_appears(usize::MAX);
    world.agent_appears();
    let started: Vec<_> = (0..8).map(|_| world.hook("stopped").start()).collect();
    for run in started {
        run.observe().expect(0);
    }
    assert_eq!(world.rows().len(), 2);
    world.adds_up();
}

#[test]
fn a_broken_row_hides_no_other() {
    let world = Recorded::new("2.1.332");
    world.main_appears(usize::MAX);
    answer(world.hook("stopped"));
    let path = state(&world.ctx).join("usage.jsonl");
    let mut rows = fs::read_to_string(&path).unwrap();
    rows += &json!({"session": world.session})
        .to_string()
        .replace('}', ",");
    fs::write(&path, &rows).unwrap();
    world.agent_appears();
    answer(world.hook("stopped"));
    let text = fs::read_to_string(&path).unwrap();
    let row: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(row["agent"], json!(world.agent));
    assert_eq!(text.lines().count(), 3);
}

#[test]
fn transcripts_that_do_not_exist_mean_silence() {
    let ctx = TestContext::new();
    for version in super::VERSIONS {
        for name in [
            "compaction-stopped",
            "agent-stopped",
            "stopped",
            "session-ended",
            "prompt",
        ] {
            let event = event(version, name, &json!({}));
            let run = ctx.run(&["hook", "token-meter"]);
            assert_eq!(answer(run.stdin(event.to_string())), Value::Null, "{name}");
        }
    }
    assert_eq!(files(&ctx.home), Vec::<PathBuf>::new());
}
