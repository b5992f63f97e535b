//! Types as C++ tells them apart: `char` from `signed char`, `long` from `long long`, const from
//! not.

pub(in crate::sema) mod convert;
pub(in crate::sema) mod mangle;

use std::rc::Rc;

use crate::ast::IntKind;
use crate::builtins::Plain;
use crate::hir::{Space, StructId, Ty};

/// Type without its own `const`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    Void,
    Bool,
    Int(IntKind),
    F16,
    F32,
    F64,
    Ptr(Rc<QualType>),
    /// No length: `extern __shared__ T a[]`.
    Array(Rc<QualType>, Option<u64>),
    Struct(StructId),
    Enum(u32),
    Nullptr,
    /// Pointer to a function: the number of a function whose address is taken, or 0.
    Func(Rc<FnTy>),
    /// Pointer to a member of a class: its distance in bytes, or -1.
    Member(Rc<(StructId, QualType)>),
    /// Pointer to a member function, whose first parameter is a pointer to the object: a number as
    /// that of a function.
    Method(Rc<FnTy>),
}

/// Type of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FnTy {
    pub params: Vec<VarTy>,
    pub ret: VarTy,
}

/// Type with `const` and the memory it lies in. Of an array the elements are const.
#[derive(Clone, Debug)]
pub(crate) struct QualType {
    pub ty: Type,
    pub is_const: bool,
    /// `volatile`, which makes no other type here: it is remembered for what is said of races.
    pub is_volatile: bool,
    /// Address space of OpenCL C; always [`Space::Generic`] in CUDA C.
    pub space: Space,
}

impl PartialEq for QualType {
    fn eq(&self, other: &QualType) -> bool {
        self.ty == other.ty && self.is_const == other.is_const && self.space == other.space
    }
}

impl Eq for QualType {}

impl std::hash::Hash for QualType {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (&self.ty, self.is_const, self.space).hash(state);
    }
}

/// What is known of an enumeration.
#[derive(Debug)]
pub(crate) struct EnumInfo {
    pub name: String,
    pub base: IntKind,
    pub scoped: bool,
}

/// Type of a variable or result: perhaps a reference.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct VarTy {
    pub q: QualType,
    pub by_ref: bool,
    /// `T &&`, which temporary values can be bound to.
    pub rvalue: bool,
}

impl Type {
    /// The type of a table of built-in names.
    pub(crate) fn of(plain: Plain) -> Type {
        Type::Int(match plain {
            Plain::Void => return Type::Void,
            Plain::Bool => return Type::Bool,
            Plain::Half => return Type::F16,
            Plain::Float => return Type::F32,
            Plain::Double => return Type::F64,
            Plain::Char => IntKind::Char,
            Plain::SChar => IntKind::SChar,
            Plain::UChar => IntKind::UChar,
            Plain::Short => IntKind::Short,
            Plain::UShort => IntKind::UShort,
            Plain::Int => IntKind::Int,
            Plain::UInt => IntKind::UInt,
            Plain::Long => IntKind::Long,
            Plain::ULong => IntKind::ULong,
            Plain::LongLong => IntKind::LongLong,
            Plain::ULongLong => IntKind::ULongLong,
        })
    }

    pub const INT: Type = Type::Int(IntKind::Int);
    pub const UINT: Type = Type::Int(IntKind::UInt);
    pub const LONG: Type = Type::Int(IntKind::Long);
    pub const ULONG: Type = Type::Int(IntKind::ULong);
    pub const ULLONG: Type = Type::Int(IntKind::ULongLong);

    pub fn q(self) -> QualType {
        QualType { ty: self, is_const: false, is_volatile: false, space: Space::Generic }
    }
    pub fn ptr(self) -> Type {
        Type::Ptr(Rc::new(self.q()))
    }
    pub fn is_float(&self) -> bool {
        matches!(self, Type::F16 | Type::F32 | Type::F64)
    }
    /// Integer, `bool` or plain enumeration.
    pub fn is_integral(&self) -> bool {
        matches!(self, Type::Bool | Type::Int(_) | Type::Enum(_))
    }
    pub fn is_arithmetic(&self) -> bool {
        self.is_float() || self.is_integral()
    }
    pub fn is_pointer(&self) -> bool {
        matches!(self, Type::Ptr(_) | Type::Nullptr)
    }
    pub fn is_scalar(&self) -> bool {
        self.is_arithmetic() || self.is_pointer() || self.is_code()
    }
    /// A pointer that is a number in the program's own tables.
    pub fn is_code(&self) -> bool {
        matches!(self, Type::Func(_) | Type::Member(_) | Type::Method(_))
    }
    /// The bits of a null pointer of this type.
    pub fn null(&self) -> u64 {
        if matches!(self, Type::Member(_)) { u64::MAX } else { 0 }
    }
    /// What a pointer points to.
    pub fn pointee(&self) -> Option<&Rc<QualType>> {
        match self {
            Type::Ptr(q) => Some(q),
            _ => None,
        }
    }
}

