//! Rows ↔ bytes, as the ledger keeps them. In: the rows of one transcript. Out: bytes, and from
//! these the same rows again, one after another, without a copy of their texts. Numbers stand in a
//! fixed width, and the texts of all rows in one piece, which is checked to be text at once: reading
//! them back is most of what a run over unchanged transcripts does.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::record::{Skip, Usage};
use super::rows::{Key, Row, Rows};

/// What [`Rows`] say beside the rows.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct About<'a> {
    /// See [`Rows::names`].
    #[serde(borrow)]
    pub names: Vec<&'a str>,
    /// See [`Rows::ends`].
    pub ends: Cow<'a, [(u32, i64)]>,
    /// See [`Rows::types`].
    pub types: Cow<'a, [(u32, u32)]>,
    /// See [`Rows::agent_type`].
    pub agent_type: Option<&'a str>,
    /// See [`Rows::skipped`].
    pub skipped: Vec<(Skip, u64)>,
}

impl<'a> About<'a> {
    /// Of rows that are at hand.
    #[must_use]
    pub fn of(rows: &'a Rows) -> Self {
        Self {
            names: rows.names.iter().map(|name| &**name).collect(),
            ends: Cow::Borrowed(&rows.ends),
            types: Cow::Borrowed(&rows.types),
            agent_type: rows.agent_type.as_deref(),
            skipped: rows.skipped.iter().map(|(skip, n)| (*skip, *n)).collect(),
        }
    }
}

/// The rows as bytes.
pub fn bytes(rows: &Rows) -> postcard::Result<Vec<u8>> {
    let (mut numbers, mut texts) = (Vec::new(), String::new());
    for row in &rows.rows {
        put(row, &mut numbers, &mut texts);
    }
    let mut out = postcard::to_stdvec(&(About::of(rows), texts))?;
    out.append(&mut numbers);
    Ok(out)
}

/// All of them again; none when these are no such bytes.
#[must_use]
pub fn rows(bytes: &[u8]) -> Option<Rows> {
    let (about, mut rest) = open(bytes)?;
    let mut rows = Rows {
        names: about.names.iter().map(|name| Box::from(*name)).collect(),
        ends: about.ends.into_owned(),
        types: about.types.into_owned(),
        agent_type: about.agent_type.map(Box::from),
        skipped: about.skipped.into_iter().collect(),
        ..Rows::default()
    };
    let mut row = Row::default();
    while rest.next(&mut row)? {
        rows.rows.push(row.clone().into_owned());
    }
    Some(rows)
}

/// What stands before the rows, and the rows.
#[must_use]
pub fn open(bytes: &[u8]) -> Option<(About<'_>, Kept<'_>)> {
    let ((about, texts), numbers) = postcard::take_from_bytes(bytes).ok()?;
    Some((about, Kept { numbers, texts }))
}

/// The rows that are left.
pub struct Kept<'a> {
    numbers: &'a [u8],
    texts: &'a str,
}

const COPY: u8 = 1;
const SIDECHAIN: u8 = 2;
const FINISHED: u8 = 4;
const APART: u8 = 8;
/// Some count does not fit in 32 bits.
const WIDE: u8 = 16;
const LINE: u8 = 32;
const GATEWAY: u8 = 64;

fn put(row: &Row<'_>, out: &mut Vec<u8>, into: &mut String) {
    let flag = |is, flag| if is { flag } else { 0 };
    let counts = counts(&row.usage);
    let wide = counts.iter().any(|count| u32::try_from(*count).is_err());
    let (kind, texts) = match &row.key {
        Key::Id(id) => (0, [Some(id), None, None]),
        Key::Line(line) => (LINE, [line.as_ref(), None, None]),
        Key::Gateway(id, session, at) => (GATEWAY, [Some(id), session.as_ref(), at.as_ref()]),
    };
    out.push(
        flag(row.copy, COPY)
            | flag(row.sidechain, SIDECHAIN)
            | flag(row.finished, FINISHED)
            | flag(!row.apart.is_empty(), APART)
            | flag(wide, WIDE)
            | kind,
    );
    for name in [row.session, row.agent, row.model] {
        put_name(name, out);
    }
    out.extend(row.at.unwrap_or(i64::MIN).to_le_bytes());
    for count in counts {
        // The low half stands first.
        out.extend(&count.to_le_bytes()[..if wide { 8 } else { 4 }]);
    }
    put_length(row.tools.len(), out);
    for tool in &row.tools {
        out.extend(tool.to_le_bytes());
    }
    let texts = &texts[..if kind == GATEWAY { 3 } else { 1 }];
    for text in texts {
        // No text has so many bytes.
        put_length(text.map_or(usize::MAX, |text| text.len()), out);
        into.extend(text.map(|text| &**text));
    }
    if !row.apart.is_empty() {
        put_length(row.apart.len(), out);
        for (model, usage) in &row.apart {
            put_name(*model, out);
            for count in self::counts(usage) {
                out.extend(count.to_le_bytes());
            }
        }
    }
}

/// None is 0.
fn put_name(name: Option<u32>, out: &mut Vec<u8>) {
    out.extend(name.map_or(0, |name| name.saturating_add(1)).to_le_bytes());
}

