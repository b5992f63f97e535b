//! The libraries on the emulated device: results against plain references in `f64`, errors,
//! findings, the log of calls.

mod blas;
mod blas_errors;
mod fft;
mod generators;
mod judge;
mod vectors;

use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use cust::memory::{DeviceBuffer, DeviceCopy};
use labkit::Lab;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use simt::fault::Fault;

/// The emulated device, alone in this process: the driver's logs are of the whole process.
struct Rig {
    lab: Lab,
    _alone: MutexGuard<'static, ()>,
}

fn rig() -> Rig {
    static ENVIRONMENT: Once = Once::new();
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    ENVIRONMENT.call_once(|| {
        // SAFETY: every test begins here, and only one gets in: nobody reads the environment
        // meanwhile.
        unsafe {
            std::env::set_var("LAB_DEVICE", "emulated");
            std::env::set_var("LAB_GPU", "h200");
            std::env::remove_var("LAB_LIBRARIES");
        }
    });
    let lab = Lab::new().expect("the emulated device is always there");
    lab.take_api_log();
    lab.take_faults();
    Rig { lab, _alone: alone }
}

impl Rig {
    /// Findings since the last time, as text.
    fn findings(&self) -> Vec<String> {
        self.lab.take_faults().iter().map(Fault::to_string).collect()
    }

    /// Names of the logged calls since the last time, with the status of those that failed.
    fn calls(&self) -> Vec<String> {
        let text = |call: &labkit::ApiCall| match call.ok() {
            true => call.name.clone(),
            false => format!("{} {}", call.name, call.result_name),
        };
        self.lab.take_api_log().iter().map(text).collect()
    }
}

fn random(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Values in -1..1.
fn values(rng: &mut ChaCha8Rng, n: usize) -> Vec<f64> {
    (0..n).map(|_| rng.random_range(-1.0..1.0)).collect()
}

fn on_device<T: DeviceCopy>(values: &[T]) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(values).expect("memory")
}

fn unwritten<T: DeviceCopy>(n: usize) -> DeviceBuffer<T> {
    // SAFETY: tests of what reads and does not read it.
    unsafe { DeviceBuffer::uninitialized(n) }.expect("memory")
}
