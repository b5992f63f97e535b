//! Names, types, templates and overloads: from the untyped tree to [`crate::hir`].
//!
//! [`Sema`] holds everything known about the program. Scopes form a tree in an arena: file,
//! namespaces, classes, template arguments, functions and blocks alike. Function bodies are typed
//! when the function is first needed.

pub(crate) mod debug;
mod decl;
mod expr;
mod jumps;
mod names;
pub(crate) mod opencl;
mod reach;
mod stmt;
pub(crate) mod types;

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use crate::ast::{self, Ident};
use crate::diag::{Diagnostic, MAX_ERRORS, Severity};
use crate::hir::{self, FuncId, GlobalId, LocalId, Module, StructId};
use crate::language::{CompileOptions, Language};
use crate::source::{FileId, SourceMap, Span};
use crate::words::Words;
use types::{EnumInfo, FnTy, QualType, Type, VarTy};

/// Result of typing something: the thing or one message.
pub(crate) type SemaResult<V> = Result<V, Box<Diagnostic>>;

/// Instances of templates and functions of one program.
const MAX_INSTANCES: usize = 4_000;
/// Nesting of instantiations.
const MAX_INSTANTIATION_DEPTH: usize = 128;

/// Index into [`Sema::scopes`].
pub(crate) type ScopeId = usize;
/// Index into [`Sema::funcs`].
pub(crate) type FnIdx = usize;

/// A constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constant {
    /// Sign- or zero-extended to 64 bits, as its type says.
    Int(u64),
    Float(f64),
}

/// Template argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TemplateArg {
    Type(QualType),
    Int(u64, Type),
    /// A class template, by its number.
    Template(usize),
}

/// What a name can stand for.
#[derive(Clone, Debug)]
pub(crate) enum Entity {
    Local(Rc<LocalVar>),
    Global(usize),
    Funcs(Rc<Vec<FnIdx>>),
    Type(QualType),
    StructTemplate(usize),
    AliasTemplate(usize),
    VarTemplate(usize),
    Namespace(ScopeId),
    Const(Constant, QualType),
    /// Member of the class that owns the scope.
    Field,
    Host(Span),
    /// Its declaration was wrong: uses of it are no news.
    Broken,
}

/// A variable of the function being typed.
#[derive(Clone, Debug)]
pub(crate) struct LocalVar {
    pub id: LocalId,
    pub ty: VarTy,
    pub constant: Option<Constant>,
    /// Serial number of its function, to notice uses from a lambda.
    pub owner: usize,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) enum ScopeKind {
    Namespace,
    Class(StructId),
    /// Template arguments, function, block.
    Block,
}

#[derive(Debug)]
pub(crate) struct Scope {
    pub parent: Option<ScopeId>,
    pub kind: ScopeKind,
    pub name: Ident,
    pub names: HashMap<Ident, Entity>,
    pub using: Vec<ScopeId>,
}

/// Packs by name, of templates and of functions, with their lengths.
type Lengths = HashMap<Ident, usize>;

/// A function template whose packs have these lengths.
type Unpacked = (FnIdx, Vec<usize>);

/// Class templates with their packs written out, by the template's address and the lengths; the
/// template is kept, so that its address stays its own.
type UnpackedStructs =
    HashMap<(*const ast::Struct, Vec<usize>), (Rc<ast::Struct>, Rc<ast::Struct>)>;

