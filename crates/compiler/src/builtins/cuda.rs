//! Functions of CUDA C.

use super::function::Operation::{Binary, Cast, Compare, Device, HalfAway, Negate, Rounded};
use super::function::{
    BOOL, CudaRule, DOUBLE, F, FLOAT, Form, Function, HALF, INT, LLONG, LONG, Operation, SHORT,
    Slot, TO_FLOAT, TRUTH, UINT, ULLONG, USHORT, VOID, cuda, gone, of,
};
use crate::hir::{AtomicOp, BinOp, Builtin, Class, CmpOp, Math1, Math2, Reduce, Round, Shuffle};
use crate::op::Alu;

/// One operation on each lane.
const fn lane(op: Alu) -> Operation {
    Device(Builtin::Lane(op))
}

/// A function of one argument in the type `of`.
const fn math1(name: &'static str, ty: Slot, f: Math1) -> Function {
    let params: &[Slot] = match ty {
        FLOAT => &[FLOAT],
        DOUBLE => &[DOUBLE],
        _ => &[HALF],
    };
    of(name, ty, params, Device(Builtin::Math1(f)))
}

/// The block and its memory.
pub(super) const BLOCK: &[Function] = &[
    of("__syncthreads", VOID, &[], Device(Builtin::SyncThreads)).joint(),
    of("__syncthreads_count", INT, &[INT], Device(Builtin::SyncThreadsReduce(Reduce::Count)))
        .joint(),
    of("__syncthreads_and", INT, &[INT], Device(Builtin::SyncThreadsReduce(Reduce::And))).joint(),
    of("__syncthreads_or", INT, &[INT], Device(Builtin::SyncThreadsReduce(Reduce::Or))).joint(),
    of("__sync_grid", VOID, &[], Device(Builtin::SyncGrid)).joint(),
    of("__syncwarp", VOID, &[UINT], Device(Builtin::SyncWarp)).joint().or(0xffff_ffff),
    of("__threadfence", VOID, &[], Device(Builtin::Fence)),
    of("__threadfence_block", VOID, &[], Device(Builtin::Fence)),
    of("__threadfence_system", VOID, &[], Device(Builtin::Fence)),
];

/// The warp.
pub(super) const WARP: &[Function] = &[
    cuda("__shfl_sync", CudaRule::Shuffle(Shuffle::Idx)).joint(),
    cuda("__shfl_up_sync", CudaRule::Shuffle(Shuffle::Up)).joint(),
    cuda("__shfl_down_sync", CudaRule::Shuffle(Shuffle::Down)).joint(),
    cuda("__shfl_xor_sync", CudaRule::Shuffle(Shuffle::Xor)).joint(),
    of("__ballot_sync", UINT, &[UINT, INT], Device(Builtin::Ballot)).joint(),
    of("__all_sync", INT, &[UINT, INT], Device(Builtin::VoteAll)).joint(),
    of("__any_sync", INT, &[UINT, INT], Device(Builtin::VoteAny)).joint(),
    of("__activemask", UINT, &[], Device(Builtin::ActiveMask)),
    of("__laneid", UINT, &[], Device(Builtin::LaneId)),
    cuda("__match_any_sync", CudaRule::MatchAny).joint(),
    cuda("__reduce_add_sync", CudaRule::WarpReduce(AtomicOp::Add)).joint(),
    cuda("__reduce_min_sync", CudaRule::WarpReduce(AtomicOp::Min)).joint(),
    cuda("__reduce_max_sync", CudaRule::WarpReduce(AtomicOp::Max)).joint(),
    cuda("__reduce_and_sync", CudaRule::WarpReduce(AtomicOp::And)).joint(),
    cuda("__reduce_or_sync", CudaRule::WarpReduce(AtomicOp::Or)).joint(),
    cuda("__reduce_xor_sync", CudaRule::WarpReduce(AtomicOp::Xor)).joint(),
];

