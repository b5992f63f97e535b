//! The Julia set once more, for exercises 1.2.1 and 1.2.2: the truth, the usual mistakes, and what
//! a launch must count.

use grading::Picture;
pub use references::julia::{Rule, julia};
use serde::{Deserialize, Serialize};

use crate::model::{WARP, sectors};

/// Part of the plane: centre and half the width.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// Real part of the centre.
    pub dx: f32,
    /// Imaginary part of the centre.
    pub dy: f32,
    /// Half the width.
    pub scale: f32,
}

/// What is shown first.
pub const START: View = View { dx: 0.0, dy: 0.0, scale: 1.5 };

/// Complex coordinates of a pixel.
pub fn point(xw: u32, yw: u32, dim: u32, v: &View) -> (f32, f32) {
    let half = (dim / 2) as i32;
    let at = |w: u32, d: f32| v.scale * (w as i32 - half) as f32 / half as f32 + d;
    (at(xw, v.dx), at(yw, v.dy))
}

/// Prisoners of a picture, the lowest row first.
pub fn picture(v: &View, dim: u32, kmax: u32, rule: Rule) -> Vec<bool> {
    pixels(dim)
        .map(|(xw, yw)| {
            let (x, y) = point(xw, yw, dim, v);
            julia(x, y, kmax, rule).0
        })
        .collect()
}

fn pixels(dim: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..dim).flat_map(move |yw| (0..dim).map(move |xw| (xw, yw)))
}

/// A picture for the report, made of prisoners with the lowest row first.
pub fn for_report(title: &str, prisoners: &[bool], dim: u32) -> Picture {
    let rows = prisoners.chunks_exact(dim as usize).rev().flatten();
    let rgba: Vec<u8> = rows.flat_map(|p| [if *p { 255 } else { 0 }, 0, 0, 255]).collect();
    Picture::new(title, dim, dim, &rgba)
}

/// Reads a picture from the text of the host program: `#` prisoner, `.` escapee.
///
/// # Errors
/// The first pixel that is neither, as column and row.
pub fn from_text(text: &str, dim: u32) -> Result<Vec<bool>, (u32, u32)> {
    let pixel = |(i, c): (usize, char)| match c {
        '#' => Ok(true),
        '.' => Ok(false),
        _ => Err((i as u32 % dim, i as u32 / dim)),
    };
    text.chars().enumerate().map(pixel).collect()
}

/// Work of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Blocks.
    pub blocks: u64,
    /// Warps with at least one thread in the picture.
    pub warps: u64,
    /// Steps z = z*z + c, summed over threads.
    pub thread_steps: u64,
    /// The same per warp: a warp goes on until its last lane is done.
    pub warp_steps: u64,
    /// Tests of |z|, summed over threads and per warp: an escapee makes one more test than steps.
    pub thread_tests: u64,
    /// Per warp.
    pub warp_tests: u64,
    /// Sectors of one store of 4 bytes per pixel.
    pub store_sectors: u64,
}

impl Work {
    /// SIMD efficiency of the step.
    pub fn step_efficiency(&self) -> f64 {
        self.thread_steps as f64 / (WARP * self.warp_steps) as f64
    }

    /// SIMD efficiency of the test.
    pub fn test_efficiency(&self) -> f64 {
        self.thread_tests as f64 / (WARP * self.warp_tests) as f64
    }
}

/// Work of a guarded launch with one thread per pixel in blocks of `columns` x `rows` threads.
pub fn work(v: &View, dim: u32, kmax: u32, (columns, rows): (u32, u32)) -> Work {
    let grid = (dim.div_ceil(columns), dim.div_ceil(rows));
    let mut w = Work { blocks: u64::from(grid.0 * grid.1), ..Work::default() };
    for (bx, by) in (0..grid.1).flat_map(|by| (0..grid.0).map(move |bx| (bx, by))) {
        for first in (0..columns * rows).step_by(WARP as usize) {
            let lanes = first..(first + WARP as u32).min(columns * rows);
            let inside: Vec<(u32, u32)> = lanes
                .map(|t| (bx * columns + t % columns, by * rows + t / columns))
                .filter(|(xw, yw)| *xw < dim && *yw < dim)
                .collect();
            if inside.is_empty() {
                continue;
            }
            let (mut most_steps, mut most_tests) = (0, 0);
            for (xw, yw) in &inside {
                let (x, y) = point(*xw, *yw, dim, v);
                let (prisoner, steps) = julia(x, y, kmax, Rule::Right);
                let tests = steps + u32::from(!prisoner);
                w.thread_steps += u64::from(steps);
                w.thread_tests += u64::from(tests);
                most_steps = most_steps.max(steps);
                most_tests = most_tests.max(tests);
            }
            w.warps += 1;
            w.warp_steps += u64::from(most_steps);
            w.warp_tests += u64::from(most_tests);
            let address =
                |(xw, yw): (u32, u32)| 4 * (u64::from(xw) + u64::from(yw) * u64::from(dim));
            w.store_sectors += sectors(inside.into_iter().map(address), 4);
        }
    }
    w
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prisoners(dim: u32, kmax: u32) -> usize {
        picture(&START, dim, kmax, Rule::Right).into_iter().filter(|p| *p).count()
    }

    #[test]
    fn prisoners_are_those_of_the_handout() {
        let counted = [(100, 200), (100, 100), (100, 50), (100, 10), (256, 200), (256, 10)];
        let counted = counted.map(|(dim, kmax)| prisoners(dim, kmax));
        assert_eq!(counted, [1443, 1443, 1445, 1935, 9507, 12_673]);
        assert_eq!([prisoners(1000, 200), prisoners(1000, 10)], [145_177, 193_485]);
    }

    #[test]
    fn a_transposed_picture_differs_in_1280_pixels() {
        let p = picture(&START, 100, 200, Rule::Right);
        let differ =
            pixels(100).filter(|(x, y)| p[(x + 100 * y) as usize] != p[(y + 100 * x) as usize]);
        assert_eq!(differ.count(), 1280);
        assert!(p[50 + 100 * 75] && !p[75 + 100 * 50]);
    }

    #[test]
    fn counts_are_those_of_the_handout() {
        let square = work(&START, 256, 200, (16, 16));
        assert_eq!((square.warps, square.store_sectors), (2048, 8192));
        assert_eq!((square.thread_steps, square.warp_steps), (2_076_756, 103_732));
        assert_eq!(format!("{:.4}", square.step_efficiency()), "0.6256");
        let flat = work(&START, 256, 200, (32, 8));
        assert_eq!(flat.warp_steps, 125_681);
        assert_eq!(format!("{:.4}", flat.step_efficiency()), "0.5164");
        let small = work(&START, 100, 200, (16, 16));
        assert_eq!((small.blocks, small.warp_steps), (49, 20_101));
        let by_kmax = [10, 200, 10_000].map(|kmax| work(&START, 100, kmax, (16, 16)).warp_steps);
        assert_eq!(by_kmax, [1619, 20_101, 970_701]);
    }

    #[test]
    fn nan_and_infinity_escape() {
        for z in [(f32::NAN, 0.0), (0.0, f32::NAN), (f32::INFINITY, 0.0), (f32::MAX, f32::MAX)] {
            assert!(!julia(z.0, z.1, 10, Rule::Right).0);
        }
    }
}