/// Variable at file scope or static member.
#[derive(Debug)]
pub(crate) struct GlobalVar {
    pub id: Option<GlobalId>,
    pub q: QualType,
    pub constant: Option<Constant>,
    /// Elements of a constexpr array or struct.
    pub value: Option<hir::Expr>,
    /// `extern` without a value: the definition may follow.
    pub is_extern: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct FieldInfo {
    pub name: Ident,
    pub ty: VarTy,
    /// Bytes that it is aligned to, if not as its type is.
    pub align: Option<u64>,
    pub default: Option<Rc<ast::Var>>,
    /// Width of a bit-field.
    pub bits: Option<u8>,
}

#[derive(Debug)]
pub(crate) struct StructInfo {
    pub ast: Option<Rc<ast::Struct>>,
    /// Scope of its members.
    pub scope: ScopeId,
    pub plain: Ident,
    pub targs: Option<Vec<TemplateArg>>,
    /// Template it was made from.
    pub template: Option<usize>,
    pub fields: Vec<FieldInfo>,
    /// Bases come first among the fields.
    pub bases: Vec<StructId>,
    pub ctors: Vec<FnIdx>,
    pub complete: bool,
    /// Why its members could not be laid out, to be said where device code uses it.
    pub broken: Option<Diagnostic>,
    pub vector: Option<(Type, u64)>,
    pub span: Span,
}

/// Class template with its specialisations.
#[derive(Debug)]
pub(crate) struct StructTemplate {
    pub ast: Rc<ast::Struct>,
    pub scope: ScopeId,
    pub special: Vec<Rc<ast::Struct>>,
    pub instances: HashMap<Vec<TemplateArg>, StructId>,
    /// Members defined outside.
    pub members: Vec<Rc<ast::Function>>,
}

#[derive(Debug)]
pub(crate) struct AliasTemplate {
    pub ty: ast::Ty,
    pub params: Rc<Vec<ast::TParam>>,
    pub scope: ScopeId,
}

/// Template of a variable.
#[derive(Debug)]
pub(crate) struct VarTemplate {
    pub ast: Rc<ast::Var>,
    pub params: Rc<Vec<ast::TParam>>,
    pub scope: ScopeId,
    pub special: Vec<(Vec<TemplateArg>, Rc<ast::Var>)>,
    pub partial: Vec<PartialVar>,
    pub instances: HashMap<Vec<TemplateArg>, usize>,
}

/// Specialisation of a template of a variable, for arguments of a pattern.
#[derive(Clone, Debug)]
pub(crate) struct PartialVar {
    pub pattern: Vec<ast::TArg>,
    /// Those in the pattern.
    pub params: Rc<Vec<ast::TParam>>,
    pub ast: Rc<ast::Var>,
}

/// Parameter and result types.
#[derive(Clone, Debug)]
pub(crate) struct Sig {
    pub params: Vec<VarTy>,
    /// `None`: `auto`, deduced from the body.
    pub ret: Option<VarTy>,
}

/// A declared function or function template.
#[derive(Debug)]
pub(crate) struct FnDecl {
    pub ast: Rc<ast::Function>,
    pub scope: ScopeId,
    pub owner: Option<StructId>,
    /// Of functions that are no templates.
    pub sig: Option<Rc<Sig>>,
    /// Explicit specialisations.
    pub special: Vec<(Vec<TemplateArg>, FnIdx)>,
    /// `extern "C"` on any of its declarations.
    pub extern_c: bool,
}

/// A function as code is made for it.
#[derive(Debug)]
pub(crate) struct Instance {
    pub func: FuncId,
    pub sig: Sig,
}

/// What `this` is.
#[derive(Clone, Debug)]
pub(crate) enum This {
    None,
    /// Local 0 holds the address; the type is that of the object.
    Pointer(QualType),
    /// The object is a local (in constructors).
    Object(LocalId, QualType),
}

/// The function whose body is being typed.
pub(crate) struct Ctx {
    pub serial: usize,
    pub locals: Vec<hir::Local>,
    pub scope: ScopeId,
    /// Scope of the function's outermost block.
    pub top: ScopeId,
    pub ret: Option<VarTy>,
    pub this: This,
    /// End of the innermost block, for the scopes of locals.
    pub block_end: u32,
    /// Objects that are alive around each loop or `switch` that a `break` leaves.
    pub breaks: Vec<usize>,
    /// The same for each loop.
    pub continues: Vec<usize>,
    /// Objects with destructors whose blocks have not ended.
    pub alive: Vec<Alive>,
    pub labels: Vec<Label>,
    pub label_count: u32,
    pub name: String,
    pub is_kernel: bool,
}

/// An object whose block has not ended.
pub(crate) struct Alive {
    /// `None` for a part of the object that a destructor is at.
    pub local: Option<LocalId>,
    /// What destroys it.
    pub end: Vec<hir::Stmt>,
}

/// A label that a `goto` at hand may go to.
pub(crate) struct Label {
    pub name: Ident,
    pub number: u32,
    /// Objects that are alive there.
    pub alive: usize,
}

/// A typed expression.
#[derive(Clone, Debug)]
pub(crate) struct TypedExpr {
    pub e: hir::Expr,
    pub q: QualType,
    /// Denotes storage.
    pub place: bool,
    /// Value of a constant variable.
    pub constant: Option<Constant>,
}

/// A body that waits to be typed.
struct Pending {
    decl: FnIdx,
    inst: Rc<Instance>,
    scope: ScopeId,
    depth: usize,
}

/// Everything known about the program.
pub(crate) struct Sema<'a> {
    pub module: Module,
    pub diags: Vec<Diagnostic>,
    own: &'a HashSet<FileId>,
    scopes: Vec<Scope>,
    structs: Vec<StructInfo>,
    enums: Vec<EnumInfo>,
    globals: Vec<GlobalVar>,
    funcs: Vec<FnDecl>,
    struct_templates: Vec<StructTemplate>,
    alias_templates: Vec<AliasTemplate>,
    var_templates: Vec<VarTemplate>,
    /// Functions whose addresses are taken: number `n` has the address `n + 1`.
    addressed: Vec<(FuncId, Rc<FnTy>)>,
    /// The functions that call what an address of a type means.
    dispatchers: HashMap<Rc<FnTy>, FuncId>,
    instances: HashMap<(FnIdx, Vec<TemplateArg>), Rc<Instance>>,
    /// The functions that make virtual calls, by the function that is virtual.
    virtuals: HashMap<FnIdx, Rc<Instance>>,
    /// Templates whose packs have been written out, and what they were made from.
    unpacked: HashMap<Unpacked, FnIdx>,
    packed: HashMap<FnIdx, (FnIdx, Lengths)>,
    unpacked_structs: UnpackedStructs,
    work: VecDeque<Pending>,
    /// Functions of the host that name templates, with their scopes.
    hosts: Vec<(Rc<ast::Function>, ScopeId)>,
    /// Functions whose bodies are being typed right now.
    active: HashSet<FuncId>,
    /// Deduced results of functions declared `auto`.
    auto_rets: HashMap<FuncId, VarTy>,
    /// Functions that constant expressions may call: `constexpr` ones and constructors.
    constexprs: HashSet<FuncId>,
    ctx: Ctx,
    serials: usize,
    depth: usize,
    vectors: HashMap<Ident, StructId>,
    /// Array elements that initialisers may still make.
    init_budget: usize,
    /// Steps that constant expressions may still take.
    fold_budget: usize,
    /// The next call names its class, as in `Base::f()`: it is not virtual.
    direct: bool,
    /// In an expression of the debugger: nothing may change.
    read_only: bool,
    /// Device code may call any `constexpr` function.
    relaxed_constexpr: bool,
}

