//! Unmodified cust on the emulated device, and what the environment variables do.

mod contexts;
mod environment;
mod kernels;
mod launches;
mod memory;
mod modules;
mod no_driver;
mod random;
mod streams;
mod trace;

use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use cust::context::Context;
use cust::module::Module;
use simt::fault::Fault;

/// A context on the emulated device, alone in this process: the driver's logs are of the whole
/// process.
struct Rig {
    _context: Context,
    _alone: MutexGuard<'static, ()>,
}

/// Nobody else is in the driver or reads the environment, which says that the device is emulated.
fn alone() -> MutexGuard<'static, ()> {
    static ENVIRONMENT: Once = Once::new();
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    ENVIRONMENT.call_once(|| {
        // SAFETY: every test begins here, and only one gets in: nobody reads the environment
        // meanwhile.
        unsafe {
            std::env::set_var("LAB_DEVICE", "emulated");
            std::env::set_var("LAB_GPU", "h200");
            std::env::set_var("LAB_DEVICE_MEMORY", "1G");
            // An endless kernel is to end soon.
            std::env::set_var("LAB_STEP_LIMIT", "4000000");
        }
    });
    alone
}

fn rig() -> Rig {
    let alone = alone();
    let context = cust::quick_init().expect("the emulated device is always there");
    emulation::calls::take();
    emulation::findings::take_reports();
    emulation::findings::take_faults();
    Rig { _context: context, _alone: alone }
}

/// Compiles and loads CUDA C.
fn module(source: &str) -> Module {
    Module::from_ptx(image(source), &[])
        .unwrap_or_else(|e| panic!("{e:?}: {}", cuda_driver::last_error_text().unwrap_or_default()))
}

fn image(source: &str) -> String {
    let header = cuda_driver::ImageHeader { file: "test.cu".into(), ..Default::default() };
    cuda_driver::image(&header, source)
}

/// Text of the last failed call.
fn why() -> String {
    cuda_driver::last_error_text().unwrap_or_default()
}

/// `(code, message)` of each finding so far.
fn findings() -> Vec<(&'static str, String)> {
    emulation::findings::take_faults()
        .into_iter()
        .map(|f: Fault| (f.kind.code(), f.message))
        .collect()
}

fn names() -> Vec<String> {
    emulation::calls::take().0.into_iter().map(|c| c.name).collect()
}
