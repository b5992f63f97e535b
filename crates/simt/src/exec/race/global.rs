//! Races in global memory, within a block and between blocks, which may run at the same time.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::shadow::{AllocShadow, Cell, GRANULES, Table, Who};
use super::{Access, Note, Watch};
use crate::bytecode::MemInfo;
use crate::exec::alu::FULL;
use crate::exec::block::Worker;
use crate::exec::halt::{Attempt, Halt, Window};
use crate::exec::lanes::{Lanes, each};
use crate::exec::shape::row_lanes;
use crate::exec::warp::Warp;
use crate::exec::world::{AllocState, World};
use crate::hir::Ty;
use crate::report::Touched;

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
    /// What the launch touched in each allocation, as far as it was noted for the search for races.
    pub fn touched(&self) -> Vec<Touched> {
        let all = self.allocs.iter().zip(&self.states);
        let noted = all.filter_map(|(a, state)| Some((a.base, state.shadow.get()?)));
        let ranges = noted.map(|(base, shadow)| {
            let [read, written] = shadow.touched();
            Touched { base, read, written }
        });
        ranges.collect()
    }

    #[inline(always)]
    pub(super) fn shadow(&self, alloc: usize) -> &AllocShadow {
        self.states[alloc].shadow.get_or_init(|| self.new_shadow(alloc))
    }

    #[cold]
    fn new_shadow(&self, alloc: usize) -> AllocShadow {
        let a = &self.allocs[alloc];
        let module = self.program.module();
        let mut functions = module.functions.iter();
        let kernel =
            functions.find(|f| f.kernel.as_ref().is_some_and(|k| k.symbol == self.kernel.symbol));
        let params = kernel.map_or(&[][..], |f| &f.locals[..f.param_count as usize]);
        let pointers: Vec<(&Ty, bool)> = params
            .iter()
            .zip(&self.launch.args)
            .filter_map(|(param, arg)| {
                let Ty::Ptr(to, _) = &param.ty else { return None };
                let address = u64::from_le_bytes(arg.get(..8)?.try_into().ok()?);
                (self.find(address)? == alloc).then_some((&**to, param.to_const))
            })
            .collect();
        let global = self.addresses.iter().position(|base| *base == a.base);
        let bytes = self.code.mems.iter().any(|m| m.kind.size() < 4)
            && (pointers.iter().any(|(to, _)| holds_bytes(module, to))
                || global.is_some_and(|i| holds_bytes(module, &module.globals[i].ty)));
        // What is only read, as far as types tell.
        let input = !pointers.is_empty() && pointers.iter().all(|(_, to_const)| *to_const);
        let unit = if bytes { 1 } else { 4 };
        AllocShadow::new(a.words(), unit, input && !self.exact, self.options.touched)
    }
}

/// A part of a request that lies in one cell: consecutive granules of consecutive lanes.
struct Piece {
    cell: usize,
    /// Granules `from..to` of the cell.
    from: usize,
    to: usize,
    /// Thread of granule `from`.
    thread: u32,
    /// Base-2 logarithm of the granules of each thread.
    shift: u32,
    atomic: bool,
}

impl Piece {
    #[inline(always)]
    fn thread_of(&self, k: usize) -> u32 {
        self.thread + ((k - self.from) as u32 >> self.shift)
    }

    /// The cell after this, if nobody else had a part in it.
    #[inline(always)]
    fn row(&self, stamp: u32) -> Option<Cell> {
        let whole = self.to - self.from == GRANULES;
        let threads = GRANULES as u32 >> self.shift;
        (whole && self.thread.is_multiple_of(threads))
            .then(|| Cell::row(stamp, self.thread, self.shift))
    }
}

/// Which of the two tables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Writers,
    Readers,
}

