//! Exercise 3.1.5: how the spread of the results falls with the number of points.

#[allow(unused_imports)] // until the methods below are written
use cudalibs::rand::{Generator, RngType};
use lab3_libraries::e3_1_03::Hits;
use lab3_libraries::e3_1_04::Map;
use lab3_libraries::mc::{Points, Source, Stats};
use labkit::{Lab, LabError};

/// Pseudo-random points on the device: three generators, made once and kept, one for each
/// coordinate.
#[derive(Debug)]
pub struct Pseudo<'l> {
    generators: Vec<Generator<'l>>,
    map: Map<'l>,
    hits: Hits<'l>,
    points: Points,
}

impl<'l> Pseudo<'l> {
    /// A source whose coordinates have the given seeds.
    ///
    /// # Errors
    /// Whatever the library or the driver refuses.
    pub fn new(lab: &'l Lab, seeds: [u64; 3]) -> Result<Pseudo<'l>, LabError> {
        let mut generators = Vec::new();
        // <lab
        let _ = seeds;
        generators.clear();
        // lab>
        Ok(Pseudo {
            generators,
            map: Map::new(lab)?,
            hits: Hits::new(lab)?,
            points: Points::unwritten(0)?,
        })
    }
}

impl Source for Pseudo<'_> {
    /// Each call continues the sequences where the call before has stopped.
    fn estimate(&mut self, n: usize) -> Result<f64, LabError> {
        if n == 0 {
            return Err(LabError::refused("no points: n must be at least 1"));
        }
        if self.points.len() != n {
            self.points = Points::unwritten(n)?;
        }
        // <lab
        let _ = (&self.generators, &self.map, &self.hits);
        Err(LabError::msg("estimate: generate and map each coordinate, count the hits"))
        // lab>
    }
}

/// `p` estimates from `n` points each.
///
/// # Errors
/// `p = 0`; whatever the source refuses.
pub fn repeat(n: usize, p: usize, source: &mut dyn Source) -> Result<Vec<f64>, LabError> {
    // <lab
    let _ = (n, p, source);
    Err(LabError::msg("repeat is not written yet"))
    // lab>
}

/// Mean, least, greatest and spread of a series.
///
/// # Errors
/// An empty series, or one with NaN in it.
pub fn stats(values: &[f64]) -> Result<Stats, LabError> {
    // <lab
    let _ = values;
    Err(LabError::msg("stats is not written yet"))
    // lab>
}

/// `(alpha, c)` of the law `delta = 10^c N^-alpha`: the straight line of least squares through the
/// points `(log10 N, log10 delta)`.
///
/// # Errors
/// Fewer than two different N, a different number of spreads, a value that is not positive and
/// finite.
pub fn fit_alpha(n: &[f64], delta: &[f64]) -> Result<(f64, f64), LabError> {
    labkit::check_len("delta", delta.len(), n.len())?;
    // <lab
    Err(LabError::msg("fit_alpha is not written yet"))
    // lab>
}
