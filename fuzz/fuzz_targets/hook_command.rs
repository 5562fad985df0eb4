//! Any text as a command: no panic, and one word in quotes is never touched.
#![no_main]

use lean_computer_use::hook::command::{Command, squash};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let command = Command::of("/p", text);
    let _ = (
        command.is_desk(),
        command.only_reads(),
        command.waits(),
        command.family(),
    );
    if !text.contains('\'') {
        let quoted = format!("'{text}'");
        assert!(squash(&format!("  x  {quoted}  y ")).contains(&quoted));
    }
});
