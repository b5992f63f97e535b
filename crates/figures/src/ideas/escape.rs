//! A Julia set in colours: how many steps each point takes.

use crate::chart::Chart;
use crate::pixels::{Palette, Raster};
use crate::{Axis, Sheet};

/// The c of lab 1's exercises: Douady's rabbit.
const C: (f64, f64) = (-0.123, 0.745);
/// Half of the picture's width and height.
const REACH: f64 = 1.5;
const PIXELS: usize = 420;

/// Steps of `z = z^2 + c` until `|z| > 2`; none in `most` steps for a point of the set.
fn steps((mut x, mut y): (f64, f64), most: usize) -> Option<usize> {
    (0..most).find(|_| {
        (x, y) = (x * x - y * y + C.0, 2.0 * x * y + C.1);
        x * x + y * y > 4.0
    })
}

/// The steps of each pixel: what its thread has to do.
pub fn escape() -> Sheet {
    let at = |k: usize| REACH * ((2 * k + 1) as f64 / PIXELS as f64 - 1.0);
    let pixel = |k: usize| steps((at(k % PIXELS), at(k / PIXELS)), 200);
    let values = (0..PIXELS * PIXELS).map(|k| pixel(k).map_or(f32::NAN, |n| 1.0 + n as f32));
    let raster = Raster {
        columns: PIXELS,
        values: values.collect(),
        range: (1.0, 16.0),
        palette: Palette::Viridis,
        meaning: "steps".into(),
        smooth: false,
    };
    let range = (-REACH, REACH);
    Chart::new("How soon a point escapes", Axis::linear("Re z"), Axis::linear("Im z"))
        .note("z = z^{2} + c with c = \u{2212}0.123 + 0.745i; yellow: 16 and more, red: never")
        .raster(raster, range, range)
        .size(PIXELS as f64, PIXELS as f64)
        .sheet()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_far_away_escape_at_once_and_the_cycle_of_three_never() {
        assert_eq!(steps((1.5, 1.5), 200), Some(0));
        // 0, c, c^2 + c are nearly a cycle of this set, and attract what is near.
        assert_eq!(steps((0.0, 0.0), 100_000), None);
        assert_eq!(steps(C, 100_000), None);
        // z and -z have the same fate.
        assert_eq!(steps((0.7, -0.9), 200), steps((-0.7, 0.9), 200));
    }
}