const fn atomic(name: &'static str, rule: CudaRule) -> Function {
    cuda(name, rule).with(&[Form::Scoped]).writes()
}

/// Atomics.
pub(super) const ATOMICS: &[Function] = &[
    atomic("atomicAdd", CudaRule::Atomic(AtomicOp::Add)),
    atomic("atomicSub", CudaRule::Atomic(AtomicOp::Sub)),
    atomic("atomicExch", CudaRule::Atomic(AtomicOp::Exch)),
    atomic("atomicMin", CudaRule::Atomic(AtomicOp::Min)),
    atomic("atomicMax", CudaRule::Atomic(AtomicOp::Max)),
    atomic("atomicInc", CudaRule::Atomic(AtomicOp::Inc)),
    atomic("atomicDec", CudaRule::Atomic(AtomicOp::Dec)),
    atomic("atomicAnd", CudaRule::Atomic(AtomicOp::And)),
    atomic("atomicOr", CudaRule::Atomic(AtomicOp::Or)),
    atomic("atomicXor", CudaRule::Atomic(AtomicOp::Xor)),
    atomic("atomicCAS", CudaRule::AtomicCas),
];

/// Loads and stores with a hint for the caches, which has no effect here.
pub(super) const CACHE: &[Function] = &[
    cuda("__ldg", CudaRule::Load),
    cuda("__ldcg", CudaRule::Load),
    cuda("__ldca", CudaRule::Load),
    cuda("__ldcs", CudaRule::Load),
    cuda("__ldlu", CudaRule::Load),
    cuda("__ldcv", CudaRule::Load),
    cuda("__stwb", CudaRule::Store).writes(),
    cuda("__stcg", CudaRule::Store).writes(),
    cuda("__stcs", CudaRule::Store).writes(),
    cuda("__stwt", CudaRule::Store).writes(),
];

/// Mathematics that OpenCL C does not have: fast forms, and forms whose name says how they round.
pub(super) const MATHEMATICS: &[Function] = &[
    of("nearbyint", F, &[F], Device(Builtin::Math1(Math1::Rint))).with(&[Form::Single]),
    of("scalbn", F, &[F, INT], Device(Builtin::Ldexp)).with(&[Form::Single]),
    of("finite", TRUTH, &[F], Device(Builtin::Classify(Class::Finite))),
    cuda("sincos", CudaRule::SinCos { pi: false }).writes(),
    cuda("sincospi", CudaRule::SinCos { pi: true }).writes(),
    of("sincosf", VOID, &[FLOAT, TO_FLOAT, TO_FLOAT], Device(Builtin::SinCos { pi: false }))
        .writes(),
    of("sincospif", VOID, &[FLOAT, TO_FLOAT, TO_FLOAT], Device(Builtin::SinCos { pi: true }))
        .writes(),
    of("lrint", LONG, &[F], Device(Builtin::ToIntRound(Round::NearestEven))).with(&[Form::Single]),
    of("llrint", LLONG, &[F], Device(Builtin::ToIntRound(Round::NearestEven)))
        .with(&[Form::Single]),
    of("lround", LONG, &[F], HalfAway).with(&[Form::Single]),
    of("llround", LLONG, &[F], HalfAway).with(&[Form::Single]),
    of("__fmaf_rn", FLOAT, &[FLOAT, FLOAT, FLOAT], Device(Builtin::Fma)),
    of("__fma_rn", DOUBLE, &[DOUBLE, DOUBLE, DOUBLE], Device(Builtin::Fma)),
    of("__fadd_rn", FLOAT, &[FLOAT, FLOAT], Device(Builtin::Rn(BinOp::Add))),
    of("__fsub_rn", FLOAT, &[FLOAT, FLOAT], Device(Builtin::Rn(BinOp::Sub))),
    of("__fmul_rn", FLOAT, &[FLOAT, FLOAT], Device(Builtin::Rn(BinOp::Mul))),
    of("__fdiv_rn", FLOAT, &[FLOAT, FLOAT], Device(Builtin::Rn(BinOp::Div))),
    of("__dadd_rn", DOUBLE, &[DOUBLE, DOUBLE], Device(Builtin::Rn(BinOp::Add))),
    of("__dsub_rn", DOUBLE, &[DOUBLE, DOUBLE], Device(Builtin::Rn(BinOp::Sub))),
    of("__dmul_rn", DOUBLE, &[DOUBLE, DOUBLE], Device(Builtin::Rn(BinOp::Mul))),
    of("__ddiv_rn", DOUBLE, &[DOUBLE, DOUBLE], Device(Builtin::Rn(BinOp::Div))),
    of("__fdividef", FLOAT, &[FLOAT, FLOAT], Binary(BinOp::Div)),
    of("fdividef", FLOAT, &[FLOAT, FLOAT], Binary(BinOp::Div)),
    math1("__fsqrt_rn", FLOAT, Math1::Sqrt),
    math1("__dsqrt_rn", DOUBLE, Math1::Sqrt),
    math1("__frsqrt_rn", FLOAT, Math1::Rsqrt),
    math1("__frcp_rn", FLOAT, Math1::Rcp),
    math1("__drcp_rn", DOUBLE, Math1::Rcp),
    math1("__saturatef", FLOAT, Math1::Saturate),
    math1("__expf", FLOAT, Math1::Exp),
    math1("__exp10f", FLOAT, Math1::Exp10),
    math1("__logf", FLOAT, Math1::Log),
    math1("__log2f", FLOAT, Math1::Log2),
    math1("__log10f", FLOAT, Math1::Log10),
    math1("__sinf", FLOAT, Math1::Sin),
    math1("__cosf", FLOAT, Math1::Cos),
    math1("__tanf", FLOAT, Math1::Tan),
    of("__powf", FLOAT, &[FLOAT, FLOAT], Device(Builtin::Math2(Math2::Pow))),
    of("__sincosf", VOID, &[FLOAT, TO_FLOAT, TO_FLOAT], Device(Builtin::SinCos { pi: false }))
        .writes(),
];

