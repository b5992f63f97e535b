//! Functions of the device that random kernels call: names and types are those of the compiler's
//! table, values are computed here.
//!
//! A function of the table has a formula, or a reason why it has none.

use std::sync::LazyLock;

use simt::builtins::{Plain, scalars};

use crate::tree::Ty;
use crate::value::{Value, wrap};

use Value::{F32, F64, Int};

/// A function with its types and its value.
pub struct Device {
    pub name: String,
    pub result: Ty,
    pub params: Vec<Ty>,
    formula: fn(&[Value]) -> Value,
}

impl Device {
    /// The value for arguments that have the parameters' types.
    pub fn value(&self, args: &[Value]) -> Value {
        (self.formula)(args).to(self.result)
    }
}

/// The functions of the table that have a formula.
pub static DEVICE: LazyLock<Vec<Device>> = LazyLock::new(|| {
    let of = |f: simt::builtins::Scalar| {
        let formula = formula(&f.name)?;
        let params = f.params.into_iter().map(ty).collect::<Option<Vec<Ty>>>()?;
        Some(Device { name: f.name, result: ty(f.result)?, params, formula })
    };
    scalars().into_iter().filter_map(of).collect()
});

fn ty(plain: Plain) -> Option<Ty> {
    Some(match plain {
        Plain::Void | Plain::Half => return None,
        Plain::Bool => Ty::Bool,
        Plain::Char | Plain::SChar => Ty::I8,
        Plain::UChar => Ty::U8,
        Plain::Short => Ty::I16,
        Plain::UShort => Ty::U16,
        Plain::Int => Ty::I32,
        Plain::UInt => Ty::U32,
        Plain::Long | Plain::LongLong => Ty::I64,
        Plain::ULong | Plain::ULongLong => Ty::U64,
        Plain::Float => Ty::F32,
        Plain::Double => Ty::F64,
    })
}

/// Functions whose last bits the host need not agree in, and one that Rust does not have.
const NOT_EXACT: &[&str] = &[
    "rsqrt",
    "cbrt",
    "exp",
    "exp2",
    "exp10",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sin",
    "cos",
    "tan",
    "sinpi",
    "cospi",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "erf",
    "erfc",
    "tgamma",
    "lgamma",
    "pow",
    "atan2",
    "remainder",
    "hypot",
    "__exp",
    "__exp10",
    "__log",
    "__log2",
    "__log10",
    "__sin",
    "__cos",
    "__tan",
    "__pow",
    "__frsqrt_rn",
];

/// Functions whose result for a NaN, for two zeros or far beyond the type is nobody's rule, and
/// waiting, which computes nothing.
const NO_RULE: &[&str] = &[
    "fmin",
    "fmax",
    "nextafter",
    "ldexp",
    "scalbn",
    "__float_as_int",
    "__float_as_uint",
    "__double_as_longlong",
    "signbit",
    "__nanosleep",
];

/// The same in `float` and in `double`.
fn float(args: &[Value], single: fn(f32, f32) -> f32, double: fn(f64, f64) -> f64) -> Value {
    let second = args.get(1).copied().unwrap_or(args[0]);
    match (args[0], second) {
        (F32(x), F32(y)) => F32(single(x, y)),
        (x, y) => F64(double(x.real(), y.real())),
    }
}

fn fused(args: &[Value]) -> Value {
    match args {
        [F32(x), F32(y), F32(z)] => F32(x.mul_add(*y, *z)),
        _ => F64(args[0].real().mul_add(args[1].real(), args[2].real())),
    }
}

/// Rounded in its own type, then to an integer.
fn whole(args: &[Value], round: fn(f64) -> f64) -> Value {
    F64(round(args[0].real()))
}

fn count(n: u32) -> Value {
    Int(i128::from(n))
}

fn word(v: Value) -> u32 {
    v.int() as u32
}

fn long(v: Value) -> u64 {
    v.int() as u64
}

fn low24(v: Value) -> i128 {
    v.int() << 104 >> 104
}

