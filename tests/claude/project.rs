//! A trusted project with a user's own things in it, as it was before us.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::context::TestContext;

/// A narrow rule, a hook of the user's own, indented by three, no line end at the end.
const SETTINGS: &str = r#"{
   "permissions": {"allow": ["Bash(./knock)"]},
   "hooks": {
      "PostToolUseFailure": [
         {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo heard >>heard", "timeout": 5}]}
      ]
   }
}"#;

/// Leaves a mark each time it really runs, then fails in the same way.
const KNOCK: &str = "#!/bin/sh\necho knock >>knocks\necho 'the door is locked' >&2\nexit 3\n";

/// How Claude Code words a failure of `./knock`.
pub const LOCKED: &str = "Exit code 3\nthe door is locked";

/// The project, in a home that trusts it as one does whose user accepted the dialog at the first
/// start there: Claude Code ignores a project's `permissions.allow` without it.
pub fn project() -> TestContext {
    let ctx = TestContext::new();
    let path = ctx.project.to_str().unwrap();
    let home = json!({
        "projects": {path: {"hasTrustDialogAccepted": true}},
    });
    fs::write(ctx.home.join(".claude.json"), home.to_string()).unwrap();
    ctx.write(".claude/settings.json", SETTINGS);
    let knock = ctx.write("knock", KNOCK);
    fs::set_permissions(knock, fs::Permissions::from_mode(0o755)).unwrap();
    ctx
}

/// How often `./knock` really ran.
pub fn knocks(ctx: &TestContext) -> usize {
    ctx.read("knocks").lines().count()
}

/// How many failures the user's own hook heard of.
pub fn heard(ctx: &TestContext) -> usize {
    ctx.read("heard").lines().count()
}
