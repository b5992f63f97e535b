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
pub(crate) mod judge;
mod level1;
mod level2;
mod level3;
mod operand;
mod status;
mod transfer;
mod types;
mod vendor;

use std::marker::PhantomData;

use cuda_driver::library::{Run, Work};
use cust::stream::Stream;

use crate::device::{RawStream, Session};
use crate::error::{Error, Result};
use crate::opaque::Handle;
use crate::provider::{Chosen, Provider};
use operand::{Call, Operands};
use status::STATUSES;
use vendor::{CUBLAS, Cublas, Routines};

pub use transfer::{get_matrix, get_vector, set_matrix, set_vector};
pub use types::{Diag, Fill, MathMode, Op, Real, Scalar, Side};

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
        self.set_raw_stream(stream.as_inner().cast())
    }

    fn set_raw_stream(&mut self, raw: RawStream) -> Result<()> {
        const CALL: &str = "cublasSetStream";
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
