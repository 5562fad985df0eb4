//! Reads one transcript file, from its start or from where the ledger left it. In: a file that was
//! found, and what is known of it. Out: its rows, and what to keep of it.

use std::io::{self, Read, Seek, SeekFrom};
use std::mem::take;
use std::path::Path;

use fs_err::File;
use serde::Deserialize;

use super::find::{Origin, Transcript};
use super::ledger::Entry;
use super::lines::{Line, Lines, trim};
use super::loose::Text;
use super::quick::Reader;
use super::record::parse_long;
use super::rows::Rows;

/// Of longer lines only the end is held in memory while looking for records.
const LONGEST: usize = 1 << 20;

/// Longer lines with a record are not held in memory either.
const LONGEST_HELD: u64 = 4 << 20;

/// One transcript, as far as it could be read.
pub struct Reading {
    /// Whose they are.
    pub origin: Origin,
    /// Its rows.
    pub rows: Rows,
    /// Its length when it was read.
    pub bytes: u64,
    /// How reading ended.
    pub end: io::Result<()>,
    /// The [`Entry`] that the ledger should have of it from now on, as bytes; none when it cannot
    /// or need not be kept.
    pub entry: Option<Vec<u8>>,
}

/// What is known of a transcript before it is opened: rows that hold, of its first bytes.
#[derive(Default)]
pub struct Known {
    /// The rows.
    pub rows: Rows,
    /// Of so many bytes.
    pub whole: u64,
}

/// What served for other transcripts, and serves again.
#[derive(Default)]
pub struct Room {
    /// Holds lines.
    pub buffer: Vec<u8>,
    /// Empty, but with room for many.
    pub rows: Rows,
}

/// Reads it from what is known on; `keep` says whether somebody wants to know it later.
pub fn read(transcript: &Transcript, known: Option<Known>, keep: bool, room: &mut Room) -> Reading {
    let known = known.unwrap_or_else(|| Known {
        rows: take(&mut room.rows),
        whole: 0,
    });
    let mut reading = Reading {
        origin: transcript.origin(),
        rows: known.rows,
        bytes: known.whole,
        end: Ok(()),
        entry: None,
    };
    reading.rows.agent_type = transcript
        .beside
        .as_ref()
        .and_then(|_| agent_type(&transcript.path));
    reading.end = go_on(
        transcript,
        known.whole,
        &mut reading,
        keep,
        &mut room.buffer,
    );
    reading
}

/// Reads from `from` on.
fn go_on(
    transcript: &Transcript,
    from: u64,
    reading: &mut Reading,
    keep: bool,
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    let mut file = File::open(&transcript.path)?;
    if from > 0 {
        file.seek(SeekFrom::Start(from))?;
    }
    let mut lines = Lines::new(file, take(buffer), LONGEST).starting_at(from);
    let (mut whole, mut reader) = (None, Reader::default());
    let end = loop {
        let line = match lines.next_line() {
            Ok(Some(line)) => line,
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        };
        // Its rest may be written later: it counts as long as nothing is.
        if !line.whole && keep {
            whole = Some(reading.rows.clone());
        }
        if let Err(error) = take_line(transcript, &line, reading, &mut reader) {
            break Err(error);
        }
    };
    reading.bytes = lines.bytes();
    let kept = lines.whole();
    *buffer = lines.into_buffer();
    end?;
    if keep {
        let torn = whole.is_some().then_some(&reading.rows);
        let rows = whole.as_ref().unwrap_or(&reading.rows);
        reading.entry = Entry::of(transcript, kept, rows, torn);
    }
    Ok(())
}

/// A long line that may hold a record is read a second time: as a whole if it is not much longer
/// than what is held anyway, else without holding it. A longer one is held only when it is broken.
fn take_line(
    transcript: &Transcript,
    line: &Line<'_>,
    reading: &mut Reading,
    reader: &mut Reader,
) -> io::Result<()> {
    let (rows, origin) = (&mut reading.rows, &reading.origin);
    let Some(long) = line.long.as_ref().filter(|_| line.usage) else {
        rows.take(line, origin, reader);
        return Ok(());
    };
    let length = long.end - long.start;
    let again = || {
        let mut file = File::open(&transcript.path)?;
        file.seek(SeekFrom::Start(long.start))?;
        // The system's own file reads into room that nobody has filled before.
        io::Result::Ok(file.into_file().take(length))
    };
    if length > LONGEST_HELD
        && let Some(parsed) = parse_long(again()?)
    {
        rows.take_parsed(parsed, origin);
        return Ok(());
    }
    let room = usize::try_from(length.min(LONGEST_HELD)).unwrap_or(0);
    let mut bytes = Vec::with_capacity(room);
    again()?.read_to_end(&mut bytes)?;
    let line = Line {
        bytes: trim(&bytes),
        long: None,
        ..*line
    };
    rows.take(&line, origin, reader);
    Ok(())
}

/// What the file beside an agent's transcript says.
fn agent_type(transcript: &Path) -> Option<Box<str>> {
    #[derive(Deserialize)]
    struct Meta {
        #[serde(rename = "agentType", default)]
        agent_type: Text,
    }
    let mut bytes = Vec::new();
    let file = File::open(transcript.with_extension("meta.json")).ok()?;
    // Far more than any real one, so that a strange file costs nothing.
    file.take(1 << 20).read_to_end(&mut bytes).ok()?;
    let meta = serde_json::from_slice::<Meta>(&bytes).ok()?;
    meta.agent_type.0.map(String::into_boxed_str)
}
