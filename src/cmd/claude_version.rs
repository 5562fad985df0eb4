//! Which Claude Code stands on PATH. In go PATH and what lies there, out comes a version as text.
//! An install must not wait for a program of somebody else, so it is started only where its own
//! path does not tell.

use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use fs_err as fs;
use serde_json::Value;

use crate::files::read_if_present;
use crate::host::Host;

/// The oldest version that everything was seen to work with.
const OLDEST: [u32; 3] = [2, 1, 197];

/// What a program that hangs is given.
const LIMIT: Duration = Duration::from_secs(5);

/// The version that the path of `claude` tells: its own installer names the file by it, npm's
/// package holds it.
pub fn told(host: &Host) -> Option<String> {
    let path = host.var("PATH").unwrap_or_default();
    by_path(&first_on(path)?)
}

fn first_on(path: &OsStr) -> Option<PathBuf> {
    let files = std::env::split_paths(path).map(|folder| folder.join("claude"));
    let mut files = files.filter(|file| file.is_absolute() && file.is_file());
    fs::canonicalize(files.next()?).ok()
}

fn by_path(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    if numbers(name).is_some() {
        return Some(name.to_owned());
    }
    let packages = file
        .ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join("package.json"));
    let texts = packages.filter_map(|package| read_if_present(&package).ok().flatten());
    let mut packages = texts.filter_map(|text| serde_json::from_slice::<Value>(&text).ok());
    let claude = packages.find(|package| package["name"] == "@anthropic-ai/claude-code")?;
    Some(claude["version"].as_str()?.to_owned())
}

/// What `claude --version` says; none when there is none, or when it fails or hangs.
pub fn asked(host: &Host) -> Option<String> {
    // Looking costs less than a process that finds nothing to become.
    first_on(host.var("PATH").unwrap_or_default())?;
    #[expect(
        clippy::disallowed_methods,
        reason = "asking a program for its version starts it"
    )]
    let mut claude = Command::new("claude")
        .arg("--version")
        .env_clear()
        .envs(host.env())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdout = claude.stdout.take()?;
    let (sender, said) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stdout.read_to_end(&mut bytes);
        sender.send(bytes)
    });
    let Ok(bytes) = said.recv_timeout(LIMIT) else {
        let _ = claude.kill();
        let _ = claude.wait();
        return None;
    };
    let ended = claude.wait().ok()?;
    ended
        .success()
        .then(|| String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// How a version compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// New enough.
    Fine,
    /// Older than all that were tried.
    TooOld,
    /// No version.
    Unknown,
}

/// Of what was told or said, of which the first word counts.
pub fn age(said: &str) -> Age {
    match numbers(said.split_whitespace().next().unwrap_or_default()) {
        Some(version) if version >= OLDEST => Age::Fine,
        Some(_) => Age::TooOld,
        None => Age::Unknown,
    }
}

/// `2.1.197`.
pub fn oldest() -> String {
    OLDEST.map(|n| n.to_string()).join(".")
}

fn numbers(version: &str) -> Option<[u32; 3]> {
    let mut parts = version.split('.').map(|part| part.parse().ok());
    let three = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(three)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages() {
        for (said, want) in [
            ("2.1.197 (Claude Code)", Age::Fine),
            ("2.2.0", Age::Fine),
            ("10.0.0", Age::Fine),
            ("2.1.196 (Claude Code)", Age::TooOld),
            ("1.9.999", Age::TooOld),
            ("2.1", Age::Unknown),
            ("2.1.197.1", Age::Unknown),
            ("v2.1.197", Age::Unknown),
            ("", Age::Unknown),
        ] {
            assert_eq!(age(said), want, "{said}");
        }
    }

    #[test]
    fn a_path_tells_by_its_name_or_its_package() {
        let temp = tempfile::tempdir().unwrap();
        let package = temp.path().join("claude-code");
        std::fs::create_dir_all(package.join("bin")).unwrap();
        let told = |file: &str| by_path(&package.join(file));
        assert_eq!(told("versions/2.1.7").as_deref(), Some("2.1.7"));
        for (text, want) in [
            (r#"{"name": "else", "version": "1.0.0"}"#, None),
            ("no JSON", None),
            (
                r#"{"name": "@anthropic-ai/claude-code", "version": "2.1.5"}"#,
                Some("2.1.5"),
            ),
        ] {
            crate::files::replace(&package.join("package.json"), text.as_bytes(), 0o644).unwrap();
            for file in ["cli.js", "bin/claude.exe"] {
                assert_eq!(told(file).as_deref(), want, "{text}");
            }
        }
    }
}
