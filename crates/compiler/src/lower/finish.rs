//! From virtual to real registers: drops unused results, resolves labels, shares registers between
//! values whose lives do not overlap, and sums up what the executor needs to know.

use std::collections::{HashMap, HashSet};

use super::Lower;
use crate::bytecode::{Bank, Code, Inst, NONE, Op, Reg, Run, What};
use crate::diag::Diagnostic;
use crate::hir::{AtomicOp, Ty};
use crate::order;
use crate::source::Span;

/// Registers that a card needs besides the values: stack pointer, addresses in flight.
const FIXED_REGISTERS: u32 = 6;

/// A register that an instruction reads or writes.
#[derive(Clone, Copy)]
struct Use {
    bank: Bank,
    reg: Reg,
    write: bool,
}

impl Lower<'_> {
    pub(super) fn finish(mut self) -> Result<Code, Diagnostic> {
        self.drop_unused();
        let (map_a, map_b, counts, registers) = self.allocate();
        self.rename(&map_a, &map_b);

        let mut insts = std::mem::take(&mut self.emit.insts);
        let spans = std::mem::take(&mut self.emit.spans);
        for inst in &mut insts {
            if inst.op.is_control() && inst.imm >= 0 {
                inst.imm = self.emit.labels[inst.imm as usize] as i32;
            }
        }
        let (lines, inst_lines) = self.lines(&spans);
        for (inst, line) in insts.iter().zip(&inst_lines) {
            match inst.op {
                Op::Call => self.calls[inst.c as usize].line = *line,
                Op::Mem(_) => {
                    self.mems[inst.c as usize].line = *line;
                }
                _ => {}
            }
        }
        let runs = runs(&mut insts, self.emit.controls as usize, &self.calls);
        let presets = self
            .emit
            .preset_list
            .iter()
            .map(|(preset, reg)| {
                let map = if preset.bank() == Bank::A { &map_a } else { &map_b };
                (*preset, map[*reg as usize])
            })
            .filter(|(_, reg)| *reg != NONE)
            .collect();
        let sub_word = |kind: crate::bytecode::Kind| kind.size() < 4;
        let sub_word_shared = self.mems.iter().any(|m| sub_word(m.kind));
        let static_shared =
            self.shared.iter().filter(|v| v.size > 0).map(|v| v.offset + v.size).max().unwrap_or(0);
        let code = Code {
            has_barriers: !self.bars.is_empty(),
            insts,
            spans,
            inst_lines,
            lines,
            mems: self.mems,
            calls: self.calls,
            bars: self.bars,
            switches: self.switches,
            routines: self.routines.into_iter().map(|r| r.info).collect(),
            stops: self.stops,
            runs,
            presets,
            regs_a: counts[0],
            regs_b: counts[1],
            slots: self.slots,
            shared: self.shared,
            dynamic_base: static_shared.next_multiple_of(16),
            locals: self.locals,
            tracked: self.tracked,
            strings: self.strings,
            registers,
            static_shared,
            local_bytes: self.local_bytes.next_multiple_of(4),
            sub_word_shared,
            ordered_atomics: self.ordered_atomics,
        };
        Ok(code)
    }

    fn uses(&self, inst: &Inst, mut visit: impl FnMut(Use)) {
        let shape = inst.op.shape();
        let fields = [inst.d, inst.a, inst.b, inst.c];
        for (k, field) in fields.into_iter().enumerate() {
            let bank = match shape[k] {
                b'a' | b'A' => Bank::A,
                b'b' | b'B' => Bank::B,
                _ => continue,
            };
            if field != NONE {
                visit(Use { bank, reg: field, write: k == 0 && shape[0].is_ascii_lowercase() });
            }
        }
        match inst.op {
            Op::LdGV | Op::LdSV | Op::LdTV | Op::StGV | Op::StSV | Op::StTV => {
                let mem = &self.mems[inst.c as usize];
                let write = matches!(inst.op, Op::LdGV | Op::LdSV | Op::LdTV);
                for reg in &mem.regs {
                    visit(Use { bank: mem.kind.bank(), reg: *reg, write });
                }
            }
            Op::Call => {
                let call = &self.calls[inst.c as usize];
                for (bank, reg) in &call.args {
                    visit(Use { bank: *bank, reg: *reg, write: false });
                }
                if let Some((bank, reg)) = call.dest {
                    visit(Use { bank, reg, write: true });
                }
            }
            // A result that this caller leaves unread must not lie on a value of the caller's.
            Op::Enter => {
                for (bank, reg) in &self.routines[inst.c as usize].info.results {
                    visit(Use { bank: *bank, reg: *reg, write: true });
                }
            }
            Op::Bar => {
                if let Some((_, from, to)) = self.bars[inst.c as usize].vote {
                    visit(Use { bank: Bank::A, reg: from, write: false });
                    visit(Use { bank: Bank::A, reg: to, write: true });
                }
            }
            _ => {}
        }
    }

    /// Removes pure instructions whose result nobody reads, and unused results of atomics.
    fn drop_unused(&mut self) {
        let mut read =
            [vec![0u32; self.emit.reg_count(Bank::A)], vec![0u32; self.emit.reg_count(Bank::B)]];
        let insts = std::mem::take(&mut self.emit.insts);
        for inst in &insts {
            self.uses(inst, |u| {
                if !u.write {
                    read[u.bank as usize][u.reg as usize] += 1;
                }
            });
        }
        let mut keep = vec![true; insts.len()];
        // Backwards, so that a chain of unused results goes at once.
        for (k, inst) in insts.iter().enumerate().rev() {
            let droppable = inst.op.is_pure() && {
                let bank = if inst.op.shape()[0] == b'a' { Bank::A } else { Bank::B };
                let seen = self.debug && self.emit.is_home(bank, inst.d);
                read[bank as usize][inst.d as usize] == 0 && !seen
            };
            if droppable {
                keep[k] = false;
                self.uses(inst, |u| {
                    if !u.write {
                        read[u.bank as usize][u.reg as usize] -= 1;
                    }
                });
            }
        }
        for call in &mut self.calls {
            let used = call.dest.is_some_and(|(b, r)| read[b as usize][r as usize] > 0);
            if let What::Atomic { op, ty } = &call.what {
                if !used {
                    call.dest = None;
                }
                let commutes = matches!(
                    op,
                    Some(
                        AtomicOp::Add
                            | AtomicOp::Sub
                            | AtomicOp::Min
                            | AtomicOp::Max
                            | AtomicOp::And
                            | AtomicOp::Or
                            | AtomicOp::Xor
                    )
                );
                let exact = !ty.is_float() || *ty == Ty::Bool;
                self.ordered_atomics |= used || !commutes || !exact;
            }
        }
        let mut at = vec![0u32; insts.len() + 1];
        for k in 0..insts.len() {
            at[k + 1] = at[k] + u32::from(keep[k]);
        }
        for label in &mut self.emit.labels {
            if *label != NONE {
                *label = at[*label as usize];
            }
        }
        for (begin, end) in &mut self.emit.loops {
            (*begin, *end) = (at[*begin as usize], at[*end as usize]);
        }
        let mut flags = keep.iter();
        let spans = std::mem::take(&mut self.emit.spans);
        self.emit.spans = spans.into_iter().filter(|_| *flags.next().unwrap_or(&true)).collect();
        let mut flags = keep.iter();
        self.emit.insts = insts.into_iter().filter(|_| *flags.next().unwrap_or(&true)).collect();
    }

    /// Linear scan: a real register for each virtual one. Returns the maps, the number of registers
    /// by bank, and the estimate of what a card would need.
    fn allocate(&self) -> (Vec<Reg>, Vec<Reg>, [u32; 2], u32) {
        let mut lives: HashMap<(Bank, Reg), (u32, u32)> = HashMap::new();
        for (k, inst) in self.emit.insts.iter().enumerate() {
            self.uses(inst, |u| {
                let life = lives.entry((u.bank, u.reg)).or_insert((k as u32, k as u32));
                life.1 = k as u32;
            });
        }
        let loops = Loops::new(&self.emit.loops, self.emit.insts.len());
        let mut ordered: Vec<_> = lives.into_iter().collect();
        for ((bank, reg), life) in &mut ordered {
            loops.prolong(life, self.emit.is_home(*bank, *reg));
        }
        let key = |((bank, reg), (first, _)): &((Bank, Reg), (u32, u32))| (*first, *bank, *reg);
        order::sort_by(&mut ordered, |a, b| key(a).cmp(&key(b)));

        let mut maps =
            [vec![NONE; self.emit.reg_count(Bank::A)], vec![NONE; self.emit.reg_count(Bank::B)]];
        let mut counts = [0u32; 2];
        let mut free: [Vec<Reg>; 2] = [Vec::new(), Vec::new()];
        let mut pressure: i64 = 0;
        let mut highest: i64 = 0;
        // Presets are never written: they keep their registers for good.
        let used: HashSet<(Bank, Reg)> = ordered.iter().map(|(key, _)| *key).collect();
        let mut fixed = HashSet::new();
        for (preset, reg) in &self.emit.preset_list {
            let bank = preset.bank();
            if used.contains(&(bank, *reg)) {
                maps[bank as usize][*reg as usize] = counts[bank as usize];
                counts[bank as usize] += 1;
                fixed.insert((bank, *reg));
            }
        }
        if self.debug {
            // Variables keep their registers, so that a debugger can look at them at any time.
            for (key, _) in ordered.iter().filter(|((b, r), _)| self.emit.is_home(*b, *r)) {
                maps[key.0 as usize][key.1 as usize] = counts[key.0 as usize];
                counts[key.0 as usize] += 1;
                fixed.insert(*key);
            }
        }
        let mut heap = std::collections::BinaryHeap::new();
        for ((bank, reg), (first, last)) in ordered {
            if fixed.contains(&(bank, reg)) {
                continue;
            }
            while let Some(std::cmp::Reverse((end, b, r))) = heap.peek().copied() {
                // A result may take the register of an operand that dies in the same instruction:
                // operands are read before results are written, except in loads of vectors, which
                // write in pieces.
                if end >= first {
                    break;
                }
                heap.pop();
                let b: Bank = if b == 0 { Bank::A } else { Bank::B };
                free[b as usize].push(r);
                pressure -= b as i64 + 1;
            }
            let real = free[bank as usize].pop().unwrap_or_else(|| {
                counts[bank as usize] += 1;
                counts[bank as usize] - 1
            });
            maps[bank as usize][reg as usize] = real;
            heap.push(std::cmp::Reverse((last, bank as u8, real)));
            pressure += bank as i64 + 1;
            highest = highest.max(pressure);
        }
        let registers = (highest as u32 + FIXED_REGISTERS).clamp(8, 255);
        let [a, b] = maps;
        (a, b, counts, registers)
    }

    fn rename(&mut self, map_a: &[Reg], map_b: &[Reg]) {
        let of = |bank: Bank, reg: Reg| match bank {
            _ if reg == NONE => NONE,
            Bank::A => map_a[reg as usize],
            Bank::B => map_b[reg as usize],
        };
        for inst in &mut self.emit.insts {
            let shape = inst.op.shape();
            let fields = [&mut inst.d, &mut inst.a, &mut inst.b, &mut inst.c];
            for (k, field) in fields.into_iter().enumerate() {
                match shape[k] {
                    b'a' | b'A' => *field = of(Bank::A, *field),
                    b'b' | b'B' => *field = of(Bank::B, *field),
                    _ => {}
                }
            }
        }
        for mem in &mut self.mems {
            let bank = mem.kind.bank();
            mem.regs.iter_mut().for_each(|r| *r = of(bank, *r));
        }
        for call in &mut self.calls {
            call.args.iter_mut().for_each(|(bank, r)| *r = of(*bank, *r));
            if let Some((bank, r)) = &mut call.dest {
                *r = of(*bank, *r);
            }
        }
        for routine in &mut self.routines {
            routine.info.results.iter_mut().for_each(|(bank, r)| *r = of(*bank, *r));
        }
        for stop in &mut self.stops {
            for (_, loc) in &mut stop.vars {
                let crate::bytecode::VarLoc::Regs(regs) = loc else { continue };
                for (bank, reg, assigned) in regs {
                    *reg = of(*bank, *reg);
                    *assigned &= *reg != NONE;
                }
            }
        }
        for bar in &mut self.bars {
            if let Some((_, from, to)) = &mut bar.vote {
                (*from, *to) = (of(Bank::A, *from), of(Bank::A, *to));
            }
        }
    }

    /// The source lines with code, and the line of each instruction.
    fn lines(&self, spans: &[Span]) -> (Vec<Span>, Vec<u32>) {
        let mut index: HashMap<(u16, u32), u32> = HashMap::new();
        let mut lines = Vec::new();
        let sources = &self.module.sources;
        let of_inst = spans
            .iter()
            .map(|span| {
                let line = match sources.files().get(span.file.0 as usize) {
                    Some(file) => file.line_of(span.lo),
                    None => 0,
                };
                *index.entry((span.file.0, line)).or_insert_with(|| {
                    lines.push(*span);
                    lines.len() as u32 - 1
                })
            })
            .collect();
        (lines, of_inst)
    }
}

