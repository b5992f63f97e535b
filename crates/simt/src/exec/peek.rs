//! Plain reads that a compare-and-swap checks.
//!
//! The loop with which the programming guide makes an atomic of any operation begins with a plain
//! read. If another thread changes the word meanwhile, the compare-and-swap fails and the loop
//! takes the value that it returns. So such a read is no race with an atomic, if its value goes
//! nowhere but into the operands of compare-and-swaps on the same word and into comparisons with
//! what these return. It may pass through variables in the thread's own memory, and it may decide
//! between ways that only compute registers: these then hold something made of it. That is found
//! here by following the value through the code, as one lane runs it.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use crate::bytecode::{Bank, Code, Inst, NONE, Op, Preset, Reg, What};
use crate::memory::{LOCAL_BASE, SHARED_BASE, STRING_BASE};

/// Kernels with more instructions are not looked at.
const MAX_CODE: usize = 20_000;

/// By memory access of `code`: a read that a compare-and-swap checks. Empty if there is none.
pub(crate) fn peeks(code: &Code) -> Vec<bool> {
    let swaps = code.calls.iter().any(|c| matches!(c.what, What::Atomic { op: None, .. }));
    if !swaps || code.insts.len() > MAX_CODE {
        return Vec::new();
    }
    let mut found = vec![false; code.mems.len()];
    for (pc, inst) in code.insts.iter().enumerate() {
        if matches!(inst.op, Op::LdG | Op::LdGB | Op::LdS | Op::LdSB) {
            found[inst.c as usize] = is_peek(code, pc);
        }
    }
    if found.contains(&true) { found } else { Vec::new() }
}

/// Registers that hold the value read, or something made of it, and those that hold what a
/// compare-and-swap returned.
#[derive(Clone, Default, PartialEq)]
struct State {
    read: BTreeSet<(Bank, Reg)>,
    swapped: BTreeSet<(Bank, Reg)>,
    /// Variables in the thread's own memory that hold something made of the value read, by their
    /// place in [`Code::locals`].
    stored: BTreeSet<u32>,
}

impl State {
    /// Puts both together; true if this one has grown.
    fn join(&mut self, other: &State) -> bool {
        let size = |s: &State| s.read.len() + s.swapped.len() + s.stored.len();
        let before = size(self);
        self.read.extend(&other.read);
        self.swapped.extend(&other.swapped);
        self.stored.extend(&other.stored);
        size(self) > before
    }

    fn set(&mut self, reg: (Bank, Reg), read: bool, swapped: bool) {
        for (set, is) in [(&mut self.read, read), (&mut self.swapped, swapped)] {
            if is {
                set.insert(reg)
            } else {
                set.remove(&reg)
            };
        }
    }
}

fn is_peek(code: &Code, load: usize) -> bool {
    let insts = &code.insts;
    let bank = |inst: &Inst| if inst.op.shape()[0] == b'a' { Bank::A } else { Bank::B };
    let mut states: Vec<Option<State>> = vec![None; insts.len() + 1];
    // What runs, or does not, as the value decides.
    let mut decided = vec![false; insts.len()];
    let mut start = State::default();
    start.set((bank(&insts[load]), insts[load].d), true, false);
    states[load + 1] = Some(start);
    let mut work = vec![load + 1];
    let mut checked = false;
    while let Some(pc) = work.pop() {
        let Some(inst) = insts.get(pc) else { continue };
        let Some(mut state) = states[pc].clone() else { continue };
        if inst.op == Op::If && state.read.contains(&(Bank::A, inst.a)) {
            let Some(ways) = ways_of(insts, pc) else { return false };
            if !decided[ways.start] {
                work.extend(ways.clone());
            }
            decided[ways].fill(true);
        } else if pc != load {
            match step(code, load, pc, inst, decided[pc], &mut state) {
                Some(swap) => checked |= swap,
                None => return false,
            }
        } else {
            // Round the loop: the value is read anew.
            state.set((bank(inst), inst.d), true, false);
        }
        if state == State::default() {
            continue;
        }
        for next in followers(insts, pc, inst) {
            let grown = match &mut states[next] {
                Some(old) => old.join(&state),
                none => {
                    *none = Some(state.clone());
                    true
                }
            };
            if grown {
                work.push(next);
            }
        }
    }
    checked
}

