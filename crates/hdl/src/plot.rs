//! The plots of the laboratory: what went in and what came out, as SVG.

use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 40.0;

/// A step of 1, 2 or 5 times a power of ten that divides `span` into about five parts.
fn step(span: f64) -> f64 {
    let rough = span.max(1e-9) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|f| f * power).find(|s| *s >= rough).unwrap_or(power)
}

/// Input `x` as a dashed black line and output `y` as a solid red one, over the sample's number. `axis` limits the
/// vertical axis; without it all values are shown.
pub fn overlay(title: &str, x: &[f64], y: &[f64], axis: Option<(f64, f64)>) -> String {
    let values = || x.iter().chain(y).copied().filter(|v| v.is_finite());
    let (low, high) = axis.unwrap_or_else(|| {
        let (low, high) = values().fold((0.0f64, 1.0f64), |(l, h), v| (l.min(v), h.max(v)));
        let s = step(high - low);
        ((low / s).floor() * s, (high / s).ceil() * s)
    });
    let n = x.len().max(y.len()).max(2);
    let px = |i: f64| LEFT + i / (n - 1) as f64 * (WIDTH - LEFT - RIGHT);
    let py = |v: f64| {
        let share = ((v - low) / (high - low).max(1e-9)).clamp(0.0, 1.0);
        HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
    };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{}\" y=\"20\" text-anchor=\"middle\" font-size=\"14\">{}</text>\n",
        WIDTH / 2.0,
        title.replace('&', "&amp;").replace('<', "&lt;")
    );
    let s = step(high - low);
    let mut v = (low / s).ceil() * s;
    while v <= high + s * 1e-9 {
        let at = py(v);
        _ = writeln!(
            out,
            "<path d=\"M{LEFT} {at:.1}H{}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{v}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0
        );
        v += s;
    }
    let s = step((n - 1) as f64).max(1.0);
    let mut i = 0.0;
    while i <= (n - 1) as f64 {
        _ = writeln!(
            out,
            "<path d=\"M{:.1} {}v5\" stroke=\"black\"/><text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{i}</text>",
            px(i),
            HEIGHT - BOTTOM,
            px(i),
            HEIGHT - BOTTOM + 20.0
        );
        i += s;
    }
    _ = writeln!(
        out,
        "<path d=\"M{LEFT} {TOP}V{}H{}\" fill=\"none\" stroke=\"black\"/>",
        HEIGHT - BOTTOM,
        WIDTH - RIGHT
    );
    let mut line = |values: &[f64], style: &str| {
        let points = values.iter().enumerate().filter(|(_, v)| v.is_finite());
        let points: Vec<String> =
            points.map(|(i, v)| format!("{:.1},{:.1}", px(i as f64), py(*v))).collect();
        _ = writeln!(out, "<polyline points=\"{}\" fill=\"none\" {style}/>", points.join(" "));
    };
    line(x, "stroke=\"black\" stroke-dasharray=\"4 3\"");
    line(y, "stroke=\"red\" stroke-width=\"1.5\"");
    out + "</svg>\n"
}
