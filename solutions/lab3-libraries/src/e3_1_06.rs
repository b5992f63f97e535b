//! Exercise 3.1.6: quasi-random points, which fill the box more evenly than random ones.

#[allow(unused_imports)] // until the methods below are written
use cudalibs::rand::{Generator, RngType};
use cust::memory::{DeviceBuffer, DeviceSlice};
use lab3_libraries::e3_1_03::Hits;
use lab3_libraries::e3_1_04::Map;
use lab3_libraries::mc::{Source, unwritten};
use labkit::{Lab, LabError};

/// Sobol' points on the device: one generator of three dimensions, made once and kept.
#[derive(Debug)]
pub struct Quasi<'l> {
    generator: Generator<'l>,
    map: Map<'l>,
    hits: Hits<'l>,
    buffer: DeviceBuffer<f32>,
}

impl<'l> Quasi<'l> {
    /// The sequence from its first point on.
    ///
    /// # Errors
    /// Whatever the library or the driver refuses.
    pub fn new(lab: &'l Lab) -> Result<Quasi<'l>, LabError> {
        // <lab
        let mut generator = Generator::new(RngType::QuasiDefault)?;
        generator.set_quasi_random_generator_dimensions(3)?;
        //~ // Which kind of generator, and how many coordinates has a point?
        //~ let generator = Generator::new(RngType::PseudoDefault)?;
        // lab>
        Ok(Quasi { generator, map: Map::new(lab)?, hits: Hits::new(lab)?, buffer: unwritten(0)? })
    }

    /// Fills `out` with the next points of `[-1, 1]^3`: all first coordinates, then all second
    /// ones, then all third ones.
    ///
    /// # Errors
    /// A length that is not a multiple of 3; whatever else the library or the driver refuses.
    pub fn fill(&mut self, out: &mut DeviceSlice<f32>) -> Result<(), LabError> {
        // <lab
        self.generator.generate_uniform(out)?;
        self.map.run(out, -1.0, 1.0)
        //~ let _ = (out, &mut self.generator, &self.map);
        //~ Err(LabError::msg("fill: generate, then map"))
        // lab>
    }
}

impl Source for Quasi<'_> {
    /// Each call continues the sequence where the call before has stopped.
    fn estimate(&mut self, n: usize) -> Result<f64, LabError> {
        if n == 0 {
            return Err(LabError::refused("no points: n must be at least 1"));
        }
        let mut buffer = std::mem::replace(&mut self.buffer, unwritten(0)?);
        if buffer.len() != 3 * n {
            buffer = unwritten(3 * n)?;
        }
        self.fill(&mut buffer)?;
        // <lab
        let (x, y, z) = (buffer.index(..n), buffer.index(n..2 * n), buffer.index(2 * n..));
        let hits = self.hits.count(&x, &y, &z)?;
        //~ // The three coordinates are parts of the buffer: `buffer.index(from..to)`.
        //~ let hits = self.hits.count(&buffer, &buffer, &buffer)?;
        // lab>
        self.buffer = buffer;
        Ok(6.0 * hits as f64 / n as f64)
    }
}
