//! Values that nobody has written, carried along.
//!
//! To copy or compute with such a value harms nobody who does not look at the result. So a launch
//! that reads one is run again with a *mark* for each lane of each register, which says where the
//! value came from, and memory loses its "written" bits where a marked value is stored. It is
//! reported where it decides: at a branch, as an address, as an operand of a compare-and-swap, in
//! `printf`. What reaches global memory is reported when the host asks for it
//! ([`crate::Memory::origin`]).
//!
//! A mark is for the whole value: a word of which one byte was never written counts as never
//! written. `&` and `|` with an operand that says all give a value, as does a selection from the
//! other operand.

use std::sync::Arc;

use super::access::{bytes_of, window_of};
use super::block::Worker;
use super::call::source_lane;
use super::halt::{Attempt, Halt, Window};
use super::lanes::{Lanes, each};
use super::marks::{Carried, Row};
use super::warp::Warp;
use crate::bytecode::{Bank, CallInfo, Inst, Mem, MemInfo, NONE, Op, Reg, WarpOp, What};
use crate::fault::{Fault, FaultKind, ThreadAction};
use crate::hir::AtomicOp;
use crate::memory::{LOCAL_BASE, SHARED_BASE};

fn or(x: Row, y: Row) -> Row {
    std::array::from_fn(|l| if x[l] != 0 { x[l] } else { y[l] })
}

fn lanes(row: &Row, mask: u32) -> u32 {
    each(mask).filter(|l| row[*l] != 0).fold(0, |m, l| m | 1 << l)
}

/// Stretches of an allocation that are told apart; later ones are left out.
const MAX_KEPT: usize = 1024;

