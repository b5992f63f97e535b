//! Shapes as SVG.

use std::fmt::Write;

use super::shape::{Anchor, Shape};

pub fn write(width: f64, height: f64, shapes: &[Shape]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    // Writing to a String cannot fail, so the results are dropped.
    for shape in shapes {
        let _ = match shape {
            Shape::Line { points, colour, width } => {
                let points: Vec<String> =
                    points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
                writeln!(
                    svg,
                    "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" \
                     stroke-width=\"{width}\"/>",
                    points.join(" ")
                )
            }
            Shape::Box { corner: (x, y), size: (width, height), colour } => writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
                 fill=\"{colour}\"/>"
            ),
            Shape::Text { at: (x, y), anchor, height, upwards, text } => {
                let anchor = match anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                };
                let place = match upwards {
                    true => format!("transform=\"translate({x:.1} {y:.1}) rotate(-90)\""),
                    false => format!("x=\"{x:.1}\" y=\"{y:.1}\""),
                };
                writeln!(
                    svg,
                    "<text {place} text-anchor=\"{anchor}\" font-size=\"{height}\">{}</text>",
                    escape(text)
                )
            }
        };
    }
    svg + "</svg>\n"
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
