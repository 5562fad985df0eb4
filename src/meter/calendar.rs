//! Times → days of a time zone, and the names of days, weeks and months.

use std::ops::Range;

use jiff::tz::TimeZone;
use jiff::{Timestamp, civil};

/// A day on the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(civil::Date);

impl Day {
    /// The day of a date.
    #[must_use]
    pub fn new(date: civil::Date) -> Self {
        Self(date)
    }

    /// `2026-08-04`.
    #[must_use]
    pub fn day(self) -> String {
        self.0.to_string()
    }

    /// The ISO 8601 week, `2026-W32`; its year is not always that of the day.
    #[must_use]
    pub fn week(self) -> String {
        let week = self.0.iso_week_date();
        format!("{:04}-W{:02}", week.year(), week.week())
    }

    /// `2026-08`.
    #[must_use]
    pub fn month(self) -> String {
        format!("{:04}-{:02}", self.0.year(), self.0.month())
    }
}

/// The days of a time zone. Times mostly come in order, so the last day is remembered.
pub struct Calendar<'a> {
    zone: &'a TimeZone,
    last: Option<(Range<i64>, Day)>,
}

impl<'a> Calendar<'a> {
    /// Days that begin at midnight in `zone`.
    #[must_use]
    pub fn new(zone: &'a TimeZone) -> Self {
        Self { zone, last: None }
    }

    /// The day of a time in microseconds since 1970; none when no calendar has it.
    pub fn day(&mut self, at: i64) -> Option<Day> {
        if let Some((range, day)) = &self.last
            && range.contains(&at)
        {
            return Some(*day);
        }
        let date = Timestamp::from_microsecond(at).ok()?;
        let date = self.zone.to_datetime(date).date();
        let midnight = |date: civil::Date| {
            let midnight = date.to_datetime(civil::Time::midnight());
            let midnight = self.zone.to_timestamp(midnight).ok()?;
            Some(midnight.as_microsecond())
        };
        let end = date.tomorrow().ok().and_then(midnight);
        if let (Some(start), Some(end)) = (midnight(date), end) {
            self.last = Some((start..end, Day(date)));
        }
        Some(Day(date))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_and_months() {
        for (date, week, month) in [
            ("2026-07-29", "2026-W31", "2026-07"),
            ("2027-01-03", "2026-W53", "2027-01"),
            ("2024-12-30", "2025-W01", "2024-12"),
        ] {
            let day = Day(date.parse().unwrap());
            assert_eq!((day.week(), day.month()), (week.into(), month.into()));
            assert_eq!(day.day(), date);
        }
    }

    #[test]
    fn the_remembered_day_ends_where_the_zone_says() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let mut calendar = Calendar::new(&berlin);
        for (at, want) in [
            // The clocks went back at 01:00 UTC: this day had 25 hours.
            ("2026-10-24T22:00:00Z", "2026-10-25"),
            ("2026-10-25T22:59:59Z", "2026-10-25"),
            ("2026-10-25T23:00:00Z", "2026-10-26"),
            ("2026-10-24T21:59:59Z", "2026-10-24"),
        ] {
            let time: Timestamp = at.parse().unwrap();
            let day = calendar.day(time.as_microsecond()).unwrap();
            assert_eq!(day.day(), want, "{at}");
        }
        assert_eq!(calendar.day(i64::MAX), None);
    }
}
