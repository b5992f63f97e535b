//! What a row of the tables of functions says: name, signature, operation, effect.

use super::types::{OPENCL_LENGTHS, Plain};
use crate::hir::{AtomicOp, BinOp, Builtin, CmpOp, Round, Shuffle};

/// A function that a language offers.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Its name, or what its names have in common: see [`Form`].
    pub name: &'static str,
    /// Names beside `name`.
    pub forms: &'static [Form],
    /// What its arguments are, and what is done with them.
    pub call: Call,
    /// What it does beside computing its result.
    pub effect: Effect,
    /// Value of the last argument if it is left out.
    pub default: Option<u64>,
}

/// Names that follow from the name of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// With `f` behind, for `float`; in CUDA C only.
    Single,
    /// With `native_` or `half_` before; in OpenCL C only. Here these are the exact functions.
    Fast,
    /// With `_block` or `_system` behind.
    Scoped,
    /// With `atom_` for `atomic_`.
    Atom,
    /// Only with `_rn`, `_rz`, `_rd` or `_ru` behind: [`Operation::Rounded`].
    Rounded,
    /// Only with the length of a vector behind.
    Length,
    /// Everything that begins so and that the rule can read.
    Prefix,
}

/// How a call is typed.
#[derive(Clone, Copy, Debug)]
pub enum Call {
    /// By its signature; then the operation is done, in OpenCL C for each component.
    Of(Signature, Operation),
    /// By a rule of CUDA C.
    Cuda(CudaRule),
    /// By a rule of OpenCL C.
    OpenCl(OpenClRule),
    /// It is refused; the text says what to use.
    Gone(&'static str),
}

/// Result and arguments.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// Result.
    pub result: Slot,
    /// Arguments.
    pub params: &'static [Slot],
}

/// Type of a result or an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// This type; in OpenCL C as many of it as the other arguments have components.
    Is(Plain),
    /// Pointer to it.
    To(Plain),
    /// The type of the call, the same for all such arguments. In CUDA C it is the widest of theirs,
    /// in OpenCL C they must agree, and may be vectors.
    Any(Over),
    /// Pointer to the type of the call.
    ToAny,
    /// Result: the unsigned form of the type of the call.
    Unsigned,
    /// Result: `bool` in CUDA C; in OpenCL C `int` for scalars, 0 and -1 for vectors.
    Truth,
}

/// What the type of a call may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Floating point. In CUDA C integers become `double`.
    Floats,
    /// Integers.
    Integers,
    /// `int` and `uint`.
    Words,
    /// Either.
    Numbers,
}

/// What is computed of the arguments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    /// An operation of the device.
    Device(Builtin),
    /// Ordinary arithmetic of two.
    Binary(BinOp),
    /// Ordinary comparison.
    Compare(CmpOp),
    /// `-x`
    Negate,
    /// Conversion to the result.
    Cast,
    /// Conversion to an integer, rounded as the name says ([`Form::Rounded`]).
    Rounded,
    /// Conversion to an integer, halves away from zero.
    HalfAway,
    /// The smaller of two numbers.
    Smaller,
    /// The larger of two numbers.
    Larger,
    /// `a * b + c` in two operations, which the option for contraction may fuse.
    MulAdd,
    /// The same of integers of 24 bits.
    Mul24Add,
    /// The function `__cl_` of this name in `headers/opencl.h`.
    Own(&'static str),
}

/// What a function does beside computing its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: a debugger may call it.
    None,
    /// Writes memory.
    Memory,
    /// Other threads take part.
    Threads,
    /// The host sees it, or the kernel ends.
    Host,
}

/// Functions of CUDA C whose types no signature can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CudaRule {
    Smaller,
    Larger,
    Abs,
    /// The type is that of the pointers.
    SinCos {
        pi: bool,
    },
    Atomic(AtomicOp),
    AtomicCas,
    Shuffle(Shuffle),
    MatchAny,
    WarpReduce(AtomicOp),
    Load,
    Store,
    Printf,
    Assert,
}

