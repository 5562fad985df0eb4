//! Money as whole nano-dollars, so that sums are exact. In: amounts. Out: sums and their text.
//! Knows no prices.

use std::ops::AddAssign;

/// What some messages cost, as far as their prices are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Nano-dollars of all that has a price.
    pub nano: u64,
    /// How many amounts have one.
    pub priced: u64,
    /// How many have none.
    pub unpriced: u64,
}

impl Cost {
    /// One amount; none when its price is not known.
    #[must_use]
    pub fn of(nano: Option<u64>) -> Self {
        Self {
            nano: nano.unwrap_or(0),
            priced: u64::from(nano.is_some()),
            unpriced: u64::from(nano.is_none()),
        }
    }

    /// The known part in nano-dollars; none when there is something and no price for any of it.
    #[must_use]
    pub fn known(&self) -> Option<u64> {
        (self.priced > 0 || self.unpriced == 0).then_some(self.nano)
    }

    /// The known part in dollars, for JSON.
    #[must_use]
    pub fn usd(&self) -> Option<f64> {
        plain(self.known()?).parse().ok()
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        // Transcripts can claim any count.
        self.nano = self.nano.saturating_add(other.nano);
        self.priced += other.priced;
        self.unpriced += other.unpriced;
    }
}

/// Nano-dollars as dollars with every digit: `0.510000000`.
#[must_use]
pub fn plain(nano: u64) -> String {
    format!("{}.{:09}", nano / 1_000_000_000, nano % 1_000_000_000)
}

/// Nano-dollars as dollars with `decimals` (1 to 9) digits after the point, rounded half up, without a sign.
#[must_use]
pub fn rounded(nano: u64, decimals: u32) -> String {
    let step = 10_u64.pow(9 - decimals.clamp(1, 9));
    let units = nano / step + u64::from(nano % step >= step.div_ceil(2));
    let one = 1_000_000_000 / step;
    let width = decimals as usize;
    format!("{}.{:0width$}", units / one, units % one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unknown_is_never_zero() {
        let mut sum = Cost::default();
        assert_eq!(sum.usd(), Some(0.0));
        sum += Cost::of(None);
        assert_eq!(sum.usd(), None);
        sum += Cost::of(Some(510_000_000));
        assert_eq!((sum.usd(), sum.unpriced), (Some(0.51), 1));
    }

    #[test]
    fn sums_are_exact_where_floats_are_not() {
        let mut sum = Cost::default();
        for _ in 0..10 {
            sum += Cost::of(Some(100_000_000));
        }
        assert_eq!(sum.usd(), Some(1.0));
    }

    #[test]
    fn amounts_are_rounded_half_up() {
        for (nano, decimals, want) in [
            (0, 4, "0.0000"),
            (12_345_678, 3, "0.012"),
            (49_999, 4, "0.0000"),
            (50_000, 4, "0.0001"),
            (1_999_950_000, 4, "2.0000"),
            (1_234_567_891, 9, "1.234567891"),
        ] {
            assert_eq!(rounded(nano, decimals), want);
        }
    }
}
