//! What the device offers: built-in types and the table of functions under all their CUDA names.

use crate::hir::{AtomicOp, BinOp, Builtin, Class, Math1, Math2, Reduce, Round, Shuffle};

/// Vector types by element: name without the length, and its letter in signatures.
pub(crate) const VECTOR_ELEMENTS: &[(&str, char)] = &[
    ("char", 'c'),
    ("uchar", 'C'),
    ("short", 's'),
    ("ushort", 'S'),
    ("int", 'i'),
    ("uint", 'u'),
    ("long", 'l'),
    ("ulong", 'L'),
    ("longlong", 'x'),
    ("ulonglong", 'X'),
    ("float", 'f'),
    ("double", 'd'),
];

/// Integer and other plain types that CUDA's headers name, with their letter.
pub(crate) const TYPEDEFS: &[(&str, char)] = &[
    ("int8_t", 'a'),
    ("uint8_t", 'C'),
    ("int16_t", 's'),
    ("uint16_t", 'S'),
    ("int32_t", 'i'),
    ("uint32_t", 'u'),
    ("int64_t", 'l'),
    ("uint64_t", 'L'),
    ("size_t", 'L'),
    ("ssize_t", 'l'),
    ("ptrdiff_t", 'l'),
    ("intptr_t", 'l'),
    ("uintptr_t", 'L'),
    ("uint", 'u'),
    ("ushort", 'S'),
    ("ulong", 'L'),
    ("clock_t", 'l'),
    ("half", 'h'),
    ("__half", 'h'),
];

/// All built-in type names, for the parser.
pub(crate) fn type_names() -> Vec<String> {
    let mut out: Vec<String> = TYPEDEFS.iter().map(|t| t.0.to_string()).collect();
    for (base, _) in VECTOR_ELEMENTS {
        out.extend((1..=4).map(|n| format!("{base}{n}")));
    }
    out.extend(["dim3", "half2", "__half2"].map(String::from));
    out
}

/// Elements of the vector types of OpenCL C, with their letters in signatures, as in [`TYPEDEFS`].
pub(crate) const OPENCL_ELEMENTS: [(&str, char); 10] = [
    ("char", 'c'),
    ("uchar", 'C'),
    ("short", 's'),
    ("ushort", 'S'),
    ("int", 'i'),
    ("uint", 'u'),
    ("long", 'l'),
    ("ulong", 'L'),
    ("float", 'f'),
    ("double", 'd'),
];

/// Plain types of OpenCL C that are names and no words of C.
pub(crate) const OPENCL_NAMES: [(&str, char); 11] = [
    ("uchar", 'C'),
    ("ushort", 'S'),
    ("uint", 'u'),
    ("ulong", 'L'),
    ("size_t", 'L'),
    ("ptrdiff_t", 'l'),
    ("intptr_t", 'l'),
    ("uintptr_t", 'L'),
    ("half", 'h'),
    ("event_t", 'L'),
    ("cl_mem_fence_flags", 'u'),
];

/// Lengths of the vectors of OpenCL C.
pub(crate) const OPENCL_LENGTHS: [u64; 5] = [2, 3, 4, 8, 16];

/// Names of all types of OpenCL C that are no words of C.
pub(crate) fn opencl_type_names() -> Vec<String> {
    let vectors = OPENCL_ELEMENTS
        .iter()
        .flat_map(|(base, _)| OPENCL_LENGTHS.iter().map(move |n| format!("{base}{n}")));
    OPENCL_NAMES.iter().map(|(name, _)| (*name).to_string()).chain(vectors).collect()
}

/// Alignment of a vector type in bytes, from the size of its element.
pub(crate) fn vector_align(elem: u64, n: u64) -> u64 {
    match n {
        2 => 2 * elem,
        4 => (4 * elem).min(16),
        _ => elem,
    }
}

/// How a call is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    /// The device's own operation.
    B(Builtin),
    /// Conversion of the argument to the result.
    Cast,
    /// Ordinary arithmetic.
    Bin(BinOp),
    /// Ordinary comparison.
    Cmp(crate::hir::CmpOp),
    /// `-x`
    Neg,
}

