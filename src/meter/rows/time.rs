//! The time of a line, as written → microseconds since 1970.

use jiff::Timestamp;

/// Microseconds since 1970 of an RFC 3339 time. The usual form is read by hand, it stands in every
/// line.
pub fn time(text: impl AsRef<[u8]>) -> Option<i64> {
    let text = text.as_ref();
    usual_time(text).or_else(|| {
        let text = str::from_utf8(text).ok()?;
        text.parse().ok().map(Timestamp::as_microsecond)
    })
}

/// `2026-08-04T12:00:00.000Z`.
fn usual_time(text: &[u8]) -> Option<i64> {
    let text: &[u8; 24] = text.try_into().ok()?;
    let number = |from: usize, length: usize| {
        text[from..from + length]
            .iter()
            .try_fold(0_i64, |sum, byte| {
                byte.is_ascii_digit()
                    .then(|| sum * 10 + i64::from(byte - b'0'))
            })
    };
    let marks = [
        (4, b'-'),
        (7, b'-'),
        (10, b'T'),
        (13, b':'),
        (16, b':'),
        (19, b'.'),
        (23, b'Z'),
    ];
    marks
        .iter()
        .all(|(at, mark)| text[*at] == *mark)
        .then_some(())?;
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    let dated = (1..=12).contains(&month) && (1..=last_day(year, month)).contains(&day);
    (dated && hour < 24 && minute < 60 && second < 60).then_some(())?;
    // Years that begin in March have their leap day at the end.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let days = days + (153 * month + 2) / 5 + day - 719_469;
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second;
    Some(seconds * 1_000_000 + number(20, 3)? * 1000)
}

fn last_day(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_by_hand_are_those_of_the_crate() {
        for text in [
            "2026-08-04T04:08:00.123Z",
            "2024-02-28T23:59:59.999Z",
            "2024-02-29T23:59:59.999Z",
            "2000-02-29T00:00:00.000Z",
            "2026-01-31T00:00:00.000Z",
            "2026-04-30T00:00:00.000Z",
            "2026-12-31T23:59:59.999Z",
            "2024-03-01T00:00:00.000Z",
            "1970-01-01T00:00:00.000Z",
            "1969-12-28T00:00:00.001Z",
            "2000-02-28T12:00:00.000Z",
            "2100-03-01T12:00:00.000Z",
            "0001-01-01T00:00:00.000Z",
            "9999-12-28T00:00:00.000Z",
        ] {
            let want = text.parse::<Timestamp>().unwrap().as_microsecond();
            assert_eq!(usual_time(text.as_bytes()), Some(want), "{text}");
        }
        for text in [
            "2026-02-30T00:00:00.000Z",
            "2026-02-29T00:00:00.000Z",
            "2100-02-29T00:00:00.000Z",
            "2026-04-31T00:00:00.000Z",
            "2026-01-00T00:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
            "2026-01-01T24:00:00.000Z",
            "soon",
            "",
        ] {
            assert_eq!(time(text), None, "{text}");
        }
        assert!(time("2026-01-31T01:00:00+02:00").is_some());
    }
}
