//! Whether a request lies within its memory, and is aligned.

use crate::bytecode::MemInfo;
use crate::exec::block::Worker;
use crate::exec::halt::{Halt, Window};
use crate::exec::lanes::{Lanes, each};
use crate::exec::warp::Warp;
use crate::fault::FaultKind;
use crate::memory::{GLOBAL_BASE, LOCAL_BASE, SHARED_BASE, STRING_BASE};

/// The window that an address lies in.
pub(crate) fn window_of(addr: u64) -> Window {
    match addr {
        SHARED_BASE..LOCAL_BASE => Window::Shared,
        LOCAL_BASE..STRING_BASE => Window::Local,
        STRING_BASE..GLOBAL_BASE => Window::String,
        _ => Window::Global,
    }
}

/// Required alignment of a request in bytes.
pub(super) fn alignment(info: &MemInfo) -> u64 {
    if info.size.is_power_of_two() { u64::from(info.size) } else { u64::from(info.kind.size()) }
}

/// Lanes of `mask` whose element does not lie within the bytes `low..high`, and lanes whose element
/// is not aligned.
pub(super) fn misplaced(
    info: &MemInfo,
    offsets: &Lanes,
    mask: u32,
    (low, high): (u64, u64),
) -> [u32; 2] {
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
    /// The first of the `faults` that has lanes.
    #[inline(always)]
    pub(super) fn refuse<const N: usize>(
        &self,
        warp: &Warp,
        info: &MemInfo,
        addresses: &Lanes,
        write: bool,
        space: Window,
        faults: [(FaultKind, u32); N],
    ) -> Result<(), Box<Halt>> {
        match faults.into_iter().find(|(_, lanes)| *lanes != 0) {
            None => Ok(()),
            Some((kind, lanes)) => {
                Err(self.access_fault(warp, kind, lanes, info, addresses, write, space))
            }
        }
    }
}