impl Worker<'_> {
    /// Never-written memory was read: the launch must be run again with marks.
    pub(crate) fn unwritten_read(&self) -> Result<(), Box<Halt>> {
        if self.world.carry {
            return Ok(());
        }
        self.world.undefined.store(true, std::sync::atomic::Ordering::Relaxed);
        Err(Halt::again(Attempt::Marks))
    }

    /// Before an arithmetic instruction.
    pub(crate) fn carry_alu(&mut self, warp: &mut Warp, inst: &Inst) {
        if !warp.marks.any {
            return;
        }
        let shape = inst.op.shape();
        let bank = |c: u8| if c == b'a' { Bank::A } else { Bank::B };
        let mark = |field: usize, reg: Reg| match shape[field] {
            b'-' => [0; 32],
            c => warp.marks.of(bank(c), reg),
        };
        let (x, y, z) = (mark(1, inst.a), mark(2, inst.b), mark(3, inst.c));
        let value = |field: usize, reg: Reg, l: usize| match shape[field] {
            b'a' => u64::from(warp.regs.a[reg as usize][l]),
            _ => warp.regs.b[reg as usize][l],
        };
        let new = match inst.op {
            Op::SelA | Op::SelB => std::array::from_fn(|l| match value(1, inst.a, l) {
                _ if x[l] != 0 => x[l],
                0 => z[l],
                _ => y[l],
            }),
            Op::AndI | Op::AndL | Op::OrI | Op::OrL => {
                let all = match inst.op {
                    Op::AndI | Op::AndL => 0,
                    Op::OrI => u64::from(u32::MAX),
                    _ => u64::MAX,
                };
                let says_all = |field, reg, mark: u16, l| mark == 0 && value(field, reg, l) == all;
                std::array::from_fn(|l| {
                    let known = says_all(1, inst.a, x[l], l) || says_all(2, inst.b, y[l], l);
                    if known { 0 } else { or(x, y)[l] }
                })
            }
            _ => or(or(x, y), z),
        };
        warp.marks.put((bank(shape[0]), inst.d), &new, warp.mask);
    }

    /// Before an instruction of control flow.
    pub(crate) fn carry_control(&mut self, warp: &mut Warp, inst: &Inst) -> Result<(), Box<Halt>> {
        let by = match inst.op {
            Op::If | Op::LoopTest | Op::Switch => (Bank::A, inst.a),
            Op::SwitchL => (Bank::B, inst.a),
            Op::Bar => match self.world.code.bars[inst.c as usize].vote {
                Some((_, from, to)) => {
                    self.decides(warp, (Bank::A, from), "votes by it")?;
                    warp.marks.put((Bank::A, to), &[0; 32], warp.mask);
                    return Ok(());
                }
                None => return Ok(()),
            },
            _ => return Ok(()),
        };
        self.decides(warp, by, "takes a branch by it")
    }

    /// The register decides: a finding if it is marked.
    fn decides(
        &mut self,
        warp: &mut Warp,
        (bank, reg): (Bank, Reg),
        does: &str,
    ) -> Result<(), Box<Halt>> {
        let row = warp.marks.of(bank, reg);
        let bad = lanes(&row, warp.mask);
        if bad == 0 {
            return Ok(());
        }
        // Said once; from here on it is a value like others.
        warp.marks.put((bank, reg), &[0; 32], bad);
        if self.known(FaultKind::Uninitialised, warp) {
            return Ok(());
        }
        let halt = self.used(warp, &row, bad, does);
        self.find(warp, halt)
    }

    /// The fault of lanes `bad`, which use values marked `row` at the instruction at hand.
    fn used(&self, warp: &Warp, row: &Row, bad: u32, does: &str) -> Box<Halt> {
        let code = self.world.code;
        let inst = &code.insts[warp.pc];
        let span = match inst.op {
            Op::Call => code.calls[inst.c as usize].span,
            Op::Bar => code.bars[inst.c as usize].span,
            op if op.is_control() => code.spans[warp.pc],
            _ => code.mems[inst.c as usize].span,
        };
        let lane = bad.trailing_zeros();
        let origin = &self.carried.origins[usize::from(row[lane as usize]) - 1];
        let here = (self.world.thread_idx(32 * warp.index + lane), self.block);
        // The thread that read it is mostly the one that uses it.
        let message = match &origin.site {
            Some(site) if (site.thread, site.block) == here => {
                format!("{}, and {does}", origin.message)
            }
            _ => {
                let who = self.who(warp.index, lane);
                format!("{who} has a value from where {}, and {does}", origin.message)
            }
        };
        let kind = FaultKind::Uninitialised;
        let mut halt = self.raise(warp, kind, bad, span, "uses it here", message);
        if let Some(fault) = &mut halt.fault {
            fault.target = origin.target.clone();
            let here = fault.site.as_ref().map(|s| (s.at.file.clone(), s.at.line));
            let read = origin.site.clone();
            fault.other = read.filter(|s| here != Some((s.at.file.clone(), s.at.line)));
        }
        halt
    }

    /// An access to memory, with marks before and after.
    pub(crate) fn carried_access(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        op: Mem,
    ) -> Result<(), Box<Halt>> {
        let (write, space) = match op {
            Mem::LdG | Mem::LdGB | Mem::LdGV => (false, Window::Global),
            Mem::StG | Mem::StGB | Mem::StGV => (true, Window::Global),
            Mem::LdS | Mem::LdSB | Mem::LdSV => (false, Window::Shared),
            Mem::StS | Mem::StSB | Mem::StSV => (true, Window::Shared),
            Mem::LdT | Mem::LdTB | Mem::LdTV => (false, Window::Local),
            Mem::StT | Mem::StTB | Mem::StTV => (true, Window::Local),
        };
        let info = &self.world.code.mems[inst.c as usize];
        let base = if space == Window::Global { inst.a } else { NONE };
        let by = or(warp.marks.of(Bank::B, base), warp.marks.of(Bank::A, inst.b));
        let bad = lanes(&by, warp.mask);
        if bad != 0 {
            // Wherever it leads, what follows says nothing.
            return Err(self.used(warp, &by, bad, "takes it for an address"));
        }
        let start = match space {
            Window::Shared => SHARED_BASE,
            Window::Local => LOCAL_BASE,
            _ => 0,
        };
        let lanes = self.lanes_of(warp, inst, info, space != Window::Global);
        let addresses = lanes.map(|at| at.wrapping_add(start));
        self.access_memory(warp, inst, op)?;
        let one = [inst.d];
        let regs = if info.regs.is_empty() { &one[..] } else { &info.regs };
        let size = info.kind.size();
        for (k, reg) in regs.iter().enumerate() {
            let at = addresses.map(|a| a.wrapping_add(k as u64 * u64::from(size)));
            let reg = (info.kind.bank(), *reg);
            if write {
                let row = warp.marks.of(reg.0, reg.1);
                self.store_marks(warp, &at, size, &row);
            } else {
                let missing = if info.partial { 0 } else { self.unwritten_at(warp, &at, size) };
                let row = self.origins_of(warp, &at, missing, |w, warp| {
                    w.read_fault(warp, info, missing, &at)
                });
                warp.marks.put(reg, &row, warp.mask);
            }
        }
        Ok(())
    }

    /// The fault of reading what nobody has written.
    fn read_fault(&self, warp: &Warp, info: &MemInfo, missing: u32, at: &Lanes) -> Box<Halt> {
        let lane = missing.trailing_zeros() as usize;
        let space = window_of(at[lane]);
        let start = match space {
            Window::Shared => SHARED_BASE,
            Window::Local => LOCAL_BASE,
            _ => 0,
        };
        let offsets = at.map(|a| a.wrapping_sub(start));
        let kind = FaultKind::Uninitialised;
        self.access_fault(warp, kind, missing, info, &offsets, false, space)
    }

    /// Lanes whose `size` bytes at their address were not all written.
    fn unwritten_at(&self, warp: &Warp, at: &Lanes, size: u32) -> u32 {
        let mut missing = 0;
        for l in each(warp.mask) {
            let written = |w: usize, base: u64| -> u32 {
                match window_of(at[l]) {
                    Window::Shared => self.shared_init.get(w).map_or(15, |b| u32::from(*b)),
                    Window::Local => warp.local_init.get(w).map_or(15, |row| u32::from(row[l])),
                    Window::String => 15,
                    Window::Global => match self.world.find(base) {
                        Some(alloc) => self.world.allocs[alloc].init_bits(w),
                        None => 15,
                    },
                }
            };
            let start = self.start_of(at[l]);
            bytes_of(at[l].wrapping_sub(start), size, |w, bits| {
                missing |= u32::from(written(w, at[l]) & bits != bits) << l;
            });
        }
        missing
    }

    /// First address of the memory that holds `addr`.
    fn start_of(&self, addr: u64) -> u64 {
        match window_of(addr) {
            Window::Shared => SHARED_BASE,
            Window::Local => LOCAL_BASE,
            Window::String => addr,
            Window::Global => self.world.find(addr).map_or(addr, |a| self.world.allocs[a].base),
        }
    }

    /// Marks for the lanes `missing`, which read at `at`; `fault` describes the read if it is the
    /// first one.
    fn origins_of(
        &mut self,
        warp: &Warp,
        at: &Lanes,
        missing: u32,
        fault: impl Fn(&Self, &Warp) -> Box<Halt>,
    ) -> Row {
        let mut row = [0; 32];
        for l in each(missing) {
            row[l] = match self.carried.words.get(&(at[l] / 4)) {
                Some(id) => *id,
                None => self.origin(warp, at[l], &fault),
            };
        }
        row
    }

    /// The number, plus 1, of the origin that the warp's instruction is, or of the one that an
    /// earlier launch has left at `addr`.
    fn origin(&mut self, warp: &Warp, addr: u64, fault: impl Fn(&Self, &Warp) -> Box<Halt>) -> u16 {
        if let Some(id) = self.carried.at.get(&warp.pc) {
            return *id;
        }
        let earlier = self.world.find(addr).and_then(|alloc| {
            let a = &self.world.allocs[alloc];
            a.origin(addr - a.base..addr - a.base + 1)
        });
        let found = earlier.or_else(|| fault(self, warp).fault);
        let Some(found) = found else { return 0 };
        let id = self.carried.origins.len() as u16 + 1;
        self.carried.origins.push(found);
        self.carried.at.insert(warp.pc, id);
        id
    }

    /// After a store of values marked `row`: their bytes count as never written again.
    fn store_marks(&mut self, warp: &mut Warp, at: &Lanes, size: u32, row: &Row) {
        if lanes(row, warp.mask) == 0 {
            return;
        }
        // In the order of the lanes: the last one's value stays.
        for l in each(warp.mask) {
            self.set_mark(warp, l, at[l], size, row[l]);
        }
    }

    /// Bytes in memory become marked, or written if `mark` is 0.
    fn set_mark(&mut self, warp: &mut Warp, l: usize, addr: u64, size: u32, mark: u16) {
        let start = self.start_of(addr);
        let offset = addr.wrapping_sub(start);
        let Carried { words, kept, .. } = &mut self.carried;
        let alloc = self.world.find(addr);
        bytes_of(offset, size, |w, bits| {
            let bits8 = bits as u8;
            match (window_of(addr), alloc) {
                (Window::Shared, _) if mark == 0 => self.shared_init[w] |= bits8,
                (Window::Shared, _) => self.shared_init[w] &= !bits8,
                (Window::Local, _) if mark == 0 => warp.local_init[w][l] |= bits8,
                (Window::Local, _) => warp.local_init[w][l] &= !bits8,
                (Window::Global, Some(alloc)) if mark == 0 => {
                    self.world.allocs[alloc].mark_bits(w, bits);
                }
                (Window::Global, Some(alloc)) => self.world.allocs[alloc].unmark_bits(w, bits),
                _ => {}
            }
            let word = start / 4 + w as u64;
            match mark {
                _ if window_of(addr) == Window::Local => {}
                0 => drop(words.remove(&word)),
                mark => drop(words.insert(word, mark)),
            }
        });
        if let (Some(alloc), true) = (alloc, mark != 0) {
            let end = offset + u64::from(size);
            let list = kept.entry(alloc).or_default();
            let room = list.len() < MAX_KEPT;
            match list.last_mut() {
                Some((range, id))
                    if *id == mark && range.start <= offset && offset <= range.end =>
                {
                    range.end = range.end.max(end);
                }
                _ if room => list.push((offset..end, mark)),
                _ => {}
            }
        }
    }

    /// An operation with many operands, likewise.
    pub(crate) fn carried_call(&mut self, warp: &mut Warp, inst: &Inst) -> Result<(), Box<Halt>> {
        let info = &self.world.code.calls[inst.c as usize];
        match &info.what {
            What::Atomic { op, ty } => {
                let size = crate::bytecode::Kind::of(ty).size();
                return self.carried_atomic(warp, inst, info, *op, size);
            }
            What::Warp { op, .. } => {
                return self.carried_warp_call(warp, inst, info, *op);
            }
            What::SumOfProducts => {
                let marks = info.args.iter().map(|(bank, reg)| warp.marks.of(*bank, *reg));
                let mark = marks.reduce(or).unwrap_or([0; 32]);
                self.call(warp, inst)?;
                if let Some(dest) = info.dest {
                    warp.marks.put(dest, &mark, warp.mask);
                }
                return Ok(());
            }
            What::Printf(..) => {
                for arg in &info.args {
                    self.decides(warp, *arg, "prints it")?;
                }
            }
            What::Assert(_) => self.decides(warp, info.args[0], "asserts by it")?,
            What::Trap | What::Fence | What::Clock | What::Frame => {}
        }
        self.call(warp, inst)?;
        if let Some(dest) = info.dest {
            warp.marks.put(dest, &[0; 32], warp.mask);
        }
        Ok(())
    }

    fn carried_atomic(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &CallInfo,
        op: Option<AtomicOp>,
        size: u32,
    ) -> Result<(), Box<Halt>> {
        let arg = |warp: &Warp, k: usize| {
            info.args.get(k).map_or([0; 32], |(bank, reg)| warp.marks.of(*bank, *reg))
        };
        let by = arg(warp, 0);
        let bad = lanes(&by, warp.mask);
        if bad != 0 {
            return Err(self.used(warp, &by, bad, "takes it for an address"));
        }
        if op.is_none() {
            self.decides(warp, info.args[1], "compares it")?;
        }
        let operands = or(arg(warp, 1), arg(warp, 2));
        let at = warp.regs.b[info.args[0].1 as usize];
        let missing = self.unwritten_at(warp, &at, size);
        let old = self.origins_of(warp, &at, missing, |w, warp| {
            let lane = missing.trailing_zeros() as usize;
            let space = window_of(at[lane]);
            let offsets =
                if space == Window::Shared { at.map(|a| a.wrapping_sub(SHARED_BASE)) } else { at };
            let (kind, action) = (FaultKind::Uninitialised, ThreadAction::Updates);
            w.address_fault(warp, kind, missing, info.span, &offsets, size, NONE, action, space)
        });
        self.call(warp, inst)?;
        // What a lane finds may be what another one has just put there.
        let stored = if op == Some(AtomicOp::Exch) { operands } else { or(old, operands) };
        let together = |l: usize, row: &Row| {
            each(warp.mask).filter(|k| at[*k] == at[l]).map(|k| row[k]).find(|id| *id != 0)
        };
        let new: Row = std::array::from_fn(|l| together(l, &stored).unwrap_or(0));
        let seen: Row = std::array::from_fn(|l| match old[l] {
            0 if op == Some(AtomicOp::Exch) => 0,
            0 => together(l, &operands).unwrap_or(0),
            id => id,
        });
        self.store_marks(warp, &at, size, &new);
        if let Some(dest) = info.dest {
            warp.marks.put(dest, &seen, warp.mask);
        }
        Ok(())
    }

    fn carried_warp_call(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        info: &CallInfo,
        op: WarpOp,
    ) -> Result<(), Box<Halt>> {
        let mask = warp.mask;
        let mut out = [0; 32];
        if let (WarpOp::Shfl(kind), Some((bank, reg))) = (op, info.args.get(1)) {
            let value = warp.marks.of(*bank, *reg);
            let [lane, width] = [2, 3].map(|k| warp.regs.a[info.args[k].1 as usize]);
            let choice = warp.marks.of(info.args[2].0, info.args[2].1);
            let from: [usize; 32] =
                std::array::from_fn(|l| source_lane(kind, l as u32, lane[l], width[l]) as usize);
            let absent =
                each(mask).filter(|l| mask >> from[*l] & 1 == 0).fold(0, |m, l| m | 1 << l);
            for l in each(mask) {
                out[l] = match value[from[l]] {
                    _ if absent >> l & 1 == 1 => {
                        self.origin(warp, 0, |w, warp| w.absent_lane(warp, info, absent, &from))
                    }
                    0 => choice[l],
                    id => id,
                };
            }
        } else if let Some((bank, reg)) = info.args.get(1) {
            let value = warp.marks.of(*bank, *reg);
            let first = each(mask).map(|l| value[l]).find(|id| *id != 0);
            out = [first.unwrap_or(0); 32];
        }
        self.call(warp, inst)?;
        if let Some(dest) = info.dest {
            warp.marks.put(dest, &out, mask);
        }
        Ok(())
    }

    fn absent_lane(
        &self,
        warp: &Warp,
        info: &CallInfo,
        absent: u32,
        from: &[usize; 32],
    ) -> Box<Halt> {
        let l = absent.trailing_zeros();
        let message = format!(
            "{} shuffles a value from lane {}, which does not take part and has no value to give",
            self.who(warp.index, l),
            from[l as usize]
        );
        let kind = FaultKind::Uninitialised;
        self.raise(warp, kind, absent, info.span, "reads the lane's value here", message)
    }

    /// Leaves with the memory where the marked values in it came from.
    pub(crate) fn leave_origins(&mut self) {
        let origins: Vec<Arc<Fault>> = self.carried.origins.drain(..).map(Arc::new).collect();
        for (alloc, kept) in self.carried.kept.drain() {
            let kept = kept.into_iter().filter_map(|(range, id)| {
                Some((range, Arc::clone(origins.get(usize::from(id) - 1)?)))
            });
            self.world.allocs[alloc].leave_origins(kept.collect());
        }
    }
}
