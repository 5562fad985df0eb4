//! dist passes over keys that it does not know, so a slip of the pen in dist-workspace.toml changes
//! a release without a word. The keys stand here too.

use std::collections::BTreeSet;

use super::{repository, text, toml};

/// Known to dist 0.34.0: the fields of its `DistMetadata`.
const KEYS: &[&str] = &[
    "cargo-dist-version",
    "checksum",
    "ci",
    "extra-artifacts",
    "github-action-commits",
    "github-attestations",
    "github-attestations-phase",
    "github-custom-job-permissions",
    "github-custom-runners",
    "github-release",
    "hosting",
    "include",
    "install-path",
    "install-updater",
    "installers",
    "pr-run-mode",
    "precise-builds",
    "publish-jobs",
    "tap",
    "targets",
    "unix-archive",
];

fn words(value: &toml::Value) -> Vec<String> {
    let words = value.as_array().unwrap().iter();
    words
        .map(|word| word.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn keys_are_ones_that_dist_knows() {
    let config = toml("dist-workspace.toml");
    let dist = config["dist"].as_table().unwrap();
    let found: BTreeSet<_> = dist.keys().map(String::as_str).collect();
    assert_eq!(found, KEYS.iter().copied().collect());
    assert_eq!(words(&config["workspace"]["members"]), ["cargo:."]);
    assert_eq!(dist["cargo-dist-version"].as_str(), Some("0.34.0"));
}

#[test]
fn what_is_promised_is_asked_for() {
    let dist = toml("dist-workspace.toml")["dist"].clone();
    assert_eq!(
        words(&dist["installers"]),
        ["shell", "powershell", "homebrew"]
    );
    assert_eq!(dist["checksum"].as_str(), Some("sha256"));
    assert_eq!(dist["github-attestations"].as_bool(), Some(true));
    assert_eq!(words(&dist["install-path"]), ["~/.local/bin"]);
    let targets = words(&dist["targets"]);
    let want = [
        "aarch64-apple-darwin",
        "aarch64-unknown-linux-musl",
        "x86_64-apple-darwin",
        "x86_64-pc-windows-msvc",
        "x86_64-unknown-linux-musl",
    ];
    assert_eq!(
        targets.iter().map(String::as_str).collect::<BTreeSet<_>>(),
        want.into()
    );
    let graph = toml("deny.toml")["graph"]["targets"].clone();
    assert_eq!(words(&graph), targets, "deny.toml looks at other targets");
}

/// A folder that is not there would end the release's build; a job's file, its start.
#[test]
fn what_it_names_is_there() {
    let dist = toml("dist-workspace.toml")["dist"].clone();
    for folder in words(&dist["include"]) {
        assert!(repository(&folder).is_dir(), "{folder}/ is to be packed");
    }
    for job in words(&dist["publish-jobs"]) {
        if let Some(name) = job.strip_prefix("./") {
            let path = format!(".github/workflows/{name}.yml");
            assert!(repository(&path).is_file(), "{path} is called");
        }
    }
    let script = words(&dist["extra-artifacts"][0]["build"])[1].clone();
    assert!(text(&script).contains("lean-computer-use.cdx"), "{script}");
}

#[test]
fn the_profile_of_dist_is_the_measured_one() {
    let profiles = toml("Cargo.toml")["profile"].clone();
    let dist = profiles["dist"].as_table().unwrap();
    assert_eq!(
        dist.len(),
        1,
        "a key of its own makes another binary: {dist:?}"
    );
    assert_eq!(dist["inherits"].as_str(), Some("release"));
    let release = &profiles["release"];
    assert_eq!(release["lto"].as_str(), Some("fat"));
    assert_eq!(release["codegen-units"].as_integer(), Some(1));
    assert_eq!(release["strip"].as_bool(), Some(true));
}
