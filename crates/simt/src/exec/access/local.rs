//! Requests to a thread's own memory, and reads of string literals.

use super::bounds::misplaced;
use super::transfer::{gather, scatter};
use super::written::{bytes_of, unwritten};
use crate::bytecode::{Inst, MemInfo};
use crate::exec::block::Worker;
use crate::exec::halt::{Halt, Window};
use crate::exec::lanes::{Lanes, each};
use crate::exec::warp::Warp;
use crate::fault::FaultKind;
use crate::memory::STRING_BASE;

impl Worker<'_> {
    /// A request to the thread's own memory.
    pub(crate) fn local_access(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        write: bool,
    ) -> Result<(), Box<Halt>> {
        let info = &self.world.code.mems[inst.c as usize];
        let lanes = self.lanes_of(warp, inst, info, true);
        self.local_lanes(warp, inst, info, &lanes, write)
    }

    pub(super) fn local_lanes(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        offsets: &Lanes,
        write: bool,
    ) -> Result<(), Box<Halt>> {
        let world = self.world;
        let bounds = match world.code.locals.get(info.var as usize) {
            Some(var) => (u64::from(var.offset), u64::from(var.offset + var.size)),
            None => (0, 4 * warp.local.len() as u64),
        };
        let [outside, crooked] = misplaced(info, offsets, warp.mask, bounds);
        let fine = warp.mask & !(outside | crooked);
        let missing = if write || info.partial || !world.options.uninit {
            0
        } else {
            let written = |l: usize, w: usize| u32::from(warp.local_init[w][l]);
            unwritten(offsets, fine, info.size, written)
        };
        let faults = [(FaultKind::OutOfBoundsLocal, outside), (FaultKind::Misaligned, crooked)];
        self.refuse(warp, info, offsets, write, Window::Local, faults)?;
        if missing != 0 {
            self.unwritten_read()?;
        }
        let counters = &mut self.lines[info.line as usize];
        if write {
            counters.lst_req += 1;
            let mut local = std::mem::take(&mut warp.local);
            scatter(warp, inst, info, offsets, warp.mask, |l, i, value, bits| {
                local[i][l] = local[i][l] & !bits | value;
            });
            warp.local = local;
            if world.options.uninit {
                for l in each(warp.mask) {
                    bytes_of(offsets[l], info.size, |w, bits| {
                        warp.local_init[w][l] |= bits as u8;
                    });
                }
            }
        } else {
            counters.lld_req += 1;
            let local = std::mem::take(&mut warp.local);
            gather(warp, inst, info, offsets, warp.mask, |l, i| local[i][l]);
            warp.local = local;
        }
        Ok(())
    }

    /// Reads of string literals through pointers.
    pub(super) fn string_lanes(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        lanes: &Lanes,
        write: bool,
    ) -> Result<(), Box<Halt>> {
        let strings = &self.world.code.strings;
        let end = strings.len() as u64;
        let offsets = lanes.map(|a| a.wrapping_sub(STRING_BASE));
        let mut bad = 0;
        for l in each(warp.mask) {
            let inside = offsets[l].checked_add(u64::from(info.size)).is_some_and(|e| e <= end);
            bad |= u32::from(write || !inside) << l;
        }
        let kind = if write { FaultKind::ReadOnly } else { FaultKind::OutOfBoundsGlobal };
        self.refuse(warp, info, lanes, write, Window::String, [(kind, bad)])?;
        let word = |_: usize, i: usize| {
            let mut bytes = [0; 4];
            for (k, b) in bytes.iter_mut().enumerate() {
                *b = strings.get(4 * i + k).copied().unwrap_or(0);
            }
            u32::from_le_bytes(bytes)
        };
        gather(warp, inst, info, &offsets, warp.mask, word);
        Ok(())
    }
}
