//! Memory and time as people read them.

/// An amount of memory for people.
pub fn bytes(amount: f64) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    match units.into_iter().find(|(_, size)| amount >= *size) {
        Some((unit, size)) => format!("{:.3} {unit}", amount / size),
        None => format!("{amount} B"),
    }
}

/// A time for people.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_short_and_have_units() {
        assert_eq!(bytes(2_055_140_736.0), "2.055 GB");
        assert_eq!(bytes(36_306_936.0), "36.307 MB");
        assert_eq!(bytes(12.0), "12 B");
        assert_eq!(duration(12.3), "12 s");
        assert_eq!(duration(600.0), "10 min");
        assert_eq!(duration(7200.0), "2.0 h");
        assert_eq!(duration(864_000.0), "10.0 days");
    }
}
