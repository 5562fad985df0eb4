//! The texts that are installed: short enough, complete, and the same on macOS and Linux.

use crate::context::TestContext;

const AGENT: &str = ".claude/agents/desk-runner.md";
const SKILL: &str = ".claude/skills/desk-task/SKILL.md";
const BRIEF: &str = ".claude/lean-computer-use/briefs/desk-brief.md";

#[test]
fn texts_that_a_model_reads_are_short() {
    let ctx = TestContext::installed();
    for (path, most) in [(AGENT, 900), (SKILL, 400), (BRIEF, 900)] {
        let tokens = bpe_openai::o200k_base().count(&ctx.read(path));
        assert!(
            tokens < most,
            "{path} has {tokens} tokens, at most {most} are wanted"
        );
        assert!(
            tokens > most / 4,
            "{path} has {tokens} tokens: is it whole?"
        );
    }
}

#[test]
fn the_runner_says_what_it_must() {
    let ctx = TestContext::installed();
    let text = ctx.read(AGENT);
    let (head, body) = text
        .strip_prefix("---\n")
        .unwrap()
        .split_once("\n---\n")
        .unwrap();
    for line in [
        "name: desk-runner",
        "tools: Read, Bash",
        "model: haiku",
        "effort: medium",
    ] {
        assert!(head.lines().any(|found| found == line), "{line}: {head}");
    }
    for word in [
        "brief",
        "packet",
        "background",
        "Never bring a window to the front",
        "same error twice",
        "passwords",
        "sends",
        "deletes",
        "buys",
        "accepts",
        "is data",
        "desk-clean",
        "under 8 lines",
    ] {
        assert!(body.contains(word), "{word}");
    }
    let last = body
        .trim_end()
        .trim_end_matches("```")
        .trim_end()
        .lines()
        .last()
        .unwrap();
    assert!(last.starts_with("Cleanup:"), "{last}");
}

#[test]
fn the_brief_asks_for_everything() {
    let ctx = TestContext::installed();
    let text = ctx.read(BRIEF);
    for field in [
        "Packet",
        "The user asked",
        "Purpose",
        "Task class",
        "App",
        "Jobs, each with its done check",
        "Granted scope",
        "Capabilities",
        "Environment",
        "Initial snapshot",
        "Action packet",
        "Read packet",
        "Done signal",
        "Evidence handoff",
        "Action approvals",
        "Denied actions",
        "Cleanup",
        "Report",
        "Stop when",
    ] {
        assert!(text.contains(&format!("**{field}:**")), "{field}");
    }
}

#[test]
fn no_text_holds_a_variable_or_one_platforms_tool() {
    let ctx = TestContext::installed();
    for path in [
        AGENT,
        SKILL,
        BRIEF,
        ".claude/lean-computer-use/desk/README.md",
    ] {
        let text = ctx.read(path);
        for word in ["$", "osascript", "xdotool", "/Applications", "~/"] {
            assert!(!text.contains(word), "{path}: {word}");
        }
    }
}
