//! Any text as an error: no panic, and evidence is short and holds no text of anybody.
#![no_main]

use lean_computer_use::hook::failure::Said;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for desk in [false, true] {
        let said = Said::of(text, desk);
        let _ = (said.is_none(), said.is_transient());
        if let Some(line) = said.evidence() {
            assert!(line.len() <= 60 && line.is_ascii());
        }
    }
});
