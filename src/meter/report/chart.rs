//! Numbers → pictures as SVG without any text in it: they stretch to any width, and the page
//! writes the labels around them. In: counts. Out: markup of our own.

use std::fmt::Write as _;

use crate::meter::Usage;

use super::page::escaped;

/// How high a column is drawn; the page stretches it.
const HEIGHT: u64 = 1000;

/// The kinds of tokens, from the bottom of a stack to its top: its class on the page and its
/// count.
#[must_use]
pub fn kinds(usage: &Usage) -> [(&'static str, u64); 4] {
    [
        ("output", usage.output),
        ("input", usage.input),
        ("write", usage.cache_write),
        ("read", usage.cache_read),
    ]
}

/// A text that appears when pointed at (safe to print), and the parts with their classes.
pub type Column = (String, Vec<(&'static str, u64)>);

/// One stacked column each. `most` is
/// the count that fills the height.
#[must_use]
pub fn columns(title: &str, columns: &[Column], most: u64) -> String {
    let width = columns.len() * 10;
    let mut svg = format!(
        r#"<svg class="days" viewBox="0 0 {width} {HEIGHT}" preserveAspectRatio="none" role="img" aria-label="{title}">"#
    );
    for (at, (text, parts)) in columns.iter().enumerate() {
        let x = at * 10;
        let _ = write!(
            svg,
            r#"<g><title>{}</title><rect class="hit" x="{x}" y="0" width="10" height="{HEIGHT}"/>"#,
            escaped(text)
        );
        for (class, start, end) in stack(parts, most) {
            let (y, height, x) = (HEIGHT - end, end - start, x + 1);
            let _ = write!(
                svg,
                r#"<rect class="{class}" x="{x}" y="{y}" width="8" height="{height}"/>"#
            );
        }
        svg.push_str("</g>");
    }
    svg.push_str("</svg>");
    svg
}

/// One bar of stacked parts. `most` is the count that fills the width.
#[must_use]
pub fn bar(parts: &[(&'static str, u64)], most: u64) -> String {
    let mut svg = format!(
        r#"<svg class="bar" viewBox="0 0 {HEIGHT} 1" preserveAspectRatio="none" aria-hidden="true">"#
    );
    for (class, start, end) in stack(parts, most) {
        let width = end - start;
        let _ = write!(
            svg,
            r#"<rect class="{class}" x="{start}" y="0" width="{width}" height="1"/>"#
        );
    }
    svg.push_str("</svg>");
    svg
}

/// Where each part begins and ends, in thousandths of `most`; the ends are rounded, not the sizes,
/// so that parts never add up to more than the whole.
fn stack(parts: &[(&'static str, u64)], most: u64) -> Vec<(&'static str, u64, u64)> {
    let scale = |sum: u128| {
        let scaled = sum * u128::from(HEIGHT) / u128::from(most.max(1));
        u64::try_from(scaled).map_or(HEIGHT, |scaled| scaled.min(HEIGHT))
    };
    let mut sum = 0;
    let mut ends = Vec::new();
    for (class, count) in parts {
        let start = scale(sum);
        sum += u128::from(*count);
        if scale(sum) > start {
            ends.push((*class, start, scale(sum)));
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_never_exceed_the_whole() {
        for (parts, most, want) in [
            (
                [("a", 1), ("b", 1), ("c", 1)],
                3,
                vec![("a", 0, 333), ("b", 333, 666), ("c", 666, 1000)],
            ),
            ([("a", 0), ("b", 5), ("c", 0)], 10, vec![("b", 0, 500)]),
            ([("a", 1), ("b", 0), ("c", 0)], 0, vec![("a", 0, 1000)]),
            (
                [("a", u64::MAX), ("b", u64::MAX), ("c", 1)],
                u64::MAX,
                vec![("a", 0, 1000)],
            ),
        ] {
            assert_eq!(stack(&parts, most), want, "{parts:?}");
        }
    }
}
