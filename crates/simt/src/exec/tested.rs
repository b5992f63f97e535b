//! Plain reads that another thread's store may come before or after without a difference.
//!
//! Textbooks mark the nodes of a graph by
//!
//! ```text
//! if (level[v] == -1) { level[v] = next; *changed = true; }
//! ```
//!
//! from several threads: a read races with a store, but the result is always the same. A *tested*
//! read is one whose value goes into one test and nowhere else, with constants of the launch on the
//! other side. It does not matter when it happens,
//!
//! * if the test says the same of what the word held before the store and after it, or nobody asks
//!   for the value at all, so that a compiler leaves the read out;
//! * if the store is the one behind the test, whose statements give the same result whoever carries
//!   them out for this word: they only store, without a loop or branch, and places and values are
//!   made of constants of the launch and the tested word's own index. A thread that finds the word
//!   still unmarked stores all over again what is there already.
//!
//! A counter, an entry in a queue, another value for each thread, a register that is read later:
//! all these tell the threads apart, and the read is a race. What is found here are the reads and
//! stores, as far as the code tells; [`super::race`] looks at the values.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::peek::followers;
use crate::bytecode::{Bank, Code, Inst, NONE, Op, Preset, Reg};

/// Kernels with more instructions are not looked at.
const MAX_CODE: usize = 20_000;
/// Operations of a test, or of what a store is made of, that are followed.
const MAX_DEPTH: usize = 16;

/// What the code tells of a kernel's reads and stores.
#[derive(Debug, Default)]
pub(crate) struct Tests {
    /// By memory access: a tested read.
    pub reads: Vec<Option<Test>>,
    /// By memory access: the store behind such a test, to the word that was tested; a number for
    /// all that do the same.
    pub stores: Vec<Option<u32>>,
}

/// What becomes of a value that was read.
#[derive(Debug)]
pub(crate) struct Test {
    value: Tree,
    /// Number of the statements behind it.
    pub guards: Option<u32>,
}

impl Test {
    /// What the test says of a value; `uniforms` are those of the launch's presets.
    pub fn says(&self, read: u64, uniforms: &[u64]) -> Option<bool> {
        Some(self.value.value(read, uniforms)? != 0)
    }
}

/// How a value is made.
#[derive(Clone, Debug, PartialEq)]
enum Tree {
    /// The value that was read.
    Read,
    /// Nothing: nobody asks for the value.
    Nothing,
    /// The register that says which word was read.
    Index,
    /// A preset that is the same in the whole launch, by its place in [`Code::presets`].
    Preset(usize),
    Op(Op, i32, Vec<Tree>),
}

impl Tree {
    fn value(&self, read: u64, uniforms: &[u64]) -> Option<u64> {
        match self {
            Tree::Read => Some(read),
            Tree::Nothing => Some(0),
            Tree::Index => None,
            Tree::Preset(k) => uniforms.get(*k).copied(),
            Tree::Op(op, imm, of) => {
                let mut operands = [0; 3];
                for (to, from) in operands.iter_mut().zip(of) {
                    *to = from.value(read, uniforms)?;
                }
                super::alu::eval(*op, operands, *imm)
            }
        }
    }
}

/// The tested reads of a kernel.
pub(crate) fn tests(code: &Code) -> Tests {
    let insts = &code.insts;
    let mut found = Tests::default();
    if insts.len() > MAX_CODE || !code.routines.is_empty() {
        return found;
    }
    found.reads.resize_with(code.mems.len(), || None);
    found.stores.resize(code.mems.len(), None);
    let mut guards: HashMap<String, u32> = HashMap::new();
    for (pc, inst) in insts.iter().enumerate() {
        if !matches!(inst.op, Op::LdG | Op::LdGB) {
            continue;
        }
        let look = Look { code, load: pc };
        let Some((value, branch)) = look.test() else { continue };
        let mut test = Test { value, guards: None };
        if let Some((story, stores)) = branch.and_then(|branch| look.guarded(branch)) {
            let next = guards.len() as u32;
            let number = *guards.entry(story).or_insert(next);
            test.guards = Some(number);
            for at in stores {
                found.stores[insts[at].c as usize] = Some(number);
            }
        }
        found.reads[inst.c as usize] = Some(test);
    }
    found
}

