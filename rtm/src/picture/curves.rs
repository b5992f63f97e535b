//! Curves in one plot, with linear or logarithmic axes.

use std::path::Path;

use super::canvas::{Canvas, Frame};
use super::colour::CURVES;
use crate::{Error, Result};

/// One curve of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
}

/// Draws curves. On a logarithmic axis (`log`: across, down) values that are not positive are left out, and the axis shows
/// powers of ten.
///
/// # Errors
/// The file cannot be written; there is no point to draw.
pub fn curves(
    path: &Path,
    title: &str,
    labels: [&str; 2],
    log: [bool; 2],
    all: &[Curve],
) -> Result<()> {
    let place = |v: f64, log: bool| if log { v.log10() } else { v };
    let shown: Vec<(usize, Vec<(f64, f64)>)> = all
        .iter()
        .enumerate()
        .map(|(k, curve)| {
            let points = curve.points.iter().map(|&(x, y)| (place(x, log[0]), place(y, log[1])));
            (k, points.filter(|(x, y)| x.is_finite() && y.is_finite()).collect())
        })
        .collect();
    let points = || shown.iter().flat_map(|(_, points)| points);
    let range = |of: fn(&(f64, f64)) -> f64| {
        let (low, high) = points()
            .map(of)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        if high > low { [low, high] } else { [low - 0.5, low + 0.5] }
    };
    if points().next().is_none() {
        return Err(Error::refused(path.display(), "no point to draw", ""));
    }
    let (x, y) = (range(|p| p.0), range(|p| p.1));
    let margin = 0.04 * (y[1] - y[0]);
    let y = [y[1] + margin, y[0] - margin];
    let longest = all.iter().map(|c| c.name.len()).max().unwrap_or(0);
    let frame = Frame::new(640, 440, 40 + 8 * longest);
    let mut canvas = Canvas::new(frame.full());
    canvas.title(&frame, title);
    let at = |p: &(f64, f64)| {
        let across = (p.0 - x[0]) / (x[1] - x[0]) * (frame.width - 2) as f64;
        let down = (p.1 - y[0]) / (y[1] - y[0]) * (frame.height - 2) as f64;
        (frame.left as f64 + across, frame.top as f64 + down)
    };
    for (k, points) in &shown {
        let colour = CURVES[k % CURVES.len()];
        for pair in points.windows(2) {
            canvas.line(at(&pair[0]), at(&pair[1]), colour);
        }
        for point in points {
            let (px, py) = at(point);
            for d in -3i32..=3 {
                let near = (px + f64::from(d), py + f64::from(3 - d.abs()));
                canvas.line((near.0, 2.0 * py - near.1), near, colour);
            }
        }
        let (left, top) = (frame.left + frame.width + 16, frame.top + 8 + 16 * k);
        canvas.text(left, top, &all[*k].name, colour);
    }
    let label =
        |text: &str, log: bool| if log { format!("log10 {text}") } else { text.to_string() };
    canvas.across(&frame, x, &label(labels[0], log[0]));
    canvas.down(&frame, y, &label(labels[1], log[1]));
    canvas.write(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_become_a_picture() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.png");
        let curve =
            |name: &str, points: &[(f64, f64)]| Curve { name: name.into(), points: points.into() };
        let all = [curve("a", &[(1.0, 1.0), (10.0, 0.01)]), curve("b", &[(1.0, 0.0), (5.0, 2.0)])];
        curves(&path, "t", ["n", "e"], [true, true], &all).unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() > 1000);
        let none = [curve("a", &[(1.0, -1.0)])];
        assert!(curves(&path, "t", ["n", "e"], [false, true], &none).is_err());
    }
}
