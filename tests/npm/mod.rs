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
        static PUBLISHED: OnceLock<PathBuf> = OnceLock::new();
        let published = PUBLISHED.get_or_init(|| {
            let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join("npm-registry");
            let _ = fs::remove_dir_all(&to);
            let npm = Self::with(&to);
            npm.publish(env!("CARGO_PKG_VERSION"), archives::stripped());
            to
        });
        Self::with(published)
    }

    /// With what lies in this registry's folder, which stays as it is once it holds something.
    fn with(published: &Path) -> Self {
        let ctx = TestContext::new();
        fs::remove_file(ctx.bin.join(NAME)).unwrap();
        let prefix = ctx.home.join("my programs");
        let folder = if published.exists() {
            let copy = ctx.root().join("registry");
            copy_all(published, &copy);
            copy
        } else {
            published.to_owned()
        };
        let registry = Registry::start(&folder);
        let host = registry.url.trim_start_matches("http:");
        let npmrc = format!(
            "registry={}\n{host}:_authToken=none\nprefix={}\ncache={}\nupdate-notifier=false\nfetch-retries=0\n",
            registry.url,
            prefix.display(),
            ctx.home.join("npm cache").display(),
        );
        fs::write(ctx.home.join(".npmrc"), npmrc).unwrap();
        Self {
            ctx,
            registry,
            prefix,
        }
    }

    /// Builds and publishes the packages of a version, as the release does. Returns where they lie.
    fn publish(&self, version: &str, binary: &Path) -> PathBuf {
        let root = self.release(version);
        let sources = archives::sources(&root, version);
        archives::write(&root.join("archives"), binary);
        let (from, to) = (root.join("archives"), root.join("packages"));
        let mut build = Command::new(sources.join("build"));
        self.run(build.arg(from).arg(&to), "npm/build")
            .unrecorded()
            .expect(0);
        self.upload(version, &to);
        to
    }

    fn upload(&self, version: &str, packages: &Path) -> Observed {
        let mut publish = Command::new(self.release(version).join("npm/publish"));
        let run = self.run(publish.arg(packages), "npm/publish");
        run.unrecorded().expect(0)
    }

    fn release(&self, version: &str) -> PathBuf {
        self.ctx.root().join(format!("release {version}"))
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
        let temp = self.ctx.root().join("temp");
        fs::create_dir_all(&temp).unwrap();
        let run = Run::new(command, name).world(&self.ctx);
        run.env("PATH", path).env("TMPDIR", temp)
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

fn copy_all(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.unwrap();
        let to = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(to).unwrap();
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// Name, version and places are those of the project, the platforms those that dist builds for.
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

    let dist: toml::Table = text(&root.join("dist-workspace.toml")).parse().unwrap();
    let targets = dist["dist"]["targets"].as_array().unwrap().iter();
    let platforms = archives::platforms();
    let own = platforms.iter().map(|platform| &platform["target"]);
    assert!(
        own.map(|target| target.as_str())
            .eq(targets.map(|target| target.as_str()))
    );
    let mut names: Vec<_> = platforms
        .iter()
        .map(|p| format!("{} {}", p["os"], p["cpu"]))
        .collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}
