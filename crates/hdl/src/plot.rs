//! The plots of the laboratory: what went in and what came out, as SVG.

use figures::{Axis, Chart, Series};

/// Input `x` and output `y` over the sample's number. `axis` limits the vertical axis; without it
/// all values are shown.
pub fn overlay(title: &str, x: &[f64], y: &[f64], axis: Option<(f64, f64)>) -> String {
    let line = |name: &str, values: &[f64]| {
        let points = values.iter().enumerate().map(|(n, v)| (n as f64, *v)).collect();
        Series::line(name, points).smooth()
    };
    let vertical = match axis {
        Some((low, high)) => Axis::linear("value").range(low, high),
        None => Axis::linear("value").from_zero(),
    };
    Chart::new(title, Axis::linear("sample").whole(), vertical)
        .with(line("input", x))
        .with(line("output", y))
        .svg()
}
