//! The maintainer's scripts, as far as they need neither dist nor a network.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{repository, text, toml};

/// Files that a script reads or writes, in a repository of their own.
fn copy(files: &[&str]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for file in files {
        let to = root.path().join(file);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(repository(file), to).unwrap();
    }
    let git = Command::new("git")
        .args(["init", "--quiet"])
        .current_dir(&root)
        .status();
    assert!(git.unwrap().success());
    let git = Command::new("git")
        .args(["add", "--all"])
        .current_dir(&root)
        .status();
    assert!(git.unwrap().success());
    root
}

fn script(root: &Path, words: &[&str], env: &[(&str, &str)]) -> Output {
    let mut command = Command::new(root.join("scripts").join(words[0]));
    command.args(&words[1..]).envs(env.iter().copied());
    command.current_dir(root).output().unwrap()
}

fn shown(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!(
        "{}{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(err)
    )
}

/// Every file that names the owner.
const NAMING: &[&str] = &[
    "Cargo.toml",
    "README.md",
    "RELEASING.md",
    "REPO_SETTINGS.md",
    "SECURITY.md",
    "dist-workspace.toml",
    "release/project.toml",
    ".github/workflows/release.yml",
    "scripts/release-check",
    "scripts/set-owner",
];

#[test]
fn a_release_waits_for_an_owner_who_is_set_everywhere_at_once() {
    let root = copy(NAMING);
    let set = toml("release/project.toml")["owner"].as_str() != Some("OWNER");
    let seen = script(root.path(), &["release-check", "owner"], &[]);
    let text = shown(&seen);
    assert_eq!(seen.status.code(), Some(i32::from(!set)), "{text}");
    if set {
        return;
    }
    assert_eq!(text.matches("FAILED").count(), 2, "{text}");
    let seen = script(root.path(), &["set-owner", "some-one"], &[]);
    assert!(seen.status.success(), "{}", shown(&seen));
    let seen = script(root.path(), &["release-check", "owner"], &[]);
    assert_eq!(seen.status.code(), Some(0), "{}", shown(&seen));
    let project = fs::read_to_string(root.path().join("release/project.toml")).unwrap();
    for line in [
        "owner = \"some-one\"",
        "tap = \"some-one/homebrew-tap\"",
        "\"https://github.com/some-one/lean-computer-use\"",
    ] {
        assert!(project.contains(line), "{line}: {project}");
    }
    let seen = script(root.path(), &["set-owner", "a/b"], &[]);
    assert_eq!(seen.status.code(), Some(2), "{}", shown(&seen));
}

/// A stand-in for GitHub's interface on loopback; it ends with the test's process.
fn stand_in(answers: Vec<(&'static str, Value)>) -> String {
    let server = tiny_http::Server::http("127.0.0.1:0").unwrap();
    let address = format!("http://{}", server.server_addr());
    thread::spawn(move || {
        for request in server.incoming_requests() {
            let answer = answers.iter().find(|(path, _)| *path == request.url());
            let response = match answer {
                Some((_, body)) => tiny_http::Response::from_string(body.to_string()),
                None => tiny_http::Response::from_string("{}").with_status_code(404),
            };
            let _ = request.respond(response);
        }
    });
    address
}

/// What GitHub would say of a repository whose settings are as expected.
fn as_expected() -> Vec<(&'static str, Value)> {
    let project = toml("release/project.toml");
    let word = |key: &str| project[key].as_str().unwrap().to_owned();
    // GitHub keeps topics in the order they were given.
    let topics: Vec<_> = project["topics"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|t| t.as_str())
        .collect();
    let repository = json!({
        "description": word("description"), "homepage": word("homepage"), "topics": topics,
        "visibility": "public", "license": {"spdx_id": word("license")}, "default_branch": "main",
        "has_issues": true, "has_wiki": false, "has_projects": false,
    });
    let at = format!("/repos/{}/{}", word("owner"), word("name")).leak();
    let branch = format!("{at}/branches/main").leak();
    vec![(at, repository), (branch, json!({"protected": true}))]
}

const READ_BACK: &[&str] = &[
    "REPO_SETTINGS.md",
    "release/project.toml",
    "scripts/read-back",
];

#[test]
fn settings_are_read_back() {
    let root = copy(READ_BACK);
    let rows = text("REPO_SETTINGS.md").matches("`GET /").count();
    let read = |answers| {
        let address = stand_in(answers);
        let seen = script(root.path(), &["read-back"], &[("GITHUB_API_URL", &address)]);
        (seen.status.code(), shown(&seen))
    };
    let (code, text) = read(as_expected());
    assert_eq!(
        (code, text.matches("ok  ").count()),
        (Some(0), rows),
        "{text}"
    );

    let mut answers = as_expected();
    answers[0].1["has_wiki"] = true.into();
    answers[1].1["protected"] = false.into();
    let (code, text) = read(answers);
    assert_eq!(
        (code, text.matches("DIFFERS").count()),
        (Some(1), 2),
        "{text}"
    );
    assert!(
        text.contains("DIFFERS  wiki\n         expected false\n         read     true\n"),
        "{text}"
    );

    let (code, text) = read(Vec::new());
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("could not ask"), "{text}");
}

/// So that no reader takes a wish for a fact.
#[test]
fn every_setting_says_whether_it_was_read() {
    let page = text("REPO_SETTINGS.md");
    let rows = page
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| setting"));
    let mut count = 0;
    for row in rows {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 4, "{row}");
        let dated =
            cells[3].len() == 10 && cells[3].chars().all(|c| c.is_ascii_digit() || c == '-');
        assert!(cells[3] == "UNVERIFIED" || dated, "{row}");
        count += 1;
    }
    assert!(count > 20, "{count}");
}

#[test]
fn scripts_are_sound_and_may_be_run() {
    use std::os::unix::fs::PermissionsExt;
    for entry in fs::read_dir(repository("scripts")).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_file() {
            continue;
        }
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0o111, "{} cannot be run", path.display());
        let first = fs::read_to_string(&path).unwrap();
        let shell = match first.lines().next() {
            Some("#!/bin/sh") => "sh",
            Some("#!/usr/bin/env bash") => "bash",
            _ => continue,
        };
        let seen = Command::new(shell).arg("-n").arg(&path).output().unwrap();
        assert!(seen.status.success(), "{}", shown(&seen));
    }
}
