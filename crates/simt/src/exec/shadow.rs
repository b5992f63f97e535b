//! Data races: who touched each word last, and whether anything orders that before the access at hand.
//!
//! Two accesses are ordered if one thread makes both, if a barrier of the block lies between them, if both threads
//! are in one warp and a warp operation lies between them, or, across blocks, if the writer's block has fenced
//! since and the reader's block has done an atomic after that (the idiom of the last block). All else is a race as
//! soon as one side writes and not both are atomic; writing the same value is no excuse.
//!
//! Time is counted in *stamps* that grow at every barrier and warp operation, so that "before the barrier" is a
//! comparison of numbers. Shared memory keeps all that a message needs. Global memory keeps 4 bytes for the last
//! writer and 4 for the last readers of a word; when a race is found there, the launch runs again with that word
//! under watch to name the other side.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::block::{Warp, Worker};
use super::fault::{Raise, Space};
use super::lanes::{Lanes, each};
use super::world::World;
use crate::bytecode::MemInfo;
use crate::fault::FaultKind;
use crate::hir::Ty;
use crate::source::Span;

// ---------------------------------------------------------------- shared memory

/// Last accesses to each granule of a block's shared memory: a word, or a byte where bytes are accessed.
#[derive(Debug, Default)]
pub(crate) struct SharedShadow {
    writer: Vec<u64>,
    /// First reader of the interval, and another one.
    readers: [Vec<u64>; 2],
    byte: bool,
    now: u32,
    /// Stamps before this one lie before the last barrier.
    interval: u32,
}

/// An access in shared memory: stamp, atomic or not, thread, instruction.
fn entry(stamp: u32, atomic: bool, thread: u32, pc: usize) -> u64 {
    u64::from(stamp) << 32 | u64::from(atomic) << 31 | u64::from(thread) << 21 | pc as u64
}

fn stamp_of(e: u64) -> u32 {
    (e >> 32) as u32
}

fn thread_of(e: u64) -> u32 {
    (e >> 21) as u32 & 1023
}

fn is_atomic(e: u64) -> bool {
    e >> 31 & 1 == 1
}

fn pc_of(e: u64) -> usize {
    (e & ((1 << 21) - 1)) as usize
}

impl SharedShadow {
    pub fn new(world: &World<'_>) -> SharedShadow {
        if !world.options.races {
            return SharedShadow::default();
        }
        let byte = world.code.sub_word_shared;
        let count = (world.shared_bytes as usize).div_ceil(4) * if byte { 4 } else { 1 };
        let readers = [vec![0; count], vec![0; count]];
        SharedShadow { writer: vec![0; count], readers, byte, now: 0, interval: 0 }
    }

    pub fn next_block(&mut self) {
        self.barrier();
    }

    pub fn barrier(&mut self) {
        if self.now == u32::MAX {
            self.writer.fill(0);
            self.readers.iter_mut().for_each(|r| r.fill(0));
            self.now = 0;
        }
        self.now += 1;
        self.interval = self.now;
    }

    /// The access `e` comes before what `thread` of `warp` does now.
    #[inline(always)]
    fn ordered(&self, e: u64, warp: &Warp, thread: u32) -> bool {
        let stamp = stamp_of(e);
        stamp < self.interval
            || thread_of(e) == thread
            || thread_of(e) / 32 == warp.index && stamp < warp.sync_stamp
    }

    /// Notes a read of granule `g`; the writer if it is not ordered before.
    #[inline(always)]
    fn read(&mut self, g: usize, warp: &Warp, thread: u32, pc: usize) -> Option<u64> {
        let w = self.writer[g];
        if stamp_of(w) >= self.interval && !self.ordered(w, warp, thread) {
            return Some(w);
        }
        let new = entry(self.now, false, thread, pc);
        let first = self.readers[0][g];
        if stamp_of(first) < self.interval || self.ordered(first, warp, thread) {
            self.readers[0][g] = new;
        } else {
            // Keep a reader of another warp if there is one.
            let second = self.readers[1][g];
            if stamp_of(second) < self.interval
                || thread_of(second) / 32 == thread_of(first) / 32
                || thread_of(second) == thread
            {
                self.readers[1][g] = new;
            }
        }
        None
    }

