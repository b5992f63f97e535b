//! Functions of a library of the machine.

use std::ffi::CStr;
use std::os::raw::c_void;
use std::sync::OnceLock;

use libloading::Library;

/// One symbol of a library, such as the driver, looked up at its first use: a function that a newer
/// driver has lost fails only when it is called.
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
