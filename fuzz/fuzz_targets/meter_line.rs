//! Any bytes as a transcript: the short way of reading gives what the slow way gives, and neither
//! falls over. `cargo +nightly fuzz run meter_line tests/data/transcripts` from the root.
#![no_main]

use lean_computer_use::meter::lines::Lines;
use lean_computer_use::meter::ends;
use lean_computer_use::meter::quick::Reader;
use lean_computer_use::meter::record::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut lines = Lines::new(bytes, Vec::new(), usize::MAX);
    let mut reader = Reader::default();
    let lossy = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    while let Ok(Some(line)) = lines.next_line() {
        let slow = parse(&line);
        let said = (slow.session, slow.at);
        let end = ends::of(line.bytes);
        if let Some(again) = reader.end(line.bytes) {
            assert_eq!(end, Some(again));
        }
        if let Some(end) = end
            && slow.skipped.is_none()
        {
            assert_eq!(said, (Some(lossy(end.session)), Some(lossy(end.at))));
        }
        if let Some(quick) = reader.read(line.bytes) {
            let record = quick.record.map(lossy);
            let quicker = (record.session.clone(), record.at.clone());
            assert_eq!((said, slow.skipped), (quicker, None));
            let record = quick.real.then_some(record);
            assert_eq!(slow.records, Vec::from_iter(record));
        }
    }
    assert_eq!(lines.bytes(), bytes.len() as u64);
});
