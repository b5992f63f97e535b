//! Loading the vendor's libraries at run time: a table of functions each, filled at the first use.

use std::os::raw::c_void;

use libloading::Library;

/// A handle of a library, and other opaque pointers.
pub(crate) type Handle = *mut c_void;

/// Declares a table of a library's functions and how to load it.
///
/// Pointers into device memory are `u64`, pointers to scalars of either precision `*const c_void`: so one type serves the
/// functions of both precisions.
macro_rules! vendor_library {
    ($(#[$doc:meta])* $Table:ident, $short:literal, $names:expr; $($field:ident: $symbol:literal ($($arg:ty),* $(,)?);)*) => {
        $(#[$doc])*
        pub(crate) struct $Table {
            $(pub $field: unsafe extern "C" fn($($arg),*) -> u32,)*
        }

        impl $Table {
            /// The library, loaded at the first call.
            ///
            /// # Errors
            /// A sentence: the library is not there, or lacks a function.
            pub fn get() -> Result<&'static $Table, String> {
                static TABLE: std::sync::OnceLock<Result<$Table, String>> = std::sync::OnceLock::new();
                TABLE.get_or_init($Table::load).as_ref().map_err(Clone::clone)
            }

            fn load() -> Result<$Table, String> {
                let library = $crate::vendor::open($short, $names)?;
                Ok($Table {
                    $($field: {
                        // SAFETY: the vendor's manual gives the function of this name this signature.
                        let found = unsafe {
                            library.get::<unsafe extern "C" fn($($arg),*) -> u32>(concat!($symbol, "\0").as_bytes())
                        };
                        *found.map_err(|_| format!("{} has no function {}: it is too old", $short, $symbol))?
                    },)*
                })
            }
        }
    };
}
pub(crate) use vendor_library;

/// Opens the first library of `names` that loads. It stays loaded to the end of the process.
pub(crate) fn open(short: &str, names: &[&str]) -> Result<&'static Library, String> {
    for name in names {
        // SAFETY: loading runs the library's initialisers; under these names it is the vendor's, which expects that.
        if let Ok(library) = unsafe { Library::new(*name) } {
            return Ok(Box::leak(Box::new(library)));
        }
    }
    Err(format!(
        "{short} was not found (looked for {}): install the CUDA toolkit and put its library folder on LD_LIBRARY_PATH, or \
         compute on the CPU with LAB_LIBRARIES=cpu",
        names.join(", ")
    ))
}
