//! A program that runs: as it stands while every signal may be asked for, by its plan when it has
//! run for a while.

use crate::layout::{Layout, SLOTS};
use crate::plan::Plan;
use crate::program::{Code, Instruction, Program, compute, wrapped};
use crate::run::run;

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

/// A slot of the program.
#[derive(Clone, Copy, Debug)]
struct Home {
    /// Where it lies.
    at: u32,
    /// What the plan computes is enough to know it.
    known: bool,
}

/// A RAM in the slots.
#[derive(Clone, Copy, Debug)]
struct Ram {
    begin: usize,
    depth: usize,
    /// Slots of enable, address and data.
    write: Option<[usize; 3]>,
}

/// A program that runs.
#[derive(Clone, Debug)]
pub struct Machine {
    program: Program,
    /// The program's code; memories have the numbers of their first slots.
    code: Vec<Instruction>,
    /// The program's slots, then the words of ROMs and RAMs; in another order if there is a plan.
    slots: Vec<i64>,
    homes: Vec<Home>,
    rams: Vec<Ram>,
    plan: Option<Plan>,
    in_reset: bool,
    settled: Settled,
    cycles: u64,
    steps: u64,
}

impl Machine {
    /// The program after the power was switched on.
    pub fn new(program: Program) -> Machine {
        let mut slots = program.slots.clone();
        let homes = (0..slots.len() as u32).map(|at| Home { at, known: false }).collect();
        let roms: Vec<u32> = (program.roms.iter())
            .map(|words| {
                let begin = slots.len() as u32;
                slots.extend(words);
                begin
            })
            .collect();
        let rams: Vec<Ram> = (program.rams.iter())
            .map(|ram| {
                let (begin, depth) = (slots.len(), ram.words.len());
                slots.extend(&ram.words);
                Ram { begin, depth, write: ram.write.map(|w| w.map(|slot| slot as usize)) }
            })
            .collect();
        let mut code = program.code.clone();
        for i in &mut code {
            match i.code {
                Code::Rom => i.c = roms[i.c as usize],
                Code::Ram => i.c = rams[i.c as usize].begin as u32,
                _ => {}
            }
        }
        Machine {
            program,
            code,
            slots,
            homes,
            rams,
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
        self.slots[self.homes[slot as usize].at as usize] = value;
        self.settled = Settled::Nothing;
    }

    /// Value of a slot in this cycle, before the edge.
    pub fn peek(&mut self, slot: u32) -> i64 {
        let home = self.homes[slot as usize];
        if home.known {
            self.settle();
        } else {
            self.settle_everything();
        }
        self.slots[home.at as usize]
    }

    /// Clock edges since power-up.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// One rising edge of the clock.
    pub fn step(&mut self) {
        self.settle();
        for ram in &self.rams {
            if let Some([enable, address, data]) = ram.write
                && self.slots[enable] != 0
            {
                let at = ram.begin + self.slots[address] as usize;
                self.slots[at] = self.slots[data];
            }
        }
        let regs = self.program.inits.len();
        match &self.plan {
            Some(plan) => plan.layout.edge(&mut self.slots),
            None => self.slots.copy_within(regs..2 * regs, 0),
        }
        self.hold_in_reset();
        self.settled = Settled::Nothing;
        self.cycles += 1;
        self.steps += 1;
        if self.steps == WARM {
            self.make_plan();
        }
    }

    fn make_plan(&mut self) {
        let roms = self.program.roms.iter().map(Vec::len);
        let depths = roms.chain(self.program.rams.iter().map(|ram| ram.words.len()));
        let depths: Vec<usize> = depths.collect();
        let Some(plan) = Plan::new(&self.program, &depths) else { return };
        let Layout { place, words, .. } = &plan.layout;
        let mut slots = vec![0; *words];
        for (&at, &value) in place.iter().zip(&self.slots) {
            slots[at as usize] = value;
        }
        for &(slot, value) in &plan.constants {
            slots[slot as usize] = value;
        }
        self.slots = slots;
        for ((home, &at), &known) in self.homes.iter_mut().zip(place).zip(&plan.known) {
            *home = Home { at, known };
        }
        for i in &mut self.code {
            let distance = matches!(i.code, Code::Shl | Code::Shr | Code::ShrUnsigned | Code::Join);
            for slot in
                [&mut i.a, &mut i.b, &mut i.dst].into_iter().chain((!distance).then_some(&mut i.c))
            {
                *slot = place[*slot as usize];
            }
        }
        for ram in &mut self.rams {
            ram.begin = place[ram.begin] as usize;
            ram.write = ram.write.map(|w| w.map(|slot| place[slot] as usize));
        }
        self.plan = Some(plan);
    }

    /// As after switching the power on: registers at their initial values, memories 0. Inputs stay
    /// as they are.
    pub fn power_cycle(&mut self) {
        for i in 0..self.program.inits.len() {
            self.slots[self.homes[i].at as usize] = self.program.inits[i];
        }
        for ram in &self.rams {
            self.slots[ram.begin..ram.begin + ram.depth].fill(0);
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
            && let Some((slots, far)) = self.slots.split_first_chunk_mut::<SLOTS>()
        {
            run(&plan.runs, slots, far);
            self.settled = Settled::Plan;
        } else {
            self.settle_everything();
        }
    }

    fn settle_everything(&mut self) {
        if self.settled != Settled::Everything {
            execute(&self.code, &mut self.slots);
            self.settled = Settled::Everything;
        }
    }

    #[inline]
    fn hold_in_reset(&mut self) {
        if self.in_reset {
            for &i in &self.program.resettable {
                let i = i as usize;
                self.slots[self.homes[i].at as usize] = self.program.inits[i];
            }
        }
    }
}

fn execute(code: &[Instruction], slots: &mut [i64]) {
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
            Code::Rom | Code::Ram => slots[i.c as usize + a as usize],
            code => compute(code, a, slots[i.b as usize]),
        };
        slots[i.dst as usize] = wrapped(value, i.signed, i.unused);
    }
}