/// Integers and bits.
pub(super) const INTEGERS: &[Function] = &[
    cuda("min", CudaRule::Smaller),
    cuda("max", CudaRule::Larger),
    cuda("abs", CudaRule::Abs),
    of("labs", LONG, &[LONG], Device(Builtin::AbsI)),
    of("llabs", LLONG, &[LLONG], Device(Builtin::AbsI)),
    of("umin", UINT, &[UINT, UINT], Device(Builtin::MinI)),
    of("umax", UINT, &[UINT, UINT], Device(Builtin::MaxI)),
    of("llmin", LLONG, &[LLONG, LLONG], Device(Builtin::MinI)),
    of("llmax", LLONG, &[LLONG, LLONG], Device(Builtin::MaxI)),
    of("ullmin", ULLONG, &[ULLONG, ULLONG], Device(Builtin::MinI)),
    of("ullmax", ULLONG, &[ULLONG, ULLONG], Device(Builtin::MaxI)),
    of("__mulhi", INT, &[INT, INT], lane(Alu::MulHiS)),
    of("__umulhi", UINT, &[UINT, UINT], lane(Alu::MulHiU)),
    of("__mul64hi", LLONG, &[LLONG, LLONG], lane(Alu::MulHiSL)),
    of("__umul64hi", ULLONG, &[ULLONG, ULLONG], lane(Alu::MulHiUL)),
    of("__rhadd", INT, &[INT, INT], lane(Alu::MeanS)),
    of("__urhadd", UINT, &[UINT, UINT], lane(Alu::MeanU)),
    of("__mul24", INT, &[INT, INT], Device(Builtin::Mul24)),
    of("__umul24", UINT, &[UINT, UINT], Device(Builtin::Mul24)),
    of("__popc", INT, &[UINT], lane(Alu::Popc)),
    of("__popcll", INT, &[ULLONG], lane(Alu::PopcL)),
    of("__clz", INT, &[INT], lane(Alu::Clz)),
    of("__clzll", INT, &[LLONG], lane(Alu::ClzL)),
    of("__ffs", INT, &[INT], lane(Alu::Ffs)),
    of("__ffsll", INT, &[LLONG], lane(Alu::FfsL)),
    of("__brev", UINT, &[UINT], lane(Alu::Brev)),
    of("__brevll", ULLONG, &[ULLONG], lane(Alu::BrevL)),
    of("__byte_perm", UINT, &[UINT, UINT, UINT], lane(Alu::BytePerm)),
    of("__funnelshift_l", UINT, &[UINT, UINT, UINT], lane(Alu::FshL)),
    of("__funnelshift_r", UINT, &[UINT, UINT, UINT], lane(Alu::FshR)),
    of("__sad", UINT, &[INT, INT, UINT], lane(Alu::SadS)),
    of("__usad", UINT, &[UINT, UINT, UINT], lane(Alu::SadU)),
];

