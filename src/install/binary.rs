//! Which binary the installed launchers start first. In go the running binary and PATH, out comes
//! the machine's own record and what is doubtful about it. Reads the binary only where its digest
//! is asked for, and copies one that would go away.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fs_err as fs;

use crate::escape;
use crate::files::{read_if_present, replace, sha256_of};

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
    /// Where the running binary lies, when it must be copied to `path` because npm will remove it.
    pub copied_from: Option<PathBuf>,
    /// The running binary itself, without links.
    real: PathBuf,
}

/// What `lean-computer-use` means to a shell.
#[derive(Debug, PartialEq, Eq)]
pub enum OnPath {
    /// The running binary, or npm's wrapper of it.
    This,
    /// Another file.
    Other(PathBuf),
    /// Nothing.
    Nothing,
}

/// What a look at the binary needs to know of its surroundings.
#[derive(Debug)]
pub struct Around<'a> {
    /// The running binary.
    pub exe: &'a Path,
    /// The value of PATH.
    pub path: Option<&'a OsStr>,
    /// The folder for temp files.
    pub temp: &'a Path,
    /// The user's home folder.
    pub home: Option<&'a Path>,
}

fn name() -> String {
    format!("{}{}", env!("CARGO_PKG_NAME"), std::env::consts::EXE_SUFFIX)
}

/// Looks at the running binary.
pub fn look(around: &Around<'_>) -> Result<Binary> {
    let real = fs::canonicalize(around.exe).context("could not find the running binary")?;
    // npm puts `node_modules/.bin` there only as long as it runs us.
    let folders = std::env::split_paths(around.path.unwrap_or_default());
    let mut hits = folders
        .filter(|folder| folder.is_absolute() && !folder.ends_with("node_modules/.bin"))
        .map(|folder| folder.join(name()))
        .filter(|hit| hit.is_file());
    let (mut path, on_path) = match hits.next() {
        Some(hit) if fs::canonicalize(&hit).ok().as_ref() == Some(&real) => (hit, OnPath::This),
        // The wrapper would start node at every call of a hook.
        Some(hit) if is_npm_wrapper(&hit, &real) => (around.exe.to_owned(), OnPath::This),
        Some(hit) => (around.exe.to_owned(), OnPath::Other(hit)),
        None => (around.exe.to_owned(), OnPath::Nothing),
    };
    let mut copied_from = None;
    if is_npx_cache(&path) {
        let home = around.home.context(
            "could not find a place for the binary, which npx will remove: set HOME, or install it with npm install -g",
        )?;
        path = home.join(".local/share/lean-computer-use/bin").join(name());
        copied_from = Some(real.clone());
    }
    let temp = fs::canonicalize(around.temp).unwrap_or_else(|_| around.temp.to_owned());
    let temporary = real.starts_with(&temp) || path.starts_with(&temp);
    Ok(Binary {
        may_go_away: copied_from.is_none() && (is_build_folder(&real) || temporary),
        path,
        on_path,
        copied_from,
        real,
    })
}

impl Binary {
    /// The machine's own record: path and SHA-256, one a line. Reads the binary. Refuses a path that
    /// a launcher could not read back from it.
    pub fn record(&self) -> Result<String> {
        let path = self.path.to_str().filter(|path| !path.contains('\n'));
        let path = path.with_context(|| {
            let path = escape::path(&self.path);
            format!("could not record where the program is: {path} has a line end or is not UTF-8")
        })?;
        let digest = sha256_of(&self.real)?;
        Ok(format!("{path}\n{digest}\n"))
    }

    /// Copies the binary to where it stays, when it has to be.
    pub fn settle(&self) -> Result<()> {
        let Some(from) = &self.copied_from else {
            return Ok(());
        };
        let bytes = fs::read(from)?;
        if read_if_present(&self.path)?.as_ref() == Some(&bytes) {
            return Ok(());
        }
        let folder = self.path.parent().context("a file path has a folder")?;
        fs::create_dir_all(folder)?;
        replace(&self.path, &bytes, 0o755)
    }
}

/// The path in a record of `local/binary`, and the digest behind it.
#[must_use]
pub fn recorded(record: &[u8]) -> Option<(PathBuf, String)> {
    let mut lines = std::str::from_utf8(record).ok()?.lines();
    let path = lines
        .next()
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())?;
    Some((path, lines.next().unwrap_or_default().to_owned()))
}

/// npx unpacks into `_npx/HASH/node_modules` of npm's cache and forgets it there.
fn is_npx_cache(path: &Path) -> bool {
    path.iter().any(|name| name == "_npx")
}

/// Whether `hit` is the wrapper of the npm package that brought `binary`, which lies in a package
/// below it or beside it. `npm/build` is the source of these names.
fn is_npm_wrapper(hit: &Path, binary: &Path) -> bool {
    let Ok(wrapper) = fs::canonicalize(hit) else {
        return false;
    };
    let package = wrapper.parent().and_then(Path::parent);
    let modules = package
        .filter(|package| package.ends_with(concat!("node_modules/", env!("CARGO_PKG_NAME"))));
    modules
        .and_then(Path::parent)
        .is_some_and(|modules| binary.starts_with(modules))
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

    #[test]
    #[cfg(unix)]
    fn npms_wrapper_on_path_is_this_one_and_not_what_is_recorded() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        let modules = root.join("lib/node_modules");
        let file = |path: PathBuf| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            replace(&path, b"", 0o644).unwrap();
            path
        };
        let main = modules.join("lean-computer-use");
        let wrapper = file(main.join("bin/lean-computer-use.js"));
        let below = main.join("node_modules/lean-computer-use-linux-x64/bin/lean-computer-use");
        let beside = modules.join("lean-computer-use-linux-x64/bin/lean-computer-use");
        let other = root.join("other/lean-computer-use");
        let bin = root.join("bin");
        let link = bin.join("lean-computer-use");
        fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(wrapper, &link).unwrap();
        let ran_by_npm = modules.join(".bin");
        file(ran_by_npm.join("lean-computer-use"));
        for (exe, folder, want) in [
            (&below, &bin, OnPath::This),
            (&beside, &bin, OnPath::This),
            (&other, &bin, OnPath::Other(link)),
            (&beside, &ran_by_npm, OnPath::Nothing),
        ] {
            file(exe.clone());
            let around = Around {
                exe,
                path: Some(folder.as_os_str()),
                temp: Path::new("/nowhere"),
                home: None,
            };
            let found = look(&around).unwrap();
            assert_eq!((&found.path, found.on_path), (exe, want));
        }
    }

    #[test]
    fn a_record_names_an_absolute_path() {
        let (path, digest) = recorded(b"/opt/x\nabc\n").unwrap();
        assert_eq!((path.to_str(), digest.as_str()), (Some("/opt/x"), "abc"));
        assert!(recorded(b"x\nabc\n").is_none() && recorded(b"").is_none());
    }
}
