//! Exercise 1.1.6: net time, what two events around the launch show.

use cust::event::EventFlags;
use cust::prelude::*;
use lab1_cuda_intro::clock;
use labkit::*;

/// One point of the curve: the best times for `n` elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Elements.
    pub n: usize,
    /// Shortest gross time in milliseconds: allocation, copies, launch.
    pub gross_ms: f64,
    /// Shortest net time in milliseconds: the kernel alone.
    pub net_ms: f32,
}

/// Net times of `c = a + b` for `n` elements in milliseconds, one per run.
///
/// # Errors
/// Whatever the driver refuses.
pub fn kernel_ms(lab: &Lab, n: usize, runs: usize) -> Result<Vec<f32>, LabError> {
    // <lab
    (0..runs).map(|_| add_timed(lab, n)).collect()
    //~ // One call of add_timed per run.
    //~ let _ = (lab, n, runs);
    //~ Err(LabError::msg("kernel_ms in src/e1_1_06.rs is still empty"))
    // lab>
}

/// Adds once, copies included, and returns the net time in milliseconds.
fn add_timed(lab: &Lab, n: usize) -> Result<f32, LabError> {
    let a: Vec<i32> = (0..n as i32).collect();
    let mut c = vec![0; n];
    let module = lab.module(kernel_file!("add.cu"), &["-DELEM=int"])?;
    let add_kernel = module.get_function("add_kernel").during("get_function(add_kernel)")?;
    let stream = lab.stream();
    let (grid, size) = ((n as u32).div_ceil(256), n as i32);
    let (start, stop) = (Event::new(EventFlags::DEFAULT)?, Event::new(EventFlags::DEFAULT)?);
    // SAFETY: all three are written before anything reads them.
    let (mut dev_a, mut dev_b, dev_c) = unsafe {
        (
            DeviceBuffer::<i32>::uninitialized(n)?,
            DeviceBuffer::<i32>::uninitialized(n)?,
            DeviceBuffer::<i32>::uninitialized(n)?,
        )
    };
    let (to, from_a, from_b) =
        (dev_c.as_device_ptr(), dev_a.as_device_ptr(), dev_b.as_device_ptr());

    // <lab
    dev_a.copy_from(&a)?;
    dev_b.copy_from(&a)?;
    start.record(stream)?;
    // SAFETY: the kernel takes three pointers to `size` elements each, and an int.
    unsafe { launch!(add_kernel<<<grid, 256, 0, stream>>>(to, from_a, from_b, size)) }
        .during("launch of add_kernel")?;
    stop.record(stream)?;
    stop.synchronize()?;
    let net_ms = stop.elapsed_time_f32(&start).during("time between start and stop")?;
    //~ // Place the two events so that they see the kernel and nothing else, wait, and read the
    //~ // time between them.
    //~ dev_a.copy_from(&a)?;
    //~ dev_b.copy_from(&a)?;
    //~ // SAFETY: the kernel takes three pointers to `size` elements each, and an int.
    //~ unsafe { launch!(add_kernel<<<grid, 256, 0, stream>>>(to, from_a, from_b, size)) }
    //~     .during("launch of add_kernel")?;
    //~ let _ = (start, stop);
    //~ let net_ms = f32::NAN;
    // lab>
    dev_c.copy_to(&mut c)?;
    Ok(net_ms)
}

/// The best gross and the best net time of `runs` additions of `n` elements.
///
/// # Errors
/// `runs` = 0; whatever the driver refuses.
pub fn measure(lab: &Lab, n: usize, runs: usize) -> Result<Row, LabError> {
    if runs == 0 {
        return Err(LabError::msg("runs: expected at least 1, found 0"));
    }
    let mut best = Row { n, gross_ms: f64::INFINITY, net_ms: f32::INFINITY };
    for _ in 0..runs {
        // <lab
        let start = clock::now();
        let net_ms = add_timed(lab, n)?;
        let gross_ms = (clock::now() - start).as_secs_f64() * 1e3;
        best.gross_ms = best.gross_ms.min(gross_ms);
        best.net_ms = best.net_ms.min(net_ms);
        //~ // Gross time is what clock::now tells around add_timed, net time is what add_timed
        //~ // returns.
        //~ let _ = (clock::now(), add_timed(lab, n)?, &mut best);
        // lab>
    }
    Ok(best)
}
