//! Fourier transforms under the names of cuFFT: one, two and three dimensions, batches, complex and
//! real, `f32` and `f64`.
//!
//! `Y[k] = sum over j of X[j] exp(sign 2 pi i j k / n)`, with sign -1 forward and +1 inverse.
//! **Nothing is scaled**: forward and then inverse multiplies by the number of elements. Arrays are
//! stored with the **last dimension fastest** (`nx, ny, nz`: z is fastest), unlike the matrices of
//! BLAS. A real array of n elements in its last dimension has a transform of `n / 2 + 1` complex
//! ones: the others are their conjugates.
//!
//! Complex elements are [`Complex`] or `[T; 2]`, real part first, which kernels see as `float2` or
//! `double2`.
//!
//! | transform | from | to | call |
//! |---|---|---|---|
//! | [`FftType::C2C`] | complex `f32` | complex `f32` | [`Plan::exec_c2c`] |
//! | [`FftType::R2C`] | `f32` | complex `f32` | [`Plan::exec_r2c`] |
//! | [`FftType::C2R`] | complex `f32` | `f32` | [`Plan::exec_c2r`] |
//! | [`FftType::Z2Z`] | complex `f64` | complex `f64` | [`Plan::exec_z2z`] |
//! | [`FftType::D2Z`] | `f64` | complex `f64` | [`Plan::exec_d2z`] |
//! | [`FftType::Z2D`] | complex `f64` | `f64` | [`Plan::exec_z2d`] |
//!
//! A complex-to-real transform of more than one dimension **uses its input up**: afterwards it
//! holds nothing that means anything (on the CPU: NaN, so that the use of it is seen).
//!
//! ```
//! # fn main() -> Result<(), labkit::LabError> {
//! # // SAFETY: one thread.
//! # unsafe { std::env::set_var("LAB_DEVICE", "emulated") };
//! use cudalibs::fft::{Direction, FftType, Plan};
//! use cust::memory::{CopyDestination, DeviceBuffer};
//! let _lab = labkit::Lab::new()?;
//! let mut plan = Plan::plan_1d(4, FftType::Z2Z, 1)?;
//! let mut x = DeviceBuffer::from_slice(&[[1.0f64, 0.0], [0.0; 2], [0.0; 2], [0.0; 2]])?;
//! plan.exec_z2z_in_place(&mut x, Direction::Forward)?;
//! let mut y = [[0.0; 2]; 4];
//! x.copy_to(&mut y)?;
//! assert_eq!(y, [[1.0, 0.0]; 4]);
//! # Ok(()) }
//! ```

mod cpu;
mod exec;
pub(crate) mod judge;
mod layout;
mod plan;
mod vendor;

use cust::memory::DeviceCopy;

use crate::error::{Status, Statuses};

pub use layout::BatchLayout;
pub use num_complex::Complex;
pub use plan::Plan;

/// The statuses of cuFFT that this crate returns by itself.
mod status {
    use crate::error::Status;

    pub const INVALID_TYPE: Status = Status { code: 3, name: "CUFFT_INVALID_TYPE" };
    pub const INVALID_VALUE: Status = Status { code: 4, name: "CUFFT_INVALID_VALUE" };
    pub const INTERNAL_ERROR: Status = Status { code: 5, name: "CUFFT_INTERNAL_ERROR" };
    pub const EXEC_FAILED: Status = Status { code: 6, name: "CUFFT_EXEC_FAILED" };
    pub const SETUP_FAILED: Status = Status { code: 7, name: "CUFFT_SETUP_FAILED" };
    pub const INVALID_SIZE: Status = Status { code: 8, name: "CUFFT_INVALID_SIZE" };
}

static STATUSES: Statuses = Statuses {
    table: &[
        Status { code: 0, name: "CUFFT_SUCCESS" },
        Status { code: 1, name: "CUFFT_INVALID_PLAN" },
        Status { code: 2, name: "CUFFT_ALLOC_FAILED" },
        status::INVALID_TYPE,
        status::INVALID_VALUE,
        status::INTERNAL_ERROR,
        status::EXEC_FAILED,
        status::SETUP_FAILED,
        status::INVALID_SIZE,
        Status { code: 9, name: "CUFFT_UNALIGNED_DATA" },
        Status { code: 11, name: "CUFFT_INVALID_DEVICE" },
        Status { code: 13, name: "CUFFT_NO_WORKSPACE" },
        Status { code: 14, name: "CUFFT_NOT_IMPLEMENTED" },
        Status { code: 16, name: "CUFFT_NOT_SUPPORTED" },
    ],
    not_initialized: status::SETUP_FAILED,
    execution_failed: status::EXEC_FAILED,
    unknown: status::INTERNAL_ERROR,
};

/// What a plan transforms (`cufftType`, with the same numbers).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FftType {
    /// Complex to complex, `f32`.
    C2C = 0x29,
    /// Real to complex, `f32`.
    R2C = 0x2a,
    /// Complex to real, `f32`.
    C2R = 0x2c,
    /// Complex to complex, `f64`.
    Z2Z = 0x69,
    /// Real to complex, `f64`.
    D2Z = 0x6a,
    /// Complex to real, `f64`.
    Z2D = 0x6c,
}

impl FftType {
    fn single(self) -> bool {
        matches!(self, FftType::C2C | FftType::R2C | FftType::C2R)
    }

    fn real_input(self) -> bool {
        matches!(self, FftType::R2C | FftType::D2Z)
    }

    fn real_output(self) -> bool {
        matches!(self, FftType::C2R | FftType::Z2D)
    }

    /// The vendor's name of the call that runs it.
    fn call(self) -> &'static str {
        match self {
            FftType::C2C => "cufftExecC2C",
            FftType::R2C => "cufftExecR2C",
            FftType::C2R => "cufftExecC2R",
            FftType::Z2Z => "cufftExecZ2Z",
            FftType::D2Z => "cufftExecD2Z",
            FftType::Z2D => "cufftExecZ2D",
        }
    }
}

/// Sign of the exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// -1: `CUFFT_FORWARD`.
    Forward = -1,
    /// +1: `CUFFT_INVERSE`.
    Inverse = 1,
}

mod sealed {
    pub trait Sealed {}
    impl<T> Sealed for num_complex::Complex<T> {}
    impl<T> Sealed for [T; 2] {}
}

/// A type of buffer elements that are complex numbers of `T`: [`Complex`] or `[T; 2]`.
pub trait ComplexOf<T>: DeviceCopy + sealed::Sealed {}

impl<T: DeviceCopy> ComplexOf<T> for Complex<T> {}
impl<T: DeviceCopy> ComplexOf<T> for [T; 2] {}

/// The shape with `n / 2 + 1` elements in the last dimension.
fn half(shape: &[usize]) -> Vec<usize> {
    let mut half = shape.to_vec();
    if let Some(last) = half.last_mut() {
        *last = *last / 2 + 1;
    }
    half
}