/// Conversions, and the same bits as another type.
pub(super) const CONVERSIONS: &[Function] = &[
    of("__int2float_rn", FLOAT, &[INT], Cast),
    of("__uint2float_rn", FLOAT, &[UINT], Cast),
    of("__ll2float_rn", FLOAT, &[LLONG], Cast),
    of("__ull2float_rn", FLOAT, &[ULLONG], Cast),
    of("__int2double_rn", DOUBLE, &[INT], Cast),
    of("__uint2double_rn", DOUBLE, &[UINT], Cast),
    of("__ll2double_rn", DOUBLE, &[LLONG], Cast),
    of("__ull2double_rn", DOUBLE, &[ULLONG], Cast),
    of("__double2float_rn", FLOAT, &[DOUBLE], Cast),
    of("__float2half", HALF, &[FLOAT], Cast),
    of("__float2half_rn", HALF, &[FLOAT], Cast),
    of("__double2half", HALF, &[DOUBLE], Cast),
    of("__half2float", FLOAT, &[HALF], Cast),
    of("__int2half_rn", HALF, &[INT], Cast),
    of("__float2int", INT, &[FLOAT], Rounded).with(&[Form::Rounded]),
    of("__float2uint", UINT, &[FLOAT], Rounded).with(&[Form::Rounded]),
    of("__float2ll", LLONG, &[FLOAT], Rounded).with(&[Form::Rounded]),
    of("__float2ull", ULLONG, &[FLOAT], Rounded).with(&[Form::Rounded]),
    of("__double2int", INT, &[DOUBLE], Rounded).with(&[Form::Rounded]),
    of("__double2uint", UINT, &[DOUBLE], Rounded).with(&[Form::Rounded]),
    of("__double2ll", LLONG, &[DOUBLE], Rounded).with(&[Form::Rounded]),
    of("__double2ull", ULLONG, &[DOUBLE], Rounded).with(&[Form::Rounded]),
    of("__half2int", INT, &[HALF], Rounded).with(&[Form::Rounded]),
    of("__half2uint", UINT, &[HALF], Rounded).with(&[Form::Rounded]),
    of("__float_as_int", INT, &[FLOAT], Device(Builtin::Bitcast)),
    of("__float_as_uint", UINT, &[FLOAT], Device(Builtin::Bitcast)),
    of("__int_as_float", FLOAT, &[INT], Device(Builtin::Bitcast)),
    of("__uint_as_float", FLOAT, &[UINT], Device(Builtin::Bitcast)),
    of("__double_as_longlong", LLONG, &[DOUBLE], Device(Builtin::Bitcast)),
    of("__longlong_as_double", DOUBLE, &[LLONG], Device(Builtin::Bitcast)),
    of("__half_as_short", SHORT, &[HALF], Device(Builtin::Bitcast)),
    of("__half_as_ushort", USHORT, &[HALF], Device(Builtin::Bitcast)),
    of("__short_as_half", HALF, &[SHORT], Device(Builtin::Bitcast)),
    of("__ushort_as_half", HALF, &[USHORT], Device(Builtin::Bitcast)),
];

