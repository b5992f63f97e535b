//! A program that runs: as it stands while every signal may be asked for, by its plan when it has
//! run for a while.

use crate::plan::Plan;
use crate::program::{Code, Instruction, Memory, Program, compute, wrapped};
use crate::run::{SLOTS, run};

/// Edges after which a plan is made.
const WARM: u64 = 500;

/// What of the present cycle is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Settled {
    Nothing,
    /// What the plan computes.
    Plan,
    Everything,
}

/// A program that runs.
#[derive(Clone, Debug)]
pub struct Machine {
    program: Program,
    slots: Vec<i64>,
    plan: Option<Plan>,
    in_reset: bool,
    settled: Settled,
    cycles: u64,
    steps: u64,
}

impl Machine {
    /// The program after the power was switched on.
    pub fn new(program: Program) -> Machine {
        let slots = program.slots.clone();
        Machine {
            program,
            slots,
            plan: None,
            in_reset: false,
            settled: Settled::Nothing,
            cycles: 0,
            steps: 0,
        }
    }

    /// Raises or lowers the reset.
    pub fn reset(&mut self, high: bool) {
        self.in_reset = high;
        self.hold_in_reset();
        self.settled = Settled::Nothing;
    }

    /// Sets an input; `value` must fit.
    pub fn poke(&mut self, slot: u32, value: i64) {
        self.slots[slot as usize] = value;
        self.settled = Settled::Nothing;
    }

    /// Value of a slot in this cycle, before the edge.
    pub fn peek(&mut self, slot: u32) -> i64 {
        if self.plan.as_ref().is_some_and(|p| p.known[slot as usize]) {
            self.settle();
        } else {
            self.settle_everything();
        }
        self.slots[slot as usize]
    }

    /// Clock edges since power-up.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// One rising edge of the clock.
    pub fn step(&mut self) {
        self.settle();
        for ram in &mut self.program.rams {
            if let Some([enable, address, data]) = ram.write
                && self.slots[enable as usize] != 0
            {
                ram.words[self.slots[address as usize] as usize] = self.slots[data as usize];
            }
        }
        let regs = self.program.inits.len();
        self.slots.copy_within(regs..2 * regs, 0);
        self.hold_in_reset();
        self.settled = Settled::Nothing;
        self.cycles += 1;
        self.steps += 1;
        if self.steps == WARM {
            self.make_plan();
        }
    }

    fn make_plan(&mut self) {
        if let Some(plan) = Plan::new(&self.program) {
            self.slots.resize(SLOTS, 0);
            for &(slot, value) in &plan.constants {
                self.slots[slot as usize] = value;
            }
            self.plan = Some(plan);
        }
    }

    /// As after switching the power on: registers at their initial values, memories 0. Inputs stay
    /// as they are.
    pub fn power_cycle(&mut self) {
        let inits = &self.program.inits;
        self.slots[..inits.len()].copy_from_slice(inits);
        for ram in &mut self.program.rams {
            ram.words.fill(0);
        }
        self.cycles = 0;
        self.settled = Settled::Nothing;
    }

    /// Computes at least what the edge needs.
    fn settle(&mut self) {
        if self.settled != Settled::Nothing {
            return;
        }
        if let Some(plan) = &self.plan
            && let Some(slots) = self.slots.first_chunk_mut::<SLOTS>()
        {
            run(
                &plan.runs,
                &plan.steps,
                &plan.tables,
                slots,
                &self.program.roms,
                &self.program.rams,
            );
            self.settled = Settled::Plan;
        } else {
            self.settle_everything();
        }
    }

    fn settle_everything(&mut self) {
        if self.settled != Settled::Everything {
            let Program { code, roms, rams, .. } = &self.program;
            execute(code, &mut self.slots, roms, rams);
            self.settled = Settled::Everything;
        }
    }

    fn hold_in_reset(&mut self) {
        if self.in_reset {
            for &i in &self.program.resettable {
                self.slots[i as usize] = self.program.inits[i as usize];
            }
        }
    }
}

fn execute(code: &[Instruction], slots: &mut [i64], roms: &[Vec<i64>], rams: &[Memory]) {
    for i in code {
        let a = slots[i.a as usize];
        let value = match i.code {
            Code::Copy => {
                slots[i.dst as usize] = a;
                continue;
            }
            Code::Mul => {
                // A product of full width always fits.
                slots[i.dst as usize] = a.wrapping_mul(slots[i.b as usize]);
                continue;
            }
            Code::Mux => {
                slots[i.dst as usize] = slots[if a != 0 { i.b } else { i.c } as usize];
                continue;
            }
            Code::Shl => a << i.c,
            Code::Shr => a >> i.c,
            Code::ShrUnsigned => (a as u64 >> i.c) as i64,
            Code::Join => a << i.c | slots[i.b as usize],
            Code::Rom => roms[i.c as usize][a as usize],
            Code::Ram => rams[i.c as usize].words[a as usize],
            code => compute(code, a, slots[i.b as usize]),
        };
        slots[i.dst as usize] = wrapped(value, i.signed, i.unused);
    }
}
