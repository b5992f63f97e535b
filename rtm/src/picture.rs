//! Pictures as PNG: cubes in slices, gathers, curves. Axes in metres or seconds, a colour bar, titles.
//!
//! Everything is drawn by a few small functions into an array of pixels; letters are those of an 8 x 8 font.

mod canvas;
pub mod colour;
mod curves;

use std::path::Path;

use canvas::{Canvas, Frame};
use colour::Palette;

pub use curves::{Curve, curves};

use crate::grid::Cube;
use crate::{Error, Real, Result};

/// Which plane of a cube is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    /// x across, z down, at a fixed y.
    Xz,
    /// y across, z down, at a fixed x.
    Yz,
    /// x across, y down, at a fixed z.
    Xy,
}

impl Plane {
    /// Axis across, axis down, fixed axis.
    pub fn axes(self) -> [usize; 3] {
        match self {
            Plane::Xz => [0, 2, 1],
            Plane::Yz => [1, 2, 0],
            Plane::Xy => [0, 1, 2],
        }
    }

    /// From `xz`, `yz` or `xy`.
    ///
    /// # Errors
    /// Other text.
    pub fn parse(text: &str) -> Result<Plane> {
        match text {
            "xz" => Ok(Plane::Xz),
            "yz" => Ok(Plane::Yz),
            "xy" => Ok(Plane::Xy),
            _ => Err(Error::refused(
                format!("plane '{text}'"),
                "there is no such plane",
                "xz, yz or xy",
            )),
        }
    }
}

/// A rectangle of values with its axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// Values across.
    pub width: usize,
    /// Values down.
    pub height: usize,
    /// `width * height` values, row by row from the top.
    pub values: Vec<f32>,
    /// Name and unit of each axis: across, down.
    pub labels: [String; 2],
    /// Coordinate of the first value and step, of each axis.
    pub axes: [(f64, f64); 2],
}

impl Slice {
    /// The plane of a cube at index `at` of its fixed axis.
    ///
    /// # Errors
    /// The index lies outside.
    pub fn of_cube<T: Real>(cube: &Cube<T>, plane: Plane, at: usize) -> Result<Slice> {
        let [across, down, fixed] = plane.axes();
        let (grid, names) = (cube.grid, ["x", "y", "z"]);
        if at >= grid.n[fixed] {
            return Err(Error::refused(
                format!("slice {} = {at}", names[fixed]),
                format!("the cube has {} points along {}", grid.n[fixed], names[fixed]),
                "choose an index from 0 on",
            ));
        }
        let (width, height) = (grid.n[across], grid.n[down]);
        let values = (0..width * height)
            .map(|k| {
                let mut point = [at; 3];
                (point[across], point[down]) = (k % width, k / width);
                cube.at(point).f64() as f32
            })
            .collect();
        let axis = |a: usize| (grid.origin_m[a], grid.d_m[a]);
        Ok(Slice {
            width,
            height,
            values,
            labels: [across, down].map(|a| format!("{}, m", names[a])),
            axes: [axis(across), axis(down)],
        })
    }

    /// Traces side by side, time downwards: `ns` samples for each.
    pub fn of_traces(samples: &[f32], ns: usize, dt_s: f64) -> Slice {
        let width = samples.len() / ns.max(1);
        let values = (0..width * ns).map(|k| samples[k % width * ns + k / width]).collect();
        Slice {
            width,
            height: ns,
            values,
            labels: ["trace".into(), "time, s".into()],
            axes: [(1.0, 1.0), (0.0, dt_s)],
        }
    }
}

/// How values become colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// From the smallest to the largest value, dark to bright: velocities.
    Range,
    /// Zero in the middle, clipped so that this share of the values (0.99, say) keeps its differences: waves, images.
    Signed(f64),
}

