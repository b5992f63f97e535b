//! Where an axis has its ticks, and what stands beside them.

/// A power of ten, the same on every machine.
pub(crate) fn ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(f64::NAN)
}

/// The least and the greatest value; infinities in the wrong order if there is none.
pub(crate) fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
}

/// The step of 1, 2 or 5 times a power of ten that cuts `span` into `parts` at most.
pub(crate) fn step(span: f64, parts: usize) -> f64 {
    let rough = span / parts.max(1) as f64;
    if !(rough.is_finite() && rough > 0.0) {
        return 1.0;
    }
    let exponent = libm::floor(libm::log10(rough)) as i32;
    let candidates =
        (exponent - 1..=exponent + 1).flat_map(|e| [1.0, 2.0, 5.0].map(|f| f * ten(e)));
    candidates.into_iter().find(|s| *s >= rough * (1.0 - 1e-9)).unwrap_or(10.0 * ten(exponent))
}

/// Ticks of a linear axis: multiples of 1, 2 or 5 times a power of ten between `low` and `high`
/// (both may be ticks), with `parts` steps at most, unless only more give two ticks. None if there
/// is no range.
pub(crate) fn linear(low: f64, high: f64, parts: usize) -> Vec<f64> {
    if !(low.is_finite() && high.is_finite() && high > low) {
        return Vec::new();
    }
    let step = step(high - low, parts);
    let (first, last) = (libm::ceil(low / step - 1e-9), libm::floor(high / step + 1e-9));
    if last <= first && parts < 64 {
        return linear(low, high, parts + 1);
    }
    // A range far from zero and narrower than the numbers' precision has no ticks that differ.
    if last - first > 2.0 * parts as f64 + 2.0 {
        return Vec::new();
    }
    (0..=(last - first) as i64).map(|k| tidy((first + k as f64) * step)).collect()
}

/// The shortest decimal number that this is but for rounding, so that 3 * 0.1 is 0.3.
fn tidy(value: f64) -> f64 {
    format!("{value:.12e}").parse().unwrap_or(value)
}

/// Ticks of a logarithmic axis from `low` to `high`, both above 0: powers of ten, `count` at most;
/// in less than two decades 1, 2 and 5 times those.
pub(crate) fn powers(low: f64, high: f64, count: usize) -> Vec<f64> {
    if !(low > 0.0 && high > low && high.is_finite()) {
        return Vec::new();
    }
    let (from, to) = (libm::log10(low), libm::log10(high));
    let (first, last) = (libm::ceil(from - 1e-9) as i32, libm::floor(to + 1e-9) as i32);
    if to - from < 2.0 {
        let all = (first - 1..=last).flat_map(|e| [1.0, 2.0, 5.0].map(|f| f * ten(e)));
        let within = |v: &f64| *v >= low * (1.0 - 1e-9) && *v <= high * (1.0 + 1e-9);
        let found: Vec<f64> = all.map(tidy).filter(within).collect();
        return if found.len() < 2 { linear(low, high, count) } else { found };
    }
    let every = (last - first) / count.max(1) as i32 + 1;
    (first..=last).filter(|e| e.rem_euclid(every) == 0).map(ten).collect()
}

