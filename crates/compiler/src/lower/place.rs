//! Places: variables, memory, and moving values between them and registers.

use super::operands::Operands;
use super::value::Class;
use super::value::{
    Addr, LeafRange, Place, Root, Val, bank, class, field_leaf, flatten, has_union, leaf_count,
};
use super::{Lower, MAX_LEAVES, Res, VarKind};
use crate::bytecode::{Bank, Inst, Kind, MemInfo, NONE, Op, Preset};
use crate::hir::{BinOp, Bits, Expr, ExprKind, Ty};

impl Lower<'_> {
    pub(super) fn var_place(&self, var: usize, ty: Ty) -> Place {
        match self.vars[var].kind {
            VarKind::Leaves(first, _) => Place::Leaves(LeafRange { var, first, ty }),
            VarKind::Shared(index) => Place::Mem(Addr::of(Root::Shared(index))),
            VarKind::Local(index) => Place::Mem(Addr::of(Root::Local(index))),
            VarKind::Frame(offset) => {
                let base = self.current.as_ref().map_or(NONE, |r| r.base);
                Place::Mem(Addr::of(Root::Reg(base)).plus(i64::from(offset)))
            }
        }
    }

    /// Evaluates a place expression.
    pub(super) fn place(&mut self, e: &Expr) -> Res<Place> {
        match &e.kind {
            ExprKind::Local(local) => {
                let var = self.declare(*local)?;
                Ok(self.var_place(var, e.ty.clone()))
            }
            ExprKind::Global(global) => {
                let reg = self.emit.preset(Preset::Global(global.0));
                Ok(Place::Mem(Addr::of(Root::Reg(reg))))
            }
            ExprKind::Deref(pointer) => {
                let value = self.scalar(pointer)?;
                match value {
                    Val::Place(range) if range.ty == e.ty => Ok(Place::Leaves(range)),
                    Val::Place(range) => Err(self.needs_memory(range.var)),
                    value => Ok(Place::Mem(self.address(&value, &pointer.ty)?)),
                }
            }
            ExprKind::Field(inner, index) => {
                let place = self.place(inner)?;
                Ok(self.member(place, &inner.ty, *index))
            }
            ExprKind::Index(inner, index) => {
                let place = self.place(inner)?;
                let value = self.scalar(index)?;
                match place {
                    Place::Leaves(range) => {
                        let Ty::Array(elem, n) = &inner.ty else {
                            return Err(self.needs_memory(range.var));
                        };
                        match value {
                            Val::C(bits) if self.element_number(bits, &index.ty) < *n => {
                                let k = self.element_number(bits, &index.ty) as usize;
                                let first = range.first + k * leaf_count(self.module, elem);
                                let ty = (**elem).clone();
                                Ok(Place::Leaves(LeafRange { var: range.var, first, ty }))
                            }
                            _ => Err(self.needs_memory(range.var)),
                        }
                    }
                    Place::Mem(mut addr) => {
                        let size = self.module.size_of(&e.ty) as i64;
                        addr.align = addr.plus(size).align;
                        self.add_index(&mut addr, &value, &index.ty, size)?;
                        Ok(Place::Mem(addr))
                    }
                    bits => Ok(bits),
                }
            }
            // A value where a place is asked for: give it one that lives in registers.
            _ => {
                let values = self.values(e)?;
                if has_union(self.module, &e.ty) {
                    let place = self.unnamed_memory(&e.ty)?;
                    self.store(&place, &e.ty, values)?;
                    return Ok(place);
                }
                let Some(parts) = flatten(self.module, &e.ty, MAX_LEAVES) else {
                    return Err(self.error("this value is too large to be moved".into()));
                };
                let types = parts.into_iter().map(|(ty, _)| ty).collect();
                let var = self.new_leaves(self.frame().func, None, types);
                let place = self.var_place(var, e.ty.clone());
                self.store(&place, &e.ty, values)?;
                Ok(place)
            }
        }
    }

    /// Member `index` of the struct `ty` at a place.
    pub(super) fn member(&self, whole: Place, ty: &Ty, index: u32) -> Place {
        match (whole, ty) {
            (Place::Leaves(range), _) => {
                let (before, ty) = field_leaf(self.module, ty, index);
                Place::Leaves(LeafRange { var: range.var, first: range.first + before, ty })
            }
            (Place::Mem(addr), Ty::Struct(id)) => {
                let def = &self.module.structs[id.0 as usize];
                let at = addr.member(def, index as usize);
                match def.fields[index as usize].bits {
                    Some(bits) => Place::Bits(at, bits),
                    None => Place::Mem(at),
                }
            }
            (place, _) => place,
        }
    }

    fn element_number(&self, bits: u64, ty: &Ty) -> u64 {
        match class(ty) {
            Class::I32(true) => i64::from(bits as i32) as u64,
            _ => bits,
        }
    }

    /// Pointer to a place; to the whole integer of a bit-field, which has no address itself.
    pub(super) fn address_of(&mut self, place: Place) -> Val {
        match place {
            Place::Leaves(range) => {
                self.vars[range.var].exposed = true;
                Val::Place(range)
            }
            Place::Mem(addr) | Place::Bits(addr, _) => self.pointer(addr),
        }
    }

    /// Sets one scalar of a variable.
    pub(super) fn set_leaf(&mut self, leaf: usize, val: Val) -> Res<()> {
        let ty = self.leaves[leaf].ty.clone();
        let own = self.leaves[leaf].home;
        let bank = bank(&ty);
        let keeps_own = match &val {
            Val::R(reg) | Val::Lin(reg, _) => Some(*reg) == own && self.emit.is_home(bank, *reg),
            Val::Ptr(addr) => {
                let others = addr.terms.iter().any(|t| self.emit.is_home(Bank::A, t.reg));
                matches!(addr.root, Root::Reg(reg) if Some(reg) == own) && !others
            }
            _ => false,
        };
        let val = if keeps_own { val } else { self.freeze(val, &ty)? };
        let undef = val == Val::Undef;
        self.leaves[leaf].state.val = val;
        self.leaves[leaf].state.assigned = !undef;
        if self.debug && !undef && !matches!(self.leaves[leaf].state.val, Val::Place(_)) {
            // the value may be that of another component, too, which is still to be set
            self.holding += 1;
            self.bring_home(leaf)?;
            self.holding -= 1;
        }
        if let Some(slot) = self.leaves[leaf].slot
            && !undef
        {
            self.init_op(Op::InitMark, slot, 0);
        }
        Ok(())
    }

    /// Reads a place: the scalars of its value.
    pub(super) fn load(&mut self, place: &Place, ty: &Ty) -> Res<Vec<Val>> {
        match place {
            Place::Leaves(range) => {
                let count = leaf_count(self.module, ty);
                let mut out = Vec::with_capacity(count);
                for leaf in range.first..range.first + count {
                    // A struct may be copied before all its members have values.
                    if ty.is_scalar() {
                        self.check_assigned(leaf, range.var)?;
                    }
                    out.push(self.leaves[leaf].state.val.clone());
                }
                Ok(out)
            }
            Place::Mem(addr) => {
                let mut out = Vec::new();
                self.load_from(addr, ty, &mut out)?;
                Ok(out)
            }
            Place::Bits(addr, bits) => {
                let (kind, word) = unit(*bits);
                let reg = self.emit.new_reg(kind.bank());
                self.access(addr, kind, vec![reg], true, kind.size())?;
                Ok(vec![self.bits_of(*bits, &Val::R(reg), &word, ty)?])
            }
        }
    }

    /// A bit-field of type `ty`, out of the integer `whole` of type `word`.
    pub(super) fn bits_of(&mut self, bits: Bits, whole: &Val, word: &Ty, ty: &Ty) -> Res<Val> {
        let size = if *word == Ty::U64 { 64 } else { 32 };
        let by = |n: u8| Val::C(u64::from(n));
        let work = Ty::Int { bits: size, signed: matches!(ty, Ty::Int { signed: true, .. }) };
        let up = by(size - bits.shift - bits.width);
        let high = self.binary(BinOp::Shl, whole, &up, &work, &Ty::U32)?;
        let down = by(size - bits.width);
        let value = self.binary(BinOp::Shr, &high, &down, &work, &Ty::U32)?;
        // One bit is a `bool` as it is.
        self.cast(value, &work, if *ty == Ty::Bool { &Ty::U32 } else { ty })
    }

    /// What a bit-field holds after `value` was stored in it; other places hold `value`.
    pub(super) fn held_by(&mut self, place: &Place, value: Val, ty: &Ty) -> Res<Val> {
        let Place::Bits(_, bits) = place else { return Ok(value) };
        let word = if bits.unit == 8 { Ty::U64 } else { Ty::U32 };
        let whole = self.cast(value, ty, &word)?;
        self.bits_of(Bits { shift: 0, ..*bits }, &whole, &word, ty)
    }

    /// Stores a bit-field: the integer that it is part of is read and written.
    fn store_bits(&mut self, addr: &Addr, bits: Bits, value: Val, ty: &Ty) -> Res<()> {
        let (kind, word) = unit(bits);
        let mut new = self.cast(value, ty, &word)?;
        if bits.width < 8 * bits.unit {
            let outer = std::mem::replace(&mut self.partial, true);
            let reg = self.emit.new_reg(kind.bank());
            let loaded = self.access(addr, kind, vec![reg], true, kind.size());
            self.partial = outer;
            loaded?;
            let up = Val::C(u64::from(bits.shift));
            let mask = bits.mask();
            new = self.binary(BinOp::Shl, &new, &up, &word, &Ty::U32)?;
            new = self.binary(BinOp::And, &new, &Val::C(mask), &word, &word)?;
            let rest = match word {
                Ty::U64 => !mask,
                _ => u64::from(!(mask as u32)),
            };
            let rest = self.binary(BinOp::And, &Val::R(reg), &Val::C(rest), &word, &word)?;
            new = self.binary(BinOp::Or, &rest, &new, &word, &word)?;
        }
        let reg = self.reg(&new, &word)?;
        self.access(addr, kind, vec![reg], false, kind.size())
    }

    fn check_assigned(&mut self, leaf: usize, var: usize) -> Res<()> {
        if self.leaves[leaf].state.assigned {
            return Ok(());
        }
        let crate::lower::Var { func, local, .. } = self.vars[var];
        let Some(local) = local else { return Ok(()) };
        match self.leaves[leaf].slot {
            Some(slot) => {
                let name = self.leaves[leaf].name;
                self.init_op(Op::InitCheck, slot, name);
                Ok(())
            }
            None => {
                // The rest of the walk may find more of them.
                self.incomplete |= self.facts.tracked.insert((func, local));
                Ok(())
            }
        }
    }

    /// Writes a value to a place.
    pub(super) fn store(&mut self, place: &Place, ty: &Ty, values: Vec<Val>) -> Res<()> {
        match place {
            Place::Leaves(range) => {
                for (k, val) in values.into_iter().enumerate() {
                    self.set_leaf(range.first + k, val)?;
                }
                Ok(())
            }
            Place::Mem(addr) => {
                let mut values = values.into_iter();
                self.store_to(addr, ty, &mut values)
            }
            Place::Bits(addr, bits) => match values.into_iter().next() {
                None | Some(Val::Undef) => Ok(()),
                Some(_) if bits.width == 0 => Ok(()),
                Some(value) => self.store_bits(addr, *bits, value, ty),
            },
        }
    }

    /// Pieces of a vector type that are one request each: byte offset, kind, number of components.
    fn requests(&self, ty: &Ty) -> Option<Vec<(i64, Kind, usize)>> {
        let Ty::Struct(id) = ty else { return None };
        let def = &self.module.structs[id.0 as usize];
        if !def.is_vector || def.fields.is_empty() {
            return None;
        }
        let kind = Kind::of(&def.fields[0].ty);
        let size = def.size;
        // A three-component vector is no power of two: a card moves its members one by one.
        if !size.is_power_of_two() || def.align < size.min(16) || def.fields.len() == 1 {
            return None;
        }
        let per = (size.min(16) / u64::from(kind.size())) as usize;
        // A vector of three with room for four (OpenCL) is moved member by member, too.
        if def.fields.len() == 3 {
            return None;
        }
        Some(
            (0..size.div_ceil(16))
                .map(|k| (16 * k as i64, kind, per.min(def.fields.len())))
                .collect(),
        )
    }

    fn load_from(&mut self, addr: &Addr, ty: &Ty, out: &mut Vec<Val>) -> Res<()> {
        if let (0, Some(requests)) = (addr.align, self.requests(ty)) {
            for (offset, kind, count) in requests {
                let at = addr.plus(offset);
                let regs: Vec<u32> = (0..count).map(|_| self.emit.new_reg(kind.bank())).collect();
                out.extend(regs.iter().map(|r| Val::R(*r)));
                self.access(&at, kind, regs, true, self.module.size_of(ty) as u32)?;
            }
            return Ok(());
        }
        match ty {
            Ty::Array(elem, n) => {
                let size = self.module.size_of(elem) as i64;
                if leaf_count_bounded(self.module, ty) > MAX_LEAVES {
                    return Err(self.error("this array is too large to be moved as a value".into()));
                }
                for k in 0..*n as i64 {
                    let at = addr.plus(k * size);
                    self.load_from(&at, elem, out)?;
                }
                Ok(())
            }
            Ty::Struct(id) => {
                let def = self.module.structs[id.0 as usize].clone();
                if def.in_words() {
                    for (word, at) in flatten(self.module, ty, MAX_LEAVES).unwrap_or_default() {
                        let at = addr.plus(at as i64);
                        self.load_from(&at, &word, out)?;
                    }
                    return Ok(());
                }
                for (k, field) in def.fields.iter().enumerate() {
                    self.load_from(&addr.member(&def, k), &field.ty, out)?;
                }
                Ok(())
            }
            scalar => {
                let kind = Kind::of(scalar);
                if let Some(parts) = parts(addr, kind) {
                    out.push(self.load_parts(addr, scalar, &parts)?);
                    return Ok(());
                }
                let reg = self.emit.new_reg(kind.bank());
                self.access(addr, kind, vec![reg], true, kind.size())?;
                out.push(Val::R(reg));
                Ok(())
            }
        }
    }

    fn store_to(
        &mut self,
        addr: &Addr,
        ty: &Ty,
        values: &mut impl Iterator<Item = Val>,
    ) -> Res<()> {
        if let (0, Some(requests)) = (addr.align, self.requests(ty)) {
            let Ty::Struct(id) = ty else { return Ok(()) };
            let part = self.module.structs[id.0 as usize].fields[0].ty.clone();
            for (offset, kind, count) in requests {
                let at = addr.plus(offset);
                let mut regs = Vec::new();
                for value in values.by_ref().take(count) {
                    regs.push(self.reg(&value, &part)?);
                }
                self.access(&at, kind, regs, false, self.module.size_of(ty) as u32)?;
            }
            return Ok(());
        }
        match ty {
            Ty::Array(elem, n) => {
                let size = self.module.size_of(elem) as i64;
                for k in 0..*n as i64 {
                    let at = addr.plus(k * size);
                    self.store_to(&at, elem, values)?;
                }
                Ok(())
            }
            Ty::Struct(id) => {
                let def = self.module.structs[id.0 as usize].clone();
                if def.in_words() {
                    for (word, at) in flatten(self.module, ty, MAX_LEAVES).unwrap_or_default() {
                        let at = addr.plus(at as i64);
                        self.store_to(&at, &word, values)?;
                    }
                    return Ok(());
                }
                for (k, field) in def.fields.iter().enumerate() {
                    self.store_to(&addr.member(&def, k), &field.ty, values)?;
                }
                Ok(())
            }
            scalar => {
                let kind = Kind::of(scalar);
                // Padding and members never assigned are not stored: they stay unwritten.
                let value = values.next().unwrap_or(Val::Undef);
                if value == Val::Undef {
                    return Ok(());
                }
                if let Some(parts) = parts(addr, kind) {
                    return self.store_parts(addr, scalar, &value, &parts);
                }
                let reg = self.reg(&value, scalar)?;
                self.access(addr, kind, vec![reg], false, kind.size())
            }
        }
    }

    /// A scalar of a packed struct, joined from its parts.
    fn load_parts(&mut self, addr: &Addr, ty: &Ty, parts: &Parts) -> Res<Val> {
        let mut sum = Val::C(0);
        for k in 0..parts.count {
            let reg = self.emit.new_reg(Bank::A);
            self.access(
                &addr.plus(k * parts.size),
                parts.kind,
                vec![reg],
                true,
                parts.size as u32,
            )?;
            let part = self.cast(Val::R(reg), &Ty::U32, &parts.whole)?;
            let by = Val::C(8 * (k * parts.size) as u64);
            let part = self.binary(BinOp::Shl, &part, &by, &parts.whole, &Ty::U32)?;
            sum = self.binary(BinOp::Or, &sum, &part, &parts.whole, &parts.whole)?;
        }
        Ok(match ty {
            Ty::F16 => {
                let bits = self.reg(&sum, &parts.whole)?;
                Val::R(self.op1(Op::HFromBits, bits))
            }
            Ty::Int { .. } => self.cast(sum, &parts.whole, ty)?,
            _ => Val::R(self.reg(&sum, &parts.whole)?),
        })
    }

    /// Stores a scalar of a packed struct in its parts.
    fn store_parts(&mut self, addr: &Addr, ty: &Ty, value: &Val, parts: &Parts) -> Res<()> {
        let mut bits = self.reg(value, ty)?;
        if *ty == Ty::F16 {
            bits = self.op1(Op::HBits, bits);
        }
        for k in 0..parts.count {
            let by = Val::C(8 * (k * parts.size) as u64);
            let part = self.binary(BinOp::Shr, &Val::R(bits), &by, &parts.whole, &Ty::U32)?;
            let part = self.cast(part, &parts.whole, &Ty::U32)?;
            let reg = self.reg(&part, &Ty::U32)?;
            let at = addr.plus(k * parts.size);
            self.access(&at, parts.kind, vec![reg], false, parts.size as u32)?;
        }
        Ok(())
    }

    /// Emits one memory request.
    fn access(
        &mut self,
        addr: &Addr,
        kind: Kind,
        regs: Vec<u32>,
        load: bool,
        elem: u32,
    ) -> Res<()> {
        let Operands { base, index, scale, signed, imm } = self.operands(addr);
        let many = regs.len() > 1;
        let wide = kind.bank() == Bank::B;
        let by_kind = |scalar: Op, scalar_b: Op, vector: Op| {
            if many {
                vector
            } else if wide {
                scalar_b
            } else {
                scalar
            }
        };
        let op = match (addr.root, load) {
            (Root::Reg(_), true) => by_kind(Op::LdG, Op::LdGB, Op::LdGV),
            (Root::Reg(_), false) => by_kind(Op::StG, Op::StGB, Op::StGV),
            (Root::Shared(_), true) => by_kind(Op::LdS, Op::LdSB, Op::LdSV),
            (Root::Shared(_), false) => by_kind(Op::StS, Op::StSB, Op::StSV),
            (Root::Local(_), true) => by_kind(Op::LdT, Op::LdTB, Op::LdTV),
            (Root::Local(_), false) => by_kind(Op::StT, Op::StTB, Op::StTV),
        };
        let var = match addr.root {
            Root::Reg(_) => NONE,
            Root::Shared(var) | Root::Local(var) => var,
        };
        let d = if many { NONE } else { regs[0] };
        let size = kind.size() * regs.len() as u32;
        let uniform = base != NONE && self.emit.is_uniform(Bank::B, base);
        let info = MemInfo {
            kind,
            regs: if many { regs } else { Vec::new() },
            size,
            scale,
            signed,
            uniform,
            var,
            elem,
            partial: self.partial,
            span: self.emit.here(self.emit.span),
            line: 0,
        };
        let c = self.mems.len() as u32;
        self.mems.push(info);
        self.emit.push(Inst { op, d, a: base, b: index, c, imm });
        Ok(())
    }

    /// Moves a pointer by whole elements.
    pub(super) fn move_pointer(
        &mut self,
        pointer: &Val,
        pointer_ty: &Ty,
        index: &Val,
        index_ty: &Ty,
        negative: bool,
    ) -> Res<Val> {
        let Ty::Ptr(to, _) = pointer_ty else {
            return Err(self.error("pointer arithmetic on something that is no pointer".into()));
        };
        let size = self.module.size_of(to).max(1) as i64;
        if let Val::Place(range) = pointer {
            return match index {
                Val::C(0) => Ok(pointer.clone()),
                Val::C(bits) if !negative => {
                    let per = leaf_count(self.module, to);
                    let k = self.element_number(*bits, index_ty) as usize;
                    let VarKind::Leaves(first, count) = self.vars[range.var].kind else {
                        return Err(self.needs_memory(range.var));
                    };
                    let at = range.first.saturating_add(k.saturating_mul(per));
                    if at.saturating_add(per) > first + count {
                        return Err(self.needs_memory(range.var));
                    }
                    Ok(Val::Place(LeafRange { var: range.var, first: at, ty: (**to).clone() }))
                }
                _ => Err(self.needs_memory(range.var)),
            };
        }
        let mut addr = self.address(pointer, pointer_ty)?;
        let size = if negative { -size } else { size };
        self.add_index(&mut addr, index, index_ty, size)?;
        // Long sums are made into a register before they are copied into every use.
        if addr.terms.len() > 1
            && let Root::Reg(_) = addr.root
        {
            let imm = addr.imm;
            addr.imm = 0;
            let reg = self.address_reg(&addr);
            addr = Addr { imm, align: addr.align, ..Addr::of(Root::Reg(reg)) };
        }
        Ok(self.pointer(addr))
    }
}

