//! Questions about occupancy, answered from `simt::occupancy`.

use simt::device::DeviceModel;
use simt::occupancy::occupancy;

use super::module::{Kernel, kernel};
use super::state::{driver, give};
use crate::abi::{Handle, SharedOfBlock};
use crate::failure::{Done, Failure};

fn kernel_of(function: Handle) -> Done<(&'static DeviceModel, Kernel)> {
    let driver = driver()?;
    let state = driver.lock();
    state.context()?;
    Ok((driver.device, kernel(driver, &state, function)?))
}

/// Resident blocks of a multiprocessor; 0 where no block fits.
fn resident(device: &DeviceModel, kernel: &Kernel, threads: u32, dynamic_shared: u32) -> u32 {
    let shared = kernel.info.static_shared.saturating_add(dynamic_shared);
    occupancy(device, threads, kernel.info.registers, shared).map_or(0, |o| o.blocks)
}

fn positive(what: &str, value: i32) -> Done<u32> {
    u32::try_from(value)
        .ok()
        .filter(|v| *v > 0)
        .ok_or_else(|| Failure::invalid(format!("{what} must be positive, not {value}")))
}

pub(crate) unsafe fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: *mut i32,
    function: Handle,
    threads: i32,
    shared: usize,
) -> Done {
    let (device, kernel) = kernel_of(function)?;
    let threads = positive("the block size", threads)?;
    let shared = u32::try_from(shared).unwrap_or(u32::MAX);
    // SAFETY: the caller's out-pointer.
    unsafe { give(blocks, resident(device, &kernel, threads, shared) as i32) }
}

/// The largest block among those that keep most threads resident, and the blocks that fill the
/// device.
pub(crate) unsafe fn cuOccupancyMaxPotentialBlockSize(
    min_grid: *mut i32,
    threads: *mut i32,
    function: Handle,
    shared_of: SharedOfBlock,
    shared: usize,
    limit: i32,
) -> Done {
    let (device, kernel) = kernel_of(function)?;
    let bound = kernel.info.max_threads.unwrap_or(u32::MAX).min(device.max_threads_per_block);
    let limit = u32::try_from(limit).ok().filter(|l| *l > 0).map_or(bound, |l| l.min(bound));
    // All multiples of a warp, and the limit itself.
    let sizes = (32..=limit).step_by(32).chain((limit % 32 != 0).then_some(limit));
    let mut best = (0, 0, 0);
    for size in sizes {
        let dynamic = match shared_of {
            // SAFETY: the caller's function, called with a block size as the driver API says.
            Some(f) => unsafe { f(size as i32) },
            None => shared,
        };
        let dynamic = u32::try_from(dynamic).unwrap_or(u32::MAX);
        let blocks = resident(device, &kernel, size, dynamic);
        if blocks > 0 {
            best = best.max((blocks * size, size, blocks));
        }
    }
    let (resident_threads, size, blocks) = best;
    if resident_threads == 0 {
        return Err(Failure::invalid(format!(
            "no block of `{}` fits on a multiprocessor",
            kernel.info.symbol
        )));
    }
    // SAFETY: the caller's out-pointers.
    unsafe {
        give(min_grid, (blocks * device.sms) as i32)?;
        give(threads, size as i32)
    }
}

/// The most dynamic shared memory with which `blocks` blocks still fit on a multiprocessor.
pub(crate) unsafe fn cuOccupancyAvailableDynamicSMemPerBlock(
    shared: *mut usize,
    function: Handle,
    blocks: i32,
    threads: i32,
) -> Done {
    let (device, kernel) = kernel_of(function)?;
    let (blocks, threads) =
        (positive("the number of blocks", blocks)?, positive("the block size", threads)?);
    if resident(device, &kernel, threads, 0) < blocks {
        return Err(Failure::invalid(format!(
            "{blocks} blocks of {threads} threads do not fit on a multiprocessor"
        )));
    }
    // More shared memory never lets more blocks in: search the border.
    let (mut fits, mut fails) = (0, device.shared_per_block_optin - kernel.info.static_shared + 1);
    while fails - fits > 1 {
        let middle = fits + (fails - fits) / 2;
        if resident(device, &kernel, threads, middle) >= blocks {
            fits = middle;
        } else {
            fails = middle;
        }
    }
    // SAFETY: the caller's out-pointer.
    unsafe { give(shared, fits as usize) }
}
