//! Small plots as SVG, lines on logarithmic axes and bars, and their data as CSV.

use std::fmt::Write;

/// One line of a plot.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name in the legend.
    pub label: String,
    /// Points in order of x; both coordinates positive.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 60.0;
/// Colours that stay apart for colour-blind readers.
const COLOURS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

/// A logarithmic axis: values `low..=high`, powers of ten, on pixels `from..=to`.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Axis {
        let range = values.filter(|v| v.is_finite() && *v > 0.0);
        let (low, high) =
            range.fold((f64::INFINITY, 0.0f64), |(low, high), v| (low.min(v), high.max(v)));
        let (low, high) = if low > high { (1.0, 10.0) } else { (low, high) };
        let low = 10f64.powf(low.log10().floor());
        let high = 10f64.powf(high.log10().ceil()).max(low * 10.0);
        Axis { low, high, from, to }
    }

    fn pixel(&self, value: f64) -> f64 {
        let share = (value.max(self.low) / self.low).ln() / (self.high / self.low).ln();
        self.from + share * (self.to - self.from)
    }

    fn decades(&self) -> impl Iterator<Item = i32> {
        self.low.log10().round() as i32..=self.high.log10().round() as i32
    }
}

/// A plot with logarithmic axes.
pub fn log_log(title: &str, x_label: &str, y_label: &str, series: &[Series]) -> String {
    let values = || series.iter().flat_map(|s| s.points.iter());
    let x = Axis::new(values().map(|p| p.0), LEFT, WIDTH - RIGHT);
    let y = Axis::new(values().map(|p| p.1), HEIGHT - BOTTOM, TOP);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{}\" y=\"22\" text-anchor=\"middle\" font-size=\"16\">{}</text>\n",
        WIDTH / 2.0,
        escape(title)
    );
    // Writing to a String cannot fail, so the results are dropped.
    for decade in x.decades() {
        let px = x.pixel(10f64.powi(decade));
        let _ = writeln!(
            svg,
            "<path d=\"M{px:.1} {:.1}V{:.1}\" stroke=\"#ddd\"/><text x=\"{px:.1}\" y=\"{:.1}\" \
             text-anchor=\"middle\">10<tspan dy=\"-5\" font-size=\"9\">{decade}</tspan></text>",
            y.from,
            y.to,
            y.from + 20.0
        );
    }
    for decade in y.decades() {
        let py = y.pixel(10f64.powi(decade));
        let _ = writeln!(
            svg,
            "<path d=\"M{:.1} {py:.1}H{:.1}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" \
             text-anchor=\"end\">10<tspan dy=\"-5\" font-size=\"9\">{decade}</tspan></text>",
            x.from,
            x.to,
            x.from - 8.0,
            py + 4.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
         <text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        (x.from + x.to) / 2.0,
        HEIGHT - 15.0,
        escape(x_label),
        (y.from + y.to) / 2.0,
        escape(y_label)
    );
    for (k, s) in series.iter().enumerate() {
        let colour = COLOURS[k % COLOURS.len()];
        let line: Vec<String> = s
            .points
            .iter()
            .map(|(a, b)| format!("{:.1},{:.1}", x.pixel(*a), y.pixel(*b)))
            .collect();
        let row = TOP + 16.0 * k as f64;
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n\
             <path d=\"M{} {row}h20\" stroke=\"{colour}\" stroke-width=\"2\"/>\
             <text x=\"{}\" y=\"{}\">{}</text>",
            line.join(" "),
            LEFT + 12.0,
            LEFT + 38.0,
            row + 4.0,
            escape(&s.label)
        );
    }
    svg + "</svg>\n"
}

/// Bars side by side, each with its name below and its height above; the vertical axis runs from 0 to `top`.
pub fn bars(title: &str, y_label: &str, top: f64, bars: &[(String, f64)]) -> String {
    let (left, bottom) = (LEFT, HEIGHT - BOTTOM);
    let pitch = (WIDTH - RIGHT - left) / bars.len().max(1) as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{}\" y=\"22\" font-size=\"16\">{}</text>\n\
         <text transform=\"translate(20 {}) rotate(-90)\">{}</text>\n\
         <path d=\"M{left} {TOP}V{bottom}H{}\" stroke=\"black\" fill=\"none\"/>\n",
        WIDTH / 2.0,
        escape(title),
        (TOP + bottom) / 2.0,
        escape(y_label),
        WIDTH - RIGHT
    );
    for quarter in 0..=4 {
        let share = f64::from(quarter) / 4.0;
        let y = bottom - share * (bottom - TOP);
        let _ = writeln!(
            svg,
            "<path d=\"M{:.1} {y:.1}H{left}\" stroke=\"black\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 5.0,
            left - 9.0,
            y + 4.0,
            share * top
        );
    }
    for (k, (name, height)) in bars.iter().enumerate() {
        let share = if height.is_finite() { (height / top).clamp(0.0, 1.0) } else { 0.0 };
        let (x, y) = (left + (k as f64 + 0.5) * pitch, bottom - share * (bottom - TOP));
        let _ = writeln!(
            svg,
            "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\">{}</text><text x=\"{x:.1}\" y=\"{:.1}\">{height:.3}</text>",
            x - 0.35 * pitch,
            0.7 * pitch,
            bottom - y,
            COLOURS[0],
            bottom + 20.0,
            escape(name),
            y - 6.0
        );
    }
    svg += "</svg>\n";
    svg
}

/// The data of a plot: one row per x, one column per series. All series have the same x values.
pub fn csv(x_label: &str, series: &[Series]) -> String {
    let mut text = x_label.to_string();
    for s in series {
        text += &format!(",{}", s.label);
    }
    text.push('\n');
    let rows = series.first().map_or(0, |s| s.points.len());
    for k in 0..rows {
        text += &series[0].points[k].0.to_string();
        for s in series {
            text += &format!(",{}", s.points[k].1);
        }
        text.push('\n');
    }
    text
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_land_where_their_decades_are() {
        let line = Series { label: "a<b".into(), points: vec![(1.0, 1.0), (100.0, 0.01)] };
        let svg = log_log("t", "x", "y", std::slice::from_ref(&line));
        let (left, right) = (LEFT, WIDTH - RIGHT);
        assert!(svg.contains(&format!("{left:.1},{TOP:.1} {right:.1},{:.1}", HEIGHT - BOTTOM)));
        assert!(svg.contains("a&lt;b") && svg.ends_with("</svg>\n"));
        assert_eq!(csv("n", &[line]), "n,a<b\n1,1\n100,0.01\n");
    }

    #[test]
    fn bars_have_their_heights_and_names() {
        let svg = bars("t", "y", 1.0, &[("8x4".into(), 0.5), ("b<c".into(), 1.0)]);
        let full = HEIGHT - BOTTOM - TOP;
        assert!(svg.contains(&format!("height=\"{:.1}\"", full / 2.0)));
        assert!(svg.contains(&format!("height=\"{full:.1}\"")));
        assert!(svg.contains(">8x4<") && svg.contains("b&lt;c") && svg.contains(">0.500<"));
        assert!(bars("t", "y", 1.0, &[]).ends_with("</svg>\n"));
        assert!(!bars("t", "y", 1.0, &[("x".into(), f64::NAN)]).contains("\"NaN"));
    }

    #[test]
    fn an_empty_plot_is_still_a_plot() {
        assert!(log_log("t", "x", "y", &[]).contains("</svg>"));
        let flat = Series { label: "f".into(), points: vec![(1.0, f64::NAN)] };
        assert!(log_log("t", "x", "y", &[flat]).contains("</svg>"));
    }
}
