//! Which driver serves the calls of the CUDA driver API: chosen once, at the first call, from the
//! environment and what is installed.

use std::ffi::CStr;
use std::os::raw::{c_int, c_void};
use std::sync::OnceLock;

use libloading::Library;
use wire::channel::{self, Client};

use crate::settings::{Wish, wish};
use crate::trace;

/// Who serves the driver API in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The driver of an NVIDIA GPU.
    Cuda,
    /// The emulated device of `simt`.
    Emulated,
}

impl Backend {
    /// `cuda` or `emulated`.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Cuda => "cuda",
            Backend::Emulated => "emulated",
        }
    }
}

/// Which back end this process uses. Chosen at the first call and then fixed: `LAB_DEVICE=cuda` or
/// `emulated` forces it; else a driver that loads and has a device wins.
pub fn backend() -> Backend {
    match chosen() {
        Chosen::Real(_) | Chosen::Absent => Backend::Cuda,
        Chosen::Emulated | Chosen::Judge(_) | Chosen::Misnamed(_) => Backend::Emulated,
    }
}

/// The choice with what it needs.
pub enum Chosen {
    /// A driver with at least one device.
    Real(Library),
    /// `LAB_DEVICE=cuda`, and there is none.
    Absent,
    /// The emulator.
    Emulated,
    /// The emulator in a process of the judge.
    Judge(&'static Client),
    /// `LAB_DEVICE` has another value; the sentence that says so.
    Misnamed(String),
}

/// One line for [`Chosen::Absent`].
pub const ABSENT: &str = "no CUDA driver found (unset LAB_DEVICE to use the emulator)";

/// The choice, made at the first call.
pub fn chosen() -> &'static Chosen {
    static CHOSEN: OnceLock<Chosen> = OnceLock::new();
    CHOSEN.get_or_init(|| {
        if let Some(client) = channel::client() {
            return Chosen::Judge(client);
        }
        let chosen = match wish() {
            Ok(Wish::Emulated) => Chosen::Emulated,
            Ok(Wish::Auto) => usable_driver().map_or(Chosen::Emulated, Chosen::Real),
            Ok(Wish::Cuda) => usable_driver().map_or(Chosen::Absent, Chosen::Real),
            Err(line) => Chosen::Misnamed(line),
        };
        if matches!(chosen, Chosen::Real(_) | Chosen::Absent) {
            trace::set_backend(Backend::Cuda.name());
        }
        chosen
    })
}

#[cfg(windows)]
const LIBRARY: &str = "nvcuda.dll";
#[cfg(not(windows))]
const LIBRARY: &str = "libcuda.so.1";

/// A symbol that only our own library of the driver's name has (crates/libcuda): it stands for no
/// GPU, whoever loads it.
const EMULATED: &CStr = c"lab_emulated_driver";

/// Loads the driver, if it is there, initialises, and has a device.
fn usable_driver() -> Option<Library> {
    // SAFETY: loading runs the library's initialisers; under this name it is the vendor's driver,
    // which expects that.
    let library = unsafe { Library::new(LIBRARY) }.ok()?;
    // SAFETY: only whether the address exists is asked.
    if unsafe { library.get::<*const c_void>(EMULATED) }.is_ok() {
        return None;
    }
    type Init = unsafe extern "C" fn(u32) -> u32;
    type Count = unsafe extern "C" fn(*mut c_int) -> u32;
    // SAFETY: these are the signatures of the two functions in every version of the driver API.
    let (init, count) = unsafe {
        (library.get::<Init>(c"cuInit").ok()?, library.get::<Count>(c"cuDeviceGetCount").ok()?)
    };
    let mut devices = 0;
    // SAFETY: cuInit takes flags that must be 0; cuDeviceGetCount writes one int.
    let usable = unsafe { init(0) == 0 && count(&mut devices) == 0 };
    (usable && devices > 0).then_some(library)
}
