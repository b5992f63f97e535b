//! Functions of OpenCL C.

use super::function::Operation::{Binary, Compare, Device, Larger, Mul24Add, MulAdd, Own, Smaller};
use super::function::{
    F, Form, Function, I, INT, N, OpenClRule, TO_INT, TO_T, TRUTH, UINT, UNSIGNED, W, WorkItem, of,
    opencl,
};
use crate::hir::{AtomicOp, BinOp, Builtin, CmpOp, Math1, Math2};

const fn work_item(name: &'static str, what: WorkItem) -> Function {
    opencl(name, OpenClRule::WorkItem(what))
}

/// Work-items.
pub(super) const WORK_ITEMS: &[Function] = &[
    work_item("get_global_id", WorkItem::GlobalId),
    work_item("get_local_id", WorkItem::LocalId),
    work_item("get_group_id", WorkItem::GroupId),
    work_item("get_global_size", WorkItem::GlobalSize),
    work_item("get_local_size", WorkItem::LocalSize),
    work_item("get_enqueued_local_size", WorkItem::LocalSize),
    work_item("get_num_groups", WorkItem::NumGroups),
    work_item("get_global_offset", WorkItem::GlobalOffset),
    of("get_work_dim", UINT, &[], Device(Builtin::WorkDim)),
];

/// The work-group and its memory.
pub(super) const GROUP: &[Function] = &[
    opencl("barrier", OpenClRule::Barrier).joint(),
    opencl("mem_fence", OpenClRule::Fence).joint(),
    opencl("read_mem_fence", OpenClRule::Fence).joint(),
    opencl("write_mem_fence", OpenClRule::Fence).joint(),
    opencl("async_work_group_copy", OpenClRule::GroupCopy).joint(),
    opencl("async_work_group_strided_copy", OpenClRule::GroupCopy).joint(),
    opencl("wait_group_events", OpenClRule::WaitForCopies).joint(),
    opencl("prefetch", OpenClRule::Prefetch).writes(),
];

const fn atomic(name: &'static str, rule: OpenClRule) -> Function {
    opencl(name, rule).with(&[Form::Atom]).writes()
}

/// Atomics.
pub(super) const ATOMICS: &[Function] = &[
    atomic("atomic_add", OpenClRule::Atomic(AtomicOp::Add)),
    atomic("atomic_sub", OpenClRule::Atomic(AtomicOp::Sub)),
    atomic("atomic_xchg", OpenClRule::Atomic(AtomicOp::Exch)),
    atomic("atomic_min", OpenClRule::Atomic(AtomicOp::Min)),
    atomic("atomic_max", OpenClRule::Atomic(AtomicOp::Max)),
    atomic("atomic_and", OpenClRule::Atomic(AtomicOp::And)),
    atomic("atomic_or", OpenClRule::Atomic(AtomicOp::Or)),
    atomic("atomic_xor", OpenClRule::Atomic(AtomicOp::Xor)),
    atomic("atomic_inc", OpenClRule::Step(AtomicOp::Add)),
    atomic("atomic_dec", OpenClRule::Step(AtomicOp::Sub)),
    atomic("atomic_cmpxchg", OpenClRule::CompareExchange),
];

/// Vectors in memory.
pub(super) const MEMORY: &[Function] = &[
    opencl("vload", OpenClRule::LoadStore).with(&[Form::Length]),
    opencl("vstore", OpenClRule::LoadStore).with(&[Form::Length]).writes(),
    opencl("vload_half", OpenClRule::LoadStore).with(&[Form::Prefix]),
    opencl("vloada_half", OpenClRule::LoadStore).with(&[Form::Prefix]),
    opencl("vstore_half", OpenClRule::LoadStore).with(&[Form::Prefix]).writes(),
    opencl("vstorea_half", OpenClRule::LoadStore).with(&[Form::Prefix]).writes(),
];

