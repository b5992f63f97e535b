//! Plots of the study as SVG.

use std::fmt::Write;

use super::FilterRow;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 46.0;

/// What stands around a plot; the vertical axis goes from 0 to `top`.
pub struct Axes<'a> {
    pub title: &'a str,
    pub x: &'a str,
    pub y: &'a str,
    pub top: f64,
}

impl Axes<'_> {
    fn begin(&self, most: f64) -> String {
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
             <text x=\"{}\" y=\"20\" text-anchor=\"middle\" font-size=\"14\">{}</text>\n",
            WIDTH / 2.0,
            self.title
        );
        for step in 0..=5 {
            let (x, y) = (most * f64::from(step) / 5.0, self.top * f64::from(step) / 5.0);
            let (px, py) = (at_x(x, most), self.at_y(y));
            _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {py:.1}H{}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{y:.0}</text>\
                 <text x=\"{px:.1}\" y=\"{}\" text-anchor=\"middle\">{x:.0}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                py + 4.0,
                HEIGHT - BOTTOM + 18.0
            );
        }
        _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\
             <text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 8.0,
            self.x,
            HEIGHT / 2.0,
            self.y
        );
        svg
    }

    fn at_y(&self, y: f64) -> f64 {
        HEIGHT - BOTTOM - (y / self.top).clamp(0.0, 1.0) * (HEIGHT - BOTTOM - TOP)
    }
}

fn at_x(x: f64, most: f64) -> f64 {
    LEFT + x / most.max(1.0) * (WIDTH - LEFT - RIGHT)
}

/// Lines over the number of the value: the first of two dashed and black, the last solid and red.
pub fn lines(axes: &Axes<'_>, all: &[(&str, &[f64])]) -> String {
    let most = all.iter().map(|l| l.1.len()).max().unwrap_or(2).saturating_sub(1) as f64;
    let mut svg = axes.begin(most);
    for (i, (name, values)) in all.iter().enumerate() {
        let point =
            |(n, v): (usize, &f64)| format!("{:.1},{:.1}", at_x(n as f64, most), axes.at_y(*v));
        let path: Vec<String> = values.iter().enumerate().map(point).collect();
        let style = match i + 1 == all.len() {
            true => "stroke=\"#c00\" stroke-width=\"1.5\"",
            false => "stroke=\"black\" stroke-dasharray=\"4 3\"",
        };
        let x = WIDTH - RIGHT - 80.0;
        let y = TOP + 14.0 * i as f64;
        _ = writeln!(svg, "<polyline points=\"{}\" fill=\"none\" {style}/>", path.join(" "));
        if !name.is_empty() {
            _ = writeln!(
                svg,
                "<path d=\"M{x} {y}h24\" {style}/><text x=\"{}\" y=\"{}\">{name}</text>",
                x + 30.0,
                y + 4.0
            );
        }
    }
    svg + "</svg>\n"
}

/// Area (LUTs and flip-flops, a multiplier block counted as 300) against clocks per sample, a point for every filter.
pub fn area_against_time(filters: &[FilterRow]) -> String {
    let area = |f: &FilterRow| f64::from(f.count.luts + f.count.ffs + 300 * f.count.multipliers);
    let top = filters.iter().map(area).fold(0.0, f64::max) * 1.15;
    let axes = Axes {
        title: "Area against time: eight filters, the same bits",
        x: "clocks per sample",
        y: "LUT + FF + 300 per multiplier",
        top,
    };
    let most = 20.0;
    let mut svg = axes.begin(most);
    for f in filters {
        let (x, y) = (at_x(f64::from(f.period), most), axes.at_y(area(f)));
        _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"#06c\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x + 7.0,
            y + 4.0,
            f.name
        );
    }
    svg + "</svg>\n"
}
