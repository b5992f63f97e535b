//! The untyped tree: what was written, with places, before names and types are settled.

use std::rc::Rc;

use crate::source::Span;

/// The name of every destructor.
pub(crate) const DESTRUCTOR: &str = "~";

/// A sum or product with more operators than this is typed piece by piece.
pub(crate) const PIECE: usize = 200;

/// Identifier.
pub(crate) type Ident = Rc<str>;

/// A possibly qualified name, `ns::S<int>::f`.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub parts: Vec<Part>,
    /// Begins with `::`.
    pub global: bool,
    /// Stands behind `struct`, `class` or `union`, which declares it where nobody has.
    pub elaborated: bool,
    pub span: Span,
}

/// One component of a name.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub id: Ident,
    pub args: Option<Vec<TArg>>,
    pub span: Span,
}

impl Name {
    pub fn simple(id: Ident, span: Span) -> Name {
        Name { parts: vec![Part { id, args: None, span }], global: false, elaborated: false, span }
    }
    pub fn last(&self) -> &Part {
        &self.parts[self.parts.len() - 1]
    }
    /// The identifier, if it is a plain one.
    pub fn plain(&self) -> Option<&Ident> {
        match &self.parts[..] {
            [Part { id, args: None, .. }] if !self.global => Some(id),
            _ => None,
        }
    }
}

/// The name of the functions whose results say what the arguments of the class template `class`
/// are.
pub(crate) fn guide(class: &str) -> Ident {
    format!("guide:{class}").into()
}

/// Template argument.
#[derive(Clone, Debug)]
pub(crate) enum TArg {
    Type(Ty),
    Expr(Expr),
}

/// Integer types of C, which are more than those of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IntKind {
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
}

/// Type as written.
#[derive(Clone, Debug)]
pub(crate) struct Ty {
    pub kind: TyKind,
    pub is_const: bool,
    pub span: Span,
}

/// The innermost type behind pointers and references.
pub(crate) fn auto_core(ty: &Ty) -> &Ty {
    match &ty.kind {
        TyKind::Ptr(to, _) | TyKind::Ref(to, _) | TyKind::Volatile(to) => auto_core(to),
        _ => ty,
    }
}

#[derive(Clone, Debug)]
pub(crate) enum TyKind {
    Void,
    Bool,
    Int(IntKind),
    F32,
    F64,
    Auto,
    Name(Name),
    Decltype(Box<Expr>),
    /// `__typeof__(e)`: never a reference, nor `const` for a value.
    Typeof(Box<Expr>),
    /// The flag is `__restrict__`.
    Ptr(Box<Ty>, bool),
    /// The flag is `&&`.
    Ref(Box<Ty>, bool),
    /// In an address space of OpenCL, as in `__global float`.
    In(crate::hir::Space, Box<Ty>),
    Volatile(Box<Ty>),
    Array(Box<Ty>, Option<Box<Expr>>),
    /// Of a member function `const` makes the type constant.
    Func(Rc<FuncTy>),
    /// Pointer to a member of this type of a class, `T S::*`.
    Member(Box<Ty>, Box<Ty>),
    /// `T...`: once for each element of the packs in it.
    Expand(Box<Ty>),
    /// Struct defined on the spot.
    Struct(Rc<Struct>),
    /// Enum defined on the spot.
    Enum(Rc<Enum>),
}

/// Result and parameters of a function type.
#[derive(Debug)]
pub(crate) struct FuncTy {
    pub ret: Ty,
    pub params: Vec<Param>,
}

/// Expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CastStyle {
    C,
    Static,
    Reinterpret,
    Const,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Int(u64, IntKind),
    /// The bits tell the type: 16, 32, 64.
    Float(f64, u8),
    Char(i64),
    Str(Vec<u8>),
    Bool(bool),
    Nullptr,
    This,
    Name(Name),
    Paren(Box<Expr>),
    /// `-`, `+`, `!`, `~`, `*`, `&`
    Unary(&'static str, Box<Expr>),
    IncDec {
        inc: bool,
        post: bool,
        place: Box<Expr>,
    },
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `=` has the operator "".
    Assign(&'static str, Box<Expr>, Box<Expr>),
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    Call(Box<Expr>, Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
    Member {
        base: Box<Expr>,
        arrow: bool,
        name: Name,
    },
    Cast(CastStyle, Ty, Box<Expr>),
    /// `T(a, b)` and `T{a, b}`
    Construct {
        ty: Ty,
        args: Vec<Expr>,
        braces: bool,
    },
    Init(Vec<InitItem>),
    SizeofTy(Ty),
    SizeofExpr(Box<Expr>),
    Alignof(Ty),
    /// `offsetof(T, a.b[2])`, of the place `(*(T *)0).a.b[2]`.
    Offsetof(Box<Expr>),
    /// `e...`: once for each element of the packs in it.
    Expand(Box<Expr>),
    /// `sizeof...(Ts)`
    SizeofPack(Ident),
    /// `(e op ...)`, `(... op e)`, `(e op ... op e)`
    Fold {
        op: &'static str,
        first: Option<Box<Expr>>,
        last: Option<Box<Expr>>,
    },
    /// `new T(args)`, `new T[count]`, `new (at) T`
    New {
        ty: Ty,
        at: Option<Box<Expr>>,
        count: Option<Box<Expr>>,
        init: Box<Init>,
    },
    /// `delete p`, and with the flag `delete[] p`
    Delete(Box<Expr>, bool),
    Lambda(Rc<Lambda>),
    /// `requires (T a) { ... }`
    Requires(Rc<Requires>),
    /// `({ ... })` of GNU C, as a lambda without parameters.
    Block(Rc<Lambda>),
}

/// What must be true of types, with variables to say it by.
#[derive(Debug)]
pub(crate) struct Requires {
    pub params: Vec<Param>,
    pub list: Vec<Requirement>,
}

/// One line of a [`Requires`].
#[derive(Debug)]
pub(crate) enum Requirement {
    /// The expression can be typed; with a concept, its type satisfies that.
    Expr(Expr, Option<Name>),
    /// There is such a type.
    Type(Ty),
    /// `requires e;`
    Nested(Expr),
}

/// Element of a brace list, perhaps `.name = value` or `[index] = value`.
#[derive(Clone, Debug)]
pub(crate) struct InitItem {
    pub field: Option<(Ident, Span)>,
    pub index: Option<Box<Expr>>,
    pub value: Expr,
}

#[derive(Debug)]
pub(crate) struct Lambda {
    /// `[=]` is `Some(false)`, `[&]` is `Some(true)`.
    pub default: Option<bool>,
    pub captures: Vec<Capture>,
    /// Identifiers in the body, for the default capture.
    pub mentions: Vec<Ident>,
    pub function: Rc<Function>,
}

#[derive(Debug)]
pub(crate) struct Capture {
    pub name: Ident,
    pub by_ref: bool,
    pub init: Option<Expr>,
    pub span: Span,
}

/// Statement.
#[derive(Clone, Debug)]
pub(crate) struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Cond {
    Expr(Expr),
    Decl(Box<Var>),
}

/// Unroll request: with the count if one was written.
pub(crate) type Unroll = Option<Option<Box<Expr>>>;

#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
    Expr(Expr),
    /// Variables, types, aliases, static assertions.
    Decl(Vec<Decl>),
    Block(Vec<Stmt>),
    If {
        is_constexpr: bool,
        init: Option<Box<Stmt>>,
        cond: Cond,
        then: Box<Stmt>,
        els: Option<Box<Stmt>>,
    },
    While {
        cond: Cond,
        body: Box<Stmt>,
        unroll: Unroll,
    },
    DoWhile {
        body: Box<Stmt>,
        cond: Expr,
        unroll: Unroll,
    },
    For {
        init: Option<Box<Stmt>>,
        cond: Option<Cond>,
        step: Option<Expr>,
        body: Box<Stmt>,
        unroll: Unroll,
    },
    RangeFor {
        var: Box<Var>,
        range: Expr,
        body: Box<Stmt>,
        unroll: Unroll,
    },
    Switch {
        init: Option<Box<Stmt>>,
        value: Expr,
        body: Box<Stmt>,
    },
    /// The value, and for `case low ... high` of GNU C the last one.
    Case(Expr, Option<Expr>),
    Default,
    Break,
    Continue,
    Return(Option<Expr>),
    /// `name:` before the next statement.
    Label(Ident),
    Goto(Ident),
    Empty,
}

/// Words before a declaration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Specs {
    pub global: bool,
    pub device: bool,
    pub host: bool,
    pub shared: bool,
    pub constant: bool,
    pub managed: bool,
    pub is_static: bool,
    pub is_extern: bool,
    pub extern_c: bool,
    pub is_constexpr: bool,
    pub is_typedef: bool,
    pub is_virtual: bool,
    pub align: Option<Box<Expr>>,
    pub is_packed: bool,
    pub bounds: Option<Rc<(Expr, Option<Expr>)>>,
    /// `reqd_work_group_size` of OpenCL.
    pub work_group: Option<Rc<[Expr; 3]>>,
    /// Attributes of an OpenCL kernel as written.
    pub attributes: Vec<String>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Init {
    None,
    Assign(Expr),
    Paren(Vec<Expr>),
    /// An [`ExprKind::Init`].
    Brace(Expr),
}

/// One variable.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub name: Name,
    pub ty: Ty,
    pub init: Init,
    pub specs: Specs,
    /// Name.
    pub span: Span,
    /// Width of a bit-field.
    pub bits: Option<Box<Expr>>,
    /// Its own name stands in `decltype` or `sizeof` in the initialiser.
    pub mentions_itself: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub name: Option<Ident>,
    pub ty: Ty,
    pub default: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum TParamKind {
    Type(Option<Ty>),
    Value(Ty, Option<Expr>),
    /// `template <typename> class C`, perhaps with a default.
    Template(Option<Name>),
}

#[derive(Clone, Debug)]
pub(crate) struct TParam {
    pub name: Ident,
    pub kind: TParamKind,
    /// `typename... Ts`
    pub pack: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// Declaration only.
    None,
    /// Runs on the host only and was not looked at.
    Host,
    Block(Vec<Stmt>),
    Defaulted,
    Deleted,
}

/// A template that host code names: `f<float, 4>`, or `f<<<...>>>(x, y)`.
#[derive(Debug)]
pub(crate) struct Mention {
    /// With the template arguments that are written.
    pub name: Name,
    /// Types of the arguments of a launch or a call, as far as they can be told.
    pub args: Option<Vec<Option<Ty>>>,
}

/// A member initialiser of a constructor.
#[derive(Clone, Debug)]
pub(crate) struct MemberInit {
    pub name: Name,
    pub args: Vec<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// For out-of-class members with their class; operators are called `operator+`, constructors
    /// like the class, conversions `operator T`.
    pub name: Name,
    pub specs: Specs,
    pub template: Vec<TParam>,
    /// Template parameters of the enclosing class of an out-of-class member.
    pub class_template: Vec<TParam>,
    pub is_template: bool,
    /// What must be true of its template arguments.
    pub requires: Vec<Expr>,
    pub ret: Ty,
    pub params: Vec<Param>,
    pub variadic: bool,
    pub body: Body,
    pub inits: Vec<MemberInit>,
    pub is_const: bool,
    pub is_ctor: bool,
    pub is_dtor: bool,
    /// Declared in a class, but of the namespace around it.
    pub is_friend: bool,
    /// What a function of the host starts, calls or names of templates.
    pub mentions: Rc<Vec<Mention>>,
    /// The closing brace.
    pub end: Span,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) struct Struct {
    pub name: Option<Ident>,
    pub template: Vec<TParam>,
    pub is_template: bool,
    pub requires: Vec<Expr>,
    /// Arguments of a specialisation.
    pub special: Option<Vec<TArg>>,
    pub is_union: bool,
    pub base: Vec<(Ty, Span)>,
    pub members: Vec<Decl>,
    pub align: Option<Box<Expr>>,
    /// The greatest alignment of a member, by `packed` or `#pragma pack`.
    pub pack: Option<u64>,
    /// Something in it that this compiler does not know; an error as soon as it is used in device
    /// code.
    pub broken: Option<crate::diag::Diagnostic>,
    /// `struct S;`
    pub is_forward: bool,
    pub span: Span,
}

impl Struct {
    /// The class with its own parameters as arguments, as deductions name it.
    fn of_parameters(&self) -> Ty {
        let span = self.span;
        let arg = |p: &TParam| {
            let name = Name::simple(p.name.clone(), span);
            match p.kind {
                TParamKind::Value(..) => {
                    let e = Expr { kind: ExprKind::Name(name), span };
                    TArg::Expr(match p.pack {
                        true => Expr { kind: ExprKind::Expand(Box::new(e)), span },
                        false => e,
                    })
                }
                _ => {
                    let ty = Ty { kind: TyKind::Name(name), is_const: false, span };
                    TArg::Type(match p.pack {
                        true => Ty { kind: TyKind::Expand(Box::new(ty)), is_const: false, span },
                        false => ty,
                    })
                }
            }
        };
        let id = self.name.clone().unwrap_or_else(|| "".into());
        let args = Some(self.template.iter().map(arg).collect());
        let mut name = Name::simple(id.clone(), span);
        name.parts = vec![Part { id, args, span }];
        Ty { kind: TyKind::Name(name), is_const: false, span }
    }

    /// The function by which arguments of a class template are deduced from the parameters of a
    /// constructor, or from the members.
    pub fn deduction(&self, params: Vec<Param>, template: &[TParam]) -> Function {
        let name = guide(self.name.as_deref().unwrap_or(""));
        Function {
            ret: self.of_parameters(),
            template: self.template.iter().chain(template).cloned().collect(),
            is_template: true,
            requires: self.requires.clone(),
            is_ctor: false,
            body: Body::None,
            params,
            ..self.unwritten(name, false)
        }
    }

    /// A constructor or destructor that is not written: its body is empty, its parts have their
    /// own.
    pub fn unwritten(&self, name: Ident, is_virtual: bool) -> Function {
        let span = self.span;
        let is_dtor = *name == *DESTRUCTOR;
        Function {
            name: Name::simple(name, span),
            specs: Specs { device: true, host: true, is_virtual, span, ..Specs::default() },
            template: Vec::new(),
            class_template: Vec::new(),
            is_template: false,
            requires: Vec::new(),
            ret: Ty { kind: TyKind::Void, is_const: false, span },
            params: Vec::new(),
            variadic: false,
            body: Body::Block(Vec::new()),
            inits: Vec::new(),
            is_const: false,
            is_ctor: !is_dtor,
            is_dtor,
            is_friend: false,
            mentions: Rc::default(),
            end: span,
            span,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Enum {
    pub name: Option<Ident>,
    pub scoped: bool,
    pub base: Option<Ty>,
    pub items: Vec<(Ident, Option<Expr>, Span)>,
    pub span: Span,
}

/// Names for the parts of a value, `[a, b]`.
pub(crate) type PartNames = Vec<(Ident, Span)>;

/// Declaration.
#[derive(Clone, Debug)]
pub(crate) enum Decl {
    Function(Rc<Function>),
    Var(Rc<Var>),
    /// `auto [a, b] = e;` The variable holds the whole and has no name of its own.
    Bindings(Rc<Var>, Rc<PartNames>),
    /// Template of a variable, or a specialisation of one (no parameters).
    VarTemplate(Rc<Var>, Rc<Vec<TParam>>),
    Struct(Rc<Struct>),
    Enum(Rc<Enum>),
    /// `typedef` and `using`; template parameters of alias templates.
    Alias {
        name: Ident,
        ty: Ty,
        template: Rc<Vec<TParam>>,
        span: Span,
    },
    Namespace {
        name: Option<Ident>,
        decls: Rc<Vec<Decl>>,
    },
    NamespaceAlias {
        name: Ident,
        target: Name,
    },
    /// `using namespace` and `using enum`.
    UsingNamespace(Name),
    Using(Name),
    StaticAssert {
        cond: Expr,
        text: Option<String>,
        span: Span,
    },
    /// `template ... f<256>(...)`
    Instantiate(Rc<Function>),
    /// `template class S<double>;`
    InstantiateClass(Ty),
    /// Host-only declaration that was skipped; its name if it could be told.
    Host(Option<Ident>, Span),
    /// What such a declaration says of templates.
    HostCode(Rc<Function>),
}
