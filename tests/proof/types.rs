//! What the commands' types can give, beside each other.

use lean_computer_use::exit::{self, Exits};

fn listed<E: Exits>() -> (&'static str, Vec<u8>) {
    (E::COMMAND, E::CODES.to_vec())
}

/// Every command with the codes of its type; hooks always end with 0.
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
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
        listed::<exit::Completions>(),
        listed::<exit::Man>(),
        ("hook retry-guard", vec![0]),
        ("hook token-meter", vec![0]),
    ]
}
