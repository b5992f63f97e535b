//! Charts as SVG files: lines over one variable, and bars.
//!
//! ```
//! use labkit::plot::{Axis, LineChart, Series};
//!
//! let chart = LineChart {
//!     title: "Time over the number of elements".into(),
//!     x: Axis::log("n"),
//!     y: Axis::log("time in ms"),
//!     series: vec![Series { name: "net".into(), points: vec![(1e3, 0.01), (1e6, 0.02)] }],
//! };
//! assert!(chart.svg().unwrap().starts_with("<svg"));
//! ```

use std::fmt::Display;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::LabError;

const SIZE: (u32, u32) = (800, 500);
const FONT: (&str, u32) = ("sans-serif", 15);
const COLOURS: [RGBColor; 6] = [
    RGBColor(31, 119, 180),
    RGBColor(214, 39, 40),
    RGBColor(44, 160, 44),
    RGBColor(255, 127, 14),
    RGBColor(148, 103, 189),
    RGBColor(90, 90, 90),
];

/// One axis of a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Quantity and unit.
    pub label: String,
    /// Powers of ten at equal distances; points at or below 0 are left out.
    pub log: bool,
}

impl Axis {
    /// A linear axis; it includes 0.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), log: false }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), log: true }
    }

    /// Position on the axis: the decimal logarithm on a logarithmic one; `None` if it cannot be shown.
    fn place(&self, value: f64) -> Option<f64> {
        let place = if self.log { value.log10() } else { value };
        place.is_finite().then_some(place)
    }

    /// Range of places: whole decades on a logarithmic axis, with 0 and a little room above on a linear one.
    fn range(&self, places: impl Iterator<Item = f64>) -> (f64, f64) {
        let (lo, hi) =
            places.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
        if lo > hi {
            return (0.0, 1.0);
        }
        if self.log {
            let lo = lo.floor();
            return (lo, hi.ceil().max(lo + 1.0));
        }
        let (lo, hi) = (lo.min(0.0), hi.max(0.0));
        (lo, if hi > lo { hi + 0.05 * (hi - lo) } else { lo + 1.0 })
    }

    /// Text at a place; none between the decades of a logarithmic axis.
    fn tick(&self, place: f64) -> String {
        match self.log {
            false => number(place),
            true if (place - place.round()).abs() < 1e-6 => number(10f64.powf(place.round())),
            true => String::new(),
        }
    }

    /// Number of labels to ask for: one for each decade, if there are not too many.
    fn ticks(&self, (lo, hi): (f64, f64)) -> usize {
        if self.log { (hi - lo) as usize + 1 } else { 10 }.clamp(2, 12)
    }
}

/// One line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Points (x, y) in the order in which the line visits them. Values that are not finite are left out.
    pub points: Vec<(f64, f64)>,
}

/// Lines over one variable.
#[derive(Clone, Debug, PartialEq)]
pub struct LineChart {
    /// Title above the chart.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Lines.
    pub series: Vec<Series>,
}

impl LineChart {
    /// The chart as SVG text.
    ///
    /// # Errors
    /// What the plotting library says.
    pub fn svg(&self) -> Result<String, LabError> {
        draw(|area| self.draw(area))
    }

    /// Writes the chart to an SVG file, making its folder if there is none.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), LabError> {
        write(path, &self.svg()?)
    }

    fn draw(&self, area: &Area) -> Result<(), String> {
        let lines: Vec<(&str, Vec<(f64, f64)>)> = self
            .series
            .iter()
            .map(|s| {
                let places = |p: &(f64, f64)| Some((self.x.place(p.0)?, self.y.place(p.1)?));
                (s.name.as_str(), s.points.iter().filter_map(places).collect())
            })
            .collect();
        let all = || lines.iter().flat_map(|(_, points)| points);
        let (x, y) = (self.x.range(all().map(|p| p.0)), self.y.range(all().map(|p| p.1)));
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, (FONT.0, 20))
            .margin(12)
            .x_label_area_size(45)
            .y_label_area_size(75)
            .build_cartesian_2d(x.0..x.1, y.0..y.1)
            .map_err(text)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .x_labels(self.x.ticks(x))
            .y_labels(self.y.ticks(y))
            .x_label_formatter(&|v| self.x.tick(*v))
            .y_label_formatter(&|v| self.y.tick(*v))
            .label_style(FONT)
            .draw()
            .map_err(text)?;
        for ((name, points), colour) in lines.into_iter().zip(COLOURS.iter().cycle()) {
            chart
                .draw_series(LineSeries::new(points.clone(), colour.stroke_width(2)))
                .map_err(text)?
                .label(name)
                .legend(move |(x, y)| {
                    PathElement::new(vec![(x, y), (x + 18, y)], colour.stroke_width(2))
                });
            let dots = points.into_iter().map(|p| Circle::new(p, 3, colour.filled()));
            chart.draw_series(dots).map_err(text)?;
        }
        if self.series.len() > 1 {
            chart
                .configure_series_labels()
                .label_font(FONT)
                .position(SeriesLabelPosition::UpperLeft)
                .background_style(WHITE.mix(0.8))
                .border_style(BLACK.mix(0.3))
                .draw()
                .map_err(text)?;
        }
        Ok(())
    }
}

/// Bars side by side, one per name.
#[derive(Clone, Debug, PartialEq)]
pub struct BarChart {
    /// Title above the chart.
    pub title: String,
    /// Quantity and unit of the vertical axis, which begins at 0.
    pub y_label: String,
    /// Name below each bar, and its height (>= 0).
    pub bars: Vec<(String, f64)>,
}

