//! The interpreter's loop: one warp, until it waits or ends.

use super::alu::{self, lanes};
use super::block::Worker;
use super::halt::{Attempt, Halt};
use super::warp::{State, Warp};
use crate::bytecode::{Control, Inst, Mem, Op, Other};

/// Instructions after which a warp that may wait for another lets that one run.
const TURN: u64 = 1 << 12;

/// Instructions without a change of global memory after which a block that looks at words by
/// atomics, or at `volatile` ones, is taken to wait for another block.
const PATIENCE: u64 = 1 << 21;

/// Where a warp goes on after a control instruction.
enum Flow {
    /// At the next instruction.
    Next,
    /// Where the instruction says.
    Jump,
    /// At the instruction of this number.
    To(usize),
    /// Nowhere for now: it waits, or has ended.
    Rest,
}

impl Worker<'_> {
    /// Runs `warp` to its next barrier or its end, or, where atomics tell threads of each other,
    /// for some time. `CARRY`: values that nobody has written are followed.
    pub fn run_warp<const CARRY: bool>(&mut self, warp: &mut Warp) -> Result<(), Box<Halt>> {
        let code = self.world.code;
        let mut pc = warp.pc;
        let begun = self.issued;
        loop {
            let inst = &code.insts[pc];
            let control = match inst.op {
                Op::Alu(op) => {
                    let done = match CARRY {
                        true => {
                            self.carry_alu(warp, inst);
                            alu::step_apart(op, inst, &mut warp.regs, warp.mask)
                        }
                        false => alu::step(op, inst, &mut warp.regs, warp.mask),
                    };
                    if let Err(zero) = done {
                        warp.pc = pc;
                        return Err(self.division_by_zero(warp, zero));
                    }
                    pc += 1;
                    continue;
                }
                Op::Mem(op) => {
                    warp.pc = pc;
                    if warp.mask != 0 {
                        match CARRY {
                            true => self.carried_access(warp, inst, op)?,
                            false => self.access_memory(warp, inst, op)?,
                        }
                    }
                    pc += 1;
                    continue;
                }
                Op::Other(op) => {
                    warp.pc = pc;
                    if warp.mask != 0 {
                        match (CARRY, op) {
                            (true, Other::Call) => self.carried_call(warp, inst)?,
                            _ => self.call_or_note(warp, inst, op)?,
                        }
                    }
                    pc += 1;
                    continue;
                }
                Op::Control(op) => op,
            };
            if CARRY {
                warp.pc = pc;
                self.carry_control(warp, inst)?;
            }
            let counter = inst.b as usize;
            let hit = &mut self.hits[counter];
            hit.exec += 1;
            hit.lanes += u64::from(warp.active);
            match self.control(control, inst, warp, pc, begun)? {
                Flow::Next => {
                    let active = warp.active;
                    self.count_run(counter, active);
                    pc += 1;
                }
                Flow::Jump => pc = inst.imm as usize,
                Flow::To(at) => pc = at,
                Flow::Rest => return Ok(()),
            }
        }
    }

    /// Carries out a control instruction: which lanes go on, and where.
    #[inline(always)]
    fn control(
        &mut self,
        control: Control,
        inst: &Inst,
        warp: &mut Warp,
        pc: usize,
        begun: u64,
    ) -> Result<Flow, Box<Halt>> {
        let slot = inst.d as usize;
        match control {
            Control::If => {
                let yes = lanes(&warp.regs.a[inst.a as usize], warp.mask);
                let no = warp.mask & !yes;
                warp.slots[slot] = no;
                self.count_branch(pc, yes, no);
                if no != 0 {
                    warp.set_mask(yes);
                }
                if yes == 0 {
                    return Ok(Flow::Jump);
                }
            }
            Control::Else => {
                let then = warp.mask;
                let other = warp.slots[slot];
                warp.slots[slot] = then;
                warp.set_mask(other);
                if other == 0 {
                    return Ok(Flow::Jump);
                }
            }
            Control::EndIf | Control::FuncEnd => {
                let joined = warp.mask | warp.slots[slot];
                if joined != warp.mask {
                    warp.set_mask(joined);
                }
                if joined == 0 {
                    return Ok(Flow::Jump);
                }
            }
            Control::LoopBegin => {
                warp.slots[slot] = 0;
                warp.slots[slot + 1] = 0;
            }
            Control::FuncBegin => warp.slots[slot] = 0,
            Control::LoopTest => {
                let yes = lanes(&warp.regs.a[inst.a as usize], warp.mask);
                let no = warp.mask & !yes;
                self.count_branch(pc, yes, no);
                if no != 0 {
                    warp.slots[slot] |= no;
                    warp.set_mask(yes);
                }
                if yes == 0 {
                    return Ok(Flow::Jump);
                }
            }
            Control::LoopNext => {
                let joined = warp.mask | warp.slots[slot];
                warp.slots[slot] = 0;
                if joined != warp.mask {
                    warp.set_mask(joined);
                }
                if joined == 0 {
                    return Ok(Flow::Jump);
                }
            }
            Control::Jump => {
                self.issued += 1;
                let active = warp.active;
                self.count_run(inst.c as usize, active);
                if self.out_of_steps() {
                    warp.pc = pc;
                    self.more_steps(warp)?;
                    self.look_for_waiting()?;
                    // The loop may wait for another warp: let that one run.
                    let waits = self.world.code.ordered_atomics && self.warps.len() > 1;
                    let long = waits && self.issued - begun > TURN;
                    if long || self.world.turns {
                        warp.pc = inst.imm as usize;
                        return Ok(Flow::Rest);
                    }
                }
                return Ok(Flow::Jump);
            }
            Control::LoopEnd => {
                let left = warp.slots[slot];
                warp.set_mask(left);
                if left == 0 {
                    return Ok(Flow::Jump);
                }
            }
            Control::Leave => {
                warp.slots[slot] |= warp.mask;
                warp.set_mask(0);
                return Ok(Flow::Jump);
            }
            Control::Switch | Control::SwitchL => self.switch(warp, pc),
            Control::Arm => {
                let joined = warp.mask | warp.slots[slot];
                warp.set_mask(joined);
                if joined == 0 {
                    return Ok(Flow::Jump);
                }
            }
            Control::Bar => {
                warp.pc = pc;
                if warp.mask != 0 {
                    if warp.mask != warp.alive {
                        return Err(self.divergent_barrier(warp));
                    }
                    warp.state = State::Barrier;
                    return Ok(Flow::Rest);
                }
            }
            Control::Enter => {
                self.issued += 1;
                if self.out_of_steps() {
                    warp.pc = pc;
                    self.more_steps(warp)?;
                }
                if warp.mask != 0 {
                    self.enter(warp, inst, pc)?;
                    return Ok(Flow::Jump);
                }
            }
            Control::Return => {
                let Some(at) = self.leave(warp) else { return Ok(Flow::Rest) };
                let active = warp.active;
                self.count_run(self.world.code.insts[at].b as usize, active);
                return Ok(Flow::To(at + 1));
            }
            Control::Exit => {
                warp.alive &= !warp.mask;
                warp.set_mask(0);
                return Ok(Flow::Jump);
            }
            Control::End => {
                warp.state = State::Done;
                warp.pc = pc;
                self.show(warp, |debugger, at| debugger.ended(at));
                return Ok(Flow::Rest);
            }
        }
        Ok(Flow::Next)
    }

    fn more_steps(&mut self, warp: &Warp) -> Result<(), Box<Halt>> {
        match self.sync_budget() {
            Ok(()) => Ok(()),
            Err(halt) if halt.is_out_of_steps() => Err(self.step_limit(warp)),
            Err(halt) => Err(halt),
        }
    }

    #[inline(always)]
    fn count_branch(&mut self, pc: usize, yes: u32, no: u32) {
        let line = self.world.code.inst_lines[pc] as usize;
        let counters = &mut self.lines[line];
        // A warp that is only passed through with no lane left evaluates nothing.
        counters.br_exec += u64::from(yes | no != 0);
        counters.br_div += u64::from(yes != 0 && no != 0);
    }

    /// A block that only looks on waits for another one, perhaps for a later one.
    fn look_for_waiting(&self) -> Result<(), Box<Halt>> {
        let world = self.world;
        let looks = world.may_wait && (self.looked || world.polls);
        let patience = PATIENCE.min(world.options.step_limit / 4);
        match looks && self.issued - self.changed_at > patience {
            true => Err(Halt::again(Attempt::Turns)),
            false => Ok(()),
        }
    }

    /// Sorts the lanes into the arms of a `switch`.
    fn switch(&mut self, warp: &mut Warp, pc: usize) {
        let code = self.world.code;
        let inst = &code.insts[pc];
        let table = &code.switches[inst.c as usize];
        let slot = inst.d as usize;
        warp.slots[slot..=slot + table.arms as usize].fill(0);
        for l in (0..32).filter(|l| warp.mask >> l & 1 == 1) {
            let value = match inst.op {
                Op::SwitchL => warp.regs.b[inst.a as usize][l] as i64,
                _ if inst.imm == -2 => i64::from(warp.regs.a[inst.a as usize][l]),
                _ => i64::from(warp.regs.a[inst.a as usize][l] as i32),
            };
            let arm = match table.labels.binary_search_by_key(&value, |(label, _)| *label) {
                Ok(at) => Some(table.labels[at].1),
                Err(_) => table.default,
            };
            warp.slots[slot + arm.map_or(0, |a| 1 + a as usize)] |= 1 << l;
        }
        let groups = warp.slots[slot..=slot + table.arms as usize].iter().filter(|m| **m != 0);
        let many = groups.count() > 1;
        let counters = &mut self.lines[code.inst_lines[pc] as usize];
        counters.br_exec += u64::from(warp.mask != 0);
        counters.br_div += u64::from(many);
        warp.set_mask(0);
    }

    #[inline(always)]
    pub(crate) fn access_memory(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        op: Mem,
    ) -> Result<(), Box<Halt>> {
        match op {
            Mem::LdG | Mem::LdGB | Mem::LdGV => self.global_access::<false>(warp, inst),
            Mem::StG | Mem::StGB | Mem::StGV => self.global_access::<true>(warp, inst),
            Mem::LdS | Mem::LdSB | Mem::LdSV => self.shared_access(warp, inst, false),
            Mem::StS | Mem::StSB | Mem::StSV => self.shared_access(warp, inst, true),
            Mem::LdT | Mem::LdTB | Mem::LdTV => self.local_access(warp, inst, false),
            Mem::StT | Mem::StTB | Mem::StTV => self.local_access(warp, inst, true),
        }
    }

    pub(crate) fn call_or_note(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        op: Other,
    ) -> Result<(), Box<Halt>> {
        match op {
            Other::Call => self.call(warp, inst),
            Other::BrCount => {
                let yes = lanes(&warp.regs.a[inst.a as usize], warp.mask);
                self.count_branch(warp.pc, yes, warp.mask & !yes);
                Ok(())
            }
            Other::Stmt => self.stop_at(warp, inst.c),
            Other::InitMark => {
                warp.slots[inst.d as usize] |= warp.mask;
                Ok(())
            }
            Other::InitClear => {
                warp.slots[inst.d as usize] &= !warp.mask;
                Ok(())
            }
            Other::InitCheck => {
                let missing = warp.mask & !warp.slots[inst.d as usize];
                if missing != 0 && self.world.options.uninit {
                    return Err(self.unassigned(warp, missing, inst.c));
                }
                Ok(())
            }
        }
    }
}
