//! Runs `claude -p` in a test's world: a clean environment, no permission but what the settings
//! say. Goes in: a [`TestContext`], an [`Api`], a prompt. Comes out: the session's
//! stream, its result and its transcripts.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::api::Api;
use super::sse::Usage;
use crate::context::TestContext;

/// A version whose behaviour the tests describe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// 2.1.332.
    New,
    /// 2.1.197.
    Old,
}

/// A session takes seconds; one that takes this long hangs.
const LIMIT: Duration = Duration::from_mins(2);

/// Variables of a desktop, if there is one.
pub type Env = Vec<(OsString, OsString)>;

/// A session that has ended well.
pub struct Session {
    /// The lines of `--output-format stream-json`.
    pub stream: Vec<Value>,
    /// `<home>/.claude/projects`, where all transcripts of this home lie.
    projects: PathBuf,
}

/// Runs one session to its end, in the test's project, with `env` beside the test's own.
#[track_caller]
pub fn run(ctx: &TestContext, env: Env, api: &Api, prompt: &str) -> Session {
    run_version(Version::New, ctx, env, api, &[prompt])
}

/// The same in a version; each prompt is sent when the one before it is answered.
#[track_caller]
pub fn run_version(
    version: Version,
    ctx: &TestContext,
    env: Env,
    api: &Api,
    prompts: &[&str],
) -> Session {
    start(version, version.command(ctx, env), ctx, api, prompts)
}

/// Goes on from a session in a new one, which begins with copies of its lines.
#[track_caller]
pub fn fork(
    version: Version,
    ctx: &TestContext,
    api: &Api,
    session: &Session,
    prompt: &str,
) -> Session {
    let mut command = version.command(ctx, Env::new());
    command.args(["--resume", session.id(), "--fork-session"]);
    start(version, command, ctx, api, &[prompt])
}

#[track_caller]
fn start(
    version: Version,
    mut command: Command,
    ctx: &TestContext,
    api: &Api,
    prompts: &[&str],
) -> Session {
    command
        .args(["-p", "--input-format", "stream-json"])
        .args(["--output-format", "stream-json", "--verbose"])
        // Not the default, so that an effort that an agent's file sets can be told from it.
        .args(["--effort", "high"])
        .env("ANTHROPIC_BASE_URL", api.url())
        .env("ANTHROPIC_API_KEY", "not-a-key");
    let (status, stdout, stderr) = finish(command, prompts);
    let seen = format!("claude: {status}\n--- stdout\n{stdout}\n--- stderr\n{stderr}");
    assert!(status.success(), "{seen}");
    let stream: Vec<Value> = stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}\n{seen}")))
        .collect();
    let session = Session {
        stream,
        projects: ctx.home.join(".claude/projects"),
    };
    let found = &session.init()["claude_code_version"];
    assert_eq!(found, version.number(), "these tests describe it");
    session
}

impl Session {
    /// The line that says what the session starts with.
    pub fn init(&self) -> &Value {
        let mut lines = self.stream.iter();
        lines.find(|line| line["subtype"] == "init").unwrap()
    }

    /// Its id.
    pub fn id(&self) -> &str {
        self.init()["session_id"].as_str().unwrap()
    }

    /// The last result line: its `modelUsage` covers the whole session, subagents included.
    pub fn result(&self) -> &Value {
        let mut lines = self.stream.iter().rev();
        lines.find(|line| line["type"] == "result").unwrap()
    }

    /// What Claude Code itself says the session used, by model. A mark such as `[1m]` behind the
    /// model's name, which transcripts do not carry, is cut.
    pub fn model_usage(&self) -> BTreeMap<String, Usage> {
        let models = self.result()["modelUsage"].as_object().unwrap();
        let bare = |name: &String| name.split('[').next().unwrap().to_owned();
        let mut sums = BTreeMap::<_, Usage>::new();
        for (model, numbers) in models {
            let number = |field: &str| numbers[field].as_u64().unwrap();
            *sums.entry(bare(model)).or_default() += Usage {
                input: number("inputTokens"),
                output: number("outputTokens"),
                cache_write: number("cacheCreationInputTokens"),
                cache_read: number("cacheReadInputTokens"),
            };
        }
        sums
    }

