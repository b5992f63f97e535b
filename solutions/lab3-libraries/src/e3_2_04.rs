//! Exercise 3.2.4: the same for 10, 100 and 1000 years. The kernels are in `kernels/rain.cu`.

use cudalibs::blas::{Blas, Op, get_vector};
use cust::prelude::*;
use lab3_libraries::e3_2_01::choose;
use lab3_libraries::mc::unwritten;
use lab3_libraries::rain::Draw;
use labkit::{During, Lab, LabError, kernel_file};

/// How large a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Days, the columns of A.
    pub n: usize,
    /// Observations, the rows of A.
    pub m: usize,
    /// Rainy days.
    pub k: usize,
}

/// The shape for so many years: 365 days, 50 observations and 20 rainy days in each.
pub fn shape(years: usize) -> Shape {
    // <lab
    Shape { n: 365 * years, m: 50 * years, k: 20 * years }
    //~ let _ = years;
    //~ Shape { n: 0, m: 0, k: 0 }
    // lab>
}

/// Bytes of the matrix A: 73 GB for 1000 years.
pub fn bytes(shape: Shape) -> u64 {
    // <lab
    4 * shape.m as u64 * shape.n as u64
    //~ let _ = shape;
    //~ 0
    // lab>
}

/// Is there room for A?
///
/// # Errors
/// If not: a sentence with the bytes that are needed and those that are free, as decimal numbers.
pub fn fits(shape: Shape, free: u64) -> Result<(), LabError> {
    // <lab
    let need = bytes(shape);
    if need > free {
        return Err(LabError::refused(format!("A needs {need} bytes, {free} bytes are free")));
    }
    Ok(())
    //~ let _ = (shape, free);
    //~ Err(LabError::msg("fits is not written yet"))
    // lab>
}

/// Who computes `A^T r`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gemv {
    /// `sgemv` of the library.
    Library,
    /// The kernel `sgemv_t`.
    Kernel,
}

/// A matching pursuit on a large random problem.
#[derive(Clone, Debug)]
pub struct Pursuit {
    /// Days of the observations, from 0, in ascending order.
    pub days: Vec<usize>,
    /// Rainy days, from 0, and how much it rained.
    pub rain: Vec<(usize, f32)>,
    /// Chosen columns, counted from 1.
    pub indices: Vec<usize>,
    /// Norm of y, then of the residual after each step.
    pub norms: Vec<f32>,
    /// Milliseconds of a step, the mean without the first.
    pub step_ms: f32,
}

/// `steps` steps of a matching pursuit on a random problem, whose matrix is made on the device and
/// never copied.
///
/// # Arguments
/// * `tau` - time constant of the evaporation in days
/// * `seed` - of the days with observations and with rain
///
/// # Errors
/// No room for A; whatever the library or the driver refuses.
pub fn pursue(
    lab: &Lab,
    shape: Shape,
    tau: f32,
    seed: u64,
    gemv: Gemv,
    steps: usize,
) -> Result<Pursuit, LabError> {
    let Shape { n, m, k } = shape;
    let (free, _) = cust::memory::mem_get_info()?;
    // <lab
    fits(shape, free as u64)?;
    //~ let _ = free;
    // lab>
    let module = lab.module(kernel_file!("rain.cu"), &[])?;
    let stream = lab.stream();
    let mut blas = Blas::new()?;
    blas.set_stream(stream)?;

    let mut draw = Draw::new(seed);
    let days = choose(&mut draw, n, m);
    let rain: Vec<(usize, f32)> =
        choose(&mut draw, n, k).into_iter().map(|day| (day, draw.normal().abs() as f32)).collect();
    let rows: Vec<i32> = days.iter().map(|d| *d as i32).collect();
    let dev_days = DeviceBuffer::from_slice(&rows)?;
    let a = unwritten(m * n)?;
    let kernel = module.get_function("gen_a").during("get_function(gen_a)")?;
    // SAFETY: the arguments match the kernel's parameters; A has m * n numbers, a block makes a
    // column.
    unsafe {
        launch!(kernel<<<n as u32, 128, 0, stream>>>(
            a.as_device_ptr(),
            dev_days.as_device_ptr(),
            m as i32,
            tau
        ))
    }
    .during("launch of gen_a")?;

    // r = y = A x: a column for each rainy day.
    let mut r = DeviceBuffer::from_slice(&vec![0.0f32; m])?;
    for (day, amount) in &rain {
        blas.saxpy(m, *amount, &a.index(day * m..(day + 1) * m), 1, &mut r, 1)?;
    }
    let mut sp = unwritten(n)?;
    let mut norms = vec![blas.snrm2(m, &r, 1)?];
    let mut indices = Vec::new();
    let kernel = module.get_function("sgemv_t").during("get_function(sgemv_t)")?;
    let (start, stop) = (Event::new(EventFlags::DEFAULT)?, Event::new(EventFlags::DEFAULT)?);
    for step in 0..steps {
        // The first step loads what later ones find loaded.
        if step < 2 {
            start.record(stream)?;
        }
        match gemv {
            Gemv::Library => blas.sgemv(Op::T, m, n, 1.0, &a, m, &r, 1, 0.0, &mut sp, 1)?,
            // <lab
            // SAFETY: the arguments match the kernel's parameters; a block makes a number of sp.
            Gemv::Kernel => unsafe {
                launch!(kernel<<<n as u32, 128, 0, stream>>>(
                    a.as_device_ptr(),
                    r.as_device_ptr(),
                    sp.as_device_ptr(),
                    m as i32
                ))
            }
            .during("launch of sgemv_t")?,
            //~ Gemv::Kernel => return Err(LabError::msg(format!("launch {kernel:?}, n blocks"))),
            // lab>
        }
        let i = blas.isamax(n, &sp, 1)?;
        let column = a.index((i - 1) * m..i * m);
        let norm = blas.snrm2(m, &column, 1)?;
        let mut s = [0.0f32];
        get_vector(1, &sp.index(i - 1..i), 1, &mut s, 1)?;
        blas.saxpy(m, -s[0] / (norm * norm), &column, 1, &mut r, 1)?;
        norms.push(blas.snrm2(m, &r, 1)?);
        indices.push(i);
    }
    if steps == 0 {
        start.record(stream)?;
    }
    stop.record(stream)?;
    stop.synchronize()?;
    let step_ms = stop.elapsed_time_f32(&start)? / steps.saturating_sub(1).max(1) as f32;
    Ok(Pursuit { days, rain, indices, norms, step_ms })
}
