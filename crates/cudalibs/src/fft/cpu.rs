//! Transforms of packed arrays on the CPU, axis by axis.

use std::sync::Arc;

use num_complex::Complex;
use rayon::prelude::*;
use transforms::{ComplexToReal, Fft, Precision, RealToComplex};

use super::Direction;

/// A line of complex numbers below this length in all is not worth a second core.
const PARALLEL: usize = 1 << 13;

/// The plans of an array's axes.
pub struct Axes<T: Precision> {
    shape: Vec<usize>,
    /// For each axis, both directions.
    complex: Vec<[Arc<dyn Fft<T>>; 2]>,
    forward_real: Arc<dyn RealToComplex<T>>,
    inverse_real: Arc<dyn ComplexToReal<T>>,
}

impl<T: Precision> Axes<T> {
    pub fn new(shape: &[usize]) -> Axes<T> {
        let last = shape.last().copied().unwrap_or(1);
        let (forward_real, inverse_real) = T::real(last);
        Axes {
            shape: shape.to_vec(),
            complex: shape.iter().map(|n| T::complex(*n)).collect(),
            forward_real,
            inverse_real,
        }
    }

    /// Transforms complex arrays in place. `data` holds whole arrays of the plan's shape.
    pub fn complex(&self, direction: Direction, data: &mut [Complex<T>]) {
        for axis in (0..self.shape.len()).rev() {
            self.axis(axis, &self.shape, direction, data);
        }
    }

    /// Transforms real arrays to complex ones whose last axis has `n / 2 + 1` elements.
    pub fn real_to_complex(&self, real: &[T]) -> Vec<Complex<T>> {
        let half = self.half();
        let (n, m) = (self.last(), half[half.len() - 1]);
        let mut out = vec![Complex::new(T::zero(), T::zero()); real.len() / n * m];
        let fft = &self.forward_real;
        out.par_chunks_mut(m).zip(real.par_chunks(n)).for_each_init(
            || (vec![T::zero(); n], fft.make_scratch_vec()),
            |(line, scratch), (out, values)| {
                line.copy_from_slice(values);
                // Fails only for wrong lengths.
                let _ = fft.process_with_scratch(line, out, scratch);
            },
        );
        for axis in (0..self.shape.len() - 1).rev() {
            self.axis(axis, &half, Direction::Forward, &mut out);
        }
        out
    }

    /// Transforms complex arrays whose last axis has `n / 2 + 1` elements to real ones. Uses
    /// `complex` up.
    pub fn complex_to_real(&self, mut complex: Vec<Complex<T>>) -> Vec<T> {
        let half = self.half();
        let (n, m) = (self.last(), half[half.len() - 1]);
        for axis in 0..self.shape.len() - 1 {
            self.axis(axis, &half, Direction::Inverse, &mut complex);
        }
        let mut out = vec![T::zero(); complex.len() / m * n];
        let fft = &self.inverse_real;
        out.par_chunks_mut(n).zip(complex.par_chunks_mut(m)).for_each_init(
            || fft.make_scratch_vec(),
            |scratch, (out, values)| {
                // These two are real for real data; a result is given even if they are not, as the
                // vendor does.
                values[0].im = T::zero();
                if n.is_multiple_of(2) {
                    values[m - 1].im = T::zero();
                }
                // Fails only for wrong lengths.
                let _ = fft.process_with_scratch(values, out, scratch);
            },
        );
        out
    }

    fn last(&self) -> usize {
        self.shape.last().copied().unwrap_or(1)
    }

    fn half(&self) -> Vec<usize> {
        super::half(&self.shape)
    }

    /// Transforms all lines along one axis of arrays of `shape`.
    fn axis(&self, axis: usize, shape: &[usize], direction: Direction, data: &mut [Complex<T>]) {
        let n = shape[axis];
        if n == 1 {
            return;
        }
        let fft = &self.complex[axis][usize::from(direction == Direction::Inverse)];
        let inner: usize = shape[axis + 1..].iter().product();
        let zero = Complex::new(T::zero(), T::zero());
        if inner == 1 {
            let lines = (PARALLEL / n).max(1) * n;
            data.par_chunks_mut(lines).for_each_init(
                || vec![zero; fft.get_inplace_scratch_len()],
                |scratch, lines| fft.process_with_scratch(lines, scratch),
            );
            return;
        }
        // Neighbouring lines go into a small array together, so that whole rows are read and
        // written.
        const TOGETHER: usize = 8;
        let slabs = data.par_chunks_mut(n * inner);
        slabs.for_each_init(
            || (vec![zero; n * TOGETHER], vec![zero; fft.get_inplace_scratch_len()]),
            |(lines, scratch), slab| {
                for first in (0..inner).step_by(TOGETHER) {
                    let width = TOGETHER.min(inner - first);
                    for (i, row) in slab.chunks_exact(inner).enumerate() {
                        for (k, value) in row[first..first + width].iter().enumerate() {
                            lines[k * n + i] = *value;
                        }
                    }
                    fft.process_with_scratch(&mut lines[..n * width], scratch);
                    for (i, row) in slab.chunks_exact_mut(inner).enumerate() {
                        for (k, value) in row[first..first + width].iter_mut().enumerate() {
                            *value = lines[k * n + i];
                        }
                    }
                }
            },
        );
    }
}
