//! Basic linear algebra under the names of cuBLAS: vectors (level 1), matrix times vector (level
//! 2), matrix times matrix (level 3), for `f32` (`s...`) and `f64` (`d...`).
//!
//! **Matrices are stored by columns**: element (i, j), counted from 0, of a matrix with leading
//! dimension `ld` is at `i + j * ld`; `ld` is at least the number of rows. **Indices that are
//! returned count from 1.** Vectors have an increment: element i is at `i * inc`, or from the far
//! end if `inc` is negative. Where `beta` is 0, the old content of the output is not read: it may
//! be NaN or never written.
//!
//! Errors of all calls: `CUBLAS_STATUS_INVALID_VALUE` for a leading dimension, increment or slice
//! that does not fit, `CUBLAS_STATUS_NOT_INITIALIZED` without a context or library,
//! `CUBLAS_STATUS_EXECUTION_FAILED` after a kernel's fault.

mod cpu;
mod level1;
mod level2;
mod level3;
mod operand;
mod transfer;
mod vendor;

use std::marker::PhantomData;
use std::os::raw::c_void;

use bytemuck::Pod;
use cuda_driver::library::{Run, Work};
use cust::memory::{DeviceCopy, DeviceSlice};
use cust::stream::Stream;

use crate::device::{RawStream, Session};
use crate::error::{Error, Result, Status, Statuses};
use crate::provider::{Chosen, Provider};
use crate::vendor::Handle;
use operand::{Call, Operands};
use vendor::{CUBLAS, Cublas, Routines};

pub use transfer::{get_matrix, get_vector, set_matrix, set_vector};

/// The statuses of cuBLAS that this crate returns by itself.
mod status {
    use crate::error::Status;

    pub const NOT_INITIALIZED: Status = Status { code: 1, name: "CUBLAS_STATUS_NOT_INITIALIZED" };
    pub const INVALID_VALUE: Status = Status { code: 7, name: "CUBLAS_STATUS_INVALID_VALUE" };
    pub const EXECUTION_FAILED: Status =
        Status { code: 13, name: "CUBLAS_STATUS_EXECUTION_FAILED" };
    pub const INTERNAL_ERROR: Status = Status { code: 14, name: "CUBLAS_STATUS_INTERNAL_ERROR" };
}

static STATUSES: Statuses = Statuses {
    table: &[
        Status { code: 0, name: "CUBLAS_STATUS_SUCCESS" },
        status::NOT_INITIALIZED,
        Status { code: 3, name: "CUBLAS_STATUS_ALLOC_FAILED" },
        status::INVALID_VALUE,
        Status { code: 8, name: "CUBLAS_STATUS_ARCH_MISMATCH" },
        Status { code: 11, name: "CUBLAS_STATUS_MAPPING_ERROR" },
        status::EXECUTION_FAILED,
        status::INTERNAL_ERROR,
        Status { code: 15, name: "CUBLAS_STATUS_NOT_SUPPORTED" },
        Status { code: 16, name: "CUBLAS_STATUS_LICENSE_ERROR" },
    ],
    not_initialized: status::NOT_INITIALIZED,
    execution_failed: status::EXECUTION_FAILED,
    unknown: status::INTERNAL_ERROR,
};

/// How a matrix enters a product (`cublasOperation_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// As it is: `CUBLAS_OP_N`.
    N = 0,
    /// Transposed: `CUBLAS_OP_T`.
    T = 1,
    /// Transposed and conjugated, for real matrices the same as transposed: `CUBLAS_OP_C`.
    C = 2,
}

impl Op {
    fn transposes(self) -> bool {
        self != Op::N
    }

    /// Rows and columns as stored, of a matrix that is `rows` x `columns` as it enters.
    fn stored(self, rows: usize, columns: usize) -> (usize, usize) {
        if self.transposes() { (columns, rows) } else { (rows, columns) }
    }
}

/// Which triangle of a symmetric or triangular matrix is used (`cublasFillMode_t`); the other one
/// is not touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// On and below the diagonal: `CUBLAS_FILL_MODE_LOWER`.
    Lower = 0,
    /// On and above the diagonal: `CUBLAS_FILL_MODE_UPPER`.
    Upper = 1,
}

impl Fill {
    /// Rows of column `j` of an `n` x `n` matrix.
    fn rows(self, n: usize, j: usize) -> std::ops::Range<usize> {
        match self {
            Fill::Lower => j..n,
            Fill::Upper => 0..j + 1,
        }
    }

    /// Row and column of all elements, column after column.
    fn places(self, n: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..n).flat_map(move |j| self.rows(n, j).map(move |i| (i, j)))
    }

    fn other(self) -> Fill {
        match self {
            Fill::Lower => Fill::Upper,
            Fill::Upper => Fill::Lower,
        }
    }
}

/// On which side a symmetric or triangular matrix stands (`cublasSideMode_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// `A B`: `CUBLAS_SIDE_LEFT`.
    Left = 0,
    /// `B A`: `CUBLAS_SIDE_RIGHT`.
    Right = 1,
}

