//! What verify finds.

use std::fs;

use super::{AGENT, LAUNCHER, MANIFEST, SETTINGS};
use crate::context::TestContext;

type Harm = fn(&TestContext);

#[test]
fn every_damage_has_its_name() {
    let damage: [(&str, Harm); 11] = [
        ("missing .claude/agents/desk-runner.md", |ctx| {
            fs::remove_file(ctx.project.join(AGENT)).unwrap();
        }),
        (
            "modified .claude/agents/desk-runner.md it is a folder",
            |ctx| {
                fs::remove_file(ctx.project.join(AGENT)).unwrap();
                fs::create_dir(ctx.project.join(AGENT)).unwrap();
            },
        ),
        ("extra .claude/lean-computer-use/desk/mine", |ctx| {
            ctx.write(".claude/lean-computer-use/desk/mine", "");
            ctx.write(".claude/lean-computer-use/config.toml", "");
            ctx.write(".claude/lean-computer-use/local/evidence/x", "");
            ctx.write(&format!("{LAUNCHER}.new"), "");
        }),
        ("missing .claude/settings.json", |ctx| {
            fs::remove_file(ctx.project.join(SETTINGS)).unwrap();
        }),
        ("edited .claude/settings.json Stop token-meter", |ctx| {
            let text = ctx.read(SETTINGS);
            let at = text.find("\"Stop\"").unwrap();
            let (before, behind) = text.split_at(at);
            ctx.write(
                SETTINGS,
                before.to_owned() + &behind.replacen(": 5", ": 6", 1),
            );
        }),
        ("missing .claude/settings.json Stop token-meter", |ctx| {
            ctx.write(
                SETTINGS,
                ctx.read(SETTINGS).replace("\"Stop\"", "\"Stopp\""),
            );
        }),
        (
            "moved .claude/settings.json PreToolUse retry-guard",
            |ctx| {
                ctx.write(SETTINGS, ctx.read(SETTINGS).replacen("Bash|", "", 1));
            },
        ),
        (
            "edited .claude/settings.json PreToolUse retry-guard",
            |ctx| {
                let text = ctx.read(SETTINGS);
                ctx.write(
                    SETTINGS,
                    text.replacen("$CLAUDE_PROJECT_DIR", "/opt/old", 1),
                );
            },
        ),
        (
            "missing .claude/settings.json PreToolUse retry-guard",
            |ctx| {
                let text = ctx.read(SETTINGS);
                ctx.write(SETTINGS, text.replacen("/retry-guard", "/my-guard", 1));
            },
        ),
        (
            "inert .claude/settings.json disableAllHooks is true: no hook runs",
            |ctx| {
                let text = ctx.read(SETTINGS);
                ctx.write(
                    SETTINGS,
                    text.replacen('{', "{\"disableAllHooks\": true,", 1),
                );
            },
        ),
        ("modified .claude/lean-computer-use/manifest.json", |ctx| {
            ctx.write(
                MANIFEST,
                ctx.read(MANIFEST).replacen("\"tool\"", " \"tool\"", 1),
            );
        }),
    ];
    for (want, harm) in damage {
        let ctx = TestContext::installed();
        harm(&ctx);
        assert_eq!(ctx.drift(), [want]);
    }
}
