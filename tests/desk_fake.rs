//! A stand-in for the driver, for what cannot be had here: macOS and old drivers, hanging and lying
//! ones, and moments that a real one gives only by chance.

use std::fs;
use std::path::{Path, PathBuf};

use crate::context::TestContext;
use crate::observe::Run;

/// A stand-in for the driver, in the context's folder of programs.
pub struct Fake<'a> {
    ctx: &'a TestContext,
    pub binary: PathBuf,
    pub folder: PathBuf,
}

impl<'a> Fake<'a> {
    /// One that answers what is recorded under this name in `tests/data/driver`.
    pub fn new(ctx: &'a TestContext, recorded: &str) -> Self {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/driver");
        let script = fs::read_to_string(data.join("fake-driver.sh")).unwrap();
        let binary = ctx.program("cua-driver", &script);
        let folder = ctx.bin.join("driver");
        fs::create_dir(&folder).unwrap();
        for entry in fs::read_dir(data.join(recorded)).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
        }
        Self {
            ctx,
            binary,
            folder,
        }
    }

    pub fn says(&self, tool: &str, code: i32, stdout: &str, stderr: &str) {
        for (end, text) in [("out", stdout), ("err", stderr), ("rc", &code.to_string())] {
            fs::write(self.folder.join(format!("{tool}.{end}")), text).unwrap();
        }
    }

    /// Shell that is run before the answer.
    pub fn does(&self, tool: &str, script: &str) {
        fs::write(self.folder.join(format!("{tool}.sh")), script).unwrap();
    }

    pub fn run(&self, words: &[&str]) -> Run {
        let run = self.ctx.run(words).env("CUA_DRIVER_BIN", &self.binary);
        // Most stories repeat one call; the retry rule has its own.
        run.env("DESK_GUARD", "off")
    }

    pub fn noted(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }

    /// The words of every call since the last look.
    pub fn calls(&self) -> Vec<String> {
        let calls = self.noted("argv").lines().map(str::to_owned).collect();
        let _ = fs::remove_file(self.folder.join("argv"));
        calls
    }
}

/// Waits for what a process that runs beside does in its own time.
pub fn until(ready: impl Fn() -> bool) {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while !ready() {
        assert!(std::time::Instant::now() < end, "it did not come");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
