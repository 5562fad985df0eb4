//! Which folder, which binary.

use std::fs;

use super::{SETTINGS, names};
use crate::context::TestContext;
use crate::snapshot;

#[test]
fn which_folder_is_the_project() {
    let ctx = TestContext::new();
    let deep = ctx.project.join("src/deep");
    fs::create_dir_all(&deep).unwrap();
    let seen = ctx.run(&["install"]).dir(&deep).observe().expect(0);
    snapshot!(ctx, seen.stdout.lines().next().unwrap(), @r#"installed lean-computer-use [VERSION] in [PROJECT]"#);
    assert_eq!(names(&ctx.project.join("src")), "deep/\n");
    ctx.uninstall(0);

    let worktree = ctx.home.join("worktree");
    fs::create_dir_all(worktree.join("src")).unwrap();
    fs::write(worktree.join(".git"), "gitdir: elsewhere").unwrap();
    ctx.run(&["install"])
        .dir(&worktree.join("src"))
        .observe()
        .expect(0);
    ctx.run(&["verify", "--project", "../worktree"])
        .observe()
        .expect(0);
    assert!(worktree.join(SETTINGS).is_file());

    for (words, folder) in [
        (&["install"][..], &ctx.home),
        (&["install", "--project", ".."], &ctx.project),
        (&["install", "--project", "nowhere"], &ctx.project),
    ] {
        ctx.run(words).dir(folder).observe().expect(2);
    }
    assert!(!ctx.home.join(".claude").exists());
    let seen = ctx.run(&["verify"]).observe().expect(2);
    snapshot!(ctx, seen.stderr, @r#"lean-computer-use: not installed in [PROJECT]: run lean-computer-use install"#);
}

#[test]
fn doubts_about_the_binary_are_said() {
    let ctx = TestContext::new();
    let seen = ctx
        .run(&["install"])
        .env("PATH", "/usr/bin:/bin")
        .observe()
        .expect(0);
    assert!(seen.stderr.contains("is not on PATH"), "{seen}");
    let record = ctx.read(".claude/lean-computer-use/local/binary");
    assert_eq!(
        record.lines().next(),
        crate::context::binary_path().to_str()
    );
    let other = ctx.root().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("lean-computer-use"), "").unwrap();
    let seen = ctx
        .run(&["install"])
        .env("PATH", &other)
        .observe()
        .expect(0);
    assert!(seen.stderr.contains("PATH leads to another"), "{seen}");
    ctx.install(0);
    let record = ctx.read(".claude/lean-computer-use/local/binary");
    assert_eq!(
        record.lines().next(),
        ctx.bin.join("lean-computer-use").to_str()
    );
}

/// Launchers read the path of the program as a line.
#[test]
#[cfg(unix)]
fn a_program_whose_path_is_no_line_is_not_recorded() {
    let ctx = TestContext::new();
    let odd = ctx.root().join("two\nlines");
    fs::create_dir(&odd).unwrap();
    std::os::unix::fs::symlink(crate::context::binary_path(), odd.join("lean-computer-use"))
        .unwrap();
    let before = ctx.tree();
    for flags in [&["install"][..], &["install", "--user"]] {
        let seen = ctx.run(flags).env("PATH", &odd).observe().expect(2);
        assert!(seen.stderr.contains("has a line end"), "{seen}");
    }
    assert_eq!(ctx.tree(), before);
    assert!(!ctx.home.join(".claude").exists());
}
