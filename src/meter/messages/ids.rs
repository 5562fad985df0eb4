//! Ids → places of messages. Holds no id a second time: whoever asks compares.

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

/// The places of messages by the hashes of their ids.
#[derive(Debug, Default)]
pub struct Ids(HashTable<(u32, u32)>);

impl Ids {
    /// The place of an id; `is` says whether it stands at a place.
    pub fn get(&self, id: &str, is: impl Fn(u32) -> bool) -> Option<u32> {
        let hash = short(id);
        let found = self.0.find(spread(hash), |one| one.0 == hash && is(one.1));
        found.map(|one| one.1)
    }

    /// Adds an id, which is new, with its place.
    pub fn insert(&mut self, id: &str, place: u32) {
        let hash = short(id);
        self.0
            .insert_unique(spread(hash), (hash, place), |one| spread(one.0));
    }
}

/// Enough to find most ids at once.
#[expect(clippy::cast_possible_truncation, reason = "any part of a hash is one")]
fn short(id: &str) -> u32 {
    xxh3_64(id.as_bytes()) as u32
}

/// The table looks at the first and at the last bits.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
