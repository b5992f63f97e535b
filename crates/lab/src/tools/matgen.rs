//! `cargo lab matgen`: writes `matmultran.dat`, a random matrix and its product with its transpose,
//! for section 2.2.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use building::{Screen, how_far};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::Failure;

/// Options of `cargo lab matgen`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Rows of the matrix
    #[arg(long, default_value_t = 96)]
    pub m: usize,
    /// Columns of the matrix
    #[arg(long, default_value_t = 192)]
    pub n: usize,
    /// Seed of the normally distributed values
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// File to write
    #[arg(short, long, value_name = "FILE", default_value = "matmultran.dat")]
    pub out: PathBuf,
}

/// Most bytes of a file.
const LIMIT: usize = 4 << 30;

impl Args {
    /// Writes the file and says how long it is.
    ///
    /// # Errors
    /// Sizes whose file would be larger than 4 GiB; a file that cannot be written.
    pub fn run(&self, out: &mut dyn Write) -> Result<u8, Failure> {
        let (m, n) = (self.m, self.n);
        let values = m.checked_mul(n).zip(m.checked_mul(m)).and_then(|(a, c)| a.checked_add(c));
        if values.is_none_or(|values| values > LIMIT / 4) {
            return Err(Failure::usage(format!(
                "--m, --n: expected a file of at most 4 GiB, found m = {m}, n = {n}"
            )));
        }
        let a = normal(m * n, self.seed);
        let c = product(&a, m, n);
        let mut bytes = Vec::with_capacity(8 + 4 * (a.len() + c.len()));
        for size in [m, n] {
            bytes.extend((size as i32).to_le_bytes());
        }
        bytes.extend(a.iter().chain(&c).flat_map(|x| x.to_le_bytes()));
        std::fs::write(&self.out, &bytes)
            .map_err(|e| Failure::usage(format!("{}: {e}", self.out.display())))?;
        writeln!(out, "{}: A is {m} x {n}, {} bytes", self.out.display(), bytes.len())?;
        Ok(0)
    }
}

/// Normally distributed values (the method of Box and Muller).
fn normal(count: usize, seed: u64) -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut one = || {
        let (u, v): (f64, f64) = (rng.random_range(1e-12..1.0), rng.random());
        ((-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()) as f32
    };
    (0..count).map(|_| one()).collect()
}

/// Rows of C that one task computes: its rows of A stay in a core's cache while all others pass by.
const ROWS: usize = 8;

/// `A A^T` by rows, each element summed in `f64` and rounded once. Only the lower half is computed.
fn product(a: &[f32], m: usize, n: usize) -> Vec<f32> {
    let wide: Vec<f64> = a.iter().map(|x| f64::from(*x)).collect();
    let row = |i: usize| &wide[i * n..(i + 1) * n];
    let begun = Instant::now();
    let progress = Mutex::new((Screen::here(), 0));
    let mut c = vec![0.0; m * m];
    let block_of_rows = |block: usize, rows: &mut [f32]| {
        let first = block * ROWS;
        let last = (first + ROWS).min(m);
        for j in 0..last {
            for i in first.max(j)..last {
                rows[(i - first) * m + j] = dot(row(i), row(j)) as f32;
            }
        }
        let (screen, done) = &mut *progress.lock().unwrap_or_else(|e| e.into_inner());
        *done += last - first;
        // Without a terminal it would only be in the way; a small matrix needs none.
        if screen.is_terminal() && begun.elapsed().as_secs() > 0 {
            let now = begun.elapsed().as_secs_f64();
            screen.line(now, |columns| how_far(columns, (*done, m), "rows", now, None, &[]));
        }
    };
    rayon_core::scope(|scope| {
        for (block, rows) in c.chunks_mut((ROWS * m).max(1)).enumerate() {
            let compute = &block_of_rows;
            scope.spawn(move |_| compute(block, rows));
        }
    });
    for i in 0..m {
        for j in i + 1..m {
            c[i * m + j] = c[j * m + i];
        }
    }
    progress.into_inner().unwrap_or_else(|e| e.into_inner()).0.clear();
    c
}

/// A sum in eight lanes, which the compiler turns into vector instructions.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (x8, x_rest) = x.as_chunks::<8>();
    let (y8, y_rest) = y.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (x, y) in x8.iter().zip(y8) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(m: usize, n: usize, out: PathBuf) -> Args {
        Args { m, n, seed: 7, out }
    }

    #[test]
    fn the_file_holds_a_matrix_and_its_product() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.dat");
        for (m, n) in [(3, 5), (17, 40), (0, 4), (4, 0)] {
            assert_eq!(args(m, n, file.clone()).run(&mut Vec::new()).unwrap(), 0);
            let bytes = std::fs::read(&file).unwrap();
            assert_eq!(bytes.len(), 8 + 4 * (m * n + m * m));
            let number = |i: usize| [bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]];
            assert_eq!(i32::from_le_bytes(number(0)) as usize, m);
            assert_eq!(i32::from_le_bytes(number(4)) as usize, n);
            let value = |i: usize| f64::from(f32::from_le_bytes(number(8 + 4 * i)));
            for (i, j) in (0..m).flat_map(|i| (0..m).map(move |j| (i, j))) {
                let want: f64 = (0..n).map(|l| value(i * n + l) * value(j * n + l)).sum();
                let got = value(m * n + i * m + j);
                assert!((got - want).abs() <= 1e-6 * (1.0 + want.abs()), "{i}, {j}: {got} {want}");
            }
        }
    }

    #[test]
    fn a_file_that_is_too_large_is_refused() {
        let failed = args(1 << 20, 1 << 20, "x.dat".into()).run(&mut Vec::new()).unwrap_err();
        assert_eq!(failed.code, 2);
        assert!(failed.message.starts_with("error: --m, --n: expected a file of at most 4 GiB"));
    }
}