/// Draws a slice with axes and a colour bar.
///
/// # Errors
/// The file cannot be written; the slice is empty.
pub fn heat_map(path: &Path, title: &str, slice: &Slice, scale: Scale) -> Result<()> {
    if slice.width == 0 || slice.height == 0 {
        return Err(Error::refused(path.display(), "nothing to draw", "choose another slice"));
    }
    let finite = |v: &&f32| v.is_finite();
    let (palette, low, high) = match scale {
        Scale::Range => {
            let low = slice.values.iter().filter(finite).copied().fold(f32::INFINITY, f32::min);
            let high =
                slice.values.iter().filter(finite).copied().fold(f32::NEG_INFINITY, f32::max);
            (Palette::Viridis, low, high)
        }
        Scale::Signed(share) => {
            let clip = quantile(&slice.values, share);
            (Palette::Seismic, -clip, clip)
        }
    };
    let (low, high) = if high > low { (low, high) } else { (low - 0.5, low + 0.5) };
    let (width, height) = size_of(slice);
    let frame = Frame::new(width, height, 96);
    let mut canvas = Canvas::new(frame.full());
    canvas.title(&frame, title);
    for y in 0..height {
        for x in 0..width {
            let (column, row) = (x * slice.width / width, y * slice.height / height);
            let value = slice.values[row * slice.width + column];
            canvas.put(frame.left + x, frame.top + y, palette.at((value - low) / (high - low)));
        }
    }
    let ends = |a: usize, n: usize| {
        let (first, step) = slice.axes[a];
        [first - step / 2.0, first + (n as f64 - 0.5) * step]
    };
    canvas.across(&frame, ends(0, slice.width), &slice.labels[0]);
    canvas.down(&frame, ends(1, slice.height), &slice.labels[1]);
    canvas.colour_bar(&frame, palette, [f64::from(low), f64::from(high)]);
    canvas.write(path)
}

/// Pixels for a slice: its proportions in metres if both axes are lengths, else a square.
fn size_of(slice: &Slice) -> (usize, usize) {
    let [across, down] =
        [slice.width as f64 * slice.axes[0].1, slice.height as f64 * slice.axes[1].1];
    let lengths = slice.labels.iter().all(|l| l.ends_with(", m"));
    let ratio = if lengths { (down / across).clamp(0.2, 2.0) } else { 0.8 };
    let width = if ratio > 1.0 { 720.0 / ratio } else { 720.0 };
    (width as usize, (width * ratio) as usize)
}

/// The size below which that share of the values lies; 1 if all are 0.
fn quantile(values: &[f32], share: f64) -> f32 {
    let mut sizes: Vec<f32> = values.iter().filter(|v| v.is_finite()).map(|v| v.abs()).collect();
    if sizes.is_empty() {
        return 1.0;
    }
    let at = ((sizes.len() - 1) as f64 * share.clamp(0.0, 1.0)) as usize;
    let found = *sizes.select_nth_unstable_by(at, f32::total_cmp).1;
    let most = sizes.iter().copied().fold(0.0, f32::max);
    match (found > 0.0, most > 0.0) {
        (true, _) => found,
        (false, true) => most,
        (false, false) => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;

    #[test]
    fn slices_have_the_values_of_their_plane() {
        let grid = Grid { n: [2, 3, 4], d_m: [1.0, 2.0, 3.0], origin_m: [10.0, 0.0, 0.0] };
        let cube = Cube::from_fn(grid, |[x, y, z]| (100 * x + 10 * y + z) as f32);
        let s = Slice::of_cube(&cube, Plane::Xz, 2).unwrap();
        assert_eq!(
            (s.width, s.height, s.values[0], s.values[1], s.values[2]),
            (2, 4, 20.0, 120.0, 21.0)
        );
        assert_eq!(s.axes, [(10.0, 1.0), (0.0, 3.0)]);
        let s = Slice::of_cube(&cube, Plane::Xy, 1).unwrap();
        assert_eq!((s.width, s.height, s.values[3]), (2, 3, 111.0));
        assert!(Slice::of_cube(&cube, Plane::Yz, 2).unwrap_err().to_string().contains("2 points"));
        let s = Slice::of_traces(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3, 0.1);
        assert_eq!((s.width, s.values), (2, vec![1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
    }

    #[test]
    fn pictures_are_png_files() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sub/a.png");
        let slice = Slice::of_traces(&[0.0, f32::NAN, -1.0, 1.0], 2, 0.1);
        heat_map(&path, "a title", &slice, Scale::Signed(0.99)).unwrap();
        heat_map(&path, "flat", &Slice::of_traces(&[0.0; 4], 2, 0.1), Scale::Range).unwrap();
        let reader = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
        let info = png::Decoder::new(reader).read_info().unwrap().info().clone();
        assert!(info.width > 700 && info.height > 500, "{} {}", info.width, info.height);
        assert!(heat_map(&path, "", &Slice::of_traces(&[], 2, 0.1), Scale::Range).is_err());
    }

    #[test]
    fn one_loud_value_does_not_hide_the_others() {
        let mut values = vec![1.0; 1000];
        values[3] = 1e6;
        assert_eq!(quantile(&values, 0.99), 1.0);
        assert_eq!(quantile(&[0.0, 0.0, 0.0, 5.0], 0.5), 5.0);
        assert_eq!(quantile(&[], 0.5), 1.0);
    }
}
