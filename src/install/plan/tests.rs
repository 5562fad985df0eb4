//! Every state of a file and the step it leads to.

use super::*;

fn wanted(text: &str) -> WantedFile {
    WantedFile {
        path: "a".to_owned(),
        kind: "doc",
        bytes: text.as_bytes().to_vec(),
        executable: false,
    }
}

fn file(text: &str, mode: u32) -> OnDisk {
    OnDisk::File {
        bytes: text.as_bytes().to_vec(),
        mode,
    }
}

fn record(wrote: &str, shipped: &str) -> FileRecord {
    FileRecord {
        path: "a".to_owned(),
        kind: "doc".to_owned(),
        sha256: sha256(wrote.as_bytes()),
        bytes: 3,
        mode: "0644".to_owned(),
        source_sha256: sha256(shipped.as_bytes()),
        created: true,
        previous: None,
    }
}

#[test]
fn a_file_is_judged_by_three_versions() {
    let wanted = wanted("new\n");
    let old = || Some(record("old", "old"));
    let new = || Some(record("new\n", "new\n"));
    for (found, recorded, want, steps) in [
        (None, None, State::New, [Step::Create, Step::Create]),
        (None, new(), State::Deleted, [Step::LeaveOut, Step::Create]),
        (
            Some(file("new\n", 0o644)),
            None,
            State::Same,
            [Step::None; 2],
        ),
        (
            Some(file("new\n", 0o600)),
            old(),
            State::Same,
            [Step::None; 2],
        ),
        (
            Some(file("new\n", 0o755)),
            new(),
            State::Mode,
            [Step::Mode; 2],
        ),
        (
            Some(file("new\r\n", 0o644)),
            new(),
            State::LineEnds,
            [Step::Update; 2],
        ),
        (
            Some(file("mine", 0o644)),
            None,
            State::Foreign,
            [Step::Refuse, Step::Replace],
        ),
        (
            Some(file("old", 0o644)),
            old(),
            State::Outdated,
            [Step::Update; 2],
        ),
        (
            Some(file("mine", 0o644)),
            old(),
            State::Edited { offer: true },
            [Step::Offer, Step::Replace],
        ),
        (
            Some(file("mine", 0o644)),
            Some(record("old", "new\n")),
            State::Edited { offer: false },
            [Step::Keep, Step::Replace],
        ),
        (
            Some(OnDisk::Odd(Odd::Link)),
            new(),
            State::Blocked(Odd::Link),
            [Step::Refuse; 2],
        ),
    ] {
        let recorded = recorded.as_ref();
        let seen = state(Some(&wanted), found.as_ref(), recorded);
        assert_eq!(seen, want);
        let step = |force| step(seen, Some(&wanted), recorded, force);
        assert_eq!([step(false), step(true)], steps, "{want:?}");
    }
}

#[test]
fn what_is_no_longer_shipped_goes_unless_it_was_edited() {
    for (found, want) in [
        (Some(file("old", 0o644)), Step::Remove),
        (Some(file("mine", 0o644)), Step::Keep),
        (None, Step::None),
        (Some(OnDisk::Odd(Odd::Folder)), Step::None),
    ] {
        let recorded = record("old", "old");
        let seen = state(None, found.as_ref(), Some(&recorded));
        assert_eq!(step(seen, None, Some(&recorded), false), want);
    }
}

#[test]
fn what_stood_there_before_is_recorded_once() {
    let wanted = wanted("new");
    let (mine, theirs) = (file("mine", 0o600), file("new", 0o644));
    let plan = |found, recorded, step, state| FilePlan {
        path: "a",
        wanted: Some(&wanted),
        recorded,
        found: Some(found),
        state,
        step,
    };
    let first = plan(&mine, None, Step::Replace, State::Foreign)
        .record()
        .unwrap();
    let previous = first.previous.clone().unwrap();
    assert_eq!(
        (previous.sha256, previous.mode.as_str()),
        (sha256(b"mine"), "0600")
    );
    let edited = file("edited", 0o644);
    let again = plan(
        &edited,
        Some(&first),
        Step::Replace,
        State::Edited { offer: false },
    );
    assert_eq!(again.record().unwrap().previous, first.previous);
    let adopted = plan(&theirs, None, Step::None, State::Same)
        .record()
        .unwrap();
    assert!(!adopted.created && adopted.previous.is_none());
}
