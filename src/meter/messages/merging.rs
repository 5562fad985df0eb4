//! The rows of one file → the messages of all, one after another.

use std::mem::take;
use std::num::NonZeroU32;

use super::super::rows::{Key, Row};
use super::names::Slot;
use super::{Aside, Messages, Place};

/// A file whose rows are being taken in.
pub struct Merging<'a> {
    messages: &'a mut Messages,
    place: Place,
    /// By the numbers that its names have in the file.
    slots: Vec<Slot>,
    project: Slot,
}

impl<'a> Merging<'a> {
    pub(super) fn new(
        messages: &'a mut Messages,
        rank: u32,
        slots: Vec<Slot>,
        project: Slot,
    ) -> Self {
        Self {
            messages,
            place: (rank, 0),
            slots,
            project,
        }
    }

    /// Takes in its next row; of that, what is kept is taken out.
    pub fn row(&mut self, row: &mut Row<'_>) {
        let slots = &self.slots;
        let slot = |name: u32| slots.get(name as usize).copied().flatten();
        if row.copy || matches!(row.key, Key::Gateway(..)) {
            let numbered = |name: Option<u32>| name.and_then(slot).map(NonZeroU32::get);
            self.messages.aside.push(Aside {
                place: self.place,
                project: self.project,
                row: take(row).into_owned().renamed(numbered),
            });
        } else {
            self.messages.feed(self.place.0, row, self.project, slot);
        }
        self.place.1 += 1;
    }
}