/// Length of the run behind each control instruction, by counter index. Also tells `clock` where in
/// its run it is.
fn runs(insts: &mut [Inst], controls: usize, calls: &[crate::bytecode::CallInfo]) -> Vec<Run> {
    let mut runs = vec![Run::default(); controls];
    let mut current: Option<usize> = None;
    for (k, inst) in insts.iter_mut().enumerate() {
        if inst.op.is_control() {
            let index = inst.b as usize;
            runs[index].control = k as u32;
            current = Some(index);
        } else if let Some(index) = current {
            if inst.op == Op::Call && calls[inst.c as usize].what == What::Clock {
                inst.imm = runs[index].len as i32;
            }
            runs[index].len += inst.op.weight() as u32;
        }
    }
    runs
}

/// The loops of a function, the shortest first, and which of them each instruction is in.
struct Loops {
    ranges: Vec<(u32, u32)>,
    around: Vec<Vec<u32>>,
}

impl Loops {
    fn new(ranges: &[(u32, u32)], instructions: usize) -> Loops {
        let mut ranges = ranges.to_vec();
        let key = |(begin, end): &(u32, u32)| (*end - *begin, *begin);
        order::sort_by(&mut ranges, |a, b| key(a).cmp(&key(b)));
        let mut around = vec![Vec::new(); instructions];
        for (k, (begin, end)) in ranges.iter().enumerate() {
            for list in &mut around[*begin as usize..(*end as usize).min(instructions)] {
                list.push(k as u32);
            }
        }
        Loops { ranges, around }
    }

    /// A value that is used in a loop but made before it must last until the loop ends; a variable
    /// (`home`) may carry a value from one iteration to the next.
    fn prolong(&self, life: &mut (u32, u32), home: bool) {
        let around = |at: u32| self.around.get(at as usize).map_or(&[][..], Vec::as_slice);
        let mut from = 0;
        loop {
            let (first, last) = *life;
            let carries = |k: &&u32| **k >= from && home;
            let outlives = |k: &&u32| **k >= from && first < self.ranges[**k as usize].0;
            let carried = around(first).iter().find(carries);
            let outlived = around(last).iter().find(outlives);
            let Some(k) = carried.into_iter().chain(outlived).min().copied() else { return };
            let (begin, end) = self.ranges[k as usize];
            *life = if carried == Some(&k) { (begin, last.max(end)) } else { (first, end) };
            from = k + 1;
        }
    }
}
