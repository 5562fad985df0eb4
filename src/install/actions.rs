//! A plan as a list: what would be done, or was done, to which path. In go a plan and what is
//! recorded beside it, out comes one action a path. What an install prints, counts and diffs.

use serde::Serialize;

use super::apply::Records;
use super::plan::{Fate, FilePlan, Plan, Removal, SettingsEdit, State, Step};

/// One thing that is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Action {
    /// `create`, `update`, `mode`, `replace`, `offer`, `keep`, `leave out`, `remove`, `give back`,
    /// `merge`, `restore` or `record`.
    pub does: &'static str,
    /// From the root.
    pub path: String,
}

impl Action {
    fn new(does: &'static str, path: &str) -> Self {
        Self {
            does,
            path: path.to_owned(),
        }
    }

    /// Whether it writes a file of ours.
    #[must_use]
    pub fn writes_file(&self) -> bool {
        matches!(
            self.does,
            "create" | "update" | "mode" | "replace" | "offer" | "remove" | "give back"
        )
    }

    /// Whether it changes a settings file.
    #[must_use]
    pub fn changes_settings(&self) -> bool {
        matches!(self.does, "merge" | "restore")
    }

    /// Whether it changes anything.
    #[must_use]
    pub fn changes(&self) -> bool {
        !matches!(self.does, "keep" | "leave out")
    }
}

/// What an install does.
#[must_use]
pub fn of_install(plan: &Plan<'_>, records: &Records) -> Vec<Action> {
    let mut actions: Vec<_> = plan.files.iter().filter_map(file).collect();
    let edits = plan.settings.iter().flat_map(|settings| &settings.edits);
    actions.extend(edits.map(|edit| {
        let ours = edit.file == plan.wanted.names.settings && edit.after.is_some();
        let merges = ours && plan.settings.as_ref().is_ok_and(|s| s.record.is_some());
        Action::new(if merges { "merge" } else { "restore" }, &edit.file)
    }));
    let names = &plan.wanted.names;
    if records.binary.is_some() {
        actions.push(Action::new("record", &format!("{}/binary", names.local)));
    }
    if records.manifest.is_some() {
        actions.push(Action::new("record", &names.manifest));
    }
    actions
}

fn file(file: &FilePlan<'_>) -> Option<Action> {
    let does = match file.step {
        Step::Create => "create",
        Step::Update => "update",
        Step::Mode => "mode",
        Step::Replace => "replace",
        Step::Offer => return Some(Action::new("offer", &format!("{}.new", file.path))),
        Step::Keep => "keep",
        Step::LeaveOut => "leave out",
        Step::Remove => "remove",
        Step::None | Step::Refuse => return None,
    };
    Some(Action::new(does, file.path))
}

/// What an uninstall does.
#[must_use]
pub fn of_removal(removal: &Removal<'_>) -> Vec<Action> {
    let settings = |edit: &SettingsEdit| {
        let does = if edit.after.is_some() {
            "restore"
        } else {
            "remove"
        };
        Action::new(does, &edit.file)
    };
    let file = |(path, fate): &(&str, Fate<'_>)| {
        let does = match fate {
            Fate::Gone => "remove",
            Fate::Restored(_) => "give back",
            Fate::NotOurs | Fate::Kept | Fate::NoBackup => "keep",
        };
        Action::new(does, path)
    };
    let settings = removal.settings.iter().map(settings);
    settings.chain(removal.files.iter().map(file)).collect()
}

/// Edited files, and whether the new text is put beside them; then files that were removed by the
/// user. Both stay as they are.
#[must_use]
pub fn left_alone<'p>(plan: &Plan<'p>) -> (Vec<(&'p str, bool)>, Vec<&'p str>) {
    let edited = plan
        .files
        .iter()
        .filter(|file| matches!(file.state, State::Edited { .. }) && file.step != Step::Replace);
    let removed = plan.files.iter().filter(|file| file.step == Step::LeaveOut);
    (
        edited
            .map(|file| (file.path, file.step == Step::Offer))
            .collect(),
        removed.map(|file| file.path).collect(),
    )
}