/// Half precision.
pub(super) const HALVES: &[Function] = &[
    of("__hadd", HALF, &[HALF, HALF], Binary(BinOp::Add)),
    of("__hsub", HALF, &[HALF, HALF], Binary(BinOp::Sub)),
    of("__hmul", HALF, &[HALF, HALF], Binary(BinOp::Mul)),
    of("__hdiv", HALF, &[HALF, HALF], Binary(BinOp::Div)),
    of("__hneg", HALF, &[HALF], Negate),
    of("__hfma", HALF, &[HALF, HALF, HALF], Device(Builtin::Fma)),
    math1("__habs", HALF, Math1::Fabs),
    of("__hmax", HALF, &[HALF, HALF], Device(Builtin::Math2(Math2::Fmax))),
    of("__hmin", HALF, &[HALF, HALF], Device(Builtin::Math2(Math2::Fmin))),
    math1("hsqrt", HALF, Math1::Sqrt),
    math1("hexp", HALF, Math1::Exp),
    math1("hlog", HALF, Math1::Log),
    of("__hgt", BOOL, &[HALF, HALF], Compare(CmpOp::Gt)),
    of("__hge", BOOL, &[HALF, HALF], Compare(CmpOp::Ge)),
    of("__hlt", BOOL, &[HALF, HALF], Compare(CmpOp::Lt)),
    of("__hle", BOOL, &[HALF, HALF], Compare(CmpOp::Le)),
    of("__heq", BOOL, &[HALF, HALF], Compare(CmpOp::Eq)),
    of("__hne", BOOL, &[HALF, HALF], Compare(CmpOp::Ne)),
    of("__hisnan", TRUTH, &[HALF], Device(Builtin::Classify(Class::Nan))),
];

/// Others.
pub(super) const OTHERS: &[Function] = &[
    of("clock", LONG, &[], Device(Builtin::Clock)),
    of("clock64", LLONG, &[], Device(Builtin::Clock)),
    of("__nanosleep", VOID, &[UINT], Device(Builtin::Nop)),
    of("__trap", VOID, &[], Device(Builtin::Trap)).seen(),
    of("__brkpt", VOID, &[], Device(Builtin::Nop)),
    cuda("printf", CudaRule::Printf).seen(),
    cuda("assert", CudaRule::Assert).seen(),
];

/// For what the compiler makes of inline PTX, and for its headers.
pub(super) const OWN: &[Function] = &[
    // Programs like to call a function of their own `__laneid`.
    of("%laneid", UINT, &[], Device(Builtin::LaneId)),
    of("__sum_of_products", UINT, &[UINT; 18], Device(Builtin::SumOfProducts)),
];

const OLD_WARP: &str = "compute_70 and later do not have it: write the form with `_sync` and the \
                        mask of the lanes that take part, such as \
                        `__shfl_down_sync(0xffffffff, v, 1)`; to run old code as it is, compile \
                        for an older GPU: -D__CUDA_ARCH__=600";

const NO_GENERATOR: &str = "the C library's generator exists only on the host: use curand_kernel.h";

/// What device code does not have, and programs call.
pub(super) const GONE: &[Function] = &[
    gone("__shfl", OLD_WARP),
    gone("__shfl_up", OLD_WARP),
    gone("__shfl_down", OLD_WARP),
    gone("__shfl_xor", OLD_WARP),
    gone("__ballot", OLD_WARP),
    gone("__all", OLD_WARP),
    gone("__any", OLD_WARP),
    gone(
        "cudaDeviceSynchronize",
        "a kernel cannot wait for other kernels: end the kernel, or use `__syncthreads()` within a \
         block",
    ),
    gone("rand", NO_GENERATOR),
    gone("srand", NO_GENERATOR),
    gone("drand48", NO_GENERATOR),
];
