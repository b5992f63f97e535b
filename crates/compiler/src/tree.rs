//! The typed tree as text: C again, but with everything written out that the front end has settled:
//! conversions, instantiated templates, references as pointers, the storage of every variable.

use std::fmt::Write;

use crate::hir::{
    Axis, BinOp, Block, Builtin, CmpOp, Expr, ExprKind, Function, Module, Stmt, StmtKind, Storage,
    StructDef, Ty, UnOp, Unroll,
};

/// All of `module` as text.
pub fn tree(module: &Module) -> String {
    let mut out = String::new();
    // The built-in vector types are in every module and tell nothing.
    let own = |s: &&StructDef| !s.is_vector && !matches!(s.name.as_str(), "dim3" | "__half2");
    for s in module.structs.iter().filter(own) {
        let union = if s.is_union { "union" } else { "struct" };
        let _ = writeln!(out, "{union} {} // {} bytes, aligned to {}", s.name, s.size, s.align);
        for f in &s.fields {
            let _ = writeln!(out, "    +{} {}: {}", f.offset, f.name, module.type_name(&f.ty));
        }
    }
    for g in &module.globals {
        let init = match &g.init {
            Some(bytes) => format!("{} given bytes", bytes.len()),
            None => "zeros".into(),
        };
        let name = module.type_name(&g.ty);
        let _ = writeln!(out, "global {}: {name} in {:?} memory = {init}", g.name, g.space);
    }
    for f in &module.functions {
        Printer { module, function: f, out: &mut out }.function();
    }
    out
}

struct Printer<'a> {
    module: &'a Module,
    function: &'a Function,
    out: &'a mut String,
}

