//! Functions of both languages: mathematics of one type. In CUDA C they have a second form for
//! `float`; in OpenCL C they work on vectors by component, and some have fast forms.

use super::function::{F, Form, Function, INT, Operation::Device, TO_INT, TO_T, TRUTH, of};
use crate::hir::{Builtin, Class, Math1, Math2};

const fn one(name: &'static str, f: Math1) -> Function {
    of(name, F, &[F], Device(Builtin::Math1(f))).with(&[Form::Single])
}

/// As [`one`], with fast forms.
const fn fast(name: &'static str, f: Math1) -> Function {
    one(name, f).with(&[Form::Single, Form::Fast])
}

const fn two(name: &'static str, f: Math2) -> Function {
    of(name, F, &[F, F], Device(Builtin::Math2(f))).with(&[Form::Single])
}

const fn is(name: &'static str, class: Class) -> Function {
    of(name, TRUTH, &[F], Device(Builtin::Classify(class)))
}

pub(super) const MATHEMATICS: &[Function] = &[
    fast("sqrt", Math1::Sqrt),
    fast("rsqrt", Math1::Rsqrt),
    one("cbrt", Math1::Cbrt),
    fast("exp", Math1::Exp),
    fast("exp2", Math1::Exp2),
    fast("exp10", Math1::Exp10),
    one("expm1", Math1::Expm1),
    fast("log", Math1::Log),
    fast("log2", Math1::Log2),
    fast("log10", Math1::Log10),
    one("log1p", Math1::Log1p),
    fast("sin", Math1::Sin),
    fast("cos", Math1::Cos),
    fast("tan", Math1::Tan),
    one("sinpi", Math1::SinPi),
    one("cospi", Math1::CosPi),
    one("asin", Math1::Asin),
    one("acos", Math1::Acos),
    one("atan", Math1::Atan),
    one("sinh", Math1::Sinh),
    one("cosh", Math1::Cosh),
    one("tanh", Math1::Tanh),
    one("asinh", Math1::Asinh),
    one("acosh", Math1::Acosh),
    one("atanh", Math1::Atanh),
    one("erf", Math1::Erf),
    one("erfc", Math1::Erfc),
    one("tgamma", Math1::Tgamma),
    one("lgamma", Math1::Lgamma),
    one("fabs", Math1::Fabs),
    one("floor", Math1::Floor),
    one("ceil", Math1::Ceil),
    one("trunc", Math1::Trunc),
    one("round", Math1::Round),
    one("rint", Math1::Rint),
    two("pow", Math2::Pow),
    two("atan2", Math2::Atan2),
    two("fmod", Math2::Fmod),
    two("remainder", Math2::Remainder),
    two("hypot", Math2::Hypot),
    two("fmin", Math2::Fmin),
    two("fmax", Math2::Fmax),
    two("fdim", Math2::Fdim),
    two("copysign", Math2::Copysign),
    two("nextafter", Math2::Nextafter),
    of("fma", F, &[F, F, F], Device(Builtin::Fma)).with(&[Form::Single]),
    of("ldexp", F, &[F, INT], Device(Builtin::Ldexp)).with(&[Form::Single]),
    of("frexp", F, &[F, TO_INT], Device(Builtin::Frexp)).with(&[Form::Single]).writes(),
    of("modf", F, &[F, TO_T], Device(Builtin::Modf)).with(&[Form::Single]).writes(),
    is("isnan", Class::Nan),
    is("isinf", Class::Inf),
    is("isfinite", Class::Finite),
    is("signbit", Class::SignBit),
];