/// A look at the code from the load at `load`.
struct Look<'a> {
    code: &'a Code,
    load: usize,
}

fn bank(c: u8) -> Bank {
    if c.eq_ignore_ascii_case(&b'a') { Bank::A } else { Bank::B }
}

/// The register that an instruction sets, if it is one.
fn sets(code: &Code, inst: &Inst) -> Vec<(Bank, Reg)> {
    let shape = inst.op.shape();
    match inst.op {
        Op::Call => code.calls[inst.c as usize].dest.into_iter().collect(),
        Op::Bar => {
            code.bars[inst.c as usize].vote.map(|(_, _, to)| (Bank::A, to)).into_iter().collect()
        }
        Op::LdGV | Op::LdSV | Op::LdTV => {
            let info = &code.mems[inst.c as usize];
            info.regs.iter().map(|r| (info.kind.bank(), *r)).collect()
        }
        _ if shape[0].is_ascii_lowercase() => vec![(bank(shape[0]), inst.d)],
        _ => Vec::new(),
    }
}

/// The registers that an instruction reads.
fn reads(code: &Code, inst: &Inst) -> Vec<(Bank, Reg)> {
    let shape = inst.op.shape();
    let fields = [(shape[1], inst.a), (shape[2], inst.b), (shape[3], inst.c)];
    let used = fields.into_iter().filter(|(c, reg)| *c != b'-' && *reg != NONE);
    let mut out: Vec<(Bank, Reg)> = used.map(|(c, reg)| (bank(c), reg)).collect();
    match inst.op {
        Op::Call => out.extend(&code.calls[inst.c as usize].args),
        Op::Bar => out.extend(code.bars[inst.c as usize].vote.map(|(_, from, _)| (Bank::A, from))),
        Op::StGV | Op::StSV | Op::StTV => {
            let info = &code.mems[inst.c as usize];
            out.extend(info.regs.iter().map(|r| (info.kind.bank(), *r)));
        }
        _ if shape[0].is_ascii_uppercase() => out.push((bank(shape[0]), inst.d)),
        _ => {}
    }
    out
}

fn is_comparison(op: Op) -> bool {
    matches!(
        op,
        Op::EqI
            | Op::NeI
            | Op::LtS
            | Op::LeS
            | Op::LtU
            | Op::LeU
            | Op::EqL
            | Op::NeL
            | Op::LtSL
            | Op::LeSL
            | Op::LtUL
            | Op::LeUL
            | Op::EqF
            | Op::NeF
            | Op::LtF
            | Op::LeF
            | Op::EqD
            | Op::NeD
            | Op::LtD
            | Op::LeD
    )
}