fn put_length(length: usize, out: &mut Vec<u8>) {
    out.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
}

fn counts(usage: &Usage) -> [u64; 7] {
    [
        usage.input,
        usage.output,
        usage.cache_write,
        usage.cache_write_1h,
        usage.cache_read,
        usage.web_search,
        usage.web_fetch,
    ]
}

impl<'a> Kept<'a> {
    /// Puts the next one into `row`, whose lists serve again; false when there is no more, none
    /// when these are no rows.
    pub fn next(&mut self, row: &mut Row<'a>) -> Option<bool> {
        let Some((flags, rest)) = self.numbers.split_first() else {
            return Some(false);
        };
        self.numbers = rest;
        let flag = |flag| flags & flag != 0;
        (row.copy, row.sidechain) = (flag(COPY), flag(SIDECHAIN));
        row.finished = flag(FINISHED);
        (row.session, row.agent, row.model) = (self.name()?, self.name()?, self.name()?);
        row.at = Some(i64::from_le_bytes(self.array()?)).filter(|at| *at != i64::MIN);
        row.usage = self.usage(flag(WIDE))?;
        row.tools.clear();
        for _ in 0..self.number()? {
            row.tools.push(u64::from_le_bytes(self.array()?));
        }
        let text = self.text()?;
        row.key = if flag(GATEWAY) {
            Key::Gateway(text?, self.text()?, self.text()?)
        } else if flag(LINE) {
            Key::Line(text)
        } else {
            Key::Id(text?)
        };
        row.apart.clear();
        if flag(APART) {
            for _ in 0..self.number()? {
                row.apart.push((self.name()?, self.usage(true)?));
            }
        }
        Some(true)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.numbers.split_first_chunk()?;
        self.numbers = rest;
        Some(*array)
    }

    fn number(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    #[expect(clippy::option_option, reason = "no name there, or broken bytes")]
    fn name(&mut self) -> Option<Option<u32>> {
        Some(self.number()?.checked_sub(1))
    }

    fn usage(&mut self, wide: bool) -> Option<Usage> {
        let mut count = || {
            Some(if wide {
                u64::from_le_bytes(self.array()?)
            } else {
                self.number()?.into()
            })
        };
        // In the order of `counts`.
        let usage = Usage {
            input: count()?,
            output: count()?,
            cache_write: count()?,
            cache_write_1h: count()?,
            cache_read: count()?,
            web_search: count()?,
            web_fetch: count()?,
        };
        // Nothing would be left of the five-minute part.
        (usage.cache_write_1h <= usage.cache_write).then_some(usage)
    }

    #[expect(clippy::option_option, reason = "no text there, or broken bytes")]
    fn text(&mut self) -> Option<Option<Cow<'a, str>>> {
        let length = self.number()?;
        if length == u32::MAX {
            return Some(None);
        }
        let (text, rest) = self.texts.split_at_checked(length as usize)?;
        self.texts = rest;
        Some(Some(Cow::Borrowed(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Rows {
        let text = |text: &'static str| Some(Cow::Borrowed(text));
        let usage = |input| Usage {
            input,
            output: 2,
            cache_write: 5,
            cache_write_1h: 4,
            cache_read: 6,
            web_search: 7,
            web_fetch: 8,
        };
        let row = |key, input| Row {
            key,
            usage: usage(input),
            ..Row::default()
        };
        Rows {
            names: vec!["s".into(), "é".into()],
            ends: vec![(0, -1), (1, i64::MAX)],
            types: vec![(0, 1)],
            agent_type: Some("type".into()),
            skipped: [(Skip::Glued, 3)].into(),
            rows: vec![
                Row {
                    copy: true,
                    session: Some(0),
                    at: Some(-1),
                    apart: vec![(None, usage(1)), (Some(1), usage(u64::MAX))],
                    tools: vec![1, u64::MAX],
                    ..row(Key::Id("msg_é".into()), u64::MAX)
                },
                Row {
                    sidechain: true,
                    agent: Some(u32::MAX - 1),
                    ..row(Key::Line(None), 0)
                },
                Row {
                    finished: true,
                    model: Some(1),
                    ..row(Key::Line(text("")), u64::from(u32::MAX))
                },
                row(Key::Gateway("g".into(), None, text("t")), 1),
                row(Key::Gateway("".into(), text("s"), None), 1),
            ],
            ..Rows::default()
        }
    }

    #[test]
    fn rows_are_the_same_again() {
        for rows in [Rows::default(), all()] {
            assert_eq!(self::rows(&bytes(&rows).unwrap()), Some(rows));
        }
    }

    /// Never a panic, never more than there is.
    #[test]
    fn broken_bytes_are_fewer_or_no_rows() {
        let whole = bytes(&all()).unwrap();
        for end in 0..whole.len() {
            let got = rows(&whole[..end]);
            assert!(got.is_none_or(|rows| rows.rows.len() < all().rows.len()));
        }
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut bytes = whole.clone();
                bytes[at] ^= 1 << bit;
                let _ = rows(&bytes);
            }
        }
    }
}