/// Functions of OpenCL C whose types no signature can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum OpenClRule {
    WorkItem(WorkItem),
    Barrier,
    Fence,
    Atomic(AtomicOp),
    /// `atomic_inc` and `atomic_dec`: one more, one less.
    Step(AtomicOp),
    CompareExchange,
    LoadStore,
    GroupCopy,
    WaitForCopies,
    Prefetch,
    Dot,
    Cross,
    Length,
    Distance,
    Normalize,
    Any,
    All,
    Select,
    BitSelect,
    Upsample,
    Shuffle,
    Shuffle2,
    Nan,
    Convert,
    Reinterpret,
    VecStep,
    Printf,
}

/// What a work-item asks about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum WorkItem {
    GlobalId,
    LocalId,
    GroupId,
    GlobalSize,
    LocalSize,
    NumGroups,
    GlobalOffset,
}

/// Rounding modes by the ends of names.
const ROUNDINGS: [(&str, Round); 4] =
    [("_rn", Round::NearestEven), ("_rz", Round::Zero), ("_rd", Round::Down), ("_ru", Round::Up)];

/// Which function of a row a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// That of the row.
    Itself,
    /// [`Form::Single`].
    Single,
    /// [`Form::Rounded`].
    Rounded(Round),
}

impl Function {
    /// All arguments are halves.
    pub(crate) fn takes_halves(&self) -> bool {
        matches!(self.call, Call::Of(of, _) if of.params.iter().all(|p| *p == HALF))
    }

    fn has(&self, form: Form) -> bool {
        self.forms.contains(&form)
    }

    /// Only names with something behind `name` exist.
    fn is_family(&self) -> bool {
        self.has(Form::Rounded) || self.has(Form::Length) || self.has(Form::Prefix)
    }

    /// Which of the row's functions has this name; `opencl` tells the language.
    pub(crate) fn variant(&self, name: &str, opencl: bool) -> Option<Variant> {
        let Some(rest) = name.strip_prefix(self.name) else {
            let base = match name.strip_prefix("native_").or_else(|| name.strip_prefix("half_")) {
                Some(base) if opencl && self.has(Form::Fast) => base == self.name,
                _ => self.has(Form::Atom) && name.strip_prefix("atom_") == self.atomic_name(),
            };
            return base.then_some(Variant::Itself);
        };
        match rest {
            "" if !self.is_family() => Some(Variant::Itself),
            "f" if !opencl && self.has(Form::Single) => Some(Variant::Single),
            "_block" | "_system" if self.has(Form::Scoped) => Some(Variant::Itself),
            _ if self.has(Form::Rounded) => {
                let mode = ROUNDINGS.iter().find(|(end, _)| *end == rest)?;
                Some(Variant::Rounded(mode.1))
            }
            _ if self.has(Form::Length) => {
                let known = |n| OPENCL_LENGTHS.contains(&n);
                rest.parse().is_ok_and(known).then_some(Variant::Itself)
            }
            _ => self.has(Form::Prefix).then_some(Variant::Itself),
        }
    }

    fn atomic_name(&self) -> Option<&'static str> {
        self.name.strip_prefix("atomic_")
    }

    /// All names with what they stand for; of a [`Form::Prefix`] its beginning.
    pub(crate) fn names(&self, opencl: bool) -> Vec<(String, Variant)> {
        let name = self.name;
        let itself = |name: String| (name, Variant::Itself);
        let mut out = Vec::new();
        if !self.is_family() || self.has(Form::Prefix) {
            out.push(itself(name.to_string()));
        }
        for form in self.forms {
            match form {
                Form::Single if !opencl => out.push((format!("{name}f"), Variant::Single)),
                Form::Rounded => out.extend(
                    ROUNDINGS.map(|(end, mode)| (format!("{name}{end}"), Variant::Rounded(mode))),
                ),
                Form::Fast if opencl => {
                    out.extend(["native_", "half_"].map(|start| itself(format!("{start}{name}"))));
                }
                Form::Scoped => {
                    out.extend(["_block", "_system"].map(|end| itself(format!("{name}{end}"))));
                }
                Form::Atom => {
                    out.extend(self.atomic_name().map(|base| itself(format!("atom_{base}"))));
                }
                Form::Length => {
                    out.extend(OPENCL_LENGTHS.map(|n| itself(format!("{name}{n}"))));
                }
                Form::Single | Form::Fast | Form::Prefix => {}
            }
        }
        out
    }
}