impl Look<'_> {
    fn insts(&self) -> &[Inst] {
        &self.code.insts
    }

    /// Where what is in `reg` behind `pc` is read.
    fn readers(&self, pc: usize, reg: (Bank, Reg)) -> BTreeSet<usize> {
        let insts = self.insts();
        let mut found = BTreeSet::new();
        let mut seen = vec![false; insts.len()];
        let mut work = followers(insts, pc, &insts[pc]);
        while let Some(at) = work.pop() {
            let Some(inst) = insts.get(at) else { continue };
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if reads(self.code, inst).contains(&reg) {
                found.insert(at);
            }
            if !sets(self.code, inst).contains(&reg) {
                work.extend(followers(insts, at, inst));
            }
        }
        found
    }

    /// What becomes of the value read, up to the first comparison, and the `if` that alone reads
    /// its result. `None` if it goes anywhere else. No branch depends on what nobody reads.
    fn test(&self) -> Option<(Tree, Option<usize>)> {
        let insts = self.insts();
        let load = &insts[self.load];
        let mut reg = (bank(load.op.shape()[0]), load.d);
        let (mut at, mut value) = (self.load, Tree::Read);
        for _ in 0..MAX_DEPTH {
            let user = match Vec::from_iter(self.readers(at, reg))[..] {
                [] => return Some((Tree::Nothing, None)),
                [user] => user,
                _ => return None,
            };
            let inst = &insts[user];
            if inst.op == Op::If {
                return Some((value, Some(user)));
            }
            if !inst.op.is_pure() {
                return None;
            }
            let operands = reads(self.code, inst).into_iter();
            let of: Option<Vec<Tree>> = operands
                .map(|r| match r == reg {
                    true => Some(value.clone()),
                    false => self.constant(r, user, MAX_DEPTH),
                })
                .collect();
            value = Tree::Op(inst.op, inst.imm, of?);
            reg = (bank(inst.op.shape()[0]), inst.d);
            at = user;
            if is_comparison(inst.op) {
                return Some((value, self.branch_of(at, reg)));
            }
        }
        None
    }

    /// The `if` that decides by what `reg` holds behind `at` and alone reads it; it may be moved on
    /// the way, as behind `&&`, or negated.
    fn branch_of(&self, mut at: usize, mut reg: (Bank, Reg)) -> Option<usize> {
        for _ in 0..MAX_DEPTH {
            let [user] = Vec::from_iter(self.readers(at, reg))[..] else { return None };
            let inst = &self.insts()[user];
            let constant = |r: &(Bank, Reg)| self.constant(*r, user, MAX_DEPTH).is_some();
            let same = |r: &(Bank, Reg)| *r == reg || constant(r);
            match inst.op {
                Op::If => return Some(user),
                op if op.is_pure() && reads(self.code, inst).iter().all(same) => {
                    (at, reg) = (user, (bank(op.shape()[0]), inst.d));
                }
                _ => return None,
            }
        }
        None
    }

    /// A value that is the same in the whole launch: what the instruction at `at` reads in `reg`
    /// is set at one place only.
    fn constant(&self, reg: (Bank, Reg), at: usize, depth: usize) -> Option<Tree> {
        let depth = depth.checked_sub(1)?;
        let insts = self.insts();
        let sets = |pc: &usize| sets(self.code, &insts[*pc]).contains(&reg);
        let mut defs =
            (0..insts.len()).filter(|pc| sets(pc) && self.readers(*pc, reg).contains(&at));
        let preset = self.code.presets.iter().position(|(p, r)| (p.bank(), *r) == (reg.0, reg.1));
        match (defs.next(), defs.next(), preset) {
            (None, None, Some(k)) => {
                let own = matches!(
                    self.code.presets[k].0,
                    Preset::ThreadIdx(_)
                        | Preset::BlockIdx(_)
                        | Preset::LaneId
                        | Preset::GlobalId(_)
                );
                (!own).then_some(Tree::Preset(k))
            }
            (Some(pc), None, None) if insts[pc].op.is_pure() => {
                let def = &insts[pc];
                let of = reads(self.code, def).into_iter().map(|r| self.constant(r, pc, depth));
                Some(Tree::Op(def.op, def.imm, of.collect::<Option<Vec<Tree>>>()?))
            }
            _ => None,
        }
    }

    /// The register that says which word is read, if one does alone.
    fn index(&self) -> Option<(Bank, Reg)> {
        let load = &self.insts()[self.load];
        let base = self.constant((Bank::B, load.a), self.load, MAX_DEPTH).is_some();
        match load.b {
            NONE => (!base).then_some((Bank::B, load.a)),
            index => base.then_some((Bank::A, index)),
        }
    }

    /// How what `reg` holds before `at`, which lies in `region`, is made of constants of the launch
    /// and the index.
    fn made(
        &self,
        reg: (Bank, Reg),
        at: usize,
        region: &Range<usize>,
        depth: usize,
    ) -> Option<Tree> {
        let depth = depth.checked_sub(1)?;
        let insts = self.insts();
        let set = |pc: &usize| sets(self.code, &insts[*pc]).contains(&reg);
        if let Some(def) = (region.start..at).rev().find(set) {
            let inst = &insts[def];
            let of = reads(self.code, inst).into_iter().map(|r| self.made(r, def, region, depth));
            let of = of.collect::<Option<Vec<Tree>>>()?;
            return inst.op.is_pure().then_some(Tree::Op(inst.op, inst.imm, of));
        }
        if Some(reg) == self.index() && !(self.load..region.start).any(|pc| set(&pc)) {
            return Some(Tree::Index);
        }
        self.constant(reg, at, depth)
    }

    /// The statements behind the test of the `if` at `branch`, if they give the same result whoever
    /// carries them out: what they do, and where they store the word that was tested.
    fn guarded(&self, branch: usize) -> Option<(String, Vec<usize>)> {
        let insts = self.insts();
        let slot = insts[branch].d;
        let end = (branch..insts.len())
            .find(|at| matches!(insts[*at].op, Op::EndIf | Op::Else) && insts[*at].d == slot)?;
        let straight = |inst: &Inst| {
            !matches!(
                inst.op,
                Op::LoopBegin
                    | Op::LoopTest
                    | Op::LoopNext
                    | Op::LoopEnd
                    | Op::Jump
                    | Op::Switch
                    | Op::SwitchL
                    | Op::Arm
                    | Op::Bar
            )
        };
        if insts[end].op != Op::EndIf || !insts.get(self.load..branch)?.iter().all(straight) {
            return None;
        }
        let region = branch + 1..end;
        let shape = |pc: usize| {
            let info = &self.code.mems[insts[pc].c as usize];
            (insts[pc].imm, info.scale, info.signed, info.kind)
        };
        let word = |pc: usize| (insts[pc].a, insts[pc].b, shape(pc));
        let kept = |reg: (Bank, Reg)| {
            !insts[self.load..end].iter().any(|i| sets(self.code, i).contains(&reg))
        };
        let (mut story, mut stores) = (String::new(), Vec::new());
        for pc in region.clone() {
            let inst = &insts[pc];
            match inst.op {
                Op::StG | Op::StGB => {
                    let same = word(pc) == word(self.load)
                        && kept((Bank::B, inst.a))
                        && (inst.b == NONE || kept((Bank::A, inst.b)));
                    let made = |reg| self.made(reg, pc, &region, MAX_DEPTH);
                    let value = made((bank(inst.op.shape()[0]), inst.d))?;
                    if same {
                        stores.push(pc);
                        story += &format!("word = {value:?}; ");
                    } else {
                        let base = made((Bank::B, inst.a))?;
                        let index = match inst.b {
                            NONE => None,
                            index => Some(made((Bank::A, index))?),
                        };
                        story += &format!("{base:?} {index:?} {:?} = {value:?}; ", shape(pc));
                    }
                }
                op if op.is_pure() => {
                    // What it computes is not wanted any more behind the test.
                    let reg = sets(self.code, inst);
                    let later = reg.into_iter().flat_map(|reg| self.readers(pc, reg));
                    if !later.into_iter().all(|at| region.contains(&at)) {
                        return None;
                    }
                }
                Op::BrCount | Op::InitMark | Op::InitClear | Op::InitCheck | Op::Stmt => {}
                _ => return None,
            }
        }
        if story.contains(&format!("{:?}", Tree::Index)) {
            // What the index means depends on the address.
            let base = self.constant((Bank::B, insts[self.load].a), self.load, MAX_DEPTH);
            story += &format!("{base:?} {:?}", shape(self.load));
        }
        (!stores.is_empty()).then_some((story, stores))
    }
}
