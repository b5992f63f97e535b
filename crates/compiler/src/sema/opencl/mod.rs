//! What OpenCL C has and CUDA C has not: address spaces, work-item functions, atomics by its names,
//! `vloadn`, asynchronous copies, `printf` of vectors, and what a host may ask about a kernel.

pub(in crate::sema) mod vector_calls;
pub(in crate::sema) mod vectors;

use std::rc::Rc;

use crate::ast::{self, TyKind};
use crate::builtins::{self, Call, Effect, OPENCL_LENGTHS, OpenClRule, WorkItem};
use crate::diag::Diagnostic;
use crate::hir::{self, AtomicOp, Axis, Builtin, ExprKind, OpenClAttrs, ParamAttrs, Space};
use crate::language::{Language, OpenClVersion};
use crate::sema::expr::call::Arg;
use crate::sema::opencl::vectors::element_name;
use crate::sema::types::{QualType, Type, int_shape};
use crate::sema::{Constant, Entity, ScopeId, Sema, SemaResult, Sig, TypedExpr, fail};
use crate::source::Span;

/// Variables at file scope lie in constant memory.
pub(in crate::sema) fn check_global(v: &ast::Var, version: OpenClVersion) -> SemaResult<()> {
    let name = &v.name.last().id;
    if v.specs.constant {
        if matches!(v.init, ast::Init::None) && !v.specs.is_extern {
            return fail(
                v.span,
                format!("`{name}` lies in constant memory and needs a value here"),
            );
        }
        return Ok(());
    }
    if v.specs.device || !v.specs.shared && version >= OpenClVersion::V20 {
        // OpenCL C 2.0 has them; the device keeps their values between launches.
        return Ok(());
    }
    let what = if v.specs.shared { "local" } else { "global" };
    Err(Box::new(
        Diagnostic::error(
            v.span,
            format!("`{name}` is declared outside of all functions, but not `__constant`"),
        )
        .help(if v.specs.shared {
            "declare local variables in the kernel".to_string()
        } else {
            format!(
                "write `__constant` before it, or pass it to the kernel; there are no {what} \
                     variables outside of functions"
            )
        }),
    ))
}

