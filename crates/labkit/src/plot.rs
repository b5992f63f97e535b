//! Plots as SVG and PNG: lines on linear or logarithmic axes, bars, heat maps; and their data as
//! CSV.
//!
//! A plot is laid out once, as a list of [`shape::Shape`]s; `svg` and `raster` write the same list
//! in two ways.

use std::path::Path;

use crate::{LabError, picture};

mod raster;
mod shape;
mod svg;

use shape::{Anchor, Shape};

/// One line of a plot.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name in the legend.
    pub label: String,
    /// Points in order of x; on a logarithmic axis positive.
    pub points: Vec<(f64, f64)>,
}

/// What an axis shows.
#[derive(Clone, Debug)]
pub struct Axis {
    label: String,
    log: bool,
    range: Option<(f64, f64)>,
}

impl Axis {
    /// A linear axis over the values that there are.
    pub fn linear(label: &str) -> Axis {
        Axis { label: label.into(), log: false, range: None }
    }

    /// A logarithmic axis over the decades in which there are values.
    pub fn log(label: &str) -> Axis {
        Axis { log: true, ..Axis::linear(label) }
    }

    /// The same axis from `low` to `high`; on a logarithmic axis both positive.
    pub fn range(self, low: f64, high: f64) -> Axis {
        Axis { range: Some((low, high)), ..self }
    }

    /// The axis over `values`, on the pixels `from..=to`.
    fn place(&self, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Placed<'_> {
        let usable = values.filter(|v| v.is_finite() && (!self.log || *v > 0.0));
        let seen = usable
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let seen = if seen.0 > seen.1 { (1.0, 10.0) } else { seen };
        let (low, high) = match self.range {
            Some(range) => range,
            None if self.log => {
                let low = 10f64.powf(seen.0.log10().floor());
                (low, 10f64.powf(seen.1.log10().ceil()).max(low * 10.0))
            }
            None => {
                let step = step(seen.1 - seen.0);
                let low = (seen.0 / step).floor() * step;
                (low, ((seen.1 / step).ceil() * step).max(low + step))
            }
        };
        Placed { axis: self, low, high, from, to }
    }
}

/// A step of 1, 2 or 5 times a power of ten that divides `span` into about six parts.
fn step(span: f64) -> f64 {
    let rough = if span > 0.0 { span / 6.0 } else { 1.0 };
    let power = 10f64.powf(rough.log10().floor());
    power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= rough).unwrap_or(10.0)
}