impl Side {
    /// Rows of the square matrix on this side of an `m` x `n` matrix.
    fn order(self, m: usize, n: usize) -> usize {
        if self == Side::Left { m } else { n }
    }
}

/// Whether the diagonal of a triangular matrix is stored (`cublasDiagType_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diag {
    /// It is: `CUBLAS_DIAG_NON_UNIT`.
    NonUnit = 0,
    /// It is all ones, and what is stored there is not read: `CUBLAS_DIAG_UNIT`.
    Unit = 1,
}

/// How precisely products of `f32` are taken on a GPU (`cublasMath_t`); the CPU is always precise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MathMode {
    /// In `f32`: `CUBLAS_DEFAULT_MATH`.
    Default = 0,
    /// In `f32`, with the same steps on each device: `CUBLAS_PEDANTIC_MATH`.
    Pedantic = 2,
    /// Factors may be rounded to 10 bits for the tensor cores: `CUBLAS_TF32_TENSOR_OP_MATH`.
    Tf32 = 3,
}

/// A scalar argument, `alpha` or `beta`: a number, or one element in device memory, which is read
/// when the call runs. So a result of an earlier call can be used without waiting for it on the
/// host.
#[derive(Clone, Copy, Debug)]
pub enum Scalar<'a, T: DeviceCopy> {
    /// A number of the host.
    Host(T),
    /// The first element of a slice in device memory.
    Device(&'a DeviceSlice<T>),
}

impl<T: Real> From<T> for Scalar<'_, T> {
    fn from(value: T) -> Self {
        Scalar::Host(value)
    }
}

impl<'a, T: Real> From<&'a DeviceSlice<T>> for Scalar<'a, T> {
    fn from(slice: &'a DeviceSlice<T>) -> Self {
        Scalar::Device(slice)
    }
}

impl<T: Real> Scalar<'_, T> {
    fn on_device(&self) -> bool {
        matches!(self, Scalar::Device(_))
    }

    /// Where the vendor's library finds it.
    fn pointer(&self) -> *const c_void {
        match self {
            Scalar::Host(value) => std::ptr::from_ref(value).cast(),
            Scalar::Device(slice) => slice.as_device_ptr().as_raw() as *const c_void,
        }
    }
}

/// Where a scalar result goes.
enum Target<'a, T: DeviceCopy> {
    Host,
    Device(&'a mut DeviceSlice<T>),
}

/// `c = alpha a b + beta c` of the crate matrixmultiply: the sizes m, k and n, and each matrix with
/// its strides from row to row and from column to column.
type Kernel<T> = unsafe fn(
    usize,
    usize,
    usize,
    T,
    *const T,
    isize,
    isize,
    *const T,
    isize,
    isize,
    T,
    *mut T,
    isize,
    isize,
);

mod sealed {
    use std::ops::{Add, Mul, Sub};

    use super::Kernel;
    use super::vendor::{Cublas, Routines};

    /// What computes in a precision.
    pub trait Precision:
        Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
    {
        const GEMM: Kernel<Self>;
        /// The vendor's routines.
        fn routines(library: &Cublas) -> &Routines;
    }

    impl Precision for f32 {
        const GEMM: Kernel<f32> = matrixmultiply::sgemm;
        fn routines(library: &Cublas) -> &Routines {
            &library.single
        }
    }

    impl Precision for f64 {
        const GEMM: Kernel<f64> = matrixmultiply::dgemm;
        fn routines(library: &Cublas) -> &Routines {
            &library.double
        }
    }
}

/// `f32` or `f64`.
pub trait Real: Pod + DeviceCopy + PartialEq + Send + Sync + sealed::Precision {
    /// 0.
    const ZERO: Self;
    /// The value in double precision.
    fn f64(self) -> f64;
    /// The nearest value.
    fn from_f64(value: f64) -> Self;
}

impl Real for f32 {
    const ZERO: f32 = 0.0;

    fn f64(self) -> f64 {
        self.into()
    }

    fn from_f64(value: f64) -> f32 {
        value as f32
    }
}

impl Real for f64 {
    const ZERO: f64 = 0.0;

    fn f64(self) -> f64 {
        self
    }

    fn from_f64(value: f64) -> f64 {
        value
    }
}

/// A handle of the library (`cublasHandle_t`): made with [`Blas::new`] (`cublasCreate`), destroyed
/// when it is dropped (`cublasDestroy`). It works in the default stream until [`Blas::set_stream`].
#[derive(Debug)]
pub struct Blas<'s> {
    engine: Engine,
    stream: RawStream,
    _stream: PhantomData<&'s Stream>,
}

#[derive(Debug)]
enum Engine {
    Cpu,
    Vendor(Handle),
}

// SAFETY: a handle may be used from any thread that has its context current; `&mut` and ownership
// keep threads apart.
unsafe impl Send for Blas<'_> {}

