//! Memory requests: which lanes touch what, checked, counted, and carried out.
//!
//! Most requests of good kernels are *rows*: consecutive lanes touch consecutive elements of one allocation. They
//! are found cheaply and handled at once; the rest goes lane by lane.

// Lane loops over several arrays read best, and vectorise, as plain index loops.
#![allow(clippy::needless_range_loop)]

use std::sync::atomic::Ordering;

use super::alu::FULL;
use super::block::{Warp, Worker};
use super::fault::{Raise, Space};
use super::lanes::{Lanes, contiguous, distinct, each, wavefronts};
use super::race::Access;
use super::world::{memory_bits, register_bits};
use crate::bytecode::{Bank, Inst, Kind, MemInfo, NONE};
use crate::fault::FaultKind;
use crate::memory::{Allocation, GLOBAL_BASE, LOCAL_BASE, SHARED_BASE, STRING_BASE};

/// Shape of a request.
#[allow(clippy::large_enum_variant)] // lives for one request, on the stack
enum Pattern {
    /// All active lanes at one address.
    Same(u64),
    /// Lane `l` at this address plus `l` times the size; the active lanes are contiguous.
    Row(u64),
    /// Anything else.
    Scattered(Lanes),
}

/// Reads the components of each lane's value into registers. `word(lane, index)` gives a word of the space.
#[inline(always)]
fn gather(
    warp: &mut Warp,
    inst: &Inst,
    info: &MemInfo,
    offsets: &Lanes,
    mask: u32,
    word: impl Fn(usize, usize) -> u32,
) {
    let one = [inst.d];
    let regs = if info.regs.is_empty() { &one[..] } else { &info.regs };
    let step = u64::from(info.kind.size());
    for (k, reg) in regs.iter().enumerate() {
        let at = step * k as u64;
        match info.kind {
            Kind::W32 => {
                let out = &mut warp.regs.a[*reg as usize];
                for l in each(mask) {
                    out[l] = word(l, ((offsets[l] + at) / 4) as usize);
                }
            }
            Kind::W64 => {
                let out = &mut warp.regs.b[*reg as usize];
                for l in each(mask) {
                    let i = ((offsets[l] + at) / 4) as usize;
                    out[l] = u64::from(word(l, i + 1)) << 32 | u64::from(word(l, i));
                }
            }
            kind => {
                let out = &mut warp.regs.a[*reg as usize];
                for l in each(mask) {
                    let byte = offsets[l] + at;
                    let bits = word(l, (byte / 4) as usize) >> (8 * (byte % 4));
                    out[l] = register_bits(kind, u64::from(bits)) as u32;
                }
            }
        }
    }
}

/// Writes the components, lanes in order, so that the last one wins. `put(lane, index, value, mask)` replaces bits.
#[inline(always)]
fn scatter(
    warp: &Warp,
    inst: &Inst,
    info: &MemInfo,
    offsets: &Lanes,
    mask: u32,
    mut put: impl FnMut(usize, usize, u32, u32),
) {
    let one = [inst.d];
    let regs = if info.regs.is_empty() { &one[..] } else { &info.regs };
    let step = u64::from(info.kind.size());
    for (k, reg) in regs.iter().enumerate() {
        let at = step * k as u64;
        match info.kind.bank() {
            Bank::B => {
                for l in each(mask) {
                    let i = ((offsets[l] + at) / 4) as usize;
                    let value = warp.regs.b[*reg as usize][l];
                    put(l, i, value as u32, u32::MAX);
                    put(l, i + 1, (value >> 32) as u32, u32::MAX);
                }
            }
            Bank::A => {
                let bits = if step == 4 { u32::MAX } else { (1 << (8 * step)) - 1 };
                for l in each(mask) {
                    let byte = offsets[l] + at;
                    let shift = 8 * (byte % 4);
                    let value = memory_bits(info.kind, warp.regs.a[*reg as usize][l]);
                    put(l, (byte / 4) as usize, value << shift, bits << shift);
                }
            }
        }
    }
}

/// Initialised bits of `size` bytes at `offset`, lowest byte first, word by word: calls `f(word, bits)`.
pub(crate) fn bytes_of(offset: u64, size: u32, mut f: impl FnMut(usize, u32)) {
    let word = (offset / 4) as usize;
    if size >= 4 {
        for k in 0..(size / 4) as usize {
            f(word + k, 15);
        }
    } else {
        f(word, ((1 << size) - 1) << (offset % 4));
    }
}

