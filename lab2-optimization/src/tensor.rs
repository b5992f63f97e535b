//! `C = A A^T` by the tensor cores (section 2.3): how much faster, and how many digits less.
//! Kernels: `kernels/mmt_tensor.cu`.

use cust::memory::DeviceCopy;
use cust::prelude::*;
use cust::sys::{CUfunction_attribute, cuFuncSetAttribute};
use labkit::{During, Lab, LabError, check_len, kernel_file};
use rayon::prelude::*;

use crate::timing::Timing;

/// The numbers that are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// bfloat16: the upper half of a float.
    Bf16,
    /// Two bfloat16, of which the second has what the first lacks.
    Bf16Twice,
    /// tf32: a float of which 13 bits are left out.
    Tf32,
    /// Two tf32.
    Tf32Twice,
}

impl Kind {
    /// From few bits to many.
    pub const ALL: [Kind; 4] = [Kind::Bf16, Kind::Tf32, Kind::Bf16Twice, Kind::Tf32Twice];

    /// As in the kernels' names.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Bf16 => "bf16",
            Kind::Bf16Twice => "bf16_twice",
            Kind::Tf32 => "tf32",
            Kind::Tf32Twice => "tf32_twice",
        }
    }

    /// Bits of a number, the one before the point included: 24 in a float.
    pub fn bits(self) -> u32 {
        match self {
            Kind::Bf16 => 8,
            Kind::Tf32 => 11,
            Kind::Bf16Twice => 16,
            Kind::Tf32Twice => 22,
        }
    }

    /// Numbers that stand for one.
    fn parts(self) -> usize {
        match self {
            Kind::Bf16 | Kind::Tf32 => 1,
            Kind::Bf16Twice | Kind::Tf32Twice => 2,
        }
    }

    /// Products of the tensor cores for one of A A^T.
    pub fn products(self) -> usize {
        self.parts() * (self.parts() + 1) / 2
    }

    /// Columns of A in a fragment.
    fn depth(self) -> usize {
        match self {
            Kind::Bf16 | Kind::Bf16Twice => 16,
            Kind::Tf32 | Kind::Tf32Twice => 8,
        }
    }
}

/// 16 bytes of a fragment.
#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, align(16))]
struct Words([u32; 4]);

/// Computes `c = A A^T` `runs` times (once at least), and says how long the shortest took, rounding
/// and laying out A included. `a` holds `m * n` values by rows, `c` gets `m * m`. Launches nothing
/// for m = 0.
///
/// # Errors
/// Lengths that do not fit m and n, whatever the driver refuses: a GPU before compute capability
/// 8.0, for one.
pub fn product(
    lab: &Lab,
    kind: Kind,
    c: &mut [f32],
    a: &[f32],
    [m, n]: [usize; 2],
    runs: usize,
) -> Result<Timing, LabError> {
    check_len("a", a.len(), m * n)?;
    check_len("c", c.len(), m * m)?;
    if m == 0 {
        return Ok(Timing { kernel_ms: 0.0 });
    }
    let module = lab.module(kernel_file!("mmt_tensor.cu"), &[])?;
    let [pack, multiply] = ["pack", "mmt"].map(|of| format!("{of}_{}", kind.name()));
    let (pack, multiply) = (module.get_function(pack)?, module.get_function(multiply)?);
    let shared = 3 * (32 << 10);
    let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    // SAFETY: the function is alive; what the driver refuses, it refuses again at the launch.
    unsafe { cuFuncSetAttribute(multiply.to_raw(), attribute, shared) };

    // Whole stages, four fragments long; whole blocks, eight fragments high.
    let steps = n.div_ceil(kind.depth()).max(1).next_multiple_of(4);
    let fragments = m.div_ceil(128) * 8;
    let dev_a = DeviceBuffer::from_slice(if n == 0 { &[0.0] } else { a })?;
    // SAFETY: the kernels write every element before it is read.
    let (packed, dev_c) = unsafe {
        (
            DeviceBuffer::<Words>::uninitialized(fragments * steps * kind.parts() * 32)?,
            DeviceBuffer::<f32>::uninitialized(m * m)?,
        )
    };
    let stream = lab.stream();
    let (start, stop) = (Event::new(EventFlags::DEFAULT)?, Event::new(EventFlags::DEFAULT)?);
    let (rows, columns) = (m as i32, n as i32);
    let packing = (steps as u32 / 4, fragments as u32);
    let blocks = m.div_ceil(128) as u32;
    let mut kernel_ms = f32::INFINITY;
    for _ in 0..runs.max(1) {
        start.record(stream)?;
        // SAFETY: the arguments match the kernels' parameters, and the arrays have the room that
        // the head of the kernel file asks for.
        unsafe {
            launch!(pack<<<packing, 128, 0, stream>>>(
                packed.as_device_ptr(), dev_a.as_device_ptr(), rows, columns, steps as i32
            ))
            .during("launch of the packing")?;
            launch!(multiply<<<(blocks, blocks), 128, shared as u32, stream>>>(
                dev_c.as_device_ptr(), packed.as_device_ptr(), rows, steps as i32
            ))
            .during("launch of the product")?;
        }
        stop.record(stream)?;
        stop.synchronize()?;
        kernel_ms = kernel_ms.min(stop.elapsed_time_f32(&start)?);
    }
    dev_c.copy_to(c).during("copy of C to the host")?;
    Ok(Timing { kernel_ms })
}

