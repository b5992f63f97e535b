//! Both benchmarks on one core, step by step, made of your functions of exercises 3.3.2, 3.4.1 and
//! 3.4.3: the sequential programs that the other versions are compared with.

use labkit::LabError;
use npb::ep::{self, EpResult};
use npb::ft::{self, C64};

use crate::{e3_3_02, e3_4_01, e3_4_03};

/// EP: 2^m pairs in batches of 2^mk, each made by your `batch`.
///
/// # Errors
/// A batch that is larger than the whole; a `batch` that makes nothing.
pub fn ep(m: u32, mk: u32) -> Result<EpResult, LabError> {
    let result = ep::sequential(m, mk, &e3_3_02::batch).map_err(LabError::refused)?;
    if result == EpResult::default() {
        let text = "the sequential program is your batch of src/e3_3_02.rs (3.3.2), and that makes \
                    no pairs yet";
        return Err(LabError::refused(text));
    }
    Ok(result)
}

/// FT: checksums of `iterations` iterations; lines are transformed by your `stockham`, with the
/// factors of your `roots`.
///
/// # Errors
/// A size that is not a power of two; `roots` or `stockham` are not written yet.
pub fn ft(size: [usize; 3], iterations: usize) -> Result<Vec<C64>, LabError> {
    let missing = |what: &str| {
        LabError::refused(format!(
            "the sequential program is made of your roots and stockham, and {what} is not written \
             yet"
        ))
    };
    let longest = size.into_iter().max().unwrap_or(0).max(2);
    let roots = e3_4_01::roots(longest);
    if roots.len() < longest {
        return Err(missing("roots in src/e3_4_01.rs (3.4.1)"));
    }
    let mut room = vec![C64::default(); longest];
    let mut line = |forward: bool, x: &mut [C64]| {
        let sign = if forward { 1 } else { -1 };
        let room = &mut room[..x.len()];
        e3_4_03::stockham(sign, x, room, &roots);
    };
    // The transform of (1, 0) is (1, 1).
    let one = C64::new(1.0, 0.0);
    let mut probe = [one, C64::default()];
    line(true, &mut probe);
    if probe != [one; 2] {
        return Err(missing("stockham in src/e3_4_03.rs (3.4.3)"));
    }
    ft::sequential(size, iterations, &mut line).map_err(LabError::refused)
}
