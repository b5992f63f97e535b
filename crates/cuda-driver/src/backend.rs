//! Which driver serves the calls: chosen once, at the first call, from the environment and what is installed.

use std::ffi::CStr;
use std::os::raw::{c_int, c_void};
use std::sync::OnceLock;

use libloading::Library;

use crate::code;
use crate::emulation::{self, Wish};

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

/// Which back end this process uses. Chosen at the first call and then fixed: `LAB_DEVICE=cuda` or `emulated` forces it;
/// else a driver that loads and has a device wins.
pub fn backend() -> Backend {
    match chosen() {
        Chosen::Real(_) | Chosen::Absent => Backend::Cuda,
        Chosen::Emulated | Chosen::Misnamed(_) => Backend::Emulated,
    }
}

/// The choice with what it needs.
pub(crate) enum Chosen {
    /// A driver with at least one device.
    Real(Library),
    /// `LAB_DEVICE=cuda`, and there is none.
    Absent,
    /// The emulator.
    Emulated,
    /// `LAB_DEVICE` has another value; the sentence that says so.
    Misnamed(String),
}

/// One line for [`Chosen::Absent`].
pub(crate) const ABSENT: &str = "no CUDA driver found (unset LAB_DEVICE to use the emulator)";

pub(crate) fn chosen() -> &'static Chosen {
    static CHOSEN: OnceLock<Chosen> = OnceLock::new();
    CHOSEN.get_or_init(|| match emulation::wish() {
        Ok(Wish::Emulated) => Chosen::Emulated,
        Ok(Wish::Auto) => usable_driver().map_or(Chosen::Emulated, Chosen::Real),
        Ok(Wish::Cuda) => usable_driver().map_or(Chosen::Absent, Chosen::Real),
        Err(line) => Chosen::Misnamed(line),
    })
}

#[cfg(windows)]
const LIBRARY: &str = "nvcuda.dll";
#[cfg(not(windows))]
const LIBRARY: &str = "libcuda.so.1";

/// Loads the driver, if it is there, initialises, and has a device.
fn usable_driver() -> Option<Library> {
    // SAFETY: loading runs the library's initialisers; under this name it is the vendor's driver, which expects that.
    let library = unsafe { Library::new(LIBRARY) }.ok()?;
    type Init = unsafe extern "C" fn(u32) -> u32;
    type Count = unsafe extern "C" fn(*mut c_int) -> u32;
    // SAFETY: these are the signatures of the two functions in every version of the driver API.
    let (init, count) = unsafe {
        (library.get::<Init>(c"cuInit").ok()?, library.get::<Count>(c"cuDeviceGetCount").ok()?)
    };
    let mut devices = 0;
    // SAFETY: cuInit takes flags that must be 0; cuDeviceGetCount writes one int.
    let usable = unsafe { init(0) == code::SUCCESS && count(&mut devices) == code::SUCCESS };
    (usable && devices > 0).then_some(library)
}

/// One symbol of a library of the machine, such as the driver, looked up at its first use: a function that a newer driver has lost fails only when
/// it is called.
pub struct Symbol {
    name: &'static CStr,
    address: OnceLock<Option<usize>>,
}

impl Symbol {
    /// The symbol of that name, which ends in NUL.
    pub const fn new(name_with_nul: &'static str) -> Symbol {
        match CStr::from_bytes_with_nul(name_with_nul.as_bytes()) {
            Ok(name) => Symbol { name, address: OnceLock::new() },
            Err(_) => panic!("symbol name without closing NUL"),
        }
    }

    /// Address in `library`; `None` if the library lacks it.
    pub fn address(&self, library: &Library) -> Option<*const c_void> {
        let found = self.address.get_or_init(|| {
            // SAFETY: only the address is taken here, as a pointer to nothing in particular.
            unsafe { library.get::<*const c_void>(self.name) }
                .ok()
                .map(|s| *s as usize)
                .filter(|a| *a != 0)
        });
        found.map(|a| a as *const c_void)
    }
}
