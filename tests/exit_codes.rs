//! The exit-code table: types, data and what is printed say the same.

use lean_computer_use::exit::{self, Exits};

use crate::context::TestContext;

fn listed<E: Exits>() -> (&'static str, Vec<u8>) {
    (E::COMMAND, E::CODES.to_vec())
}

#[test]
fn every_type_has_the_rows_of_its_table() {
    let table = exit::table();
    let types = [
        listed::<exit::Program>(),
        listed::<exit::Install>(),
        listed::<exit::Uninstall>(),
        listed::<exit::Verify>(),
        listed::<exit::Status>(),
        listed::<exit::Diff>(),
        listed::<exit::Doctor>(),
        listed::<exit::Meter>(),
        listed::<exit::Desk>(),
        listed::<exit::DeskRun>(),
        listed::<exit::DeskRead>(),
        listed::<exit::DeskRunning>(),
        listed::<exit::DeskClean>(),
        listed::<exit::Try>(),
        listed::<exit::ExitCodes>(),
        ("hook retry-guard", vec![0]),
        ("hook token-meter", vec![0]),
    ];
    let data: Vec<_> = table
        .commands
        .iter()
        .map(|c| {
            (
                c.name.as_str(),
                c.exits
                    .iter()
                    .filter_map(|row| row.code)
                    .collect::<Vec<_>>(),
            )
        })
        .collect();
    assert_eq!(data, types);
}

#[test]
fn printed_as_text_and_json() {
    let ctx = TestContext::new();
    let text = ctx.run(&["exit-codes"]).observe().expect(0).stdout;
    assert!(text.contains("verify\n"), "{text}");
    let json = ctx
        .run(&["exit-codes", "--json"])
        .observe()
        .expect(0)
        .json();
    assert_eq!(json["schema"], 1);
    ctx.run(&["exit-codes", "--nope"]).observe().expect(2);
}

#[test]
fn help_and_unknown_words() {
    let ctx = TestContext::new();
    ctx.run(&["--help"]).observe().expect(0);
    ctx.run(&["--version"]).observe().expect(0);
    let seen = ctx.run(&[]).observe().expect(2);
    assert!(seen.stderr.contains("Usage:"), "{seen}");
}
