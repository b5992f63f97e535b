//! Atomics: a word is read, changed and written in one step, lane after lane.

use std::ops::{Add, Sub};

use super::access::{bytes_of, note, unwritten, window_of};
use super::block::Worker;
use super::halt::{Halt, Window};
use super::lanes::{Lanes, distinct, each};
use super::math;
use super::race::Access;
use super::warp::Warp;
use super::world::{memory_bits, register_bits};
use crate::bytecode::{CallInfo, Kind, MemInfo, NONE};
use crate::fault::{FaultKind, ThreadAction};
use crate::hir::{AtomicOp, Math2, Ty};
use crate::memory::SHARED_BASE;

/// New value of an atomic, in the register bits of `ty`.
pub(super) fn combine(op: AtomicOp, ty: &Ty, old: u64, operand: u64) -> u64 {
    let bits = |bits: u64, signed: bool, sign: &dyn Fn(u64) -> i64| {
        whole(op, old & bits, operand & bits, signed, sign)
    };
    match ty {
        Ty::F32 | Ty::F16 => {
            let (x, y) = (f32::from_bits(old as u32), f32::from_bits(operand as u32));
            let Some(new) = real(op, x, y, |f| math::math2_f32(f as i32, x, y)) else {
                return bits(0xffff_ffff, false, &|v| v as i64);
            };
            let rounded = if *ty == Ty::F16 { half::f16::from_f32(new).to_f32() } else { new };
            u64::from(rounded.to_bits())
        }
        Ty::F64 => {
            let (x, y) = (f64::from_bits(old), f64::from_bits(operand));
            match real(op, x, y, |f| math::math2_f64(f as i32, x, y)) {
                Some(new) => new.to_bits(),
                None => bits(u64::MAX, false, &|v| v as i64),
            }
        }
        Ty::Int { bits: 8 | 16 | 32, signed } => {
            compiler::known::wrap(ty, bits(0xffff_ffff, *signed, &|v| i64::from(v as i32)))
        }
        // Pointers and the like are as wide as the widest integer.
        _ => bits(u64::MAX, matches!(ty, Ty::Int { signed: true, .. }), &|v| v as i64),
    }
}

/// `None`: what `op` changes are bits, not a number. `pick` is the smaller or the larger one.
fn real<T: Add<Output = T> + Sub<Output = T>>(
    op: AtomicOp,
    x: T,
    y: T,
    pick: impl Fn(Math2) -> T,
) -> Option<T> {
    Some(match op {
        AtomicOp::Add => x + y,
        AtomicOp::Sub => x - y,
        AtomicOp::Min => pick(Math2::Fmin),
        AtomicOp::Max => pick(Math2::Fmax),
        AtomicOp::Exch => y,
        AtomicOp::Inc | AtomicOp::Dec | AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => {
            return None;
        }
    })
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

/// A request, and where its lanes are.
struct Request<'i> {
    info: &'i CallInfo,
    kind: Kind,
    addresses: Lanes,
    /// Addresses from the start of shared memory on.
    offsets: Lanes,
    /// Lanes in shared memory; the others are in global memory.
    shared: u32,
    /// By lane in global memory: its allocation.
    owner: [usize; 32],
}

