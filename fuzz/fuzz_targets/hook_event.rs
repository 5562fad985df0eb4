//! Any bytes as a hook's input: no panic, and whatever is answered is one line of JSON.
#![no_main]

use lean_computer_use::hook::event;
use lean_computer_use::hook::key::Secret;
use lean_computer_use::hook::limits::Limits;
use lean_computer_use::hook::record::{Log, Logs};
use lean_computer_use::hook::retry_guard::{Known, judge};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some(event) = event::parse(bytes) else {
        return;
    };
    let mut logs = Logs {
        session: Log::default(),
        own: None,
    };
    for now in 0..3 {
        let known = Known {
            logs: &logs,
            secret: &Secret([0; 32]),
            limits: Limits::default(),
            now,
        };
        let (verdict, records) = judge(&event, known);
        if let Some(line) = verdict.line() {
            assert!(!line.contains('\n'));
            assert!(serde_json::from_str::<serde_json::Value>(&line).is_ok());
        }
        for record in records {
            let line = serde_json::to_vec(&record).unwrap();
            assert!(line.len() <= 200);
            logs.session.bytes.extend(line);
            logs.session.bytes.push(b'\n');
        }
    }
    // Its own input as a log.
    logs.session.bytes = bytes.to_vec();
    let known = Known {
        logs: &logs,
        secret: &Secret([0; 32]),
        limits: Limits::default(),
        now: i64::MAX,
    };
    let _ = judge(&event, known);
});