impl BarChart {
    /// The chart as SVG text.
    ///
    /// # Errors
    /// What the plotting library says.
    pub fn svg(&self) -> Result<String, LabError> {
        let height = |bar: &(String, f64)| Some(bar.1).filter(|h| h.is_finite());
        let (_, top) = Axis::linear("").range(self.bars.iter().filter_map(height));
        let count = self.bars.len().max(1);
        draw(|area| {
            let mut chart = ChartBuilder::on(area)
                .caption(&self.title, (FONT.0, 20))
                .margin(12)
                .x_label_area_size(45)
                .y_label_area_size(75)
                .build_cartesian_2d((0..count - 1).into_segmented(), 0.0..top)
                .map_err(text)?;
            let name = |at: &SegmentValue<usize>| match at {
                SegmentValue::CenterOf(i) => {
                    self.bars.get(*i).map_or_else(String::new, |b| b.0.clone())
                }
                _ => String::new(),
            };
            chart
                .configure_mesh()
                .disable_x_mesh()
                .light_line_style(TRANSPARENT)
                .x_labels(count)
                .x_label_formatter(&name)
                .y_desc(&self.y_label)
                .y_label_formatter(&|v| number(*v))
                .label_style(FONT)
                .draw()
                .map_err(text)?;
            let bars = self.bars.iter().enumerate().map(|(i, (_, height))| {
                let corners =
                    [(SegmentValue::Exact(i), 0.0), (SegmentValue::Exact(i + 1), *height)];
                let mut bar = Rectangle::new(corners, COLOURS[0].filled());
                bar.set_margin(0, 0, 10, 10);
                bar
            });
            chart.draw_series(bars).map_err(text)?;
            Ok(())
        })
    }

    /// Writes the chart to an SVG file, making its folder if there is none.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), LabError> {
        write(path, &self.svg()?)
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn draw(draw: impl FnOnce(&Area) -> Result<(), String>) -> Result<String, LabError> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let drawn = area.fill(&WHITE).map_err(text).and_then(|()| draw(&area));
        let presented = drawn.and_then(|()| area.present().map_err(text));
        presented.map_err(|e| LabError::msg(format!("chart: {e}")))?;
    }
    Ok(svg)
}

fn text(e: impl Display) -> String {
    e.to_string()
}

fn write(path: &Path, svg: &str) -> Result<(), LabError> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    folder
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(path, svg))
        .map_err(|e| LabError::msg(format!("{}: {e}", path.display())))
}

/// A label of an axis: plain for everyday sizes, with a power of ten beyond.
fn number(v: f64) -> String {
    let size = v.abs();
    if size != 0.0 && !(9.99e-4..9.99e4).contains(&size) {
        return format!("{v:.0e}");
    }
    let digits = format!("{v:.3}");
    digits.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(log: bool, points: Vec<(f64, f64)>) -> LineChart {
        let axis = |name: &str| Axis { label: name.into(), log };
        let series = vec![
            Series { name: "one".into(), points: points.clone() },
            Series { name: "two & three".into(), points },
        ];
        LineChart { title: "t < u".into(), x: axis("x in s"), y: axis("y"), series }
    }

    #[test]
    fn labels_titles_and_names_are_in_the_picture() {
        let svg = chart(true, vec![(1.0, 1e-3), (1e4, 2.0)]).svg().unwrap();
        for part in ["t &lt; u", "x in s", "two &amp; three", "\n0.001\n", "\n1000\n", "<polyline"] {
            assert!(svg.contains(part), "{part} is missing in\n{svg}");
        }
        let bars = vec![("8x4".to_string(), 0.5), ("16x16".to_string(), 0.75)];
        let svg = BarChart { title: "t".into(), y_label: "share".into(), bars }.svg().unwrap();
        for part in ["8x4", "16x16", "share", "<rect"] {
            assert!(svg.contains(part), "{part} is missing in\n{svg}");
        }
    }

    #[test]
    fn odd_data_gives_a_picture_too() {
        for log in [false, true] {
            for points in [
                vec![],
                vec![(0.0, 0.0)],
                vec![(f64::NAN, 1.0), (1.0, f64::INFINITY)],
                vec![(5.0, 5.0)],
                vec![(-1.0, 1e300), (1.0, -1e300)],
            ] {
                let svg = chart(log, points.clone()).svg().unwrap();
                assert!(svg.ends_with("</svg>\n"), "{points:?}");
                assert!(!svg.contains("NaN"), "{points:?}");
            }
        }
        let none = BarChart { title: "".into(), y_label: "".into(), bars: vec![] };
        assert!(none.svg().is_ok());
    }

    #[test]
    fn a_chart_in_a_new_folder_is_written_and_a_bad_path_is_named() {
        let dir = std::env::temp_dir().join(format!("labkit-plot-{}", std::process::id()));
        let file = dir.join("deep").join("chart.svg");
        chart(false, vec![(0.0, 1.0), (1.0, 2.0)]).write(&file).unwrap();
        assert!(std::fs::read_to_string(&file).unwrap().contains("<svg"));
        let error = chart(false, vec![]).write(&file.join("not-a-folder.svg")).unwrap_err();
        assert!(error.to_string().contains("not-a-folder.svg"), "{error}");
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn labels_are_short() {
        let shown = [0.0, 1.0, 0.25, 1500.0, 1e6, 1e-6, 0.1 + 0.2].map(number);
        assert_eq!(shown, ["0", "1", "0.25", "1500", "1e6", "1e-6", "0.3"]);
    }
}
