//! The emulated OpenCL platform under the name of the loader's library, `libOpenCL.so.1`: host
//! programs in any language that use OpenCL run on it, with this library's folder on
//! `LD_LIBRARY_PATH`.
//!
//! The functions are those of `opencl-icd`, which export themselves; that crate finds no other
//! platform of the machine, because this library takes the place of their loader. Faults, findings
//! and the reasons of failed calls go to standard error.

use opencl_icd as _;

/// By this name `opencl-icd` knows that the library is no loader of other platforms.
#[unsafe(no_mangle)]
pub static lab_emulated_opencl: u8 = 1;

/// The system calls this when it loads the library.
#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
static START: extern "C" fn() = {
    extern "C" fn start() {
        emulation::telling::start();
    }
    start
};
