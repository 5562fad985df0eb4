//! Stories of the desk tools on the real thing: the real cua-driver on a private desktop with real
//! apps. `.ci/run` installs the parts; without them these tests fail, they never skip.

use std::process::Stdio;

use lean_computer_use::desk::request::{Kind, TOOLS};

use crate::context::TestContext;
use crate::desktop::{Desktop, processes, until};

const PACKET: &str = "click clear\nclick 1\nclick 2\nclick multiply\nclick 7\nclick result\nexpect \"edit bar\": = \"84\"\n";

fn copies(ctx: &TestContext, name: &str) -> usize {
    let all = processes(ctx);
    all.iter().filter(|(_, comm)| comm == name).count()
}

/// Labels of the sessions that the driver says live.
fn sessions(desktop: &Desktop) -> Vec<String> {
    let said = desktop.ask(&["sessions", "list", "--json"]).unwrap();
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    let rows = said["sessions"].as_array().unwrap();
    let label = |row: &serde_json::Value| row["session"].as_str().unwrap().to_owned();
    rows.iter().map(label).collect()
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn a_packet_on_a_real_calculator_judged_by_another() {
    let ctx = TestContext::new();
    let desktop = Desktop::start(&ctx);
    // Through the installed form of the launcher, as an agent would.
    let ours = ".claude/lean-computer-use";
    let launcher = include_str!("../assets/desk/launcher").replace("__TOOL__", "desk-run");
    ctx.write(&format!("{ours}/desk/desk-run"), launcher);
    let binary = crate::context::binary_path();
    ctx.write(
        &format!("{ours}/local/binary"),
        format!("{}\n", binary.display()),
    );
    let line = format!("sh {ours}/desk/desk-run mate-calc --evidence calc <<'EOF'\n{PACKET}EOF");
    let seen = desktop
        .run(ctx.shell(&line, "desk-run"))
        .observe()
        .expect(0);
    assert_eq!(
        seen.stdout,
        "desk-run: done 7 steps (6 unverified), \"84\", .claude/lean-computer-use/local/evidence/calc.json\n"
    );
    assert_eq!(desktop.judged("mate-calc", "edit bar"), ["84"]);
    let evidence = ctx.read(&format!("{ours}/local/evidence/calc.json"));
    let evidence: serde_json::Value = serde_json::from_str(&evidence).unwrap();
    assert_eq!(evidence["app_name"], "Mate-calc");
    assert!(evidence["elements"].to_string().contains("\"84\""));

    // The running copy is used again, by any of its names.
    let again = [
        "desk-run",
        "MATE Calculator",
        "click clear",
        "click 9",
        "expect 'edit bar': = 9",
    ];
    let again: Vec<_> = again.map(|word| word.replace('\'', "\"")).into();
    let again: Vec<_> = again.iter().map(String::as_str).collect();
    desktop.run(ctx.run(&again)).observe().expect(0);
    assert_eq!(desktop.judged("mate-calc", "edit bar"), ["9"]);
    assert_eq!(copies(&ctx, "mate-calc"), 1);

    // A key cannot reach a window in the background here, and the driver says so.
    let key = ["desk", "mate-calc", "press_key", r#"{"key":"1"}"#];
    let seen = desktop.run(ctx.run(&key)).observe().expect(1);
    assert_eq!(seen.stdout, "desk: refused background_unavailable\n");
    assert_eq!(desktop.judged("mate-calc", "edit bar"), ["9"]);

    // Cleaning up ends the sessions and leaves the app and the evidence.
    assert_eq!(sessions(&desktop).len(), 2);
    for app in ["mate-calc", "MATE Calculator", "mate-calc"] {
        desktop
            .run(ctx.run(&["desk-clean", app]))
            .observe()
            .expect(0);
    }
    assert_eq!(sessions(&desktop), [""; 0]);
    assert_eq!(copies(&ctx, "mate-calc"), 1);
    ctx.read(&format!("{ours}/local/evidence/calc.json"));

    drop(desktop);
    until("the end of every process", || processes(&ctx).is_empty());
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn text_is_set_whole_and_read_back() {
    let ctx = TestContext::new();
    let mut desktop = Desktop::start(&ctx);
    desktop.spawn(&["mousepad"]);
    until("mousepad", || {
        !desktop.judged("mousepad", "text").is_empty()
    });
    let text = "  two blanks, é☕ 日本語 \"quoted\"\nsecond line  ";
    let typed = text.replace('"', "\\\"").replace('\n', "\\n");
    let packet = format!("set text: = \"{typed}\"\nexpect text: ~ \"日本語\"\n");
    let run = desktop.run(ctx.run(&["desk-run", "mousepad"]));
    let seen = run.stdin(packet).observe().expect(0);
    assert!(
        seen.stdout.starts_with("desk-run: done 2 steps, "),
        "{seen}"
    );
    assert!(
        desktop
            .judged("mousepad", "text")
            .contains(&text.to_owned())
    );
    assert_eq!(copies(&ctx, "mousepad"), 1);
    // The driver drops the end of such a text when it types it, and says that all is well.
    let type_text = ["desk", "mousepad", "type_text", r#"{"text":"é☕"}"#];
    desktop.run(ctx.run(&type_text)).observe().expect(2);
    let read = ["desk-read", "mousepad", "--role", "text", "日本"];
    let seen = desktop.run(ctx.run(&read)).observe().expect(0);
    assert!(
        seen.stdout.contains(r#"é☕ 日本語 \"quoted\"\nsecond"#),
        "{seen}"
    );
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn a_password_is_set_and_never_shown() {
    let ctx = TestContext::new();
    let desktop = Desktop::start(&ctx);
    let mut zenity = desktop.command("zenity");
    zenity
        .args(["--password", "--title=Secret"])
        .stdout(Stdio::piped());
    let zenity = zenity
        .spawn()
        .expect("zenity must be installed; .ci/run does it");
    until("zenity", || {
        !desktop.judged("zenity", "password text").is_empty()
    });
    let packet = "set \"password text\": = hunter2\nread \"password text\":";
    let run = desktop.run(ctx.run(&["desk-run", "zenity"]));
    let seen = run.stdin(packet).observe().expect(0);
    assert!(
        seen.stdout
            .starts_with("desk-run: unverified 2 steps (1 unverified), "),
        "{seen}"
    );
    assert!(
        seen.stdout.contains("\"password text\" \"[redacted]\""),
        "{seen}"
    );
    // The driver would send the dialog with a field that it sets again; that is not for `set`.
    let again = ["desk-run", "zenity", "set \"password text\": = x"];
    let refused = desktop.run(ctx.run(&again)).observe().expect(1);
    assert!(
        refused
            .stdout
            .starts_with("desk-run: step 1: refused setting_could_submit\n"),
        "{refused}"
    );
    // Setting the field did not send the dialog; the click does, and closes the window.
    let click = desktop.run(ctx.run(&["desk-run", "zenity", "click OK"]));
    let clicked = click.observe().expect(0);
    assert!(clicked.stdout.contains("unverified 1 step"), "{clicked}");
    let said = zenity.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(said.stdout).unwrap(), "hunter2\n");
    assert!(!format!("{seen}{clicked}").contains("hunter2"));
    let state = ctx.home.join(".local/state");
    for (name, what) in crate::context::tree(&state) {
        assert!(!what.contains("hunter2"), "{name}");
    }
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn unknown_apps_and_a_stopped_driver() {
    let ctx = TestContext::new();
    let desktop = Desktop::start(&ctx);
    let before = processes(&ctx).len();
    let seen = desktop
        .run(ctx.run(&["desk-read", "no-such-app-xyz"]))
        .observe()
        .expect(2);
    assert!(seen.stderr.contains("could not find the app"), "{seen}");
    // An executable that is no app is not started.
    desktop
        .run(ctx.run(&["desk-read", "sleep"]))
        .observe()
        .expect(2);
    assert_eq!(processes(&ctx).len(), before);

    desktop.ask(&["stop"]).unwrap();
    // A session ends with its driver, and cleaning up starts none.
    desktop
        .run(ctx.run(&["desk-clean", "no-such-app-xyz"]))
        .observe()
        .expect(0);
    assert_eq!(desktop.ask(&["status"]), None);
    let calc = [
        "desk-run",
        "mate-calc",
        "click clear",
        "click 7",
        "expect 7",
    ];
    desktop.run(ctx.run(&calc)).observe().expect(2);
    assert_eq!(
        desktop.ask(&["status"]),
        None,
        "a packet with a fault starts nothing"
    );
    let calc = [
        "desk-run",
        "mate-calc",
        "click clear",
        "click 7",
        r#"expect "edit bar": = 7"#,
    ];
    desktop.run(ctx.run(&calc)).observe().expect(0);
    assert!(desktop.ask(&["status"]).is_some());
}

#[test]
#[ignore = "needs a desktop and the cua-driver: .ci/run"]
fn the_list_of_tools_is_the_drivers_own() {
    let ctx = TestContext::new();
    let desktop = Desktop::start(&ctx);
    for tool in TOOLS {
        let said = desktop.ask(&["describe", tool.name]).unwrap();
        let schema = said.split_once("input_schema:").unwrap().1;
        let mut documents = serde_json::Deserializer::from_str(schema).into_iter();
        let schema: serde_json::Value = documents.next().unwrap().unwrap();
        let fields = schema["properties"].as_object().unwrap();
        for field in tool.fields.iter().chain(tool.own) {
            assert!(fields.contains_key(*field), "{} has no {field}", tool.name);
        }
        for field in ["session", "pid", "window_id"] {
            let ours = tool.own.contains(&field) || tool.kind == Kind::Internal;
            assert!(
                ours || !fields.contains_key(field),
                "{} takes {field}",
                tool.name
            );
        }
    }
}
