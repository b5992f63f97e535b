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
    //~ // What must live from call to call?
    //~ module: Option<Module>,
    //~ _elem: std::marker::PhantomData<T>,
    module: Module,
    /// c, a, b; empty before the first call.
    buffers: Option<[DeviceBuffer<T>; 3]>,
    // lab>
}

impl<'lab, T: Elem> Adder<'lab, T> {
    /// Loads `kernels/vecadd/add.cu` with the macro ELEM set to `T`'s name.
    pub fn new(lab: &'lab Lab) -> Result<Self, LabError> {
        // <lab
        //~ Ok(Adder { lab, module: None, _elem: std::marker::PhantomData })
        let module =
            lab.module(kernel_file!("vecadd/add.cu"), &[&format!("-DELEM={}", T::C_NAME)])?;
        Ok(Adder { lab, module, buffers: None })
        // lab>
    }

    /// Copies a and b to the device, adds, copies c back. The slices have equal lengths.
    pub fn add(&mut self, c: &mut [T], a: &[T], b: &[T]) -> Result<(), LabError> {
        let n = c.len();
        if n == 0 {
            return Ok(());
        }
        // <lab
        //~ let _ = (a, b, BLOCK, self.lab, &self.module, kernel_file!("vecadd/add.cu"));
        //~ Err(LabError::msg("Adder::add: allocate if too short, copy, launch, copy back"))
        let buffers = match self.buffers.take() {
            Some(buffers) if buffers[0].len() >= n => buffers,
            too_small => {
                // Freed before larger ones are asked for.
                drop(too_small);
                // SAFETY: every element is written before it is read: a and b by the copies, c by
                // the kernel.
                let new = || unsafe { DeviceBuffer::uninitialized(n) };
                [new()?, new()?, new()?]
            }
        };
        // The buffers may be longer than this call's vectors: work on their first n elements.
        let [d_c, mut d_a, mut d_b] = buffers.each_ref().map(|buffer| buffer.index(..n));
        self.buffers = Some(buffers);
        d_a.copy_from(a)?;
        d_b.copy_from(b)?;

        let kernel = self.module.get_function("add_kernel")?;
        let stream = self.lab.stream();
        let blocks = (n as u32).div_ceil(BLOCK);
        // SAFETY: the arguments match the kernel's parameters; it works on elements 0..n of each
        // buffer.
        unsafe {
            launch!(kernel<<<blocks, BLOCK, 0, stream>>>(
                d_c.as_device_ptr(),
                d_a.as_device_ptr(),
                d_b.as_device_ptr(),
                n as i32
            ))?;
        }
        d_c.copy_to(c)?;
        Ok(())
        // lab>
    }
}
