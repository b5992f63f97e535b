//! Operations with many operands: atomics, shuffles and votes, printf, assert, fences, the clock.

use super::access::{bytes_of, note, space_of, unwritten};
use super::alu::lanes;
use super::block::{Warp, Worker};
use super::fault::{Raise, Space};
use super::lanes::{Lanes, distinct, each};
use super::race::Access;
use crate::bytecode::{Bank, CallInfo, Inst, Kind, MemInfo, NONE, Reg, WarpOp, What};
use crate::fault::{FaultKind, ThreadAction};
use crate::hir::{AtomicOp, Math2, Shuffle, Ty};
use crate::memory::SHARED_BASE;

/// Register contents as 64-bit lanes, whatever the bank.
fn lanes_of(warp: &Warp, (bank, reg): (Bank, Reg)) -> Lanes {
    match bank {
        Bank::A => warp.regs.a[reg as usize].map(u64::from),
        Bank::B => warp.regs.b[reg as usize],
    }
}

fn put(warp: &mut Warp, dest: Option<(Bank, Reg)>, values: &Lanes, mask: u32) {
    match dest {
        Some((Bank::A, reg)) => warp.regs.put_a(reg, &values.map(|v| v as u32), mask),
        Some((Bank::B, reg)) => warp.regs.put_b(reg, values, mask),
        None => {}
    }
}

/// New value of an atomic, in the register bits of `ty`.
fn combine(op: AtomicOp, ty: &Ty, old: u64, operand: u64) -> u64 {
    let bits = |bits: u64, signed: bool, sign: &dyn Fn(u64) -> i64| {
        whole(op, old & bits, operand & bits, signed, sign)
    };
    match ty {
        Ty::F32 | Ty::F16 => {
            let (x, y) = (f32::from_bits(old as u32), f32::from_bits(operand as u32));
            let new = match op {
                AtomicOp::Add => x + y,
                AtomicOp::Sub => x - y,
                AtomicOp::Min => super::math::math2_f32(Math2::Fmin as i32, x, y),
                AtomicOp::Max => super::math::math2_f32(Math2::Fmax as i32, x, y),
                AtomicOp::Exch => y,
                AtomicOp::Inc | AtomicOp::Dec | AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => {
                    return bits(0xffff_ffff, false, &|v| v as i64);
                }
            };
            let rounded = if *ty == Ty::F16 { half::f16::from_f32(new).to_f32() } else { new };
            u64::from(rounded.to_bits())
        }
        Ty::F64 => {
            let (x, y) = (f64::from_bits(old), f64::from_bits(operand));
            let new = match op {
                AtomicOp::Add => x + y,
                AtomicOp::Sub => x - y,
                AtomicOp::Min => super::math::math2_f64(Math2::Fmin as i32, x, y),
                AtomicOp::Max => super::math::math2_f64(Math2::Fmax as i32, x, y),
                AtomicOp::Exch => y,
                AtomicOp::Inc | AtomicOp::Dec | AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => {
                    return bits(u64::MAX, false, &|v| v as i64);
                }
            };
            new.to_bits()
        }
        Ty::Int { bits: 8 | 16 | 32, signed } => {
            compiler::known::wrap(ty, bits(0xffff_ffff, *signed, &|v| i64::from(v as i32)))
        }
        // Pointers and the like are as wide as the widest integer.
        _ => bits(u64::MAX, matches!(ty, Ty::Int { signed: true, .. }), &|v| v as i64),
    }
}

