//! The correctness test MMT-C and the parts that the checks of all versions of `C = A A^T` share.

use grading::{Evidence, Finding, Kernels, Run, Trial, expect};
use rand::RngExt;
use references::product::with_its_transpose;
use simt::fault::Fault;

use references::counts::product::{Counts, Kernel};

/// Size of the examples: m and n.
pub const EXAMPLE: (usize, usize) = (96, 192);

/// The name of the kernel in every version.
pub const NAME: &str = "matmultran_kernel";

/// A matrix of `m x n` values by rows.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// Rows.
    pub m: usize,
    /// Columns.
    pub n: usize,
    /// Values.
    pub a: Vec<f32>,
}

impl Matrix {
    /// Integers from -8 to 8: every sum is exact in `f32`.
    pub fn integers(t: &Trial, m: usize, n: usize) -> Matrix {
        let mut rng = t.rng();
        let a = (0..m * n).map(|_| rng.random_range(-8..=8) as f32).collect();
        Matrix { m, n, a }
    }

    /// Normally distributed values (the method of Box and Muller).
    pub fn normal(t: &Trial, m: usize, n: usize) -> Matrix {
        let mut rng = t.rng();
        let mut one = || {
            let (u, v): (f64, f64) = (rng.random_range(1e-12..1.0), rng.random());
            ((-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()) as f32
        };
        Matrix { m, n, a: (0..m * n).map(|_| one()).collect() }
    }

    /// Compares `c` with the product, each element within the bound of a sum of n products in any
    /// order, and demands that `c` is symmetric bit by bit: products commute, and both sums have
    /// one order.
    pub fn compare(&self, c: &[f32]) -> Result<(), Finding> {
        let (m, n) = (self.m, self.n as f64);
        let unit = 2f64.powi(-24);
        let bound = (n + 1.0) * unit / (1.0 - (n + 1.0) * unit);
        let (want, size) = with_its_transpose(&self.a, self.n);
        expect::close(&format!("m = {m}, n = {n}: C"), c, &want, |p| bound * size[p])?;
        let differs = |p: &usize| c[*p].to_bits() != c[p % m * m + p / m].to_bits();
        match (0..m * m).find(|p| differs(p) && !c[*p].is_nan()) {
            None => Ok(()),
            Some(p) => Err(Finding::wrong(format!(
                "m = {m}, n = {n}: C[{}][{}] and its mirror image differ in their last bits",
                p / m,
                p % m
            ))),
        }
    }
}

/// Looks at a run, its product and the matrix, and names a hint.
pub type Look<'d> = dyn Fn(&Run, &[f32], &Matrix) -> Option<&'static str> + 'd;

/// How a check tells what is wrong with a kernel.
pub struct Diagnosis<'d> {
    /// The hint that a fault deserves.
    pub fault: &'d dyn Fn(&Fault) -> Option<&'static str>,
    /// The hint that a wrong product deserves: the run, the product, the matrix.
    pub wrong: &'d Look<'d>,
    /// The hint for elements of C that were never written.
    pub unwritten: Option<&'static str>,
}

/// One launch in the judge's emulator, for tiles of `k x k`.
pub fn launch(
    kernels: &Kernels,
    k: u32,
    matrix: &Matrix,
    fault: impl Fn(&Fault) -> Option<&'static str>,
) -> Result<Run, Finding> {
    let (m, n) = (matrix.m, matrix.n);
    let blocks = m as u32 / k;
    kernels
        .launch(NAME, (blocks, blocks), (k, k))
        .output::<f32>("C", m * m)
        .input("A", &matrix.a)
        .scalar(m as i32)
        .scalar(n as i32)
        .on_fault(fault)
        .run()
}

/// The product that a run has left.
pub fn product(run: &Run, diagnosis: &Diagnosis<'_>) -> Result<Vec<f32>, Finding> {
    run.get("C").map_err(|f| match diagnosis.unwritten {
        Some(hint) => f.hint(hint),
        None => f,
    })
}

/// MMT-C of a compiled kernel, for tiles of `k x k`.
///
/// # Errors
/// The first matrix that is not multiplied right: the example first, so that what fails only later
/// works for the example's size only (C4).
pub fn mmt_c(
    t: &Trial,
    kernels: &Kernels,
    k: u32,
    diagnosis: &Diagnosis<'_>,
) -> Result<(), Finding> {
    let side = k as usize;
    let sizes = [EXAMPLE, (side, side), (2 * side, side), (side, 3 * side)];
    for (number, (m, n)) in sizes.into_iter().enumerate() {
        let check = |matrix: &Matrix| {
            let run = launch(kernels, k, matrix, diagnosis.fault)?;
            let c = product(&run, diagnosis)?;
            matrix.compare(&c).map_err(|f| match (diagnosis.wrong)(&run, &c, matrix) {
                Some(hint) => f.hint(hint),
                None => f,
            })
        };
        // A NaN in a row makes that row and that column NaN, and nothing else.
        let mut one_nan = Matrix::normal(t, m, n);
        let place = t.rng().random_range(0..m * n);
        one_nan.a[place] = f32::NAN;
        for matrix in [Matrix::integers(t, m, n), Matrix::normal(t, m, n), one_nan] {
            check(&matrix).map_err(|f| if number > 0 { f.or_hint("C4") } else { f })?;
        }
    }
    Ok(())
}

/// What a passed MMT-C has seen.
pub fn mmt_c_evidence(ks: &str) -> Evidence {
    Evidence::new(format!(
        "K = {ks}: integers exact, random matrices within the rounding bound, C symmetric to the \
         last bit, a NaN stays in its row and column"
    ))
}

/// The model's counts for the example.
pub fn example(variant: u32, k: u64, pad: u64) -> Counts {
    Kernel { variant, k, pad }.counts(EXAMPLE.0 as u64, EXAMPLE.1 as u64)
}

/// Sectors per request of the lines of `text` that satisfy `wanted`; 0 if they load nothing.
pub fn load_sectors(run: &Run, text: &str, wanted: impl Fn(&str) -> bool) -> u64 {
    let counters = run.lines_where(text, wanted);
    counters.gld_sec.checked_div(counters.gld_req).unwrap_or(0)
}

/// True for the line that loads an element of A into its tile.
pub fn loads_a(line: &str) -> bool {
    line.contains("A[iA") && !line.contains("A[iAT")
}

/// True for the line that loads an element of `A^T` into its tile.
pub fn loads_at(line: &str) -> bool {
    line.contains("A[iAT")
}
