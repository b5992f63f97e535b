//! Exercise 3.1.9: algorithms that are written once, and a type that says where they run. The
//! kernels are in `kernels/algorithms.cu`.

use cust::prelude::*;
use lab3_libraries::algorithms::{Function, Operation, Range, System};
#[allow(unused_imports)] // until the algorithms are written
use lab3_libraries::algorithms::{Greatest, Identity, Negative, Plus, Shifted, Square};
use lab3_libraries::e3_1_03::{BLOCK, grid};
use lab3_libraries::function;
use labkit::{During, Lab, LabError, kernel_file};
#[allow(unused_imports)] // until the functions below are written
use rayon::prelude::*;

/// The cores of this computer; its vectors are `Vec`s.
#[derive(Clone, Copy, Debug)]
pub struct Cpu;

/// Element `i` of a range.
fn element(range: &Range<'_, Vec<f64>>, i: usize) -> f64 {
    // <lab
    let _ = (range, i);
    f64::NAN
    // lab>
}

/// Number of elements of a range.
fn count<S: System>(system: &S, range: &Range<'_, S::Vector>) -> usize {
    match range {
        Range::Of(vector) => system.len(vector),
        Range::Counting { n, .. } => *n,
    }
}

impl System for Cpu {
    type Vector = Vec<f64>;

    fn upload(&self, values: &[f64]) -> Result<Vec<f64>, LabError> {
        Ok(values.to_vec())
    }

    fn download(&self, vector: &Vec<f64>) -> Result<Vec<f64>, LabError> {
        Ok(vector.clone())
    }

    fn len(&self, vector: &Vec<f64>) -> usize {
        vector.len()
    }

    fn transform<F: Function>(
        &self,
        range: Range<'_, Vec<f64>>,
        p: f64,
    ) -> Result<Vec<f64>, LabError> {
        let n = count(self, &range);
        // <lab
        let _ = (n, p, element);
        Err(LabError::msg("transform on the CPU: map the elements, by all cores"))
        // lab>
    }

    fn transform_reduce<F: Function, O: Operation>(
        &self,
        range: Range<'_, Vec<f64>>,
        p: f64,
    ) -> Result<f64, LabError> {
        let n = count(self, &range);
        // <lab
        let _ = (n, p);
        Err(LabError::msg("transform_reduce on the CPU: map, then reduce"))
        // lab>
    }
}

/// The device; its vectors are buffers in its memory.
#[derive(Debug)]
pub struct Device<'l>(pub &'l Lab);

impl Device<'_> {
    /// The kernels for a function, an operation if there is one, and the kind of the range.
    fn kernels<F: Function>(
        &self,
        range: &Range<'_, DeviceBuffer<f64>>,
        combine: &[String],
    ) -> Result<Module, LabError> {
        let element = match range {
            Range::Of(_) => "-DELEMENT=in[i]",
            Range::Counting { .. } => "-DELEMENT=(first + i)",
        };
        let function = format!("-DFUNCTION={}", F::TEXT);
        let mut options = vec![element, &function];
        options.extend(combine.iter().map(String::as_str));
        self.0.module(kernel_file!("algorithms.cu"), &options)
    }

    /// The kernels' arguments `in` and `first`.
    fn arguments(range: &Range<'_, DeviceBuffer<f64>>) -> (DevicePointer<f64>, f64) {
        match range {
            Range::Of(vector) => (vector.as_device_ptr(), 0.0),
            Range::Counting { first, .. } => (DevicePointer::null(), *first),
        }
    }
}

