//! The inner loop of hdl's simulator: a short program of fixed-size instructions that runs once per
//! clock.
//!
//! A crate of its own so that it alone is compiled for speed; `hdl` makes the programs and gives
//! signals their names.
#![forbid(unsafe_code)]

mod cover;
mod graph;
mod plan;
mod run;

use plan::Plan;

/// As many slots as a step of the plan can name.
const SLOTS: usize = 1 << 16;
/// Edges after which a plan is made.
const WARM: u64 = 500;

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Code {
    /// Takes `a` as it is.
    Copy,
    /// Wraps `a` to the type.
    Wrap,
    /// `a & b`.
    And,
    /// `a | b`.
    Or,
    /// `a ^ b`.
    Xor,
    /// `!a`.
    Not,
    /// `-a`.
    Neg,
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// `a * b`, which always fits.
    Mul,
    /// `a == b`.
    Eq,
    /// `a != b`.
    Ne,
    /// `a < b`.
    Lt,
    /// `a < b` of unsigned values.
    LtUnsigned,
    /// `a <= b`.
    Le,
    /// `a <= b` of unsigned values.
    LeUnsigned,
    /// `slot[b]` if `a` is not 0, else `slot[c]`.
    Mux,
    /// `a << c`.
    Shl,
    /// `a >> c`.
    Shr,
    /// `a >> c` with zeros from above.
    ShrUnsigned,
    /// `a << b`.
    ShlBy,
    /// `a >> b`.
    ShrBy,
    /// `a >> b` with zeros from above.
    ShrByUnsigned,
    /// `a << c | b`, for joining bits.
    Join,
    /// Word `a` of ROM `c`.
    Rom,
    /// Word `a` of RAM `c`.
    Ram,
}

/// One step: `slot[dst] = code(slot[a], slot[b], slot[c])`, wrapped to the type given by `signed`
/// and `unused` bits.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// What it does.
    pub code: Code,
    /// The result is kept sign-extended, else zero-extended.
    pub signed: bool,
    /// 64 minus the width; 0 also where the result fits by itself.
    pub unused: u8,
    /// First operand.
    pub a: u32,
    /// Second operand.
    pub b: u32,
    /// Third operand, distance of a shift, or number of a memory.
    pub c: u32,
    /// Where the result goes.
    pub dst: u32,
}

/// A RAM.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Content.
    pub words: Vec<i64>,
    /// Slots of enable, address and data.
    pub write: Option<[u32; 3]>,
}

/// A register or an input: the values that it can hold.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Where it lies.
    pub slot: u32,
    /// Values are sign-extended, else zero-extended.
    pub signed: bool,
    /// 64 minus the width.
    pub unused: u8,
}

/// A design as a program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// What is computed within a clock, in order.
    pub code: Vec<Instruction>,
    /// Registers first, then their next values, then inputs, constants and results; as at power-up.
    pub slots: Vec<i64>,
    /// Values of the registers at power-up.
    pub inits: Vec<i64>,
    /// Registers that the asynchronous reset holds at their initial values.
    pub resettable: Vec<u32>,
    /// Contents of the ROMs.
    pub roms: Vec<Vec<i64>>,
    /// The RAMs.
    pub rams: Vec<Memory>,
    /// Registers and inputs.
    pub sources: Vec<Source>,
    /// Signals that are likely to be looked at in every cycle, as outputs are.
    pub watched: Vec<u32>,
}

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
            run::run(
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

/// What a code with at most two operands gives, before it is wrapped.
#[inline(always)]
fn compute(code: Code, a: i64, b: i64) -> i64 {
    match code {
        Code::And => a & b,
        Code::Or => a | b,
        Code::Xor => a ^ b,
        Code::Not => !a,
        Code::Neg => a.wrapping_neg(),
        Code::Add => a.wrapping_add(b),
        Code::Sub => a.wrapping_sub(b),
        Code::Mul => a.wrapping_mul(b),
        Code::Eq => i64::from(a == b),
        Code::Ne => i64::from(a != b),
        Code::Lt => i64::from(a < b),
        Code::LtUnsigned => i64::from((a as u64) < b as u64),
        Code::Le => i64::from(a <= b),
        Code::LeUnsigned => i64::from(a as u64 <= b as u64),
        Code::ShlBy => a.checked_shl(b as u32).unwrap_or(0),
        Code::ShrBy => a >> b.min(63),
        Code::ShrByUnsigned => (a as u64).checked_shr(b as u32).unwrap_or(0) as i64,
        _ => a,
    }
}

#[inline(always)]
fn wrapped(value: i64, signed: bool, unused: u8) -> i64 {
    if signed { value << unused >> unused } else { ((value as u64) << unused >> unused) as i64 }
}
