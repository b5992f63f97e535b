//! Requests to shared memory.

use super::misplaced;
use super::shape::{Pattern, row_lanes};
use super::transfer::{bytes_of, gather, scatter, unwritten};
use crate::bytecode::{Inst, Kind, MemInfo, NONE};
use crate::exec::block::{Warp, Worker};
use crate::exec::fault::{Raise, Space};
use crate::exec::lanes::{Lanes, each, wavefronts};
use crate::fault::FaultKind;

impl Worker<'_> {
    /// A request to shared memory at an offset from the start of the window.
    pub(crate) fn shared_access(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        write: bool,
    ) -> Result<(), Box<Raise>> {
        if self.recorder.is_some() {
            self.look_on(warp, inst, write, true);
        }
        let world = self.world;
        let info = &world.code.mems[inst.c as usize];
        let pattern = self.pattern(warp, inst, info, true);
        let (low, high) = self.shared_bounds(info);
        let plain = info.kind == Kind::W32 && info.regs.is_empty();
        match pattern {
            Pattern::Row(start) if plain => {
                let first = warp.mask.trailing_zeros() as u64;
                let from = start.wrapping_add(4 * first);
                let end = from.wrapping_add(4 * u64::from(warp.active));
                if from >= low && from < end && end <= high && from.is_multiple_of(4) {
                    return self.shared_row(warp, inst, info, from, write);
                }
            }
            Pattern::Same(at)
                if plain
                    && !write
                    && at >= low
                    && at < high
                    && high - at >= 4
                    && at.is_multiple_of(4) =>
            {
                return self.shared_same(warp, inst, info, at);
            }
            _ => {}
        }
        self.shared_lanes(warp, inst, info, &pattern.lanes(info.size), write)
    }

    /// First byte and end of the variable that an access belongs to.
    #[inline(always)]
    fn shared_bounds(&self, info: &MemInfo) -> (u64, u64) {
        let end = u64::from(self.world.shared_bytes);
        match self.world.code.shared.get(info.var as usize) {
            Some(var) if var.size > 0 => (u64::from(var.offset), u64::from(var.offset + var.size)),
            Some(var) => (u64::from(var.offset), end),
            None => (0, end),
        }
    }

    /// Lanes that reach shared memory through a pointer and lie in no variable. Only the local
    /// arguments of an OpenCL launch have gaps between them; elsewhere the bounds of the window say
    /// all.
    fn between_locals(&self, info: &MemInfo, offsets: &Lanes, mask: u32) -> u32 {
        if self.world.launch.range.local.is_empty() || info.var != NONE {
            return 0;
        }
        let inside = |at: u64| {
            let end = at.saturating_add(u64::from(info.size));
            let vars = self.world.shared_vars.iter();
            vars.map(|v| (u64::from(v.offset), u64::from(v.offset + v.size)))
                .any(|(low, high)| low <= at && end <= high)
        };
        each(mask).filter(|l| !inside(offsets[*l])).fold(0, |lanes, l| lanes | 1 << l)
    }

    #[inline(always)]
    fn shared_row(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        from: u64,
        write: bool,
    ) -> Result<(), Box<Raise>> {
        let world = self.world;
        let word = (from / 4) as usize;
        let n = warp.active as usize;
        let first = warp.mask.trailing_zeros() as usize;
        if world.options.uninit {
            let init = &mut self.shared_init[word..word + n];
            if write {
                init.fill(15);
            } else if init.iter().any(|bits| *bits != 15) {
                let lanes = row_lanes(from, warp.mask, 4);
                return self.shared_lanes(warp, inst, info, &lanes, write);
            }
        }
        if world.options.races {
            let access = world.access(inst.c, write);
            self.shared_race_row(warp, info, from, access)?;
        }
        let counters = &mut self.lines[info.line as usize];
        if write {
            counters.shst_req += 1;
            counters.shst_wf += 1;
            let values = &warp.regs.a[inst.d as usize];
            self.shared[word..word + n].copy_from_slice(&values[first..first + n]);
        } else {
            counters.shld_req += 1;
            counters.shld_wf += 1;
            let out = &mut warp.regs.a[inst.d as usize];
            out[first..first + n].copy_from_slice(&self.shared[word..word + n]);
        }
        Ok(())
    }

    #[inline(always)]
    fn shared_same(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        at: u64,
    ) -> Result<(), Box<Raise>> {
        let word = (at / 4) as usize;
        if self.world.options.uninit && self.shared_init[word] != 15 {
            return self.shared_lanes(warp, inst, info, &[at; 32], false);
        }
        if self.world.options.races {
            let access = self.world.access(inst.c, false);
            self.shared_race_lanes(warp, info, &[at; 32], access)?;
        }
        let counters = &mut self.lines[info.line as usize];
        counters.shld_req += 1;
        counters.shld_wf += 1;
        let mask = warp.mask;
        warp.regs.put_a(inst.d, &[self.shared[word]; 32], mask);
        Ok(())
    }

    pub(super) fn shared_lanes(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        offsets: &Lanes,
        write: bool,
    ) -> Result<(), Box<Raise>> {
        let [outside, crooked] = misplaced(info, offsets, warp.mask, self.shared_bounds(info));
        let outside = outside | self.between_locals(info, offsets, warp.mask);
        let faults = [(FaultKind::OutOfBoundsShared, outside), (FaultKind::Misaligned, crooked)];
        self.refuse(warp, info, offsets, write, Space::Shared, faults)?;
        let world = self.world;
        if world.options.uninit && write {
            for l in each(warp.mask) {
                bytes_of(offsets[l], info.size, |w, bits| self.shared_init[w] |= bits as u8);
            }
        } else if world.options.uninit {
            let written = |_, w: usize| u32::from(self.shared_init[w]);
            if unwritten(offsets, warp.mask, info.size, written) != 0 {
                self.unwritten_read()?;
            }
        }
        if world.options.races {
            self.shared_race_lanes(warp, info, offsets, world.access(inst.c, write))?;
        }
        let counters = &mut self.lines[info.line as usize];
        let passes = wavefronts(offsets, warp.mask, info.size, write);
        if write {
            counters.shst_req += 1;
            counters.shst_wf += passes;
            let shared = &mut self.shared;
            scatter(warp, inst, info, offsets, warp.mask, |_, i, value, bits| {
                shared[i] = shared[i] & !bits | value;
            });
        } else {
            counters.shld_req += 1;
            counters.shld_wf += passes;
            let shared = &self.shared;
            gather(warp, inst, info, offsets, warp.mask, |_, i| shared[i]);
        }
        Ok(())
    }
}
