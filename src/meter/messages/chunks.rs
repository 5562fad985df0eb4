//! A list of many large things. It grows without moving them, and its room is given back piece by
//! piece while they are taken out.

use std::mem::swap;
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
    pub fn len(&self) -> usize {
        let last = self.0.last().map_or(0, Vec::len);
        self.0.len().saturating_sub(1) * PIECE + last
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

    /// All, from the first on, taken out.
    pub fn into_iter(self) -> impl Iterator<Item = T> {
        self.0.into_iter().flatten()
    }

    /// Puts in the first place what stands at `from[0]`, and so on. `from` names each place once.
    pub fn arrange(&mut self, from: &[u32]) {
        for to in 0..from.len() {
            let mut at = from[to] as usize;
            // What stood there has been swapped on to where its own thing came from.
            while at < to {
                at = from[at] as usize;
            }
            if at != to {
                self.swap(at, to);
            }
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        let (piece, other) = (a / PIECE, b / PIECE);
        if piece == other {
            self.0[piece].swap(a % PIECE, b % PIECE);
        } else if let Ok([piece, other]) = self.0.get_disjoint_mut([piece, other]) {
            swap(&mut piece[a % PIECE], &mut other[b % PIECE]);
        }
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
    fn any_order_can_be_made() {
        for (count, step) in [(0, 1), (5, 3), (3 * PIECE + 7, 1001), (2 * PIECE, 2047)] {
            let from: Vec<_> = (0..count).map(|at| at * step % count).collect();
            let from: Vec<_> = from.iter().map(|at| u32::try_from(*at).unwrap()).collect();
            let mut chunks = Chunks::default();
            (0..count).for_each(|one| chunks.push(one));
            assert_eq!(chunks.len(), count);
            chunks.arrange(&from);
            let got: Vec<_> = chunks
                .iter()
                .map(|one| u32::try_from(*one).unwrap())
                .collect();
            assert_eq!(got, from);
            assert_eq!(chunks.into_iter().count(), count);
        }
    }
}