/// Where a call is computed.
enum Computed {
    /// By the vendor's routines, with this handle.
    Vendor(&'static Routines, Handle),
    /// On the CPU, with operands from device memory.
    Cpu(Operands),
}

/// The vendor's table: it was loaded when the handle was made.
fn cublas(call: &'static str) -> Result<&'static Cublas> {
    CUBLAS.as_ref().map_err(|what| Error::new(call, status::NOT_INITIALIZED, what))
}

impl<'s> Blas<'s> {
    /// A new handle (`cublasCreate`).
    ///
    /// # Errors
    /// `CUBLAS_STATUS_NOT_INITIALIZED` without a context, or if the vendor's library is needed and
    /// not installed.
    pub fn new() -> Result<Blas<'s>> {
        Blas::with(Provider::Auto)
    }

    /// A new handle that works where `provider` says.
    ///
    /// # Errors
    /// As [`Blas::new`].
    pub fn with(provider: Provider) -> Result<Blas<'s>> {
        const CALL: &str = "cublasCreate";
        let engine = STATUSES.logged(CALL, std::ptr::null_mut(), |_| {
            let refused = |what| Error::new(CALL, status::NOT_INITIALIZED, what);
            match provider.choose().map_err(refused)? {
                Chosen::Cpu => {
                    // Fails without a context, as the vendor's library does.
                    Session::begin(CALL, std::ptr::null_mut())
                        .map_err(|error| STATUSES.driver(CALL, error))?;
                    Ok(Engine::Cpu)
                }
                Chosen::Vendor => {
                    let mut handle: Handle = std::ptr::null_mut();
                    // SAFETY: the out-pointer is valid.
                    STATUSES.check(CALL, unsafe { (cublas(CALL)?.general.create)(&mut handle) })?;
                    Ok(Engine::Vendor(handle))
                }
            }
        })?;
        Ok(Blas { engine, stream: std::ptr::null_mut(), _stream: PhantomData })
    }

    /// Later calls work in `stream` (`cublasSetStream`).
    ///
    /// # Errors
    /// What the library refuses.
    pub fn set_stream(&mut self, stream: &'s Stream) -> Result<()> {
        const CALL: &str = "cublasSetStream";
        let raw: RawStream = stream.as_inner().cast();
        STATUSES.logged(CALL, raw, |_| match self.engine {
            Engine::Cpu => Ok(()),
            Engine::Vendor(handle) => {
                // SAFETY: handle and stream are live.
                STATUSES.check(CALL, unsafe { (cublas(CALL)?.general.set_stream)(handle, raw) })
            }
        })?;
        self.stream = raw;
        Ok(())
    }

    /// How precisely `f32` products are taken from now on (`cublasSetMathMode`).
    ///
    /// # Errors
    /// What the library refuses.
    pub fn set_math_mode(&mut self, mode: MathMode) -> Result<()> {
        const CALL: &str = "cublasSetMathMode";
        STATUSES.logged(CALL, self.stream, |_| match self.engine {
            Engine::Cpu => Ok(()),
            Engine::Vendor(handle) => {
                // SAFETY: the handle is live.
                STATUSES.check(CALL, unsafe {
                    (cublas(CALL)?.general.set_math_mode)(handle, mode as i32)
                })
            }
        })
    }

    /// Runs a call and adds it to the log. `f` stores in its argument which bytes the call writes,
    /// once its operands are checked.
    fn logged<R>(&self, call: Call, f: impl FnOnce(&mut Option<Run>) -> Result<R>) -> Result<R> {
        STATUSES.logged(call.0, self.stream, f)
    }

    /// Begins to compute a call whose operands are checked. `on_device`: its scalars, or its scalar
    /// result, are in device memory.
    fn begin<T: Real>(&self, call: Call, on_device: bool) -> Result<Computed> {
        match self.engine {
            Engine::Cpu => Ok(Computed::Cpu(Operands::begin(call, self.stream)?)),
            Engine::Vendor(handle) => {
                let library = cublas(call.0)?;
                // SAFETY: the handle is live. 0 is host, 1 is device.
                call.check(unsafe {
                    (library.general.set_pointer_mode)(handle, i32::from(on_device))
                })?;
                Ok(Computed::Vendor(T::routines(library), handle))
            }
        }
    }
}

/// Work of a call of `flop` operations that reads and writes `elements` elements.
fn work<T: Real>(flop: f64, elements: usize) -> Work {
    let bytes = (elements * size_of::<T>()) as u64;
    match size_of::<T>() {
        4 => Work { flop_f32: flop, bytes, ..Work::default() },
        _ => Work { flop_f64: flop, bytes, ..Work::default() },
    }
}

impl Drop for Blas<'_> {
    fn drop(&mut self) {
        const CALL: &str = "cublasDestroy";
        // Nobody is left to be told of an error.
        let _ = STATUSES.logged(CALL, self.stream, |_| match self.engine {
            Engine::Cpu => Ok(()),
            Engine::Vendor(handle) => {
                // SAFETY: the handle is live, and is not used again.
                STATUSES.check(CALL, unsafe { (cublas(CALL)?.general.destroy)(handle) })
            }
        });
    }
}
