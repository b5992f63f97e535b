//! Emitting instructions: registers, constants, folding, sharing of common subexpressions.

use std::collections::HashMap;

use crate::bytecode::{Bank, Inst, NONE, Op, Preset, Reg};

use crate::source::Span;

/// A computation without effects, up to the registers it reads.
type Key = (Op, u32, u32, u32, i32);

/// Registers and code of a kernel in the making.
#[derive(Default)]
pub(super) struct Emitter {
    pub insts: Vec<Inst>,
    pub spans: Vec<Span>,
    pub span: Span,
    /// The call of one of our own functions: what it does counts there.
    pub call: Option<Span>,
    /// Position of each label, once placed.
    pub labels: Vec<u32>,
    /// Loops: first instruction and one past the last.
    pub loops: Vec<(u32, u32)>,
    pub controls: u32,
    pub presets: HashMap<Preset, Reg>,
    pub preset_list: Vec<(Preset, Reg)>,
    /// By bank: the register is a preset / a variable's home / all lanes are equal.
    flags: [Vec<Flags>; 2],
    cse: HashMap<Key, Reg>,
    cse_log: Vec<Key>,
    /// Entries that read a variable's home.
    cse_of_home: HashMap<(Bank, Reg), Vec<Key>>,
    /// The entry that a register is the result of.
    cse_result: HashMap<(Bank, Reg), Key>,
    run_start: usize,
    /// A result that is still to be read where it is.
    pub pinned: Option<(Bank, Reg)>,
}

#[derive(Clone, Copy, Default)]
struct Flags {
    preset: bool,
    home: bool,
    uniform: bool,
    constant: Option<u64>,
    /// Known bounds of a 32-bit value.
    range: Option<(i64, i64)>,
}

/// A jump target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label(pub u32);

fn index(bank: Bank) -> usize {
    bank as usize
}

impl Emitter {
    pub fn new_reg(&mut self, bank: Bank) -> Reg {
        let flags = &mut self.flags[index(bank)];
        flags.push(Flags::default());
        flags.len() as u32 - 1
    }

    pub fn reg_count(&self, bank: Bank) -> usize {
        self.flags[index(bank)].len()
    }

    pub fn new_home(&mut self, bank: Bank) -> Reg {
        let reg = self.new_reg(bank);
        self.flags[index(bank)][reg as usize].home = true;
        reg
    }

    pub fn is_home(&self, bank: Bank, reg: Reg) -> bool {
        self.flags[index(bank)][reg as usize].home
    }

    pub fn is_preset(&self, bank: Bank, reg: Reg) -> bool {
        self.flags[index(bank)][reg as usize].preset
    }

    pub fn is_uniform(&self, bank: Bank, reg: Reg) -> bool {
        self.flags[index(bank)][reg as usize].uniform
    }

    fn range(&self, reg: Reg) -> Option<(i64, i64)> {
        self.flags[0][reg as usize].range
    }

    /// The unsigned value `reg + add` certainly does not wrap round.
    pub fn fits_unsigned(&self, reg: Reg, add: i64) -> bool {
        // A negative bound means that the register itself may have wrapped.
        let fits =
            |(lo, hi): (i64, i64)| lo >= 0 && lo + add >= 0 && hi + add <= i64::from(u32::MAX);
        add == 0 || self.range(reg).is_some_and(fits)
    }

    /// The signed value `reg + add` certainly does not wrap round.
    pub fn fits_signed(&self, reg: Reg, add: i64) -> bool {
        let (min, max) = (i64::from(i32::MIN), i64::from(i32::MAX));
        self.range(reg).is_some_and(|(lo, hi)| lo + add >= min && hi + add <= max)
    }