impl QualType {
    pub fn constant(t: Type) -> QualType {
        QualType { is_const: true, ..t.q() }
    }
    /// The same without `const`.
    pub fn plain(&self) -> QualType {
        self.ty.clone().q()
    }
    /// The same in another memory; of an array the elements as well.
    pub fn within(self, s: Space) -> QualType {
        match self.ty {
            Type::Array(elem, n) => {
                let elem = Rc::unwrap_or_clone(elem).within(s);
                QualType {
                    ty: Type::Array(Rc::new(elem), n),
                    is_const: self.is_const,
                    is_volatile: self.is_volatile,
                    space: s,
                }
            }
            t => {
                QualType { ty: t, is_const: self.is_const, is_volatile: self.is_volatile, space: s }
            }
        }
    }
    pub fn value(self) -> VarTy {
        VarTy { q: self, by_ref: false, rvalue: false }
    }
    pub fn reference(self) -> VarTy {
        VarTy { q: self, by_ref: true, rvalue: false }
    }
}

/// Bits and sign.
pub(crate) fn int_shape(kind: IntKind) -> (u8, bool) {
    match kind {
        IntKind::Char | IntKind::SChar => (8, true),
        IntKind::UChar => (8, false),
        IntKind::Short => (16, true),
        IntKind::UShort => (16, false),
        IntKind::Int => (32, true),
        IntKind::UInt => (32, false),
        IntKind::Long | IntKind::LongLong => (64, true),
        IntKind::ULong | IntKind::ULongLong => (64, false),
    }
}

/// Order of conversion; unsigned types share the rank of their signed ones.
pub(crate) fn rank(kind: IntKind) -> u8 {
    match kind {
        IntKind::Char | IntKind::SChar | IntKind::UChar => 1,
        IntKind::Short | IntKind::UShort => 2,
        IntKind::Int | IntKind::UInt => 3,
        IntKind::Long | IntKind::ULong => 4,
        IntKind::LongLong | IntKind::ULongLong => 5,
    }
}

/// Name in messages.
pub(crate) fn int_name(kind: IntKind) -> &'static str {
    match kind {
        IntKind::Char => "char",
        IntKind::SChar => "signed char",
        IntKind::UChar => "unsigned char",
        IntKind::Short => "short",
        IntKind::UShort => "unsigned short",
        IntKind::Int => "int",
        IntKind::UInt => "unsigned int",
        IntKind::Long => "long",
        IntKind::ULong => "unsigned long",
        IntKind::LongLong => "long long",
        IntKind::ULongLong => "unsigned long long",
    }
}

/// The unsigned integer type of the same size.
pub(crate) fn to_unsigned(kind: IntKind) -> IntKind {
    match kind {
        IntKind::Char | IntKind::SChar => IntKind::UChar,
        IntKind::Short => IntKind::UShort,
        IntKind::Int => IntKind::UInt,
        IntKind::Long => IntKind::ULong,
        IntKind::LongLong => IntKind::ULongLong,
        unsigned => unsigned,
    }
}

/// The machine's type. `enums` gives the underlying types of enumerations.
pub(crate) fn machine(t: &Type, enums: &[EnumInfo]) -> Ty {
    match t {
        Type::Void => Ty::Void,
        Type::Bool => Ty::Bool,
        Type::Int(kind) => {
            let (bits, signed) = int_shape(*kind);
            Ty::Int { bits, signed }
        }
        Type::F16 => Ty::F16,
        Type::F32 => Ty::F32,
        Type::F64 => Ty::F64,
        Type::Ptr(to) => Ty::Ptr(Box::new(machine(&to.ty, enums)), Space::Generic),
        Type::Array(elem, n) => Ty::Array(Box::new(machine(&elem.ty, enums)), n.unwrap_or(0)),
        Type::Struct(id) => Ty::Struct(*id),
        Type::Enum(e) => {
            enums.get(*e as usize).map_or(Ty::I32, |info| machine(&Type::Int(info.base), enums))
        }
        Type::Nullptr => Ty::Ptr(Box::new(Ty::Void), Space::Generic),
        Type::Func(_) | Type::Method(_) => Ty::U64,
        Type::Member(_) => Ty::I64,
    }
}

/// The unsigned type of the same size as an integer type.
pub(crate) fn unsigned_like(t: &Type) -> Type {
    match t {
        Type::Int(kind) => Type::Int(to_unsigned(*kind)),
        other => other.clone(),
    }
}

/// What stands before the pointee of a pointer in messages.
pub(crate) fn space_prefix(s: Space) -> &'static str {
    match s {
        Space::Generic => "",
        Space::Global => "__global ",
        Space::Shared => "__local ",
        Space::Constant => "__constant ",
        Space::Local => "__private ",
    }
}
