//! Any bytes as a transcript: the short way of reading gives what the slow way gives, and neither
//! falls over. `cargo +nightly fuzz run meter_line tests/data/transcripts` from the root.
#![no_main]

use lean_computer_use::meter::lines::Lines;
use lean_computer_use::meter::record::parse;
use lean_computer_use::meter::{ends, quick};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut lines = Lines::new(bytes, Vec::new(), usize::MAX);
    while let Ok(Some(line)) = lines.next_line() {
        let slow = parse(&line);
        let said = (slow.session.as_deref(), slow.at.as_deref());
        if let Some(quick) = quick::parse(line.bytes) {
            assert_eq!(slow.records, Vec::from_iter(quick.record));
            assert_eq!((said, slow.skipped), ((quick.session, quick.at), None));
        }
        if let Some(end) = ends::of(line.bytes)
            && slow.skipped.is_none()
        {
            assert_eq!(said, (Some(end.session), Some(end.at)));
        }
    }
    assert_eq!(lines.bytes(), bytes.len() as u64);
});
