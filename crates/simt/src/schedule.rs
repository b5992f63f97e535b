//! What a card's compiler would make of the bytecode: how many instructions a warp issues in a run
//! between two branches, and how often it waits there for memory.
//!
//! The bytecode is close to the source; a compiler for a card reorders and unrolls. Four of its
//! habits change times by factors and are counted here:
//!
//! * **All loads of a run whose addresses are known go first**, so a warp waits once for all of
//!   them; only a load whose address comes from another load waits again. The number of such
//!   *turns* is the depth of the run's loads.
//! * **Innermost loops are unrolled by four**, unless a value that is computed decides how long
//!   they run. The instructions that only count and form addresses are shared by the four copies.
//!   Without a store, an atomic or a barrier inside, the loads of the four go together, too.
//! * **Some operations are many instructions**: a division, a square root, an exponential.
//! * **Some are none**: of two bitwise operations behind each other one instruction is made
//!   (`LOP3`), and the halves of a 64-bit number are registers, so that taking one, or making a
//!   64-bit number of an unsigned one, is no work. (Counted for values that go into results; an
//!   address costs little in any case.)

use std::collections::{HashMap, HashSet};

use crate::bytecode::{Bank, Code, Inst, NONE, Op, Preset, Reg, What};
use compiler::hir::{Math1, Math2};

/// Copies of an innermost loop's body.
const UNROLLED: f64 = 4.0;

/// A register of one of the two banks.
type Named = (Bank, Reg);

/// What one execution of a run costs a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Effort {
    /// Instructions issued.
    pub issued: f64,
    /// Waits for device memory, one after the other.
    pub turns: f64,
    /// Waits for shared memory.
    pub shared_turns: f64,
}

/// An innermost loop.
#[derive(Clone, Copy)]
struct Inner {
    first: usize,
    last: usize,
    /// A computed value decides how long it runs.
    searches: bool,
    /// Loads stay behind the stores of the iteration before.
    ordered: bool,
}

/// The effort of each run of `code`, in the order of [`Code::runs`].
pub(crate) fn efforts(code: &Code) -> Vec<Effort> {
    let loops = innermost(code);
    let writers = writers(code);
    let data = goes_into_results(code, &writers);
    let merged = merged(code, &writers);
    let constants: HashSet<Reg> = (code.presets.iter())
        .filter(|(preset, _)| matches!(preset, Preset::ConstA(_)))
        .map(|(_, reg)| *reg)
        .collect();
    let of = |control: u32| {
        let first = control as usize + 1;
        let insts = code.insts.get(first..).unwrap_or_default();
        let len = insts.iter().position(|i| i.op.is_control()).unwrap_or(insts.len());
        // They do not overlap and stand in order.
        let around = loops.get(loops.partition_point(|l| l.last < first));
        let around = around.filter(|l| l.first <= first);
        let copies = if around.is_some_and(|l| !l.searches) { UNROLLED } else { 1.0 };
        let together = if around.is_some_and(|l| l.ordered) { 1.0 } else { copies };
        // The branch before the run counts with it.
        let branch = code.insts[control as usize].op.weight() as f64 / copies;
        let mut effort = depth(code, &insts[..len]);
        effort.turns /= together;
        effort.shared_turns /= together;
        effort.issued = branch
            + (first..first + len)
                .filter(|at| !(data[*at] && merged[*at]))
                .map(|at| instructions(&code.insts[at], data[at], &constants, copies))
                .sum::<f64>();
        effort
    };
    code.runs.iter().map(|run| of(run.control)).collect()
}

fn innermost(code: &Code) -> Vec<Inner> {
    let mut open: Vec<usize> = Vec::new();
    let mut found: Vec<Inner> = Vec::new();
    for (pc, inst) in code.insts.iter().enumerate() {
        match inst.op {
            Op::LoopBegin => open.push(pc),
            Op::LoopEnd => {
                let Some(first) = open.pop() else { continue };
                if found.last().is_some_and(|inner| inner.first > first) {
                    continue;
                }
                let body = &code.insts[first..pc];
                let searches = body.iter().any(|i| {
                    use Op as O;
                    matches!(
                        i.op,
                        O::LtF | O::LeF | O::EqF | O::NeF | O::LtD | O::LeD | O::EqD | O::NeD
                    ) || matches!(i.op, O::Leave | O::LoopNext)
                });
                let ordered = body.iter().any(|i| {
                    let call = matches!(i.op, Op::Call)
                        && matches!(code.calls[i.c as usize].what, What::Atomic { .. });
                    call || is_store(i.op) || i.op == Op::Bar
                });
                found.push(Inner { first, last: pc, searches, ordered });
            }
            _ => {}
        }
    }
    found
}

