//! Every workflow, read as data: actions stand at a commit, no job may do more than it needs, and
//! the right to sign is where something is published.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::{repository, text, toml};

/// What a job may write, by file and job. Whatever is not listed may read, or nothing.
const MAY_WRITE: &[(&str, &str, &[&str])] = &[
    ("publish-npm.yml", "publish", &["id-token"]),
    // Signs what it hosts, and makes the release.
    (
        "release.yml",
        "host",
        &["attestations", "contents", "id-token"],
    ),
    ("release.yml", "custom-publish-npm", &["id-token"]),
];

/// dist writes `contents: write` for all jobs of release.yml and nothing turns that off; jobs that
/// set rights of their own lose it. So these have more than they need.
const DIST_GIVES_TOO_MUCH: &[&str] = &[
    "announce",
    "build-global-artifacts",
    "build-local-artifacts",
    "plan",
    "publish-homebrew-formula",
];

struct Workflow {
    name: String,
    text: String,
    data: Value,
}

fn workflows() -> Vec<Workflow> {
    let folder = fs::read_dir(repository(".github/workflows")).unwrap();
    let mut names: Vec<_> = folder
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.len() >= 2, "{names:?}");
    let read = |name: String| {
        let text = text(&format!(".github/workflows/{name}"));
        let data = serde_saphyr::from_str(&text);
        let data = data.unwrap_or_else(|error| panic!("could not parse {name}: {error}"));
        Workflow { name, text, data }
    };
    names.into_iter().map(read).collect()
}

/// Permission → level, of a workflow or a job; none when it says nothing.
fn permissions(of: &Value) -> Option<BTreeMap<String, String>> {
    let map = of.get("permissions")?.as_object();
    let map = map.unwrap_or_else(|| panic!("one word gives every right: {of}"));
    let level = |level: &Value| level.as_str().unwrap().to_owned();
    Some(
        map.iter()
            .map(|(name, value)| (name.clone(), level(value)))
            .collect(),
    )
}

fn jobs(workflow: &Workflow) -> Vec<(String, &Value)> {
    let jobs = workflow.data["jobs"].as_object().unwrap();
    jobs.iter().map(|(name, job)| (name.clone(), job)).collect()
}

fn steps(job: &Value) -> impl Iterator<Item = &Value> {
    job["steps"].as_array().into_iter().flatten()
}

/// A tag can be moved to other code; a commit cannot.
#[test]
fn actions_stand_at_a_commit() {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for workflow in workflows() {
        for (name, job) in jobs(&workflow) {
            let called = job["uses"].as_str();
            for uses in called
                .into_iter()
                .chain(steps(job).filter_map(|s| s["uses"].as_str()))
            {
                let place = format!("{} {name}: {uses}", workflow.name);
                if uses.starts_with("./") || uses.starts_with("$/") {
                    continue;
                }
                let (action, at) = uses.split_once('@').unwrap_or_else(|| panic!("{place}"));
                let hash = at.len() == 40 && at.chars().all(|c| c.is_ascii_hexdigit());
                // The line says so when no hash could be read from a source at hand.
                let line = workflow
                    .text
                    .lines()
                    .find(|line| line.contains(uses))
                    .unwrap();
                assert!(hash || line.contains("UNVERIFIED"), "{place}");
                let before = seen
                    .entry(action.to_owned())
                    .or_insert_with(|| at.to_owned());
                assert_eq!(before, at, "{place}: another commit elsewhere");
            }
        }
    }
    let pins = toml("dist-workspace.toml")["dist"]["github-action-commits"].clone();
    for (action, commit) in pins.as_table().unwrap() {
        assert_eq!(
            seen.get(action).map(String::as_str),
            commit.as_str(),
            "{action}"
        );
    }
}

#[test]
fn no_job_may_write_what_it_need_not() {
    for workflow in workflows() {
        let common = permissions(&workflow.data).unwrap_or_else(|| {
            panic!(
                "{}: without permissions GitHub's default decides",
                workflow.name
            )
        });
        let generated = workflow.name == "release.yml";
        let want = if generated {
            r#"{"contents": "write"}"#
        } else {
            "{}"
        };
        assert_eq!(format!("{common:?}"), want, "{}", workflow.name);
        for (name, job) in jobs(&workflow) {
            let place = format!("{} {name}", workflow.name);
            let Some(own) = permissions(job) else {
                assert!(
                    generated && DIST_GIVES_TOO_MUCH.contains(&&*name),
                    "{place} has no permissions"
                );
                continue;
            };
            let writes: Vec<_> = own
                .iter()
                .filter(|(_, level)| *level != "read")
                .map(|(p, _)| &**p)
                .collect();
            let may = MAY_WRITE
                .iter()
                .find(|(file, job, _)| *file == workflow.name && *job == name);
            assert_eq!(writes, may.map_or(&[][..], |(_, _, may)| *may), "{place}");
        }
    }
}

/// A token in .git/config could be read by every later step.
#[test]
fn checkouts_keep_no_token() {
    for workflow in workflows() {
        for (name, job) in jobs(&workflow) {
            // The one that pushes the formula to the tap.
            if name == "publish-homebrew-formula" {
                continue;
            }
            for step in steps(job).filter(|s| {
                s["uses"]
                    .as_str()
                    .is_some_and(|u| u.starts_with("actions/checkout@"))
            }) {
                assert_eq!(
                    step["with"]["persist-credentials"], false,
                    "{} {name}",
                    workflow.name
                );
            }
        }
    }
}

/// What anyone may write into a title or a branch name must not become a part of a script.
#[test]
fn scripts_hold_no_text_of_strangers() {
    for workflow in workflows() {
        for (name, job) in jobs(&workflow) {
            for run in steps(job).filter_map(|step| step["run"].as_str()) {
                for part in run.split("${{").skip(1) {
                    let inside = part.split("}}").next().unwrap();
                    let foreign = ["github.event.", "github.head_ref"]
                        .iter()
                        .any(|word| inside.contains(word));
                    let only_asks = inside.contains("!github.event.pull_request");
                    assert!(!foreign || only_asks, "{} {name}: {inside}", workflow.name);
                }
            }
        }
        assert!(
            !workflow.text.contains("pull_request_target"),
            "{}",
            workflow.name
        );
    }
}

#[test]
fn tests_run_on_every_system() {
    let all = workflows();
    let test = all.iter().find(|w| w.name == "test.yml").unwrap();
    for word in [
        "ubuntu-",
        "macos-",
        "windows-",
        "cargo fmt --all --check",
        "cargo clippy --locked",
        "cargo doc",
        "cargo deny",
        ".ci/run",
    ] {
        assert!(test.text.contains(word), "test.yml lacks {word}");
    }
    let rust = toml("Cargo.toml")["package"]["rust-version"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        test.data["env"]["RUST_VERSION"],
        rust.as_str(),
        "the oldest that is promised"
    );
}
