//! What stands in a folder. In: its path. Out: the name and kind of each entry, and the [`Stamp`]
//! of those that are asked for. Where the system can, files are looked at from within the folder:
//! the way to it is walked once.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use super::Stamp;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A folder.
    Folder,
    /// A link to anything.
    Link,
    /// Anything else.
    Other,
}

/// A folder that is being listed.
pub struct Listing(inner::Folder);

impl Listing {
    /// Lists a folder: calls `each` with the name and the kind of every entry.
    pub fn of(folder: &Path, each: impl FnMut(&Self, &OsStr, Kind)) -> io::Result<()> {
        inner::list(folder, each)
    }

    /// The stamp of an entry, or of what it links to; none when that is no regular file.
    pub fn stamp(&self, name: &OsStr) -> io::Result<Option<Stamp>> {
        self.0.stamp(name)
    }
}

#[cfg(unix)]
mod inner {
    use std::ffi::OsStr;
    use std::io;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    use rustix::fs::{AtFlags, Dir, DirEntry, FileType, Mode, OFlags, Stat, open, statat};

    use super::super::Stamp;
    use super::{Kind, Listing};

    pub type Folder = Inner;

    pub struct Inner(Dir);

    pub fn list(folder: &Path, mut each: impl FnMut(&Listing, &OsStr, Kind)) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut listing = Listing(Inner(Dir::new(open(folder, flags, Mode::empty())?)?));
        while let Some(entry) = listing.0.0.read() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if !matches!(name, b"." | b"..") {
                let kind = listing.0.kind(&entry)?;
                each(&listing, OsStr::from_bytes(name), kind);
            }
        }
        Ok(())
    }

    impl Inner {
        /// Some file systems do not say it beside the name.
        fn kind(&self, entry: &DirEntry) -> io::Result<Kind> {
            let kind = match entry.file_type() {
                FileType::Unknown => {
                    let flags = AtFlags::SYMLINK_NOFOLLOW;
                    let stat = statat(self.0.fd()?, entry.file_name(), flags)?;
                    FileType::from_raw_mode(stat.st_mode)
                }
                kind => kind,
            };
            Ok(match kind {
                FileType::Directory => Kind::Folder,
                FileType::Symlink => Kind::Link,
                _ => Kind::Other,
            })
        }

        pub fn stamp(&self, name: &OsStr) -> io::Result<Option<Stamp>> {
            let stat = statat(self.0.fd()?, name, AtFlags::empty())?;
            let regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
            Ok(regular.then(|| stamp(&stat)))
        }
    }

    /// As [`Stamp::of`]. The types of the fields differ between systems.
    #[allow(
        clippy::useless_conversion,
        clippy::unnecessary_fallible_conversions,
        reason = "on some systems a field has the wanted type already"
    )]
    fn stamp(stat: &Stat) -> Stamp {
        let at =
            |seconds: i64, more: i64| seconds.saturating_mul(super::super::stamp::SECOND) + more;
        let more = |nanoseconds| i64::try_from(nanoseconds).unwrap_or(0);
        Stamp {
            size: u64::try_from(stat.st_size).unwrap_or(0),
            changed: at(stat.st_mtime.into(), more(stat.st_mtime_nsec)).max(0),
            status: at(stat.st_ctime.into(), more(stat.st_ctime_nsec)),
            number: stat.st_ino.into(),
        }
    }
}

#[cfg(not(unix))]
mod inner {
    use std::ffi::OsStr;
    use std::fs::{metadata, read_dir};
    use std::io;
    use std::path::{Path, PathBuf};

    use super::super::Stamp;
    use super::{Kind, Listing};

    pub type Folder = Inner;

    pub struct Inner(PathBuf);

    pub fn list(folder: &Path, mut each: impl FnMut(&Listing, &OsStr, Kind)) -> io::Result<()> {
        let listing = Listing(Inner(folder.to_owned()));
        for entry in read_dir(folder)? {
            let entry = entry?;
            let kind = match entry.file_type()? {
                kind if kind.is_symlink() => Kind::Link,
                kind if kind.is_dir() => Kind::Folder,
                _ => Kind::Other,
            };
            each(&listing, &entry.file_name(), kind);
        }
        Ok(())
    }

    impl Inner {
        pub fn stamp(&self, name: &OsStr) -> io::Result<Option<Stamp>> {
            let kind = metadata(self.0.join(name))?;
            Ok(kind.is_file().then(|| Stamp::of(&kind)))
        }
    }
}
