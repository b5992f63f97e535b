//! How a level lies in memory: `kernels/wave.cuh` for the host.

use cust::memory::DeviceCopy;
use labkit::LabError;

/// Half of the order of the differences, as `H` in `kernels/wave.cuh`.
pub const H: usize = 4;

/// Floats before the first row of a level.
const PAD: usize = 32;

/// Weights of the second difference of order 8, for spacing 1.
pub const SECOND: [f32; H + 1] = [-205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0];

/// Weights of the first difference.
pub const FIRST: [f32; H + 1] = [0.0, 4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];

/// `struct Shape` of the kernels.
#[repr(C)]
#[derive(Clone, Copy, Debug, DeviceCopy)]
pub struct Shape {
    n: [i32; 3],
    stride: i32,
    plane: i32,
    layers: i32,
}

/// A grid of `n` points along x, y and z in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Volume {
    n: [usize; 3],
    /// Elements from a row to the next.
    stride: usize,
    /// Elements from a plane to the next.
    plane: usize,
    /// Elements of a level.
    pub words: usize,
}

impl Volume {
    /// The volume of a grid.
    ///
    /// # Errors
    /// The kernels count elements in 32 bits.
    pub fn new(n: [usize; 3]) -> Result<Volume, LabError> {
        let stride = (n[2] + 8).next_multiple_of(32);
        let plane = (n[1] + 2 * H) * stride;
        let words = PAD + (n[0] + 2 * H) * plane;
        element(words)?;
        Ok(Volume { n, stride, plane, words })
    }

    /// The argument of the kernels.
    pub fn shape(&self, layers: usize) -> Shape {
        Shape {
            n: self.n.map(|n| n as i32),
            stride: self.stride as i32,
            plane: self.plane as i32,
            layers: layers as i32,
        }
    }

    /// Element of a point.
    ///
    /// # Errors
    /// It is no point of the grid.
    pub fn at(&self, p: [usize; 3]) -> Result<usize, LabError> {
        if (0..3).any(|k| p[k] >= self.n[k]) {
            return Err(LabError::msg(format!("{p:?} is no point of the grid")));
        }
        Ok(PAD + (p[0] + H) * self.plane + (p[1] + H) * self.stride + p[2])
    }

    /// The rows of a box of `n` points from `first` on: where each begins.
    ///
    /// # Errors
    /// The box is not within the grid.
    pub fn rows(&self, first: [usize; 3], n: [usize; 3]) -> Result<Vec<usize>, LabError> {
        let points = (0..n[0]).flat_map(|x| (0..n[1]).map(move |y| (x, y)));
        points.map(|(x, y)| self.at([first[0] + x, first[1] + y, first[2]])).collect()
    }
}

/// A number of elements as the kernels take it.
///
/// # Errors
/// It has more than 31 bits.
pub fn element(n: usize) -> Result<i32, LabError> {
    i32::try_from(n).map_err(|_| LabError::msg("the grid is too large for the kernels' indices"))
}
