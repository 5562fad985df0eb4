//! What a person at a terminal is asked, and nobody else. The terminal is a pseudo-terminal.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::context::{TestContext, binary_path, tree};

/// Runs the binary in `folder` on a terminal, where somebody types `keys`. What the terminal
/// shows, without what it echoes of the keys being of any interest.
fn on_a_terminal(ctx: &TestContext, folder: &Path, words: &[&str], ci: &str, keys: &str) -> String {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    let mut ours = File::from(ours);
    let theirs = || File::options().read(true).write(true).open(&name).unwrap();
    let mut child = Command::new(binary_path())
        .args(words)
        .env_clear()
        .envs(ctx.env())
        .env("CI", ci)
        .current_dir(folder)
        .stdin(theirs())
        .stdout(theirs())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Somebody must read all the time: a terminal holds no more than a page.
    let mut screen = ours.try_clone().unwrap();
    let shown = std::thread::spawn(move || {
        let (mut shown, mut buffer) = (Vec::new(), [0; 4096]);
        // With nobody left at the other end, reading ends with an error on Linux.
        while let Ok(read @ 1..) = screen.read(&mut buffer) {
            shown.extend(&buffer[..read]);
        }
        shown
    });
    ours.write_all(keys.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    String::from_utf8_lossy(&shown.join().unwrap()).into_owned()
}

fn plain_folder(ctx: &TestContext) -> PathBuf {
    let folder = ctx.home.join("plain");
    fs::create_dir(&folder).unwrap();
    folder
}

#[test]
fn a_folder_that_looks_like_no_project_is_asked_about() {
    const QUESTION: &str = "has no .git and no .claude: install here? [y/N]";
    for (words, ci, keys, asked, done) in [
        (&["install"][..], "", "y\n", true, true),
        (&["install"], "", "yes\n", true, true),
        (&["install"], "", "n\n", true, false),
        (&["install"], "", "\n", true, false),
        (&["install"], "", "of course\n", true, false),
        // The end of the input, as a terminal says it.
        (&["install"], "", "\u{4}", true, false),
        (&["install", "--yes"], "", "", false, true),
        (&["install", "-y"], "", "", false, true),
        (&["install"], "true", "", false, true),
        (&["install", "--project", "."], "", "", false, true),
        (&["install", "--dry-run"], "", "", false, false),
        (&["install", "--diff"], "", "", false, false),
    ] {
        let ctx = TestContext::new();
        let folder = plain_folder(&ctx);
        let shown = on_a_terminal(&ctx, &folder, words, ci, keys);
        let what = format!("{words:?} {ci:?} {keys:?}: {shown}");
        assert_eq!(shown.contains(QUESTION), asked, "{what}");
        assert!(
            done || !asked || shown.ends_with("nothing was done\r\n"),
            "{what}"
        );
        assert_eq!(folder.join(".claude").exists(), done, "{what}");
        assert_eq!(tree(&folder).is_empty(), !done, "{what}");
    }
}

#[test]
fn a_project_is_not_asked_about_and_no_uninstall_asks() {
    let ctx = TestContext::new();
    for words in [&["install"][..], &["uninstall"]] {
        let shown = on_a_terminal(&ctx, &ctx.project, words, "", "");
        assert!(!shown.contains('?'), "{shown}");
    }
    assert!(!ctx.project.join(".claude").exists());
}