/// A function of the device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fun {
    /// Result and arguments as letters: `v` void, `b` bool, `i` int, `u` unsigned, `x` long long,
    /// `X` unsigned long long, `f` float, `d` double, `h` half, `*` before a letter: pointer to it.
    Fixed(Op, &'static str),
    /// One floating argument of any width; integers become double.
    Math1(Math1),
    /// Two; the wider one wins.
    Math2(Math2),
    /// `fma`
    Fma,
    /// `isnan`, ...
    Classify(Class),
    /// `ldexp(x, int)`
    Ldexp,
    /// `frexp(x, int *)`
    Frexp,
    /// `modf(x, T *)`
    Modf,
    /// `sincos(x, T *, T *)`
    SinCos(bool),
    /// `powi`-like rounding to an integer: `lround`, `llrint`.
    ToLong(Round, bool),
    /// `min` or `max` on anything arithmetic.
    MinMax(bool),
    /// `abs`
    Abs,
    /// Atomic with pointer and operand.
    Atomic(AtomicOp),
    /// `atomicCAS`
    AtomicCas,
    /// `__shfl_*_sync`
    Shfl(Shuffle),
    /// `__match_any_sync`
    MatchAny,
    /// `__reduce_*_sync`
    WarpReduce(AtomicOp),
    /// `__ldg`, `__ldcs`, ...
    Load,
    /// `__stcs`, ...
    Store,
    /// `printf`
    Printf,
    /// `assert`
    Assert,
    /// Exists no longer; the text says what to use.
    Gone(&'static str),
}

/// Bases of the names `xf` (float) and `x` (any width).
pub(crate) const MATH1: &[(&str, Math1)] = &[
    ("sqrt", Math1::Sqrt),
    ("rsqrt", Math1::Rsqrt),
    ("cbrt", Math1::Cbrt),
    ("exp", Math1::Exp),
    ("exp2", Math1::Exp2),
    ("exp10", Math1::Exp10),
    ("expm1", Math1::Expm1),
    ("log", Math1::Log),
    ("log2", Math1::Log2),
    ("log10", Math1::Log10),
    ("log1p", Math1::Log1p),
    ("sin", Math1::Sin),
    ("cos", Math1::Cos),
    ("tan", Math1::Tan),
    ("sinpi", Math1::SinPi),
    ("cospi", Math1::CosPi),
    ("asin", Math1::Asin),
    ("acos", Math1::Acos),
    ("atan", Math1::Atan),
    ("sinh", Math1::Sinh),
    ("cosh", Math1::Cosh),
    ("tanh", Math1::Tanh),
    ("asinh", Math1::Asinh),
    ("acosh", Math1::Acosh),
    ("atanh", Math1::Atanh),
    ("erf", Math1::Erf),
    ("erfc", Math1::Erfc),
    ("tgamma", Math1::Tgamma),
    ("lgamma", Math1::Lgamma),
    ("fabs", Math1::Fabs),
    ("floor", Math1::Floor),
    ("ceil", Math1::Ceil),
    ("trunc", Math1::Trunc),
    ("round", Math1::Round),
    ("rint", Math1::Rint),
    ("nearbyint", Math1::Rint),
];

pub(crate) const MATH2: &[(&str, Math2)] = &[
    ("pow", Math2::Pow),
    ("atan2", Math2::Atan2),
    ("fmod", Math2::Fmod),
    ("remainder", Math2::Remainder),
    ("hypot", Math2::Hypot),
    ("fmin", Math2::Fmin),
    ("fmax", Math2::Fmax),
    ("fdim", Math2::Fdim),
    ("copysign", Math2::Copysign),
    ("nextafter", Math2::Nextafter),
];

const FIXED: &[(&str, Op, &str)] = &[
    ("__syncthreads", Op::B(Builtin::SyncThreads), "v:"),
    ("__sync_grid", Op::B(Builtin::SyncGrid), "v:"),
    ("__syncthreads_count", Op::B(Builtin::SyncThreadsReduce(Reduce::Count)), "i:i"),
    ("__syncthreads_and", Op::B(Builtin::SyncThreadsReduce(Reduce::And)), "i:i"),
    ("__syncthreads_or", Op::B(Builtin::SyncThreadsReduce(Reduce::Or)), "i:i"),
    ("__threadfence", Op::B(Builtin::Fence), "v:"),
    ("__threadfence_block", Op::B(Builtin::Fence), "v:"),
    ("__threadfence_system", Op::B(Builtin::Fence), "v:"),
    ("clock", Op::B(Builtin::Clock), "l:"),
    ("clock64", Op::B(Builtin::Clock), "x:"),
    ("__nanosleep", Op::B(Builtin::Nop), "v:u"),
    ("__trap", Op::B(Builtin::Trap), "v:"),
    ("__brkpt", Op::B(Builtin::Nop), "v:"),
    ("__fmaf_rn", Op::B(Builtin::Fma), "f:fff"),
    ("__fma_rn", Op::B(Builtin::Fma), "d:ddd"),
    ("fmaf", Op::B(Builtin::Fma), "f:fff"),
    ("__fadd_rn", Op::B(Builtin::Rn(BinOp::Add)), "f:ff"),
    ("__fsub_rn", Op::B(Builtin::Rn(BinOp::Sub)), "f:ff"),
    ("__fmul_rn", Op::B(Builtin::Rn(BinOp::Mul)), "f:ff"),
    ("__fdiv_rn", Op::B(Builtin::Rn(BinOp::Div)), "f:ff"),
    ("__dadd_rn", Op::B(Builtin::Rn(BinOp::Add)), "d:dd"),
    ("__dsub_rn", Op::B(Builtin::Rn(BinOp::Sub)), "d:dd"),
    ("__dmul_rn", Op::B(Builtin::Rn(BinOp::Mul)), "d:dd"),
    ("__ddiv_rn", Op::B(Builtin::Rn(BinOp::Div)), "d:dd"),
    ("__fdividef", Op::Bin(BinOp::Div), "f:ff"),
    ("fdividef", Op::Bin(BinOp::Div), "f:ff"),
    ("__fsqrt_rn", Op::B(Builtin::Math1(Math1::Sqrt)), "f:f"),
    ("__dsqrt_rn", Op::B(Builtin::Math1(Math1::Sqrt)), "d:d"),
    ("__frsqrt_rn", Op::B(Builtin::Math1(Math1::Rsqrt)), "f:f"),
    ("__frcp_rn", Op::B(Builtin::Math1(Math1::Rcp)), "f:f"),
    ("__drcp_rn", Op::B(Builtin::Math1(Math1::Rcp)), "d:d"),
    ("__saturatef", Op::B(Builtin::Math1(Math1::Saturate)), "f:f"),
    ("__expf", Op::B(Builtin::Math1(Math1::Exp)), "f:f"),
    ("__exp10f", Op::B(Builtin::Math1(Math1::Exp10)), "f:f"),
    ("__logf", Op::B(Builtin::Math1(Math1::Log)), "f:f"),
    ("__log2f", Op::B(Builtin::Math1(Math1::Log2)), "f:f"),
    ("__log10f", Op::B(Builtin::Math1(Math1::Log10)), "f:f"),
    ("__sinf", Op::B(Builtin::Math1(Math1::Sin)), "f:f"),
    ("__cosf", Op::B(Builtin::Math1(Math1::Cos)), "f:f"),
    ("__tanf", Op::B(Builtin::Math1(Math1::Tan)), "f:f"),
    ("__powf", Op::B(Builtin::Math2(Math2::Pow)), "f:ff"),
    ("__sincosf", Op::B(Builtin::SinCos { pi: false }), "v:f*f*f"),
    ("sincosf", Op::B(Builtin::SinCos { pi: false }), "v:f*f*f"),
    ("sincospif", Op::B(Builtin::SinCos { pi: true }), "v:f*f*f"),
    ("frexpf", Op::B(Builtin::Frexp), "f:f*i"),
    ("modff", Op::B(Builtin::Modf), "f:f*f"),
    ("ldexpf", Op::B(Builtin::Ldexp), "f:fi"),
    ("scalbnf", Op::B(Builtin::Ldexp), "f:fi"),
    ("labs", Op::B(Builtin::AbsI), "l:l"),
    ("llabs", Op::B(Builtin::AbsI), "x:x"),
    ("umin", Op::B(Builtin::MinI), "u:uu"),
    ("umax", Op::B(Builtin::MaxI), "u:uu"),
    ("llmin", Op::B(Builtin::MinI), "x:xx"),
    ("llmax", Op::B(Builtin::MaxI), "x:xx"),
    ("ullmin", Op::B(Builtin::MinI), "X:XX"),
    ("ullmax", Op::B(Builtin::MaxI), "X:XX"),
    ("__mulhi", Op::B(Builtin::MulHi), "i:ii"),
    ("__umulhi", Op::B(Builtin::MulHi), "u:uu"),
    ("__mul64hi", Op::B(Builtin::MulHi), "x:xx"),
    ("__umul64hi", Op::B(Builtin::MulHi), "X:XX"),
    ("__mul24", Op::B(Builtin::Mul24), "i:ii"),
    ("__umul24", Op::B(Builtin::Mul24), "u:uu"),
    ("__popc", Op::B(Builtin::Popc), "i:u"),
    ("__popcll", Op::B(Builtin::Popc), "i:X"),
    ("__clz", Op::B(Builtin::Clz), "i:i"),
    ("__clzll", Op::B(Builtin::Clz), "i:x"),
    ("__ffs", Op::B(Builtin::Ffs), "i:i"),
    ("__ffsll", Op::B(Builtin::Ffs), "i:x"),
    ("__brev", Op::B(Builtin::Brev), "u:u"),
    ("__brevll", Op::B(Builtin::Brev), "X:X"),
    ("__byte_perm", Op::B(Builtin::BytePerm), "u:uuu"),
    ("__funnelshift_l", Op::B(Builtin::FunnelShift { left: true }), "u:uuu"),
    ("__funnelshift_r", Op::B(Builtin::FunnelShift { left: false }), "u:uuu"),
    ("__sad", Op::B(Builtin::Sad), "u:iiu"),
    ("__usad", Op::B(Builtin::Sad), "u:uuu"),
    ("__float_as_int", Op::B(Builtin::Bitcast), "i:f"),
    ("__float_as_uint", Op::B(Builtin::Bitcast), "u:f"),
    ("__int_as_float", Op::B(Builtin::Bitcast), "f:i"),
    ("__uint_as_float", Op::B(Builtin::Bitcast), "f:u"),
    ("__double_as_longlong", Op::B(Builtin::Bitcast), "x:d"),
    ("__longlong_as_double", Op::B(Builtin::Bitcast), "d:x"),
    ("__half_as_short", Op::B(Builtin::Bitcast), "s:h"),
    ("__half_as_ushort", Op::B(Builtin::Bitcast), "S:h"),
    ("__short_as_half", Op::B(Builtin::Bitcast), "h:s"),
    ("__ushort_as_half", Op::B(Builtin::Bitcast), "h:S"),
    ("__int2float_rn", Op::Cast, "f:i"),
    ("__uint2float_rn", Op::Cast, "f:u"),
    ("__ll2float_rn", Op::Cast, "f:x"),
    ("__ull2float_rn", Op::Cast, "f:X"),
    ("__int2double_rn", Op::Cast, "d:i"),
    ("__uint2double_rn", Op::Cast, "d:u"),
    ("__ll2double_rn", Op::Cast, "d:x"),
    ("__ull2double_rn", Op::Cast, "d:X"),
    ("__double2float_rn", Op::Cast, "f:d"),
    ("__float2half", Op::Cast, "h:f"),
    ("__float2half_rn", Op::Cast, "h:f"),
    ("__double2half", Op::Cast, "h:d"),
    ("__half2float", Op::Cast, "f:h"),
    ("__int2half_rn", Op::Cast, "h:i"),
    ("__half2int_rz", Op::Cast, "i:h"),
    ("__hadd", Op::Bin(BinOp::Add), "h:hh"),
    ("__hsub", Op::Bin(BinOp::Sub), "h:hh"),
    ("__hmul", Op::Bin(BinOp::Mul), "h:hh"),
    ("__hdiv", Op::Bin(BinOp::Div), "h:hh"),
    ("__hneg", Op::Neg, "h:h"),
    ("__hfma", Op::B(Builtin::Fma), "h:hhh"),
    ("__habs", Op::B(Builtin::Math1(Math1::Fabs)), "h:h"),
    ("__hmax", Op::B(Builtin::Math2(Math2::Fmax)), "h:hh"),
    ("__hmin", Op::B(Builtin::Math2(Math2::Fmin)), "h:hh"),
    ("hsqrt", Op::B(Builtin::Math1(Math1::Sqrt)), "h:h"),
    ("hexp", Op::B(Builtin::Math1(Math1::Exp)), "h:h"),
    ("hlog", Op::B(Builtin::Math1(Math1::Log)), "h:h"),
    ("__hgt", Op::Cmp(crate::hir::CmpOp::Gt), "b:hh"),
    ("__hge", Op::Cmp(crate::hir::CmpOp::Ge), "b:hh"),
    ("__hlt", Op::Cmp(crate::hir::CmpOp::Lt), "b:hh"),
    ("__hle", Op::Cmp(crate::hir::CmpOp::Le), "b:hh"),
    ("__heq", Op::Cmp(crate::hir::CmpOp::Eq), "b:hh"),
    ("__hne", Op::Cmp(crate::hir::CmpOp::Ne), "b:hh"),
    ("__ballot_sync", Op::B(Builtin::Ballot), "u:ui"),
    ("__all_sync", Op::B(Builtin::VoteAll), "i:ui"),
    ("__any_sync", Op::B(Builtin::VoteAny), "i:ui"),
    ("__activemask", Op::B(Builtin::ActiveMask), "u:"),
    ("__laneid", Op::B(Builtin::LaneId), "u:"),
    // Of inline PTX: programs like to call a function of their own `__laneid`.
    ("%laneid", Op::B(Builtin::LaneId), "u:"),
];

/// Sources and results of the conversions `__SRC2DST_rX`.
const ROUNDED: &[(&str, &str)] = &[
    ("float2int", "i:f"),
    ("float2uint", "u:f"),
    ("float2ll", "x:f"),
    ("float2ull", "X:f"),
    ("double2int", "i:d"),
    ("double2uint", "u:d"),
    ("double2ll", "x:d"),
    ("double2ull", "X:d"),
    ("half2int", "i:h"),
    ("half2uint", "u:h"),
];

const OLD_WARP: &str = "compute_70 and later do not have it: write the form with `_sync` and the \
                        mask of the lanes that take part, such as \
                        `__shfl_down_sync(0xffffffff, v, 1)`; to run old code as it is, compile \
                        for an older GPU: -D__CUDA_ARCH__=600";

/// Finds a function of the device by its name.
pub(crate) fn lookup(name: &str) -> Option<Fun> {
    if let Some((_, op, sig)) = FIXED.iter().find(|f| f.0 == name) {
        return Some(Fun::Fixed(*op, sig));
    }
    if let Some((_, m)) = MATH1.iter().find(|m| m.0 == name) {
        return Some(Fun::Math1(*m));
    }
    if let Some((_, m)) = MATH2.iter().find(|m| m.0 == name) {
        return Some(Fun::Math2(*m));
    }
    if let Some(base) = name.strip_suffix('f') {
        if let Some((_, m)) = MATH1.iter().find(|m| m.0 == base) {
            return Some(Fun::Fixed(Op::B(Builtin::Math1(*m)), "f:f"));
        }
        if let Some((_, m)) = MATH2.iter().find(|m| m.0 == base) {
            return Some(Fun::Fixed(Op::B(Builtin::Math2(*m)), "f:ff"));
        }
    }
    if let Some((base, mode)) = name.strip_prefix("__").and_then(|n| n.rsplit_once('_')) {
        let round = match mode {
            "rn" => Some(Round::NearestEven),
            "rz" => Some(Round::Zero),
            "rd" => Some(Round::Down),
            "ru" => Some(Round::Up),
            _ => None,
        };
        if let (Some(round), Some((_, sig))) = (round, ROUNDED.iter().find(|r| r.0 == base)) {
            return Some(Fun::Fixed(Op::B(Builtin::ToIntRound(round)), sig));
        }
    }
    if let Some(rest) = name.strip_prefix("atomic") {
        let base =
            rest.strip_suffix("_block").or_else(|| rest.strip_suffix("_system")).unwrap_or(rest);
        let op = match base {
            "Add" => AtomicOp::Add,
            "Sub" => AtomicOp::Sub,
            "Exch" => AtomicOp::Exch,
            "Min" => AtomicOp::Min,
            "Max" => AtomicOp::Max,
            "Inc" => AtomicOp::Inc,
            "Dec" => AtomicOp::Dec,
            "And" => AtomicOp::And,
            "Or" => AtomicOp::Or,
            "Xor" => AtomicOp::Xor,
            "CAS" => return Some(Fun::AtomicCas),
            _ => return None,
        };
        return Some(Fun::Atomic(op));
    }
    Some(match name {
        "fma" => Fun::Fma,
        "isnan" => Fun::Classify(Class::Nan),
        "isinf" => Fun::Classify(Class::Inf),
        "isfinite" | "finite" => Fun::Classify(Class::Finite),
        "signbit" => Fun::Classify(Class::SignBit),
        "__hisnan" => Fun::Classify(Class::Nan),
        "ldexp" | "scalbn" => Fun::Ldexp,
        "frexp" => Fun::Frexp,
        "modf" => Fun::Modf,
        "sincos" => Fun::SinCos(false),
        "sincospi" => Fun::SinCos(true),
        "lrint" | "lrintf" => Fun::ToLong(Round::NearestEven, false),
        "llrint" | "llrintf" => Fun::ToLong(Round::NearestEven, true),
        "lround" | "lroundf" => Fun::ToLong(Round::Zero, false),
        "llround" | "llroundf" => Fun::ToLong(Round::Zero, true),
        "min" => Fun::MinMax(true),
        "max" => Fun::MinMax(false),
        "abs" => Fun::Abs,
        "__shfl_sync" => Fun::Shfl(Shuffle::Idx),
        "__shfl_up_sync" => Fun::Shfl(Shuffle::Up),
        "__shfl_down_sync" => Fun::Shfl(Shuffle::Down),
        "__shfl_xor_sync" => Fun::Shfl(Shuffle::Xor),
        "__match_any_sync" => Fun::MatchAny,
        "__reduce_add_sync" => Fun::WarpReduce(AtomicOp::Add),
        "__reduce_min_sync" => Fun::WarpReduce(AtomicOp::Min),
        "__reduce_max_sync" => Fun::WarpReduce(AtomicOp::Max),
        "__reduce_and_sync" => Fun::WarpReduce(AtomicOp::And),
        "__reduce_or_sync" => Fun::WarpReduce(AtomicOp::Or),
        "__reduce_xor_sync" => Fun::WarpReduce(AtomicOp::Xor),
        "__ldg" | "__ldcg" | "__ldca" | "__ldcs" | "__ldlu" | "__ldcv" => Fun::Load,
        "__stwb" | "__stcg" | "__stcs" | "__stwt" => Fun::Store,
        "printf" => Fun::Printf,
        "assert" => Fun::Assert,
        "__syncwarp" => Fun::Fixed(Op::B(Builtin::SyncWarp), "v:u"),
        "__shfl" | "__shfl_up" | "__shfl_down" | "__shfl_xor" | "__ballot" | "__all" | "__any" => {
            Fun::Gone(OLD_WARP)
        }
        "cudaDeviceSynchronize" => Fun::Gone(
            "a kernel cannot wait for other kernels: end the kernel, or use `__syncthreads()` within a block",
        ),
        "rand" | "srand" | "drand48" => {
            Fun::Gone("the C library's generator exists only on the host: use curand_kernel.h")
        }
        _ => return None,
    })
}

/// What to do about `id`, if it is a name of the interface to textures or surfaces that is missing.
pub(crate) fn about_textures(id: &str) -> Option<&'static str> {
    const STARTS: [&str; 6] = ["cudaTexture", "cudaSurface", "tex1D", "tex2D", "tex3D", "surf"];
    let cube = id.starts_with("texCube") || id.ends_with("gather") || id.ends_with("Grad");
    (cube || STARTS.iter().any(|start| id.starts_with(start))).then_some(
        "of textures and surfaces there are `tex1Dfetch`, `tex1D`, `tex2D`, `tex3D`, \
         `tex2DLayered`, `surf1Dread` to `surf3Dwrite`: see docs/kernel-language.md",
    )
}

/// Names of functions, for suggestions.
pub(crate) fn function_names() -> Vec<String> {
    let mut out: Vec<String> = FIXED.iter().map(|f| f.0.to_string()).collect();
    for (n, _) in MATH1 {
        out.extend([(*n).to_string(), format!("{n}f")]);
    }
    for (n, _) in MATH2 {
        out.extend([(*n).to_string(), format!("{n}f")]);
    }
    out.extend(
        [
            "min",
            "max",
            "abs",
            "fma",
            "printf",
            "assert",
            "__shfl_sync",
            "__shfl_up_sync",
            "__shfl_down_sync",
            "__shfl_xor_sync",
            "atomicAdd",
            "atomicSub",
            "atomicExch",
            "atomicMin",
            "atomicMax",
            "atomicCAS",
            "atomicInc",
            "atomicAnd",
            "atomicOr",
            "atomicXor",
            "__syncwarp",
            "__ldg",
            "isnan",
            "isinf",
            "sincos",
        ]
        .map(String::from),
    );
    out
}

/// Built-in variables and their members.
pub(crate) const BUILTIN_VARS: &[&str] =
    &["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];