impl Worker<'_> {
    /// Notes the accesses to a word from here on.
    pub fn watch(&mut self, (addr, size): (u64, u64)) {
        self.watched.push(Watch { addr, size, notes: VecDeque::new() });
        self.plain_races = false;
    }

    /// Notes that the cell is read by `new`; false if it needs entries for that.
    #[inline(always)]
    fn read_cell(&self, shadow: &AllocShadow, c: usize, new: Cell, warp: &Warp) -> bool {
        while let Some(old) = shadow.readers.cell(c) {
            let Some(joined) = self.joined_cell(old, new, warp) else { return false };
            if joined == old || shadow.readers.replace(c, old, joined, self.world.parallel) {
                return true;
            }
        }
        false
    }

    /// Notes a reader of a granule.
    #[inline(always)]
    fn read_entry(&self, entry: &AtomicU32, seq: u32, warp: &Warp, me: u32) {
        if self.world.parallel {
            let _ = entry.fetch_update(Ordering::SeqCst, Ordering::Relaxed, |r| {
                let new = self.joined_readers(r, seq, warp, me);
                (new != r).then_some(new)
            });
        } else {
            let r = entry.load(Ordering::Relaxed);
            entry.store(self.joined_readers(r, seq, warp, me), Ordering::Relaxed);
        }
    }

    /// Notes a read; the granules of the cell (a bit each) that somebody writes at the same time.
    ///
    /// Readers are noted before writers are looked at, and the other way round in
    /// [`Worker::write_piece`]: so of two cores at work at the same time one sees the other.
    #[inline(always)]
    fn read_piece(&self, shadow: &AllocShadow, p: &Piece, seq: u32, warp: &Warp) -> u32 {
        if !p.row(seq).is_some_and(|new| self.read_cell(shadow, p.cell, new, warp)) {
            for (k, entry) in shadow.readers.split(p.cell)[p.from..p.to].iter().enumerate() {
                self.read_entry(entry, seq, warp, p.thread_of(p.from + k));
            }
        }
        let writers = &shadow.writers;
        self.conflict(writers, writers.cell(p.cell), Side::Writers, p, warp)
    }

    /// Notes a write; the granules of the cell (a bit each) that somebody writes, and those that
    /// somebody reads, at the same time.
    #[inline(always)]
    fn write_piece(&self, shadow: &AllocShadow, p: &Piece, seq: u32, warp: &Warp) -> (u32, u32) {
        let (writers, shared) = (&shadow.writers, self.world.parallel);
        let mut row = p.row(seq).filter(|_| !p.atomic);
        let mut wrote = 0;
        while let Some(new) = row {
            match writers.cell(p.cell) {
                Some(old) if writers.replace(p.cell, old, new, shared) => {
                    wrote = self.conflict(writers, Some(old), Side::Writers, p, warp);
                    break;
                }
                Some(_) => {}
                None => row = None,
            }
        }
        if row.is_none() {
            let entries = &writers.split(p.cell)[p.from..p.to];
            for (k, entry) in (p.from..).zip(entries) {
                let new = seq << 11 | p.thread_of(k) << 1 | u32::from(p.atomic);
                let old = if shared {
                    entry.swap(new, Ordering::SeqCst)
                } else {
                    let old = entry.load(Ordering::Relaxed);
                    entry.store(new, Ordering::Relaxed);
                    old
                };
                wrote |= u32::from(!self.entry_before(old, Side::Writers, p, k, warp)) << k;
            }
        }
        let readers = &shadow.readers;
        (wrote, self.conflict(readers, readers.cell(p.cell), Side::Readers, p, warp))
    }

    /// The granules of the piece whose `side` does not come before it. `cell`: what `table` held;
    /// `None` if it was split.
    #[inline(always)]
    fn conflict(
        &self,
        table: &Table,
        cell: Option<Cell>,
        side: Side,
        p: &Piece,
        warp: &Warp,
    ) -> u32 {
        match cell {
            Some(Cell::UNTOUCHED) => 0,
            Some(cell) if self.cell_before(cell, p, warp) => 0,
            Some(cell) => (p.from..p.to).fold(0, |found, k| {
                found | u32::from(!self.entry_before(cell.entry(k), side, p, k, warp)) << k
            }),
            None => {
                let entries = &table.entries(p.cell)[p.from..p.to];
                (p.from..).zip(entries).fold(0, |found, (k, entry)| {
                    let e = entry.load(Ordering::SeqCst);
                    found | u32::from(!self.entry_before(e, side, p, k, warp)) << k
                })
            }
        }
    }

    /// All that the cell tells of comes before the piece. False if that takes a look at single
    /// granules.
    #[inline(always)]
    fn cell_before(&self, cell: Cell, p: &Piece, warp: &Warp) -> bool {
        let seq = cell.stamp();
        if !self.is_mine(seq) {
            return self.fenced_before(seq);
        }
        if cell.who() == Who::Blocks {
            return self.after_all(seq);
        }
        seq < self.global_shadow.interval
            || cell.warp() == Some(warp.index) && seq < warp.sync_seq
            || p.row(seq) == Some(cell)
    }

    /// The entry of granule `k` comes before the piece, or both are atomics.
    #[inline(always)]
    fn entry_before(&self, entry: u32, side: Side, p: &Piece, k: usize, warp: &Warp) -> bool {
        let me = p.thread_of(k);
        match side {
            Side::Readers => self.readers_before(entry, warp, me),
            Side::Writers => {
                p.atomic && entry & 1 == 1 || self.before(entry >> 11, entry >> 1 & 1023, warp, me)
            }
        }
    }

    /// Notes that all lanes of a warp read or write an element of `size` bytes each, from `offset`
    /// on; false if that takes a closer look, as where somebody was before. What is noted twice
    /// does no harm.
    #[inline(always)]
    pub(crate) fn first_touch(
        &mut self,
        warp: &Warp,
        size: u64,
        state: &AllocState,
        offset: u64,
        write: bool,
    ) -> bool {
        let Some(shadow) = state.shadow.get() else { return false };
        let (own, others) = match write {
            true => (&shadow.writers, &shadow.readers),
            false => (&shadow.readers, &shadow.writers),
        };
        let g = shadow.granules(offset);
        let c = g / GRANULES;
        if shadow.loose {
            return !write
                && self.plain_races
                && size >= shadow.unit
                && self.stamp() != 0
                && shadow.read_only(g..g + shadow.granules(32 * size));
        }
        if !self.plain_races || size != shadow.unit || !g.is_multiple_of(2 * GRANULES) {
            return false;
        }
        let seq = self.stamp();
        // Own cells first: see `Worker::read_piece`.
        seq != 0
            && own.touch_first(c, Cell::two_rows(seq, 32 * warp.index), self.world.parallel)
            && others.is_fresh(c)
    }

    /// Notes a read of granules of a loose shadow.
    #[inline(always)]
    fn read_loosely(
        &self,
        shadow: &AllocShadow,
        granules: Range<usize>,
        warp: &Warp,
    ) -> Result<(), Box<Halt>> {
        if shadow.read_only(granules) { Ok(()) } else { self.want_exact(warp) }
    }

    /// Somebody reads and somebody writes where the shadow is loose.
    #[cold]
    fn want_exact(&self, warp: &Warp) -> Result<(), Box<Halt>> {
        match self.known(self.race_kind(Window::Global), warp) {
            true => Ok(()),
            false => Err(Halt::again(Attempt::Exact)),
        }
    }

    /// Consecutive elements of an allocation by the lanes `lanes`, the first of them at `addr`;
    /// `addresses` are those of all lanes of the request, in order.
    #[allow(clippy::too_many_arguments)]
    #[inline(always)]
    pub(crate) fn race_run(
        &mut self,
        warp: &Warp,
        info: &MemInfo,
        alloc: usize,
        addr: u64,
        lanes: Range<u32>,
        access: Access,
        addresses: impl Fn() -> Lanes,
    ) -> Result<(), Box<Halt>> {
        let world = self.world;
        let shadow = world.shadow(alloc);
        let seq = match access {
            Access::Atomic | Access::Peek => self.stamp_of_atomics(),
            Access::Read | Access::Write => self.stamp(),
        };
        if seq == 0 || info.size < shadow.unit as u32 {
            return Ok(());
        }
        if world.tests.is_some()
            && self.log_run(warp, info, alloc, addr, lanes.clone(), access, &addresses(), seq)?
        {
            self.note_run(info, addr, lanes, warp, access);
            return Ok(());
        }
        let base = world.allocs[alloc].base;
        let per = shadow.granules(info.size.into());
        let mut g = shadow.granules(addr - base);
        if shadow.loose && access == Access::Read {
            return self.read_loosely(shadow, g..g + per * lanes.len(), warp);
        }
        // Lanes whose elements fill no cell evenly go one by one.
        let even = per.is_power_of_two() && per <= GRANULES;
        let (shift, together) = if even { (per.trailing_zeros(), lanes.len()) } else { (4, 1) };
        let mut lane = lanes.start;
        while lane < lanes.end {
            let (start, end) = (g, g + per * together);
            while g < end {
                let from = g % GRANULES;
                let to = GRANULES.min(from + end - g);
                let thread =
                    32 * warp.index + lane + if even { (g - start) as u32 >> shift } else { 0 };
                let atomic = !matches!(access, Access::Read | Access::Write);
                let p = Piece { cell: g / GRANULES, from, to, thread, shift, atomic };
                let (wrote, read) = match access {
                    Access::Read => (self.read_piece(shadow, &p, seq, warp), 0),
                    Access::Peek => {
                        let writers = &shadow.writers;
                        let cell = writers.cell(p.cell);
                        (self.conflict(writers, cell, Side::Writers, &p, warp), 0)
                    }
                    Access::Write | Access::Atomic => self.write_piece(shadow, &p, seq, warp),
                };
                if wrote | read != 0 {
                    self.clashes(warp, info, alloc, &addresses(), &p, [wrote, read], access)?;
                }
                g += to - from;
            }
            lane += together as u32;
        }
        if shadow.loose && access.writes() && shadow.is_read() {
            self.want_exact(warp)?;
        }
        self.note_run(info, addr, lanes, warp, access);
        Ok(())
    }

    /// Granules of a piece are written (the first of the two sets) or read by others at the same
    /// time: a race, unless all that were there store the same value.
    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn clashes(
        &mut self,
        warp: &Warp,
        info: &MemInfo,
        alloc: usize,
        addresses: &Lanes,
        p: &Piece,
        [wrote, read]: [u32; 2],
        access: Access,
    ) -> Result<(), Box<Halt>> {
        let world = self.world;
        let unit = world.shadow(alloc).unit;
        for k in each(wrote | read) {
            let lane = p.thread_of(k) % 32;
            let granule = world.allocs[alloc].base + (p.cell * GRANULES + k) as u64 * unit;
            let same = access == Access::Write && read >> k & 1 == 0 && {
                let a = &world.allocs[alloc];
                let here = |at: u64| (!world.parallel).then(|| a.byte((at - a.base) as usize));
                self.stores_same(warp, info, addresses, lane, granule..granule + unit, here)
            };
            if !same && !self.known(self.race_kind(Window::Global), warp) {
                let halt = self.global_race(warp, info, alloc, addresses, (lane, granule), access);
                self.find(warp, halt)?;
            }
        }
        Ok(())
    }

    /// Consecutive elements of an allocation; `addr` is that of the first active lane.
    #[inline(never)]
    pub(crate) fn race_row(
        &mut self,
        warp: &Warp,
        info: &MemInfo,
        alloc: usize,
        addr: u64,
        access: Access,
    ) -> Result<(), Box<Halt>> {
        if self.world.allocs[alloc].constant {
            return Ok(());
        }
        let first = warp.mask.trailing_zeros();
        let lanes = first..first + warp.active;
        let addresses = || row_lanes(addr, warp.mask, info.size);
        self.race_run(warp, info, alloc, addr, lanes, access, addresses)
    }

    /// The active lanes among `lanes` read the same element.
    #[inline(always)]
    pub(crate) fn race_same(
        &mut self,
        warp: &Warp,
        info: &MemInfo,
        alloc: usize,
        addr: u64,
        lanes: Range<u32>,
        access: Access,
    ) -> Result<(), Box<Halt>> {
        let world = self.world;
        let mask = warp.mask & (FULL << lanes.start) & (FULL >> (32 - lanes.end));
        if world.allocs[alloc].constant {
            return Ok(());
        }
        if access == Access::Peek || world.tests.is_some() {
            return self.race_lanes(warp, info, alloc, &[addr; 32], mask, access);
        }
        let shadow = world.shadow(alloc);
        let seq = self.stamp();
        if seq == 0 || info.size < shadow.unit as u32 {
            return Ok(());
        }
        let start = shadow.granules(addr - world.allocs[alloc].base);
        let end = start + shadow.granules(info.size.into());
        if shadow.loose {
            return self.read_loosely(shadow, start..end, warp);
        }
        // Two lanes leave the same trace as all do.
        let mut two = each(mask).take(2).map(|l| 32 * warp.index + l as u32);
        let (me, other) = (two.next().unwrap_or(0), two.next());
        let mut unwritten = self.watched.is_empty();
        for c in start / GRANULES..=(end - 1) / GRANULES {
            let from = start.max(c * GRANULES) - c * GRANULES;
            let to = end.min((c + 1) * GRANULES) - c * GRANULES;
            for entry in &shadow.readers.split(c)[from..to] {
                self.read_entry(entry, seq, warp, me);
                if let Some(other) = other {
                    self.read_entry(entry, seq, warp, other);
                }
            }
            unwritten &= shadow.writers.cell(c) == Some(Cell::UNTOUCHED);
        }
        if unwritten {
            return Ok(());
        }
        self.race_lanes(warp, info, alloc, &[addr; 32], mask, Access::Read)
    }

    /// Any addresses within an allocation.
    pub(crate) fn race_lanes(
        &mut self,
        warp: &Warp,
        info: &MemInfo,
        alloc: usize,
        addresses: &Lanes,
        mask: u32,
        access: Access,
    ) -> Result<(), Box<Halt>> {
        let world = self.world;
        if world.allocs[alloc].constant {
            return Ok(());
        }
        if access == Access::Atomic {
            // Everything up to here is what this atomic may have been told of.
            self.global_shadow.atomic_time = self.tick();
        }
        let size = u64::from(info.size);
        let mut left = mask;
        while left != 0 {
            // Neighbouring lanes with neighbouring elements go together.
            let first = left.trailing_zeros();
            let addr = addresses[first as usize];
            let mut end = first + 1;
            while left.checked_shr(end).is_some_and(|rest| rest & 1 == 1)
                && addresses[end as usize] == addr.wrapping_add(u64::from(end - first) * size)
            {
                end += 1;
            }
            left &= u32::MAX.checked_shl(end).unwrap_or(0);
            self.race_run(warp, info, alloc, addr, first..end, access, || *addresses)?;
        }
        Ok(())
    }

    /// Notes the accesses of a run to the word under watch.
    #[inline(always)]
    fn note_run(
        &mut self,
        info: &MemInfo,
        addr: u64,
        lanes: Range<u32>,
        warp: &Warp,
        access: Access,
    ) {
        if !self.watched.is_empty() {
            for (i, lane) in lanes.enumerate() {
                let at = addr + i as u64 * u64::from(info.size);
                self.note_access(info, at, 32 * warp.index + lane, access);
            }
        }
    }

    #[cold]
    fn note_access(&mut self, info: &MemInfo, addr: u64, thread: u32, access: Access) {
        let (block, span) = (self.block, info.span);
        let meets = |w: &&mut Watch| addr < w.addr + w.size && addr + u64::from(info.size) > w.addr;
        for watch in self.watched.iter_mut().filter(meets) {
            if watch.notes.len() >= MAX_NOTES {
                watch.notes.pop_front();
            }
            watch.notes.push_back(Note { block, thread, span, access });
        }
    }

    /// The fault for a race of lane `lane` at `granule`.
    #[cold]
    pub(super) fn global_race(
        &self,
        warp: &Warp,
        info: &MemInfo,
        alloc: usize,
        addresses: &Lanes,
        (lane, granule): (u32, u64),
        access: Access,
    ) -> Box<Halt> {
        let shadow = self.world.shadow(alloc);
        let writes = access.writes();
        if self.world.tests.is_none() && self.world.has_tests() {
            return Halt::again(Attempt::Tests);
        }
        if shadow.loose && writes {
            return Halt::again(Attempt::Exact);
        }
        let me = 32 * warp.index + lane;
        let watch = self.watched.iter().find(|w| w.addr == granule);
        let other = watch.and_then(|watch| {
            // The newest access by somebody else that clashes with this one.
            let clashes =
                |n: &&Note| (n.block != self.block || n.thread != me) && access.clashes(n.access);
            let wrote = watch.notes.iter().rev().filter(clashes).find(|n| n.access.writes());
            match writes {
                false => wrote.or_else(|| watch.notes.iter().rev().find(clashes)),
                true => watch.notes.iter().rev().find(clashes),
            }
        });
        let lane = lane as usize;
        let mut halt = self.race_fault(warp, info, addresses, lane, other, access, Window::Global);
        if self.watched.is_empty() && halt.fault.as_ref().is_some_and(|f| f.other.is_none()) {
            halt.watch.push((granule, shadow.unit));
        }
        halt
    }
}
