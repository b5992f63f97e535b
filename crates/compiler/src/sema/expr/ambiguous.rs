//! Calls and operators that nvcc finds ambiguous: there half and bfloat16 are classes that turn
//! into several types of numbers, and that numbers turn into. `tools/overloads/table.py` asks nvcc.

use crate::ast::IntKind::{Int, Long, LongLong, UInt, ULong, ULongLong};
use crate::diag::Diagnostic;
use crate::sema::types::Type;
use crate::sema::{Sema, SemaResult, TypedExpr};
use crate::source::Span;

/// Functions of halves and of bfloat16 by those of floats.
const HALVES: [(&str, &str); 22] = [
    ("sqrt", "hsqrt"),
    ("exp", "hexp"),
    ("exp2", "hexp2"),
    ("log", "hlog"),
    ("log2", "hlog2"),
    ("log10", "hlog10"),
    ("sin", "hsin"),
    ("cos", "hcos"),
    ("tanh", "htanh"),
    ("floor", "hfloor"),
    ("ceil", "hceil"),
    ("trunc", "htrunc"),
    ("rint", "hrint"),
    ("fabs", "__habs"),
    ("abs", "__habs"),
    ("fma", "__hfma"),
    ("fmax", "__hmax"),
    ("max", "__hmax"),
    ("fmin", "__hmin"),
    ("min", "__hmin"),
    ("isnan", "__hisnan"),
    ("isinf", "__hisinf"),
];

impl Sema<'_> {
    /// Whether what stands there is for nvcc, too.
    fn is_for_nvcc(&self, at: Span) -> bool {
        !self.in_opencl(at) && !self.own.contains(&at.file)
    }

    /// Half or bfloat16.
    fn is_small_float(&self, t: &Type) -> bool {
        *t == Type::F16
            || matches!(t, Type::Struct(_)) && self.show(&t.clone().q()) == "__nv_bfloat16"
    }

    /// A call of a function of floating types: an error if it is ambiguous, and the type that it
    /// works in if the arguments alone do not say so. A half or bfloat16 is clear where another
    /// argument is a `float`, or where no overloads but those of `float` and `double` exist; these
    /// are ambiguous for integers.
    pub(in crate::sema) fn clear_math_call(
        &self,
        name: &str,
        args: &[&TypedExpr],
        at: Span,
    ) -> SemaResult<Option<Type>> {
        if !self.is_for_nvcc(at) {
            return Ok(None);
        }
        let some_small = args.iter().any(|a| self.is_small_float(&a.q.ty));
        let some_whole = args.iter().any(|a| a.q.ty.is_integral());
        let some_float = args.iter().any(|a| a.q.ty == Type::F32);
        let has_two = matches!(name, "rsqrt" | "sinpi" | "cospi" | "exp10");
        if has_two && some_whole {
            let help = format!("convert it to `double`, or write `{name}f`");
            return Err(self.ambiguous(name, args, at, help));
        }
        match some_small {
            true if has_two || some_float && !some_whole => Ok(Some(Type::F32)),
            true => Err(self.ambiguous(name, args, at, of_halves(name))),
            false => Ok(None),
        }
    }

    /// A call of `min` or `max`, which have overloads for two floats or doubles, and for each size
    /// of integers that has a name of its own, signed or not.
    pub(in crate::sema) fn clear_max_call(
        &self,
        name: &str,
        args: [&TypedExpr; 2],
        at: Span,
    ) -> SemaResult<()> {
        let family = |a: &TypedExpr| match self.promoted(&a.q.ty) {
            Type::F16 | Type::F32 | Type::F64 => 1,
            Type::Int(Int | UInt) => 2,
            Type::Int(Long | ULong) => 3,
            Type::Int(LongLong | ULongLong) => 4,
            _ => 0,
        };
        if !self.is_for_nvcc(at) {
            return Ok(());
        }
        if args.iter().all(|a| a.q.ty == Type::F16) {
            return Err(self.ambiguous(name, &args, at, of_halves(name)));
        }
        let [x, y] = args.map(family);
        if x != y || x == 0 {
            let help = "convert one of them to the type of the other".into();
            return Err(self.ambiguous(name, &args, at, help));
        }
        Ok(())
    }

    /// An operator, which is ambiguous between a half or bfloat16 and another number.
    pub(in crate::sema) fn clear_operator(
        &self,
        op: &str,
        x: &TypedExpr,
        y: &TypedExpr,
        span: Span,
    ) -> SemaResult<()> {
        let small = |e: &TypedExpr| self.is_small_float(&e.q.ty);
        let number = |e: &TypedExpr| e.q.ty.is_arithmetic() && !small(e);
        let half = match (small(x) && number(y), number(x) && small(y)) {
            (true, _) => x,
            (_, true) => y,
            _ => return Ok(()),
        };
        if !self.is_for_nvcc(span) {
            return Ok(());
        }
        let name = if half.q.ty == Type::F16 { "half" } else { "bfloat16" };
        let help = format!("convert one of them: `__{name}2float`, `__float2{name}`");
        let [a, b] = [x, y].map(|e| self.show(&e.q.plain()));
        let message = format!("`{op}` of `{a}` and `{b}` is ambiguous");
        Err(Box::new(Diagnostic::error(span, message).help(help)))
    }

    fn ambiguous(
        &self,
        name: &str,
        args: &[&TypedExpr],
        at: Span,
        help: String,
    ) -> Box<Diagnostic> {
        let shown: Vec<String> = args.iter().map(|a| format!("`{}`", self.show(&a.q))).collect();
        let error = Diagnostic::error(at, format!("the call of `{name}` is ambiguous"));
        Box::new(error.label(shown.join(" and ")).help(help))
    }
}

/// What to write for a half or bfloat16.
fn of_halves(name: &str) -> String {
    match HALVES.iter().find(|(of, _)| *of == name) {
        Some((_, own)) => format!("write `{own}`, or convert to `float`"),
        None => "convert to `float`".into(),
    }
}
