//! Loading the vendor's libraries at run time: a table of functions each, filled at the first use.

use std::sync::LazyLock;

/// A library's functions, loaded at the first use, or a sentence: it is not there, or lacks one.
pub(crate) type Loaded<T> = LazyLock<Result<T, String>>;

/// A library of the vendor's.
pub struct Library {
    /// Its name for messages, such as `cuBLAS`.
    name: &'static str,
    /// Never dropped: its functions may be called to the end of the process.
    library: &'static libloading::Library,
}

impl Library {
    /// Opens the first library of `files` that loads.
    ///
    /// # Errors
    /// None does.
    pub fn open(name: &'static str, files: &[&str]) -> Result<Library, String> {
        for file in files {
            // SAFETY: loading runs the library's initialisers; under these names it is the
            // vendor's, which expects that.
            if let Ok(library) = unsafe { libloading::Library::new(*file) } {
                return Ok(Library { name, library: Box::leak(Box::new(library)) });
            }
        }
        Err(format!(
            "{name} was not found (looked for {}): install the CUDA toolkit and put its library \
             folder on LD_LIBRARY_PATH, or compute on the CPU with LAB_LIBRARIES=cpu",
            files.join(", ")
        ))
    }

    /// A function.
    ///
    /// # Errors
    /// The library has none of this name.
    ///
    /// # Safety
    /// `F` is the type of a pointer to the function of this name.
    pub unsafe fn function<F: Copy>(&self, symbol: &str) -> Result<F, String> {
        // SAFETY: as the caller promises.
        let found = unsafe { self.library.get::<F>(symbol) };
        found
            .map(|function| *function)
            .map_err(|_| format!("{} has no function {symbol}: it is too old", self.name))
    }
}

/// Declares a table of a library's functions, and `load`, which fills it. `load` takes a function
/// that makes a full name of what is written here. With `remote` the table has a second function of
/// that name, which fills it with functions that ask the judge's libraries ([`crate::remote`]).
///
/// Pointers into device memory are `u64`, pointers to scalars of either precision `*const Number`
/// and `*mut Number`: so one type serves the functions of both precisions.
macro_rules! functions {
    (
        $(#[$doc:meta])* remote $Table:ident;
        $($field:ident: $symbol:literal ($($arg:ty),* $(,)?);)*
    ) => {
        $crate::vendor::functions! { $(#[$doc])* $Table; $($field: $symbol ($($arg),*);)* }

        impl $Table {
            pub fn remote<P: $crate::remote::Precision>() -> $Table {
                $($crate::remote::forwarder! { $field $symbol [] $($arg,)* })*
                $Table { $($field: $field::<P>,)* }
            }
        }
    };
    (
        $(#[$doc:meta])* $Table:ident;
        $($field:ident: $symbol:literal ($($arg:ty),* $(,)?);)*
    ) => {
        $(#[$doc])*
        pub struct $Table {
            $(pub $field: unsafe extern "C" fn($($arg),*) -> u32,)*
        }

        impl $Table {
            pub fn load(
                library: &$crate::vendor::Library,
                name: impl Fn(&str) -> String,
            ) -> Result<$Table, String> {
                // SAFETY: the vendor's manual gives the functions of these names these signatures.
                Ok($Table { $($field: unsafe { library.function(&name($symbol)) }?,)* })
            }
        }
    };
}
pub(crate) use functions;
