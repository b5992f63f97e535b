//! Pictures as SVG: cubes in slices, gathers. Axes in metres or seconds, a colour bar, titles.

use std::path::Path;

use figures::{Axis, Chart, Palette, Raster};

use crate::grid::Cube;
use crate::io::atomic;
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

/// What the numbers along an axis of a [`Slice`] are, with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    /// Lengths in metres.
    Metres(String),
    /// Times in seconds.
    Seconds(String),
    /// Numbers of traces or samples.
    Number(String),
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
    /// What each axis is: across, down.
    pub labels: [Label; 2],
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
            labels: [across, down].map(|a| Label::Metres(names[a].into())),
            axes: [axis(across), axis(down)],
        })
    }

    /// The part between these coordinates, across and down.
    pub fn within(&self, ranges: [(f64, f64); 2]) -> Slice {
        let kept = |a: usize, n: usize| -> Vec<usize> {
            let at = |k: &usize| self.axes[a].0 + self.axes[a].1 * *k as f64;
            let near = 1e-3 * self.axes[a].1;
            let inside = |x: f64| x >= ranges[a].0 - near && x <= ranges[a].1 + near;
            (0..n).filter(|k| inside(at(k))).collect()
        };
        let (across, down) = (kept(0, self.width), kept(1, self.height));
        let row = |row: &usize| &self.values[row * self.width..][..self.width];
        let value = |k: &usize| across.iter().map(|a| row(k)[*a]).collect::<Vec<f32>>();
        let start = |a: usize, kept: &[usize]| {
            (
                self.axes[a].0 + self.axes[a].1 * kept.first().map_or(0.0, |k| *k as f64),
                self.axes[a].1,
            )
        };
        Slice {
            width: across.len(),
            height: down.len(),
            values: down.iter().flat_map(value).collect(),
            labels: self.labels.clone(),
            axes: [start(0, &across), start(1, &down)],
        }
    }

    /// Outer edges of the first and the last cell, along the axis across (0) or down (1).
    fn ends(&self, axis: usize) -> (f64, f64) {
        let ((first, step), n) = (self.axes[axis], [self.width, self.height][axis]);
        (first - step / 2.0, first + (n as f64 - 0.5) * step)
    }

    /// Traces side by side, time downwards: `ns` samples for each.
    pub fn of_traces(samples: &[f32], ns: usize, dt_s: f64) -> Slice {
        let width = samples.len() / ns.max(1);
        let values = (0..width * ns).map(|k| samples[k % width * ns + k / width]).collect();
        Slice {
            width,
            height: ns,
            values,
            labels: [Label::Number("trace".into()), Label::Seconds("time".into())],
            axes: [(1.0, 1.0), (0.0, dt_s)],
        }
    }
}

/// How values become colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// From the smallest to the largest value, dark to bright: velocities.
    Range,
    /// Zero in the middle, clipped so that this share of the values (0.99, say) keeps its
    /// differences: waves, images.
    Signed(f64),
}

/// Draws a slice with axes and a colour bar, as SVG.
///
/// # Errors
/// The file cannot be written; the slice is empty.
pub fn heat_map(path: &Path, title: &str, slice: &Slice, scale: Scale) -> Result<()> {
    save(path, &chart_of(title, slice, scale)?)
}

/// A slice with axes and a colour bar. Two lengths have the same unit.
///
/// # Errors
/// The slice is empty.
pub fn chart_of(title: &str, slice: &Slice, scale: Scale) -> Result<Chart> {
    if slice.width == 0 || slice.height == 0 {
        return Err(Error::refused(title, "nothing to draw", "choose another slice"));
    }
    let (palette, range, meaning) = match scale {
        Scale::Range => (Palette::Viridis, Raster::extent(&slice.values), ""),
        Scale::Signed(share) => (Palette::Grey, Raster::clipped(&slice.values, share), "amplitude"),
    };
    let raster = Raster {
        columns: slice.width,
        values: slice.values.clone(),
        range,
        palette,
        meaning: meaning.into(),
        smooth: palette == Palette::Grey,
    };
    let [x, y] = [slice.ends(0), slice.ends(1)];
    Ok(empty_chart(title, slice).raster(raster, x, y))
}

