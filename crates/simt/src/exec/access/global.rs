//! Requests to device memory, or through a pointer to any memory.

// Lane loops over several arrays read best, and vectorise, as plain index loops.
#![allow(clippy::needless_range_loop)]

use super::address::words;
use super::bounds::alignment;
use super::note;
use super::transfer::{gather, scatter};
use super::written::{bytes_of, unwritten};
use crate::bytecode::{Inst, Kind, MemInfo};
use crate::exec::alu::{FULL, by_lane};
use crate::exec::block::Worker;
use crate::exec::halt::{Halt, Window};
use crate::exec::lanes::{Lanes, distinct, each};
use crate::exec::recent::{Recent, Rows};
use crate::exec::shape::{GROUP, Groups, Pattern, Run, row_lanes};
use crate::exec::warp::Warp;
use crate::fault::FaultKind;
use crate::memory::{Allocation, GLOBAL_BASE, PAGE_WORDS};

impl Worker<'_> {
    /// The allocation that contains `addr`, looked for first where this instruction found one last
    /// time.
    #[inline(always)]
    fn allocation_at(&mut self, mem: u32, addr: u64) -> Option<usize> {
        let recent = &self.recent[mem as usize];
        if addr.wrapping_sub(recent.base) < recent.size {
            return Some(recent.alloc);
        }
        self.other_allocation_at(mem, addr)
    }

    fn other_allocation_at(&mut self, mem: u32, addr: u64) -> Option<usize> {
        let found = self.world.find(addr)?;
        self.settle_rows(mem as usize);
        self.recent[mem as usize].meet(self.world, found);
        Some(found)
    }

    /// Counts the rows that access `mem` has summed up.
    pub(crate) fn settle_rows(&mut self, mem: usize) {
        let recent = &mut self.recent[mem];
        let Recent { info, alloc, writes, .. } = *recent;
        let Rows { count, crooked, extent } = std::mem::take(&mut recent.rows);
        if count == 0 {
            return;
        }
        // Allocations begin with a sector.
        let sectors = 4 * count + crooked;
        self.count_global(info, writes, [count, sectors, 32 * count]);
        self.extents[alloc].of(writes).add(extent.first, extent.end);
        if !writes {
            self.loads.l1_quarters += sectors;
            note(&self.world.states[alloc].read);
        }
    }

    /// A request to an address that may lie in any space: a store if `WRITE`.
    pub(crate) fn global_access<const WRITE: bool>(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
    ) -> Result<(), Box<Halt>> {
        if self.recorder.is_some() {
            self.look_on(warp, inst, WRITE, false);
        }
        if WRITE {
            self.changed_at = self.issued;
        }
        let recent = &self.recent[inst.c as usize];
        if let Some(addr) = words(warp, inst, recent)
            && addr.is_multiple_of(4)
        {
            let mut offset = addr.wrapping_sub(recent.base);
            if offset >= recent.size {
                self.other_allocation_at(inst.c, addr);
                offset = addr.wrapping_sub(self.recent[inst.c as usize].base);
            }
            if offset < self.recent[inst.c as usize].room {
                return self.row_of_words::<WRITE>(warp, inst, offset);
            }
        }
        let info = &self.world.code.mems[inst.c as usize];
        self.any_access(warp, inst, info, WRITE)
    }

    /// A row of words that all lanes ask for, at an offset in the allocation that the access has
    /// met, which is no constant memory: as [`Worker::row`].
    #[inline(always)]
    fn row_of_words<const WRITE: bool>(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        offset: u64,
    ) -> Result<(), Box<Halt>> {
        let world = self.world;
        let recent = &mut self.recent[inst.c as usize];
        let Some((a, state)) = recent.met else { return Ok(()) };
        recent.writes = WRITE;
        recent.rows.add(offset);
        let Recent { info, alloc, page, .. } = *recent;
        let first = (offset / 4) as usize;
        let bits = world.options.uninit && !a.is_all_init();
        if bits && !WRITE && !a.is_init_row(first, 32) {
            self.unwritten_read()?;
        }
        if world.options.races && !self.first_touch(warp, 4, state, offset, WRITE) {
            self.race_row(warp, info, alloc, a.base + offset, world.access(inst.c, WRITE))?;
        }
        if !WRITE {
            a.load_row(first, &mut warp.regs.a[inst.d as usize]);
            return Ok(());
        }
        let last = first + 31;
        if [first / PAGE_WORDS, last / PAGE_WORDS] != [page; 2] {
            self.touch(alloc, first, last);
            self.recent[inst.c as usize].page = last / PAGE_WORDS;
        }
        if bits {
            a.mark_row(first, 32);
        }
        a.store_row(first, &warp.regs.a[inst.d as usize]);
        Ok(())
    }

    /// A request of any shape.
    #[inline(never)]
    fn any_access(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        write: bool,
    ) -> Result<(), Box<Halt>> {
        let world = self.world;
        let size = u64::from(info.size);
        match self.pattern(warp, inst, info, false) {
            Pattern::Scattered => {}
            Pattern::Row(start) => {
                let first = warp.mask.trailing_zeros() as u64;
                let addr = start.wrapping_add(first * size);
                let bytes = u64::from(warp.active) * size;
                if addr >= GLOBAL_BASE
                    && addr.is_multiple_of(size)
                    && let Some(alloc) = self.allocation_at(inst.c, addr)
                {
                    let a = &*world.allocs[alloc];
                    if bytes <= a.size - (addr - a.base) && !(write && world.states[alloc].constant)
                    {
                        return self.row(warp, inst, info, alloc, a, addr, bytes, write);
                    }
                }
            }
            Pattern::Same(addr) => {
                if !write
                    && addr >= GLOBAL_BASE
                    && addr.is_multiple_of(size.max(1))
                    && let Some(alloc) = self.allocation_at(inst.c, addr)
                {
                    let a = &*world.allocs[alloc];
                    if size <= a.size - (addr - a.base) {
                        return self.same(warp, inst, info, alloc, a, addr);
                    }
                }
            }
            Pattern::Groups(groups) => {
                if let Some(alloc) = self.home_of(inst, info, &groups, write) {
                    return self.groups(warp, inst, info, alloc, &groups, write);
                }
            }
        }
        self.scattered(warp, inst, info, &self.lanes_of(warp, inst, info, false), write)
    }

    /// The allocation that contains all words of the groups, each aligned; `None` also where lanes
    /// must be looked at one by one.
    #[inline(always)]
    fn home_of(
        &mut self,
        inst: &Inst,
        info: &MemInfo,
        groups: &Groups,
        write: bool,
    ) -> Option<usize> {
        let plain = info.kind == Kind::W32 && info.regs.is_empty() && (!write || groups.step != 0);
        if !plain || groups.starts[0] < GLOBAL_BASE {
            return None;
        }
        let alloc = self.allocation_at(inst.c, groups.starts[0])?;
        let a = &self.world.allocs[alloc];
        let fits = (0..4).all(|g| {
            let offset = groups.starts[g].wrapping_sub(a.base);
            let bytes = groups.step * (GROUP as u64 - 1) + 4;
            offset < a.size && bytes <= a.size - offset && offset.is_multiple_of(4)
        });
        (fits && !self.world.states[alloc].constant).then_some(alloc)
    }

    /// Groups of words in one allocation; bounds and alignment have been checked. As
    /// [`Worker::one_allocation`] for all lanes.
    fn groups(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        alloc: usize,
        groups: &Groups,
        write: bool,
    ) -> Result<(), Box<Halt>> {
        let world = self.world;
        let a = &*world.allocs[alloc];
        let word = |addr: u64| ((addr - a.base) / 4) as usize;
        let row = groups.step != 0;
        let bits = world.options.uninit && !a.is_all_init();
        if bits && !write {
            let words = if row { GROUP } else { 1 };
            if !groups.starts.iter().all(|start| a.is_init_row(word(*start), words)) {
                self.unwritten_read()?;
            }
        }
        if world.options.races {
            let access = world.access(inst.c, write);
            for Run { lane, count, start } in groups.runs(FULL).iter().copied() {
                let lanes = lane as u32..(lane + count) as u32;
                match row {
                    true => {
                        self.race_run(warp, info, alloc, start, lanes, access, || groups.lanes())?
                    }
                    false => self.race_same(warp, info, alloc, start, lanes, access)?,
                }
            }
        }
        for start in &groups.starts {
            let first = start - a.base;
            let end = first + groups.step * (GROUP as u64 - 1) + 4;
            self.extents[alloc].of(write).add(first, end);
        }
        if write {
            for Run { lane, count, start } in groups.runs(FULL).iter().copied() {
                self.touch(alloc, word(start), word(start) + count - 1);
                if bits {
                    a.mark_row(word(start), count);
                }
                let values = &warp.regs.a[inst.d as usize];
                for g in 0..count / GROUP {
                    let lane = lane + GROUP * g;
                    let eight: &[u32; GROUP] = values[lane..].first_chunk().unwrap_or(&[0; GROUP]);
                    a.store_row(word(start) + GROUP * g, eight);
                }
            }
        } else {
            note(&world.states[alloc].read);
            let out = &mut warp.regs.a[inst.d as usize];
            for (out, start) in out.as_chunks_mut::<GROUP>().0.iter_mut().zip(&groups.starts) {
                match row {
                    true => a.load_row(word(*start), out),
                    false => out.fill(a.load(word(*start))),
                }
            }
        }
        let [sectors, lines] = groups.units(4, [32, 128]);
        self.count_global(info, write, [1, sectors, 32]);
        if !write {
            self.loads.l1_quarters += 4 * lines;
        }
        Ok(())
    }

    /// Consecutive elements of one allocation; bounds and alignment have been checked.
    #[allow(clippy::too_many_arguments)]
    #[inline(always)]
    fn row(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        alloc: usize,
        a: &Allocation,
        addr: u64,
        bytes: u64,
        write: bool,
    ) -> Result<(), Box<Halt>> {
        let world = self.world;
        let offset = addr - a.base;
        let whole_words = info.size >= 4;
        let (first, last) = ((offset / 4) as usize, ((offset + bytes - 1) / 4) as usize);
        if !write
            && world.options.uninit
            && !a.is_all_init()
            && !a.is_init_row(first, last - first + 1)
        {
            let lanes = row_lanes(addr, warp.mask, info.size);
            self.check_init(warp, info, a, &lanes)?;
        }
        let all = warp.mask == FULL;
        if world.options.races
            && !(all
                && self.first_touch(warp, info.size.into(), &world.states[alloc], offset, write))
        {
            self.race_row(warp, info, alloc, addr, world.access(inst.c, write))?;
        }
        let sectors = (addr + bytes - 1) / 32 - addr / 32 + 1;
        self.extents[alloc].of(write).add(offset, offset + bytes);
        if write {
            self.count_global(info, write, [1, sectors, warp.active.into()]);
            self.touch(alloc, first, last);
            if world.options.uninit && !a.is_all_init() && whole_words {
                a.mark_row(first, last - first + 1);
            }
            if warp.mask == FULL && info.kind == Kind::W32 && info.regs.is_empty() {
                a.store_row(first, &warp.regs.a[inst.d as usize]);
                return Ok(());
            }
            let lanes = row_lanes(offset, warp.mask, info.size);
            self.store_global(warp, inst, info, a, &lanes);
            return Ok(());
        }
        if world.states[alloc].constant {
            self.count_constant(info, bytes.div_ceil(u64::from(info.size.max(4))));
        } else {
            self.count_global(info, write, [1, sectors, warp.active.into()]);
            self.loads.l1_quarters += sectors.max(4);
        }
        note(&world.states[alloc].read);
        if warp.mask == FULL && info.regs.is_empty() {
            if info.kind == Kind::W32 {
                a.load_row(first, &mut warp.regs.a[inst.d as usize]);
                return Ok(());
            }
            if info.kind == Kind::W64 {
                let mut words = [0; 64];
                a.load_row(first, &mut words);
                let out = &mut warp.regs.b[inst.d as usize];
                for l in 0..32 {
                    out[l] = u64::from(words[2 * l + 1]) << 32 | u64::from(words[2 * l]);
                }
                return Ok(());
            }
        }
        let lanes = row_lanes(offset, warp.mask, info.size);
        gather(warp, inst, info, &lanes, warp.mask, |_, i| a.load(i));
        Ok(())
    }

    /// All lanes read one element.
    #[inline(always)]
    fn same(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        alloc: usize,
        a: &Allocation,
        addr: u64,
    ) -> Result<(), Box<Halt>> {
        let world = self.world;
        let offset = addr - a.base;
        if world.options.uninit && !a.is_all_init() {
            self.check_init(warp, info, a, &[addr; 32])?;
        }
        if world.options.races {
            self.race_same(warp, info, alloc, addr, 0..32, world.access(inst.c, false))?;
        }
        self.extents[alloc].read.add(offset, offset + u64::from(info.size));
        if world.states[alloc].constant {
            self.count_constant(info, 1);
        } else {
            self.count_global(info, false, [1, 1, warp.active.into()]);
            self.loads.l1_quarters += 4;
        }
        note(&world.states[alloc].read);
        if info.kind == Kind::W32 && info.regs.is_empty() {
            let mask = warp.mask;
            warp.regs.put_a(inst.d, &[a.load((offset / 4) as usize); 32], mask);
            return Ok(());
        }
        gather(warp, inst, info, &[offset; 32], warp.mask, |_, i| a.load(i));
        Ok(())
    }

    pub(super) fn global_lanes(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        lanes: &Lanes,
        write: bool,
    ) -> Result<(), Box<Halt>> {
        let world = self.world;
        let size = u64::from(info.size);
        let (mut outside, mut crooked, mut constant) = (0, 0, 0);
        let mut owner = [0u32; 32];
        for l in each(warp.mask) {
            let addr = lanes[l];
            match self.allocation_at(inst.c, addr) {
                Some(alloc) => {
                    let a = &world.allocs[alloc];
                    owner[l] = alloc as u32;
                    outside |= u32::from(size > a.size - (addr - a.base)) << l;
                    crooked |= u32::from(!addr.is_multiple_of(alignment(info))) << l;
                    constant |= u32::from(world.states[alloc].constant) << l;
                }
                None => outside |= 1 << l,
            }
        }
        let faults = [
            (FaultKind::OutOfBoundsGlobal, outside),
            (FaultKind::Misaligned, crooked),
            (FaultKind::ReadOnly, if write { constant } else { 0 }),
        ];
        self.refuse(warp, info, lanes, write, Window::Global, faults)?;
        // Group by allocation: nearly always there is just one.
        let mut left = warp.mask;
        let (all, active) = (warp.mask, warp.active);
        while left != 0 {
            let alloc = owner[left.trailing_zeros() as usize] as usize;
            let mut group = 0;
            for l in each(left) {
                group |= u32::from(owner[l] as usize == alloc) << l;
            }
            left &= !group;
            warp.set_mask(group);
            let done = self.one_allocation(warp, inst, info, lanes, alloc, write);
            warp.mask = all;
            warp.active = active;
            done?;
        }
        let plain = warp.mask & !constant;
        if plain != 0 {
            let sectors = distinct(&by_lane(|l| lanes[l] / 32), plain);
            self.count_global(info, write, [1, sectors, plain.count_ones().into()]);
            if !write {
                self.loads.scattered(self.block_index, inst.c, lanes, plain, sectors);
            }
        }
        if constant != 0 {
            self.count_constant(info, distinct(&by_lane(|l| lanes[l] / size.max(4)), constant));
        }
        Ok(())
    }

    fn one_allocation(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        lanes: &Lanes,
        alloc: usize,
        write: bool,
    ) -> Result<(), Box<Halt>> {
        let world = self.world;
        let a = &*world.allocs[alloc];
        if !write && world.options.uninit && !a.is_all_init() {
            self.check_init(warp, info, a, lanes)?;
        }
        if world.options.races {
            let access = world.access(inst.c, write);
            self.race_lanes(warp, info, alloc, lanes, warp.mask, access)?;
        }
        let offsets = by_lane(|l| lanes[l].wrapping_sub(a.base));
        let extent = self.extents[alloc].of(write);
        for l in each(warp.mask) {
            extent.add(offsets[l], offsets[l] + u64::from(info.size));
        }
        if write {
            for l in each(warp.mask) {
                let first = (offsets[l] / 4) as usize;
                self.touch(alloc, first, first + (info.size as usize).div_ceil(4) - 1);
                if world.options.uninit && !a.is_all_init() {
                    bytes_of(offsets[l], info.size, |w, bits| a.mark_bits(w, bits));
                }
            }
            self.store_global(warp, inst, info, a, &offsets);
        } else {
            note(&world.states[alloc].read);
            gather(warp, inst, info, &offsets, warp.mask, |_, i| a.load(i));
        }
        Ok(())
    }

    fn store_global(
        &self,
        warp: &Warp,
        inst: &Inst,
        info: &MemInfo,
        a: &Allocation,
        offsets: &Lanes,
    ) {
        let narrow = info.size < 4;
        scatter(warp, inst, info, offsets, warp.mask, |_, i, value, bits| {
            if bits == u32::MAX {
                a.store(i, value);
            } else {
                a.store_bits(i, value, bits);
            }
        });
        if narrow && self.world.options.uninit && !a.is_all_init() {
            for l in each(warp.mask) {
                bytes_of(offsets[l], info.size, |w, bits| a.mark_bits(w, bits));
            }
        }
    }

    /// Every byte that is read must have been written.
    #[inline(always)]
    fn check_init(
        &self,
        warp: &Warp,
        info: &MemInfo,
        a: &Allocation,
        lanes: &Lanes,
    ) -> Result<(), Box<Halt>> {
        let offsets = by_lane(|l| lanes[l].wrapping_sub(a.base));
        match unwritten(&offsets, warp.mask, info.size, |_, w| a.init_bits(w)) {
            0 => Ok(()),
            _ => self.unwritten_read(),
        }
    }

    /// Counts requests to device memory.
    #[inline(always)]
    fn count_global(&mut self, info: &MemInfo, write: bool, [requests, sectors, lanes]: [u64; 3]) {
        let counters = &mut self.lines[info.line as usize];
        let bytes = lanes * u64::from(info.size);
        if write {
            counters.gst_req += requests;
            counters.gst_sec += sectors;
            counters.gst_lane += lanes;
            counters.gst_bytes += bytes;
        } else {
            counters.gld_req += requests;
            counters.gld_sec += sectors;
            counters.gld_lane += lanes;
            counters.gld_bytes += bytes;
        }
    }

    /// Counts a request to constant memory that touches `distinct` elements.
    #[inline(always)]
    fn count_constant(&mut self, info: &MemInfo, distinct: u64) {
        let counters = &mut self.lines[info.line as usize];
        counters.cld_req += 1;
        counters.cld_ser += distinct - 1;
    }
}