/// How the integer of a bit-field is moved, and the type of its value in a register.
fn unit(bits: Bits) -> (Kind, Ty) {
    match bits.unit {
        1 => (Kind::U8, Ty::U32),
        2 => (Kind::U16, Ty::U32),
        4 => (Kind::W32, Ty::U32),
        _ => (Kind::W64, Ty::U64),
    }
}

/// How a scalar that is not aligned is moved.
struct Parts {
    /// Of a part.
    kind: Kind,
    /// Bytes of a part.
    size: i64,
    count: i64,
    /// In which the parts are joined.
    whole: Ty,
}

/// The parts of a scalar at an address; `None` if it is aligned.
fn parts(addr: &Addr, kind: Kind) -> Option<Parts> {
    let size = addr.align as u32;
    if size == 0 || size >= kind.size() {
        return None;
    }
    let whole = if kind == Kind::W64 { Ty::U64 } else { Ty::U32 };
    let count = i64::from(kind.size() / size);
    let kind = match size {
        1 => Kind::U8,
        2 => Kind::U16,
        _ => Kind::W32,
    };
    Some(Parts { kind, size: i64::from(size), count, whole })
}

fn leaf_count_bounded(module: &crate::hir::Module, ty: &Ty) -> usize {
    flatten(module, ty, MAX_LEAVES).map_or(usize::MAX, |parts| parts.len())
}
