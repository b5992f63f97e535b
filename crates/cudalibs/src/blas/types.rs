//! The arguments of the calls: numbers of either precision, scalars, and how a matrix enters.

use bytemuck::Pod;
use cust::memory::{DeviceCopy, DeviceSlice};

use crate::opaque::Number;

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
    pub(super) fn transposes(self) -> bool {
        self != Op::N
    }

    /// Rows and columns as stored, of a matrix that is `rows` x `columns` as it enters.
    pub(super) fn stored(self, rows: usize, columns: usize) -> (usize, usize) {
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
    pub(super) fn rows(self, n: usize, j: usize) -> std::ops::Range<usize> {
        match self {
            Fill::Lower => j..n,
            Fill::Upper => 0..j + 1,
        }
    }

    /// Row and column of all elements, column after column.
    pub(super) fn places(self, n: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..n).flat_map(move |j| self.rows(n, j).map(move |i| (i, j)))
    }

    pub(super) fn other(self) -> Fill {
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
    pub(super) fn order(self, m: usize, n: usize) -> usize {
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
    pub(super) fn on_device(&self) -> bool {
        matches!(self, Scalar::Device(_))
    }

    /// Where the vendor's library finds it.
    pub(super) fn pointer(&self) -> *const Number {
        match self {
            Scalar::Host(value) => std::ptr::from_ref(value).cast(),
            Scalar::Device(slice) => slice.as_device_ptr().as_raw() as *const Number,
        }
    }
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

    use super::super::vendor::{Cublas, Routines};
    use super::Kernel;

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
