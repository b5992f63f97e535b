//! Memory requests: which lanes touch what, checked, counted, and carried out.
//!
//! Most requests of good kernels are *rows*: consecutive lanes touch consecutive elements of one
//! allocation. They are found cheaply ([`shape`]) and handled at once; the rest goes lane by lane.
//! Each memory has a file of its own.

mod global;
mod local;
mod shape;
mod shared;
mod transfer;

use std::sync::atomic::{AtomicBool, Ordering};

use super::block::{Warp, Worker};
use super::fault::{Raise, Space};
use super::lanes::{Lanes, each};
use crate::bytecode::{Inst, MemInfo};
use crate::fault::FaultKind;
use crate::memory::{GLOBAL_BASE, LOCAL_BASE, SHARED_BASE, STRING_BASE};
pub(crate) use shape::{GROUP, Groups, Runs, row_lanes};
pub(crate) use transfer::{bytes_of, unwritten};

/// The space that an address lies in.
pub(crate) fn space_of(addr: u64) -> Space {
    match addr {
        SHARED_BASE..LOCAL_BASE => Space::Shared,
        LOCAL_BASE..STRING_BASE => Space::Local,
        STRING_BASE..GLOBAL_BASE => Space::String,
        _ => Space::Global,
    }
}

/// Sets a flag without dirtying the cache line when it is set already.
#[inline(always)]
pub(crate) fn note(flag: &AtomicBool) {
    if !flag.load(Ordering::Relaxed) {
        flag.store(true, Ordering::Relaxed);
    }
}

/// Required alignment of a request in bytes.
fn alignment(info: &MemInfo) -> u64 {
    if info.size.is_power_of_two() { u64::from(info.size) } else { u64::from(info.kind.size()) }
}

/// Lanes of `mask` whose element does not lie within the bytes `low..high`, and lanes whose element
/// is not aligned.
fn misplaced(info: &MemInfo, offsets: &Lanes, mask: u32, (low, high): (u64, u64)) -> [u32; 2] {
    let (size, align) = (u64::from(info.size), alignment(info));
    let (mut outside, mut crooked) = (0, 0);
    for l in each(mask) {
        let at = offsets[l];
        outside |= u32::from(at < low || at >= high || size > high - at) << l;
        crooked |= u32::from(!at.is_multiple_of(align)) << l;
    }
    [outside, crooked]
}

impl Worker<'_> {
    /// A request whose lanes may touch any memory: sorts them by space.
    fn scattered(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        lanes: &Lanes,
        write: bool,
    ) -> Result<(), Box<Raise>> {
        let mut masks = [0u32; 4];
        for l in each(warp.mask) {
            masks[space_of(lanes[l]) as usize] |= 1 << l;
        }
        let all = warp.mask;
        let active = warp.active;
        let mut result = Ok(());
        for (space, mask) in [Space::Global, Space::Shared, Space::Local, Space::String]
            .into_iter()
            .zip(masks)
            .filter(|(_, m)| *m != 0)
        {
            warp.set_mask(mask);
            result = match space {
                Space::Global => self.global_lanes(warp, inst, info, lanes, write),
                Space::Shared => {
                    let offsets = lanes.map(|a| a.wrapping_sub(SHARED_BASE));
                    self.shared_lanes(warp, inst, info, &offsets, write)
                }
                Space::Local => {
                    let offsets = lanes.map(|a| a.wrapping_sub(LOCAL_BASE));
                    self.local_lanes(warp, inst, info, &offsets, write)
                }
                Space::String => self.string_lanes(warp, inst, info, lanes, write),
            };
            if result.is_err() {
                break;
            }
        }
        warp.mask = all;
        warp.active = active;
        result
    }

    /// The first of the `faults` that has lanes.
    #[inline(always)]
    fn refuse<const N: usize>(
        &self,
        warp: &Warp,
        info: &MemInfo,
        addresses: &Lanes,
        write: bool,
        space: Space,
        faults: [(FaultKind, u32); N],
    ) -> Result<(), Box<Raise>> {
        match faults.into_iter().find(|(_, lanes)| *lanes != 0) {
            None => Ok(()),
            Some((kind, lanes)) => {
                Err(self.access_fault(warp, kind, lanes, info, addresses, write, space))
            }
        }
    }
}
