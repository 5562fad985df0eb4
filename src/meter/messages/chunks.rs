//! A list of many large things. It grows without moving them, and becomes a list of other things
//! piece by piece: its room is used again, or given back.

use std::mem::take;
use std::ops::{Index, IndexMut};

const PIECE: usize = 1 << 10;

/// The list; all its pieces but the last are full.
#[derive(Debug)]
pub struct Chunks<T>(Vec<Vec<T>>);

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Chunks<T> {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        let last = self.0.last().map_or(0, Vec::len);
        self.0.len().saturating_sub(1) * PIECE + last
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds one at the end.
    pub fn push(&mut self, one: T) {
        match self.0.last_mut() {
            Some(last) if last.len() < PIECE => last.push(one),
            // The first piece grows as it needs: most lists are short.
            last => {
                let mut piece = Vec::with_capacity(if last.is_some() { PIECE } else { 0 });
                piece.push(one);
                self.0.push(piece);
            }
        }
    }

    /// All, from the first on.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flatten()
    }

    /// Makes another thing of each. Where they are no larger, they stand in the same room: that is
    /// what collecting a list does.
    pub fn map<U>(self, mut make: impl FnMut(T) -> U) -> Chunks<U> {
        let pieces = self.0.into_iter();
        Chunks(
            pieces
                .map(|piece| piece.into_iter().map(&mut make).collect())
                .collect(),
        )
    }

    /// Keeps what fits.
    pub fn retain(&mut self, mut fits: impl FnMut(&T) -> bool) {
        let all = take(&mut self.0).into_iter().flatten();
        self.extend(all.filter(|one| fits(one)));
    }
}

impl<T> Extend<T> for Chunks<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, more: I) {
        more.into_iter().for_each(|one| self.push(one));
    }
}

impl<T> FromIterator<T> for Chunks<T> {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        let mut chunks = Self::default();
        chunks.extend(all);
        chunks
    }
}

impl<'a, T> IntoIterator for &'a Chunks<T> {
    type Item = &'a T;
    type IntoIter = std::iter::Flatten<std::slice::Iter<'a, Vec<T>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().flatten()
    }
}

impl<T> IntoIterator for Chunks<T> {
    type Item = T;
    type IntoIter = std::iter::Flatten<std::vec::IntoIter<Vec<T>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().flatten()
    }
}

impl<T> Index<usize> for Chunks<T> {
    type Output = T;

    fn index(&self, at: usize) -> &T {
        &self.0[at / PIECE][at % PIECE]
    }
}

impl<T> IndexMut<usize> for Chunks<T> {
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut self.0[at / PIECE][at % PIECE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_stays_whole_whatever_is_made_of_it() {
        for count in [0, 1, 5, PIECE, PIECE + 1, 3 * PIECE + 7] {
            let all: Chunks<usize> = (0..count).collect();
            assert_eq!((all.len(), all.is_empty()), (count, count == 0));
            let mut all = all.map(|one| one.to_string());
            assert!((0..count).all(|at| all[at] == at.to_string()));
            all.retain(|one| one.ends_with('7'));
            all.extend(["more".to_owned()]);
            let want = (0..count).filter(|one| one % 10 == 7);
            let want: Vec<_> = want.map(|one| one.to_string()).collect();
            assert_eq!(all.len(), want.len() + 1);
            assert_eq!(all[want.len()], "more");
            assert!(
                all.into_iter()
                    .eq(want.into_iter().chain(["more".to_owned()]))
            );
        }
    }
}
