//! Requests to shared memory.

use super::bounds::misplaced;
use super::transfer::{gather, scatter};
use super::written::{bytes_of, unwritten};
use crate::bytecode::{Inst, Kind, MemInfo, NONE};
use crate::exec::alu::FULL;
use crate::exec::block::Worker;
use crate::exec::halt::{Halt, Window};
use crate::exec::lanes::{Lanes, each, wavefronts};
use crate::exec::shape::{GROUP, Groups, Pattern, Run, Runs, group_passes};
use crate::exec::warp::Warp;
use crate::fault::FaultKind;

impl Worker<'_> {
    /// A request to shared memory at an offset from the start of the window.
    pub(crate) fn shared_access(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        write: bool,
    ) -> Result<(), Box<Halt>> {
        if self.recorder.is_some() {
            self.look_on(warp, inst, write, true);
        }
        let world = self.world;
        let info = &world.code.mems[inst.c as usize];
        let groups = match self.pattern(warp, inst, info, true) {
            _ if info.kind != Kind::W32 || !info.regs.is_empty() => None,
            Pattern::Row(start) => Some(Groups::row(start, 4)),
            Pattern::Groups(groups) if groups.step != 0 || !write => Some(groups),
            Pattern::Same(at) if !write => Some(Groups::same(at)),
            Pattern::Same(_) | Pattern::Groups(_) | Pattern::Scattered => None,
        };
        if let Some(groups) = groups {
            let runs = groups.runs(warp.mask);
            if self.are_inside(info, &groups, &runs) {
                return self.shared_groups(warp, inst, info, &groups, &runs, write);
            }
        }
        self.shared_lanes(warp, inst, info, &self.lanes_of(warp, inst, info, true), write)
    }

    /// All words of the groups are aligned and lie in the variable.
    #[inline(always)]
    fn are_inside(&self, info: &MemInfo, groups: &Groups, runs: &Runs) -> bool {
        let (low, high) = self.shared_bounds(info);
        let gaps = info.var == NONE && !self.world.launch.range.local.is_empty();
        !gaps
            && runs.iter().all(|Run { count, start, .. }| {
                let (start, bytes) = (*start, if groups.step == 0 { 4 } else { 4 * *count as u64 });
                start >= low && start < high && high - start >= bytes && start.is_multiple_of(4)
            })
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

    /// Aligned words within the bounds, as [`Worker::shared_lanes`].
    #[inline(always)]
    fn shared_groups(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        groups: &Groups,
        runs: &Runs,
        write: bool,
    ) -> Result<(), Box<Halt>> {
        let world = self.world;
        let words = |run: &Run| {
            let word = (run.start / 4) as usize;
            word..word + if groups.step == 0 { 1 } else { run.count }
        };
        if world.options.uninit {
            for run in runs.iter() {
                let init = &mut self.shared_init[words(run)];
                if write {
                    init.fill(15);
                } else if init.iter().fold(15, |all, bits| all & bits) != 15 {
                    return self.shared_lanes(warp, inst, info, &groups.lanes(), write);
                }
            }
        }
        if world.options.races {
            let access = world.access(inst.c, write);
            self.shared_race_groups(warp, info, groups, runs, access)?;
        }
        let passes = if runs.len() == 1 { 1 } else { group_passes(groups) };
        let counters = &mut self.lines[info.line as usize];
        if write {
            counters.shst_req += 1;
            counters.shst_wf += passes;
            let values = &warp.regs.a[inst.d as usize];
            for run in runs.iter() {
                let lanes = run.lane..run.lane + run.count;
                self.shared[words(run)].copy_from_slice(&values[lanes]);
            }
        } else {
            counters.shld_req += 1;
            counters.shld_wf += passes;
            if groups.step == 0 {
                let value = |start: &u64| self.shared[(start / 4) as usize];
                if warp.mask == FULL {
                    let out = warp.regs.a[inst.d as usize].as_chunks_mut::<GROUP>().0;
                    out.iter_mut()
                        .zip(&groups.starts)
                        .for_each(|(o, start)| *o = [value(start); GROUP]);
                    return Ok(());
                }
                // All are at one address.
                let (value, mask) = (value(&groups.starts[0]), warp.mask);
                warp.regs.put_a(inst.d, &[value; 32], mask);
                return Ok(());
            }
            let out = &mut warp.regs.a[inst.d as usize];
            for run in runs.iter() {
                let lanes = run.lane..run.lane + run.count;
                out[lanes].copy_from_slice(&self.shared[words(run)]);
            }
        }
        Ok(())
    }

    pub(super) fn shared_lanes(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        offsets: &Lanes,
        write: bool,
    ) -> Result<(), Box<Halt>> {
        let [outside, crooked] = misplaced(info, offsets, warp.mask, self.shared_bounds(info));
        let outside = outside | self.between_locals(info, offsets, warp.mask);
        let faults = [(FaultKind::OutOfBoundsShared, outside), (FaultKind::Misaligned, crooked)];
        self.refuse(warp, info, offsets, write, Window::Shared, faults)?;
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
