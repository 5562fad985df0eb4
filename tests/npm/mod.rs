//! The npm packages: made by `npm/build` from archives in the release's shape, published to a real
//! registry on loopback, installed and run by the real npm and node.

mod archives;
mod build;
mod registry;
mod stories;
mod wrapper;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::context::TestContext;
use crate::observe::{Observed, Run};
use registry::Registry;

const NAME: &str = "lean-computer-use";

/// A user with npm, and a registry that holds what we publish.
struct Npm {
    ctx: TestContext,
    registry: Registry,
    /// Where `npm install -g` puts things.
    prefix: PathBuf,
}

impl Npm {
    /// With this version published.
    fn new() -> Self {
        let ctx = TestContext::new();
        fs::remove_file(ctx.bin.join(NAME)).unwrap();
        let prefix = ctx.home.join("my programs");
        let registry = Registry::start(&ctx.root().join("registry"));
        let host = registry.url.trim_start_matches("http:");
        let npmrc = format!(
            "registry={}\n{host}:_authToken=none\nprefix={}\ncache={}\nupdate-notifier=false\nfetch-retries=0\n",
            registry.url,
            prefix.display(),
            ctx.home.join("npm cache").display(),
        );
        fs::write(ctx.home.join(".npmrc"), npmrc).unwrap();
        let npm = Self {
            ctx,
            registry,
            prefix,
        };
        npm.publish(env!("CARGO_PKG_VERSION"), archives::stripped());
        npm
    }

    /// Builds and publishes the packages of a version, as the release does.
    fn publish(&self, version: &str, binary: &Path) {
        let root = self.ctx.root().join(format!("release {version}"));
        let sources = archives::sources(&root, version);
        archives::write(&root.join("archives"), binary);
        let (from, to) = (root.join("archives"), root.join("packages"));
        let mut build = Command::new(sources.join("build"));
        self.run(build.arg(from).arg(&to), "npm/build")
            .unrecorded()
            .expect(0);
        let mut publish = Command::new(sources.join("publish"));
        self.run(publish.arg(to), "npm/publish")
            .unrecorded()
            .expect(0);
    }

    /// `npm` with these words.
    fn npm(&self, words: &[&str]) -> Observed {
        self.run(Command::new("npm").args(words), "npm")
            .unrecorded()
    }

    /// `npx` with these words, which end as the program does.
    fn npx(&self, words: &[&str]) -> Run {
        let name = words[0];
        let mut command = Command::new("npx");
        command.args(["-y", NAME]).args(words);
        self.run(&mut command, name)
    }

    /// The installed program with these words.
    fn program(&self, words: &[&str]) -> Run {
        let name = words.first().filter(|word| !word.starts_with('-'));
        let mut command = Command::new(self.prefix.join("bin").join(NAME));
        command.args(words);
        self.run(&mut command, name.unwrap_or(&NAME))
    }

    fn run(&self, command: &mut Command, name: &str) -> Run {
        let command = std::mem::replace(command, Command::new("true"));
        let path = format!(
            "{}:{}:/usr/bin:/bin",
            self.prefix.join("bin").display(),
            node().parent().unwrap().display()
        );
        Run::new(command, name).world(&self.ctx).env("PATH", path)
    }

    /// The binary in the platform's package.
    fn binary(&self) -> PathBuf {
        let modules = self.prefix.join("lib/node_modules");
        modules.join(
            "lean-computer-use/node_modules/lean-computer-use-linux-x64/bin/lean-computer-use",
        )
    }
}

/// The real node. Its absence is a failure, never a skip.
fn node() -> &'static Path {
    static NODE: OnceLock<PathBuf> = OnceLock::new();
    NODE.get_or_init(|| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut hits = std::env::split_paths(&path).map(|folder| folder.join("node"));
        let hit = hits.find(|hit| hit.is_file() && hit.with_file_name("npm").exists());
        hit.expect("node and npm are not on PATH: .ci/run installs them")
    })
}

fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// Name, version and places are those of the project, and each platform is named once.
#[test]
fn the_packages_repeat_what_the_project_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let project: toml::Table = text(&root.join("release/project.toml")).parse().unwrap();
    let package: Value = serde_json::from_str(&text(&root.join("npm/package.json"))).unwrap();
    assert_eq!(package["name"].as_str(), project["npm"]["package"].as_str());
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
    for field in ["description", "homepage", "license"] {
        assert_eq!(package[field].as_str(), project[field].as_str(), "{field}");
    }
    let topics: Vec<_> = project["topics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t.as_str())
        .collect();
    let keywords: Vec<_> = package["keywords"]
        .as_array()
        .unwrap()
        .iter()
        .map(Value::as_str)
        .collect();
    assert_eq!(keywords, topics);
    let repository = format!("git+{}.git", project["repository"].as_str().unwrap());
    assert_eq!(package["repository"]["url"], repository);

    let mut names: Vec<_> = archives::platforms()
        .iter()
        .map(|p| format!("{} {}", p["os"], p["cpu"]))
        .collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}