    pub fn preset(&mut self, preset: Preset) -> Reg {
        if let Some(reg) = self.presets.get(&preset) {
            return *reg;
        }
        let reg = self.new_reg(preset.bank());
        let range = match preset {
            Preset::ConstA(bits) => Some((i64::from(bits as i32), i64::from(bits as i32))),
            Preset::ThreadIdx(_) => Some((0, 1023)),
            Preset::BlockDim(_) => Some((1, 1024)),
            Preset::LaneId => Some((0, 31)),
            Preset::BlockIdx(axis) | Preset::GridDim(axis) if axis != crate::hir::Axis::X => {
                Some((0, 65_535))
            }
            Preset::BlockIdx(_)
            | Preset::GridDim(_)
            | Preset::GlobalId(_)
            | Preset::GlobalOffset(_) => Some((0, i64::from(i32::MAX))),
            _ => None,
        };
        let constant = match preset {
            Preset::ConstA(bits) => Some(u64::from(bits)),
            Preset::ConstB(bits) => Some(bits),
            _ => None,
        };
        let uniform = preset.is_uniform();
        let flags = Flags { preset: true, home: false, uniform, constant, range };
        self.flags[index(preset.bank())][reg as usize] = flags;
        self.presets.insert(preset, reg);
        self.preset_list.push((preset, reg));
        reg
    }

    /// The register that holds a constant.
    pub fn constant(&mut self, bank: Bank, bits: u64) -> Reg {
        self.preset(match bank {
            Bank::A => Preset::ConstA(bits as u32),
            Bank::B => Preset::ConstB(bits),
        })
    }

    /// The value of a register that holds a constant.
    pub fn constant_of(&self, bank: Bank, reg: Reg) -> Option<u64> {
        self.flags[index(bank)][reg as usize].constant
    }

    /// Where something at `span` counts.
    pub fn here(&self, span: Span) -> Span {
        self.call.unwrap_or(span)
    }

    pub fn push(&mut self, inst: Inst) {
        self.insts.push(inst);
        self.spans.push(self.here(self.span));
        if inst.op.is_control() {
            self.run_start = self.insts.len();
        }
    }

    /// A control instruction with a counter of its own.
    pub fn control(&mut self, op: Op, slot: u32, cond: Reg, c: u32, target: Option<Label>) {
        let imm = target.map_or(-1, |l| l.0 as i32);
        let b = self.controls;
        self.controls += 1;
        self.push(Inst { op, d: slot, a: cond, b, c, imm });
    }

    pub fn label(&mut self) -> Label {
        self.labels.push(NONE);
        Label(self.labels.len() as u32 - 1)
    }

    pub fn place(&mut self, label: Label) {
        self.labels[label.0 as usize] = self.insts.len() as u32;
        self.run_start = self.insts.len();
    }

    /// An operation with a fresh result; shared with an equal one before if it costs nothing to say
    /// so.
    pub fn op(&mut self, op: Op, a: Reg, b: Reg, c: Reg, imm: i32) -> Reg {
        let shape = op.shape();
        let key = (op, a, b, c, imm);
        let shared = op.is_pure() && op.flop() == 0;
        if shared && let Some(reg) = self.cse.get(&key) {
            return *reg;
        }
        let out = if shape[0] == b'a' { Bank::A } else { Bank::B };
        let d = self.new_reg(out);
        self.flags[index(out)][d as usize].uniform = false;
        if out == Bank::A {
            self.flags[0][d as usize].range = self.result_range(op, a, b, imm);
        }
        self.push(Inst { op, d, a, b, c, imm });
        if shared {
            self.cse.insert(key, d);
            self.cse_log.push(key);
            self.cse_result.insert((out, d), key);
            for (at, reg) in [(1, a), (2, b), (3, c)] {
                let bank = match shape[at] {
                    b'a' => Bank::A,
                    b'b' => Bank::B,
                    _ => continue,
                };
                if self.is_home(bank, reg) {
                    self.cse_of_home.entry((bank, reg)).or_default().push(key);
                }
            }
        }
        d
    }

