//! Ids → places of messages. Holds no id a second time: whoever asks compares.

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

/// The places of messages by the hashes of their ids.
#[derive(Debug, Default)]
pub struct Ids(HashTable<(u32, u32)>);

impl Ids {
    /// The place of an id with this hash; `is` says whether it stands at a place.
    pub fn get(&self, hash: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
        let found = self.0.find(spread(hash), |one| one.0 == hash && is(one.1));
        found.map(|one| one.1)
    }

    /// Adds an id, which is new, by its hash, with its place.
    pub fn insert(&mut self, hash: u32, place: u32) {
        self.0
            .insert_unique(spread(hash), (hash, place), |one| spread(one.0));
    }
}

/// The hash of an id: enough to find most ids at once.
#[expect(clippy::cast_possible_truncation, reason = "any part of a hash is one")]
pub fn short(id: &str) -> u32 {
    xxh3_64(id.as_bytes()) as u32
}

/// The table looks at the first and at the last bits.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