    /// Notes a write; the access that is not ordered before.
    #[inline(always)]
    fn write(
        &mut self,
        g: usize,
        warp: &Warp,
        thread: u32,
        pc: usize,
        atomic: bool,
    ) -> Option<Conflict> {
        let w = self.writer[g];
        if stamp_of(w) >= self.interval
            && !(atomic && is_atomic(w))
            && !self.ordered(w, warp, thread)
        {
            return Some(Conflict { other: w, wrote: true });
        }
        for readers in &self.readers {
            let r = readers[g];
            if stamp_of(r) >= self.interval && !self.ordered(r, warp, thread) {
                return Some(Conflict { other: r, wrote: false });
            }
        }
        self.writer[g] = entry(self.now, atomic, thread, pc);
        None
    }
}

/// The other side of a race in shared memory.
struct Conflict {
    other: u64,
    wrote: bool,
}

impl Worker<'_> {
    /// Consecutive words of shared memory, one per active lane.
    #[inline(always)]
    pub(crate) fn shared_race_row(
        &mut self,
        warp: &Warp,
        info: &MemInfo,
        from: u64,
        write: bool,
    ) -> Result<(), Box<Raise>> {
        let shadow = &mut self.shadow;
        if !shadow.byte {
            let first = warp.mask.trailing_zeros();
            let (g, n) = ((from / 4) as usize, warp.active as usize);
            let old = shadow.interval;
            let thread = 32 * warp.index + first;
            let new = entry(shadow.now, false, thread, warp.pc);
            let writers = &mut shadow.writer[g..g + n];
            let readers = &mut shadow.readers[0][g..g + n];
            let quiet = writers.iter().all(|w| stamp_of(*w) < old);
            if quiet && !write {
                if readers.iter().all(|r| stamp_of(*r) < old) {
                    for (k, r) in readers.iter_mut().enumerate() {
                        *r = new + ((k as u64) << 21);
                    }
                    return Ok(());
                }
            } else if quiet && readers.iter().all(|r| stamp_of(*r) < old) {
                for (k, w) in writers.iter_mut().enumerate() {
                    *w = new + ((k as u64) << 21);
                }
                return Ok(());
            }
        }
        let start = from.wrapping_sub(4 * u64::from(warp.mask.trailing_zeros()));
        let lanes = std::array::from_fn(|l| start.wrapping_add(4 * l as u64));
        self.shared_race_lanes(warp, info, &lanes, write, false)
    }

    pub(crate) fn shared_race_lanes(
        &mut self,
        warp: &Warp,
        info: &MemInfo,
        offsets: &Lanes,
        write: bool,
        atomic: bool,
    ) -> Result<(), Box<Raise>> {
        let (unit, count) = match self.shadow.byte {
            true => (1, info.size),
            false => (4, info.size.div_ceil(4)),
        };
        for l in each(warp.mask) {
            let thread = 32 * warp.index + l as u32;
            let first = (offsets[l] / unit) as usize;
            for g in first..first + count as usize {
                let conflict = if write {
                    self.shadow.write(g, warp, thread, warp.pc, atomic)
                } else {
                    let other = self.shadow.read(g, warp, thread, warp.pc);
                    other.map(|other| Conflict { other, wrote: true })
                };
                if let Some(conflict) = conflict {
                    return Err(self.shared_race(warp, info, offsets, l, &conflict, write, atomic));
                }
            }
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    #[cold]
    fn shared_race(
        &self,
        warp: &Warp,
        info: &MemInfo,
        offsets: &Lanes,
        lane: usize,
        conflict: &Conflict,
        write: bool,
        atomic: bool,
    ) -> Box<Raise> {
        let span = self.world.code.spans[pc_of(conflict.other)];
        let note = Note {
            block: self.block,
            thread: thread_of(conflict.other),
            span: self.memory_span(pc_of(conflict.other)).unwrap_or(span),
            wrote: conflict.wrote,
            atomic: is_atomic(conflict.other),
        };
        self.race_fault(warp, info, offsets, lane, Some(&note), write, atomic, Space::Shared)
    }

    /// Text of the access at `pc`, which may be more exact than that of the instruction.
    fn memory_span(&self, pc: usize) -> Option<Span> {
        let code = self.world.code;
        let inst = code.insts.get(pc)?;
        if inst.op == crate::bytecode::Op::Call {
            return Some(code.calls[inst.c as usize].span);
        }
        code.mems.get(inst.c as usize).map(|m| m.span)
    }

    #[allow(clippy::too_many_arguments)]
    fn race_fault(
        &self,
        warp: &Warp,
        info: &MemInfo,
        addresses: &Lanes,
        lane: usize,
        other: Option<&Note>,
        write: bool,
        atomic: bool,
        space: Space,
    ) -> Box<Raise> {
        let kind =
            if space == Space::Shared { FaultKind::RaceShared } else { FaultKind::RaceGlobal };
        let named = self.target(addresses[lane], info.elem, space, info.var);
        let element = match &named {
            Some((target, _)) => self.element(target, space, info.var),
            None => format!("address {:#x}", addresses[lane]),
        };
        let does = match (write, atomic) {
            (_, true) => "atomically updates",
            (true, _) => "writes",
            _ => "reads",
        };
        let same = each(warp.mask)
            .filter(|l| addresses[*l] == addresses[lane])
            .fold(0u32, |m, l| m | 1 << l);
        let together = write && !atomic && same.count_ones() > 1;
        let who = self.who(warp.index, lane as u32);
        let message = match other {
            _ if together => format!(
                "{} threads of block {} write {element} at the same time, among them {}",
                same.count_ones(),
                triple(self.block),
                self.lane_list(warp.index, same)
            ),
            Some(note) if note.block == self.block => {
                let hint = if space == Space::Shared || note.thread / 32 != warp.index {
                    "barrier"
                } else {
                    "__syncwarp() or barrier"
                };
                format!(
                    "{who} {does} {element}, which thread {} {} with no {hint} between",
                    triple(self.world.thread_idx(note.thread)),
                    note.past()
                )
            }
            Some(note) => format!(
                "{who} {does} {element}, which thread {} of block {} {}: nothing orders the two blocks",
                triple(self.world.thread_idx(note.thread)),
                triple(note.block),
                note.past()
            ),
            None => format!(
                "{who} {does} {element}, which another thread also touches, with nothing to order the two"
            ),
        };
        let lanes = if together { same } else { 1 << lane };
        let action = match (write, atomic) {
            (_, true) => "updates here",
            (true, _) => "writes here",
            _ => "reads here",
        };
        let mut raise = self.raise(warp, kind, lanes, info.span, action, message);
        if let Some(fault) = &mut raise.fault {
            fault.target = named.map(|(target, _)| target);
            fault.other = if together {
                let second = (same & (same - 1)).trailing_zeros();
                Some(self.site(warp.index, second, info.span, "writes here"))
            } else {
                other.map(|n| self.site_in(n.block, n.thread, n.span, n.action()))
            };
        }
        raise
    }

    /// Accesses of the warp up to now come before those after.
    pub(crate) fn warp_synchronised(&mut self, warp: &mut Warp) {
        if !self.world.options.races {
            return;
        }
        self.shadow.now = self.shadow.now.saturating_add(1);
        warp.sync_stamp = self.shadow.now;
        warp.sync_seq = self.global_shadow.last + 1;
        self.global_shadow.current = 0;
    }
}

fn triple([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}

// ---------------------------------------------------------------- global memory

/// Distinct stamps that a launch can give out for global memory; beyond, races there are no longer looked for.
const MAX_SEQ: u32 = 1 << 21;
/// Class of a readers' entry, in the low bits of the thread: several lanes of one warp, several warps, several blocks.
const LANES: u32 = 0;
const WARPS: u32 = 1;
const BLOCKS: u32 = 2;

/// Last writer and readers of each granule of an allocation: stamp, thread, and a bit for "atomic" or "several".
#[derive(Debug)]
pub(crate) struct AllocShadow {
    writer: Vec<AtomicU32>,
    readers: Vec<AtomicU32>,
    byte: bool,
}

/// The stamps of a launch: which block each belongs to, and when that block fenced it.
#[derive(Debug)]
pub(crate) struct Stamps {
    next: AtomicU32,
    block: Vec<AtomicU32>,
    fenced: Vec<AtomicU32>,
    /// Counts fences and atomics.
    clock: AtomicU32,
}

impl Stamps {
    pub fn new(races: bool) -> Stamps {
        let count = if races { MAX_SEQ as usize } else { 0 };
        let table = || bytemuck::allocation::zeroed_vec(count);
        Stamps {
            next: AtomicU32::new(1),
            block: table(),
            fenced: table(),
            clock: AtomicU32::new(1),
        }
    }
}

/// A block's view of the stamps.
#[derive(Debug, Default)]
pub(crate) struct GlobalClock {
    /// Stamp of accesses now; 0: take a new one first.
    current: u32,
    /// Last stamp taken.
    last: u32,
    /// First stamp of the barrier interval; `u32::MAX`: none yet.
    interval: u32,
    /// When the block last did an atomic.
    atomic_time: u32,
    /// Stamps of this block that no fence has covered.
    unfenced: Vec<u32>,
    /// Block number + 1.
    block: u32,
}

impl GlobalClock {
    pub fn next_block(&mut self, index: u64) {
        self.barrier();
        self.atomic_time = 0;
        self.unfenced.clear();
        self.block = index as u32 + 1;
    }

    pub fn barrier(&mut self) {
        self.current = 0;
        self.interval = u32::MAX;
    }
}

/// An access to the word under watch.
#[derive(Clone, Debug)]
pub(crate) struct Note {
    block: [u32; 3],
    thread: u32,
    span: Span,
    wrote: bool,
    atomic: bool,
}

impl Note {
    fn past(&self) -> &'static str {
        match (self.wrote, self.atomic) {
            (_, true) => "has atomically updated",
            (true, _) => "has written",
            _ => "has read",
        }
    }

    fn action(&self) -> &'static str {
        match (self.wrote, self.atomic) {
            (_, true) => "updates here",
            (true, _) => "writes here",
            _ => "reads here",
        }
    }
}

