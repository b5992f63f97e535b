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
    for (name, n) in [("NX", nx), ("NY", ny), ("NZ", nz)] {
        if !n.is_power_of_two() {
            return Err(LabError::refused(format!("{name} = {n} is not a power of two")));
        }
    }
    Ok(Params { nx, ny, nz, niter })
    //~ let _ = (nx, ny, nz, niter);
    //~ Err(LabError::msg("params is not written yet"))
    // lab>
}

/// `exp(-4 alpha pi^2)^i` for i = 0, 1, ... up to at least `niter (nx^2 + ny^2 + nz^2) / 4`, each
/// from the one before.
pub fn ex_table(p: &Params) -> Vec<f64> {
    // <lab
    let largest = p.niter * (p.nx * p.nx + p.ny * p.ny + p.nz * p.nz) / 4;
    let base = (-4.0 * ALPHA * std::f64::consts::PI * std::f64::consts::PI).exp();
    let mut ex = vec![1.0; largest + 1];
    for i in 1..=largest {
        ex[i] = ex[i - 1] * base;
    }
    ex
    //~ let _ = (p, ALPHA);
    //~ Vec::new()
    // lab>
}

/// `|k|^2 = ii^2 + jj^2 + kk^2` of each element, x fastest, where
/// `ii = ((x + nx/2) mod nx) - nx/2`, and so on.
pub fn indexmap(p: &Params) -> Vec<i32> {
    // <lab
    let square = |i: usize, n: usize| {
        let k = ((i + n / 2) % n) as i32 - (n / 2) as i32;
        k * k
    };
    let mut map = Vec::with_capacity(p.elements());
    for z in 0..p.nz {
        for y in 0..p.ny {
            for x in 0..p.nx {
                map.push(square(x, p.nx) + square(y, p.ny) + square(z, p.nz));
            }
        }
    }
    map
    //~ let _ = p;
    //~ Vec::new()
    // lab>
}

/// Roots of all stages of transforms of up to n elements: `exp(i pi i / li)` at `li + i`, for li =
/// 1, 2, 4, ... n/2 and i < li. Entry 0 is not used.
pub fn roots(n: usize) -> Vec<C64> {
    // <lab
    let mut roots = vec![C64::new(0.0, 0.0)];
    let mut li = 1;
    while li < n {
        let root = |i: usize| C64::from_polar(1.0, std::f64::consts::PI * i as f64 / li as f64);
        roots.extend((0..li).map(root));
        li *= 2;
    }
    roots
    //~ let _ = n;
    //~ Vec::new()
    // lab>
}

/// The initial field, x fastest: real and imaginary parts are the numbers of the generator from
/// [`SEED`] on, in turn.
pub fn initial(p: &Params) -> Vec<C64> {
    // <lab
    let mut s = SEED;
    let mut number = || {
        s = lcg(s);
        uniform(s)
    };
    let mut element = || {
        let re = number();
        let im = number();
        C64::new(re, im)
    };
    (0..p.elements()).map(|_| element()).collect()
    //~ let _ = (p, lcg(SEED), uniform(SEED));
    //~ Vec::new()
    // lab>
}

/// State of the generator before the first number of each plane z: so that planes can be filled at
/// the same time.
pub fn plane_seeds(p: &Params) -> Vec<u64> {
    // <lab
    let numbers = (2 * p.nx * p.ny) as u64;
    (0..p.nz as u64).map(|z| seed_at(SEED, numbers * z)).collect()
    //~ let _ = (p, seed_at(SEED, 0));
    //~ Vec::new()
    // lab>
}