/// How far a product is from the exact one: `|C_ij - sum_k a_ik a_jk|` over `sum_k |a_ik a_jk|`, so
/// that rounding each number to b bits makes at most some 2^(1-b).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// The largest one; NaN if one of them is.
    pub largest: f64,
    /// The root of the mean square.
    pub rms: f64,
}

/// Rows of C that are compared at most.
const ROWS: usize = 64;

/// The errors of `c`, an `m x m` product of the `m x n` matrix `a`, in all of its rows or in 64 of
/// them: an exact product takes long.
///
/// # Panics
/// The slices are shorter than that.
pub fn errors(c: &[f32], a: &[f32], [m, n]: [usize; 2]) -> Errors {
    of_rows(a, [m, n], |i, j| f64::from(c[i * m + j]))
}

/// The errors of sums of floats, one product after the other.
///
/// # Panics
/// The slice is shorter than `m * n`.
pub fn errors_of_floats(a: &[f32], [m, n]: [usize; 2]) -> Errors {
    let row = |i: usize| &a[i * n..(i + 1) * n];
    let sum = |i, j| row(i).iter().zip(row(j)).fold(0.0f32, |sum, (x, y)| sum + x * y);
    of_rows(a, [m, n], |i, j| f64::from(sum(i, j)))
}

fn of_rows(a: &[f32], [m, n]: [usize; 2], found: impl Fn(usize, usize) -> f64 + Sync) -> Errors {
    let row = |i: usize| &a[i * n..(i + 1) * n];
    let error = |i: usize, j: usize| {
        let products = row(i).iter().zip(row(j)).map(|(x, y)| f64::from(*x) * f64::from(*y));
        let (sum, size) = products.fold((0.0, 0.0), |(sum, size), p| (sum + p, size + p.abs()));
        let difference = (found(i, j) - sum).abs();
        if difference == 0.0 { 0.0 } else { difference / size }
    };
    let rows = m.min(ROWS);
    let of_row = |k: usize| {
        let i = k * m / rows;
        (0..m).map(|j| error(i, j)).fold((0.0f64, 0.0), |(largest, squares), e| {
            let worst = if e.is_nan() { e } else { largest.max(e) };
            (if largest.is_nan() { largest } else { worst }, squares + e * e)
        })
    };
    let parts: Vec<(f64, f64)> = (0..rows).into_par_iter().map(of_row).collect();
    let squares: f64 = parts.iter().map(|part| part.1).sum();
    let largest =
        parts.iter().fold(0.0f64, |largest, (e, _)| match largest.is_nan() || e.is_nan() {
            true => f64::NAN,
            false => largest.max(*e),
        });
    Errors { largest, rms: (squares / (rows * m).max(1) as f64).sqrt() }
}
