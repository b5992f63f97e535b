//! What the Monte Carlo exercises share: points on the device, sources of estimates, and the
//! summary of a series of them.

use cudalibs::rand::{HostGenerator, RngType};
use cust::memory::{DeviceBuffer, DeviceSlice};
use labkit::LabError;
use rayon::prelude::*;

/// The box of the unit ball, `[-1, 1]^3`, has this volume.
pub const BALL_BOX: f64 = 8.0;

/// Random points on the device, coordinate by coordinate.
#[derive(Debug)]
pub struct Points {
    /// First coordinates.
    pub x: DeviceBuffer<f32>,
    /// Second coordinates.
    pub y: DeviceBuffer<f32>,
    /// Third coordinates.
    pub z: DeviceBuffer<f32>,
}

impl Points {
    /// Memory for `n` points that nobody has written yet.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn unwritten(n: usize) -> Result<Points, LabError> {
        Ok(Points { x: unwritten(n)?, y: unwritten(n)?, z: unwritten(n)? })
    }

    /// The coordinates as slices that a library may write.
    pub fn axes(&mut self) -> [&mut DeviceSlice<f32>; 3] {
        [&mut self.x, &mut self.y, &mut self.z]
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// True if there are no points.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }
}

/// Memory for `n` numbers on the device that nobody has written yet.
///
/// # Errors
/// What the driver refuses.
pub fn unwritten(n: usize) -> Result<DeviceBuffer<f32>, LabError> {
    // SAFETY: every pattern of 32 bits is an `f32`. The emulated device reports a read before the
    // first write.
    Ok(unsafe { DeviceBuffer::uninitialized(n)? })
}

/// Something that estimates pi from random points, and from other points at each call.
pub trait Source {
    /// `6 * hits / n`, where `hits` of the `n` points of `[-1, 1]^3` lie in the unit ball.
    ///
    /// # Errors
    /// No points, or what the driver or a library refuses.
    fn estimate(&mut self, n: usize) -> Result<f64, LabError>;
}

/// A series of estimates in short.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stats {
    /// Mean.
    pub mean: f64,
    /// Least estimate.
    pub min: f64,
    /// Greatest estimate.
    pub max: f64,
    /// Spread: `max - min`.
    pub delta: f64,
}

/// A source on the CPU: the library's generator in host memory, hits counted by all cores. For the
/// points that an emulated device would take too long for.
pub struct HostSource {
    generator: HostGenerator,
    numbers: Vec<f32>,
}

impl HostSource {
    /// Pseudo-random points from a seed.
    ///
    /// # Errors
    /// What the library refuses.
    pub fn pseudo(seed: u64) -> Result<HostSource, LabError> {
        let mut generator = HostGenerator::new(RngType::PseudoDefault)?;
        generator.set_pseudo_random_generator_seed(seed)?;
        Ok(HostSource { generator, numbers: Vec::new() })
    }

    /// Sobol' points.
    ///
    /// # Errors
    /// What the library refuses.
    pub fn quasi() -> Result<HostSource, LabError> {
        let mut generator = HostGenerator::new(RngType::QuasiDefault)?;
        generator.set_quasi_random_generator_dimensions(3)?;
        Ok(HostSource { generator, numbers: Vec::new() })
    }
}

impl HostSource {
    /// The sum of `f` over the next `n` points of `(0, 1]^3`.
    ///
    /// # Errors
    /// What the library refuses.
    pub fn sum(&mut self, n: usize, f: impl Fn([f32; 3]) -> f64 + Sync) -> Result<f64, LabError> {
        /// Points at a time, so that memory does not grow with `n`.
        const CHUNK: usize = 1 << 20;
        let mut sum = 0.0;
        let mut left = n;
        while left > 0 {
            let now = left.min(CHUNK);
            self.numbers.resize(3 * now, 0.0);
            self.generator.generate_uniform(&mut self.numbers)?;
            let (x, yz) = self.numbers.split_at(now);
            let (y, z) = yz.split_at(now);
            let points = x.par_iter().zip(y.par_iter().zip(z));
            sum += points.map(|(x, (y, z))| f([*x, *y, *z])).sum::<f64>();
            left -= now;
        }
        Ok(sum)
    }
}

impl Source for HostSource {
    fn estimate(&mut self, n: usize) -> Result<f64, LabError> {
        if n == 0 {
            return Err(LabError::refused("no points: n must be at least 1"));
        }
        let hits = self.sum(n, |point| {
            let [x, y, z] = point.map(|u| 2.0 * u - 1.0);
            f64::from(u8::from(x * x + y * y + z * z <= 1.0))
        })?;
        Ok(6.0 * hits / n as f64)
    }
}