    fn result_range(&self, op: Op, a: Reg, b: Reg, imm: i32) -> Option<(i64, i64)> {
        let get = |r: Reg| self.flags[0].get(r as usize).and_then(|f| f.range);
        let imm = i64::from(imm);
        let range = match op {
            Op::AddI => get(a).zip(get(b)).map(|(x, y)| (x.0 + y.0, x.1 + y.1)),
            Op::SubI => get(a).zip(get(b)).map(|(x, y)| (x.0 - y.1, x.1 - y.0)),
            Op::AddImm => get(a).map(|x| (x.0 + imm, x.1 + imm)),
            Op::MulI => get(a)
                .zip(get(b))
                .filter(|(x, y)| x.0 >= 0 && y.0 >= 0)
                .map(|(x, y)| (x.0.saturating_mul(y.0), x.1.saturating_mul(y.1))),
            Op::MulImm if imm >= 0 => get(a).map(|x| (x.0 * imm, x.1 * imm)),
            Op::ShlImm => get(a).map(|x| (x.0 << (imm & 31), x.1 << (imm & 31))),
            Op::ShrUImm | Op::ShrSImm => {
                get(a).filter(|x| x.0 >= 0).map(|x| (x.0 >> (imm & 31), x.1 >> (imm & 31)))
            }
            Op::AndI => {
                let top = [get(a), get(b)].into_iter().flatten().filter(|x| x.0 >= 0);
                top.map(|x| x.1).min().map(|hi| (0, hi))
            }
            Op::ZextB => Some((0, 255)),
            Op::ZextH => Some((0, 65_535)),
            Op::EqI | Op::NeI | Op::LtS | Op::LeS | Op::LtU | Op::LeU => Some((0, 1)),
            _ => None,
        };
        range.filter(|(lo, hi)| *lo >= i64::from(i32::MIN) && *hi <= i64::from(i32::MAX))
    }

    /// Mark for [`Emitter::forget_since`].
    pub fn cse_mark(&self) -> usize {
        self.cse_log.len()
    }

    /// Results computed since `mark` hold only for some lanes: forget them.
    pub fn forget_since(&mut self, mark: usize) {
        for key in self.cse_log.drain(mark..) {
            self.cse.remove(&key);
        }
    }

    /// A home is about to change: results made from it are stale.
    pub fn forget_home(&mut self, bank: Bank, home: Reg) {
        for key in self.cse_of_home.remove(&(bank, home)).unwrap_or_default() {
            self.cse.remove(&key);
        }
    }

    /// Makes the instruction that computed `temp` write to `home` instead, if nobody can tell. Only
    /// looks at the current run.
    pub fn retarget(&mut self, bank: Bank, temp: Reg, home: Reg) -> bool {
        if self.is_preset(bank, temp)
            || self.is_home(bank, temp)
            || self.pinned == Some((bank, temp))
        {
            return false;
        }
        let start = self.run_start.max(self.insts.len().saturating_sub(48));
        let byte = if bank == Bank::A { b'a' } else { b'b' };
        let Some(def) = (start..self.insts.len()).rev().find(|i| {
            let inst = &self.insts[*i];
            inst.op.shape()[0] == byte && inst.d == temp
        }) else {
            return false;
        };
        for inst in &self.insts[def + 1..] {
            let shape = inst.op.shape();
            let fields = [inst.d, inst.a, inst.b, inst.c];
            // Vectors and calls keep their registers elsewhere: leave them alone.
            if matches!(
                inst.op,
                Op::Call | Op::LdGV | Op::StGV | Op::LdSV | Op::StSV | Op::LdTV | Op::StTV
            ) {
                return false;
            }
            if (0..4).any(|k| shape[k].eq_ignore_ascii_case(&byte) && fields[k] == home) {
                return false;
            }
        }
        self.insts[def].d = home;
        for inst in &mut self.insts[def + 1..] {
            let shape = inst.op.shape();
            let fields = [&mut inst.d, &mut inst.a, &mut inst.b, &mut inst.c];
            for (k, field) in fields.into_iter().enumerate() {
                if shape[k].eq_ignore_ascii_case(&byte) && *field == temp {
                    *field = home;
                }
            }
        }
        // Nobody may find the old register any more.
        if let Some(key) = self.cse_result.remove(&(bank, temp)) {
            self.cse.remove(&key);
        }
        true
    }
}
