//! Memory requests: which lanes touch what, checked, counted, and carried out.
//!
//! Most requests of good kernels are *rows*: consecutive lanes touch consecutive elements of one
//! allocation. They are found cheaply ([`shape`]) and handled at once; the rest goes lane by lane.
//! Each memory has a file of its own.

mod address;
mod bounds;
mod global;
mod local;
mod shared;
mod transfer;
mod written;

use std::sync::atomic::{AtomicBool, Ordering};

use super::lanes::{Lanes, each};
use crate::bytecode::{Inst, MemInfo};
use crate::exec::alu::by_lane;
use crate::exec::block::Worker;
use crate::exec::halt::{Halt, Window};
use crate::exec::warp::Warp;
use crate::memory::{LOCAL_BASE, SHARED_BASE};
pub(crate) use bounds::window_of;
pub(crate) use written::{bytes_of, unwritten};

/// Sets a flag without dirtying the cache line when it is set already.
#[inline(always)]
pub(crate) fn note(flag: &AtomicBool) {
    if !flag.load(Ordering::Relaxed) {
        flag.store(true, Ordering::Relaxed);
    }
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
    ) -> Result<(), Box<Halt>> {
        let mut masks = [0u32; 4];
        for l in each(warp.mask) {
            masks[window_of(lanes[l]) as usize] |= 1 << l;
        }
        let all = warp.mask;
        let active = warp.active;
        let mut result = Ok(());
        for (space, mask) in [Window::Global, Window::Shared, Window::Local, Window::String]
            .into_iter()
            .zip(masks)
            .filter(|(_, m)| *m != 0)
        {
            warp.set_mask(mask);
            result = match space {
                Window::Global => self.global_lanes(warp, inst, info, lanes, write),
                Window::Shared => {
                    let offsets = by_lane(|l| lanes[l].wrapping_sub(SHARED_BASE));
                    self.shared_lanes(warp, inst, info, &offsets, write)
                }
                Window::Local => {
                    let offsets = by_lane(|l| lanes[l].wrapping_sub(LOCAL_BASE));
                    self.local_lanes(warp, inst, info, &offsets, write)
                }
                Window::String => self.string_lanes(warp, inst, info, lanes, write),
            };
            if result.is_err() {
                break;
            }
        }
        warp.mask = all;
        warp.active = active;
        result
    }
}
