//! The device's side of [`VecAdd`](super::VecAdd): module, buffers, launch.

use cust::memory::DeviceCopy;
use cust::prelude::*;
use labkit::{Lab, LabError, kernel_file};

/// Threads of a block.
const BLOCK: u32 = 256;

/// Types that can be added on the device.
pub trait Elem: DeviceCopy + Default + PartialEq + Into<f64> {
    /// Name in CUDA C.
    const C_NAME: &'static str;
    /// The sum, as the CPU computes it; integers wrap.
    fn plus(self, other: Self) -> Self;
}

impl Elem for i32 {
    const C_NAME: &'static str = "int";
    fn plus(self, other: i32) -> i32 {
        self.wrapping_add(other)
    }
}

impl Elem for f32 {
    const C_NAME: &'static str = "float";
    fn plus(self, other: f32) -> f32 {
        self + other
    }
}

impl Elem for f64 {
    const C_NAME: &'static str = "double";
    fn plus(self, other: f64) -> f64 {
        self + other
    }
}

/// A loaded kernel and three buffers of equal capacity.
pub struct Adder<'lab, T: Elem> {
    lab: &'lab Lab,
    // <lab
    // What must live from call to call?
    module: Option<Module>,
    _elem: std::marker::PhantomData<T>,
    // lab>
}

impl<'lab, T: Elem> Adder<'lab, T> {
    /// Loads `kernels/vecadd/add.cu` with the macro ELEM set to `T`'s name.
    pub fn new(lab: &'lab Lab) -> Result<Self, LabError> {
        // <lab
        Ok(Adder { lab, module: None, _elem: std::marker::PhantomData })
        // lab>
    }

    /// Copies a and b to the device, adds, copies c back. The slices have equal lengths.
    pub fn add(&mut self, c: &mut [T], a: &[T], b: &[T]) -> Result<(), LabError> {
        let n = c.len();
        if n == 0 {
            return Ok(());
        }
        // <lab
        let _ = (a, b, BLOCK, self.lab, &self.module, kernel_file!("vecadd/add.cu"));
        Err(LabError::msg("Adder::add: allocate if too short, copy, launch, copy back"))
        // lab>
    }
}
