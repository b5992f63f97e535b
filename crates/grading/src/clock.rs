//! Times of the calendar as seconds, and back.

use toml::value::{Datetime, Offset};

/// Seconds of a day.
pub(crate) const DAY: i64 = 86_400;

/// Seconds since 1970-01-01T00:00Z.
pub(crate) fn seconds(time: &Datetime) -> Option<i64> {
    let (date, clock) = (time.date?, time.time?);
    let offset = match time.offset {
        Some(Offset::Custom { minutes }) => i64::from(minutes),
        _ => 0,
    };
    // Days from the civil calendar, with years that begin in March.
    let (month, day) = (i64::from(date.month), i64::from(date.day));
    let year = i64::from(date.year) - i64::from(month <= 2);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days =
        365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year
            - 719_468;
    let clock = i64::from(clock.hour) * 3600
        + i64::from(clock.minute) * 60
        + i64::from(clock.second.unwrap_or(0));
    Some(days * DAY + clock - offset * 60)
}

/// The time so many seconds after 1970-01-01T00:00Z, in the form of RFC 3339.
pub fn utc(seconds: u64) -> String {
    let (days, clock) = (seconds / 86_400, seconds % 86_400);
    // Years that begin in March, in eras of 400.
    let (era, of_era) = ((days + 719_468) / 146_097, (days + 719_468) % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_those_of_the_calendar() {
        let at = |text: &str| seconds(&text.parse().unwrap()).unwrap();
        assert_eq!(at("1970-01-01T00:00:00Z"), 0);
        assert_eq!(at("2000-02-29T12:00:00Z"), 951_825_600);
        assert_eq!(at("2026-10-01T23:59:00+02:00"), 1_790_891_940);
        assert_eq!(at("2026-10-01T21:59:00"), 1_790_891_940);
        for text in ["1970-01-01T00:00:00Z", "2000-02-29T12:34:56Z", "2026-12-31T23:59:59Z"] {
            assert_eq!(utc(at(text) as u64), text);
        }
    }
}
