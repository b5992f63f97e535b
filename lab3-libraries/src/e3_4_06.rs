//! Exercise 3.4.6: the set-up by four threads of the host at once. The kernels `ft_indexmap` and
//! `ft_initial` are in `kernels/ft_setup.cu`.

use cust::context::Context;
use cust::module::Module;
use lab3_libraries::ft::{DevArrays, Params};
use labkit::{Lab, LabError};

/// Threads of a block in the set-up's kernels.
pub const BLOCK: u32 = 128;

/// The four arrays, each by a thread of the host with a stream of its own:
///
/// * `ex` and `u` (the roots for the longest axis) are computed by the thread and copied;
/// * `indexmap` by a kernel;
/// * `u1`: the seeds of the planes by the thread, copied; then a kernel with a thread for each
///   plane.
///
/// Copies are asynchronous and from pinned memory. What is put on the lab's stream afterwards waits
/// for all four.
///
/// # Arguments
/// * `module` - `kernels/ft_setup.cu`
///
/// # Errors
/// The first error of a thread, when all have ended; whatever the driver refuses.
pub fn setup_concurrent(lab: &Lab, module: &Module, p: &Params) -> Result<DevArrays, LabError> {
    // Each thread makes it its own: `CurrentContext::set_current(&context)?`.
    let context = Context::new(lab.device())?;
    // <lab
    // `std::thread::scope(|scope| ..)` with four `scope.spawn(|| ..)`; in each the context, a
    // `Stream`, the work, and an `Event` recorded on the stream. Then join all, hand on the
    // first error, `lab.stream().wait_event(..)` four times, and let nothing go that a copy
    // still reads. Functions and `use` lines of your own go below.
    let _ = (context, module, p, BLOCK);
    Err(LabError::msg("setup_concurrent is not written yet"))
    // lab>
}

// <lab
// lab>
