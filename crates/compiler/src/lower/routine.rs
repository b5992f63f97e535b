//! Functions that call themselves: they cannot be written out where they are called, so their code
//! stands once behind the kernel's, and a call goes there and comes back.
//!
//! Arguments and results go through registers of their own. All other registers of the caller are
//! what they were when the call comes back: the executor keeps them.

use super::value::{Val, bank, flatten};
use super::{CurrentRoutine, Frame, Lower, MAX_LEAVES, Res, Return, Routine, VarKind};
use crate::bytecode::{Bank, CallInfo, Inst, NONE, Op, Reg, RoutineInfo, What};
use crate::hir::{FuncId, LocalId, Ty};

impl Lower<'_> {
    fn scalars(&self, ty: &Ty) -> Res<Vec<Ty>> {
        match flatten(self.module, ty, MAX_LEAVES) {
            Some(parts) => Ok(parts.into_iter().map(|(ty, _)| ty).collect()),
            None => {
                let text = "this value is too large for a function that calls itself";
                Err(self.error(text.into()))
            }
        }
    }

    /// The number of a function among the routines.
    fn routine(&mut self, func: FuncId) -> Res<usize> {
        if let Some(k) = self.routines.iter().position(|r| r.func == func) {
            return Ok(k);
        }
        let function = &self.module.functions[func.0 as usize];
        let mut params = Vec::new();
        for local in &function.locals[..function.param_count as usize] {
            let types = self.scalars(&local.ty)?;
            params.push(types.iter().map(|ty| self.emit.new_home(bank(ty))).collect());
        }
        let mut results = Vec::new();
        for ty in self.scalars(&function.ret)? {
            results.push((bank(&ty), self.emit.new_home(bank(&ty))));
        }
        let entry = self.emit.label();
        let info = RoutineInfo { name: function.name.clone(), frame: 0, results };
        self.routines.push(Routine { func, entry, params, info });
        Ok(self.routines.len() - 1)
    }

    fn copy(&mut self, bank: Bank, to: Reg, from: Reg) {
        let op = if bank == Bank::A { Op::MovA } else { Op::MovB };
        self.emit.push(Inst { op, d: to, a: from, b: NONE, c: NONE, imm: 0 });
    }

    /// A call. The result is the value's scalars.
    pub(super) fn call_routine(
        &mut self,
        func: FuncId,
        args: Vec<(Ty, Vec<Val>)>,
    ) -> Res<Vec<Val>> {
        let k = self.routine(func)?;
        let mut copies = Vec::new();
        for (param, (ty, values)) in args.into_iter().enumerate() {
            for (j, (ty, value)) in self.scalars(&ty)?.iter().zip(values).enumerate() {
                if let Val::Place(range) = &value {
                    return Err(self.needs_memory(range.var));
                }
                let from = self.reg(&value, ty)?;
                copies.push((bank(ty), self.routines[k].params[param][j], from));
            }
        }
        for (bank, to, from) in copies {
            self.copy(bank, to, from);
        }
        let entry = self.routines[k].entry;
        self.emit.control(Op::Enter, 0, NONE, k as u32, Some(entry));
        let mut values = Vec::new();
        for (bank, from) in self.routines[k].info.results.clone() {
            let to = self.emit.new_reg(bank);
            self.copy(bank, to, from);
            values.push(Val::R(to));
        }
        Ok(values)
    }

    /// Writes all functions that were called, and those that they call.
    pub(super) fn write_routines(&mut self) -> Res<()> {
        let mut next = 0;
        while next < self.routines.len() {
            self.write_routine(next)?;
            next += 1;
        }
        Ok(())
    }

    fn write_routine(&mut self, k: usize) -> Res<()> {
        let func = self.routines[k].func;
        let function = &self.module.functions[func.0 as usize];
        self.emit.forget_since(0);
        self.emit.span = function.span;
        (self.vars, self.leaves) = (Vec::new(), Vec::new());
        (self.dead, self.around) = (false, Vec::new());
        self.emit.place(self.routines[k].entry);
        let slot = self.new_slots(1);
        self.emit.control(Op::FuncBegin, slot, NONE, 0, None);
        let base = self.emit.new_reg(Bank::B);
        let dest = Some((Bank::B, base));
        let span = function.span;
        self.calls.push(CallInfo { what: What::Frame, args: Vec::new(), dest, span, line: 0 });
        let c = self.calls.len() as u32 - 1;
        self.emit.push(Inst { op: Op::Call, d: NONE, a: NONE, b: NONE, c, imm: 0 });
        self.current = Some(CurrentRoutine { base, bytes: 0 });
        let types = self.scalars(&function.ret)?;
        let var = self.new_leaves(func, None, types);
        let VarKind::Leaves(first, count) = self.vars[var].kind else {
            return Err(self.error("no register for a result".into()));
        };
        let leaves: Vec<usize> = (first..first + count).collect();
        let (end, back) = (self.emit.label(), self.emit.label());
        self.skips = vec![back, end];
        self.frames = vec![Frame {
            func,
            vars: vec![None; function.locals.len()],
            ret: Return::Slot { slot, leaves: leaves.clone(), outer: Vec::new() },
            targets: Vec::new(),
        }];
        // Out of the registers of the arguments, which a call within needs.
        let mut given = Vec::new();
        for (local, regs) in function.locals.iter().zip(self.routines[k].params.clone()) {
            let mut values = Vec::new();
            for (ty, from) in self.scalars(&local.ty)?.iter().zip(regs) {
                let to = self.emit.new_reg(bank(ty));
                self.copy(bank(ty), to, from);
                values.push(Val::R(to));
            }
            given.push((local.ty.clone(), values));
        }
        for (index, (ty, values)) in given.into_iter().enumerate() {
            let var = self.declare(LocalId(index as u32))?;
            let place = self.var_place(var, ty.clone());
            self.store(&place, &ty, values)?;
        }
        self.block(&function.body)?;
        self.skips.pop();
        self.emit.place(end);
        self.emit.control(Op::FuncEnd, slot, NONE, 0, Some(back));
        for (leaf, (bank, to)) in leaves.iter().zip(self.routines[k].info.results.clone()) {
            if let Some(home) = self.leaves[*leaf].home {
                self.copy(bank, to, home);
            }
        }
        self.emit.place(back);
        self.emit.control(Op::Return, 0, NONE, 0, None);
        let bytes = self.current.take().map_or(0, |current| current.bytes);
        self.routines[k].info.frame = bytes.next_multiple_of(16);
        Ok(())
    }
}
