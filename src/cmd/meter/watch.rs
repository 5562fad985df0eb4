//! `meter --watch`: the table anew every two seconds, in place, until the process is interrupted.

use std::io::Write as _;
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::exit::Meter;
use crate::host::Host;
use crate::meter::By;

use super::Args;
use super::ask::Ask;
use super::read::{Corpus, is_stdin};

const PAUSE: Duration = Duration::from_secs(2);

/// What fits on most screens, unless asked otherwise: a longer table would scroll away.
const ROWS: usize = 15;

/// Goes on until interrupted, or until the terminal goes away.
pub fn run(args: &Args, host: &mut Host) -> Result<Meter> {
    if !host.out_is_terminal {
        bail!("could not watch: standard output is not a terminal; leave out --watch");
    }
    if args.paths.iter().any(|path| is_stdin(path)) {
        bail!("could not watch standard input: name a file or a folder");
    }
    write!(host.out, "\x1b[2J")?;
    loop {
        // Anew each time: --since 12h moves with the clock.
        let ask = Ask::of(&args.select, &args.pricing, host)?;
        let mut corpus = Corpus::of(&args.paths, args.by == By::Tool, &ask, host)?;
        let report = corpus.report(args.by, Some(args.limit.unwrap_or(ROWS)), &ask);
        let mut screen = Vec::new();
        report.table(&mut screen)?;
        let text = String::from_utf8_lossy(&screen).replace('\n', "\x1b[K\n");
        write!(host.out, "\x1b[H{text}\x1b[J")?;
        host.out.flush()?;
        thread::sleep(PAUSE);
    }
}