fn is_store(op: Op) -> bool {
    matches!(op, Op::StG | Op::StGB | Op::StGV | Op::StS | Op::StSB | Op::StSV)
}

fn bank(shape: u8) -> Bank {
    if shape.eq_ignore_ascii_case(&b'a') { Bank::A } else { Bank::B }
}

/// The registers that an instruction reads, and those that it writes.
fn registers(code: &Code, inst: &Inst) -> (Vec<Named>, Vec<Named>) {
    let shape = inst.op.shape();
    let fields = [(shape[1], inst.a), (shape[2], inst.b), (shape[3], inst.c)];
    let named = |&(c, reg): &(u8, u32)| (c != b'-' && reg != NONE).then(|| (bank(c), reg));
    let mut reads: Vec<Named> = fields.iter().filter_map(named).collect();
    let mut writes = Vec::new();
    if shape[0].is_ascii_uppercase() {
        reads.push((bank(shape[0]), inst.d));
    } else if shape[0] != b'-' {
        writes.push((bank(shape[0]), inst.d));
    }
    match inst.op {
        Op::Mem(_) => {
            let info = &code.mems[inst.c as usize];
            let parts = info.regs.iter().map(|r| (info.kind.bank(), *r));
            if is_store(inst.op) || matches!(inst.op, Op::StTV) {
                reads.extend(parts);
            } else {
                writes.extend(parts);
            }
        }
        Op::Call => {
            let call = &code.calls[inst.c as usize];
            reads.extend(&call.args);
            writes.extend(call.dest);
        }
        _ => {}
    }
    (reads, writes)
}

/// For each instruction whether its value goes into a result, not only into addresses and the
/// counts of loops.
fn goes_into_results(code: &Code, writers: &Writers) -> Vec<bool> {
    let insts = &code.insts;
    let mut stack = Vec::new();
    for (inst, from) in insts.iter().zip(writers) {
        let used = match inst.op {
            Op::Alu(_) => !is_integer(inst),
            Op::Call | Op::Mem(_) => true,
            _ => false,
        };
        if used {
            // An address is the field `a` and the index `b`.
            let address =
                |reg: Reg| matches!(inst.op, Op::Mem(_)) && [inst.a, inst.b].contains(&reg);
            stack.extend(from.iter().filter(|(reg, _)| !address(*reg)).map(|(_, at)| *at));
        }
    }
    let mut data = vec![false; insts.len()];
    while let Some(pc) = stack.pop() {
        if !std::mem::replace(&mut data[pc], true) && is_integer(&insts[pc]) {
            stack.extend(writers[pc].iter().map(|(_, at)| *at));
        }
    }
    data
}

/// For each instruction whether it is a part of another one: a bitwise operation whose only reader
/// is one, too, unless a part of that is taken already (three inputs are all that there is room
/// for); or whether it only names a half of a 64-bit number.
fn merged(code: &Code, writers: &Writers) -> Vec<bool> {
    let is_bitwise =
        |op| matches!(op, Op::AndI | Op::OrI | Op::XorI | Op::AndL | Op::OrL | Op::XorL);
    let mut readers = vec![0; code.insts.len()];
    writers.iter().flatten().for_each(|(_, at)| readers[*at] += 1);
    let mut merged = vec![false; code.insts.len()];
    let mut has_part = vec![false; code.insts.len()];
    for (pc, inst) in code.insts.iter().enumerate() {
        let is_half = inst.op == Op::ShrUImmL && inst.imm == 32;
        merged[pc] |= is_half || matches!(inst.op, Op::UToL | Op::LToI);
        if is_bitwise(inst.op) {
            let part = writers[pc].iter().map(|(_, at)| *at).find(|at| {
                let is_free = readers[*at] == 1 && !has_part[*at];
                *at < pc && is_bitwise(code.insts[*at].op) && is_free
            });
            part.into_iter().for_each(|at| merged[at] = true);
            has_part[pc] = part.is_some();
        }
    }
    merged
}

