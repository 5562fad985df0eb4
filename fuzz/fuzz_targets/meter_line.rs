//! Any bytes as a transcript: the short way of reading gives what the slow way gives, and neither
//! falls over. `cargo +nightly fuzz run meter_line tests/data/transcripts` from the root.
#![no_main]

use lean_computer_use::meter::lines::Lines;
use lean_computer_use::meter::quick::Reader;
use lean_computer_use::meter::record::parse;
use lean_computer_use::meter::rows::Rows;
use lean_computer_use::meter::{Origin, ends};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let origin = Origin::default();
    let mut lines = Lines::new(bytes, Vec::new(), usize::MAX);
    // Both know the same lines.
    let (mut reader, mut other) = (Reader::default(), Reader::default());
    let lossy = |text: &[u8]| Some(String::from_utf8_lossy(text).into_owned());
    while let Ok(Some(line)) = lines.next_line() {
        let parsed = parse(&line);
        let end = ends::of(line.bytes);
        if let Some(again) = reader.end(line.bytes) {
            assert_eq!(end, Some(again));
        }
        if let Some(end) = end
            && parsed.skipped.is_none()
        {
            assert_eq!(
                (parsed.session, parsed.at),
                (lossy(end.session), lossy(end.at))
            );
        }
        let (mut short, mut slow) = (Rows::default(), Rows::default());
        short.take(&line, &origin, &mut other);
        if reader.read(line.bytes).is_some() {
            slow.take_slowly(&line, &origin);
            assert_eq!((short, parsed.skipped), (slow, None));
        }
    }
    assert_eq!(lines.bytes(), bytes.len() as u64);
});