/// The instructions that run or not by the condition of the `if` at `pc`, if they do nothing but
/// set registers.
fn ways_of(insts: &[Inst], pc: usize) -> Option<Range<usize>> {
    let end_of = |from: usize, end: Op, slot: u32| {
        (from..insts.len()).find(|at| insts[*at].op == end && insts[*at].d == slot)
    };
    let mut end = end_of(pc, Op::EndIf, insts[pc].d)?;
    let mut at = pc + 1;
    while at < end {
        let inst = &insts[at];
        match inst.op {
            Op::Alu(_)
            | Op::If
            | Op::Else
            | Op::EndIf
            | Op::FuncBegin
            | Op::FuncEnd
            | Op::BrCount
            | Op::InitMark
            | Op::InitClear
            | Op::InitCheck
            | Op::Stmt => {}
            op if matches!(op, Op::Mem(_)) && !is_store(op) => {}
            // A function that returns early: what follows there depends on the value, too.
            Op::Leave => end = end.max(end_of(at, Op::FuncEnd, inst.d)?),
            _ => return None,
        }
        at += 1;
    }
    Some(pc + 1..end)
}

fn is_store(op: Op) -> bool {
    op.shape()[0].is_ascii_uppercase() || matches!(op, Op::StGV | Op::StSV | Op::StTV)
}

fn in_shared(op: Op) -> bool {
    matches!(op, Op::LdS | Op::LdSB | Op::LdSV | Op::StS | Op::StSB | Op::StSV)
}

/// Some pointer is to a variable in the thread's own memory.
fn points_to_locals(code: &Code) -> bool {
    let local =
        |p: &Preset| matches!(p, Preset::ConstB(a) if (LOCAL_BASE..STRING_BASE).contains(a));
    code.presets.iter().any(|(preset, _)| local(preset))
}

/// The registers after an instruction; `None` if it uses the value in another way than allowed.
/// True for a compare-and-swap that checks the value. `decided`: the value decides whether it runs.
fn step(
    code: &Code,
    load: usize,
    pc: usize,
    inst: &Inst,
    decided: bool,
    state: &mut State,
) -> Option<bool> {
    let shape = inst.op.shape();
    let bank = |c: u8| if c.eq_ignore_ascii_case(&b'a') { Bank::A } else { Bank::B };
    let fields = [(shape[1], inst.a), (shape[2], inst.b), (shape[3], inst.c)];
    let operands = fields.iter().filter(|(c, reg)| *c != b'-' && *reg != NONE);
    let operands: Vec<(Bank, Reg)> = operands.map(|(c, reg)| (bank(*c), *reg)).collect();
    let reads = |state: &State| operands.iter().any(|r| state.read.contains(r));
    if let Op::Alu(_) = inst.op {
        let swaps = operands.iter().any(|r| state.swapped.contains(r));
        let compares = matches!(
            inst.op,
            Op::EqI | Op::NeI | Op::EqL | Op::NeL | Op::EqF | Op::NeF | Op::EqD | Op::NeD
        );
        let moves = matches!(inst.op, Op::MovA | Op::MovB);
        let read = decided || reads(state) && !(compares && swaps);
        state.set((bank(shape[0]), inst.d), read, moves && swaps);
        return Some(false);
    }
    match inst.op {
        Op::Call => {
            let call = &code.calls[inst.c as usize];
            let uses = |k: usize| call.args.get(k).is_some_and(|r| state.read.contains(r));
            let swap = matches!(call.what, What::Atomic { op: None, .. });
            let any = (0..call.args.len()).any(uses);
            let same_word = || word_of_swap(code, pc) == word_of_load(code, load);
            if any && !(swap && !uses(0) && same_word()) {
                return None;
            }
            let checks = swap && uses(1);
            if let Some(dest) = call.dest {
                state.set(dest, false, swap && (checks || same_word()));
            }
            Some(checks)
        }
        Op::Bar => {
            let vote = code.bars[inst.c as usize].vote;
            let used = vote.is_some_and(|(_, from, _)| state.read.contains(&(Bank::A, from)));
            if let Some((_, _, to)) = vote {
                state.set((Bank::A, to), false, false);
            }
            (!used).then_some(false)
        }
        // Decides nothing by itself: what is selected goes on.
        Op::BrCount => Some(false),
        // Loads, stores and branches.
        op => {
            let mem = matches!(op, Op::Mem(_));
            let regs = match mem {
                true => &code.mems[inst.c as usize].regs[..],
                false => &[],
            };
            let stores =
                shape[0].is_ascii_uppercase() && state.read.contains(&(bank(shape[0]), inst.d));
            let kind = mem.then(|| code.mems[inst.c as usize].kind.bank());
            let parts = kind.map_or(Vec::new(), |b| regs.iter().map(|r| (b, *r)).collect());
            let stores = stores || is_store(op) && parts.iter().any(|r| state.read.contains(r));
            // Only addresses in device memory are in the first operand.
            let own = mem && shape[1] == b'-' && !in_shared(op);
            if reads(state) || stores && !own {
                return None;
            }
            if own && is_store(op) {
                let info = &code.mems[inst.c as usize];
                if stores {
                    state.stored.insert(info.var);
                } else if inst.b == NONE && info.size == code.locals[info.var as usize].size {
                    state.stored.remove(&info.var);
                }
            }
            if mem && !is_store(op) {
                let held = match own {
                    true => state.stored.contains(&code.mems[inst.c as usize].var),
                    // Through a pointer, which may lead to the thread's own memory.
                    false => !state.stored.is_empty() && points_to_locals(code),
                };
                let read = decided || held;
                parts.iter().for_each(|r| state.set(*r, read, false));
                if shape[0].is_ascii_lowercase() {
                    state.set((bank(shape[0]), inst.d), read, false);
                }
            }
            Some(false)
        }
    }
}