/// For each instruction the registers that it reads, each with the instruction that wrote it: the
/// nearest above, and for what comes around a loop the last of its body.
type Writers = Vec<Vec<(Reg, usize)>>;

fn writers(code: &Code) -> Writers {
    let mut from: Writers = Vec::with_capacity(code.insts.len());
    let mut last: HashMap<Named, usize> = HashMap::new();
    let mut open: Vec<usize> = Vec::new();
    for (pc, inst) in code.insts.iter().enumerate() {
        let (reads, writes) = registers(code, inst);
        from.push(reads.iter().filter_map(|r| Some((r.1, *last.get(r)?))).collect());
        last.extend(writes.into_iter().map(|w| (w, pc)));
        match inst.op {
            Op::LoopBegin => open.push(pc),
            Op::LoopEnd => {
                let Some(begin) = open.pop() else { continue };
                for (inst, from) in code.insts[begin..pc].iter().zip(&mut from[begin..pc]) {
                    let (reads, _) = registers(code, inst);
                    for r in reads {
                        let above = from.iter().any(|w| w.0 == r.1 && w.1 >= begin);
                        let around = last.get(&r).filter(|w| !above && **w >= begin);
                        from.extend(around.map(|w| (r.1, *w)));
                    }
                }
            }
            _ => {}
        }
    }
    from
}

/// Arithmetic that addresses and counters are made of.
fn is_integer(inst: &Inst) -> bool {
    let name = format!("{:?}", inst.op);
    matches!(inst.op, Op::Alu(_)) && !name.ends_with(['F', 'D', 'H'])
}

/// How many waits a run has at least, if all loads go as early as they can.
fn depth(code: &Code, insts: &[Inst]) -> Effort {
    // Waits behind which each register has its value, for device and for shared memory.
    let mut level: HashMap<Named, (u32, u32)> = HashMap::new();
    let mut most = (0, 0);
    for inst in insts {
        let (reads, writes) = registers(code, inst);
        let waits = reads.iter().filter_map(|r| level.get(r));
        let (mut far, mut near) =
            waits.fold((0, 0), |m: (u32, u32), l| (m.0.max(l.0), m.1.max(l.1)));
        match inst.op {
            Op::LdG | Op::LdGB | Op::LdGV => far += 1,
            Op::LdS | Op::LdSB | Op::LdSV => near += 1,
            _ => {}
        }
        most = (most.0.max(far), most.1.max(near));
        level.extend(writes.into_iter().map(|w| (w, (far, near))));
    }
    Effort { issued: 0.0, turns: most.0.into(), shared_turns: most.1.into() }
}

/// Instructions of a card for one of the bytecode.
fn instructions(inst: &Inst, data: bool, constants: &HashSet<Reg>, copies: f64) -> f64 {
    let weight = inst.op.weight() as f64;
    let function = |table: &[Math1]| table.get(inst.imm as usize).copied();
    match inst.op {
        Op::MovA | Op::MovB => 0.0,
        Op::DivF => 9.0,
        Op::DivD => 22.0,
        Op::DivS | Op::DivU | Op::RemS | Op::RemU if constants.contains(&inst.b) => 4.0,
        Op::DivS | Op::DivU | Op::RemS | Op::RemU => 16.0,
        Op::DivSL | Op::DivUL | Op::RemSL | Op::RemUL => 60.0,
        Op::Math1F => function(Math1::ALL).map_or(weight, of_function),
        Op::Math1D => 3.0 * function(Math1::ALL).map_or(weight, of_function),
        Op::Math2F | Op::Math2D => match Math2::ALL.get(inst.imm as usize) {
            Some(Math2::Pow) => 40.0,
            _ => 15.0,
        },
        Op::Alu(_) if is_integer(inst) => {
            if data {
                weight
            } else {
                weight / copies
            }
        }
        Op::LoopTest | Op::Jump => weight / copies,
        _ => weight,
    }
}

