//! Tokens that a desk task returns into a model's context: `desk-run` beside the driver's own ways,
//! on one desktop, judged by something else than either.
//!
//! `read`: one read without a picture, actions by token, one read of what changed. `run_steps`: the
//! driver's cheapest, one call by names with a check and what changed. `desk-run`: a packet.
//! Tokens are o200k (`bpe-openai`): a ratio, not a bill.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::desk_cost;
use crate::desktop::{Desktop, until};

/// What one way of doing a task returned.
struct Returned {
    text: String,
    calls: usize,
    took: Duration,
}

struct Task {
    name: &'static str,
    app: &'static [&'static str],
    steps: &'static str,
    /// For `run_steps`.
    batch: fn() -> Value,
    /// Tool, role, name (or the place among equal ones), text.
    acts: &'static [Act],
    check: fn(&Desktop, Child) -> Result<bool>,
}

const TASKS: &[Task] = &[
    Task {
        name: "T1 7×8=",
        app: &["mate-calc"],
        steps: "click clear\nclick 7\nclick multiply\nclick 8\nclick result\nexpect \"edit bar\": = 56\n",
        batch: || {
            let click = |name: &str| json!({"click": {"role": "button", "name": name}});
            let last =
                json!({"click": {"role": "button", "name": "result"}, "expect": [{"text": "56"}]});
            json!([
                click("clear"),
                click("7"),
                click("multiply"),
                click("8"),
                last
            ])
        },
        acts: &[
            ("click", "push button", "clear", ""),
            ("click", "push button", "7", ""),
            ("click", "push button", "multiply", ""),
            ("click", "push button", "8", ""),
            ("click", "push button", "result", ""),
        ],
        check: |desktop, mut app| {
            let said = judge(desktop, "mate-calc", "edit bar");
            app.kill()?;
            app.wait()?;
            Ok(said.trim() == "[\"56\"]")
        },
    },
    Task {
        name: "T3 replace and save",
        app: &["mousepad", "note.txt"],
        steps: "set text: = \"  one \\n two  \\n\"\nclick Save\n",
        batch: || {
            json!([
                {"set_value": {"role": "text", "value": "  one \n two  \n"}},
                {"click": {"role": "button", "name": "Save"}},
            ])
        },
        acts: &[
            ("set_value", "text", "", "  one \n two  \n"),
            ("click", "push button", "Save", ""),
        ],
        check: |desktop, mut app| {
            let note = desktop.folder().join("note.txt");
            let saved = until("the file", || {
                fs::read(&note).is_ok_and(|it| it == b"  one \n two  \n")
            });
            app.kill()?;
            app.wait()?;
            Ok(saved.is_ok())
        },
    },
    Task {
        name: "T5 a form",
        app: &[
            "zenity",
            "--forms",
            "--add-entry=Name",
            "--add-entry=Email",
            "--add-password=Password",
        ],
        // The driver names the fields wrongly, and counts the password as a text too. All ways know
        // the fields from a first read.
        steps: "set #c3 = \"  Ada \"\nset #c2 = ada@example.com\nclick OK\n",
        batch: || {
            json!([
                {"type_text": {"role": "text", "nth": 2, "text": "  Ada "}},
                {"type_text": {"role": "text", "nth": 1, "text": "ada@example.com"}},
                {"click": {"role": "button", "name": "OK"}},
            ])
        },
        acts: &[
            ("type_text", "text", "1", "  Ada "),
            ("type_text", "text", "0", "ada@example.com"),
            ("click", "push button", "OK", ""),
        ],
        check: |_, app| {
            let said = app.wait_with_output()?;
            Ok(said.stdout == b"  Ada |ada@example.com|\n")
        },
    },
];

/// Runs every task in every way and prints the table.
pub fn run(driver: PathBuf, tool: &Path, folder: &Path, rounds: usize) -> Result<()> {
    let desktop = Desktop::start(driver)?;
    fs::create_dir_all(folder)?;
    let folder = &folder.canonicalize()?;
    let tool = &tool.canonicalize()?;
    desk_cost::run(&desktop, tool, folder, rounds)?;
    let ways: [(&str, Way); 3] = [
        ("read", by_read),
        ("run_steps", by_batch),
        ("desk-run", by_desk),
    ];
    let mut table = String::from("task                 way        calls  tokens      ms\n");
    let mut rows = String::new();
    for task in TASKS {
        let mut cheapest = usize::MAX;
        for (name, way) in ways {
            let app = open(&desktop, task)?;
            let done = way(&desktop, task, tool)?;
            let right = (task.check)(&desktop, app)?;
            ensure!(
                right,
                "{} by {name}: the judge says no: {}",
                task.name,
                done.text
            );
            let tokens = bpe_openai::o200k_base().count(&done.text);
            let ms = done.took.as_millis();
            writeln!(
                table,
                "{:<20} {name:<10} {:>5} {tokens:>7} {ms:>7}",
                task.name, done.calls
            )?;
            writeln!(
                rows,
                "{}",
                json!({"task": task.name, "way": name, "calls": done.calls, "tokens": tokens, "ms": ms, "returned": done.text})
            )?;
            match name {
                "desk-run" => ensure!(
                    tokens * 3 <= cheapest,
                    "{}: {tokens} tokens are more than a third of {cheapest}\n{table}",
                    task.name
                ),
                _ => cheapest = cheapest.min(tokens),
            }
        }
    }
    fs::create_dir_all(folder)?;
    fs::write(folder.join("desk.jsonl"), rows)?;
    print!("{table}");
    Ok(())
}

type Way = fn(&Desktop, &Task, &Path) -> Result<Returned>;

