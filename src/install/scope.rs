//! Which folder is the project. In go the current folder, the home folder and what was asked for,
//! out comes the root, or why there is none. Looks at folders only through the question it is
//! given.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// What makes a folder a project. A `.git` that is a file is a worktree.
pub const MARKERS: [&str; 2] = [".claude", ".git"];

/// The root: `asked`, else the nearest folder upwards from `cwd` that `is_project`, below the home
/// folder, else `cwd`. All paths are absolute and without links.
pub fn root(
    asked: Option<&Path>,
    cwd: &Path,
    home: Option<&Path>,
    is_project: impl Fn(&Path) -> bool,
) -> Result<PathBuf> {
    let below_home = |folder: &&Path| Some(*folder) != home;
    let root = asked.unwrap_or_else(|| {
        let upwards = cwd.ancestors().take_while(below_home);
        upwards
            .into_iter()
            .find(|folder| is_project(folder))
            .unwrap_or(cwd)
    });
    if Some(root) == home {
        bail!(
            "could not use the home folder as a project: its .claude serves every project; use \
             --user for that, or name a project folder with --project DIR"
        );
    }
    Ok(root.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_project_below_home() {
        let projects = ["/h/me", "/h/me/p", "/h/me/p/sub/inner"];
        let is_project = |folder: &Path| projects.iter().any(|p| Path::new(p) == folder);
        let found = |asked: Option<&str>, cwd: &str| {
            let asked = asked.map(Path::new);
            root(asked, Path::new(cwd), Some(Path::new("/h/me")), is_project)
                .map(|root| root.to_str().unwrap().to_owned())
        };
        for (asked, cwd, want) in [
            (None, "/h/me/p", "/h/me/p"),
            (None, "/h/me/p/src/deep", "/h/me/p"),
            (None, "/h/me/p/sub/inner/x", "/h/me/p/sub/inner"),
            (None, "/h/me/new/x", "/h/me/new/x"),
            (None, "/srv/x", "/srv/x"),
            (Some("/srv/y"), "/h/me", "/srv/y"),
        ] {
            assert_eq!(found(asked, cwd).unwrap(), want);
        }
        assert!(found(None, "/h/me").is_err());
        assert!(found(Some("/h/me"), "/h/me/p").is_err());
    }
}
