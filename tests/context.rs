//! A world of its own for each test: home, project, PATH, clock; and what lies in a folder, as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::observe::Run;

/// 2026-11-30 12:00:00 UTC, the time that every test sees unless it sets its own.
pub const NOW_MS: i64 = 1_796_040_000_000;

/// A temp folder with `home/`, `home/project/` (a git project) and `bin/`, the only folder on PATH
/// besides the system's own.
pub struct TestContext {
    root: TempDir,
    pub home: PathBuf,
    pub project: PathBuf,
    /// Holds a link to the binary under test; put stand-ins for other programs here.
    pub bin: PathBuf,
}

/// Tests send signals, and what a script starts in its background is deaf to some.
fn hear_signals() {
    #[cfg(unix)]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| lean_computer_use::proof::heard_by_children().unwrap());
    }
}

impl TestContext {
    pub fn new() -> Self {
        hear_signals();
        let root = tempfile::Builder::new().prefix("lcu-").tempdir().unwrap();
        let at = root.path().canonicalize().unwrap();
        let (home, bin) = (at.join("home"), at.join("bin"));
        let project = home.join("project");
        fs::create_dir_all(project.join(".git")).unwrap();
        fs::create_dir(&bin).unwrap();
        let binary = bin.join("lean-computer-use");
        #[cfg(unix)]
        std::os::unix::fs::symlink(binary_path(), binary).unwrap();
        #[cfg(not(unix))]
        fs::copy(binary_path(), binary.with_extension("exe"))
            .map(drop)
            .unwrap();
        Self {
            root,
            home,
            project,
            bin,
        }
    }

    /// The temp folder itself.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// A call of the binary with these words, in the project.
    pub fn run(&self, words: &[&str]) -> Run {
        let mut command = Command::new(binary_path());
        command.args(words);
        Run::new(command, &command_name(words)).world(self)
    }

    /// A shell line, in the project, that is expected to end in the command `name`.
    pub fn shell(&self, line: &str, name: &str) -> Run {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", line]);
        Run::new(command, name).world(self)
    }

    /// The environment every process of this test gets, and nothing else.
    pub fn env(&self) -> Vec<(&'static str, String)> {
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        vec![
            ("HOME", text(&self.home)),
            ("USERPROFILE", text(&self.home)),
            ("PATH", format!("{}:/usr/bin:/bin", text(&self.bin))),
            ("TMPDIR", text(self.root())),
            ("LC_ALL", "C.UTF-8".to_owned()),
            ("NO_COLOR", "1".to_owned()),
            ("TZ", "UTC".to_owned()),
            ("LEAN_COMPUTER_USE_CLOCK_MS", NOW_MS.to_string()),
        ]
    }

    /// Writes a file below the project, with its folders.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// A file below the project, as text.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.project.join(path)).unwrap()
    }

    /// Puts an executable shell script on PATH.
    #[cfg(unix)]
    pub fn program(&self, name: &str, script: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.bin.join(name);
        let text = self.root().join(format!("text of {name}"));
        fs::write(&text, script).unwrap();
        copy_program(&text, &path);
        fs::remove_file(text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Filters that replace what differs from run to run in a snapshot.
    pub fn filters(&self) -> Vec<(String, &'static str)> {
        let plain = |path: &Path| literal(path.to_str().unwrap());
        let at = self.root.path().canonicalize().unwrap();
        let mut filters = vec![
            (plain(&self.project), "[PROJECT]"),
            (plain(&self.home), "[HOME]"),
            (plain(&at), "[ROOT]"),
            (plain(&binary_path()), "[BINARY]"),
            (literal(env!("CARGO_PKG_VERSION")), "[VERSION]"),
        ];
        filters.push((r"\b[0-9a-f]{64}\b".to_owned(), "[SHA256]"));
        filters
    }
}

/// The binary under test.
pub fn binary_path() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_lean-computer-use"))
}

/// Copies a program that will be started. A process of its own writes the copy: what this one has
/// open for writing, a child that another test just starts has open too, and until then nobody
/// can execute it ("text file busy").
pub fn copy_program(from: &Path, to: &Path) {
    if cfg!(unix) {
        let copy = Command::new("cp").arg(from).arg(to).status();
        assert!(copy.unwrap().success(), "could not copy {}", from.display());
    } else {
        fs::copy(from, to).map(drop).unwrap();
    }
}

/// Every path below `folder` with its kind, mode and bytes: what a snapshot or an equality test of
/// a whole tree needs.
pub fn tree(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in walkdir::WalkDir::new(folder).min_depth(1) {
        let entry = entry.unwrap();
        let name = entry.path().strip_prefix(folder).unwrap();
        let kind = if entry.file_type().is_dir() {
            "folder".to_owned()
        } else if entry.file_type().is_symlink() {
            format!("link to {}", fs::read_link(entry.path()).unwrap().display())
        } else {
            format!(
                "{:?}",
                String::from_utf8_lossy(&fs::read(entry.path()).unwrap())
            )
        };
        let name = name.to_str().unwrap().replace('\\', "/");
        found.insert(name, format!("{} {kind}", mode(entry.path())));
    }
    found
}

/// The tree's paths and modes, one a line.
pub fn listing(folder: &Path) -> String {
    tree(folder)
        .iter()
        .fold(String::new(), |mut text, (name, what)| {
            let (mode, kind) = what.split_once(' ').unwrap();
            let slash = if kind == "folder" { "/" } else { "" };
            let _ = writeln!(text, "{mode} {name}{slash}");
            text
        })
}

#[cfg(unix)]
fn mode(path: &Path) -> String {
    use std::os::unix::fs::MetadataExt;
    format!(
        "{:04o}",
        fs::symlink_metadata(path).unwrap().mode() & 0o7777
    )
}

#[cfg(not(unix))]
fn mode(_: &Path) -> String {
    "----".to_owned()
}

/// `install` for `["install", "--allow"]`, `hook retry-guard` for a hook.
fn command_name(words: &[&str]) -> String {
    match words {
        ["hook", name, ..] => format!("hook {name}"),
        [name, ..] if !name.starts_with('-') => (*name).to_owned(),
        _ => "lean-computer-use".to_owned(),
    }
}

fn literal(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        if !c.is_alphanumeric() && c != '/' && c != '_' {
            out.push('\\');
        }
        out.push(c);
        out
    })
}

/// Compares an [`crate::observe::Observed`] or any text with an inline snapshot, with the paths of
/// this test replaced.
#[macro_export]
macro_rules! snapshot {
    ($ctx:expr, $value:expr, @$want:literal) => {{
        let mut settings = insta::Settings::clone_current();
        for (pattern, with) in $ctx.filters() {
            settings.add_filter(&pattern, with);
        }
        settings.bind(|| insta::assert_snapshot!($value, @$want));
    }};
}