impl Printer<'_> {
    fn function(&mut self) {
        let f = self.function;
        let at = self.module.sources.locate(f.span);
        let what = match &f.kernel {
            Some(k) if k.extern_c => format!("kernel {}", f.name),
            Some(k) => format!("kernel {} (symbol {})", f.name, k.symbol),
            None => format!("function {} -> {}", f.name, self.module.type_name(&f.ret)),
        };
        let _ = writeln!(self.out, "\n{what} // {at}");
        for (i, local) in f.locals.iter().enumerate() {
            let kind = match local.storage {
                _ if i < f.param_count as usize => "param",
                Storage::Auto if local.needs_memory => "local memory",
                Storage::Auto => "register",
                Storage::Shared | Storage::SharedFile => "shared",
                Storage::SharedDynamic => "dynamic shared",
            };
            let name = self.module.type_name(&local.ty);
            let _ = writeln!(self.out, "    {kind} {}: {name}", local.name);
        }
        self.block(&f.body, 1);
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(depth));
    }

    fn braces(&mut self, block: &Block, depth: usize) {
        self.line(depth, "{");
        self.block(block, depth + 1);
        self.line(depth, "}");
    }

    fn block(&mut self, block: &Block, depth: usize) {
        for stmt in block {
            self.stmt(stmt, depth);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) {
        match &stmt.kind {
            StmtKind::Expr(e) => {
                let text = self.expr(e);
                self.line(depth, &format!("{text};"));
            }
            StmtKind::Let(id, init) => {
                let local = &self.function.locals[id.0 as usize];
                let mut text = format!("let {}: {}", local.name, self.module.type_name(&local.ty));
                if let Some(init) = init {
                    text += &format!(" = {}", self.expr(init));
                }
                self.line(depth, &format!("{text};"));
            }
            StmtKind::Block(block) => self.braces(block, depth),
            StmtKind::If { cond, then, els } => {
                let cond = self.expr(cond);
                self.line(depth, &format!("if ({cond})"));
                self.braces(then, depth);
                if !els.is_empty() {
                    self.line(depth, "else");
                    self.braces(els, depth);
                }
            }
            StmtKind::Loop { cond, test_last, step, body, unroll } => {
                let cond = cond.as_ref().map_or("true".into(), |c| self.expr(c));
                let unroll = match unroll {
                    Unroll::None => String::new(),
                    Unroll::Full => " // unroll".into(),
                    Unroll::By(n) => format!(" // unroll by {n}"),
                };
                let head = if *test_last { "loop, test at the end" } else { "loop while" };
                self.line(depth, &format!("{head} ({cond}){unroll}"));
                self.braces(body, depth);
                if let Some(step) = step {
                    let step = self.expr(step);
                    self.line(depth, &format!("step {step};"));
                }
            }
            StmtKind::Switch { value, arms } => {
                let value = self.expr(value);
                self.line(depth, &format!("switch ({value})"));
                for arm in arms {
                    let mut labels: Vec<String> =
                        arm.labels.iter().map(|l| format!("case {l}:")).collect();
                    if arm.is_default {
                        labels.push("default:".into());
                    }
                    self.line(depth, &labels.join(" "));
                    self.block(&arm.body, depth + 1);
                }
            }
            StmtKind::Labelled { label, again, body } => {
                let place = if *again { "beginning" } else { "end" };
                self.line(depth, &format!("label {label} at the {place} of"));
                self.braces(body, depth);
            }
            StmtKind::Goto(label) => self.line(depth, &format!("goto {label};")),
            StmtKind::Break => self.line(depth, "break;"),
            StmtKind::Continue => self.line(depth, "continue;"),
            StmtKind::Return(None) => self.line(depth, "return;"),
            StmtKind::Return(Some(e)) => {
                let text = self.expr(e);
                self.line(depth, &format!("return {text};"));
            }
        }
    }

    fn list(&self, args: &[Expr]) -> String {
        args.iter().map(|a| self.expr(a)).collect::<Vec<_>>().join(", ")
    }

    fn field(&self, ty: &Ty, index: u32) -> String {
        match ty {
            Ty::Struct(id) => {
                self.module.structs[id.0 as usize].fields[index as usize].name.clone()
            }
            _ => index.to_string(),
        }
    }

    fn expr(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Local(id) => self.function.locals[id.0 as usize].name.clone(),
            ExprKind::Global(id) => self.module.globals[id.0 as usize].name.clone(),
            ExprKind::Deref(p) => match &p.kind {
                ExprKind::PtrAdd(base, index) => {
                    format!("{}[{}]", self.expr(base), self.expr(index))
                }
                _ => format!("*{}", self.expr(p)),
            },
            ExprKind::Field(place, i) | ExprKind::FieldOf(place, i) => {
                format!("{}.{}", self.expr(place), self.field(&place.ty, *i))
            }
            ExprKind::Index(place, i) => format!("{}[{}]", self.expr(place), self.expr(i)),
            ExprKind::Int(n) => self.integer(&e.ty, *n),
            ExprKind::Float(x) => match e.ty {
                Ty::F32 => format!("{x:?}f"),
                Ty::F16 => format!("{x:?}h"),
                _ => format!("{x:?}"),
            },
            ExprKind::Str(s) => format!("{s:?}"),
            ExprKind::Load(place) => self.expr(place),
            ExprKind::AddrOf(place) => format!("&{}", self.expr(place)),
            ExprKind::PtrAdd(p, i) => format!("({} + {})", self.expr(p), self.expr(i)),
            ExprKind::PtrDiff(a, b) => format!("({} - {})", self.expr(a), self.expr(b)),
            ExprKind::Unary(UnOp::Neg, x) => format!("-{}", self.expr(x)),
            ExprKind::Unary(UnOp::Not, x) => format!("~{}", self.expr(x)),
            ExprKind::Binary(op, a, b) => {
                format!("({} {} {})", self.expr(a), symbol(*op), self.expr(b))
            }
            ExprKind::Cmp(op, a, b) => {
                let op = match op {
                    CmpOp::Eq => "==",
                    CmpOp::Ne => "!=",
                    CmpOp::Lt => "<",
                    CmpOp::Le => "<=",
                    CmpOp::Gt => ">",
                    CmpOp::Ge => ">=",
                };
                format!("({} {op} {})", self.expr(a), self.expr(b))
            }
            ExprKind::And(a, b) => format!("({} && {})", self.expr(a), self.expr(b)),
            ExprKind::Or(a, b) => format!("({} || {})", self.expr(a), self.expr(b)),
            ExprKind::Cond(c, a, b) => {
                format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b))
            }
            ExprKind::Cast(x) => format!("({}){}", self.module.type_name(&e.ty), self.expr(x)),
            ExprKind::Assign(place, x) => format!("{} = {}", self.expr(place), self.expr(x)),
            ExprKind::AssignOp(op, place, x) => {
                format!("{} {}= {}", self.expr(place), symbol(*op), self.expr(x))
            }
            ExprKind::IncDec { place, inc, post } => {
                let (op, place) = (if *inc { "++" } else { "--" }, self.expr(place));
                if *post { format!("{place}{op}") } else { format!("{op}{place}") }
            }
            ExprKind::Call(id, args) => {
                format!("{}({})", self.module.functions[id.0 as usize].name, self.list(args))
            }
            ExprKind::Builtin(builtin, args) => match builtin {
                Builtin::ThreadIdx(axis) => format!("threadIdx.{}", letter(*axis)),
                Builtin::BlockIdx(axis) => format!("blockIdx.{}", letter(*axis)),
                Builtin::BlockDim(axis) => format!("blockDim.{}", letter(*axis)),
                Builtin::GridDim(axis) => format!("gridDim.{}", letter(*axis)),
                Builtin::SyncThreads => "__syncthreads()".into(),
                Builtin::SyncGrid => "grid.sync()".into(),
                // The other names are those of the tree, with the type of the result where it
                // decides.
                other => {
                    format!("{other:?}<{}>({})", self.module.type_name(&e.ty), self.list(args))
                }
            },
            ExprKind::Comma(a, b) => format!("({}, {})", self.expr(a), self.expr(b)),
            ExprKind::Aggregate(members) => {
                format!("{}{{{}}}", self.module.type_name(&e.ty), self.list(members))
            }
        }
    }

    fn integer(&self, ty: &Ty, n: u64) -> String {
        match ty {
            Ty::Bool => (n != 0).to_string(),
            Ty::Int { bits, signed: true } => {
                let shift = 64 - u32::from(*bits);
                (((n << shift) as i64) >> shift).to_string()
            }
            Ty::Int { .. } => format!("{n}u"),
            _ => format!("{n:#x}"),
        }
    }
}

fn letter(axis: Axis) -> char {
    match axis {
        Axis::X => 'x',
        Axis::Y => 'y',
        Axis::Z => 'z',
    }
}

fn symbol(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::Div => "/",
        BinOp::Rem => "%",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
        BinOp::Shl => "<<",
        BinOp::Shr => ">>",
    }
}
