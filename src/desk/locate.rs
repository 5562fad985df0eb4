//! Which driver binary to run: places to look in, the first one that is fit or why none is out.
//! A project can set variables and bring files, so what it could have put there is refused.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use fs_err as fs;

/// Where to look.
#[derive(Debug, Default)]
pub struct Places<'a> {
    /// The user's own choice (`CUA_DRIVER_BIN`): this one or none.
    pub chosen: Option<&'a Path>,
    /// Folders where it is usually installed; looked into before `PATH`, which can be bare.
    pub usual: &'a [PathBuf],
    /// `PATH`.
    pub path: Option<&'a OsStr>,
    /// The project at hand: nothing inside it is run.
    pub project: Option<&'a Path>,
}

const FILE: &str = if cfg!(windows) {
    "cua-driver.exe"
} else {
    "cua-driver"
};

/// The usual folders of this user.
#[must_use]
pub fn usual(home: Option<&Path>) -> Vec<PathBuf> {
    let own = home.map(|home| home.join(".local/bin"));
    let shared = [
        "/usr/local/bin",
        "/opt/homebrew/bin",
        "/Applications/CuaDriver.app/Contents/MacOS",
    ];
    own.into_iter().chain(shared.map(PathBuf::from)).collect()
}

/// The native driver binary.
pub fn locate(places: &Places) -> Result<PathBuf> {
    if let Some(chosen) = places.chosen {
        return match fit(chosen, places) {
            Ok(binary) => Ok(binary),
            Err(why) => bail!("could not use CUA_DRIVER_BIN: {why}; {}", how_to_install()),
        };
    }
    let mut refused = String::new();
    for candidate in candidates(places) {
        if !candidate.is_file() {
            continue;
        }
        match fit(&candidate, places) {
            Ok(binary) => return Ok(binary),
            Err(why) => refused = format!(" (one was passed over: {why})"),
        }
    }
    bail!("could not find cua-driver{refused}: {}", how_to_install())
}

/// What a binary can name: it need not stand beside the file.
macro_rules! told {
    () => {
        concat!(
            env!("CARGO_PKG_REPOSITORY"),
            "/blob/main/docs/cua-driver-install.md"
        )
    };
}

/// One text a platform, so that nobody reads about another one.
fn how_to_install() -> &'static str {
    if cfg!(target_os = "macos") {
        concat!(
            "install CuaDriver.app and its command line (github.com/trycua/cua, libs/cua-driver), and allow it Accessibility in System Settings, as ",
            told!(),
            " says"
        )
    } else if cfg!(target_os = "linux") {
        concat!(
            "install it with `pipx install cua-driver`, and at-spi2-core with the system's package manager, as ",
            told!(),
            " says; or set CUA_DRIVER_BIN to its absolute path"
        )
    } else {
        concat!(
            "install it with `pipx install cua-driver`, or set CUA_DRIVER_BIN to its absolute path; see ",
            told!()
        )
    }
}

fn candidates(places: &Places) -> Vec<PathBuf> {
    let path = std::env::split_paths(places.path.unwrap_or_default());
    let usual = places.usual.iter().cloned();
    usual.chain(path).map(|folder| folder.join(FILE)).collect()
}

/// The binary behind a hit, or why it is refused.
fn fit(hit: &Path, places: &Places) -> Result<PathBuf, String> {
    let shown = crate::escape::shown(&hit.display().to_string());
    if hit.is_relative() {
        return Err(format!("{shown} is relative"));
    }
    let real = fs::canonicalize(hit).map_err(|_| format!("{shown} does not exist"))?;
    let binary = native(&real).unwrap_or_else(|| real.clone());
    for path in [hit, &real, &binary] {
        if let Some(project) = places.project
            && (path.starts_with(project) || is_below(path, project))
        {
            return Err(format!("{shown} lies inside the project"));
        }
        for place in [Some(path), path.parent()].into_iter().flatten() {
            if let Some(why) = others_can_change(place) {
                let place = crate::escape::shown(&place.display().to_string());
                return Err(format!("{place} {why}"));
            }
        }
    }
    if !binary.is_file() {
        return Err(format!("{shown} is not a file"));
    }
    Ok(binary)
}

fn is_below(path: &Path, folder: &Path) -> bool {
    match (fs::canonicalize(path), fs::canonicalize(folder)) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => false,
    }
}

