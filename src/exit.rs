//! Exit codes as types. Each command returns its own enum, so a code that its table does not list
//! does not compile. `assets/exit-codes.json` holds the same codes with their meaning and proof.

pub mod render;
mod table;

use std::io;

pub use table::{Class, CommandTable, Row, Summary, Table, table};

/// What a command can end with.
pub trait Exits: Copy {
    /// The command's name in `assets/exit-codes.json`.
    const COMMAND: &str;
    /// Every code of its own, ascending.
    const CODES: &[u8];
    /// Ended well; also how a reader that went away ends it (`… | head`).
    const DONE: Self;
    /// How an error that nobody branched on ends it.
    const COULD_NOT_RUN: Self;
    /// How a caught panic ends it.
    const INTERNAL: Self;
    /// The number the process ends with.
    fn code(self) -> u8;
}

/// One enum: variants with their code and the one line that says what the variant means.
macro_rules! exits {
    ($(#[$doc:meta])* $name:ident $command:literal { $($(#[$line:meta])* $variant:ident = $code:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$line])* $variant = $code,)* }
        impl Exits for $name {
            const COMMAND: &str = $command;
            const CODES: &[u8] = &[$($code),*];
            const DONE: Self = Self::Done;
            const COULD_NOT_RUN: Self = Self::CouldNotRun;
            const INTERNAL: Self = Self::Internal;
            fn code(self) -> u8 { self as u8 }
        }
    };
}

exits! {
    /// No command, `--help`, `--version`, or words that name no command.
    Program "lean-computer-use" {
        /// Help or version was printed.
        Done = 0,
        /// The words do not name a command.
        CouldNotRun = 2,
        /// A panic.
        Internal = 70,
    }
}

exits! {
    /// How `install` ends.
    Install "install" {
        /// Installed, or nothing to do.
        Done = 0,
        /// Refused or not possible and nothing was changed, or stopped half way, which it says.
        CouldNotRun = 2,
        /// A panic.
        Internal = 70,
    }
}

exits! {
    /// How `uninstall` ends.
    Uninstall "uninstall" {
        /// Nothing of ours is left.
        Done = 0,
        /// Something of ours was kept because the user had changed it.
        Partial = 1,
        /// Not possible and nothing was changed, or stopped half way, which it says.
        CouldNotRun = 2,
        /// A panic.
        Internal = 70,
    }
}

exits! {
    /// How `verify` ends.
    Verify "verify" {
        /// Everything is as shipped.
        Done = 0,
        /// Something differs or is missing.
        Drift = 1,
        /// Could not look.
        CouldNotRun = 2,
        /// A panic.
        Internal = 70,
    }
}

exits! {
    /// How `status` ends.
    Status "status" {
        /// Said.
        Done = 0,
        /// Could not look.
        CouldNotRun = 2,
        /// A panic.
        Internal = 70,
    }
}

exits! {
    /// How `diff` ends.
    Diff "diff" {
        /// Nothing would change.
        Done = 0,
        /// Something would; it was printed.
        Differs = 1,
        /// Could not look, or an install would be refused.
        CouldNotRun = 2,
        /// A panic.
        Internal = 70,
    }
}

exits! {
    /// How `doctor` ends.
    Doctor "doctor" {
        /// Every check went well.
        Done = 0,
        /// One did not.
        Failed = 1,
        /// Could not look.
        CouldNotRun = 2,
        /// A panic.
        Internal = 70,
    }
}

exits! {
    /// How `meter` ends.
    Meter "meter" {
        /// Counted; unreadable files are named.
        Done = 0,
        /// Usage error.
        CouldNotRun = 2,
        /// A panic.
        Internal = 70,
    }
}

exits! {
    /// How `try` ends.
    Try "try" {
        /// Every step did what it should and the folder is as it was.
        Done = 0,
        /// A step did not.
        Failed = 1,
        /// Could not start.
        CouldNotRun = 2,
        /// A panic.
        Internal = 70,
    }
}

exits! {
    /// How `exit-codes` ends.
    ExitCodes "exit-codes" {
        /// Printed.
        Done = 0,
        /// Usage error.
        CouldNotRun = 2,
        /// A panic.
        Internal = 70,
    }
}

exits! {
    /// How `completions` ends.
    Completions "completions" {
        /// Printed or written.
        Done = 0,
        /// Usage error, or the file could not be written.
        CouldNotRun = 2,
        /// A panic.
        Internal = 70,
    }
}

exits! {
    /// How `man` ends.
    Man "man" {
        /// Printed or written.
        Done = 0,
        /// Usage error, no such command, or a page could not be written.
        CouldNotRun = 2,
        /// A panic.
        Internal = 70,
    }
}

exits! {
    /// How `desk-clean` ends.
    DeskClean "desk-clean" {
        /// Nothing of this run is left.
        Done = 0,
        /// Usage error, busy, or the state folder could not be cleaned.
        CouldNotRun = 2,
        /// The app or the driver that was to end is still there, or that cannot be told.
        Pending = 3,
        /// A panic.
        Internal = 70,
    }
}

/// Codes of the desk tools that call the driver. They can also pass on a driver status of their
/// own, so the enum is written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeskOutcome {
    /// The driver did it.
    Done,
    /// The driver answered with an error, or a check failed.
    No,
    /// Usage, app not resolved, driver not started, local file error.
    CouldNotRun,
    /// It needs a word from the brief that was not given; nothing was done.
    NeedsConfirmation,
    /// The call may have happened.
    Unknown,
    /// No such tool, or one that desk does not offer.
    NoSuchTool,
    /// A panic.
    Internal,
    /// The driver waits for system permissions.
    PermissionsPending,
    /// The driver's own status above 4, passed on unchanged.
    Driver(u8),
}

impl DeskOutcome {
    fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::No => 1,
            Self::CouldNotRun => 2,
            Self::NeedsConfirmation => 3,
            Self::Unknown => 4,
            Self::NoSuchTool => 64,
            Self::Internal => 70,
            Self::PermissionsPending => 75,
            Self::Driver(code) => code,
        }
    }
}

/// The four tools differ in their name and their table only.
macro_rules! desk_exits {
    ($name:ident $command:literal $codes:expr) => {
        #[doc = concat!("How `", $command, "` ends.")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name(pub DeskOutcome);
        impl Exits for $name {
            const COMMAND: &str = $command;
            const CODES: &[u8] = $codes;
            const DONE: Self = Self(DeskOutcome::Done);
            const COULD_NOT_RUN: Self = Self(DeskOutcome::CouldNotRun);
            const INTERNAL: Self = Self(DeskOutcome::Internal);
            fn code(self) -> u8 {
                self.0.code()
            }
        }
    };
}

desk_exits!(Desk "desk" &[0, 1, 2, 3, 4, 64, 70, 75]);
desk_exits!(DeskRun "desk-run" &[0, 1, 2, 3, 4, 70, 75]);
desk_exits!(DeskRead "desk-read" &[0, 1, 2, 70, 75]);
desk_exits!(DeskRunning "desk-running" &[0, 2, 70, 75]);

/// Whether an error is only a reader that went away.
#[must_use]
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json = cause.downcast_ref::<serde_json::Error>();
        let kind = io.or_else(|| json.and_then(serde_json::Error::io_error_kind));
        kind == Some(io::ErrorKind::BrokenPipe)
    })
}
