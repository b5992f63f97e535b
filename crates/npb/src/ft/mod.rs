//! FT: a diffusion equation on a periodic grid, solved in the space of frequencies.
//!
//! A field of random numbers is transformed forward once. In each iteration t, every coefficient is
//! multiplied by `exp(-4 alpha pi^2 |k|^2 t)`, the field is transformed back (without scaling), and
//! 1024 of its values are summed. The field is `u[z][y][x]`, x fastest: element (x, y, z) is at
//! `x + nx (y + ny z)`.

#[allow(clippy::excessive_precision)] // the digits that were published
mod classes;
pub mod lanes;
mod sequential;

use num_complex::Complex;

use crate::random;

pub use classes::{CLASSES, Class};
pub use sequential::{Line, by_plan, sequential, transform};

/// A complex number.
pub type C64 = Complex<f64>;

/// State of the generator before the first number of the field.
pub const SEED: u64 = 314_159_265;
/// The diffusion constant.
pub const ALPHA: f64 = 1e-6;
/// How far a checksum may be off, relative to the official one.
pub const TOLERANCE: f64 = 1e-12;

/// The wave number of index i: 0, 1, ... n/2 - 1, -n/2, ... -1.
pub fn wave_number(i: usize, n: usize) -> i64 {
    ((i + n / 2) % n) as i64 - (n / 2) as i64
}

/// `exp(-4 alpha pi^2 k^2 t)` for all indices of an axis of n elements. The factor of an element is
/// the product of those of its three indices.
pub fn axis_factors(n: usize, t: usize) -> Vec<f64> {
    let exponent = -4.0 * ALPHA * std::f64::consts::PI * std::f64::consts::PI * t as f64;
    (0..n).map(|i| (exponent * (wave_number(i, n) * wave_number(i, n)) as f64).exp()).collect()
}

/// Fills the rows of the field from row `first` on with the numbers of the generator: real part,
/// imaginary part, and so on.
pub fn fill_rows(first: usize, nx: usize, rows: &mut [C64]) {
    let mut s = random::jump(SEED, (2 * nx * first) as u64);
    let mut number = || {
        s = random::next(s);
        s as f64 * random::SCALE
    };
    rows.iter_mut().for_each(|v| *v = C64::new(number(), number()));
}

/// The sum of the 1024 elements (j mod nx, 3 j mod ny, 5 j mod nz), over the number of elements.
pub fn checksum(size: [usize; 3], u: &[C64]) -> C64 {
    let [nx, ny, _] = size;
    sum_of_1024(size, |x, y, z| u[x + nx * (y + ny * z)])
}

/// The checksum of a field that is stored in some other way.
pub fn sum_of_1024([nx, ny, nz]: [usize; 3], at: impl Fn(usize, usize, usize) -> C64) -> C64 {
    let sum: C64 = (1..=1024).map(|j| at(j % nx, 3 * j % ny, 5 * j % nz)).sum();
    sum / (nx * ny * nz) as f64
}

/// All sizes must be powers of two.
///
/// # Errors
/// Names the one that is not.
pub fn check(size: [usize; 3]) -> Result<(), String> {
    match size.iter().zip(["NX", "NY", "NZ"]).find(|(n, _)| !n.is_power_of_two()) {
        Some((n, name)) => Err(format!("{name} = {n} is not a power of two")),
        None => Ok(()),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;
    use std::collections::HashSet;

    use super::*;

    /// The transform of a line as it is defined.
    pub(crate) fn dft(forward: bool, x: &mut [C64]) {
        let n = x.len();
        let turn = if forward { std::f64::consts::TAU } else { -std::f64::consts::TAU };
        let roots: Vec<C64> =
            (0..n).map(|k| C64::from_polar(1.0, turn * k as f64 / n as f64)).collect();
        let sum =
            |k: usize| -> C64 { x.iter().enumerate().map(|(j, x)| x * roots[j * k % n]).sum() };
        let y: Vec<C64> = (0..n).map(sum).collect();
        x.copy_from_slice(&y);
    }

    /// Sizes are powers of two, and 3 and 5 are odd: the place of j depends on j modulo the longest
    /// axis, and on nothing less.
    #[test]
    fn a_checksum_looks_at_as_many_elements_as_the_longest_axis_has() {
        for class in &CLASSES {
            let seen = RefCell::new(HashSet::new());
            sum_of_1024(class.size, |x, y, z| {
                seen.borrow_mut().insert([x, y, z]);
                C64::default()
            });
            let longest = class.size.into_iter().max().unwrap();
            assert_eq!(seen.into_inner().len(), longest.min(1024), "{}", class.name);
        }
    }

    #[test]
    fn small_classes_are_verified() {
        for name in ["T1", "T2", "T3", "T4"] {
            let class = Class::by_name(name).unwrap();
            let plain = sequential(class.size, class.iterations(), &mut dft).unwrap();
            assert_eq!(class.verify(&plain), Ok(()), "{name}");
        }
    }

    #[test]
    fn the_verification_fails_for_what_is_off() {
        let class = Class::by_name("t2").unwrap();
        let mut sums: Vec<C64> = class.checksums.iter().map(|[a, b]| C64::new(*a, *b)).collect();
        assert!(class.verify(&sums).is_ok());
        sums[5].im *= 1.0 + 1e-11;
        assert!(class.verify(&sums).is_err());
        sums[5] = C64::new(f64::NAN, 0.0);
        assert!(class.verify(&sums).is_err());
        assert!(class.verify(&sums[..5]).is_err());
        assert_eq!(check([48, 8, 8]).unwrap_err(), "NX = 48 is not a power of two");
        assert_eq!(sequential([8, 8, 0], 1, &mut dft).unwrap_err(), "NZ = 0 is not a power of two");
    }

    #[test]
    fn the_field_begins_with_the_generators_numbers() {
        let mut rows = vec![C64::new(0.0, 0.0); 32];
        fill_rows(0, 16, &mut rows);
        assert_eq!(rows[0], C64::new(0.7945219111887383, 0.8690652738745399));
        let mut second = vec![C64::new(0.0, 0.0); 16];
        fill_rows(1, 16, &mut second);
        assert_eq!(second, rows[16..]);
        assert_eq!([0, 1, 3, 4, 7].map(|i| wave_number(i, 8)), [0, 1, 3, -4, -1]);
    }
}
