//! `meter --html`: the page, in a real browser too.

use std::process::Command;

use serde_json::json;

use crate::context::TestContext;

const HOSTILE: &str = "</script></title><img src=http://x onerror=alert(1)>";

/// One session whose model, agent, project and tool have hostile names, and one plain.
fn world() -> TestContext {
    let ctx = TestContext::new();
    let message = |id: &str, model: &str, output: u64, tool: &str| {
        json!({"type": "assistant", "requestId": "r", "timestamp": "2026-11-29T10:00:00Z", "message": {
            "id": id, "model": model, "stop_reason": "end_turn",
            "usage": {"input_tokens": 1_000_001, "output_tokens": output, "cache_creation_input_tokens": 2_000_002,
                "cache_read_input_tokens": 3_000_003},
            "content": [{"type": "tool_use", "id": format!("t{id}"), "name": tool, "input": {}}]}})
        .to_string()
    };
    let result = |id: &str| {
        json!({"type": "user", "message": {"content": [
            {"type": "tool_result", "tool_use_id": id, "content": "x".repeat(4444)}]}})
    };
    let plain = [
        message("msg_1", "claude-opus-4-8", 4_000_004, "Read"),
        result("tmsg_1").to_string(),
    ];
    ctx.write("t/projects/-p/s1.jsonl", plain.join("\n"));
    // A file name holds no slash; the rest of the name does its harm without.
    let folder = format!("t/projects/{}", HOSTILE.replace('/', "\u{202e}"));
    ctx.write(
        &format!("{folder}/s2.jsonl"),
        message("msg_2", HOSTILE, 5_000_005, HOSTILE),
    );
    let agent = format!("{folder}/s2/subagents/agent-1");
    ctx.write(
        &format!("{agent}.jsonl"),
        message("msg_3", "claude-haiku-4-5", 6_000_006, "Read"),
    );
    ctx.write(
        &format!("{agent}.meta.json"),
        json!({"agentType": HOSTILE}).to_string(),
    );
    ctx
}

fn page(ctx: &TestContext) -> String {
    let words = ["meter", "t", "--html", "page.html", "--session", HOSTILE];
    let none = ctx.run(&words).observe().expect(0);
    assert!(ctx.read("page.html").contains("no message fits"), "{none}");
    let seen = ctx.run(&words[..4]).observe().expect(0);
    assert_eq!(seen.stdout, "wrote \"page.html\"\n", "{seen}");
    ctx.read("page.html")
}

#[track_caller]
fn harmless(page: &str) {
    for active in [
        "<script", "<img", "<iframe", "<link", "<object", "src=\"", "href", "url(", "@import",
        "style=\"",
    ] {
        assert!(!page.contains(active), "{active}");
    }
    assert!(!page.contains('\u{202e}'));
    assert!(page.contains("default-src 'none'; style-src 'sha256-"));
}

#[track_caller]
fn shows_the_numbers(page: &str) {
    for (id, want) in [
        ("messages", "3"),
        ("input", "3,000,003"),
        ("output", "15,000,015"),
        ("cache_write", "6,000,006"),
        ("cache_read", "9,000,009"),
        // opus 5.000005 + 100.0001 + 12.5000125 + 1.5000015, haiku 1.000001 + 30.00003 +
        // 2.5000025 + 0.3000003
        ("cost", "$152.80 + unpriced"),
    ] {
        let shown = format!("<b id=\"{id}\">{want}</b>");
        assert!(page.contains(&shown), "{shown}\n{page}");
    }
    assert!(page.contains("<td>2026-11-29</td>"));
    assert!(page.contains("1,111 tokens"));
    assert!(page.contains("&lt;/script&gt;"));
}

#[test]
fn the_page_shows_the_numbers_and_does_nothing() {
    let ctx = world();
    let page = page(&ctx);
    harmless(&page);
    shows_the_numbers(&page);
    let clash = ["meter", "t", "--html", "x.html", "--json"];
    ctx.run(&clash).observe().expect(2);
    let nowhere = ["meter", "t", "--html", "no/such/folder/x.html"];
    let seen = ctx.run(&nowhere).observe().expect(2);
    assert_eq!(seen.stderr.lines().count(), 1, "{seen}");
}

#[cfg(unix)]
#[test]
fn only_the_user_can_read_the_page() {
    use std::os::unix::fs::PermissionsExt;
    let ctx = world();
    page(&ctx);
    let mode = std::fs::metadata(ctx.project.join("page.html"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// The browser reports what its policy refuses, so a page whose own style sheet was refused, or
/// that tried to load anything, fails here.
#[test]
#[ignore = "needs Chromium: .ci/run"]
fn a_browser_shows_the_same_numbers() {
    let ctx = world();
    page(&ctx);
    let browser = std::env::var_os("LCU_TEST_CHROMIUM").unwrap_or("/usr/bin/chromium".into());
    let profile = ctx.root().join("profile");
    let seen = Command::new(&browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-sync",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
        ])
        .args(["--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!(
            "file://{}",
            ctx.project.join("page.html").display()
        ))
        .output()
        .unwrap_or_else(|error| {
            panic!(
                "could not start {}: {error}; set LCU_TEST_CHROMIUM",
                browser.display()
            )
        });
    let dom = String::from_utf8_lossy(&seen.stdout);
    let log = String::from_utf8_lossy(&seen.stderr);
    assert!(seen.status.success(), "{log}");
    assert!(!log.contains("Content Security Policy"), "{log}");
    harmless(&dom);
    shows_the_numbers(&dom);
    // What the browser made of it: a chart with a column for the day, and no element that a name
    // brought along.
    assert!(dom.contains("<svg class=\"days\""));
    assert!(dom.contains("<title>Token use</title>"));
}