/// The binary that a script made by pip would start, 100 ms later:
/// `…/bin/cua-driver` → `…/lib/python3.X/site-packages/cua_driver/bin/cua-driver`.
fn native(script: &Path) -> Option<PathBuf> {
    let mut start = [0; 2];
    std::io::Read::read_exact(&mut fs::File::open(script).ok()?, &mut start).ok()?;
    if &start != b"#!" {
        return None;
    }
    let libraries = script.parent()?.parent()?.join("lib");
    let pythons = fs::read_dir(libraries).ok()?.filter_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name();
        name.to_str()?.starts_with("python3").then(|| entry.path())
    });
    pythons
        .map(|python| python.join("site-packages/cua_driver/bin").join(FILE))
        .find(|binary| binary.is_file())
}

/// Whether somebody other than root and the user could put something else there.
#[cfg(unix)]
fn others_can_change(path: &Path) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    let meta = fs::metadata(path).ok()?;
    let user = rustix::process::geteuid().as_raw();
    if meta.uid() != 0 && meta.uid() != user {
        return Some("belongs to another user");
    }
    if meta.mode() & 0o002 != 0 {
        return Some("can be changed by everybody");
    }
    // A user's own group of one, and the administrators of macOS (Homebrew's folder), are no others.
    let own = rustix::process::getegid().as_raw();
    let trusted = meta.gid() == 0
        || (meta.gid() == own && own == user)
        || (cfg!(target_os = "macos") && meta.gid() == 80);
    (meta.mode() & 0o020 != 0 && !trusted).then_some("can be changed by a group")
}

#[cfg(not(unix))]
fn others_can_change(_: &Path) -> Option<&'static str> {
    None
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn program(path: &Path, mode: u32) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::File::create(path).unwrap();
        std::fs::copy("/bin/sh", path).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_others_could_have_put_there_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let at = temp.path().canonicalize().unwrap();
        let (good, open) = (at.join("good/cua-driver"), at.join("open/cua-driver"));
        let inside = at.join("project/bin/cua-driver");
        program(&good, 0o755);
        program(&open, 0o777);
        program(&inside, 0o755);
        let link = at.join("good/link");
        std::os::unix::fs::symlink(&inside, &link).unwrap();
        let project = at.join("project");
        let found = |path: &Path| {
            let places = Places {
                chosen: Some(path),
                project: Some(&project),
                ..Places::default()
            };
            locate(&places).map_err(|error| error.to_string())
        };
        assert_eq!(found(&good), Ok(good.clone()));
        for (path, why) in [
            (open.as_path(), "can be changed by everybody"),
            (&inside, "lies inside the project"),
            (&link, "lies inside the project"),
            (Path::new("cua-driver"), "is relative"),
            (&at.join("none"), "does not exist"),
        ] {
            let error = found(path).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        std::fs::set_permissions(at.join("good"), std::fs::Permissions::from_mode(0o757)).unwrap();
        assert!(found(&good).unwrap_err().contains("by everybody"));
    }

    #[test]
    fn without_one_it_says_what_to_install() {
        let temp = tempfile::tempdir().unwrap();
        let at = temp.path().canonicalize().unwrap();
        let usual = [at.join("usual")];
        let path = at.join("path");
        let places = Places {
            usual: &usual,
            path: Some(path.as_os_str()),
            ..Places::default()
        };
        let error = locate(&places).unwrap_err().to_string();
        assert!(error.contains("install"), "{error}");
        program(&path.join(FILE), 0o755);
        assert_eq!(locate(&places).unwrap(), path.join(FILE));
        program(&usual[0].join(FILE), 0o777);
        assert_eq!(locate(&places).unwrap(), path.join(FILE));
        std::fs::remove_file(path.join(FILE)).unwrap();
        let error = locate(&places).unwrap_err().to_string();
        assert!(error.contains("passed over"), "{error}");
    }

    #[test]
    fn the_script_of_pip_leads_to_the_binary() {
        let temp = tempfile::tempdir().unwrap();
        let at = temp.path().canonicalize().unwrap();
        let binary = at.join("lib/python3.11/site-packages/cua_driver/bin/cua-driver");
        program(&binary, 0o755);
        let script = at.join("bin/cua-driver");
        program(&script, 0o755);
        let path = script.parent().unwrap().as_os_str();
        let places = Places {
            path: Some(path),
            ..Places::default()
        };
        assert_eq!(locate(&places).unwrap(), script);
        files_text(&script, "#!/usr/bin/python3\n");
        assert_eq!(locate(&places).unwrap(), binary);
    }

    fn files_text(path: &Path, text: &str) {
        crate::files::replace(path, text.as_bytes(), 0o755).unwrap();
    }
}
