//! Where a usage stands → what it counts. In: a walk at the usage of a message. Out: its counts,
//! from a form that was seen before or by walking through it; none when it is no ordinary one.

use std::ops::Range;

use super::super::record::Usage;
use super::super::walk::Walk;
use super::form::Forms;
use super::members::{USAGE, Usage as Member};
use super::text;

/// What a count in a usage counts.
#[derive(Debug, Clone, Copy)]
pub enum Count {
    /// Nothing that is not counted elsewhere.
    None,
    /// See [`Usage`], as all that follow.
    Input,
    Output,
    CacheWrite,
    CacheRead,
    Hour,
    WebSearch,
    WebFetch,
}

/// Reads the usage of one message after another.
#[derive(Debug, Default)]
pub struct Usages {
    forms: Forms<Count>,
    /// Where counts stand in the usage that is walked through.
    counts: Vec<(Range<usize>, Count)>,
}

impl Usages {
    /// Passes a usage and says what it counts; none when it is no ordinary one.
    pub fn read(&mut self, walk: &mut Walk<'_>) -> Option<Usage> {
        let from = walk.at();
        for at in 0..self.forms.len() {
            let mut usage = Usage::default();
            let fill = |count, walk: &mut Walk<'_>| fill(&mut usage, count, walk);
            if self.forms.read(at, walk, fill).is_some() {
                self.forms.prefer(at);
                return Some(whole(usage));
            }
            walk.go_to(from);
        }
        let mut usage = Usage::default();
        self.counts.clear();
        self.walk(walk, &mut usage, false)?;
        self.forms.learn(walk.passed(from), from, &self.counts);
        Some(whole(usage))
    }

    /// Walks through a usage. One `within` another says again what that one says: none when it
    /// does not.
    fn walk(&mut self, walk: &mut Walk<'_>, usage: &mut Usage, within: bool) -> Option<()> {
        let what = |count| if within { Count::None } else { count };
        walk.object(&USAGE, |walk, member| match member {
            Member::Other => walk.skip(),
            Member::Count(count) => self.count(what(count), walk, usage),
            Member::Counts(_) if walk.peek()? == b'n' => walk.skip(),
            Member::Counts(keys) => {
                walk.object(keys, |walk, count| self.count(what(count), walk, usage))
            }
            Member::Iterations if within => None,
            Member::Iterations if walk.peek()? != b'[' => walk.skip(),
            Member::Iterations => walk.list(|walk| self.walk(walk, usage, true)),
            Member::Type => (!apart(text(walk)?) || !within).then_some(()),
        })
    }

    fn count(&mut self, count: Count, walk: &mut Walk<'_>, usage: &mut Usage) -> Option<()> {
        walk.peek()?;
        let from = walk.at();
        fill(usage, count, walk)?;
        self.counts.push((from..walk.at(), count));
        Some(())
    }
}

#[inline]
fn fill(usage: &mut Usage, count: Count, walk: &mut Walk<'_>) -> Option<()> {
    let number = walk.count()?;
    match count {
        Count::None => {}
        Count::Input => usage.input = number,
        Count::Output => usage.output = number,
        Count::CacheWrite => usage.cache_write = number,
        Count::CacheRead => usage.cache_read = number,
        Count::Hour => usage.cache_write_1h = number,
        Count::WebSearch => usage.web_search = number,
        Count::WebFetch => usage.web_fetch = number,
    }
    Some(())
}

/// The part of the cache writes that lives an hour is no more than all of them.
fn whole(mut usage: Usage) -> Usage {
    usage.cache_write_1h = usage.cache_write_1h.min(usage.cache_write);
    usage
}

/// Two kinds of iteration stand outside of the message's own usage.
fn apart(kind: Option<&[u8]>) -> bool {
    matches!(kind, Some(b"advisor_message" | b"compaction"))
}