fn open(desktop: &Desktop, task: &Task) -> Result<Child> {
    fs::write(desktop.folder().join("note.txt"), "before\n")?;
    let mut app = desktop.command(task.app[0]);
    let app = app.args(&task.app[1..]).stdout(Stdio::piped()).spawn()?;
    let role = if task.app[0] == "zenity" {
        "text"
    } else {
        "push button"
    };
    until("the app", || judge(desktop, task.app[0], role).len() > 4)?;
    thread::sleep(Duration::from_millis(500));
    Ok(app)
}

fn judge(desktop: &Desktop, app: &str, role: &str) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/judge/texts.py");
    desktop.output(&["/usr/bin/python3", &script.display().to_string(), app, role])
}

fn by_desk(desktop: &Desktop, task: &Task, tool: &Path) -> Result<Returned> {
    let tool = tool.display().to_string();
    // A first read, which every way has had: it gives the refs.
    desktop.output(&[&tool, "desk-read", task.app[0], "--full"]);
    let start = Instant::now();
    let mut run = desktop.command(&tool);
    let run = run.args(["desk-run", task.app[0]]).stdin(Stdio::piped());
    let mut run = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    run.stdin
        .take()
        .context("a piped stdin is there")?
        .write_all(task.steps.as_bytes())?;
    let output = run.wait_with_output()?;
    let text = [output.stdout, output.stderr].concat();
    let took = start.elapsed();
    desktop.output(&[&tool, "desk-clean", task.app[0]]);
    Ok(Returned {
        text: String::from_utf8_lossy(&text).into_owned(),
        calls: 1,
        took,
    })
}

/// The window that both driver ways are given for nothing.
fn window(desktop: &Desktop, task: &Task) -> Result<(Value, Value)> {
    let listed: Value = serde_json::from_str(&call(desktop, "list_windows", &json!({}))?)?;
    let windows = listed["windows"].as_array().context("windows are listed")?;
    let of_app = |window: &&Value| {
        let name = window["app_name"].as_str().unwrap_or_default();
        name.eq_ignore_ascii_case(task.app[0])
    };
    let window = windows
        .iter()
        .find(of_app)
        .context("the app has a window")?;
    Ok((window["pid"].clone(), window["window_id"].clone()))
}

fn by_batch(desktop: &Desktop, task: &Task, _: &Path) -> Result<Returned> {
    let (pid, id) = window(desktop, task)?;
    let session = format!("b{pid}");
    // The read before, so that what changed is what is returned.
    call(
        desktop,
        "get_window_state",
        &json!({"pid": pid, "window_id": id, "session": session, "include_screenshot": false}),
    )?;
    let start = Instant::now();
    let arguments = json!({"pid": pid, "window_id": id, "session": session, "steps": (task.batch)(), "observe": {}});
    let text = call(desktop, "run_steps", &arguments)?;
    Ok(Returned {
        text,
        calls: 1,
        took: start.elapsed(),
    })
}

fn by_read(desktop: &Desktop, task: &Task, _: &Path) -> Result<Returned> {
    let (pid, id) = window(desktop, task)?;
    let session = format!("r{pid}");
    let start = Instant::now();
    let own = json!({"pid": pid, "window_id": id, "session": session});
    let with = |more: Value| {
        let mut all = own.clone();
        if let (Some(all), Value::Object(more)) = (all.as_object_mut(), more) {
            all.extend(more);
        }
        all
    };
    let all = json!({"include_screenshot": false, "tree_format": "elements"});
    let mut text = call(desktop, "get_window_state", &with(all.clone()))?;
    let mut read: Value = serde_json::from_str(&text)?;
    let mut reads = 2;
    for act in task.acts {
        let mut token = token(&read, act);
        // What an action enabled is seen in another read.
        if token.is_none() {
            let again = call(desktop, "get_window_state", &with(all.clone()))?;
            read = serde_json::from_str(&again)?;
            text += &again;
            reads += 1;
            token = self::token(&read, act);
        }
        let (tool, role, name, value) = act;
        let token = token.with_context(|| format!("{role} {name} is there"))?;
        let field = if *tool == "type_text" {
            "text"
        } else {
            "value"
        };
        let mut arguments = with(json!({"element_token": token}));
        if *tool != "click" {
            arguments[field] = json!(value);
        }
        text += &call(desktop, tool, &arguments)?;
    }
    let changed = json!({"include_screenshot": false, "since": "latest"});
    text += &call(desktop, "get_window_state", &with(changed))?;
    Ok(Returned {
        text,
        calls: task.acts.len() + reads,
        took: start.elapsed(),
    })
}

type Act = (&'static str, &'static str, &'static str, &'static str);

/// The control of an action, in a read.
fn token(read: &Value, act: &Act) -> Option<Value> {
    let (_, role, name, _) = act;
    let elements = read["elements"].as_array()?;
    let mut of_role = elements.iter().filter(|it| it["role"] == *role);
    let found = match name.parse::<usize>() {
        Ok(place) if *role == "text" => of_role.nth(place),
        _ => of_role.find(|it| name.is_empty() || it["label"] == *name),
    };
    Some(found?["element_token"].clone())
}

/// Everything that a call prints, as an agent's shell would return it.
pub fn call(desktop: &Desktop, tool: &str, arguments: &Value) -> Result<String> {
    let driver = desktop.driver.display().to_string();
    let mut call = desktop.command(&driver);
    let call = call.args(["call", tool]).stdin(Stdio::piped());
    let mut call = call.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut pipe = call.stdin.take().context("a piped stdin is there")?;
    pipe.write_all(arguments.to_string().as_bytes())?;
    drop(pipe);
    let output = call.wait_with_output()?;
    let text = [output.stdout, output.stderr].concat();
    if text.is_empty() {
        bail!("{tool} said nothing");
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}
