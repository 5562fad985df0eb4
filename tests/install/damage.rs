//! What verify finds.

use std::fs;

use super::{AGENT, LAUNCHER, MANIFEST, SETTINGS};
use crate::context::TestContext;

type Harm = fn(&TestContext);

#[test]
fn every_damage_has_its_name() {
    let damage: [(&str, Harm); 13] = [
        (
            "line ends .claude/lean-computer-use/hooks/retry-guard it has carriage returns",
            |ctx| {
                let hook = ".claude/lean-computer-use/hooks/retry-guard";
                ctx.write(hook, ctx.read(hook).replace('\n', "\r\n"));
            },
        ),
        (
            "modified .claude/lean-computer-use/manifest.json an install or uninstall was cut off: run it again",
            |ctx| {
                let text = ctx.read(MANIFEST);
                let journal = format!("{{\"schema\": 1, \"before\": null, \"after\": {text}}}");
                ctx.write(".claude/lean-computer-use/local/journal.json", journal);
            },
        ),
        ("missing .claude/agents/desk-runner.md", |ctx| {
            fs::remove_file(ctx.project.join(AGENT)).unwrap();
        }),
        ("type .claude/agents/desk-runner.md a folder", |ctx| {
            fs::remove_file(ctx.project.join(AGENT)).unwrap();
            fs::create_dir(ctx.project.join(AGENT)).unwrap();
        }),
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
            "inert .claude/settings.json disableAllHooks is true: no hook runs (project settings)",
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

#[test]
#[cfg(unix)]
fn a_link_in_the_place_of_a_file() {
    let ctx = TestContext::installed();
    let elsewhere = ctx.write("elsewhere.md", ctx.read(AGENT));
    fs::remove_file(ctx.project.join(AGENT)).unwrap();
    std::os::unix::fs::symlink(elsewhere, ctx.project.join(AGENT)).unwrap();
    assert_eq!(ctx.drift(), [format!("link {AGENT} a file belongs there")]);
    let seen = ctx.install(2);
    assert!(seen.stderr.contains("is a link; move it away"), "{seen}");
    ctx.uninstall(1);
    assert!(ctx.project.join(AGENT).is_symlink());
}

/// Root can read everything, so the whole story runs as nobody when it is told by root.
#[test]
#[cfg(unix)]
fn a_file_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let ctx = TestContext::installed();
    let mode = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(&ctx.project.join(AGENT), 0o000);
    mode(ctx.root(), 0o755);
    let seen = ctx.run(&["verify"]).without_rights().observe().expect(1);
    assert!(
        seen.stdout.contains(&format!("unreadable  {AGENT}")),
        "{seen}"
    );
    mode(&ctx.project.join(AGENT), 0o644);
    ctx.run(&["verify"]).without_rights().observe().expect(0);
    let before = ctx.tree();
    for path in [ctx.project.clone(), ctx.project.join(".claude")] {
        mode(&path, 0o555);
    }
    fs::remove_file(ctx.project.join(".claude/lean-computer-use/manifest.json")).unwrap();
    let seen = ctx
        .run(&["install", "--force"])
        .without_rights()
        .observe()
        .expect(2);
    assert!(seen.stderr.contains("could not"), "{seen}");
    ctx.write(MANIFEST, "");
    let names = |tree: &std::collections::BTreeMap<String, String>| {
        tree.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(names(&ctx.tree()), names(&before));
}