    /// The text of every transcript of this session, its subagents' included; at least one.
    pub fn transcripts(&self) -> Vec<(PathBuf, String)> {
        let id = self.id();
        let found: Vec<_> = walkdir::WalkDir::new(&self.projects)
            .into_iter()
            .map(|entry| entry.unwrap().into_path())
            .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
            .filter(|path| path.to_str().unwrap().contains(id))
            .map(|path| (path.clone(), fs::read_to_string(&path).unwrap()))
            .collect();
        assert!(!found.is_empty(), "no transcript of {id}");
        found
    }
}

impl Version {
    fn number(self) -> &'static str {
        match self {
            Self::New => "2.1.332",
            Self::Old => "2.1.197",
        }
    }

    /// The real Claude Code without words yet, in the test's project, with `env` beside the test's own.
    #[track_caller]
    pub fn command(self, ctx: &TestContext, env: Env) -> Command {
        let mut command = Command::new(self.binary());
        command
            .env_clear()
            .envs(ctx.env())
            .envs(env)
            // Hooks and transcripts of a real session live by the real clock.
            .env_remove("LEAN_COMPUTER_USE_CLOCK_MS")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_ERROR_REPORTING", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .current_dir(&ctx.project);
        command
    }

    /// The real binary. Its absence is a failure, never a skip.
    #[track_caller]
    fn binary(self) -> PathBuf {
        let (name, number) = match self {
            Self::New => ("LCU_TEST_CLAUDE", self.number()),
            Self::Old => ("LCU_TEST_CLAUDE_OLD", self.number()),
        };
        let Some(path) = std::env::var_os(name).map(PathBuf::from) else {
            panic!("{name} is not set: .ci/run installs Claude Code {number} and sets it");
        };
        assert!(
            path.is_file(),
            "{name} names no file: {}: run .ci/run again",
            path.display()
        );
        path
    }
}

/// Sends the prompts, waits for the process, at most [`LIMIT`], and ends it with its children.
#[track_caller]
fn finish(mut command: Command, prompts: &[&str]) -> (ExitStatus, String, String) {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    let mut child = command.spawn().unwrap();
    let prompts = prompts.iter().map(|prompt| user(prompt)).collect();
    let stdin = child.stdin.take().unwrap();
    let stdout = talk(stdin, child.stdout.take().unwrap(), prompts);
    let stderr = drain(child.stderr.take().unwrap());
    let until = Instant::now() + LIMIT;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > until {
            end(&mut child);
            let (stdout, stderr) = (stdout.join().unwrap(), stderr.join().unwrap());
            panic!("claude did not end within {LIMIT:?}\n{stdout}\n{stderr}");
        }
        thread::sleep(Duration::from_millis(20));
    };
    (status, stdout.join().unwrap(), stderr.join().unwrap())
}

/// A prompt as `--input-format stream-json` takes it.
fn user(prompt: &str) -> String {
    let message = json!({"role": "user", "content": prompt});
    json!({"type": "user", "message": message}).to_string() + "\n"
}

/// Sends a prompt after each result, and closes the pipe after the last.
fn talk(
    stdin: impl Write + Send + 'static,
    stdout: impl Read + Send + 'static,
    prompts: Vec<String>,
) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut prompts = prompts.into_iter();
        let mut stdin = Some(stdin);
        let mut next = || match prompts.next() {
            Some(prompt) => drop(stdin.as_mut().unwrap().write_all(prompt.as_bytes())),
            None => stdin = None,
        };
        next();
        let mut text = String::new();
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let value: Value = serde_json::from_str(&line).unwrap_or_default();
            text.push_str(&line);
            text.push('\n');
            if value["type"] == "result" {
                next();
            }
        }
        text
    })
}

/// Ends the process group that the child leads, by its id.
fn end(child: &mut Child) {
    let line = format!("kill -KILL -- -{}", child.id());
    let _ = Command::new("/bin/sh").args(["-c", &line]).status();
    let _ = child.wait();
}

fn drain(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