impl Worker<'_> {
    /// An atomic operation, or without `op` a compare-and-swap.
    pub(super) fn atomic(
        &mut self,
        warp: &mut Warp,
        info: &CallInfo,
        op: Option<AtomicOp>,
        ty: &Ty,
    ) -> Result<(), Box<Halt>> {
        let request = self.atomic_request(warp, info, Kind::of(ty))?;
        let needs_old = op != Some(AtomicOp::Exch);
        if self.world.options.uninit && needs_old && self.atomic_unwritten(warp, &request) != 0 {
            self.unwritten_read()?;
        }
        if self.world.options.races {
            self.atomic_races(warp, &request)?;
        }
        let operand = warp.row(info.args[1]);
        let third = info.args.get(2).map(|a| warp.row(*a));
        let mut old = [0u64; 32];
        let changed = |l: usize, value: u64| match (op, &third) {
            (Some(op), _) => combine(op, ty, value, operand[l]),
            (None, Some(new)) if value == operand[l] => new[l],
            (None, _) => value,
        };
        for l in each(warp.mask) {
            let change = |value: u64| changed(l, value);
            old[l] = if request.shared >> l & 1 == 1 {
                self.shared_atomic(request.offsets[l], request.kind, change)
            } else {
                self.global_atomic(request.owner[l], request.addresses[l], request.kind, change)
            };
        }
        if self.world.may_wait {
            self.looked = true;
            if each(warp.mask & !request.shared).any(|l| changed(l, old[l]) != old[l]) {
                self.looked = false;
                self.changed_at = self.issued;
            }
        }
        self.count_atomic(warp, &request);
        warp.put(info.dest, &old, warp.mask);
        Ok(())
    }

    /// Finds the memory of each lane; a fault if one has none, or its address is not aligned.
    fn atomic_request<'i>(
        &self,
        warp: &Warp,
        info: &'i CallInfo,
        kind: Kind,
    ) -> Result<Request<'i>, Box<Halt>> {
        let world = self.world;
        let size = kind.size();
        let addresses = warp.row(info.args[0]);
        let (mut shared, mut owner) = (0, [0usize; 32]);
        let [mut no_global, mut no_shared, mut crooked, mut constant] = [0u32; 4];
        for l in each(warp.mask) {
            let addr = addresses[l];
            let is_crooked = u32::from(!addr.is_multiple_of(u64::from(size))) << l;
            match window_of(addr) {
                Window::Shared => {
                    shared |= 1 << l;
                    let end = SHARED_BASE + u64::from(world.shared_bytes);
                    no_shared |= u32::from(addr + u64::from(size) > end) << l;
                    crooked |= is_crooked;
                }
                Window::Global => match world.find(addr) {
                    Some(at)
                        if world.allocs[at].size - (addr - world.allocs[at].base)
                            >= u64::from(size) =>
                    {
                        owner[l] = at;
                        crooked |= is_crooked;
                        constant |= u32::from(world.allocs[at].constant) << l;
                    }
                    _ => no_global |= 1 << l,
                },
                Window::Local | Window::String => no_global |= 1 << l,
            }
        }
        let offsets = addresses.map(|a| a.wrapping_sub(SHARED_BASE));
        let request = Request { info, kind, addresses, offsets, shared, owner };
        let crooked_in = match crooked {
            0 => Window::Global,
            lanes => window_of(request.addresses[lanes.trailing_zeros() as usize]),
        };
        let faults = [
            (FaultKind::OutOfBoundsGlobal, no_global, Window::Global),
            (FaultKind::OutOfBoundsShared, no_shared, Window::Shared),
            (FaultKind::Misaligned, crooked, crooked_in),
            (FaultKind::ReadOnly, constant, Window::Global),
        ];
        match faults.into_iter().find(|(_, lanes, _)| *lanes != 0) {
            None => Ok(request),
            Some((kind, lanes, window)) => {
                Err(self.atomic_fault(warp, &request, kind, lanes, window))
            }
        }
    }

    #[cold]
    fn atomic_fault(
        &self,
        warp: &Warp,
        request: &Request<'_>,
        kind: FaultKind,
        lanes: u32,
        window: Window,
    ) -> Box<Halt> {
        let addresses = match window {
            Window::Shared => &request.offsets,
            _ => &request.addresses,
        };
        let (span, size) = (request.info.span, request.kind.size());
        let action = ThreadAction::Updates;
        self.address_fault(warp, kind, lanes, span, addresses, size, NONE, action, window)
    }

    /// Lanes whose old value nobody has written.
    fn atomic_unwritten(&self, warp: &Warp, request: &Request<'_>) -> u32 {
        let Request { addresses, offsets, shared, owner, .. } = request;
        let (allocs, size) = (&self.world.allocs, request.kind.size());
        let missing = unwritten(offsets, *shared, size, |_, w| u32::from(self.shared_init[w]));
        let global = warp.mask & !shared;
        let mut inside = [0; 32];
        for l in each(global) {
            inside[l] = addresses[l] - allocs[owner[l]].base;
        }
        missing | unwritten(&inside, global, size, |l, w| allocs[owner[l]].init_bits(w))
    }

    /// Notes the request for the search for races.
    fn atomic_races(&mut self, warp: &mut Warp, request: &Request<'_>) -> Result<(), Box<Halt>> {
        let Request { info, shared, owner, .. } = request;
        let size = request.kind.size();
        let access = MemInfo {
            kind: request.kind,
            regs: Vec::new(),
            size,
            scale: 0,
            signed: false,
            uniform: false,
            var: NONE,
            elem: size,
            partial: false,
            span: info.span,
            line: info.line,
        };
        let now = self.tick();
        for l in each(warp.mask) {
            warp.atomic_times[l] = now;
            warp.told_stamps[l] = self.shadow.fenced;
        }
        let (all, active) = (warp.mask, warp.active);
        if *shared != 0 {
            warp.set_mask(*shared);
            let result = self.shared_race_lanes(warp, &access, &request.offsets, Access::Atomic);
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
            self.race_lanes(warp, &access, alloc, &request.addresses, group, Access::Atomic)?;
        }
        Ok(())
    }

    /// Counts the request.
    fn count_atomic(&mut self, warp: &Warp, request: &Request<'_>) {
        let Request { info, addresses, shared, owner, .. } = request;
        let world = self.world;
        let counters = &mut self.lines[info.line as usize];
        counters.atom_req += 1;
        counters.atom_lane += u64::from(warp.active);
        let most = most_equal(addresses, warp.mask);
        counters.atom_ser += most - 1;
        let global = warp.mask & !shared;
        if global == 0 {
            return;
        }
        self.global_atomics += if most == u64::from(warp.active) {
            1 // one address for all: nvcc adds up within the warp first
        } else {
            distinct(&addresses.map(|a| a / 32), global) + most - 1
        };
        for l in each(global) {
            note(&world.states[owner[l]].atomic);
            let at = addresses[l] - world.allocs[owner[l]].base;
            self.extents[owner[l]].atomic.add(at, at + u64::from(request.kind.size()));
        }
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
        let old = register_bits(kind, u64::from((before & bits) >> shift));
        let new = memory_bits(kind, change(old) as u32) << shift;
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
        self.touch(alloc, word, word + (kind.size() as usize).div_ceil(4) - 1);
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
            let old = register_bits(kind, u64::from((before & bits) >> shift));
            let new = memory_bits(kind, change(old) as u32) << shift;
            before & !bits | new
        });
        register_bits(kind, u64::from((before & bits) >> shift))
    }
}

/// Bits of a component of up to four bytes.
fn field(kind: Kind) -> u32 {
    if kind.size() == 4 { u32::MAX } else { (1 << (8 * kind.size())) - 1 }
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
