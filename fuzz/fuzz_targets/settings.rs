//! Any bytes as a settings file: it is refused, or an install only inserts, a second one changes
//! nothing and an uninstall gives every byte back.
//! `cargo +nightly fuzz run settings` from the root.
#![no_main]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use lean_computer_use::install::settings::{Entries, Shape, Trace, decode, merge, unmerge};
use lean_computer_use::install::{Place, Scope, Wanted};
use libfuzzer_sys::fuzz_target;

static ENTRIES: LazyLock<Entries> = LazyLock::new(|| {
    let place = Place::new(Scope::Project, PathBuf::from("/p"), None);
    Wanted::new(&place, Path::new("/b")).unwrap().entries
});

fuzz_target!(|bytes: &[u8]| {
    let Ok((_, text)) = decode(bytes) else { return };
    let mut trace = Trace::default();
    let Ok(merged) = merge(text, &ENTRIES, &mut trace) else {
        return;
    };
    Shape::parse(&merged).expect("Claude Code reads what we wrote");
    if has_ours(text) {
        return;
    }
    let mut rest = merged.bytes();
    assert!(
        text.bytes().all(|byte| rest.any(|other| other == byte)),
        "only insertions"
    );
    let first = trace.clone();
    assert_eq!(
        merge(&merged, &ENTRIES, &mut trace).as_deref(),
        Ok(merged.as_str())
    );
    assert_eq!(first, trace);
    let back = unmerge(&merged, &ENTRIES, &trace).expect("what was merged can be taken out");
    let back = back.or_else(|| trace.blank_document()).unwrap_or_default();
    assert_eq!(back, text);
});

/// Handlers or rules of ours that are there already belong to nobody here.
fn has_ours(text: &str) -> bool {
    let Ok(shape) = Shape::parse(text) else {
        return false;
    };
    let claimed = ENTRIES.registrations.iter().any(|registration| {
        let event = shape.event(&registration.event);
        event.is_some_and(|(_, event)| !registration.claims(event).is_empty())
    });
    claimed
        || shape
            .rules()
            .any(|rule| ENTRIES.rules.iter().any(|ours| ours == rule))
}