fn whole(op: AtomicOp, old: u64, operand: u64, signed: bool, sign: impl Fn(u64) -> i64) -> u64 {
    let less = |a: u64, b: u64| if signed { sign(a) < sign(b) } else { a < b };
    match op {
        AtomicOp::Add => old.wrapping_add(operand),
        AtomicOp::Sub => old.wrapping_sub(operand),
        AtomicOp::Exch => operand,
        AtomicOp::Min => {
            if less(operand, old) {
                operand
            } else {
                old
            }
        }
        AtomicOp::Max => {
            if less(old, operand) {
                operand
            } else {
                old
            }
        }
        AtomicOp::Inc => {
            if old >= operand {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::Dec => {
            if old == 0 || old > operand {
                operand
            } else {
                old - 1
            }
        }
        AtomicOp::And => old & operand,
        AtomicOp::Or => old | operand,
        AtomicOp::Xor => old ^ operand,
    }
}

impl Worker<'_> {
    pub(crate) fn call(&mut self, warp: &mut Warp, inst: &Inst) -> Result<(), Box<Raise>> {
        let info = &self.world.code.calls[inst.c as usize];
        match &info.what {
            What::Atomic { op, ty } => self.atomic(warp, info, *op, ty),
            What::Warp { op, ty } => self.warp_call(warp, info, *op, ty),
            What::Printf(format, types) => self.print(warp, info, format, types),
            What::Assert(text) => {
                let (_, reg) = info.args[0];
                let failed = warp.mask & !lanes(&warp.regs.a[reg as usize], warp.mask);
                if failed == 0 {
                    return Ok(());
                }
                let at = self.world.program.sources().locate(info.span);
                let thread = self.world.thread_idx(32 * warp.index + failed.trailing_zeros());
                let (b, t) = (self.block, thread);
                let message = format!(
                    "{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{text}` failed",
                    at.file, at.line, self.world.kernel.name, b[0], b[1], b[2], t[0], t[1], t[2]
                );
                Err(self.raise(
                    warp,
                    FaultKind::Assert,
                    failed,
                    info.span,
                    "fails the assertion",
                    message,
                ))
            }
            What::Trap => {
                let who = self.who(warp.index, warp.mask.trailing_zeros());
                let message = format!("{who} executes __trap()");
                Err(self.raise(warp, FaultKind::Trap, warp.mask, info.span, "traps here", message))
            }
            What::Fence => {
                self.fenced(warp);
                Ok(())
            }
            What::Clock => {
                // The run is counted when it begins; up to here only `imm` of its instructions have
                // been issued.
                let counter = self.counter_of(warp.pc);
                let len = u64::from(self.world.code.runs[counter].len);
                let now = self.issued.saturating_sub(len) + inst.imm as u64 + 1;
                put(warp, info.dest, &[now; 32], warp.mask);
                Ok(())
            }
        }
    }

    /// Counter index of the control instruction before `pc`.
    fn counter_of(&self, pc: usize) -> usize {
        let insts = &self.world.code.insts;
        insts[..pc].iter().rposition(|i| i.op.is_control()).map_or(0, |at| insts[at].b as usize)
    }

    fn atomic(
        &mut self,
        warp: &mut Warp,
        info: &CallInfo,
        op: Option<AtomicOp>,
        ty: &Ty,
    ) -> Result<(), Box<Raise>> {
        let world = self.world;
        let kind = Kind::of(ty);
        let size = kind.size();
        let addresses = lanes_of(warp, info.args[0]);
        let operand = lanes_of(warp, info.args[1]);
        let third = info.args.get(2).map(|a| lanes_of(warp, *a));
        let fault = |w: &Self, warp: &Warp, kind, lanes, addrs: &Lanes, space| {
            w.address_fault(
                warp,
                kind,
                lanes,
                info.span,
                addrs,
                size,
                NONE,
                ThreadAction::Updates,
                space,
            )
        };
        let access = MemInfo {
            kind,
            regs: Vec::new(),
            size,
            scale: 0,
            signed: false,
            uniform: false,
            var: NONE,
            elem: size,
            span: info.span,
            line: info.line,
        };
        let mut shared = 0;
        let mut bad = [0u32; 4];
        let mut owner = [0usize; 32];
        for l in each(warp.mask) {
            let addr = addresses[l];
            let crooked = !addr.is_multiple_of(u64::from(size));
            match space_of(addr) {
                Space::Shared => {
                    shared |= 1 << l;
                    let end = SHARED_BASE + u64::from(world.shared_bytes);
                    bad[1] |= u32::from(addr + u64::from(size) > end) << l;
                    bad[2] |= u32::from(crooked) << l;
                }
                Space::Global => match world.find(addr) {
                    Some(at)
                        if world.allocs[at].size - (addr - world.allocs[at].base)
                            >= u64::from(size) =>
                    {
                        owner[l] = at;
                        bad[2] |= u32::from(crooked) << l;
                        bad[3] |= u32::from(world.allocs[at].constant) << l;
                    }
                    _ => bad[0] |= 1 << l,
                },
                _ => bad[0] |= 1 << l,
            }
        }
        let offsets = addresses.map(|a| a.wrapping_sub(SHARED_BASE));
        if bad[0] != 0 {
            return Err(fault(
                self,
                warp,
                FaultKind::OutOfBoundsGlobal,
                bad[0],
                &addresses,
                Space::Global,
            ));
        }
        if bad[1] != 0 {
            return Err(fault(
                self,
                warp,
                FaultKind::OutOfBoundsShared,
                bad[1],
                &offsets,
                Space::Shared,
            ));
        }
        if bad[2] != 0 {
            let space = space_of(addresses[bad[2].trailing_zeros() as usize]);
            let addrs = if space == Space::Shared { &offsets } else { &addresses };
            return Err(fault(self, warp, FaultKind::Misaligned, bad[2], addrs, space));
        }
        if bad[3] != 0 {
            return Err(fault(self, warp, FaultKind::ReadOnly, bad[3], &addresses, Space::Global));
        }
        let needs_old = op != Some(AtomicOp::Exch);
        let mut missing = 0;
        if world.options.uninit && needs_old {
            let in_block = |_: usize, w: usize| u32::from(self.shared_init[w]);
            missing = unwritten(&offsets, shared, size, in_block);
            let global = warp.mask & !shared;
            let mut inside = [0; 32];
            for l in each(global) {
                inside[l] = addresses[l] - world.allocs[owner[l]].base;
            }
            missing |= unwritten(&inside, global, size, |l, w| world.allocs[owner[l]].init_bits(w));
        }
        if missing != 0 {
            self.unwritten_read()?;
        }
        if world.options.races {
            let now = self.tick();
            for l in each(warp.mask) {
                warp.atomic_times[l] = now;
                warp.told_stamps[l] = self.shadow.fenced;
            }
            let (all, active) = (warp.mask, warp.active);
            if shared != 0 {
                warp.set_mask(shared);
                let result = self.shared_race_lanes(warp, &access, &offsets, Access::Atomic);
                (warp.mask, warp.active) = (all, active);
                result?;
            }
            let mut left = all & !shared;
            while left != 0 {
                let alloc = owner[left.trailing_zeros() as usize];
                let mut group = 0;
                for l in each(left) {
                    group |= u32::from(owner[l] == alloc) << l;
                }
                left &= !group;
                self.race_lanes(warp, &access, alloc, &addresses, group, Access::Atomic)?;
            }
        }
        let mut old = [0u64; 32];
        for l in each(warp.mask) {
            let change = |value: u64| match (op, &third) {
                (Some(op), _) => combine(op, ty, value, operand[l]),
                (None, Some(new)) if value == operand[l] => new[l],
                (None, _) => value,
            };
            old[l] = if shared >> l & 1 == 1 {
                self.shared_atomic(offsets[l], kind, change)
            } else {
                self.global_atomic(owner[l], addresses[l], kind, change)
            };
        }
        let counters = &mut self.lines[info.line as usize];
        counters.atom_req += 1;
        counters.atom_lane += u64::from(warp.active);
        let most = most_equal(&addresses, warp.mask);
        counters.atom_ser += most - 1;
        let global = warp.mask & !shared;
        if global != 0 {
            self.global_atomics += if most == u64::from(warp.active) {
                1 // one address for all: nvcc adds up within the warp first
            } else {
                distinct(&addresses.map(|a| a / 32), global) + most - 1
            };
            for l in each(global) {
                note(&world.states[owner[l]].atomic);
                let at = addresses[l] - world.allocs[owner[l]].base;
                self.extents[owner[l]].atomic.add(at, at + u64::from(kind.size()));
            }
        }
        put(warp, info.dest, &old, warp.mask);
        Ok(())
    }

    fn shared_atomic(&mut self, offset: u64, kind: Kind, change: impl Fn(u64) -> u64) -> u64 {
        let word = (offset / 4) as usize;
        if kind == Kind::W64 {
            let old = u64::from(self.shared[word + 1]) << 32 | u64::from(self.shared[word]);
            let new = change(old);
            self.shared[word] = new as u32;
            self.shared[word + 1] = (new >> 32) as u32;
            self.shared_init[word] = 15;
            self.shared_init[word + 1] = 15;
            return old;
        }
        let shift = 8 * (offset % 4);
        let bits = field(kind) << shift;
        let before = self.shared[word];
        let old = super::world::register_bits(kind, u64::from((before & bits) >> shift));
        let new = super::world::memory_bits(kind, change(old) as u32) << shift;
        self.shared[word] = before & !bits | new;
        bytes_of(offset, kind.size(), |w, b| self.shared_init[w] |= b as u8);
        old
    }

    fn global_atomic(
        &mut self,
        alloc: usize,
        addr: u64,
        kind: Kind,
        change: impl Fn(u64) -> u64,
    ) -> u64 {
        let world = self.world;
        let a = &world.allocs[alloc];
        let offset = addr - a.base;
        let word = (offset / 4) as usize;
        note(&world.states[alloc].read);
        world.touch(alloc, word, word + (kind.size() as usize).div_ceil(4) - 1);
        if world.options.uninit && !a.is_all_init() {
            bytes_of(offset, kind.size(), |w, b| a.mark_bits(w, b));
        }
        if kind == Kind::W64 {
            // Two words: in parallel runs one block at a time.
            let _guard = world.parallel.then(|| world.wide_atomics());
            let old = u64::from(a.load(word + 1)) << 32 | u64::from(a.load(word));
            let new = change(old);
            a.store(word, new as u32);
            a.store(word + 1, (new >> 32) as u32);
            return old;
        }
        let shift = 8 * (offset % 4);
        let bits = field(kind) << shift;
        let before = a.update(word, |before| {
            let old = super::world::register_bits(kind, u64::from((before & bits) >> shift));
            let new = super::world::memory_bits(kind, change(old) as u32) << shift;
            before & !bits | new
        });
        super::world::register_bits(kind, u64::from((before & bits) >> shift))
    }

    /// Shuffles, votes, `__syncwarp`.
    fn warp_call(
        &mut self,
        warp: &mut Warp,
        info: &CallInfo,
        op: WarpOp,
        ty: &Ty,
    ) -> Result<(), Box<Raise>> {
        let counters = &mut self.lines[info.line as usize];
        counters.shfl += u64::from(!matches!(op, WarpOp::SyncWarp | WarpOp::ActiveMask));
        if op == WarpOp::ActiveMask {
            put(warp, info.dest, &[u64::from(warp.mask); 32], warp.mask);
            return Ok(());
        }
        let named = lanes_of(warp, info.args[0]);
        self.check_mask(warp, info, &named)?;
        self.warp_synchronised(warp);
        let mask = warp.mask;
        let value = info.args.get(1).map(|a| lanes_of(warp, *a)).unwrap_or([0; 32]);
        let mut out = [0u64; 32];
        // With different masks in one instruction each group votes for itself.
        let mut voted = |result: &dyn Fn(u32, u32) -> u32| {
            let yes = each(mask).fold(0u32, |m, l| m | u32::from(value[l] != 0) << l);
            for l in each(mask) {
                let group = named[l] as u32 & mask;
                out[l] = u64::from(result(yes & group, group));
            }
        };
        match op {
            WarpOp::Shfl(kind) => {
                let lane = lanes_of(warp, info.args[2]);
                let width = lanes_of(warp, info.args[3]);
                let mut absent = 0u32;
                for l in each(mask) {
                    let from = source_lane(kind, l as u32, lane[l] as u32, width[l] as u32);
                    if mask >> from & 1 == 0 {
                        absent |= 1 << l;
                    }
                    out[l] = value[from as usize];
                }
                if absent != 0 && self.world.options.uninit {
                    self.unwritten_read()?;
                }
            }
            WarpOp::Ballot => voted(&|yes, _| yes),
            WarpOp::VoteAll => voted(&|yes, group| u32::from(yes == group)),
            WarpOp::VoteAny => voted(&|yes, _| u32::from(yes != 0)),
            WarpOp::MatchAny => {
                for l in each(mask) {
                    let group = each(named[l] as u32 & mask).filter(|k| value[*k] == value[l]);
                    out[l] = group.fold(0, |m, k| m | 1 << k);
                }
            }
            WarpOp::WarpReduce(op) => {
                for l in each(mask) {
                    let group = each(named[l] as u32 & mask);
                    let sum = group.map(|k| value[k]).reduce(|a, b| combine(op, ty, a, b));
                    out[l] = sum.unwrap_or(0);
                }
            }
            WarpOp::SyncWarp | WarpOp::ActiveMask => {}
        }
        put(warp, info.dest, &out, mask);
        Ok(())
    }

    /// The mask of a warp operation must name the lanes that are there, and each lane must name
    /// itself.
    fn check_mask(&self, warp: &Warp, info: &CallInfo, named: &Lanes) -> Result<(), Box<Raise>> {
        let alive_elsewhere = warp.alive & !warp.mask;
        for l in each(warp.mask) {
            let want = named[l] as u32;
            let absent = want & alive_elsewhere;
            let lost = want & !warp.alive & self.world.warp_mask(warp.index);
            let who = || self.who(warp.index, l as u32);
            let message = if want >> l & 1 == 0 {
                format!(
                    "{} is not in the mask {want:#010x} of the warp operation it executes",
                    who()
                )
            } else if absent != 0 {
                format!(
                    "{} waits in a warp operation with mask {want:#010x}, but thread {} does not reach it",
                    who(),
                    self.lane_list(warp.index, absent)
                )
            } else if lost != 0 {
                format!(
                    "{} waits in a warp operation with mask {want:#010x}, but thread {} has ended",
                    who(),
                    self.lane_list(warp.index, lost)
                )
            } else {
                continue;
            };
            let kind = FaultKind::DivergentBarrier;
            return Err(self.raise(warp, kind, 1 << l, info.span, "waits here", message));
        }
        Ok(())
    }
}

/// Bits of a component of up to four bytes.
fn field(kind: Kind) -> u32 {
    if kind.size() == 4 { u32::MAX } else { (1 << (8 * kind.size())) - 1 }
}

/// Lane that a shuffle reads from, as the card's rules say: outside its segment a lane reads
/// itself.
pub(crate) fn source_lane(kind: Shuffle, lane: u32, operand: u32, width: u32) -> u32 {
    let width = if width.is_power_of_two() && width <= 32 { width } else { 32 };
    let first = lane & !(width - 1);
    // The card looks at five bits only.
    let operand = operand & 31;
    match kind {
        Shuffle::Idx => first | operand & (width - 1),
        Shuffle::Up => match lane.checked_sub(operand) {
            Some(from) if from >= first => from,
            _ => lane,
        },
        Shuffle::Down => match lane.checked_add(operand) {
            Some(from) if from < first + width => from,
            _ => lane,
        },
        Shuffle::Xor => {
            let from = lane ^ operand;
            if from < first + width && from < 32 { from } else { lane }
        }
    }
}

/// Largest number of lanes with one address.
fn most_equal(addresses: &Lanes, mask: u32) -> u64 {
    let mut left = mask;
    let mut most = 0;
    while left != 0 {
        let addr = addresses[left.trailing_zeros() as usize];
        let mut group = 0u32;
        for l in each(left) {
            group |= u32::from(addresses[l] == addr) << l;
        }
        most = most.max(group.count_ones());
        left &= !group;
    }
    u64::from(most)
}
