//! What the device offers itself.

use super::value::{Class, Val, bank, class};
use super::{Lower, Res};
use crate::bytecode::{Bank, BarInfo, CallInfo, Inst, NONE, Op, Preset, Reg, WarpOp, What};
use crate::bytecode::{FREXP_EXPONENT, FREXP_MANTISSA, MODF_FRACTION};
use crate::hir::{AtomicOp, Builtin, Expr, ExprKind, Math1, Math2, Round, Ty};

impl Lower<'_> {
    /// The code of a built-in function. It is long because it has an arm for each.
    pub(super) fn builtin(&mut self, builtin: Builtin, args: &[Expr], e: &Expr) -> Res<Vec<Val>> {
        let one = |v: Val| Ok(vec![v]);
        let ty = &e.ty;
        match builtin {
            Builtin::ThreadIdx(a) => one(self.preset_val(Preset::ThreadIdx(a))),
            Builtin::BlockIdx(a) => one(self.preset_val(Preset::BlockIdx(a))),
            Builtin::BlockDim(a) => one(self.preset_val(Preset::BlockDim(a))),
            Builtin::GridDim(a) => one(self.preset_val(Preset::GridDim(a))),
            Builtin::LaneId => one(self.preset_val(Preset::LaneId)),
            Builtin::GlobalId(a) => one(self.preset_val(Preset::GlobalId(a))),
            Builtin::GlobalOffset(a) => one(self.preset_val(Preset::GlobalOffset(a))),
            Builtin::WorkDim => one(self.preset_val(Preset::WorkDim)),

            Builtin::SyncThreads => self.barrier(None, false, e).map(|_| Vec::new()),
            Builtin::SyncGrid => self.barrier(None, true, e).map(|_| Vec::new()),
            Builtin::SyncThreadsReduce(reduce) => {
                let pred = self.operand(&args[0])?;
                // Nonzero means true; counts want 0 and 1.
                let pred = self.truth(pred, &args[0].ty)?;
                let out = self.barrier(Some((reduce, pred)), false, e)?;
                one(Val::R(out))
            }
            Builtin::Nop => {
                for arg in args {
                    self.discard(arg)?;
                }
                Ok(Vec::new())
            }
            Builtin::Trap => self.call(What::Trap, Vec::new(), None, e).map(|_| Vec::new()),
            Builtin::Fence => self.call(What::Fence, Vec::new(), None, e).map(|_| Vec::new()),
            Builtin::Clock => {
                let out = self.call(What::Clock, Vec::new(), Some(Bank::B), e)?;
                one(Val::R(match bank(ty) {
                    Bank::B => out,
                    Bank::A => self.op1(Op::LToI, out),
                }))
            }
            Builtin::Assert => self.assert(args, e),
            Builtin::Printf => self.printf(args, e),

            Builtin::Math1(f) => {
                let x = self.operand(&args[0])?;
                one(Val::R(self.math1(f, x, ty)))
            }
            Builtin::Math2(f) => {
                let (x, y) = self.operands2(args)?;
                let free =
                    matches!(f, Math2::Fmin | Math2::Fmax | Math2::Copysign | Math2::Nextafter);
                let op = match (class(ty), free) {
                    (Class::F64, false) => Op::Math2D,
                    (Class::F64, true) => Op::Math2DFree,
                    (_, false) => Op::Math2F,
                    (_, true) => Op::Math2FFree,
                };
                let r = self.op(op, x, y, NONE, f as i32);
                one(Val::R(self.rounded(r, ty)))
            }
            Builtin::Fma => {
                let [x, y, z] = self.operands3(args)?;
                let r = self.fma(ty, x, y, z, false, false);
                one(Val::R(self.rounded(r, ty)))
            }
            Builtin::Rn(op) => {
                let x = self.held(&args[0], &[&args[1]])?;
                let y = self.scalar(&args[1])?;
                one(self.binary(op, &x, &y, ty, &args[1].ty)?)
            }
            Builtin::SinCos { pi } => {
                let fs = if pi { [Math1::SinPi, Math1::CosPi] } else { [Math1::Sin, Math1::Cos] };
                let x = self.operand(&args[0])?;
                for (f, pointer) in fs.into_iter().zip(&args[1..]) {
                    let value = self.math1(f, x, &args[0].ty);
                    self.store_through(pointer, Val::R(value))?;
                }
                Ok(Vec::new())
            }
            Builtin::Frexp => {
                let x = self.operand(&args[0])?;
                let (mantissa, exponent) = match class(ty) {
                    Class::F64 => (
                        self.op(Op::Math1DFree, x, NONE, NONE, FREXP_MANTISSA),
                        self.op(Op::ClassD, x, NONE, NONE, FREXP_EXPONENT),
                    ),
                    _ => (
                        self.op(Op::Math1FFree, x, NONE, NONE, FREXP_MANTISSA),
                        self.op(Op::ClassF, x, NONE, NONE, FREXP_EXPONENT),
                    ),
                };
                self.store_through(&args[1], Val::R(exponent))?;
                one(Val::R(mantissa))
            }
            Builtin::Modf => {
                let x = self.operand(&args[0])?;
                let whole = self.math1(Math1::Trunc, x, ty);
                self.store_through(&args[1], Val::R(whole))?;
                let (op, imm) = match class(ty) {
                    Class::F64 => (Op::Math1DFree, MODF_FRACTION),
                    _ => (Op::Math1FFree, MODF_FRACTION),
                };
                one(Val::R(self.op(op, x, NONE, NONE, imm)))
            }
            Builtin::Ldexp => {
                let (x, n) = self.operands2(args)?;
                let op = if class(ty) == Class::F64 { Op::LdexpD } else { Op::LdexpF };
                one(Val::R(self.op2(op, x, n)))
            }
            Builtin::Classify(which) => {
                let x = self.operand(&args[0])?;
                let op = if class(&args[0].ty) == Class::F64 { Op::ClassD } else { Op::ClassF };
                one(Val::R(self.op(op, x, NONE, NONE, which as i32)))
            }
            Builtin::MinI | Builtin::MaxI => {
                let (x, y) = self.operands2(args)?;
                let max = builtin == Builtin::MaxI;
                let op = match class(ty) {
                    Class::I64(true) => [Op::MinSL, Op::MaxSL],
                    Class::I64(false) => [Op::MinUL, Op::MaxUL],
                    Class::I32(false) => [Op::MinU, Op::MaxU],
                    _ => [Op::MinS, Op::MaxS],
                }[usize::from(max)];
                one(Val::R(self.op2(op, x, y)))
            }
            Builtin::AbsI => {
                let x = self.operand(&args[0])?;
                let op = if bank(ty) == Bank::B { Op::AbsL } else { Op::AbsI };
                one(Val::R(self.op1(op, x)))
            }
            Builtin::Bitcast => self.bitcast(&args[0], ty).map(|v| vec![v]),
            Builtin::ToIntRound(round) => {
                let x = self.operand(&args[0])?;
                let f = match round {
                    Round::NearestEven => Some(Math1::Rint),
                    Round::Zero => None,
                    Round::Down => Some(Math1::Floor),
                    Round::Up => Some(Math1::Ceil),
                };
                let from = &args[0].ty;
                let x = f.map_or(x, |f| self.math1(f, x, from));
                one(self.cast(Val::R(x), from, ty)?)
            }
            Builtin::Mul24 => {
                let (x, y) = self.operands2(args)?;
                let shift = if class(ty) == Class::I32(true) { Op::ShrSImm } else { Op::ShrUImm };
                let low = |s: &mut Self, r| {
                    let up = s.op(Op::ShlImm, r, NONE, NONE, 8);
                    s.op(shift, up, NONE, NONE, 8)
                };
                let (x, y) = (low(self, x), low(self, y));
                one(Val::R(self.op2(Op::MulI, x, y)))
            }
            Builtin::Lane(op) => {
                let [x, y, z] = match args {
                    [x] => [self.operand(x)?, NONE, NONE],
                    [_, _] => self.operands2(args).map(|(x, y)| [x, y, NONE])?,
                    _ => self.operands3(args)?,
                };
                one(Val::R(self.op(Op::Alu(op), x, y, z, 0)))
            }

            Builtin::SumOfProducts => {
                let operands = self.many_operands(args, None)?;
                one(Val::R(self.call(What::SumOfProducts, operands, Some(Bank::A), e)?))
            }

            Builtin::Ldg => {
                let pointer = self.scalar(&args[0])?;
                let place = match pointer {
                    Val::Place(range) => super::value::Place::Leaves(range),
                    other => super::value::Place::Mem(self.address(&other, &args[0].ty)?),
                };
                self.load(&place, ty)
            }
            Builtin::Atomic(op) => self.atomic(Some(op), args, e).map(|v| vec![v]),
            Builtin::AtomicCas => self.atomic(None, args, e).map(|v| vec![v]),

            Builtin::Shfl(kind) => self.warp(WarpOp::Shfl(kind), args, e),
            Builtin::SyncWarp => self.warp(WarpOp::SyncWarp, args, e),
            Builtin::Ballot => self.warp(WarpOp::Ballot, args, e),
            Builtin::VoteAll => self.warp(WarpOp::VoteAll, args, e),
            Builtin::VoteAny => self.warp(WarpOp::VoteAny, args, e),
            Builtin::ActiveMask => self.warp(WarpOp::ActiveMask, args, e),
            Builtin::MatchAny => self.warp(WarpOp::MatchAny, args, e),
            Builtin::WarpReduce(op) => self.warp(WarpOp::WarpReduce(op), args, e),
        }
    }

    fn preset_val(&mut self, preset: Preset) -> Val {
        Val::R(self.emit.preset(preset))
    }

    fn operand(&mut self, e: &Expr) -> Res<Reg> {
        self.scalar_reg(e)
    }

    fn operands2(&mut self, args: &[Expr]) -> Res<(Reg, Reg)> {
        let x = self.held(&args[0], &[&args[1]])?;
        self.holding += 1;
        let y = self.scalar(&args[1])?;
        self.holding -= 1;
        Ok((self.reg(&x, &args[0].ty)?, self.reg(&y, &args[1].ty)?))
    }

    fn operands3(&mut self, args: &[Expr]) -> Res<[Reg; 3]> {
        let x = self.held(&args[0], &[&args[1], &args[2]])?;
        self.holding += 1;
        let y = self.held(&args[1], &[&args[2]])?;
        let z = self.scalar(&args[2])?;
        self.holding -= 1;
        Ok([self.reg(&x, &args[0].ty)?, self.reg(&y, &args[1].ty)?, self.reg(&z, &args[2].ty)?])
    }

    fn rounded(&mut self, reg: Reg, ty: &Ty) -> Reg {
        if class(ty) == Class::F16 { self.op1(Op::RoundH, reg) } else { reg }
    }

    fn math1(&mut self, f: Math1, x: Reg, ty: &Ty) -> Reg {
        let free = matches!(
            f,
            Math1::Fabs
                | Math1::Floor
                | Math1::Ceil
                | Math1::Trunc
                | Math1::Round
                | Math1::Rint
                | Math1::Saturate
        );
        let op = match (f, class(ty), free) {
            (Math1::Fabs, Class::F64, _) => return self.op1(Op::AbsD, x),
            (Math1::Fabs, ..) => return self.op1(Op::AbsF, x),
            (_, Class::F64, false) => Op::Math1D,
            (_, Class::F64, true) => Op::Math1DFree,
            (_, _, false) => Op::Math1F,
            (_, _, true) => Op::Math1FFree,
        };
        let r = self.op(op, x, NONE, NONE, f as i32);
        self.rounded(r, ty)
    }

    fn truth(&mut self, reg: Reg, ty: &Ty) -> Res<Reg> {
        let value = self.cast(Val::R(reg), ty, &Ty::Bool)?;
        self.reg(&value, &Ty::Bool)
    }

    /// `*pointer = value`.
    fn store_through(&mut self, pointer: &Expr, value: Val) -> Res<()> {
        let Ty::Ptr(to, _) = &pointer.ty else {
            return Err(self.error("a pointer is needed here".into()));
        };
        let target = self.scalar(pointer)?;
        let place = match target {
            Val::Place(range) => super::value::Place::Leaves(range),
            other => super::value::Place::Mem(self.address(&other, &pointer.ty)?),
        };
        self.store(&place, to, vec![value])
    }

    fn bitcast(&mut self, arg: &Expr, ty: &Ty) -> Res<Val> {
        let value = self.scalar(arg)?;
        let half = |t: &Ty| *t == Ty::F16;
        if half(&arg.ty) != half(ty) {
            let reg = self.reg(&value, &arg.ty)?;
            let bits = if half(ty) {
                self.op1(Op::HFromBits, reg)
            } else {
                let bits = self.op1(Op::HBits, reg);
                self.narrow(bits, ty)
            };
            return Ok(self.known_or_reg(Bank::A, bits));
        }
        // Sums and addresses mean nothing as floats: make a register of them.
        match value {
            Val::C(_) => Ok(value),
            other => Ok(Val::R(self.reg(&other, &arg.ty)?)),
        }
    }

    fn barrier(
        &mut self,
        vote: Option<(crate::hir::Reduce, Reg)>,
        grid: bool,
        e: &Expr,
    ) -> Res<Reg> {
        let out = self.emit.new_reg(Bank::A);
        let vote = vote.map(|(kind, pred)| (kind, pred, out));
        let index = self.bars.len() as u32;
        let (around, span) = (self.around.clone(), self.emit.here(e.span));
        self.bars.push(BarInfo { vote, grid, around, span });
        self.emit.control(Op::Bar, 0, NONE, index, None);
        Ok(out)
    }

    pub(super) fn call(
        &mut self,
        what: What,
        args: Vec<(Bank, Reg)>,
        out: Option<Bank>,
        e: &Expr,
    ) -> Res<Reg> {
        let dest = out.map(|bank| (bank, self.emit.new_reg(bank)));
        let c = self.calls.len() as u32;
        self.calls.push(CallInfo { what, args, dest, span: self.emit.here(e.span), line: 0 });
        self.emit.push(Inst { op: Op::Call, d: NONE, a: NONE, b: NONE, c, imm: 0 });
        Ok(dest.map_or(NONE, |(_, reg)| reg))
    }

    fn assert(&mut self, args: &[Expr], e: &Expr) -> Res<Vec<Val>> {
        let cond = self.scalar(&args[0])?;
        if matches!(cond, Val::C(bits) if bits != 0) {
            return Ok(Vec::new());
        }
        let text = match args.get(1).map(|a| &a.kind) {
            Some(ExprKind::Str(text)) => text.clone(),
            _ => String::new(),
        };
        let reg = self.reg(&cond, &args[0].ty)?;
        let reg = self.truth(reg, &args[0].ty)?;
        self.call(What::Assert(text), vec![(Bank::A, reg)], None, e)?;
        Ok(Vec::new())
    }

    fn printf(&mut self, args: &[Expr], e: &Expr) -> Res<Vec<Val>> {
        let Some((format, rest)) = args.split_first() else {
            return Err(self.error("`printf` needs a format".into()));
        };
        let text = match literal(format) {
            Some(text) => text.to_owned(),
            None => {
                return Err(self.error("the format of `printf` must be a string literal".into()));
            }
        };
        let mut operands = Vec::new();
        let mut types = Vec::new();
        for (k, arg) in rest.iter().enumerate() {
            let later: Vec<&Expr> = rest[k + 1..].iter().collect();
            let value = self.held(arg, &later)?;
            self.holding += 1;
            operands.push((bank(&arg.ty), self.reg(&value, &arg.ty)?));
            types.push(arg.ty.clone());
        }
        self.holding -= rest.len() as u32;
        let out = self.call(What::Printf(text, types), operands, Some(Bank::A), e)?;
        Ok(vec![Val::R(out)])
    }

    fn atomic(&mut self, op: Option<AtomicOp>, args: &[Expr], e: &Expr) -> Res<Val> {
        let pointer = self.held(&args[0], &args[1..].iter().collect::<Vec<_>>())?;
        let address = match &pointer {
            Val::Place(range) => return Err(self.needs_memory(range.var)),
            other => {
                let addr = self.address(other, &args[0].ty)?;
                self.address_reg(&addr)
            }
        };
        self.holding += 1;
        let mut operands = vec![(Bank::B, address)];
        for arg in &args[1..] {
            let value = self.scalar(arg)?;
            operands.push((bank(&arg.ty), self.reg(&value, &arg.ty)?));
        }
        self.holding -= 1;
        let ty = match &args[0].ty {
            Ty::Ptr(to, _) => (**to).clone(),
            _ => e.ty.clone(),
        };
        let dest = (e.ty != Ty::Void).then(|| bank(&ty));
        let out = self.call(What::Atomic { op, ty }, operands, dest, e)?;
        Ok(Val::R(out))
    }

    fn warp(&mut self, op: WarpOp, args: &[Expr], e: &Expr) -> Res<Vec<Val>> {
        // Votes look at truth.
        let votes = matches!(op, WarpOp::Ballot | WarpOp::VoteAll | WarpOp::VoteAny);
        let operands = self.many_operands(args, votes.then_some(1))?;
        let ty = args.get(1).map_or(Ty::U32, |a| a.ty.clone());
        let out = (e.ty != Ty::Void).then(|| bank(&e.ty));
        let reg = self.call(What::Warp { op, ty }, operands, out, e)?;
        Ok(if out.is_some() { vec![Val::R(reg)] } else { Vec::new() })
    }

    /// Registers with the arguments; of number `truth` with whether it is not zero.
    fn many_operands(&mut self, args: &[Expr], truth: Option<usize>) -> Res<Vec<(Bank, Reg)>> {
        let mut operands = Vec::new();
        for (k, arg) in args.iter().enumerate() {
            let later: Vec<&Expr> = args[k + 1..].iter().collect();
            let value = self.held(arg, &later)?;
            self.holding += 1;
            operands.push(if truth == Some(k) {
                let reg = self.reg(&value, &arg.ty)?;
                (Bank::A, self.truth(reg, &arg.ty)?)
            } else {
                (bank(&arg.ty), self.reg(&value, &arg.ty)?)
            });
        }
        self.holding -= args.len() as u32;
        Ok(operands)
    }
}

/// The text of a string literal, perhaps behind casts.
fn literal(e: &Expr) -> Option<&str> {
    match &e.kind {
        ExprKind::Str(text) => Some(text),
        ExprKind::Cast(inner) => literal(inner),
        _ => None,
    }
}
