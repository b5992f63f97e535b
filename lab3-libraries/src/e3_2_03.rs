//! Exercise 3.2.3: matching pursuit in calls of BLAS.

#[allow(unused_imports)] // until `csmp` is written
use cudalibs::blas::{Blas, Op, get_vector, set_matrix, set_vector};
#[allow(unused_imports)]
use lab3_libraries::mc::unwritten;
#[allow(unused_imports)]
use lab3_libraries::rain::{EPS, Step, TMAX};
use labkit::{Lab, LabError, check_len};

/// The matching pursuit of exercise 3.2.2 with at most [`TMAX`] steps and [`EPS`], on the device:
/// the solution, and what each step did.
///
/// # Arguments
/// * `a` - `m x n` by columns
/// * `y` - `m` observations
///
/// # Errors
/// Lengths that do not fit, a `y` whose norm is not finite; what the library or the driver refuses.
pub fn csmp(
    lab: &Lab,
    a: &[f32],
    y: &[f32],
    n: usize,
    m: usize,
) -> Result<(Vec<f32>, Vec<Step>), LabError> {
    check_len("A", a.len(), m * n)?;
    check_len("y", y.len(), m)?;
    let mut xr = vec![0.0f32; n];
    let mut steps = Vec::new();
    if m == 0 || n == 0 {
        return Ok((xr, steps));
    }
    // <lab
    // Prologue: three buffers (`unwritten(n)?`), set_matrix (leading dimension m), set_vector,
    // snrm2.
    // Loop: sgemv, isamax, snrm2 of the column, get_vector of one number, saxpy, snrm2 of the
    // residual.
    let _ = (lab, &mut xr, &mut steps);
    Err(LabError::msg("csmp is not written yet"))
    // lab>
}
