//! Install, verify and uninstall: stories of a project and its `.claude`.

#[cfg(target_os = "linux")]
pub mod crash;
mod damage;
mod flags;
#[cfg(target_os = "linux")]
mod foreign;
mod health;
mod kept;
#[cfg(target_os = "linux")]
mod late;
mod place;
#[cfg(unix)]
mod real;
mod refused;
mod restored;
mod scopes;
#[cfg(unix)]
mod terminal;
mod texts;
mod trees;
mod upgrade;
#[cfg(unix)]
mod warned;

use std::collections::BTreeMap;
use std::path::Path;

use crate::context::{TestContext, listing, tree};
use crate::observe::Observed;

const SETTINGS: &str = ".claude/settings.json";
const AGENT: &str = ".claude/agents/desk-runner.md";
const LAUNCHER: &str = ".claude/lean-computer-use/desk/desk-run";
const MANIFEST: &str = ".claude/lean-computer-use/manifest.json";

/// Names, with the modes of files only: those of folders are the machine's umask.
fn names(folder: &Path) -> String {
    let line = |line: &str| {
        let name = if line.ends_with('/') {
            &line[5..]
        } else {
            line
        };
        name.to_owned() + "\n"
    };
    listing(folder).lines().map(line).collect()
}

impl TestContext {
    fn installed() -> Self {
        let ctx = Self::new();
        ctx.install(0);
        ctx
    }

    fn install(&self, code: i32) -> Observed {
        self.run(&["install"]).observe().expect(code)
    }

    fn uninstall(&self, code: i32) -> Observed {
        self.run(&["uninstall"]).observe().expect(code)
    }

    fn tree(&self) -> BTreeMap<String, String> {
        tree(&self.project)
    }

    /// What `verify` finds to differ, one a line.
    fn drift(&self) -> Vec<String> {
        let seen = self.run(&["verify", "--json"]).observe();
        let json = seen.json();
        let findings = json["findings"].as_array().unwrap().iter();
        let drift: Vec<_> = findings
            .filter(|finding| finding["state"] != "ok")
            .map(|finding| {
                let text = |key: &str| finding[key].as_str().unwrap().to_owned();
                let line = format!("{} {} {}", text("state"), text("path"), text("detail"));
                line.trim_end().to_owned()
            })
            .collect();
        assert_eq!(json["ok"], drift.is_empty());
        seen.expect(i32::from(!drift.is_empty()));
        drift
    }
}