/// Where a lane may go from `pc`: perhaps more than it can.
pub(super) fn followers(insts: &[Inst], pc: usize, inst: &Inst) -> Vec<usize> {
    let join = |slot: u32, from: usize| {
        (from..insts.len()).find(|at| {
            let op = insts[*at].op;
            insts[*at].d == slot
                && matches!(op, Op::Arm | Op::EndIf | Op::FuncEnd | Op::LoopEnd | Op::LoopNext)
        })
    };
    let target = usize::try_from(inst.imm).ok();
    match inst.op {
        // Lanes that go the other way begin behind the `else`; those that come to it are done.
        Op::If => {
            let other = |at: usize| at + usize::from(insts[at].op == Op::Else);
            target.map(other).into_iter().chain([pc + 1]).collect()
        }
        Op::LoopTest => target.into_iter().chain([pc + 1]).collect(),
        Op::Else | Op::Jump => target.into_iter().collect(),
        Op::Leave => join(inst.d, pc + 1).into_iter().collect(),
        // The end, and the arms, whose slots follow.
        Op::Switch | Op::SwitchL => {
            let end = join(inst.d, pc + 1);
            let inside = |at: &usize| insts[*at].op == Op::Arm && end.is_none_or(|end| *at < end);
            let arms = (inst.d + 1..).map_while(|slot| join(slot, pc + 1).filter(inside));
            arms.chain(end).collect()
        }
        Op::Exit | Op::End => Vec::new(),
        _ => vec![pc + 1],
    }
}

/// An address, as far as the code tells: what it is made of.
#[derive(Debug, PartialEq)]
enum Word {
    /// A number.
    At(u64),
    /// Root, index, factor, offset.
    Of(Reg, Reg, i32, i64),
}

fn word_of_load(code: &Code, pc: usize) -> Option<Word> {
    let inst = &code.insts[pc];
    let scale = if inst.b == NONE { 0 } else { code.mems[inst.c as usize].scale };
    match inst.op {
        Op::LdS | Op::LdSB if inst.b == NONE => Some(Word::At(SHARED_BASE + inst.imm as u64)),
        Op::LdS | Op::LdSB => {
            Some(Word::Of(NONE, inst.b, scale, SHARED_BASE as i64 + i64::from(inst.imm)))
        }
        _ if inst.b == NONE => traced(code, pc, inst.a, i64::from(inst.imm), &mut HashSet::new()),
        _ => Some(Word::Of(inst.a, inst.b, scale, i64::from(inst.imm))),
    }
}

fn word_of_swap(code: &Code, pc: usize) -> Option<Word> {
    let (_, reg) = code.calls[code.insts[pc].c as usize].args[0];
    traced(code, pc, reg, 0, &mut HashSet::new())
}

/// What the 64-bit register holds before `pc`, plus `offset`: the nearest instruction above that
/// sets it says.
fn traced(
    code: &Code,
    pc: usize,
    reg: Reg,
    offset: i64,
    seen: &mut HashSet<usize>,
) -> Option<Word> {
    let preset = code.presets.iter().find(|(p, r)| p.bank() == Bank::B && *r == reg);
    if let Some((Preset::ConstB(value), _)) = preset {
        return Some(Word::At(value.wrapping_add(offset as u64)));
    }
    let sets = |i: &Inst| i.op.shape()[0] == b'b' && i.d == reg;
    let Some(at) = code.insts[..pc].iter().rposition(sets) else {
        return Some(Word::Of(reg, NONE, 0, offset));
    };
    if !seen.insert(at) {
        return None;
    }
    let inst = &code.insts[at];
    match inst.op {
        Op::MovB => traced(code, at, inst.a, offset, seen),
        Op::AddImmL => traced(code, at, inst.a, offset + i64::from(inst.imm), seen),
        Op::LeaS | Op::LeaU => match traced(code, at, inst.a, offset, seen)? {
            Word::At(base) => Some(Word::Of(NONE, inst.b, inst.imm, base as i64)),
            Word::Of(root, NONE, _, offset) => Some(Word::Of(root, inst.b, inst.imm, offset)),
            Word::Of(..) => Some(Word::Of(reg, NONE, 0, offset)),
        },
        _ => Some(Word::Of(reg, NONE, 0, offset)),
    }
}
