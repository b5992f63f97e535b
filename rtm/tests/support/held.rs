//! The device of this machine on which the tests in OpenCL run, for `rtm` and `rtm-studies`.

use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rtm::opencl::device::Device;

/// A device, held by one test at a time: PoCL 3.1 does not survive two compilations at once.
pub struct Held {
    device: Device,
    _alone: MutexGuard<'static, ()>,
}

impl Deref for Held {
    type Target = Device;
    fn deref(&self) -> &Device {
        &self.device
    }
}

/// The device, or none: then the test has nothing to run on, which CI does not forgive.
pub fn device() -> Option<Held> {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let word = std::env::var("RTM_OPENCL").unwrap_or_else(|_| "pocl".into());
    match Device::select(&word) {
        Ok(device) => Some(Held { device, _alone: alone }),
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            eprintln!("skipped: {error}");
            None
        }
    }
}