/// Instructions of a function of one single-precision argument, without its rare branches.
fn of_function(function: Math1) -> f64 {
    match function {
        Math1::Sqrt | Math1::Rcp => 9.0,
        Math1::Rsqrt => 4.0,
        Math1::Exp | Math1::Exp2 | Math1::Exp10 => 8.0,
        Math1::Log | Math1::Log2 | Math1::Log10 => 18.0,
        Math1::Sin | Math1::Cos | Math1::SinPi | Math1::CosPi => 22.0,
        _ => 30.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompileOptions, Program};

    /// The efforts of all runs of a kernel, added up.
    fn effort(body: &str) -> Effort {
        let head = "extern \"C\" __global__ void f(float *c, const float *a, const int *p, int n)";
        let text = format!("{head}\n{{\n    int i = threadIdx.x;\n    {body}\n}}\n");
        let program = Program::compile(&text, &CompileOptions::default()).unwrap();
        let mut sum = Effort::default();
        for each in efforts(&program.inner.code[0]) {
            sum.issued += each.issued;
            sum.turns += each.turns;
            sum.shared_turns += each.shared_turns;
        }
        sum
    }

    #[test]
    fn loads_of_one_expression_are_on_their_way_together() {
        assert_eq!(effort("c[i] = a[i] + a[i + 1] * a[i + 2] - a[n];").turns, 1.0);
    }

    #[test]
    fn a_load_whose_address_is_loaded_waits_again() {
        assert_eq!(effort("c[i] = a[p[p[i]]];").turns, 3.0);
    }

    #[test]
    fn innermost_loops_are_unrolled_unless_a_value_ends_them_or_they_store() {
        let turns = |body| effort(body).turns;
        let sum = "float s = 0; for (int k = 0; k < n; ++k) s += a[k * n + i]; c[i] = s;";
        assert_eq!(turns(sum), 0.25);
        let nested = "float s = 0; for (int j = 0; j < n; ++j) { s += a[j]; \
             for (int k = 0; k < n; ++k) s += a[k + j]; } c[i] = s;";
        assert_eq!(turns(nested), 1.25);
        assert_eq!(turns("for (int k = 0; k < n; ++k) c[k * n + i] = a[k * n + i];"), 1.0);
        assert_eq!(turns("float s = 0; while (s < 9) s += a[n + i]; c[i] = s;"), 1.0);
    }

    #[test]
    fn addresses_of_unrolled_copies_are_shared_and_results_are_not() {
        let address =
            effort("float s = 0; for (int k = 0; k < n; ++k) s += a[k * n + i]; c[i] = s;");
        let result = effort("int s = 0; for (int k = 0; k < n; ++k) s ^= k * n + i; c[i] = s;");
        // A load and a sum; the multiplication and two additions, the test and the jump go by four.
        assert!(address.issued < 11.0, "{address:?}");
        assert!(result.issued > address.issued, "{result:?} {address:?}");
    }

    #[test]
    fn two_bitwise_operations_are_one_instruction() {
        let issued = |value: &str| effort(&format!("c[i] = __int_as_float({value});")).issued;
        let one = issued("p[i] ^ n");
        assert_eq!(issued("p[i] ^ n ^ i"), one);
        assert_eq!(issued("p[i] ^ n & i"), one);
        assert_eq!(issued("p[i] ^ n ^ i ^ 77"), one + 1.0);
        // Both of them, where the first is asked for, too.
        let both = "int x = p[i] ^ n; c[i] = __int_as_float(x ^ i); c[n] = __int_as_float(x);";
        let two = "int x = p[i] + n; c[i] = __int_as_float(x + i); c[n] = __int_as_float(x);";
        assert_eq!(effort(both).issued, effort(two).issued);
        // Sums are not merged.
        assert_eq!(issued("p[i] + n + i"), issued("p[i] + n") + 1.0);
    }

    #[test]
    fn a_half_of_a_64_bit_number_is_no_work() {
        let product = "unsigned long long x = 0xD2511F53ull * (unsigned)p[i];";
        let issued = |value| effort(&format!("{product} c[i] = __int_as_float({value});")).issued;
        assert_eq!(issued("(unsigned)(x >> 32)"), issued("(unsigned)x"));
        assert_eq!(issued("(unsigned)(x >> 31)"), issued("(unsigned)x") + 1.0);
    }

    #[test]
    fn a_division_is_several_instructions() {
        let product = effort("c[i] = a[i] * a[n];").issued;
        assert_eq!(effort("c[i] = a[i] / a[n];").issued, product + 8.0);
        assert_eq!(effort("c[i] = expf(a[i] * a[n]);").issued, product + 8.0);
        // By a constant it is a multiplication.
        let difference = effort("c[i / n] = a[i];").issued - effort("c[i / 10] = a[i];").issued;
        assert_eq!(difference, 12.0);
    }
}
