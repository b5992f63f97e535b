//! What the code generator knows of a value while it walks the tree.

use std::rc::Rc;

use crate::bytecode::{Bank, Reg};
use crate::hir::{Bits, Module, StructDef, Ty};

/// A scalar value. Registers named here are never written again, except a variable's own home.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Val {
    /// Register bits of a constant.
    C(u64),
    /// In a register of the type's bank.
    R(Reg),
    /// Integer: register plus constant, in the type's bank, wrapping.
    Lin(Reg, i64),
    /// 64-bit integer: a 32-bit register widened (true: sign-extended), plus a constant.
    Wide(Reg, bool, i64),
    /// Pointer into memory.
    Ptr(Rc<Addr>),
    /// Pointer to a variable, or part of one, that lives in registers.
    Place(LeafRange),
    /// Never assigned.
    Undef,
}

/// Part of a variable that lives in registers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LeafRange {
    /// Variable: index into `Lower::vars`.
    pub var: usize,
    /// First leaf: index into `Lower::leaves`.
    pub first: usize,
    /// Type of the part.
    pub ty: Ty,
}

/// An address in the making.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Addr {
    pub root: Root,
    pub terms: Vec<Term>,
    /// Bytes.
    pub imm: i64,
    /// What it is known to be a multiple of, inside of a packed struct; 0: the size of what lies
    /// there.
    pub align: u64,
}

/// Where an address starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Root {
    /// A 64-bit register.
    Reg(Reg),
    /// A shared variable, by index.
    Shared(u32),
    /// A variable in thread-local memory, by index.
    Local(u32),
}

/// A 32-bit register times a number of bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Term {
    pub reg: Reg,
    pub signed: bool,
    pub scale: i64,
}

/// A place that can be read and written.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Leaves(LeafRange),
    Mem(Addr),
    /// A bit-field of the integer at an address.
    Bits(Addr, Bits),
}

impl Addr {
    pub fn of(root: Root) -> Addr {
        Addr { root, terms: Vec::new(), imm: 0, align: 0 }
    }

    /// The address some bytes further.
    pub fn plus(&self, bytes: i64) -> Addr {
        let step = 1 << bytes.trailing_zeros().min(4);
        Addr { imm: self.imm + bytes, align: self.align.min(step), ..self.clone() }
    }

    /// The address of a member.
    pub fn member(&self, def: &StructDef, index: usize) -> Addr {
        let mut whole = self.clone();
        if def.is_packed && self.align == 0 {
            whole.align = def.align;
        }
        whole.plus(def.fields[index].offset as i64)
    }
}

/// Class of a scalar type: what instructions it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// `bool` and integers up to 32 bits; signed.
    I32(bool),
    /// 64-bit integers (signed) and pointers (unsigned).
    I64(bool),
    F16,
    F32,
    F64,
}

pub(super) fn class(ty: &Ty) -> Class {
    match ty {
        Ty::Bool => Class::I32(false),
        Ty::Int { bits: 64, signed } => Class::I64(*signed),
        Ty::Int { signed, .. } => Class::I32(*signed),
        Ty::F16 => Class::F16,
        Ty::F32 => Class::F32,
        Ty::F64 => Class::F64,
        _ => Class::I64(false),
    }
}

pub(super) fn bank(ty: &Ty) -> Bank {
    match class(ty) {
        Class::I64(_) | Class::F64 => Bank::B,
        _ => Bank::A,
    }
}

/// The scalars that make up a value of type `ty`, with their byte offsets; a union, and a
/// struct with bit-fields, is the words of its storage. `None` for more than `limit`.
pub(super) fn flatten(module: &Module, ty: &Ty, limit: usize) -> Option<Vec<(Ty, u64)>> {
    let mut out = Vec::new();
    flatten_into(module, ty, 0, limit, &mut out).then_some(out)
}

fn flatten_into(module: &Module, ty: &Ty, at: u64, limit: usize, out: &mut Vec<(Ty, u64)>) -> bool {
    match ty {
        Ty::Void => true,
        Ty::Array(elem, n) => {
            let size = module.size_of(elem);
            (0..*n).all(|k| flatten_into(module, elem, at + k * size, limit, out))
        }
        Ty::Struct(id) => {
            let def = &module.structs[id.0 as usize];
            if def.in_words() {
                let (word, n) = words(module, def);
                let size = module.size_of(&word);
                out.extend(
                    (0..n).map(|k| (word.clone(), at + k * size)).take(limit.saturating_add(1)),
                );
                return out.len() <= limit;
            }
            def.fields.iter().all(|f| flatten_into(module, &f.ty, at + f.offset, limit, out))
        }
        scalar => {
            out.push((scalar.clone(), at));
            out.len() <= limit
        }
    }
}

/// How a union, or a struct with bit-fields, is moved as a value: whole words of its alignment,
/// and their number. No word of a struct holds members and padding.
pub(super) fn words(module: &Module, def: &StructDef) -> (Ty, u64) {
    let mut size = def.align.clamp(1, 8);
    let fields = def.fields.iter().filter(|_| !def.is_union);
    for f in fields.filter(|f| f.bits.is_none_or(|bits| bits.width > 0)) {
        let bytes = f.bits.map_or(module.size_of(&f.ty), |bits| bits.unit.into());
        size = size.min(1 << (f.offset | bytes).trailing_zeros().min(3));
    }
    (Ty::Int { bits: 8 * size as u8, signed: false }, def.size / size)
}

/// Part of the type is a union or has bit-fields, so that its members need memory.
pub(super) fn has_union(module: &Module, ty: &Ty) -> bool {
    match ty {
        Ty::Array(elem, _) => has_union(module, elem),
        Ty::Struct(id) => {
            let def = &module.structs[id.0 as usize];
            def.in_words() || def.fields.iter().any(|f| has_union(module, &f.ty))
        }
        _ => false,
    }
}

/// Number of scalars in a value of type `ty` that is known to flatten.
pub fn leaf_count(module: &Module, ty: &Ty) -> usize {
    match ty {
        Ty::Void => 0,
        Ty::Array(elem, n) => leaf_count(module, elem) * *n as usize,
        Ty::Struct(id) => {
            let def = &module.structs[id.0 as usize];
            match def.in_words() {
                true => words(module, def).1 as usize,
                false => def.fields.iter().map(|f| leaf_count(module, &f.ty)).sum(),
            }
        }
        _ => 1,
    }
}

/// Leaves before field `index` of a struct.
pub fn field_leaf(module: &Module, ty: &Ty, index: u32) -> (usize, Ty) {
    let Ty::Struct(id) = ty else { return (0, ty.clone()) };
    let fields = &module.structs[id.0 as usize].fields;
    let before = fields[..index as usize].iter().map(|f| leaf_count(module, &f.ty)).sum();
    (before, fields[index as usize].ty.clone())
}