/// The word whose accesses are noted.
#[derive(Debug)]
pub(crate) struct Watch {
    addr: u64,
    size: u64,
    notes: Vec<Note>,
}

/// Accesses to the word under watch that are kept; older ones go first.
const MAX_NOTES: usize = 4096;

fn holds_bytes(module: &crate::hir::Module, ty: &Ty) -> bool {
    match ty {
        Ty::Array(elem, _) => holds_bytes(module, elem),
        Ty::Struct(id) => {
            module.structs[id.0 as usize].fields.iter().any(|f| holds_bytes(module, &f.ty))
        }
        Ty::Void => false,
        scalar => module.size_of(scalar) < 4,
    }
}

impl World<'_> {
    fn shadow(&self, alloc: usize) -> &AllocShadow {
        let cell: &OnceLock<AllocShadow> = &self.states[alloc].shadow;
        cell.get_or_init(|| {
            let a = &self.allocs[alloc];
            let byte =
                self.code.mems.iter().any(|m| m.kind.size() < 4) && self.is_byte_buffer(a.base);
            let count = if byte { a.words() * 4 } else { a.words() };
            AllocShadow {
                writer: bytemuck::allocation::zeroed_vec(count),
                readers: bytemuck::allocation::zeroed_vec(count),
                byte,
            }
        })
    }

    /// The buffer holds values smaller than a word, as far as types tell.
    fn is_byte_buffer(&self, base: u64) -> bool {
        let module = self.program.module();
        let kernel = module
            .functions
            .iter()
            .find(|f| f.kernel.as_ref().is_some_and(|k| k.symbol == self.kernel.symbol));
        let params = kernel.map_or(&[][..], |f| &f.locals[..f.param_count as usize]);
        let by_param = params.iter().zip(&self.launch.args).any(|(param, arg)| {
            let Ty::Ptr(to, _) = &param.ty else { return false };
            let Some(bytes) = arg.get(..8).and_then(|b| b.try_into().ok()) else { return false };
            let inside = self.find(u64::from_le_bytes(bytes));
            inside.is_some_and(|i| self.allocs[i].base == base) && holds_bytes(module, to)
        });
        let by_global = self
            .addresses
            .iter()
            .position(|a| *a == base)
            .is_some_and(|i| holds_bytes(module, &module.globals[i].ty));
        by_param || by_global
    }
}

