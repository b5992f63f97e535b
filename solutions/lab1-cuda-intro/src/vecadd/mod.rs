//! Exercise 1.1.14: vector addition on the device as a small library.
//!
//! This file is all that a user sees. [`device`] talks to the GPU, [`check`] judges results; the
//! kernel is `kernels/vecadd/add.cu`, and `kernels/vecadd/add_common.cuh` is the interface between
//! kernels that add.
//!
//! ```no_run
//! # fn main() -> Result<(), labkit::LabError> {
//! use lab1_cuda_intro::vecadd::{VecAdd, max_abs_err};
//!
//! let lab = labkit::Lab::new()?;
//! let mut adder = VecAdd::<f32>::new(&lab)?; // loads the kernel, once
//! let (a, b) = (vec![1.5; 1000], vec![2.25; 1000]);
//! let mut c = vec![0.0; 1000];
//! adder.add(&mut c, &a, &b)?; // allocates
//! adder.add(&mut c, &a, &b)?; // does not
//! assert_eq!(max_abs_err(&c, &a, &b), 0.0);
//! # Ok(())
//! # }
//! ```

mod check;
mod device;

use labkit::{Lab, LabError};

pub use check::max_abs_err;
pub use device::Elem;

/// Adds vectors on the device; keeps the loaded kernel and the device's buffers from call to call.
pub struct VecAdd<'lab, T: Elem> {
    inner: device::Adder<'lab, T>,
}

impl<'lab, T: Elem> VecAdd<'lab, T> {
    /// Loads the kernel for elements of type `T`. Allocates nothing.
    ///
    /// # Errors
    /// The kernel does not compile, or the driver refuses it.
    pub fn new(lab: &'lab Lab) -> Result<Self, LabError> {
        Ok(VecAdd { inner: device::Adder::new(lab)? })
    }

    /// `c[i] = a[i] + b[i]` for every i.
    ///
    /// Device buffers grow when a call needs more than all calls before; they never shrink.
    ///
    /// # Errors
    /// `LabError::Length` if the slices have different lengths; whatever the driver refuses.
    pub fn add(&mut self, c: &mut [T], a: &[T], b: &[T]) -> Result<(), LabError> {
        // <lab
        //~ // Refuse vectors of different lengths: LabError::Length { what, expected, found }.
        for (what, found) in [("a", a.len()), ("b", b.len())] {
            if found != c.len() {
                return Err(LabError::Length { what: what.into(), expected: c.len(), found });
            }
        }
        // lab>
        self.inner.add(c, a, b)
    }
}
