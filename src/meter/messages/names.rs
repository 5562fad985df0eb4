//! Names ↔ numbers. A session, an agent or a model stands in many messages: each of them holds its
//! number.

use std::num::NonZeroU32;
use std::sync::Arc;

use rustc_hash::FxHashMap;

/// A name that stands in many places: of a session, an agent, a model.
pub type Name = Arc<str>;

/// A name by its number; none where there is no name.
pub type Slot = Option<NonZeroU32>;

/// All names, each once.
#[derive(Debug, Default)]
pub struct Names {
    all: Vec<Name>,
    index: FxHashMap<Name, NonZeroU32>,
}

impl Names {
    /// The number of a name, which is new or not.
    pub fn slot(&mut self, text: &str) -> Slot {
        if let Some(slot) = self.index.get(text) {
            return Some(*slot);
        }
        let name = Name::from(text);
        self.all.push(name.clone());
        let slot = u32::try_from(self.all.len()).ok().and_then(NonZeroU32::new);
        self.index.extend(slot.map(|slot| (name, slot)));
        slot
    }

    /// The name of a number.
    pub fn get(&self, slot: Slot) -> Option<&Name> {
        self.all.get(slot?.get() as usize - 1)
    }
}
