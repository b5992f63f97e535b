//! Calls: all of them are inlined.

use super::scan;
use super::value::Val;
use super::{Lower, Res, Return, VarKind};
use crate::bytecode::{NONE, Op};
use crate::hir::Ty;

impl Lower<'_> {
    /// Inlines a call. The result is the value's scalars.
    pub(super) fn inline(
        &mut self,
        func: crate::hir::FuncId,
        args: Vec<(Ty, Vec<Val>)>,
    ) -> Res<Vec<Val>> {
        let function = &self.module.functions[func.0 as usize];
        if self.frames.len() >= super::MAX_DEPTH {
            return Err(self.error(format!("calls are nested too deep at `{}`", function.name)));
        }
        let span = self.emit.span;
        self.inlined += 1;
        if self.inlined > super::MAX_CALLS {
            let kernel = &self.module.functions[self.kernel.0 as usize].name;
            return Err(self.error(format!(
                "`{kernel}` expands more than {} calls, the last one of `{}`: call fewer functions",
                super::MAX_CALLS,
                function.name
            )));
        }
        let mut effects = scan::block(&function.body);
        effects.assigned.clear();
        let outer = self.changed(&effects);
        let (vars, leaves) = (self.vars.len(), self.leaves.len());
        let plain = scan::single_return(&function.body);
        let ret = if plain {
            Return::Value(Vec::new())
        } else {
            let types = match super::flatten(self.module, &function.ret, super::MAX_LEAVES) {
                Some(parts) => parts.into_iter().map(|(ty, _)| ty).collect(),
                None => return Err(self.error("this value is too large to be returned".into())),
            };
            let var = self.new_leaves(func, None, types);
            let VarKind::Leaves(first, count) = self.vars[var].kind else {
                return Err(self.error("no register for a result".into()));
            };
            let slot = self.new_slots(1);
            let leaves = (first..first + count).collect();
            Return::Slot { slot, leaves, outer: outer.clone() }
        };
        let file = &self.module.sources.file(function.span.file).name;
        let own = matches!(&**file, "<opencl>" | "<images>" | "<groups>");
        let outer_call = self.emit.call;
        if own && outer_call.is_none() {
            self.emit.call = Some(span);
        }
        self.frames.push(super::Frame {
            func,
            vars: vec![None; function.locals.len()],
            ret,
            targets: Vec::new(),
        });
        for (index, (ty, values)) in args.into_iter().enumerate() {
            let var = self.declare(crate::hir::LocalId(index as u32))?;
            let place = self.var_place(var, ty.clone());
            self.store(&place, &ty, values)?;
        }
        let result = if plain {
            self.block(&function.body)?;
            match self.frames.pop().map(|f| f.ret) {
                Some(Return::Value(values)) => values,
                _ => Vec::new(),
            }
        } else {
            self.inline_with_returns(function, &outer)?
        };
        self.emit.call = outer_call;
        let result = if result.is_empty() && function.ret != Ty::Void {
            vec![Val::Undef; super::value::leaf_count(self.module, &function.ret)]
        } else {
            result
        };
        // The callee's variables are gone; their homes stay reserved, and values made from them
        // must not refer to them for longer than the caller needs.
        let types = super::flatten(self.module, &function.ret, super::MAX_LEAVES);
        let mut frozen = Vec::new();
        for (value, (ty, _)) in result.into_iter().zip(types.unwrap_or_default()) {
            if let Val::Place(range) = &value
                && range.var >= vars
            {
                return Err(self.needs_memory(range.var));
            }
            frozen.push(self.freeze(value, &ty)?);
        }
        self.vars.truncate(vars);
        self.leaves.truncate(leaves);
        self.emit.span = span;
        Ok(frozen)
    }

    fn inline_with_returns(
        &mut self,
        function: &crate::hir::Function,
        outer: &[usize],
    ) -> Res<Vec<Val>> {
        self.bring_all_home(outer)?;
        let Return::Slot { slot, leaves, .. } = &self.frame().ret else { return Ok(Vec::new()) };
        let (slot, results) = (*slot, leaves.clone());
        let end = self.emit.label();
        let mark = self.emit.cse_mark();
        let before: Vec<bool> = self.leaves.iter().map(|l| l.state.assigned).collect();
        self.emit.control(Op::FuncBegin, slot, NONE, 0, None);
        self.around.push((slot, function.span));
        self.skips.push(end);
        self.block(&function.body)?;
        if !self.dead {
            self.bring_all_home(outer)?;
        }
        self.skips.pop();
        self.around.pop();
        self.emit.place(end);
        let skip = self.skip();
        self.emit.control(Op::FuncEnd, slot, NONE, 0, Some(skip));
        self.emit.forget_since(mark);
        self.dead = false;
        self.settle(outer);
        self.set_assigned(outer, &before);
        self.settle(&results);
        let values = results.iter().map(|l| self.leaves[*l].state.val.clone()).collect();
        self.frames.pop();
        Ok(values)
    }
}