impl Signature {
    /// What the type of the call may be; `None` if all types are given.
    pub fn over(&self) -> Option<Over> {
        self.params.iter().find_map(|slot| match slot {
            Slot::Any(over) => Some(*over),
            _ => None,
        })
    }
}

// ---- how rows are written

/// A row with a signature.
pub(super) const fn of(
    name: &'static str,
    result: Slot,
    params: &'static [Slot],
    operation: Operation,
) -> Function {
    let call = Call::Of(Signature { result, params }, operation);
    Function { name, forms: &[], call, effect: Effect::None, default: None }
}

/// A row of CUDA C with a rule of its own.
pub(super) const fn cuda(name: &'static str, rule: CudaRule) -> Function {
    let call = Call::Cuda(rule);
    Function { name, forms: &[], call, effect: Effect::None, default: None }
}

/// A row of OpenCL C with a rule of its own.
pub(super) const fn opencl(name: &'static str, rule: OpenClRule) -> Function {
    let call = Call::OpenCl(rule);
    Function { name, forms: &[], call, effect: Effect::None, default: None }
}

/// A function that is refused, and what to use.
pub(super) const fn gone(name: &'static str, text: &'static str) -> Function {
    Function { name, forms: &[], call: Call::Gone(text), effect: Effect::None, default: None }
}

impl Function {
    pub(super) const fn with(self, forms: &'static [Form]) -> Function {
        Function { forms, ..self }
    }

    pub(super) const fn writes(self) -> Function {
        Function { effect: Effect::Memory, ..self }
    }

    pub(super) const fn joint(self) -> Function {
        Function { effect: Effect::Threads, ..self }
    }

    pub(super) const fn seen(self) -> Function {
        Function { effect: Effect::Host, ..self }
    }

    pub(super) const fn or(self, default: u64) -> Function {
        Function { default: Some(default), ..self }
    }
}

pub(super) const VOID: Slot = Slot::Is(Plain::Void);
pub(super) const BOOL: Slot = Slot::Is(Plain::Bool);
pub(super) const SHORT: Slot = Slot::Is(Plain::Short);
pub(super) const USHORT: Slot = Slot::Is(Plain::UShort);
pub(super) const INT: Slot = Slot::Is(Plain::Int);
pub(super) const UINT: Slot = Slot::Is(Plain::UInt);
pub(super) const LONG: Slot = Slot::Is(Plain::Long);
pub(super) const LLONG: Slot = Slot::Is(Plain::LongLong);
pub(super) const ULLONG: Slot = Slot::Is(Plain::ULongLong);
pub(super) const HALF: Slot = Slot::Is(Plain::Half);
pub(super) const FLOAT: Slot = Slot::Is(Plain::Float);
pub(super) const DOUBLE: Slot = Slot::Is(Plain::Double);
pub(super) const TO_INT: Slot = Slot::To(Plain::Int);
pub(super) const TO_FLOAT: Slot = Slot::To(Plain::Float);
pub(super) const F: Slot = Slot::Any(Over::Floats);
pub(super) const I: Slot = Slot::Any(Over::Integers);
pub(super) const W: Slot = Slot::Any(Over::Words);
pub(super) const N: Slot = Slot::Any(Over::Numbers);
pub(super) const TO_T: Slot = Slot::ToAny;
pub(super) const UNSIGNED: Slot = Slot::Unsigned;
pub(super) const TRUTH: Slot = Slot::Truth;
