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
    let context = &context;
    let new = || Stream::new(StreamFlags::NON_BLOCKING, None);
    let streams = [new()?, new()?, new()?, new()?];
    let [s0, s1, s2, s3] = [&streams[0], &streams[1], &streams[2], &streams[3]];
    let (ex, indexmap, u1, u) = std::thread::scope(|scope| {
        let ex = scope.spawn(|| copied(context, s0, &ex_table(p)));
        let map = scope.spawn(|| mapped(context, s1, module, p));
        let u1 = scope.spawn(|| filled(context, s2, module, p));
        let u = scope.spawn(|| copied(context, s3, &roots(p.longest())));
        // All threads end before the first error is handed on.
        (joined(ex.join()), joined(map.join()), joined(u1.join()), joined(u.join()))
    });
    let (ex, indexmap, u1, u) = (ex?, indexmap?, u1?, u?);
    Ok(DevArrays {
        ex: ex.end(lab, s0)?,
        indexmap: indexmap.end(lab, s1)?,
        u1: u1.end(lab, s2)?,
        u: u.end(lab, s3)?,
    })
    //~ // `std::thread::scope(|scope| ..)` with four `scope.spawn(|| ..)`; in each the context, a
    //~ // `Stream`, the work, and an `Event` recorded on the stream. Then join all, hand on the
    //~ // first error, `lab.stream().wait_event(..)` four times, and let nothing go that a copy
    //~ // still reads. Functions and `use` lines of your own go below.
    //~ let _ = (context, module, p, BLOCK);
    //~ Err(LabError::msg("setup_concurrent is not written yet"))
    // lab>
}

// <lab
use cust::context::CurrentContext;
use cust::memory::{AsyncCopyDestination, DeviceCopy, LockedBuffer};
use cust::prelude::*;
use cust::stream::StreamWaitEventFlags;
use lab3_libraries::e3_4_01::{ex_table, plane_seeds, roots};
use lab3_libraries::ft::C64;
use labkit::During;

/// What a thread hands back: its array, the event after its last work, and what must live until
/// then.
struct Done<T: DeviceCopy, H: DeviceCopy> {
    array: DeviceBuffer<T>,
    event: Event,
    /// Pinned memory and a device copy of it, which may still be read.
    seeds: Option<(LockedBuffer<H>, DeviceBuffer<H>)>,
    /// Pinned memory of the array itself.
    pinned: Option<LockedBuffer<T>>,
}

impl<T: DeviceCopy, H: DeviceCopy> Done<T, H> {
    /// Makes the lab's stream wait; lets go of the rest when the work is done.
    fn end(self, lab: &Lab, stream: &Stream) -> Result<DeviceBuffer<T>, LabError> {
        lab.stream().wait_event(self.event, StreamWaitEventFlags::DEFAULT)?;
        stream.synchronize()?;
        drop((self.seeds, self.pinned));
        Ok(self.array)
    }
}

/// A panic of a thread is an error, too.
fn joined<R>(end: std::thread::Result<Result<R, LabError>>) -> Result<R, LabError> {
    end.unwrap_or_else(|_| Err(LabError::msg("a thread of the set-up panicked")))
}

fn recorded(stream: &Stream) -> Result<Event, LabError> {
    let event = Event::new(EventFlags::DISABLE_TIMING)?;
    event.record(stream)?;
    Ok(event)
}

/// Starts a copy to the device.
fn upload<T: DeviceCopy>(
    stream: &Stream,
    values: &[T],
) -> Result<(LockedBuffer<T>, DeviceBuffer<T>), LabError> {
    let pinned = LockedBuffer::from_slice(values)?;
    // SAFETY: the copy writes all of it; both live until the stream has been waited for.
    unsafe {
        let mut array = DeviceBuffer::uninitialized(values.len())?;
        array.async_copy_from(&pinned, stream)?;
        Ok((pinned, array))
    }
}

fn copied<T: DeviceCopy>(
    context: &Context,
    stream: &Stream,
    values: &[T],
) -> Result<Done<T, u64>, LabError> {
    CurrentContext::set_current(context)?;
    let (pinned, array) = upload(stream, values)?;
    Ok(Done { array, event: recorded(stream)?, seeds: None, pinned: Some(pinned) })
}

fn mapped(
    context: &Context,
    stream: &Stream,
    module: &Module,
    p: &Params,
) -> Result<Done<i32, u64>, LabError> {
    CurrentContext::set_current(context)?;
    let n = p.elements();
    let kernel = module.get_function("ft_indexmap").during("ft_indexmap")?;
    let [nx, ny, nz] = p.sizes();
    // SAFETY: the arguments match the kernel's parameters; it writes all n elements.
    let array = unsafe {
        let map = DeviceBuffer::<i32>::uninitialized(n)?;
        let grid = (n as u32).div_ceil(BLOCK);
        launch!(kernel<<<grid, BLOCK, 0, stream>>>(map.as_device_ptr(), nx, ny, nz))
            .during("launch of ft_indexmap")?;
        map
    };
    Ok(Done { array, event: recorded(stream)?, seeds: None, pinned: None })
}

fn filled(
    context: &Context,
    stream: &Stream,
    module: &Module,
    p: &Params,
) -> Result<Done<C64, u64>, LabError> {
    CurrentContext::set_current(context)?;
    let (pinned, seeds) = upload(stream, &plane_seeds(p))?;
    let kernel = module.get_function("ft_initial").during("ft_initial")?;
    let [nx, ny, nz] = p.sizes();
    // SAFETY: the arguments match the kernel's parameters; it writes all elements, from a seed for
    // each plane.
    let array = unsafe {
        let u1 = DeviceBuffer::<C64>::uninitialized(p.elements())?;
        let grid = (nz as u32).div_ceil(BLOCK);
        launch!(kernel<<<grid, BLOCK, 0, stream>>>(
            u1.as_device_ptr(),
            seeds.as_device_ptr(),
            nx,
            ny,
            nz
        ))
        .during("launch of ft_initial")?;
        u1
    };
    Ok(Done { array, event: recorded(stream)?, seeds: Some((pinned, seeds)), pinned: None })
}
// lab>