/// Types a program. `broken`: there are errors already, so that missing names are no news.
pub(crate) fn analyse(
    decls: &[ast::Decl],
    sources: SourceMap,
    own: &HashSet<FileId>,
    broken: bool,
    options: &CompileOptions,
) -> (Module, Vec<Diagnostic>) {
    let mut sema = Sema::new(sources, own, options.language);
    sema.module.opencl = options.opencl;
    let relaxed = |d: &String| d.starts_with("__CUDACC_RELAXED_CONSTEXPR__");
    sema.relaxed_constexpr = options.defines.iter().any(relaxed);
    if sema.is_c() {
        sema.declare_sub_groups(decls);
    }
    sema.declare_all(decls, 0);
    sema.bodies();
    if !broken {
        sema.mentioned_by_hosts();
    }
    sema.fill_virtuals();
    if !broken && sema.errors() == 0 {
        sema.finish();
    }
    (sema.module, sema.diags)
}

impl<'a> Sema<'a> {
    pub(crate) fn new(
        sources: SourceMap,
        own: &'a HashSet<FileId>,
        language: Language,
    ) -> Sema<'a> {
        let root = Scope {
            parent: None,
            kind: ScopeKind::Namespace,
            name: "".into(),
            names: HashMap::new(),
            using: Vec::new(),
        };
        let mut sema = Sema {
            module: Module { sources, language, ..Module::default() },
            diags: Vec::new(),
            own,
            scopes: vec![root],
            structs: Vec::new(),
            enums: Vec::new(),
            globals: Vec::new(),
            funcs: Vec::new(),
            struct_templates: Vec::new(),
            alias_templates: Vec::new(),
            var_templates: Vec::new(),
            addressed: Vec::new(),
            dispatchers: HashMap::new(),
            instances: HashMap::new(),
            virtuals: HashMap::new(),
            unpacked: HashMap::new(),
            packed: HashMap::new(),
            unpacked_structs: HashMap::new(),
            work: VecDeque::new(),
            hosts: Vec::new(),
            active: HashSet::new(),
            auto_rets: HashMap::new(),
            constexprs: HashSet::new(),
            ctx: Ctx::outside(),
            serials: 0,
            depth: 0,
            vectors: HashMap::new(),
            init_budget: 4_000_000,
            fold_budget: 2_000_000,
            direct: false,
            read_only: false,
            relaxed_constexpr: false,
        };
        sema.declare_builtin_types();
        sema
    }

    pub(crate) fn errors(&self) -> usize {
        self.diags.iter().filter(|d| d.severity == Severity::Error).count()
    }

    fn report(&mut self, d: Diagnostic) {
        if d.message.is_empty() {
            return;
        }
        let same = self.diags.iter().any(|o| o.span == d.span && o.message == d.message);
        let room = match d.severity {
            Severity::Error => self.errors() < MAX_ERRORS,
            Severity::Warning => self.diags.len() < 5 * MAX_ERRORS,
        };
        if !same && room {
            self.diags.push(d);
        }
    }

    fn warn(&mut self, span: Span, text: impl Into<String>) {
        self.report(Diagnostic::warning(span, text));
    }

    fn push_scope(&mut self, parent: ScopeId, kind: ScopeKind, name: &str) -> ScopeId {
        self.scopes.push(Scope {
            parent: Some(parent),
            kind,
            name: name.into(),
            names: HashMap::new(),
            using: Vec::new(),
        });
        self.scopes.len() - 1
    }

    /// The machine's type of `t`.
    fn machine(&self, t: &Type) -> hir::Ty {
        types::machine(t, &self.enums)
    }

    /// What the source's language calls what messages speak of.
    fn words(&self) -> &'static Words {
        crate::words::of(self.module.language)
    }

    /// Name of a type in messages.
    pub(crate) fn show(&self, q: &QualType) -> String {
        let base = match &q.ty {
            Type::Void => "void".into(),
            Type::Bool => "bool".into(),
            Type::Int(k) => types::int_name(*k).into(),
            Type::F16 => "__half".into(),
            Type::F32 => "float".into(),
            Type::F64 => "double".into(),
            Type::Ptr(to) => {
                let inner = format!("{}{}", types::space_prefix(to.space), self.show(to));
                let space = if inner.ends_with('*') { "" } else { " " };
                return format!("{inner}{space}*{}", if q.is_const { " const" } else { "" });
            }
            Type::Array(..) => {
                let mut dims = String::new();
                let mut inner = q.clone();
                while let Type::Array(elem, n) = inner.ty.clone() {
                    dims += &n.map_or("[]".into(), |n| format!("[{n}]"));
                    inner = (*elem).clone();
                }
                return format!("{}{dims}", self.show(&inner));
            }
            Type::Struct(id) => self.module.structs[id.0 as usize].name.clone(),
            Type::Enum(e) => self.enums[*e as usize].name.clone(),
            Type::Nullptr => "nullptr_t".into(),
            Type::Func(f) | Type::Method(f) => {
                let list =
                    |p: &[VarTy]| p.iter().map(|p| self.show_var(p)).collect::<Vec<_>>().join(", ");
                let ret = self.show_var(&f.ret);
                return match f.params.split_first() {
                    Some((this, rest)) if matches!(q.ty, Type::Method(_)) => {
                        let object =
                            this.q.ty.pointee().map(|o| (o.is_const, self.show(&o.plain())));
                        let (constant, class) = object.unwrap_or_default();
                        let constant = if constant { " const" } else { "" };
                        format!("{ret} ({class}::*)({}){constant}", list(rest))
                    }
                    _ => format!("{ret} (*)({})", list(&f.params)),
                };
            }
            Type::Member(m) => {
                let class = &self.module.structs[m.0.0 as usize].name;
                return format!("{} {class}::*", self.show(&m.1));
            }
        };
        if q.is_const { format!("const {base}") } else { base }
    }

    fn show_var(&self, v: &VarTy) -> String {
        format!("{}{}", self.show(&v.q), if v.by_ref { " &" } else { "" })
    }

    fn show_targs(&self, targs: &[TemplateArg]) -> String {
        let one = |t: &TemplateArg| match t {
            TemplateArg::Type(q) => self.show(q),
            TemplateArg::Int(v, Type::Bool) => (*v != 0).to_string(),
            TemplateArg::Int(v, Type::Member(m)) => match self.member_at(m, *v) {
                Some((class, name)) => {
                    format!("&{}::{name}", self.module.structs[class.0 as usize].name)
                }
                None => "nullptr".into(),
            },
            TemplateArg::Int(v, Type::Func(_) | Type::Method(_)) => {
                match self.addressed.get((*v as usize).wrapping_sub(1)) {
                    Some(f) => self.module.functions[f.0.0 as usize].name.clone(),
                    None => "nullptr".into(),
                }
            }
            TemplateArg::Template(t) => {
                self.struct_templates[*t].ast.name.as_deref().unwrap_or("").into()
            }
            TemplateArg::Int(v, t) => match self.machine(t) {
                hir::Ty::Int { signed: false, .. } => v.to_string(),
                _ => (*v as i64).to_string(),
            },
        };
        let list: Vec<String> = targs.iter().map(one).collect();
        format!("<{}>", list.join(", "))
    }

    /// Types the bodies that wait, until none is left.
    fn bodies(&mut self) {
        let mut waiting = VecDeque::new();
        while let Some(p) = self.work.pop_front() {
            // The definition of what is only declared so far may follow.
            if matches!(self.funcs[p.decl].ast.body, ast::Body::None) {
                self.refresh_unpacked(p.decl);
            }
            if matches!(self.funcs[p.decl].ast.body, ast::Body::None) {
                waiting.push_back(p);
            } else {
                self.body(p);
            }
        }
        self.work = waiting;
    }
}

impl Ctx {
    fn outside() -> Ctx {
        Ctx {
            serial: 0,
            locals: Vec::new(),
            scope: 0,
            top: 0,
            ret: None,
            this: This::None,
            block_end: 0,
            breaks: Vec::new(),
            continues: Vec::new(),
            alive: Vec::new(),
            labels: Vec::new(),
            label_count: 0,
            name: String::new(),
            is_kernel: false,
        }
    }
}

/// An error as a result.
pub(crate) fn fail<V>(span: Span, text: impl Into<String>) -> SemaResult<V> {
    Err(Box::new(Diagnostic::error(span, text)))
}

/// An error that has been reported already.
pub(crate) fn silent<V>(span: Span) -> SemaResult<V> {
    fail(span, "")
}
