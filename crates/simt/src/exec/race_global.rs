//! Races in global memory, within a block and between blocks, which may run at the same time.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::block::{Warp, Worker};
use super::fault::{Raise, Space};
use super::lanes::{Lanes, each};
use super::race::Note;
use super::world::World;
use crate::bytecode::MemInfo;
use crate::hir::Ty;
use crate::report::Touched;
use crate::source::Span;

/// Distinct stamps that a launch can give out for global memory; beyond, races there are no longer looked for, and the
/// report says so.
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

    /// Accesses have gone without a stamp: races among them were not looked for.
    pub fn used_up(&self) -> bool {
        self.next.load(Ordering::Relaxed) > MAX_SEQ
    }
}

/// A block's view of the stamps.
#[derive(Debug, Default)]
pub(crate) struct GlobalClock {
    /// Stamp of accesses now; 0: take a new one first.
    pub current: u32,
    /// Last stamp taken.
    pub last: u32,
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

/// Ranges of bytes that are reported of one allocation; those after are left out.
const MAX_RANGES: usize = 1024;

impl AllocShadow {
    /// The ranges of bytes whose granules have an entry.
    fn ranges(&self, cells: &[AtomicU32]) -> Vec<Range<u64>> {
        let unit = if self.byte { 1 } else { 4 };
        let mut out: Vec<Range<u64>> = Vec::new();
        for (g, _) in cells.iter().enumerate().filter(|(_, c)| c.load(Ordering::Relaxed) != 0) {
            let (start, end) = (g as u64 * unit, (g as u64 + 1) * unit);
            if let Some(last) = out.last_mut().filter(|last| last.end == start) {
                last.end = end;
            } else if out.len() < MAX_RANGES {
                out.push(start..end);
            } else {
                break;
            }
        }
        out
    }
}

impl World<'_> {
    /// What the launch touched in each allocation, as far as it was noted for the search for races.
    pub fn touched(&self) -> Vec<Touched> {
        let all = self.allocs.iter().zip(&self.states);
        let noted = all.filter_map(|(a, state)| Some((a.base, state.shadow.get()?)));
        let ranges = noted.map(|(base, shadow)| Touched {
            base,
            read: shadow.ranges(&shadow.readers),
            written: shadow.ranges(&shadow.writer),
        });
        ranges.collect()
    }

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
        if stamps.used_up() {
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