fn formula(name: &str) -> Option<fn(&[Value]) -> Value> {
    Some(match name {
        "sqrt" | "sqrtf" | "__fsqrt_rn" | "__dsqrt_rn" => {
            |a| float(a, |x, _| x.sqrt(), |x, _| x.sqrt())
        }
        "fabs" | "fabsf" => |a| float(a, |x, _| x.abs(), |x, _| x.abs()),
        "floor" | "floorf" => |a| float(a, |x, _| x.floor(), |x, _| x.floor()),
        "ceil" | "ceilf" => |a| float(a, |x, _| x.ceil(), |x, _| x.ceil()),
        "trunc" | "truncf" => |a| float(a, |x, _| x.trunc(), |x, _| x.trunc()),
        "round" | "roundf" => |a| float(a, |x, _| x.round(), |x, _| x.round()),
        "rint" | "rintf" | "nearbyint" | "nearbyintf" => {
            |a| float(a, |x, _| x.round_ties_even(), |x, _| x.round_ties_even())
        }
        "fmod" | "fmodf" => |a| float(a, |x, y| x % y, |x, y| x % y),
        "copysign" | "copysignf" => |a| float(a, f32::copysign, f64::copysign),
        "fdim" | "fdimf" => |a| {
            float(
                a,
                |x, y| if x <= y { 0.0 } else { x - y },
                |x, y| if x <= y { 0.0 } else { x - y },
            )
        },
        "fma" | "fmaf" | "__fmaf_rn" | "__fma_rn" => fused,
        "__fadd_rn" | "__dadd_rn" => |a| float(a, |x, y| x + y, |x, y| x + y),
        "__fsub_rn" | "__dsub_rn" => |a| float(a, |x, y| x - y, |x, y| x - y),
        "__fmul_rn" | "__dmul_rn" => |a| float(a, |x, y| x * y, |x, y| x * y),
        "__fdiv_rn" | "__ddiv_rn" | "__fdividef" | "fdividef" => {
            |a| float(a, |x, y| x / y, |x, y| x / y)
        }
        "__frcp_rn" | "__drcp_rn" => |a| float(a, |x, _| 1.0 / x, |x, _| 1.0 / x),
        "__saturatef" => |a| float(a, |x, _| if x > 0.0 { x.min(1.0) } else { 0.0 }, |x, _| x),
        "isnan" => |a| Int(i128::from(a[0].real().is_nan())),
        "isinf" => |a| Int(i128::from(a[0].real().is_infinite())),
        "isfinite" | "finite" => |a| Int(i128::from(a[0].real().is_finite())),
        "lrint" | "lrintf" | "llrint" | "llrintf" => |a| whole(a, f64::round_ties_even),
        "lround" | "lroundf" | "llround" | "llroundf" => |a| whole(a, f64::round),
        "labs" | "llabs" => |a| Int(a[0].int().abs()),
        "umin" | "llmin" | "ullmin" => |a| Int(a[0].int().min(a[1].int())),
        "umax" | "llmax" | "ullmax" => |a| Int(a[0].int().max(a[1].int())),
        "__mulhi" | "__umulhi" => |a| Int((a[0].int() * a[1].int()) >> 32),
        "__mul64hi" => |a| Int((a[0].int() * a[1].int()) >> 64),
        "__umul64hi" => |a| Int(((a[0].int() as u128 * a[1].int() as u128) >> 64) as i128),
        "__rhadd" | "__urhadd" => |a| Int((a[0].int() + a[1].int() + 1) >> 1),
        "__mul24" => |a| Int(low24(a[0]) * low24(a[1])),
        "__umul24" => |a| Int((a[0].int() & 0xff_ffff) * (a[1].int() & 0xff_ffff)),
        "__popc" => |a| count(word(a[0]).count_ones()),
        "__popcll" => |a| count(long(a[0]).count_ones()),
        "__clz" => |a| count(word(a[0]).leading_zeros()),
        "__clzll" => |a| count(long(a[0]).leading_zeros()),
        "__ffs" => |a| count(if word(a[0]) == 0 { 0 } else { word(a[0]).trailing_zeros() + 1 }),
        "__ffsll" => |a| count(if long(a[0]) == 0 { 0 } else { long(a[0]).trailing_zeros() + 1 }),
        "__brev" => |a| count(word(a[0]).reverse_bits()),
        "__brevll" => |a| Int(i128::from(long(a[0]).reverse_bits())),
        "__byte_perm" => |a| {
            let pool = u64::from(word(a[1])) << 32 | u64::from(word(a[0]));
            let byte = |k: u32| {
                let choice = word(a[2]) >> (4 * k);
                let byte = (pool >> (8 * (choice & 7))) as u8;
                // The highest bit of a choice spreads the sign.
                let byte = if choice & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 };
                u32::from(byte) << (8 * k)
            };
            count((0..4).map(byte).sum())
        },
        "__funnelshift_l" => |a| {
            let pair = u64::from(word(a[1])) << 32 | u64::from(word(a[0]));
            count(((pair << (word(a[2]) & 31)) >> 32) as u32)
        },
        "__funnelshift_r" => |a| {
            let pair = u64::from(word(a[1])) << 32 | u64::from(word(a[0]));
            count((pair >> (word(a[2]) & 31)) as u32)
        },
        "__sad" | "__usad" => |a| Int((a[0].int() - a[1].int()).abs() + a[2].int()),
        "__int_as_float" | "__uint_as_float" => |a| F32(f32::from_bits(word(a[0]))),
        "__longlong_as_double" => |a| F64(f64::from_bits(long(a[0]))),
        "__int2float_rn" | "__uint2float_rn" | "__ll2float_rn" | "__ull2float_rn" => {
            |a| a[0].to(Ty::F32)
        }
        "__int2double_rn" | "__uint2double_rn" | "__ll2double_rn" | "__ull2double_rn" => {
            |a| a[0].to(Ty::F64)
        }
        "__double2float_rn" => |a| a[0].to(Ty::F32),
        _ => {
            let (base, mode) = name.rsplit_once('_')?;
            let known = [
                "__float2int",
                "__float2uint",
                "__float2ll",
                "__float2ull",
                "__double2int",
                "__double2uint",
                "__double2ll",
                "__double2ull",
            ];
            known.contains(&base).then_some(())?;
            match mode {
                "rn" => |a| whole(a, f64::round_ties_even),
                "rz" => |a| whole(a, f64::trunc),
                "rd" => |a| whole(a, f64::floor),
                "ru" => |a| whole(a, f64::ceil),
                _ => return None,
            }
        }
    })
}

