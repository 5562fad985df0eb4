//! A bar on standard error while much is read: only for a person, and only when it takes longer
//! than half a second.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

const PATIENCE: Duration = Duration::from_millis(500);

/// Where a bar may appear.
pub struct Progress {
    start: Instant,
    visible: bool,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// `visible` says whether standard error is a terminal.
    pub fn new(visible: bool) -> Self {
        Self {
            start: Instant::now(),
            visible,
            bar: OnceLock::new(),
        }
    }

    /// So many bytes of all are read.
    pub fn seen(&self, done: u64, all: u64) {
        if self.visible && self.start.elapsed() > PATIENCE {
            self.bar.get_or_init(|| bar(all)).set_position(done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn bar(all: u64) -> ProgressBar {
    let style =
        ProgressStyle::with_template("reading transcripts {wide_bar} {bytes} of {total_bytes}");
    ProgressBar::new(all).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
