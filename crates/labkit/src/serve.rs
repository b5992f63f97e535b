//! The child side of a host check for programs that use the CUDA driver: [`wire::serve`] with what
//! the driver saw.

use std::path::Path;
use std::process::ExitCode;

use wire::serve::{Device, Failed, Seen};
pub use wire::serve::{Handlers, args, bits32, bits64, from_bits32, from_bits64};

use crate::{Backend, LabError, backend};

/// One function that a judge may ask for: JSON in, JSON out.
pub type Handler = wire::serve::Handler<LabError>;

/// Serves the request that the command line names. The `main` of `labN-host`.
pub fn run(handlers: impl Into<Handlers>) -> ExitCode {
    wire::serve::run(handlers, &Driver)
}

/// Runs the calls in the file `request` and writes a line for each to the file `response`.
///
/// # Errors
/// A file that cannot be read or written, or a request that is not a list of calls.
pub fn serve(handlers: impl Into<Handlers>, request: &Path, response: &Path) -> Result<(), String> {
    wire::serve::serve(&handlers.into(), &Driver, request, response)
}

struct Driver;

impl Device for Driver {
    fn backend(&self) -> &'static str {
        backend().name()
    }

    fn take(&self) -> Seen {
        let (calls, dropped) = emulation::calls::take();
        let (launches, faults) =
            (emulation::findings::take_reports(), emulation::findings::take_faults());
        Seen { calls, dropped, launches, faults }
    }

    fn renew(&self) {
        if backend() == Backend::Emulated
            && cust::init(cust::CudaFlags::empty()).is_ok()
            && let Ok(device) = cust::device::Device::get_device(0)
        {
            // SAFETY: the handler has returned; what it may have leaked is not used again. A
            // failure would show in the next call by itself.
            let _ = unsafe { cust::context::Context::reset(&device) };
        }
    }
}

impl From<LabError> for Failed {
    fn from(error: LabError) -> Failed {
        Failed {
            message: error.to_string(),
            report: error.report(),
            code: error.code_name().into(),
        }
    }
}

impl From<Failed> for LabError {
    /// A request that does not fit its handler.
    fn from(failed: Failed) -> LabError {
        LabError::Message(failed.message)
    }
}