impl System for Device<'_> {
    type Vector = DeviceBuffer<f64>;

    fn upload(&self, values: &[f64]) -> Result<DeviceBuffer<f64>, LabError> {
        Ok(DeviceBuffer::from_slice(values)?)
    }

    fn download(&self, vector: &DeviceBuffer<f64>) -> Result<Vec<f64>, LabError> {
        let mut values = vec![0.0; vector.len()];
        if !values.is_empty() {
            vector.copy_to(&mut values)?;
        }
        Ok(values)
    }

    fn len(&self, vector: &DeviceBuffer<f64>) -> usize {
        vector.len()
    }

    fn transform<F: Function>(
        &self,
        range: Range<'_, DeviceBuffer<f64>>,
        p: f64,
    ) -> Result<DeviceBuffer<f64>, LabError> {
        let n = count(self, &range);
        let module = self.kernels::<F>(&range, &[])?;
        let kernel = module.get_function("transform").during("get_function(transform)")?;
        let (elements, first) = Device::arguments(&range);
        // SAFETY: every pattern of bits is an `f64`; the kernel writes all of them.
        let out = unsafe { DeviceBuffer::<f64>::uninitialized(n)? };
        let stream = self.0.stream();
        // <lab
        let _ = (kernel, stream, elements, first, p, out, BLOCK, grid(n));
        Err(LabError::msg("transform on the device: launch the kernel and wait for it"))
        // lab>
    }

    fn transform_reduce<F: Function, O: Operation>(
        &self,
        range: Range<'_, DeviceBuffer<f64>>,
        p: f64,
    ) -> Result<f64, LabError> {
        let n = count(self, &range);
        let combine =
            [format!("-DCOMBINE={}", O::TEXT), format!("-DIDENTITY=({})", O::IDENTITY_TEXT)];
        let module = self.kernels::<F>(&range, &combine)?;
        let kernel =
            module.get_function("transform_reduce").during("get_function(transform_reduce)")?;
        let (elements, first) = Device::arguments(&range);
        let stream = self.0.stream();
        // <lab
        let _ = (kernel, stream, elements, first, p, n);
        Err(LabError::msg("transform_reduce on the device: launch, then combine the blocks"))
        // lab>
    }
}

function! {
    /// The height at x p of the curve whose integral from 0 to 1 is pi.
    pub Curve(x, p) =
        // <lab
        x
        // lab>
}

/// Pi, as the integral of 4 / (1 + t^2) from 0 to 1 by the midpoint rule with `n` intervals: 1/n
/// times the sum over t = (i + 1/2)/n. Nothing is in memory: the elements are counted.
///
/// # Errors
/// No intervals, or what the driver refuses.
pub fn pi<S: System>(system: &S, n: usize) -> Result<f64, LabError> {
    if n == 0 {
        return Err(LabError::refused("no intervals: n must be at least 1"));
    }
    let width = 1.0 / n as f64;
    // <lab
    let _ = (system, width);
    Err(LabError::msg("pi: a counting range, Curve, Plus"))
    // lab>
}

/// Mean and variance, the mean of `(x - mean)^2`, of a vector: in two passes, because the
/// difference of the mean of the squares and the square of the mean is rounding if the mean is
/// large.
///
/// # Errors
/// No elements, or what the driver refuses.
pub fn mean_and_variance<S: System>(
    system: &S,
    vector: &S::Vector,
) -> Result<(f64, f64), LabError> {
    let n = system.len(vector);
    if n == 0 {
        return Err(LabError::refused("the mean of no elements"));
    }
    // <lab
    Err(LabError::msg("mean_and_variance: Identity with Plus, then Square with Plus"))
    // lab>
}

/// Greatest less least element; `-INFINITY` of no elements.
///
/// # Errors
/// What the driver refuses.
pub fn extent<S: System>(system: &S, vector: &S::Vector) -> Result<f64, LabError> {
    // <lab
    let _ = (system, vector);
    Err(LabError::msg("extent: the least element is the greatest of the negative ones"))
    // lab>
}

/// The vector less its mean.
///
/// # Errors
/// No elements, or what the driver refuses.
pub fn centred<S: System>(system: &S, vector: &S::Vector) -> Result<S::Vector, LabError> {
    // <lab
    let _ = (system, vector);
    Err(LabError::msg("centred: the mean, then transform by Shifted"))
    // lab>
}
