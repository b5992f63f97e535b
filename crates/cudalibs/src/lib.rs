//! BLAS, RAND and FFT under the names and with the semantics of cuBLAS, cuRAND and cuFFT, on
//! buffers of cust.
//!
//! On a GPU a call is forwarded to the vendor's library, which is loaded when it is first used; on
//! the emulated device the same call is computed on the CPU. The program is the same, and so are
//! the errors: the vendor's status and a sentence that says what to fix. All calls appear in the
//! log of driver calls (`Lab::take_api_log`) under the vendor's names.
//!
//! | module | stands for | handle |
//! |---|---|---|
//! | [`blas`] | cuBLAS: vectors, matrices by columns | [`blas::Blas`] |
//! | [`rand`] | cuRAND's host API: pseudo- and quasi-random numbers | [`rand::Generator`], [`rand::HostGenerator`] |
//! | [`fft`] | cuFFT: 1-D, 2-D, 3-D, batches, complex and real | [`fft::Plan`] |
//!
//! Sizes are checked against the lengths of the slices before anything is called, so that a wrong
//! leading dimension is an error and not a crash. A handle works in the default stream until
//! `set_stream`; as with kernels, the result of a call may be used by later work of the same
//! stream, and by other streams after an event. Calls that return a number to the host wait for it.
//!
//! ```
//! # fn main() -> Result<(), labkit::LabError> {
//! # // SAFETY: one thread.
//! # unsafe { std::env::set_var("LAB_DEVICE", "emulated") };
//! use cudalibs::blas::{Blas, Op};
//! use cust::memory::DeviceBuffer;
//! let lab = labkit::Lab::new()?;
//! let mut blas = Blas::new()?;
//! blas.set_stream(lab.stream())?;
//! // 2 x 3, by columns: the first column is (1, 2).
//! let a = DeviceBuffer::from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
//! let x = DeviceBuffer::from_slice(&[1.0f32, 1.0])?;
//! let mut y = DeviceBuffer::from_slice(&[0.0f32; 3])?;
//! blas.sgemv(Op::T, 2, 3, 1.0, &a, 2, &x, 1, 0.0, &mut y, 1)?;
//! assert_eq!(blas.isamax(3, &y, 1)?, 3); // counted from 1
//! # Ok(()) }
//! ```

pub mod blas;
mod device;
mod error;
pub mod fft;
pub mod judge;
mod opaque;
mod parcel;
mod provider;
pub mod rand;
mod remote;
mod vendor;

pub use error::{Error, Result, Status};
pub use provider::Provider;
