//! The emulated device under the name of the driver's library, `libcuda.so.1`: host programs in any
//! language that use CUDA's driver API run on it, with this library's folder on `LD_LIBRARY_PATH`.
//!
//! The functions are those of `cuda-driver`, which export themselves; [`newer`] adds what programs
//! of today call and cust does not. A module is CUDA C: text that the program loads as it stands,
//! or what our `libnvrtc.so` (crates/libnvrtc) makes of it. Compiled code, PTX among it, is
//! refused. Faults, findings and the reasons of failed calls go to standard error. A GPU of the
//! machine is never used.

mod newer;

use cuda_driver as _;

/// By this name `emulation::backend` knows that the library stands for no GPU.
#[unsafe(no_mangle)]
pub static lab_emulated_driver: u8 = 1;

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
