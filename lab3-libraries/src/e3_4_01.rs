//! Exercise 3.4.1: the arrays that FT needs before it begins, on the CPU.

use lab3_libraries::e3_3_01::{lcg, seed_at, uniform};
use lab3_libraries::ft::{ALPHA, C64, Params, SEED};
use labkit::LabError;

/// The parameters of a run.
///
/// # Errors
/// A size that is not a power of two: `NX = 48 is not a power of two`. 1 is one.
pub fn params(nx: usize, ny: usize, nz: usize, niter: usize) -> Result<Params, LabError> {
    // <lab
    let _ = (nx, ny, nz, niter);
    Err(LabError::msg("params is not written yet"))
    // lab>
}

/// `exp(-4 alpha pi^2)^i` for i = 0, 1, ... up to at least `niter (nx^2 + ny^2 + nz^2) / 4`, each
/// from the one before.
pub fn ex_table(p: &Params) -> Vec<f64> {
    // <lab
    let _ = (p, ALPHA);
    Vec::new()
    // lab>
}

/// `|k|^2 = ii^2 + jj^2 + kk^2` of each element, x fastest, where
/// `ii = ((x + nx/2) mod nx) - nx/2`, and so on.
pub fn indexmap(p: &Params) -> Vec<i32> {
    // <lab
    let _ = p;
    Vec::new()
    // lab>
}

/// Roots of all stages of transforms of up to n elements: `exp(i pi i / li)` at `li + i`, for li =
/// 1, 2, 4, ... n/2 and i < li. Entry 0 is not used.
pub fn roots(n: usize) -> Vec<C64> {
    // <lab
    let _ = n;
    Vec::new()
    // lab>
}

/// The initial field, x fastest: real and imaginary parts are the numbers of the generator from
/// [`SEED`] on, in turn.
pub fn initial(p: &Params) -> Vec<C64> {
    // <lab
    let _ = (p, lcg(SEED), uniform(SEED));
    Vec::new()
    // lab>
}

/// State of the generator before the first number of each plane z: so that planes can be filled at
/// the same time.
pub fn plane_seeds(p: &Params) -> Vec<u64> {
    // <lab
    let _ = (p, seed_at(SEED, 0));
    Vec::new()
    // lab>
}