/// The number with thousands parted by commas, and as many places as the step between two ticks
/// needs.
pub(crate) fn number(value: f64, step: f64) -> String {
    let places = if step > 0.0 { -libm::floor(libm::log10(step) + 1e-9) } else { 0.0 };
    let text = format!("{:.*}", places.clamp(0.0, 12.0) as usize, value.abs());
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    let mut grouped = String::new();
    for (k, digit) in whole.chars().enumerate() {
        if k > 0 && (whole.len() - k).is_multiple_of(3) && whole.len() > 4 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let zero = !text.contains(|c: char| c.is_ascii_digit() && c != '0');
    let sign = if value < 0.0 && !zero { "\u{2212}" } else { "" };
    let dot = if part.is_empty() { "" } else { "." };
    format!("{sign}{grouped}{dot}{part}")
}

/// The prefix of SI for numbers around `value`, with its factor; none from 1 up to 1000.
pub(crate) fn prefix(value: f64) -> (&'static str, f64) {
    const NAMES: [&str; 10] = ["f", "p", "n", "\u{b5}", "m", "", "k", "M", "G", "T"];
    let size = value.abs() * (1.0 + 1e-9);
    let factor = |k: usize| ten(3 * k as i32 - 15);
    let k = (0..NAMES.len()).rev().find(|k| size >= factor(*k)).unwrap_or(5);
    (NAMES[k], factor(k))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few thousand ranges of all sizes, from a generator that needs no crate.
    fn ranges() -> impl Iterator<Item = (f64, f64)> {
        let mut state = 1u64;
        let mut next = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..4000).map(move |_| {
            let size = ten((next() * 20.0) as i32 - 9);
            let low = (next() - 0.5) * size * 10.0;
            (low, low + (next() + 0.01) * size)
        })
    }

    #[test]
    fn ticks_are_1_2_5_within_the_range_and_few() {
        for (low, high) in ranges() {
            for parts in [3, 5, 8] {
                let all = linear(low, high, parts);
                let slack = 1e-6 * (high - low);
                let few = 2..=parts + 2;
                assert!(few.contains(&all.len()), "{low} {high} {parts}: {all:?}");
                assert!(all.iter().all(|t| *t >= low - slack && *t <= high + slack), "{all:?}");
                for two in all.windows(2) {
                    let step = two[1] - two[0];
                    let digit = step / ten((libm::log10(step) + 1e-6).floor() as i32);
                    let off = [1.0, 2.0, 5.0].map(|d| (digit - d).abs());
                    assert!(off.iter().any(|o| *o < 1e-3), "{low} {high}: {step}");
                }
                let step = if all.len() > 1 { all[1] - all[0] } else { 1.0 };
                let mut texts: Vec<String> = all.iter().map(|t| number(*t, step)).collect();
                texts.dedup();
                assert_eq!(texts.len(), all.len(), "two ticks have the same text: {texts:?}");
            }
        }
        assert_eq!(linear(0.0, 1.0, 5), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(linear(0.0, 22050.0, 5), [0.0, 5000.0, 10000.0, 15000.0, 20000.0]);
        for (low, high) in [(1.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (2.0, 1.0)] {
            assert!(linear(low, high, 5).is_empty() && powers(low, high, 5).is_empty());
        }
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten_or_1_2_5_of_them() {
        assert_eq!(powers(0.5, 2e3, 8), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(powers(3.0, 60.0, 8), [5.0, 10.0, 20.0, 50.0]);
        assert_eq!(powers(1e-12, 1e12, 6), [1e-10, 1e-5, 1.0, 1e5, 1e10]);
        for (low, high) in ranges().map(|(l, h)| (l.abs().max(1e-12), h.abs() + l.abs() + 1e-11)) {
            let all = powers(low, high, 6);
            assert!((1..=9).contains(&all.len()) || high / low < 1.05, "{low} {high} {all:?}");
        }
    }

    #[test]
    fn numbers_read_well() {
        let texts =
            [(0.0, 1.0), (1234.0, 1.0), (12345.0, 5.0), (-1e6, 1e6), (0.3, 0.1), (-0.0, 0.5)];
        let texts = texts.map(|(v, s)| number(v, s));
        assert_eq!(texts, ["0", "1234", "12,345", "\u{2212}1,000,000", "0.3", "0.0"]);
        assert_eq!(prefix(1.0), ("", 1.0));
        assert_eq!(prefix(22050.0), ("k", 1e3));
        assert_eq!(prefix(2e-4).0, "\u{b5}");
        assert_eq!(prefix(0.0), ("", 1.0));
    }
}