/// An axis with its range and its place.
struct Placed<'a> {
    axis: &'a Axis,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Placed<'_> {
    fn pixel(&self, value: f64) -> f64 {
        let share = if self.axis.log {
            (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Values with their labels.
    fn ticks(&self) -> Vec<(f64, String)> {
        if self.axis.log {
            let decades = self.low.log10().ceil() as i32..=self.high.log10().floor() as i32;
            return decades.map(|d| (10f64.powi(d), decade_text(d))).collect();
        }
        let step = step(self.high - self.low);
        let digits = (-step.log10().floor()).max(0.0) as usize;
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        let text = |v: f64| format!("{:.digits$}", if v == 0.0 { 0.0 } else { v });
        (first..=last).map(|k| (k as f64 * step, text(k as f64 * step))).collect()
    }
}

fn decade_text(decade: i32) -> String {
    match decade {
        0..=4 => format!("{}", 10i32.pow(decade as u32)),
        -3..0 => format!("{}", 10f64.powi(decade)),
        _ => format!("1e{decade}"),
    }
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 60.0;
const GRID: &str = "#dddddd";
const BLACK: &str = "#000000";
/// Colours that stay apart for colour-blind readers.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// Lines over two axes.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Above the plot.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// The lines.
    pub series: Vec<Series>,
}

impl Plot {
    /// As SVG text.
    pub fn svg(&self) -> String {
        svg::write(WIDTH, HEIGHT, &self.shapes())
    }

    /// As a PNG file, making its folder if there is none.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_png(&self, path: &Path) -> Result<(), LabError> {
        raster::Canvas::new(WIDTH, HEIGHT).draw(&self.shapes()).write(path)
    }

    fn shapes(&self) -> Vec<Shape> {
        let values = || self.series.iter().flat_map(|s| s.points.iter());
        let x = self.x.place(values().map(|p| p.0), LEFT, WIDTH - RIGHT);
        let y = self.y.place(values().map(|p| p.1), HEIGHT - BOTTOM, TOP);
        let mut shapes = frame(&self.title, &x, &y, true);
        for (k, s) in self.series.iter().enumerate() {
            let colour = COLOURS[k % COLOURS.len()];
            // A value that is no number, or beside the axis, leaves a gap.
            let usable = |p: &(f64, f64)| (x.low..=x.high).contains(&p.0) && p.1.is_finite();
            for part in s.points.split(|p| !usable(p)).filter(|part| !part.is_empty()) {
                let points = part.iter().map(|(a, b)| (x.pixel(*a), y.pixel(*b))).collect();
                shapes.push(Shape::line(points, colour, 2.0));
            }
            let row = TOP + 16.0 * k as f64 + 10.0;
            shapes.push(Shape::line(vec![(LEFT + 12.0, row), (LEFT + 32.0, row)], colour, 2.0));
            shapes.push(Shape::text(LEFT + 38.0, row + 4.0, Anchor::Start, &s.label));
        }
        shapes
    }
}

/// Title, axes with their labels, and the grid's lines if asked for.
fn frame(title: &str, x: &Placed<'_>, y: &Placed<'_>, grid: bool) -> Vec<Shape> {
    let mut shapes = vec![Shape::title(WIDTH / 2.0, 22.0, title)];
    for (value, text) in x.ticks() {
        let px = x.pixel(value);
        let top = if grid { y.to } else { y.from + 5.0 };
        shapes.push(Shape::line(vec![(px, y.from), (px, top)], GRID, 1.0));
        shapes.push(Shape::text(px, y.from + 20.0, Anchor::Middle, &text));
    }
    for (value, text) in y.ticks() {
        let py = y.pixel(value);
        let right = if grid { x.to } else { x.from - 5.0 };
        shapes.push(Shape::line(vec![(x.from, py), (right, py)], GRID, 1.0));
        shapes.push(Shape::text(x.from - 8.0, py + 4.0, Anchor::End, &text));
    }
    shapes.push(Shape::text((x.from + x.to) / 2.0, HEIGHT - 15.0, Anchor::Middle, &x.axis.label));
    shapes.push(Shape::upwards(20.0, (y.from + y.to) / 2.0, &y.axis.label));
    shapes
}

/// A plot with logarithmic axes, as SVG text.
pub fn log_log(title: &str, x_label: &str, y_label: &str, series: &[Series]) -> String {
    let (x, y) = (Axis::log(x_label), Axis::log(y_label));
    Plot { title: title.into(), x, y, series: series.to_vec() }.svg()
}

/// Bars side by side, each with its name below and its height above, as SVG text; the vertical axis
/// runs from 0 to `top`.
pub fn bars(title: &str, y_label: &str, top: f64, bars: &[(String, f64)]) -> String {
    let (left, bottom) = (LEFT, HEIGHT - BOTTOM);
    let pitch = (WIDTH - RIGHT - left) / bars.len().max(1) as f64;
    let mut shapes = vec![
        Shape::title(WIDTH / 2.0, 22.0, title),
        Shape::upwards(20.0, (TOP + bottom) / 2.0, y_label),
        Shape::line(vec![(left, TOP), (left, bottom), (WIDTH - RIGHT, bottom)], BLACK, 1.0),
    ];
    for quarter in 0..=4 {
        let share = f64::from(quarter) / 4.0;
        let y = bottom - share * (bottom - TOP);
        shapes.push(Shape::line(vec![(left - 5.0, y), (left, y)], BLACK, 1.0));
        shapes.push(Shape::text(left - 9.0, y + 4.0, Anchor::End, &format!("{}", share * top)));
    }
    for (k, (name, height)) in bars.iter().enumerate() {
        let share = if height.is_finite() { (height / top).clamp(0.0, 1.0) } else { 0.0 };
        let (x, y) = (left + (k as f64 + 0.5) * pitch, bottom - share * (bottom - TOP));
        shapes.push(Shape::Box {
            corner: (x - 0.35 * pitch, y),
            size: (0.7 * pitch, bottom - y),
            colour: COLOURS[0],
        });
        shapes.push(Shape::text(x, bottom + 20.0, Anchor::Middle, name));
        shapes.push(Shape::text(x, y - 6.0, Anchor::Middle, &format!("{height:.3}")));
    }
    svg::write(WIDTH, HEIGHT, &shapes)
}

/// Bars of parts on top of each other, each with its name below and its height above, as SVG text;
/// the legend names the parts, from below upwards. The vertical axis begins at 0.
pub fn stacked(
    title: &str,
    y_label: &str,
    parts: &[String],
    bars: &[(String, Vec<f64>)],
) -> String {
    let known = |v: &f64| if v.is_finite() { v.max(0.0) } else { 0.0 };
    let heights: Vec<f64> = bars.iter().map(|(_, bar)| bar.iter().map(known).sum()).collect();
    let axis = Axis::linear(y_label);
    // Room for the legend beside the tallest bar.
    let room = 1.3 * heights.iter().copied().fold(0.0, f64::max);
    let y = axis.place([0.0, room].into_iter(), HEIGHT - BOTTOM, TOP);
    let mut shapes = vec![
        Shape::title(WIDTH / 2.0, 22.0, title),
        Shape::upwards(20.0, (y.from + y.to) / 2.0, y_label),
    ];
    for (value, text) in y.ticks() {
        let py = y.pixel(value);
        shapes.push(Shape::line(vec![(LEFT, py), (WIDTH - RIGHT, py)], GRID, 1.0));
        shapes.push(Shape::text(LEFT - 8.0, py + 4.0, Anchor::End, &text));
    }
    let pitch = (WIDTH - RIGHT - LEFT) / bars.len().max(1) as f64;
    for (k, ((name, bar), height)) in bars.iter().zip(&heights).enumerate() {
        let x = LEFT + (k as f64 + 0.5) * pitch;
        let mut below = 0.0;
        for (part, colour) in bar.iter().zip(COLOURS.iter().cycle()) {
            let (bottom, top) = (y.pixel(below), y.pixel(below + known(part)));
            below += known(part);
            shapes.push(Shape::Box {
                corner: (x - 0.35 * pitch, top),
                size: (0.7 * pitch, bottom - top),
                colour,
            });
        }
        shapes.push(Shape::text(x, y.from + 20.0, Anchor::Middle, name));
        shapes.push(Shape::text(
            x,
            y.pixel(*height) - 6.0,
            Anchor::Middle,
            &format!("{height:.3}"),
        ));
    }
    for (k, (part, colour)) in parts.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let row = TOP + 16.0 * k as f64;
        shapes.push(Shape::Box { corner: (LEFT + 12.0, row), size: (12.0, 12.0), colour });
        shapes.push(Shape::text(LEFT + 30.0, row + 10.0, Anchor::Start, part));
    }
    svg::write(WIDTH, HEIGHT, &shapes)
}

/// Values on a grid, as colours.
#[derive(Clone, Debug)]
pub struct HeatMap {
    /// Above the plot.
    pub title: String,
    /// Horizontal axis; needs a range.
    pub x: Axis,
    /// Vertical axis; needs a range.
    pub y: Axis,
    /// Columns from left to right, each with its values from below upwards.
    pub columns: Vec<Vec<f64>>,
    /// Values of the darkest and of the brightest colour.
    pub colours: (f64, f64),
}

impl HeatMap {
    /// As a PNG file, making its folder if there is none.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_png(&self, path: &Path) -> Result<(), LabError> {
        let none = std::iter::empty;
        let x = self.x.place(none(), LEFT, WIDTH - RIGHT);
        let y = self.y.place(none(), HEIGHT - BOTTOM, TOP);
        let (low, high) = self.colours;
        let colour = |column: f64, row: f64| {
            let cell = |share: f64, count: usize| ((share * count as f64) as usize).min(count - 1);
            let column = self.columns.get(cell(column, self.columns.len().max(1)));
            let value = column.and_then(|c| c.get(cell(row, c.len().max(1))));
            picture::viridis(value.map_or(0.0, |v| (v - low) / (high - low)))
        };
        let mut canvas = raster::Canvas::new(WIDTH, HEIGHT);
        canvas.fill((x.from, y.to), (x.to, y.from), |right, down| colour(right, 1.0 - down));
        canvas.draw(&frame(&self.title, &x, &y, false)).write(path)
    }
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
    fn parts_lie_on_top_of_each_other() {
        let parts = ["set-up".to_string(), "fft".into()];
        let svg = stacked("t", "ms", &parts, &[("A".into(), vec![1.0, 3.0])]);
        let boxes: Vec<&str> = svg.lines().filter(|l| l.contains(COLOURS[1])).collect();
        // A bar and a square of the legend.
        assert_eq!(boxes.len(), 2, "{svg}");
        assert!(svg.contains(">4.000<") && svg.contains(">set-up<") && svg.contains(">A<"));
        assert!(stacked("t", "ms", &parts, &[]).ends_with("</svg>\n"));
        let odd = stacked("t", "ms", &parts, &[("x".into(), vec![f64::NAN, -1.0])]);
        assert!(!odd.contains("NaN") && !odd.contains("=\"-"), "{odd}");
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

    #[test]
    fn ticks_are_round_numbers_within_the_axis() {
        let ticks = |axis: Axis, low: f64, high: f64| -> Vec<String> {
            let placed = axis.place([low, high].into_iter(), 0.0, 1.0);
            placed.ticks().into_iter().map(|t| t.1).collect()
        };
        assert_eq!(ticks(Axis::linear(""), 0.0, 22.0), ["0", "5", "10", "15", "20", "25"]);
        let fine = ["0.00", "0.05", "0.10", "0.15", "0.20"];
        assert_eq!(ticks(Axis::linear(""), 0.0, 0.2), fine);
        assert_eq!(ticks(Axis::log(""), 0.05, 2e5)[..3], ["0.01", "0.1", "1"]);
        assert_eq!(ticks(Axis::log("").range(20.0, 22050.0), 0.0, 0.0), ["100", "1000", "10000"]);
        assert_eq!(ticks(Axis::linear(""), 3.0, 3.0)[..2], ["3.0", "3.2"]);
    }

    #[test]
    fn a_png_has_the_line_where_the_svg_has_it() {
        let points = vec![(0.0, 0.0), (10.0, 10.0)];
        let series = vec![Series { label: "up".into(), points }];
        let plot = Plot { title: "t".into(), x: Axis::linear("x"), y: Axis::linear("y"), series };
        let canvas = raster::Canvas::new(WIDTH, HEIGHT).draw(&plot.shapes());
        let (right, top) = (WIDTH - RIGHT, TOP);
        let middle = ((LEFT + right) / 2.0, (HEIGHT - BOTTOM + top) / 2.0);
        assert_eq!(canvas.at(middle), [0x00, 0x72, 0xb2]);
        assert_eq!(canvas.at((middle.0 + 40.0, middle.1)), [255; 3]);
        // The title is drawn somewhere in its line.
        assert!((300..420).any(|x| canvas.at((f64::from(x), 17.0)) != [255; 3]));
    }
}
