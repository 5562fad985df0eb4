//! The time of a line, as written → microseconds since 1970.

use jiff::Timestamp;

use super::super::walk::numbers::pairs;

/// Microseconds since 1970 of an RFC 3339 time. The usual form is read by hand, it stands in every
/// line.
pub fn time(text: impl AsRef<[u8]>) -> Option<i64> {
    let text = text.as_ref();
    usual_time(text).or_else(|| {
        let text = str::from_utf8(text).ok()?;
        text.parse().ok().map(Timestamp::as_microsecond)
    })
}

/// The usual form, eight bytes a word.
const FORM: [Form; 3] = [
    Form::new(*b"0000-00-"),
    Form::new(*b"00T00:00"),
    Form::new(*b":00.000Z"),
];

/// Eight bytes of a form: digits, for which zeros stand, and marks.
struct Form {
    text: u64,
    /// Added to what differs from the text, it sets the highest bit of a byte that is neither the
    /// mark nor a digit.
    over: u64,
}

impl Form {
    const fn new(text: [u8; 8]) -> Self {
        let (mut over, mut at) = ([0x7f; 8], 0);
        while at < 8 {
            if text[at] == b'0' {
                over[at] = 0x76;
            }
            at += 1;
        }
        let (text, over) = (u64::from_le_bytes(text), u64::from_le_bytes(over));
        Self { text, over }
    }

    /// What the digits count, one a byte, and zero for each mark; and some bits when the text has
    /// another form.
    fn read(&self, bytes: [u8; 8]) -> (u64, u64) {
        let digits = u64::from_le_bytes(bytes) ^ self.text;
        let others = (digits.wrapping_add(self.over) | digits) & u64::from_ne_bytes([0x80; 8]);
        (digits, others)
    }
}

/// `2026-08-04T12:00:00.000Z`.
fn usual_time(text: &[u8]) -> Option<i64> {
    let text: &[u8; 24] = text.try_into().ok()?;
    let (words, _) = text.as_chunks::<8>();
    let (date, differs) = FORM[0].read(words[0]);
    let (clock, differs_then) = FORM[1].read(words[1]);
    let (rest, differs_last) = FORM[2].read(words[2]);
    (differs | differs_then | differs_last == 0).then_some(())?;
    let number = |digits: u64, at: u32| u32::from((pairs(digits) >> (8 * at)).to_le_bytes()[0]);
    let year = number(date, 0) * 100 + number(date, 2);
    let (month, day) = (number(date, 5), number(clock, 0));
    let (hour, minute, second) = (number(clock, 3), number(clock, 6), number(rest, 1));
    let thousandths = number(rest, 4) * 10 + u32::from(rest.to_le_bytes()[6]);
    let dated = (1..=12).contains(&month) && (1..=last_day(year, month)).contains(&day);
    (dated && hour < 24 && minute < 60 && second < 60).then_some(())?;
    let seconds = hour * 3600 + minute * 60 + second;
    let seconds = days(year, month, day) * 86_400 + i64::from(seconds);
    Some(seconds * 1_000_000 + i64::from(thousandths) * 1000)
}

/// Since 1970.
fn days(year: u32, month: u32, day: u32) -> i64 {
    // Years that begin in March have their leap day at the end. 400 of them are always as long.
    let (year, month) = if month > 2 {
        (year + 400, month - 3)
    } else {
        (year + 399, month + 9)
    };
    let days = year * 365 + year / 4 - year / 100 + year / 400;
    i64::from(days + (153 * month + 2) / 5 + day) - 719_469 - 146_097
}

fn last_day(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
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
            "0000-01-01T00:00:00.000Z",
            "0000-02-29T23:59:59.999Z",
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
        let usual = "2026-08-04T12:34:56.789Z";
        for at in 0..usual.len() {
            for byte in 0..=255 {
                let mut text = usual.as_bytes().to_vec();
                text[at] = byte;
                let same_kind = byte.is_ascii_digit() && usual.as_bytes()[at].is_ascii_digit();
                let form = same_kind || byte == usual.as_bytes()[at];
                let crate_time = str::from_utf8(&text)
                    .ok()
                    .and_then(|text| text.parse().ok());
                let want = crate_time.map(Timestamp::as_microsecond).filter(|_| form);
                assert_eq!(usual_time(&text), want, "{at} {byte}");
            }
        }
        assert!(time("2026-01-31T01:00:00+02:00").is_some());
    }
}
