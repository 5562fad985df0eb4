//! The exit-code table: types, data and what is printed say the same.

use lean_computer_use::exit;

use crate::context::TestContext;

/// A command's words, with the arguments that it cannot do without.
fn words(name: &str) -> Vec<&str> {
    let mut words: Vec<_> = name.split(' ').collect();
    match name {
        "lean-computer-use" => words.clear(),
        "desk" => words.extend(["x", "click"]),
        "completions" => words.push("bash"),
        name if name.starts_with("desk-") => words.push("x"),
        _ => {}
    }
    words
}

/// A panic is caught and named; in a hook it is swallowed.
#[test]
fn a_panic_ends_every_command_as_listed() {
    let ctx = TestContext::new();
    for command in exit::table().commands {
        let mut words = words(&command.name);
        words.push("--internal-error");
        let seen = ctx.run(&words).named(&command.name).observe();
        if command.name.starts_with("hook ") {
            assert_eq!(
                seen.expect(0).to_string(),
                "exit 0\n--- stdout\n--- stderr\n---"
            );
        } else {
            let seen = seen.expect(70);
            assert!(seen.stderr.contains("internal error at src/"), "{seen}");
        }
    }
}

#[test]
fn a_usage_error_ends_every_command_as_listed() {
    let ctx = TestContext::new();
    for command in exit::table().commands {
        let mut words = words(&command.name);
        words.push("--no-such-flag");
        let want = if command.name.starts_with("hook ") {
            0
        } else {
            2
        };
        ctx.run(&words).named(&command.name).observe().expect(want);
    }
}

/// Every command says at the end of its help what it can end with.
#[test]
fn help_holds_the_codes() {
    let ctx = TestContext::new();
    for command in exit::table().commands {
        if command.name.starts_with("hook ") {
            continue;
        }
        let mut words = words(&command.name);
        words.push("--help");
        let seen = ctx.run(&words).named(&command.name).observe().expect(0);
        let (_, codes) = seen.stdout.split_once("Exit codes:\n").unwrap();
        assert_eq!(unwrapped(codes), unwrapped(&exit::render::rows(&command)));
    }
}

/// Help is wrapped to the width of a terminal.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What waits for a driver, or for its input, can be ended.
#[cfg(unix)]
#[test]
fn a_signal_ends_what_waits() {
    use rustix::process::Signal;
    let hang = ["--simulated", "simulated-hang"];
    let click = ["click", r#"{"element_token":"s00000001:1"}"#];
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        for words in [
            [&["desk"], &hang[..], &click].concat(),
            [&["desk-run"], &hang[..], &["click 1"]].concat(),
            [&["desk-read"], &hang[..]].concat(),
            [&["desk-running"], &hang[..]].concat(),
            [&["desk-clean"], &hang[..]].concat(),
            vec!["meter", "-"],
        ] {
            let ctx = TestContext::new();
            if words[0] == "desk-clean" {
                // So that there is a session to end.
                let read = [&["desk-read", "--limit", "1"], &hang[..]].concat();
                ctx.run(&read).observe().expect(2);
            }
            let started = ctx.run(&words).silent_stdin().start();
            if words[0].starts_with("desk") {
                wait_for_the_call(&ctx);
            }
            started.signal(signal);
            let seen = started.observe().expect(code);
            assert_eq!(seen.stdout, "", "{words:?}: {seen}");
        }
    }
}

/// The run's label is on the disk before the driver hears of it.
#[cfg(unix)]
fn wait_for_the_call(ctx: &TestContext) {
    for _ in 0..1000 {
        let mut entries = walkdir::WalkDir::new(&ctx.home).into_iter().flatten();
        if entries.any(|entry| entry.file_name() == "run.json") {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("no run was begun");
}

/// Apps of the simulated driver that end badly on purpose.
#[test]
fn simulated_endings() {
    let ctx = TestContext::new();
    let click = r#"{"element_token":"s00000001:1"}"#;
    for (app, code) in [
        ("simulated-refusal", 1),
        ("simulated-none", 2),
        ("simulated-exit-75", 75),
        ("simulated-exit-9", 9),
        ("simulated-exit-200", 200),
    ] {
        for words in [
            vec!["desk", app, "click", click],
            vec!["desk-run", app, "click 1"],
            vec!["desk-read", app],
        ] {
            let words = [&words[..], &["--simulated"]].concat();
            ctx.run(&words).observe().expect(code);
        }
        if code > 4 {
            let words = ["desk-running", app, "--simulated"];
            ctx.run(&words).observe().expect(code);
        }
    }
    let silent = ["--simulated", "--limit", "20", "simulated-silent"];
    let run = |words: &[&[&str]]| ctx.run(&words.concat()).observe();
    run(&[&["desk"], &silent, &["click", click]]).expect(4);
    run(&[&["desk-run"], &silent, &["click 1"]]).expect(4);
    run(&[&["desk-read"], &silent]).expect(0);
    run(&[&["desk-clean"], &silent]).expect(3);
}

#[test]
fn printed_as_text_and_json() {
    let ctx = TestContext::new();
    let text = ctx.run(&["exit-codes"]).observe().expect(0).stdout;
    assert!(text.contains("verify\n"), "{text}");
    let json = ctx
        .run(&["exit-codes", "--json"])
        .observe()
        .expect(0)
        .json();
    assert_eq!(json["schema"], 1);
    ctx.run(&["exit-codes", "--nope"]).observe().expect(2);
}

#[test]
fn help_and_unknown_words() {
    let ctx = TestContext::new();
    ctx.run(&["--help"]).observe().expect(0);
    ctx.run(&["--version"]).observe().expect(0);
    let seen = ctx.run(&[]).observe().expect(2);
    assert!(seen.stderr.contains("Usage:"), "{seen}");
}
