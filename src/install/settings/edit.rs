//! Changes of a text as data: ranges and what replaces them. In go spans, out comes the new text;
//! bytes outside the ranges stay.

use std::collections::BTreeSet;
use std::ops::Range;

/// `range` gives way to `text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that go; empty for an insertion.
    pub range: Range<usize>,
    /// The bytes that come.
    pub text: String,
}

impl Edit {
    /// Puts `text` before the byte `at`.
    pub fn insert(at: usize, text: String) -> Self {
        Self {
            range: at..at,
            text,
        }
    }
}

/// Carries out edits whose ranges do not overlap.
pub fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(&text[at..edit.range.start]);
        out.push_str(&edit.text);
        at = edit.range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// Takes the children with these numbers out of a container, each with one comma. When none is
/// left, `empty` stands between the brackets (`inner` is that range).
pub fn cut(
    inner: Range<usize>,
    children: &[Range<usize>],
    gone: &BTreeSet<usize>,
    empty: &str,
) -> Vec<Edit> {
    if gone.is_empty() {
        return Vec::new();
    }
    if gone.len() == children.len() {
        return vec![Edit {
            range: inner,
            text: empty.to_owned(),
        }];
    }
    let first_kept = (0..children.len()).find(|n| !gone.contains(n)).unwrap_or(0);
    let mut edits = Vec::new();
    if first_kept > 0 {
        edits.push(children[0].start..children[first_kept].start);
    }
    let later = gone.iter().filter(|&&n| n > first_kept);
    edits.extend(later.map(|&n| children[n - 1].end..children[n].end));
    let text = String::new();
    edits
        .into_iter()
        .map(|range| Edit {
            range,
            text: text.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_child_goes_with_one_comma() {
        let text = "[ a, b ,c ]";
        let children = [2..3, 5..6, 8..9];
        for (gone, want) in [
            (vec![], "[ a, b ,c ]"),
            (vec![0], "[ b ,c ]"),
            (vec![1], "[ a ,c ]"),
            (vec![2], "[ a, b ]"),
            (vec![0, 1], "[ c ]"),
            (vec![1, 2], "[ a ]"),
            (vec![0, 2], "[ b ]"),
            (vec![0, 1, 2], "[ ]"),
        ] {
            let edits = cut(1..10, &children, &gone.into_iter().collect(), " ");
            assert_eq!(apply(text, edits), want);
        }
    }
}
