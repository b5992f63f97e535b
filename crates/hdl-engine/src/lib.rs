//! The inner loop of hdl's simulator: a short program of fixed-size instructions that runs once per
//! clock.
//!
//! A crate of its own so that it alone is compiled for speed; `hdl` makes the programs and gives
//! signals their names.
#![forbid(unsafe_code)]

/// What an instruction does.
#[derive(Clone, Copy, Debug)]
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
}

/// A program that runs.
#[derive(Clone, Debug)]
pub struct Machine {
    code: Vec<Instruction>,
    slots: Vec<i64>,
    inits: Vec<i64>,
    resettable: Vec<u32>,
    roms: Vec<Vec<i64>>,
    rams: Vec<Memory>,
    in_reset: bool,
    settled: bool,
    cycles: u64,
}

impl Machine {
    /// The program after the power was switched on.
    pub fn new(program: Program) -> Machine {
        let Program { code, slots, inits, resettable, roms, rams } = program;
        Machine {
            code,
            slots,
            inits,
            resettable,
            roms,
            rams,
            in_reset: false,
            settled: false,
            cycles: 0,
        }
    }

    /// Raises or lowers the reset.
    pub fn reset(&mut self, high: bool) {
        self.in_reset = high;
        self.hold_in_reset();
        self.settled = false;
    }

    /// Sets an input; `value` must fit.
    pub fn poke(&mut self, slot: u32, value: i64) {
        self.slots[slot as usize] = value;
        self.settled = false;
    }

    /// Value of a slot in this cycle, before the edge.
    pub fn peek(&mut self, slot: u32) -> i64 {
        self.settle();
        self.slots[slot as usize]
    }

    /// Clock edges since power-up.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// One rising edge of the clock.
    pub fn step(&mut self) {
        self.settle();
        for ram in &mut self.rams {
            if let Some([enable, address, data]) = ram.write
                && self.slots[enable as usize] != 0
            {
                ram.words[self.slots[address as usize] as usize] = self.slots[data as usize];
            }
        }
        let regs = self.inits.len();
        self.slots.copy_within(regs..2 * regs, 0);
        self.hold_in_reset();
        self.settled = false;
        self.cycles += 1;
    }

    /// As after switching the power on: registers at their initial values, memories 0. Inputs stay
    /// as they are.
    pub fn power_cycle(&mut self) {
        self.slots[..self.inits.len()].copy_from_slice(&self.inits);
        for ram in &mut self.rams {
            ram.words.fill(0);
        }
        self.cycles = 0;
        self.settled = false;
    }

    fn settle(&mut self) {
        if !self.settled {
            self.settled = true;
            execute(&self.code, &mut self.slots, &self.roms, &self.rams);
        }
    }

    fn hold_in_reset(&mut self) {
        if self.in_reset {
            for &i in &self.resettable {
                self.slots[i as usize] = self.inits[i as usize];
            }
        }
    }
}

fn execute(code: &[Instruction], slots: &mut [i64], roms: &[Vec<i64>], rams: &[Memory]) {
    for i in code {
        let a = slots[i.a as usize];
        let b = slots[i.b as usize];
        let value = match i.code {
            Code::Copy => {
                slots[i.dst as usize] = a;
                continue;
            }
            Code::Mul => {
                // A product of full width always fits.
                slots[i.dst as usize] = a.wrapping_mul(b);
                continue;
            }
            Code::Mux => {
                slots[i.dst as usize] = if a != 0 { b } else { slots[i.c as usize] };
                continue;
            }
            Code::Wrap => a,
            Code::And => a & b,
            Code::Or => a | b,
            Code::Xor => a ^ b,
            Code::Not => !a,
            Code::Neg => a.wrapping_neg(),
            Code::Add => a.wrapping_add(b),
            Code::Sub => a.wrapping_sub(b),
            Code::Eq => i64::from(a == b),
            Code::Ne => i64::from(a != b),
            Code::Lt => i64::from(a < b),
            Code::LtUnsigned => i64::from((a as u64) < b as u64),
            Code::Le => i64::from(a <= b),
            Code::LeUnsigned => i64::from(a as u64 <= b as u64),
            Code::Shl => a << i.c,
            Code::Shr => a >> i.c,
            Code::ShrUnsigned => (a as u64 >> i.c) as i64,
            Code::ShlBy => a.checked_shl(b as u32).unwrap_or(0),
            Code::ShrBy => a >> b.min(63),
            Code::ShrByUnsigned => (a as u64).checked_shr(b as u32).unwrap_or(0) as i64,
            Code::Join => a << i.c | b,
            Code::Rom => roms[i.c as usize][a as usize],
            Code::Ram => rams[i.c as usize].words[a as usize],
        };
        slots[i.dst as usize] = if i.signed {
            value << i.unused >> i.unused
        } else {
            ((value as u64) << i.unused >> i.unused) as i64
        };
    }
}