impl Worker<'_> {
    /// Shape of a request whose address is `base + index * scale + imm`; the mask is not empty.
    #[inline(always)]
    fn pattern(&self, warp: &Warp, inst: &Inst, info: &MemInfo, windowed: bool) -> Pattern {
        let mask = warp.mask;
        let first = mask.trailing_zeros() as usize;
        let imm = i64::from(inst.imm) as u64;
        let scale = i64::from(info.scale);
        let widen = |i: u32| {
            let wide = if info.signed { i64::from(i as i32) } else { i64::from(i) };
            wide.wrapping_mul(scale) as u64
        };
        if info.uniform || windowed {
            let base = if windowed { 0 } else { warp.regs.b[inst.a as usize][first] };
            let base = base.wrapping_add(imm);
            if inst.b == NONE {
                return Pattern::Same(base);
            }
            let index = &warp.regs.a[inst.b as usize];
            // Step of the index from lane to lane in a row.
            let shift = match info.scale {
                1 => info.size.trailing_zeros(),
                _ => 0,
            };
            let i0 = index[first].wrapping_sub((first as u32) << shift);
            let same = index[first];
            let (mut off_row, mut off_same) = (0, 0);
            if mask == FULL {
                for l in 0..32 {
                    off_row |= index[l].wrapping_sub((l as u32) << shift) ^ i0;
                    off_same |= index[l] ^ same;
                }
            } else {
                for l in 0..32 {
                    let on = if mask & (1 << l) != 0 { u32::MAX } else { 0 };
                    off_row |= (index[l].wrapping_sub((l as u32) << shift) ^ i0) & on;
                    off_same |= (index[l] ^ same) & on;
                }
            }
            if off_same == 0 {
                return Pattern::Same(base.wrapping_add(widen(same)));
            }
            if off_row == 0
                && (info.scale as u32) << shift == info.size
                && (mask == FULL || contiguous(mask))
                // The index must not wrap round on the way.
                && (index[first] as i32) < i32::MAX - 1024
                && ((index[first] as i32) >= 0 || info.signed)
            {
                let start = base.wrapping_add(widen(index[first]));
                return Pattern::Row(start.wrapping_sub(first as u64 * u64::from(info.size)));
            }
            let mut out = [0; 32];
            for l in 0..32 {
                out[l] = base.wrapping_add(widen(index[l]));
            }
            return Pattern::Scattered(out);
        }
        let mut out = warp.regs.b[inst.a as usize];
        if inst.b == NONE {
            for o in &mut out {
                *o = o.wrapping_add(imm);
            }
        } else {
            let index = &warp.regs.a[inst.b as usize];
            for l in 0..32 {
                out[l] = out[l].wrapping_add(imm).wrapping_add(widen(index[l]));
            }
        }
        let size = u64::from(info.size);
        let start = out[first].wrapping_sub(first as u64 * size);
        let (mut off_row, mut off_same) = (0, 0);
        for l in 0..32 {
            let on = if mask & (1 << l) != 0 { u64::MAX } else { 0 };
            off_row |= (out[l].wrapping_sub(l as u64 * size) ^ start) & on;
            off_same |= (out[l] ^ out[first]) & on;
        }
        if off_same == 0 {
            Pattern::Same(out[first])
        } else if off_row == 0 && contiguous(mask) {
            Pattern::Row(start)
        } else {
            Pattern::Scattered(out)
        }
    }

    /// Each lane's address, whatever the shape; `windowed` as for [`Worker::shared_access`].
    pub(crate) fn lanes_of(
        &self,
        warp: &Warp,
        inst: &Inst,
        info: &MemInfo,
        windowed: bool,
    ) -> Lanes {
        match self.pattern(warp, inst, info, windowed) {
            Pattern::Same(at) => [at; 32],
            Pattern::Row(start) => {
                std::array::from_fn(|l| start.wrapping_add(l as u64 * u64::from(info.size)))
            }
            Pattern::Scattered(lanes) => lanes,
        }
    }

    /// The allocation that contains `addr`, looked for first where this instruction found one last time.
    #[inline(always)]
    fn allocation_at(&mut self, mem: u32, addr: u64) -> Option<usize> {
        let recent = self.recent[mem as usize] as usize;
        if let Some(a) = self.world.allocs.get(recent)
            && addr.wrapping_sub(a.base) < a.size
        {
            return Some(recent);
        }
        let found = self.world.find(addr)?;
        self.recent[mem as usize] = found as u32;
        Some(found)
    }

    /// A request to an address that may lie in any space.
    pub(crate) fn global_access(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        write: bool,
    ) -> Result<(), Box<Raise>> {
        if self.recorder.is_some() {
            self.look_on(warp, inst, write, false);
        }
        let world = self.world;
        let info = &world.code.mems[inst.c as usize];
        let size = u64::from(info.size);
        match self.pattern(warp, inst, info, false) {
            Pattern::Row(start) => {
                let first = warp.mask.trailing_zeros() as u64;
                let addr = start.wrapping_add(first * size);
                let bytes = u64::from(warp.active) * size;
                if addr >= GLOBAL_BASE
                    && addr.is_multiple_of(size)
                    && let Some(alloc) = self.allocation_at(inst.c, addr)
                {
                    let a = &*world.allocs[alloc];
                    if bytes <= a.size - (addr - a.base) && !(write && a.constant) {
                        return self.row(warp, inst, info, alloc, a, addr, bytes, write);
                    }
                }
                let lanes = std::array::from_fn(|l| start.wrapping_add(l as u64 * size));
                self.scattered(warp, inst, info, &lanes, write)
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
                self.scattered(warp, inst, info, &[addr; 32], write)
            }
            Pattern::Scattered(lanes) => self.scattered(warp, inst, info, &lanes, write),
        }
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
    ) -> Result<(), Box<Raise>> {
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
            self.check_init(warp, info, alloc, a, &lanes)?;
        }
        if world.options.races {
            self.race_row(warp, info, alloc, addr, write)?;
        }
        let sectors = (addr + bytes - 1) / 32 - addr / 32 + 1;
        let counters = &mut self.lines[info.line as usize];
        if write {
            counters.gst_req += 1;
            counters.gst_sec += sectors;
            counters.gst_lane += u64::from(warp.active);
            counters.gst_bytes += bytes;
            world.touch(alloc, first, last);
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
        if a.constant {
            counters.cld_req += 1;
            let unit = u64::from(info.size.max(4));
            counters.cld_ser += bytes.div_ceil(unit) - 1;
        } else {
            counters.gld_req += 1;
            counters.gld_sec += sectors;
            counters.gld_lane += u64::from(warp.active);
            counters.gld_bytes += bytes;
        }
        note(&world.states[alloc].read);
        if warp.mask == FULL && info.regs.is_empty() {
            if info.kind == Kind::W32 {
                warp.regs.a[inst.d as usize] = a.load_row(first);
                return Ok(());
            }
            if info.kind == Kind::W64 {
                let words: [u32; 64] = a.load_row(first);
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
    ) -> Result<(), Box<Raise>> {
        let world = self.world;
        let offset = addr - a.base;
        if world.options.uninit && !a.is_all_init() {
            self.check_init(warp, info, alloc, a, &[addr; 32])?;
        }
        if world.options.races {
            self.race_same(warp, info, alloc, addr)?;
        }
        let counters = &mut self.lines[info.line as usize];
        if a.constant {
            counters.cld_req += 1;
        } else {
            counters.gld_req += 1;
            counters.gld_sec += 1;
            counters.gld_lane += u64::from(warp.active);
            counters.gld_bytes += u64::from(warp.active * info.size);
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

    /// Any addresses: sorts the lanes by space.
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

    fn global_lanes(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        lanes: &Lanes,
        write: bool,
    ) -> Result<(), Box<Raise>> {
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
                    constant |= u32::from(a.constant) << l;
                }
                None => outside |= 1 << l,
            }
        }
        if outside != 0 {
            return Err(self.access_fault(
                warp,
                FaultKind::OutOfBoundsGlobal,
                outside,
                info,
                lanes,
                write,
                Space::Global,
            ));
        }
        if crooked != 0 {
            return Err(self.access_fault(
                warp,
                FaultKind::Misaligned,
                crooked,
                info,
                lanes,
                write,
                Space::Global,
            ));
        }
        if write && constant != 0 {
            return Err(self.access_fault(
                warp,
                FaultKind::ReadOnly,
                constant,
                info,
                lanes,
                write,
                Space::Global,
            ));
        }
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
        let counters = &mut self.lines[info.line as usize];
        let plain = warp.mask & !constant;
        if plain != 0 {
            let sectors = distinct(&lanes.map(|a| a / 32), plain);
            let count = u64::from(plain.count_ones());
            if write {
                counters.gst_req += 1;
                counters.gst_sec += sectors;
                counters.gst_lane += count;
                counters.gst_bytes += count * size;
            } else {
                counters.gld_req += 1;
                counters.gld_sec += sectors;
                counters.gld_lane += count;
                counters.gld_bytes += count * size;
            }
        }
        if constant != 0 {
            counters.cld_req += 1;
            counters.cld_ser += distinct(&lanes.map(|a| a / size.max(4)), constant) - 1;
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
    ) -> Result<(), Box<Raise>> {
        let world = self.world;
        let a = &*world.allocs[alloc];
        if !write && world.options.uninit && !a.is_all_init() {
            self.check_init(warp, info, alloc, a, lanes)?;
        }
        if world.options.races {
            self.race_lanes(warp, info, alloc, lanes, warp.mask, Access::plain(write))?;
        }
        let offsets = lanes.map(|l| l.wrapping_sub(a.base));
        if write {
            for l in each(warp.mask) {
                let first = (offsets[l] / 4) as usize;
                world.touch(alloc, first, first + (info.size as usize).div_ceil(4) - 1);
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
    fn check_init(
        &self,
        warp: &Warp,
        info: &MemInfo,
        _alloc: usize,
        a: &Allocation,
        lanes: &Lanes,
    ) -> Result<(), Box<Raise>> {
        let mut missing = 0;
        for l in each(warp.mask) {
            bytes_of(lanes[l] - a.base, info.size, |w, bits| {
                missing |= u32::from(a.init_bits(w) & bits != bits) << l;
            });
        }
        if missing == 0 {
            return Ok(());
        }
        Err(self.access_fault(
            warp,
            FaultKind::Uninitialised,
            missing,
            info,
            lanes,
            false,
            Space::Global,
        ))
    }

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
        let size = u64::from(info.size);
        let plain = info.kind == Kind::W32 && info.regs.is_empty();
        match pattern {
            Pattern::Row(start) if plain => {
                let first = warp.mask.trailing_zeros() as u64;
                let from = start.wrapping_add(4 * first);
                let end = from.wrapping_add(4 * u64::from(warp.active));
                if from >= low && from < end && end <= high && from.is_multiple_of(4) {
                    return self.shared_row(warp, inst, info, from, write);
                }
                let lanes = std::array::from_fn(|l| start.wrapping_add(l as u64 * size));
                self.shared_lanes(warp, inst, info, &lanes, write)
            }
            Pattern::Row(start) => {
                let lanes = std::array::from_fn(|l| start.wrapping_add(l as u64 * size));
                self.shared_lanes(warp, inst, info, &lanes, write)
            }
            Pattern::Same(at) => {
                if !write
                    && plain
                    && at >= low
                    && at < high
                    && high - at >= 4
                    && at.is_multiple_of(4)
                {
                    return self.shared_same(warp, inst, info, at);
                }
                self.shared_lanes(warp, inst, info, &[at; 32], write)
            }
            Pattern::Scattered(lanes) => self.shared_lanes(warp, inst, info, &lanes, write),
        }
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
            self.shared_race_row(warp, info, from, write)?;
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
            self.shared_race_lanes(warp, info, &[at; 32], Access::Read)?;
        }
        let counters = &mut self.lines[info.line as usize];
        counters.shld_req += 1;
        counters.shld_wf += 1;
        let mask = warp.mask;
        warp.regs.put_a(inst.d, &[self.shared[word]; 32], mask);
        Ok(())
    }

    pub(crate) fn shared_lanes(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        offsets: &Lanes,
        write: bool,
    ) -> Result<(), Box<Raise>> {
        self.check_shared(warp, info, offsets, write)?;
        let world = self.world;
        if world.options.uninit {
            let mut missing = 0;
            for l in each(warp.mask) {
                bytes_of(offsets[l], info.size, |w, bits| {
                    let have = &mut self.shared_init[w];
                    if write {
                        *have |= bits as u8;
                    } else {
                        missing |= u32::from(u32::from(*have) & bits != bits) << l;
                    }
                });
            }
            if missing != 0 {
                return Err(self.access_fault(
                    warp,
                    FaultKind::Uninitialised,
                    missing,
                    info,
                    offsets,
                    false,
                    Space::Shared,
                ));
            }
        }
        if world.options.races {
            self.shared_race_lanes(warp, info, offsets, Access::plain(write))?;
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

    /// Bounds and alignment of a shared request.
    pub(crate) fn check_shared(
        &self,
        warp: &Warp,
        info: &MemInfo,
        offsets: &Lanes,
        write: bool,
    ) -> Result<(), Box<Raise>> {
        let (low, high) = self.shared_bounds(info);
        let size = u64::from(info.size);
        let (mut outside, mut crooked) = (0, 0);
        for l in each(warp.mask) {
            let at = offsets[l];
            outside |= u32::from(at < low || at >= high || size > high - at) << l;
            crooked |= u32::from(!at.is_multiple_of(alignment(info))) << l;
        }
        let (kind, lanes) = match (outside, crooked) {
            (0, 0) => return Ok(()),
            (0, crooked) => (FaultKind::Misaligned, crooked),
            (outside, _) => (FaultKind::OutOfBoundsShared, outside),
        };
        Err(self.access_fault(warp, kind, lanes, info, offsets, write, Space::Shared))
    }

    /// A request to the thread's own memory.
    pub(crate) fn local_access(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        write: bool,
    ) -> Result<(), Box<Raise>> {
        let info = &self.world.code.mems[inst.c as usize];
        let lanes = match self.pattern(warp, inst, info, true) {
            Pattern::Same(at) => [at; 32],
            Pattern::Row(start) => {
                std::array::from_fn(|l| start.wrapping_add(l as u64 * u64::from(info.size)))
            }
            Pattern::Scattered(lanes) => lanes,
        };
        self.local_lanes(warp, inst, info, &lanes, write)
    }

    fn local_lanes(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        offsets: &Lanes,
        write: bool,
    ) -> Result<(), Box<Raise>> {
        let world = self.world;
        let (low, high) = match world.code.locals.get(info.var as usize) {
            Some(var) => (u64::from(var.offset), u64::from(var.offset + var.size)),
            None => (0, u64::from(world.code.local_bytes)),
        };
        let size = u64::from(info.size);
        let (mut outside, mut crooked, mut missing) = (0, 0, 0);
        for l in each(warp.mask) {
            let at = offsets[l];
            if at < low || at >= high || size > high - at {
                outside |= 1 << l;
            } else if !at.is_multiple_of(alignment(info)) {
                crooked |= 1 << l;
            } else if !write && world.options.uninit {
                bytes_of(at, info.size, |w, bits| {
                    let have = u32::from(warp.local_init[w][l]);
                    missing |= u32::from(have & bits != bits) << l;
                });
            }
        }
        for (kind, lanes) in [
            (FaultKind::OutOfBoundsLocal, outside),
            (FaultKind::Misaligned, crooked),
            (FaultKind::Uninitialised, missing),
        ] {
            if lanes != 0 {
                return Err(self.access_fault(
                    warp,
                    kind,
                    lanes,
                    info,
                    offsets,
                    write,
                    Space::Local,
                ));
            }
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
    fn string_lanes(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &MemInfo,
        lanes: &Lanes,
        write: bool,
    ) -> Result<(), Box<Raise>> {
        let strings = &self.world.code.strings;
        let end = strings.len() as u64;
        let offsets = lanes.map(|a| a.wrapping_sub(STRING_BASE));
        let mut bad = 0;
        for l in each(warp.mask) {
            let inside = offsets[l].checked_add(u64::from(info.size)).is_some_and(|e| e <= end);
            bad |= u32::from(write || !inside) << l;
        }
        if bad != 0 {
            let kind = if write { FaultKind::ReadOnly } else { FaultKind::OutOfBoundsGlobal };
            return Err(self.access_fault(warp, kind, bad, info, lanes, write, Space::String));
        }
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

/// Sets a flag without dirtying the cache line when it is set already.
#[inline(always)]
pub(crate) fn note(flag: &std::sync::atomic::AtomicBool) {
    if !flag.load(Ordering::Relaxed) {
        flag.store(true, Ordering::Relaxed);
    }
}

/// Required alignment of a request in bytes.
pub(crate) fn alignment(info: &MemInfo) -> u64 {
    if info.size.is_power_of_two() { u64::from(info.size) } else { u64::from(info.kind.size()) }
}

/// Addresses of a row whose first active lane stands at `addr`.
pub(crate) fn row_lanes(addr: u64, mask: u32, size: u32) -> Lanes {
    let first = u64::from(mask.trailing_zeros());
    let start = addr.wrapping_sub(first * u64::from(size));
    std::array::from_fn(|l| start.wrapping_add(l as u64 * u64::from(size)))
}

/// The space that an address lies in.
pub(crate) fn space_of(addr: u64) -> Space {
    match addr {
        SHARED_BASE..LOCAL_BASE => Space::Shared,
        LOCAL_BASE..STRING_BASE => Space::Local,
        STRING_BASE..GLOBAL_BASE => Space::String,
        _ => Space::Global,
    }
}