impl Worker<'_> {
    pub fn watch(&mut self, addr: u64, size: u64) {
        self.watch = Some(Watch { addr, size, notes: Vec::new() });
    }

    /// The stamp of global accesses now; 0 if there are none left.
    #[inline(always)]
    fn stamp(&mut self) -> u32 {
        if self.global_shadow.current != 0 {
            return self.global_shadow.current;
        }
        self.new_stamp()
    }

    #[cold]
    fn new_stamp(&mut self) -> u32 {
        let stamps = &self.world.stamps;
        if stamps.next.load(Ordering::Relaxed) >= MAX_SEQ {
            return 0;
        }
        let seq = stamps.next.fetch_add(1, Ordering::Relaxed);
        if seq >= MAX_SEQ {
            return 0;
        }
        let clock = &mut self.global_shadow;
        stamps.block[seq as usize].store(clock.block, Ordering::Release);
        clock.current = seq;
        clock.last = seq;
        clock.interval = clock.interval.min(seq);
        clock.unfenced.push(seq);
        seq
    }

    /// `__threadfence`: what the block did before can be seen by others.
    pub(crate) fn fenced(&mut self, _warp: &Warp) {
        if !self.world.options.races {
            return;
        }
        let stamps = &self.world.stamps;
        let now = stamps.clock.fetch_add(1, Ordering::Relaxed);
        for seq in self.global_shadow.unfenced.drain(..) {
            stamps.fenced[seq as usize].store(now, Ordering::Release);
        }
        self.global_shadow.current = 0;
    }

    /// Stamp `seq` of `thread` comes before what `me` of `warp` does now.
    #[inline(always)]
    fn before(&self, seq: u32, thread: u32, warp: &Warp, me: u32) -> bool {
        let clock = &self.global_shadow;
        let stamps = &self.world.stamps;
        if seq == 0 {
            return true;
        }
        if seq == clock.current || stamps.block[seq as usize].load(Ordering::Acquire) == clock.block
        {
            return thread == me
                || seq < clock.interval
                || thread / 32 == warp.index && seq < warp.sync_seq;
        }
        let fenced = stamps.fenced[seq as usize].load(Ordering::Acquire);
        fenced != 0 && clock.atomic_time > fenced
    }

    /// The readers of entry `r` all come before what `me` does now.
    #[inline(always)]
    fn readers_before(&self, r: u32, warp: &Warp, me: u32) -> bool {
        if r == 0 {
            return true;
        }
        let (seq, thread) = (r >> 11, r >> 1 & 1023);
        if r & 1 == 0 {
            return self.before(seq, thread, warp, me);
        }
        let clock = &self.global_shadow;
        let mine = self.world.stamps.block[seq as usize].load(Ordering::Acquire) == clock.block;
        match thread & 31 {
            LANES if mine => {
                seq < clock.interval || thread / 32 == warp.index && seq < warp.sync_seq
            }
            WARPS if mine => seq < clock.interval,
            BLOCKS if mine => false,
            _ => self.before(seq, 1024, warp, me),
        }
    }

    /// The readers' entry after `me` has read, too.
    #[inline(always)]
    fn joined_readers(&self, r: u32, seq: u32, warp: &Warp, me: u32) -> u32 {
        let single = seq << 11 | me << 1;
        if r == 0 || r == single {
            return single;
        }
        let (old, thread) = (r >> 11, r >> 1 & 1023);
        let several = r & 1 == 1;
        if several && thread & 31 == BLOCKS {
            return r;
        }
        let clock = &self.global_shadow;
        let mine = old == seq
            || self.world.stamps.block[old as usize].load(Ordering::Acquire) == clock.block;
        if !mine {
            return seq << 11 | BLOCKS << 1 | 1;
        }
        if old < clock.interval {
            return single;
        }
        let same_warp = thread / 32 == warp.index && !(several && thread & 31 == WARPS);
        if same_warp && (old < warp.sync_seq || !several && thread == me) {
            return single;
        }
        if same_warp {
            seq << 11 | ((32 * warp.index) | LANES) << 1 | 1
        } else {
            seq << 11 | WARPS << 1 | 1
        }
    }

    /// Consecutive elements of an allocation; `addr` is that of the first active lane.
    #[inline(always)]
    pub(crate) fn race_row(
        &mut self,
        warp: &Warp,
        info: &MemInfo,
        alloc: usize,
        addr: u64,
        write: bool,
    ) -> Result<(), Box<Raise>> {
        let world = self.world;
        let shadow = world.shadow(alloc);
        let seq = self.stamp();
        if seq == 0 {
            return Ok(());
        }
        let first = warp.mask.trailing_zeros();
        if self.watch.is_none() && !shadow.byte && info.size.is_multiple_of(4) {
            let per = (info.size / 4) as usize;
            let g = ((addr - world.allocs[alloc].base) / 4) as usize;
            let n = warp.active as usize * per;
            let (writers, readers) = (&shadow.writer[g..g + n], &shadow.readers[g..g + n]);
            let base = seq << 11 | (32 * warp.index + first) << 1;
            let step = |k: usize| base + (((k / per) as u32) << 1);
            if write && !world.parallel {
                let quiet = |c: &AtomicU32| c.load(Ordering::Relaxed) == 0;
                if writers.iter().all(quiet) && readers.iter().all(quiet) {
                    for (k, w) in writers.iter().enumerate() {
                        w.store(step(k), Ordering::Relaxed);
                    }
                    return Ok(());
                }
            } else if !write && writers.iter().all(|w| w.load(Ordering::Relaxed) == 0) {
                // In a parallel run a write may slip in between; its own look at the readers finds us then,
                // because they are announced before the writers are looked at once more.
                let mut settled = true;
                for (k, r) in readers.iter().enumerate() {
                    let old = r.load(Ordering::Relaxed);
                    let me = 32 * warp.index + first + (k / per) as u32;
                    let new =
                        if old == 0 { step(k) } else { self.joined_readers(old, seq, warp, me) };
                    if new == old {
                        continue;
                    }
                    if world.parallel {
                        settled &= r
                            .compare_exchange(old, new, Ordering::SeqCst, Ordering::Relaxed)
                            .is_ok();
                    } else {
                        r.store(new, Ordering::Relaxed);
                    }
                }
                let quiet = |w: &AtomicU32| w.load(Ordering::SeqCst) == 0;
                if settled && (!world.parallel || writers.iter().all(quiet)) {
                    return Ok(());
                }
            }
        }
        let start = addr.wrapping_sub(u64::from(first) * u64::from(info.size));
        let lanes = std::array::from_fn(|l| start.wrapping_add(l as u64 * u64::from(info.size)));
        self.race_lanes(warp, info, alloc, &lanes, warp.mask, write, false)
    }

    #[allow(clippy::too_many_arguments)]
    pub(crate) fn race_lanes(
        &mut self,
        warp: &Warp,
        info: &MemInfo,
        alloc: usize,
        addresses: &Lanes,
        mask: u32,
        write: bool,
        atomic: bool,
    ) -> Result<(), Box<Raise>> {
        let world = self.world;
        let shadow = world.shadow(alloc);
        let a = &world.allocs[alloc];
        if a.constant {
            return Ok(());
        }
        if atomic {
            // Everything up to here is what this atomic may have been told of.
            self.global_shadow.atomic_time = world.stamps.clock.fetch_add(1, Ordering::Relaxed);
        }
        let seq = self.stamp();
        if seq == 0 || !shadow.byte && info.size < 4 {
            return Ok(());
        }
        let (unit, count) = if shadow.byte { (1, info.size) } else { (4, info.size / 4) };
        for l in each(mask) {
            let me = 32 * warp.index + l as u32;
            let first = ((addresses[l] - a.base) / unit) as usize;
            for g in first..first + count as usize {
                let fine = if write {
                    self.note_write(shadow, g, seq, warp, me, atomic)
                } else {
                    self.note_read(shadow, g, seq, warp, me)
                };
                if !fine {
                    let granule = a.base + g as u64 * unit;
                    return Err(
                        self.global_race(warp, info, addresses, l, granule, unit, write, atomic)
                    );
                }
            }
            if self.watch.is_some() {
                self.note_access(info.span, addresses[l], info.size, me, write, atomic);
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn note_read(&self, shadow: &AllocShadow, g: usize, seq: u32, warp: &Warp, me: u32) -> bool {
        let cell = &shadow.readers[g];
        if self.world.parallel {
            let _ = cell.fetch_update(Ordering::SeqCst, Ordering::Relaxed, |r| {
                let new = self.joined_readers(r, seq, warp, me);
                (new != r).then_some(new)
            });
        } else {
            let r = cell.load(Ordering::Relaxed);
            cell.store(self.joined_readers(r, seq, warp, me), Ordering::Relaxed);
        }
        let w = shadow.writer[g].load(Ordering::SeqCst);
        self.before(w >> 11, w >> 1 & 1023, warp, me)
    }

    #[inline(always)]
    fn note_write(
        &self,
        shadow: &AllocShadow,
        g: usize,
        seq: u32,
        warp: &Warp,
        me: u32,
        atomic: bool,
    ) -> bool {
        let new = seq << 11 | me << 1 | u32::from(atomic);
        let w = if self.world.parallel {
            shadow.writer[g].swap(new, Ordering::SeqCst)
        } else {
            let w = shadow.writer[g].load(Ordering::Relaxed);
            shadow.writer[g].store(new, Ordering::Relaxed);
            w
        };
        let both_atomic = atomic && w & 1 == 1;
        if !both_atomic && !self.before(w >> 11, w >> 1 & 1023, warp, me) {
            return false;
        }
        self.readers_before(shadow.readers[g].load(Ordering::SeqCst), warp, me)
    }

    #[cold]
    fn note_access(
        &mut self,
        span: Span,
        addr: u64,
        size: u32,
        thread: u32,
        wrote: bool,
        atomic: bool,
    ) {
        let block = self.block;
        let Some(watch) = &mut self.watch else { return };
        if addr >= watch.addr + watch.size || addr + u64::from(size) <= watch.addr {
            return;
        }
        if watch.notes.len() >= MAX_NOTES {
            watch.notes.remove(0);
        }
        watch.notes.push(Note { block, thread, span, wrote, atomic });
    }

    #[allow(clippy::too_many_arguments)]
    #[cold]
    fn global_race(
        &self,
        warp: &Warp,
        info: &MemInfo,
        addresses: &Lanes,
        lane: usize,
        granule: u64,
        unit: u64,
        write: bool,
        atomic: bool,
    ) -> Box<Raise> {
        let me = 32 * warp.index + lane as u32;
        let other = self.watch.as_ref().and_then(|watch| {
            // The newest access by somebody else that clashes with this one.
            let clashes = |n: &&Note| {
                (n.block != self.block || n.thread != me)
                    && (write && !(atomic && n.atomic) || n.wrote)
            };
            let wrote = watch.notes.iter().rev().filter(clashes).find(|n| n.wrote);
            match write {
                false => wrote.or_else(|| watch.notes.iter().rev().find(clashes)),
                true => watch.notes.iter().rev().find(clashes),
            }
        });
        let mut raise =
            self.race_fault(warp, info, addresses, lane, other, write, atomic, Space::Global);
        if self.watch.is_none() && raise.fault.as_ref().is_some_and(|f| f.other.is_none()) {
            raise.watch = Some((granule, unit));
        }
        raise
    }
}
