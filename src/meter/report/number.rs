//! Numbers as a person reads them.

use crate::meter::cost::{self, Cost};

use super::Value;

/// A number as a person reads it.
#[must_use]
pub fn text(value: Value) -> String {
    match value {
        Value::Count(count) => thousands(count),
        Value::Money(None) => String::new(),
        Value::Money(Some(cost)) => money(&cost, 4),
    }
}

/// `$1,234.5678` with four `decimals`, and beside it what is not known.
#[must_use]
pub fn money(cost: &Cost, decimals: u32) -> String {
    let Some(nano) = cost.known() else {
        return "unpriced".to_owned();
    };
    let plain = cost::rounded(nano, decimals);
    let (dollars, cents) = plain.split_once('.').unwrap_or((&plain, "0"));
    let dollars = dollars
        .parse()
        .map_or_else(|_| dollars.to_owned(), thousands);
    let open = if cost.unpriced > 0 { " + unpriced" } else { "" };
    format!("${dollars}.{cents}{open}")
}

/// `1234567` as `1,234,567`.
#[must_use]
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count in three digits, cut: `1.23M`; below ten thousand with every digit.
#[must_use]
pub fn short(count: u64) -> String {
    let (unit, name) = match count {
        0..10_000 => return thousands(count),
        10_000..1_000_000 => (1000, "k"),
        1_000_000..1_000_000_000 => (1_000_000, "M"),
        _ => (1_000_000_000, "G"),
    };
    let (whole, thousandths) = (count / unit, count % unit * 1000 / unit);
    match whole {
        0..10 => format!("{whole}.{:02}{name}", thousandths / 10),
        10..100 => format!("{whole}.{}{name}", thousandths / 100),
        _ => format!("{}{name}", thousands(whole)),
    }
}

/// From a dollar on without fractions of a cent.
#[must_use]
pub fn short_money(cost: &Cost) -> String {
    let decimals = if cost.nano < 1_000_000_000 { 4 } else { 2 };
    money(cost, decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        for (count, want) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(thousands(count), want);
        }
    }

    #[test]
    fn money_says_what_it_does_not_know() {
        let mut cost = Cost::of(Some(1_234_567_800_000));
        assert_eq!(money(&cost, 4), "$1,234.5678");
        cost += Cost::of(None);
        assert_eq!(money(&cost, 4), "$1,234.5678 + unpriced");
        assert_eq!(money(&Cost::of(None), 4), "unpriced");
        assert_eq!(money(&Cost::default(), 4), "$0.0000");
    }

    #[test]
    fn counts_in_three_digits() {
        for (count, want) in [
            (9999, "9,999"),
            (10_000, "10.0k"),
            (123_456, "123k"),
            (1_239_999, "1.23M"),
            (71_048_579, "71.0M"),
            (1_234_567_890_123, "1,234G"),
        ] {
            assert_eq!(short(count), want);
        }
    }
}
