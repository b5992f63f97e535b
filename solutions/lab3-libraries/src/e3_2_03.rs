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
    let mut blas = Blas::new()?;
    blas.set_stream(lab.stream())?;
    let (mut dev_a, mut r, mut sp) = (unwritten(m * n)?, unwritten(m)?, unwritten(n)?);
    // Before the loop: A and the residual r = y to the device, and the norm of y.
    set_matrix(m, n, a, m, &mut dev_a, m)?;
    set_vector(m, y, 1, &mut r, 1)?;
    let norm_y = blas.snrm2(m, &r, 1)?;
    if !norm_y.is_finite() {
        return Err(LabError::refused(format!("the norm of y is {norm_y}")));
    }
    let mut norm = norm_y;
    while steps.len() < TMAX && norm > EPS * norm_y {
        // sp = A^T r, and where it is greatest.
        blas.sgemv(Op::T, m, n, 1.0, &dev_a, m, &r, 1, 0.0, &mut sp, 1)?;
        let i = blas.isamax(n, &sp, 1)?;
        let column = dev_a.index((i - 1) * m..i * m);
        let norm_a = blas.snrm2(m, &column, 1)?;
        let mut s = [0.0f32];
        get_vector(1, &sp.index(i - 1..i), 1, &mut s, 1)?;
        if s[0] == 0.0 {
            break;
        }
        let sigma = s[0] / (norm_a * norm_a);
        xr[i - 1] += sigma;
        blas.saxpy(m, -sigma, &column, 1, &mut r, 1)?;
        norm = blas.snrm2(m, &r, 1)?;
        steps.push(Step { t: steps.len() + 1, index: i, sigma, value: xr[i - 1], norm });
    }
    Ok((xr, steps))
    //~ // Prologue: three buffers (`unwritten(n)?`), set_matrix (leading dimension m), set_vector,
    //~ // snrm2.
    //~ // Loop: sgemv, isamax, snrm2 of the column, get_vector of one number, saxpy, snrm2 of the
    //~ // residual.
    //~ let _ = (lab, &mut xr, &mut steps);
    //~ Err(LabError::msg("csmp is not written yet"))
    // lab>
}