#[test]
fn every_function_of_numbers_has_a_formula_or_a_reason() {
    let listed = |list: &[&str], name: &str| {
        list.contains(&name) || name.strip_suffix('f').is_some_and(|base| list.contains(&base))
    };
    let mut missing = Vec::new();
    for f in scalars() {
        let half = f.params.contains(&Plain::Half) || f.result == Plain::Half;
        let (formula, reason) = (
            formula(&f.name).is_some(),
            half || listed(NOT_EXACT, &f.name) || listed(NO_RULE, &f.name),
        );
        if formula == reason {
            missing.push(f.name);
        }
    }
    assert!(missing.is_empty(), "give these a formula, or a place in a list: {missing:?}");
    assert!(DEVICE.len() > 100, "{}", DEVICE.len());
}

#[test]
fn formulas_are_right_where_the_answer_is_known() {
    let value = |name: &str, args: &[Value]| {
        let f = DEVICE.iter().find(|f| f.name == name).expect(name);
        f.value(args)
    };
    assert_eq!(
        value("__byte_perm", &[Int(0x3322_1100), Int(0x7766_5544), Int(0x6420)]),
        Int(0x6644_2200)
    );
    assert_eq!(value("__mulhi", &[Int(-1), Int(2)]), Int(-1));
    assert_eq!(
        value("__umul24", &[Int(0x1ff_ffff), Int(0xff_ffff)]),
        Int(wrap(Ty::U32, 0xff_ffff * 0xff_ffff))
    );
    assert_eq!(value("__float2uint_rz", &[F32(-3.5)]), Int(0));
    assert_eq!(value("llroundf", &[F32(-2.5)]), Int(-3));
    assert_eq!(value("fmaf", &[F32(2.0), F32(3.0), F32(1.0)]), F32(7.0));
}
