//! What a release is made of: the pages and completions in the archives, the names that stand in
//! several files, the configuration of dist, the workflows, the scripts.

mod dist;
mod pages;
mod project;
#[cfg(unix)]
mod scripts;
mod workflows;

use std::fs;
use std::path::{Path, PathBuf};

/// A path of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A file of the repository; lines end in a line feed on every system.
fn text(path: &str) -> String {
    let text = fs::read_to_string(repository(path));
    let text = text.unwrap_or_else(|error| panic!("could not read {path}: {error}"));
    text.replace("\r\n", "\n")
}

fn toml(path: &str) -> toml::Value {
    let text = text(path);
    toml::from_str(&text).unwrap_or_else(|error| panic!("could not parse {path}: {error}"))
}