/// Traces as wiggles: what is positive is filled. What lies beyond this share of the values (0.99,
/// say) is cut off.
///
/// # Errors
/// The slice is empty.
pub fn wiggles_of(title: &str, slice: &Slice, share: f64) -> Result<Chart> {
    if slice.width == 0 || slice.height == 0 {
        return Err(Error::refused(title, "nothing to draw", "choose another slice"));
    }
    let most = Raster::clipped(&slice.values, share).1 as f32;
    let trace = |k: usize| {
        let values = slice.values[k..].iter().step_by(slice.width);
        (
            slice.axes[0].0 + slice.axes[0].1 * k as f64,
            values.map(|v| v.clamp(-most, most)).collect(),
        )
    };
    Ok(empty_chart(title, slice).wiggles((0..slice.width).map(trace).collect(), 1.5))
}

/// The axes of a slice.
fn empty_chart(title: &str, slice: &Slice) -> Chart {
    let axis = |a: usize| {
        let axis = match &slice.labels[a] {
            // In metres however large: both axes, and what is drawn over them.
            Label::Metres(name) => Axis::linear(&format!("{name} (m)")),
            Label::Seconds(name) => Axis::linear(name).unit("s", 1.0),
            Label::Number(name) => Axis::linear(name).whole(),
        };
        let (low, high) = slice.ends(a);
        axis.range(low, high)
    };
    let (width, height) = size_of(slice);
    Chart::new(title, axis(0), axis(1).reversed()).size(width, height)
}

/// Writes a chart as SVG.
///
/// # Errors
/// The file cannot be written.
pub fn save(path: &Path, chart: &Chart) -> Result<()> {
    atomic::write(path, |out| Ok(out.write_all(chart.svg().as_bytes())?))
}

/// Pixels for a slice: its proportions in metres if both axes are lengths.
fn size_of(slice: &Slice) -> (f64, f64) {
    let [across, down] =
        [slice.width as f64 * slice.axes[0].1, slice.height as f64 * slice.axes[1].1];
    let lengths = slice.labels.iter().all(|l| matches!(l, Label::Metres(_)));
    let ratio = if lengths { (down / across).clamp(0.2, 2.0) } else { 0.75 };
    let width = if ratio > 1.0 { 560.0 / ratio } else { 560.0 };
    (width, width * ratio)
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
        let part = s.within([(10.0, 10.5), (2.0, 9.0)]);
        assert_eq!((part.width, part.height, part.axes[1]), (1, 2, (2.0, 2.0)));
        assert_eq!(part.values, [11.0, 21.0]);
        let s = Slice::of_traces(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3, 0.1);
        assert_eq!((s.width, s.values), (2, vec![1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
    }

    #[test]
    fn pictures_have_axes_with_units() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sub/a.svg");
        let slice = Slice::of_traces(&[0.0, f32::NAN, -1.0, 1.0], 2, 0.1);
        heat_map(&path, "flat", &Slice::of_traces(&[0.0; 4], 2, 0.1), Scale::Range).unwrap();
        heat_map(&path, "a title", &slice, Scale::Signed(0.99)).unwrap();
        let svg = std::fs::read_to_string(&path).unwrap();
        for text in [">a title<", ">time (ms)<", ">trace<", ">amplitude<", "image/png"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(heat_map(&path, "", &Slice::of_traces(&[], 2, 0.1), Scale::Range).is_err());
        assert!(wiggles_of("", &Slice::of_traces(&[], 2, 0.1), 0.99).is_err());
        // An area and a line for each of the two traces.
        let svg = wiggles_of("two", &slice, 0.99).unwrap().svg();
        let areas = svg.matches("Z\" class=\"f6\"").count();
        assert!(areas == 2 && svg.contains(">time (ms)<") && !svg.contains("image/png"), "{svg}");
    }
}