impl Sema<'_> {
    // ---- declarations

    /// `__local` variables stand at the top of a kernel, `__global` ones nowhere.
    pub(in crate::sema) fn check_local_space(&mut self, v: &ast::Var) -> SemaResult<()> {
        let name = &v.name.last().id;
        if v.specs.device {
            return Err(Box::new(
                Diagnostic::error(v.span, format!("`{name}` cannot lie in global memory")).help(
                    "a kernel gets global memory from the host, as a pointer: did you mean \
                         `__global` and a `*`?",
                ),
            ));
        }
        if v.specs.shared && !self.ctx.is_kernel {
            return Err(Box::new(
                Diagnostic::error(
                    v.span,
                    format!("`{name}` cannot be `__local` in a function that is no kernel"),
                )
                .help("declare it in the kernel and pass a `__local` pointer"),
            ));
        }
        if v.specs.shared && self.ctx.scope != self.ctx.top {
            return Err(Box::new(
                Diagnostic::error(
                    v.span,
                    format!("`{name}` is `__local` and stands in an inner block"),
                )
                .help("move the declaration to the top of the kernel"),
            ));
        }
        Ok(())
    }

    pub(in crate::sema) fn check_opencl_params(
        &self,
        f: &ast::Function,
        sig: &Sig,
    ) -> SemaResult<()> {
        for (p, v) in f.params.iter().zip(&sig.params) {
            let name = p.name.as_deref().unwrap_or("the parameter");
            match &v.q.ty {
                Type::Ptr(to) if matches!(to.space, Space::Local | Space::Generic) => {
                    return Err(Box::new(
                        Diagnostic::error(
                            p.span,
                            format!("`{name}` points to private memory, which a host cannot pass"),
                        )
                        .help("write `__global`, `__local` or `__constant` before its type"),
                    ));
                }
                Type::Ptr(to) if matches!(to.ty, Type::Ptr(_)) => {
                    return fail(
                        p.span,
                        format!("`{name}` is a pointer to pointers, which a host cannot pass"),
                    );
                }
                Type::Bool => {
                    return Err(Box::new(
                        Diagnostic::error(
                            p.span,
                            format!("`{name}` is a `bool`, whose size a host does not know"),
                        )
                        .help("use `int`"),
                    ));
                }
                Type::Int(_) if named_size(&p.ty) => {
                    return Err(Box::new(
                        Diagnostic::error(
                            p.span,
                            format!("`{name}` has a type whose size depends on the device"),
                        )
                        .help("use `uint` or `ulong`"),
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The work-items of a sub-group, `__cl_width` of `headers/groups.h`: what the kernels'
    /// `reqd_sub_group_size` says, 32 without one.
    pub(in crate::sema) fn declare_sub_groups(&mut self, decls: &[ast::Decl]) {
        let mut found: Option<(u64, Span)> = None;
        for d in decls {
            let ast::Decl::Function(f) = d else { continue };
            let size = f.specs.attributes.iter().find_map(|a| {
                a.split_once("reqd_sub_group_size(")?.1.trim_end_matches(')').parse().ok()
            });
            let Some(size) = size else { continue };
            match found {
                None => found = Some((size, f.span)),
                Some((other, at)) if other != size => {
                    let text = format!(
                        "the kernels of one source have sub-groups of one size here, not of \
                         {other} and {size}"
                    );
                    self.report(Diagnostic::error(f.span, text).related(at, "the other size"));
                    return;
                }
                Some(_) => {}
            }
        }
        let width = found.map_or(32, |f| f.0);
        self.scopes[0].names.insert(
            "__cl_width".into(),
            Entity::Const(Constant::Int(width), QualType::constant(Type::UINT)),
        );
    }

    /// What a host may ask about a kernel.
    pub(in crate::sema) fn opencl_attrs(
        &mut self,
        f: &ast::Function,
        sig: &Sig,
        scope: ScopeId,
    ) -> SemaResult<OpenClAttrs> {
        let mut work_group = None;
        if let Some(sizes) = &f.specs.work_group {
            let outer = std::mem::replace(&mut self.ctx.scope, scope);
            let mut found = [1; 3];
            for (n, e) in found.iter_mut().zip(sizes.iter()) {
                let value = self.constant_integer(e, "a size in `reqd_work_group_size`");
                *n = match value.map(|v| u32::try_from(v.0)) {
                    Ok(Ok(n)) if n > 0 => n,
                    Ok(_) => {
                        self.ctx.scope = outer;
                        return fail(e.span, "the sizes of a work-group are positive");
                    }
                    Err(d) => {
                        self.ctx.scope = outer;
                        return Err(d);
                    }
                };
            }
            self.ctx.scope = outer;
            work_group = Some(found);
        }
        let params = f.params.iter().zip(&sig.params).map(|(p, v)| {
            let to = v.q.ty.pointee();
            ParamAttrs {
                type_name: match to {
                    Some(to) => format!("{}*", self.opencl_name(&to.ty)),
                    None if is_sampler(&p.ty) => "sampler_t".into(),
                    None => self.opencl_name(&v.q.ty),
                },
                space: to.map_or(Space::Local, |to| to.space),
                is_const: to.is_some_and(|to| to.is_const),
                is_restrict: matches!(p.ty.kind, TyKind::Ptr(_, true)),
                is_volatile: to.is_some_and(|to| to.is_volatile),
            }
        });
        let params = params.collect();
        Ok(OpenClAttrs { work_group, attributes: f.specs.attributes.clone(), params })
    }

    /// Type as `clGetKernelArgInfo` spells it.
    fn opencl_name(&self, t: &Type) -> String {
        match element_name(t) {
            Some(name) => name.to_string(),
            None => self.show(&t.clone().q()),
        }
    }

    /// Help for a name of CUDA C.
    pub(in crate::sema) fn cuda_name(&self, id: &str, span: Span) -> Option<String> {
        if !self.in_opencl(span) {
            return None;
        }
        let text = match id {
            "threadIdx" => "this is CUDA C: write `get_local_id(0)` for `threadIdx.x`",
            "blockIdx" => "this is CUDA C: write `get_group_id(0)` for `blockIdx.x`",
            "blockDim" => "this is CUDA C: write `get_local_size(0)` for `blockDim.x`",
            "gridDim" => "this is CUDA C: write `get_num_groups(0)` for `gridDim.x`",
            "__syncthreads" => "this is CUDA C: write `barrier(CLK_LOCAL_MEM_FENCE)`",
            "enqueue_kernel" | "enqueue_marker" | "get_default_queue" | "ndrange_1D"
            | "ndrange_2D" | "ndrange_3D" | "create_user_event" => {
                "kernels that start kernels are optional in OpenCL 3.0, and are not supported"
            }
            _ if id.starts_with("read_image")
                || id.starts_with("write_image")
                || id.starts_with("get_image") =>
            {
                "the functions of images: read_imagef, h, i, ui, write_image... and \
                 get_image_width, _height, _depth, _dim, _array_size, _channel_data_type, \
                 _channel_order; without levels of detail"
            }
            _ if ["read_pipe", "write_pipe", "_pipe_num_packets"]
                .iter()
                .any(|p| id.contains(p)) =>
            {
                "pipes are OpenCL 2.0: use a buffer with a position in it, written with an atomic \
                 function"
            }
            _ if id.contains("_channel_") => {
                "channels belong to one vendor's FPGA compiler: use a buffer, or one kernel for \
                 both ends"
            }
            _ if id.starts_with("sub_group_") => {
                "of sub-groups there are: barrier, all, any, broadcast, reduce, scan_inclusive and \
                 _exclusive with add, min, max, shuffle, _xor, _up, _down, rotate, ballot, \
                 clustered_reduce, non_uniform_..."
            }
            _ if id.starts_with("work_group_") => {
                "of work-groups there are: barrier, all, any, broadcast, reduce, scan_inclusive \
                 and _exclusive with add, min, max"
            }
            _ if id.starts_with("memory_order_") || id.starts_with("memory_scope_") => {
                "this is OpenCL 2.0: build with `-cl-std=CL2.0`"
            }
            _ if builtins::lookup(Language::CudaC, id).is_some() => {
                "this is a function of CUDA C, not of OpenCL C"
            }
            _ => return None,
        };
        Some(text.to_string())
    }

    // ---- calls

    /// A function of OpenCL C; `None` if there is none of that name.
    pub(in crate::sema) fn opencl_call(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        at: Span,
        span: Span,
    ) -> SemaResult<Option<TypedExpr>> {
        let mut list = Vec::with_capacity(args.len());
        for a in self.args(args)? {
            match a {
                Arg::TypedExpr(e) => list.push(e),
                Arg::List(e) => return fail(e.span, format!("`{name}` takes no list in braces")),
            }
        }
        let Some((function, _)) = builtins::lookup(Language::OpenClC, name) else {
            return self.header_call(name, list, span);
        };
        if function.effect != Effect::None {
            self.no_effect(name, span)?;
        }
        match function.call {
            Call::Of(signature, operation) => {
                self.each(name, signature, operation, list, span).map(Some)
            }
            Call::OpenCl(rule) => self.opencl_rule(name, rule, list, at, span),
            Call::Cuda(_) | Call::Gone(_) => Ok(None),
        }
    }

    /// Functions of `headers/images.h` and `headers/groups.h`, as `read_imagef(m, s, c)`.
    fn header_call(
        &mut self,
        name: &str,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<Option<TypedExpr>> {
        if let Some(value) = self.half_image(name, &args, span)? {
            return Ok(Some(value));
        }
        if !self.scopes[0].names.contains_key(format!("__cl_{name}").as_str()) {
            return Ok(None);
        }
        let space = match name {
            "to_global" => Some(Space::Global),
            "to_local" => Some(Space::Shared),
            "to_private" => Some(Space::Local),
            _ => None,
        };
        if let Some(space) = space {
            let mut value = self.own_call(name, args, span)?;
            if let Type::Ptr(to) = &value.q.ty {
                value.q.ty = Type::Ptr(Rc::new((**to).clone().within(space)));
            }
            return Ok(Some(value));
        }
        let effect = ["write", "atomic"].iter().any(|start| name.starts_with(start));
        if effect || name.contains("group_") && !name.starts_with("get_") {
            self.no_effect(name, span)?;
        }
        // What a group does with a vector it does with each component.
        if let Some(first) = args.first()
            && name.contains("group_")
            && !["_block_", "_ballot"].iter().any(|part| name.contains(part))
            && self.vector_of(&first.q.ty).is_some()
        {
            let mut pre = Vec::new();
            let (elem, list) = self.components(first.clone(), true, &mut pre)?;
            let mut out = Vec::with_capacity(list.len());
            let mut rest = Vec::new();
            for a in &args[1..] {
                rest.push(match self.vector_of(&a.q.ty) {
                    Some(_) => {
                        let (elem, list) = self.components(a.clone(), true, &mut pre)?;
                        list.into_iter().map(|e| self.scalar_ex(e, &elem)).collect()
                    }
                    None => vec![a.clone(); list.len()],
                });
            }
            for (k, part) in list.into_iter().enumerate() {
                let mut one = vec![self.scalar_ex(part, &elem)];
                one.extend(rest.iter().filter_map(|r: &Vec<TypedExpr>| r.get(k).cloned()));
                let value = self.own_call(name, one, span)?;
                out.push(self.reusable(value.e, &mut pre));
            }
            let value = self.vector_value(&elem, out, span)?;
            return Ok(Some(self.after(pre, value)));
        }
        self.own_call(name, args, span).map(Some)
    }

    /// `read_imageh` and `write_imageh`: those for `float` with a conversion.
    fn half_image(
        &mut self,
        name: &str,
        args: &[TypedExpr],
        span: Span,
    ) -> SemaResult<Option<TypedExpr>> {
        let mut args = args.to_vec();
        match name {
            "read_imageh" => {
                let value = self.own_call("read_imagef", args, span)?;
                self.conversion("convert_half4", vec![value], span, span)
            }
            "write_imageh" => {
                self.no_effect(name, span)?;
                let Some(last) = args.pop() else { return Ok(None) };
                let value = self.conversion("convert_float4", vec![last], span, span)?;
                args.extend(value);
                self.own_call("write_imagef", args, span).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// A function with a rule of its own; `None` if the rest of its name means nothing.
    fn opencl_rule(
        &mut self,
        name: &str,
        rule: OpenClRule,
        args: Vec<TypedExpr>,
        at: Span,
        span: Span,
    ) -> SemaResult<Option<TypedExpr>> {
        Ok(Some(match rule {
            OpenClRule::WorkItem(what) => self.work_item(name, what, args, span)?,
            OpenClRule::Barrier => self.fence(name, Builtin::SyncThreads, args, span)?,
            OpenClRule::Fence => self.fence(name, Builtin::Fence, args, span)?,
            OpenClRule::Atomic(_) | OpenClRule::Step(_) | OpenClRule::CompareExchange => {
                self.opencl_atomic(name, rule, args, at, span)?
            }
            OpenClRule::LoadStore => return self.load_store(name, args, span),
            OpenClRule::GroupCopy => self.group_copy(name, args, span)?,
            OpenClRule::WaitForCopies => {
                self.count(name, &args, 2, span)?;
                self.built(Builtin::SyncThreads, Vec::new(), Type::Void, span)
            }
            OpenClRule::Prefetch => {
                self.count(name, &args, 2, span)?;
                self.built(Builtin::Nop, Vec::new(), Type::Void, span)
            }
            OpenClRule::Dot => self.dot(name, args, span)?,
            OpenClRule::Cross => self.cross(name, args, span)?,
            OpenClRule::Length | OpenClRule::Distance | OpenClRule::Normalize => {
                self.geometry(rule, name, args, span)?
            }
            OpenClRule::Any | OpenClRule::All => self.any_all(name, args, span)?,
            OpenClRule::Select => self.select(name, args, span)?,
            OpenClRule::BitSelect => self.bitselect(name, args, span)?,
            OpenClRule::Upsample => self.upsample(name, args, span)?,
            OpenClRule::Shuffle | OpenClRule::Shuffle2 => self.shuffle(name, args, span)?,
            OpenClRule::Nan => self.nan(name, args, span)?,
            OpenClRule::Convert => return self.conversion(name, args, at, span),
            OpenClRule::Reinterpret => return self.reinterpreted(name, args, span),
            OpenClRule::VecStep => {
                self.count(name, &args, 1, span)?;
                let n = self.vector_of(&args[0].q.ty).map_or(1, |v| if v.1 == 3 { 4 } else { v.1 });
                self.value(ExprKind::Int(n), Type::INT.q(), span)
            }
            OpenClRule::Printf => self.printf_vectors(args, span)?,
        }))
    }

    /// `get_global_id(d)` and its relatives.
    fn work_item(
        &mut self,
        name: &str,
        what: WorkItem,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        // Beyond the dimensions sizes are 1, ids and offsets 0.
        let (kinds, beyond): (fn(Axis) -> Vec<Builtin>, u64) = match what {
            WorkItem::GlobalId => (|a| vec![Builtin::GlobalId(a)], 0),
            WorkItem::LocalId => (|a| vec![Builtin::ThreadIdx(a)], 0),
            WorkItem::GroupId => (|a| vec![Builtin::BlockIdx(a)], 0),
            WorkItem::LocalSize => (|a| vec![Builtin::BlockDim(a)], 1),
            WorkItem::NumGroups => (|a| vec![Builtin::GridDim(a)], 1),
            WorkItem::GlobalSize => (|a| vec![Builtin::BlockDim(a), Builtin::GridDim(a)], 1),
            WorkItem::GlobalOffset => (|a| vec![Builtin::GlobalOffset(a)], 0),
        };
        self.count(name, &args, 1, span)?;
        let Some(d) = args.into_iter().next() else { return fail(span, "one argument") };
        let d = self.convert(d, &Type::UINT.q(), span)?;
        let along = |me: &Self, axis: Axis| {
            let parts =
                kinds(axis).into_iter().map(|b| me.built(b, Vec::new(), Type::UINT, span).e);
            let product = parts.reduce(|a, b| hir::Expr {
                kind: ExprKind::Binary(hir::BinOp::Mul, Box::new(a), Box::new(b)),
                ty: hir::Ty::U32,
                span,
            });
            let none = || hir::Expr { kind: ExprKind::Int(0), ty: hir::Ty::U32, span };
            me.cast(product.unwrap_or_else(none), &Type::ULONG)
        };
        let outside = hir::Expr { kind: ExprKind::Int(beyond), ty: hir::Ty::U64, span };
        let axes = [Axis::X, Axis::Y, Axis::Z];
        if let Some(k) = self.fold_int(&d) {
            let e = match axes.get(usize::try_from(k).unwrap_or(usize::MAX)) {
                Some(axis) => along(self, *axis),
                None => outside,
            };
            return Ok(self.scalar_ex(e, &Type::ULONG));
        }
        let mut pre = Vec::new();
        let d = self.reusable(d, &mut pre);
        let list: Vec<hir::Expr> = axes.iter().map(|a| along(self, *a)).chain([outside]).collect();
        let chosen = self.chosen(&list, &d, span);
        let value = self.scalar_ex(chosen, &Type::ULONG);
        Ok(self.after(pre, value))
    }

    fn fence(
        &mut self,
        name: &str,
        what: Builtin,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        if args.len() != 1 {
            return Err(Box::new(
                Diagnostic::error(
                    span,
                    format!("`{name}` takes one argument, which memory to order"),
                )
                .help(format!(
                    "write `{name}(CLK_LOCAL_MEM_FENCE)`, `{name}(CLK_GLOBAL_MEM_FENCE)`, or both \
                     joined with `|`"
                )),
            ));
        }
        let Some(flags) = args.into_iter().next() else { return fail(span, "one argument") };
        self.convert(flags, &Type::UINT.q(), span)?;
        Ok(self.built(what, Vec::new(), Type::Void, span))
    }

    /// `atomic_add(p, v)`, also by its older name `atom_add`.
    fn opencl_atomic(
        &mut self,
        name: &str,
        rule: OpenClRule,
        mut args: Vec<TypedExpr>,
        at: Span,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let (op, want) = match rule {
            OpenClRule::Atomic(op) => (Some(op), 2),
            OpenClRule::Step(op) => (Some(op), 1),
            _ => (None, 3),
        };
        self.count(name, &args, want, span)?;
        let pointer = self.load_value(args[0].clone())?;
        args[0] = pointer;
        if let Some(to) = vector_calls::target(&args[0]) {
            if to.space == Space::Local {
                return fail(
                    at,
                    format!(
                        "`{name}` works on `__global` and `__local` memory: nobody else sees \
                         private memory"
                    ),
                );
            }
            let float = to.ty.is_float() && op != Some(AtomicOp::Exch) || to.ty == Type::F64;
            if float {
                let shown = self.show(&to.plain());
                return Err(Box::new(
                    Diagnostic::error(at, format!("`{name}` does not exist for `{shown}`")).help(
                        "loop over `atomic_cmpxchg` on the bits (`as_uint`, `as_float`) instead",
                    ),
                ));
            }
        }
        if want == 1 {
            args.push(self.value(ExprKind::Int(1), Type::INT.q(), span));
        }
        // 64 bits go down as well as up.
        if op == Some(AtomicOp::Sub)
            && let Some(to) = vector_calls::target(&args[0])
            && matches!(to.ty, Type::Int(k) if int_shape(k).0 == 64)
            && let Some(v) = args.pop()
        {
            let v = self.convert(v, &to.plain(), span)?;
            let ty = v.ty.clone();
            let minus = hir::Expr { kind: ExprKind::Unary(hir::UnOp::Neg, Box::new(v)), ty, span };
            args.push(self.scalar_ex(minus, &to.ty));
            return self.atomic(name, AtomicOp::Add, args, at, span);
        }
        match op {
            Some(op) => self.atomic(name, op, args, at, span),
            None => self.atomic_cas(name, args, at, span),
        }
    }

    // ---- vectors in memory

    /// `vload4(i, p)`, `vstore4(v, i, p)`, `vload_half(i, p)`, `vstore_half4_rtz(v, i, p)`,
    /// `vloada_half4(i, p)`: components one by one, because only their own alignment is known.
    fn load_store(
        &mut self,
        name: &str,
        args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<Option<TypedExpr>> {
        let (store, rest) = match (name.strip_prefix("vstore"), name.strip_prefix("vload")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Ok(None),
        };
        let (aligned, rest) = match rest.strip_prefix("a_") {
            Some(r) => (true, r),
            None => (false, rest.strip_prefix('_').unwrap_or(rest)),
        };
        let half = rest.strip_prefix("half");
        let rest = half.unwrap_or(rest);
        let (digits, rounding) = rest.split_once('_').map_or((rest, ""), |(d, r)| (d, r));
        let n: u64 = match digits {
            "" if half.is_some() => 1,
            d => match d.parse() {
                Ok(n) if OPENCL_LENGTHS.contains(&n) => n,
                _ => return Ok(None),
            },
        };
        let known = rounding.is_empty()
            || store && half.is_some() && matches!(rounding, "rte" | "rtz" | "rtp" | "rtn");
        if !known || aligned && half.is_none() {
            return Ok(None);
        }
        self.count(name, &args, if store { 3 } else { 2 }, span)?;
        let mut args = args;
        let (Some(pointer), Some(offset)) = (args.pop(), args.pop()) else {
            return fail(span, "too few arguments");
        };
        let pointer = self.load_value(pointer)?;
        let Some(to) = vector_calls::target(&pointer) else {
            let shown = self.show(&pointer.q);
            return fail(
                span,
                format!("`{name}` needs a pointer to its elements, this is `{shown}`"),
            );
        };
        if half.is_some() && to.ty != Type::F16 || !to.ty.is_arithmetic() {
            let shown = self.show(&to.plain());
            let want = if half.is_some() { "half" } else { "scalars" };
            return fail(
                span,
                format!("`{name}` needs a pointer to {want}, this one points to `{shown}`"),
            );
        }
        let mut pre = Vec::new();
        let offset = self.convert(offset, &Type::ULONG.q(), span)?;
        let stride = if aligned && n == 3 { 4 } else { n };
        let many = hir::Expr { kind: ExprKind::Int(stride), ty: hir::Ty::U64, span };
        let first = match n {
            1 => offset,
            _ => hir::Expr {
                kind: ExprKind::Binary(hir::BinOp::Mul, Box::new(offset), Box::new(many)),
                ty: hir::Ty::U64,
                span,
            },
        };
        let ty = pointer.e.ty.clone();
        let first = self.cast(first, &Type::LONG);
        let kind = ExprKind::PtrAdd(Box::new(pointer.e), Box::new(first));
        let start = self.reusable(hir::Expr { kind, ty: ty.clone(), span }, &mut pre);
        let part = |k: u64| {
            let index = hir::Expr { kind: ExprKind::Int(k), ty: hir::Ty::I32, span };
            let kind = ExprKind::PtrAdd(Box::new(start.clone()), Box::new(index));
            let at = hir::Expr { kind, ty: ty.clone(), span };
            (ExprKind::Deref(Box::new(at)), to.clone())
        };
        let elem = if half.is_some() { Type::F32 } else { to.ty.clone() };
        if !store {
            let mut list = Vec::new();
            for k in 0..n {
                let (kind, q) = part(k);
                let place = self.place(kind, q, span);
                let value = self.load_value(place)?;
                list.push(self.cast(value.e, &elem));
            }
            let value = self.vector_value(&elem, list, span)?;
            return Ok(Some(self.after(pre, value)));
        }
        if to.is_const {
            return fail(span, format!("`{name}` cannot write through a pointer to constants"));
        }
        let Some(value) = args.pop() else { return fail(span, "a value is missing") };
        let value = self.load_value(value)?;
        // A half can be made from a double as well.
        let from = match (half, self.vector_of(&value.q.ty)) {
            (Some(_), Some((Type::F64, _))) => Type::F64,
            (Some(_), None) if value.q.ty == Type::F64 => Type::F64,
            _ => elem,
        };
        let want = self.vector_named(&from, n, span)?;
        let value = self.convert(value, &want.clone().q(), span)?;
        let value = TypedExpr { e: value, q: want.q(), place: false, constant: None };
        let (_, list) = self.components(value, true, &mut pre)?;
        let mut stores = Vec::new();
        for (k, e) in list.into_iter().enumerate() {
            let (kind, q) = part(k as u64);
            let place = self.place(kind, q, span);
            let rounded = match rounding {
                "" => self.cast(e, &to.ty),
                way => {
                    let e = self.scalar_ex(e, &from);
                    let name = format!("convert_half_{way}");
                    let value = self.conversion(&name, vec![e], span, span)?;
                    value.map_or_else(|| fail(span, "no such rounding"), |v| Ok(v.e))?
                }
            };
            let kind = ExprKind::Assign(Box::new(place.e), Box::new(rounded));
            stores.push(self.value(kind, to.plain(), span).e);
        }
        let Some(last) = stores.pop() else { return fail(span, "no component") };
        pre.extend(stores);
        let done = self.value(ExprKind::Cast(Box::new(last)), Type::Void.q(), span);
        Ok(Some(self.after(pre, done)))
    }

    // ---- the whole work-group

    fn group_copy(
        &mut self,
        name: &str,
        mut args: Vec<TypedExpr>,
        span: Span,
    ) -> SemaResult<TypedExpr> {
        let strided = name.ends_with("strided_copy");
        self.count(name, &args, if strided { 5 } else { 4 }, span)?;
        let one = self.value(ExprKind::Int(1), Type::ULONG.q(), span);
        let Some(event) = args.pop() else { return fail(span, "an event is missing") };
        let event = self.convert(event, &Type::ULONG.q(), span)?;
        let stride = if strided { args.pop() } else { None };
        let mut pointers = Vec::new();
        for a in args.drain(..2) {
            pointers.push(self.load_value(a)?);
        }
        let targets: Vec<QualType> = pointers.iter().filter_map(vector_calls::target).collect();
        let [to, from] = &targets[..] else {
            return fail(span, format!("`{name}` takes the addresses of both arrays first"));
        };
        let ways = [(Space::Shared, Space::Global), (Space::Global, Space::Shared)];
        if !ways.contains(&(to.space, from.space)) || to.ty != from.ty || to.is_const {
            let d = Diagnostic::error(
                span,
                format!("`{name}` copies between `__global` and `__local` arrays of one type"),
            );
            return Err(Box::new(d.help("the first argument is where the data go")));
        }
        let mut list = pointers.clone();
        list.append(&mut args);
        // The stride is that of the global array.
        let stride = stride.unwrap_or_else(|| one.clone());
        let (to_step, from_step) =
            if to.space == Space::Global { (stride, one) } else { (one, stride) };
        list.extend([to_step, from_step]);
        let copy = self.own_call("copy", list, span)?;
        let value = self.scalar_ex(event, &Type::ULONG);
        Ok(self.after(vec![copy.e], value))
    }

    /// `printf` with `%v4f` taken apart.
    fn printf_vectors(&mut self, args: Vec<TypedExpr>, span: Span) -> SemaResult<TypedExpr> {
        let Some(ExprKind::Str(text)) = args.first().map(|a| a.e.kind.clone()) else {
            return self.printf(args, span);
        };
        let (text, lengths) = split_vectors(&text);
        let mut pre = Vec::new();
        let mut list = Vec::new();
        let mut args = args.into_iter();
        if let Some(format) = args.next() {
            let e = hir::Expr { kind: ExprKind::Str(text), ..format.e };
            list.push(TypedExpr { e, ..format });
        }
        for (k, a) in args.enumerate() {
            let Some((elem, n)) = self.vector_of(&a.q.ty) else {
                list.push(if a.q.ty == Type::Bool {
                    let e = self.load_value(a)?.e;
                    let e = self.cast(e, &Type::INT);
                    self.scalar_ex(e, &Type::INT)
                } else {
                    a
                });
                continue;
            };
            if lengths.get(k) != Some(&n) {
                let (shown, letter) =
                    (self.show(&a.q.plain()), if elem.is_float() { "f" } else { "d" });
                return Err(Box::new(
                    Diagnostic::error(a.e.span, format!("the format has no place for a `{shown}`"))
                        .help(format!("write `%v{n}{}{letter}`", modifier(&elem))),
                ));
            }
            let (_, parts) = self.components(a, false, &mut pre)?;
            list.extend(parts.into_iter().map(|e| self.scalar_ex(e, &elem)));
        }
        let value = self.printf(list, span)?;
        Ok(self.after(pre, value))
    }
}

/// Length modifier of a vector's components in a format.
fn modifier(elem: &Type) -> &'static str {
    match elem {
        Type::F64 => "l",
        Type::Int(k) => match int_shape(*k).0 {
            8 => "hh",
            16 => "h",
            64 => "l",
            _ => "hl",
        },
        _ => "hl",
    }
}

/// Formats such as `%5.2v4hlf` become four of `%5.2f`, with commas. The lengths are those of all
/// arguments, 1 for scalars.
fn split_vectors(format: &str) -> (String, Vec<u64>) {
    let mut out = String::new();
    let mut lengths = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out += &rest[..at];
        rest = &rest[at..];
        let end =
            rest[1..].find(|c: char| c.is_ascii_alphabetic() && !"hlzjtv".contains(c) || c == '%');
        let Some(end) = end.map(|e| e + 2) else { break };
        let (spec, after) = rest.split_at(end);
        rest = after;
        lengths.extend(spec.matches('*').map(|_| 1));
        let vector = spec.find('v').map(|v| {
            let digits: String = spec[v + 1..].chars().take_while(char::is_ascii_digit).collect();
            (v, digits.len(), digits.parse::<u64>().unwrap_or(1))
        });
        match vector {
            Some((v, digits, n)) => {
                // `hl` exists for vectors only; components of 8 and 16 bits arrive as `int`.
                let tail = spec[v + 1 + digits..].replace("hl", "").replace('h', "");
                let tail = if tail.ends_with(['f', 'e', 'g', 'a', 'F', 'E', 'G', 'A']) {
                    tail.replace('l', "")
                } else {
                    tail
                };
                let one = format!("{}{tail}", &spec[..v]);
                out += &vec![one; n as usize].join(",");
                lengths.push(n);
            }
            None => {
                out += spec;
                if !spec.ends_with('%') {
                    lengths.push(1);
                }
            }
        }
    }
    out += rest;
    (out, lengths)
}

/// Written as `sampler_t`, which is a number here.
fn is_sampler(ty: &ast::Ty) -> bool {
    match &ty.kind {
        TyKind::Name(n) => &*n.last().id == "sampler_t",
        TyKind::In(_, inner) => is_sampler(inner),
        _ => false,
    }
}

/// Written as `size_t` or one of its relatives.
fn named_size(ty: &ast::Ty) -> bool {
    match &ty.kind {
        TyKind::Name(n) => {
            matches!(&*n.last().id, "size_t" | "ptrdiff_t" | "intptr_t" | "uintptr_t" | "event_t")
        }
        TyKind::In(_, inner) => named_size(inner),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vector_formats_are_taken_apart() {
        let (text, lengths) = split_vectors("%d: %5.2v4hlf %% %v2d|%s");
        assert_eq!(text, "%d: %5.2f,%5.2f,%5.2f,%5.2f %% %d,%d|%s");
        assert_eq!(lengths, [1, 4, 2, 1]);
    }
}