/// Mathematics that CUDA C does not have under these names.
pub(super) const MATHEMATICS: &[Function] = &[
    of("mad", F, &[F, F, F], MulAdd),
    of("fract", F, &[F, TO_T], Own("fract")).writes(),
    of("sincos", F, &[F, TO_T], Own("sincos")).writes(),
    of("lgamma_r", F, &[F, TO_INT], Own("lgamma_r")).writes(),
    of("remquo", F, &[F, F, TO_INT], Own("remquo")).writes(),
    of("pown", F, &[F, INT], Device(Builtin::Math2(Math2::Pow))),
    of("powr", F, &[F, F], Device(Builtin::Math2(Math2::Pow))).with(&[Form::Fast]),
    of("rootn", F, &[F, INT], Own("rootn")),
    of("ilogb", INT, &[F], Own("ilogb")),
    of("logb", F, &[F], Own("logb")),
    of("maxmag", F, &[F, F], Own("maxmag")),
    of("minmag", F, &[F, F], Own("minmag")),
    of("asinpi", F, &[F], Own("asinpi")),
    of("acospi", F, &[F], Own("acospi")),
    of("atanpi", F, &[F], Own("atanpi")),
    of("atan2pi", F, &[F, F], Own("atan2pi")),
    of("tanpi", F, &[F], Own("tanpi")),
    of("degrees", F, &[F], Own("degrees")),
    of("radians", F, &[F], Own("radians")),
    of("mix", F, &[F, F, F], Own("mix")),
    of("step", F, &[F, F], Own("step")),
    of("smoothstep", F, &[F, F, F], Own("smoothstep")),
    of("sign", F, &[F], Own("sign")),
    of("native_recip", F, &[F], Device(Builtin::Math1(Math1::Rcp))),
    of("half_recip", F, &[F], Device(Builtin::Math1(Math1::Rcp))),
    of("native_divide", F, &[F, F], Binary(BinOp::Div)),
    of("half_divide", F, &[F, F], Binary(BinOp::Div)),
    opencl("nan", OpenClRule::Nan),
];

/// Integers, and numbers of all kinds.
pub(super) const INTEGERS: &[Function] = &[
    of("min", N, &[N, N], Smaller),
    of("max", N, &[N, N], Larger),
    of("clamp", N, &[N, N, N], Own("clamp")),
    of("abs", UNSIGNED, &[I], Own("abs")),
    of("abs_diff", UNSIGNED, &[I, I], Own("abs_diff")),
    of("add_sat", I, &[I, I], Own("add_sat")),
    of("sub_sat", I, &[I, I], Own("sub_sat")),
    of("hadd", I, &[I, I], Own("hadd")),
    of("rhadd", I, &[I, I], Own("rhadd")),
    of("mul_hi", I, &[I, I], Own("mul_hi")),
    of("mad_hi", I, &[I, I, I], Own("mad_hi")),
    of("mad_sat", I, &[I, I, I], Own("mad_sat")),
    of("mul24", W, &[W, W], Device(Builtin::Mul24)),
    of("mad24", W, &[W, W, W], Mul24Add),
    of("rotate", I, &[I, I], Own("rotate")),
    of("clz", I, &[I], Own("clz")),
    of("ctz", I, &[I], Own("ctz")),
    of("popcount", I, &[I], Own("popcount")),
    opencl("upsample", OpenClRule::Upsample),
];

/// Geometry.
pub(super) const GEOMETRY: &[Function] = &[
    opencl("dot", OpenClRule::Dot),
    opencl("cross", OpenClRule::Cross),
    opencl("length", OpenClRule::Length),
    opencl("fast_length", OpenClRule::Length),
    opencl("distance", OpenClRule::Distance),
    opencl("fast_distance", OpenClRule::Distance),
    opencl("normalize", OpenClRule::Normalize),
    opencl("fast_normalize", OpenClRule::Normalize),
];

/// Relations.
pub(super) const RELATIONS: &[Function] = &[
    of("isequal", TRUTH, &[F, F], Compare(CmpOp::Eq)),
    of("isnotequal", TRUTH, &[F, F], Compare(CmpOp::Ne)),
    of("isgreater", TRUTH, &[F, F], Compare(CmpOp::Gt)),
    of("isgreaterequal", TRUTH, &[F, F], Compare(CmpOp::Ge)),
    of("isless", TRUTH, &[F, F], Compare(CmpOp::Lt)),
    of("islessequal", TRUTH, &[F, F], Compare(CmpOp::Le)),
    of("islessgreater", TRUTH, &[F, F], Own("islessgreater")),
    of("isordered", TRUTH, &[F, F], Own("isordered")),
    of("isunordered", TRUTH, &[F, F], Own("isunordered")),
    of("isnormal", TRUTH, &[F], Own("isnormal")),
    opencl("any", OpenClRule::Any),
    opencl("all", OpenClRule::All),
    opencl("select", OpenClRule::Select),
    opencl("bitselect", OpenClRule::BitSelect),
];

/// Vectors and conversions.
pub(super) const VECTORS: &[Function] = &[
    opencl("shuffle", OpenClRule::Shuffle),
    opencl("shuffle2", OpenClRule::Shuffle2),
    opencl("vec_step", OpenClRule::VecStep),
    opencl("convert_", OpenClRule::Convert).with(&[Form::Prefix]),
    opencl("as_", OpenClRule::Reinterpret).with(&[Form::Prefix]),
];

/// Others.
pub(super) const OTHERS: &[Function] = &[opencl("printf", OpenClRule::Printf).seen()];
