//! The text of a line that is not JSON as it stands → the objects in it. In: text, in which bytes that
//! are no UTF-8 have been replaced. Out: the line as one value, if what is wrong with it can be
//! forgiven, or the whole objects between the breaks.

use memchr::memmem;
use serde::de::DeserializeOwned;

use super::super::loose::{Object, forgiving};

/// A line as one JSON value; none when it is not JSON.
#[must_use]
pub fn whole<T: DeserializeOwned>(text: &str) -> Option<Object<T>> {
    let (value, length) = forgiving(text)?;
    text[length..].trim_ascii().is_empty().then_some(value)
}

/// So many bytes may be read in vain, and so many times those of the line: no writer dies so often
/// in one line, and a line of nothing but beginnings would be read to its end from each of them.
const VAIN: usize = 16 << 20;
const TIMES: usize = 64;

/// Whole objects in a line that as a whole is none: a writer died, the next one went on in the
/// same line. Every line that holds a message starts with its parent's id.
#[must_use]
pub fn glued<T: DeserializeOwned>(text: &str) -> Vec<T> {
    const START: &str = r#"{"parentUuid""#;
    let (mut all, mut from) = (Vec::new(), 0);
    let mut left = text.len().saturating_mul(TIMES).saturating_add(VAIN);
    while let Some(at) = memmem::find(&text.as_bytes()[from..], START.as_bytes()) {
        from += at;
        if let Some((Object(Some(object)), length)) = forgiving(&text[from..]) {
            all.push(object);
            from += length;
        } else {
            let Some(rest) = left.checked_sub(text.len() - from) else {
                break;
            };
            left = rest;
            from += START.len();
        }
    }
    all
}
