//! Which binary the installed launchers start first. In go the running binary and PATH, out comes
//! the machine's own record and what is doubtful about it. Reads the binary for its digest.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fs_err as fs;

use crate::files::sha256;

/// The recorded binary.
#[derive(Debug)]
pub struct Binary {
    /// The path as found on PATH when that is the running binary, else the running binary's own: a
    /// path on PATH outlives the versioned folder that it often links to.
    pub path: PathBuf,
    /// What PATH leads to.
    pub on_path: OnPath,
    /// Whether it lies in a build or temp folder.
    pub may_go_away: bool,
    /// Path and SHA-256, one a line.
    pub record: String,
}

/// What `lean-computer-use` means to a shell.
#[derive(Debug, PartialEq, Eq)]
pub enum OnPath {
    /// The running binary.
    This,
    /// Another file.
    Other(PathBuf),
    /// Nothing.
    Nothing,
}

/// Looks at the running binary `exe`, at `path` (the variable's value) and the temp folder.
pub fn look(exe: &Path, path: Option<&OsStr>, temp: &Path) -> Result<Binary> {
    let name = format!("{}{}", env!("CARGO_PKG_NAME"), std::env::consts::EXE_SUFFIX);
    let real = fs::canonicalize(exe).context("could not find the running binary")?;
    let folders = std::env::split_paths(path.unwrap_or_default());
    let mut hits = folders
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name))
        .filter(|hit| hit.is_file());
    let (path, on_path) = match hits.next() {
        Some(hit) if fs::canonicalize(&hit).ok().as_ref() == Some(&real) => (hit, OnPath::This),
        Some(hit) => (exe.to_owned(), OnPath::Other(hit)),
        None => (exe.to_owned(), OnPath::Nothing),
    };
    let digest = sha256(&fs::read(&real)?);
    let temp = fs::canonicalize(temp).unwrap_or_else(|_| temp.to_owned());
    Ok(Binary {
        may_go_away: is_build_folder(&real) || real.starts_with(&temp) || path.starts_with(&temp),
        record: format!("{}\n{digest}\n", path.display()),
        path,
        on_path,
    })
}

/// Cargo's own output folders: `target/debug`, `target/release`, with a platform between or not.
fn is_build_folder(binary: &Path) -> bool {
    let names: Vec<_> = binary.iter().rev().skip(1).take(3).collect();
    let profile = names
        .first()
        .is_some_and(|name| *name == "debug" || *name == "release");
    profile && names.iter().skip(1).any(|name| *name == "target")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_folders_are_known() {
        for (path, want) in [
            ("/x/target/debug/lean-computer-use", true),
            (
                "/x/target/aarch64-apple-darwin/release/lean-computer-use",
                true,
            ),
            ("/home/me/.cargo/bin/lean-computer-use", false),
            ("/opt/release/lean-computer-use", false),
        ] {
            assert_eq!(is_build_folder(Path::new(path)), want, "{path}");
        }
    }
}
