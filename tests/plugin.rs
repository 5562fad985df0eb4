//! The Claude Code plugin is what `install` installs: part of `cargo test`, it compares `plugin/` and
//! `.claude-plugin/` with what they are generated from, and fails on any difference. `cargo test
//! --test plugin -- --write` writes them.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a developer's tool: writes files, prints what is wrong, may stop at a surprise"
)]

#[path = "plugin/files.rs"]
mod files;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use files::{File, Sources};

/// The folders that hold nothing else.
const FOLDERS: [&str; 2] = ["plugin", ".claude-plugin"];

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--list") {
        return ExitCode::SUCCESS;
    }
    let read = |name| fs::read_to_string(at(name)).unwrap();
    let files = Sources::new(&read("release/project.toml"), &read("LICENSE")).files();
    if words.iter().any(|word| word == "--write") {
        write(&files);
    }
    let faults = faults(&files);
    for fault in &faults {
        println!("  {fault}");
    }
    if faults.is_empty() {
        println!("\nplugin: ok: {} files", files.len());
        return ExitCode::SUCCESS;
    }
    println!("plugin: FAILED: to write it: cargo test --test plugin -- --write");
    ExitCode::FAILURE
}

fn at(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn faults(files: &[File]) -> Vec<String> {
    let mut faults = Vec::new();
    for file in files {
        let path = at(&file.path);
        match fs::read_to_string(&path) {
            Err(_) => faults.push(format!("{} is missing", file.path)),
            Ok(text) if text != file.text => faults.push(format!("{} is out of date", file.path)),
            Ok(_) if is_executable(&path) != file.executable => {
                faults.push(format!("{} has the wrong mode", file.path));
            }
            Ok(_) => {}
        }
    }
    let wanted: BTreeSet<_> = files.iter().map(|file| at(&file.path)).collect();
    for folder in FOLDERS {
        for entry in walkdir::WalkDir::new(at(folder)) {
            let Ok(entry) = entry else { continue };
            if entry.file_type().is_file() && !wanted.contains(entry.path()) {
                faults.push(format!("{} is not of it", entry.path().display()));
            }
        }
    }
    faults
}

fn write(files: &[File]) {
    for folder in FOLDERS {
        let _ = fs::remove_dir_all(at(folder));
    }
    for file in files {
        let path = at(&file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &file.text).unwrap();
        set_mode(&path, if file.executable { 0o755 } else { 0o644 });
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o100 != 0
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name == "lean-computer-use")
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) {}
