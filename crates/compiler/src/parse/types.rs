//! Types: specifiers, declarators, parameter lists.

use std::rc::Rc;

use super::decl::{Declared, Signature, Templates, of_function};
use super::{Kind, ParseResult, Parser, is_keyword};
use crate::ast::{Expr, ExprKind, IntKind, Param, Specs, Ty, TyKind};
use crate::diag::Diagnostic;
use crate::hir::Space;
use crate::lex::Tok;
use crate::source::Span;

/// The memory that an address space of OpenCL means.
fn space_of(word: &str) -> Space {
    match word {
        "__global" => Space::Global,
        "__local" => Space::Shared,
        "__constant" => Space::Constant,
        _ => Space::Local,
    }
}

fn volatile(inner: Ty) -> Ty {
    let (span, is_const) = (inner.span, inner.is_const);
    Ty { kind: TyKind::Volatile(Box::new(inner)), is_const, span }
}

impl Parser<'_> {
    /// Specifiers of a plain declaration.
    pub(super) fn specifiers(&mut self) -> ParseResult<(Specs, Option<Ty>)> {
        self.specifiers_of(&Templates::default())
    }

    /// Specifiers of a declaration with these templates.
    ///
    /// It is long because every word is an arm of one loop, and all of them count together.
    pub(super) fn specifiers_of(
        &mut self,
        templates: &Templates,
    ) -> ParseResult<(Specs, Option<Ty>)> {
        let mut specs = Specs { span: self.span(), ..Specs::default() };
        let mut base: Option<Ty> = None;
        let (mut is_const, mut is_volatile) = (false, false);
        let mut space: Option<Space> = None;
        let mut first_word: Option<Span> = None;
        let mut int128 = false;
        let (mut signed, mut unsigned, mut short, mut long, mut char_, mut int, mut double) =
            (0, 0, 0, 0, 0, 0, 0);
        loop {
            let span = self.span();
            let Tok::Ident(word) = self.peek().kind.clone() else {
                if self.is("[") && self.ahead(1).is("[") {
                    self.skip_brackets();
                    continue;
                }
                if self.is("::") && base.is_none() && self.type_at(0) {
                    base = Some(self.named_type()?);
                    continue;
                }
                break;
            };
            let words = signed + unsigned + short + long + char_ + int + double;
            match &*word {
                "__global__" => specs.global = true,
                "__kernel" => {
                    specs.global = true;
                    specs.extern_c = true;
                }
                "__global" | "__local" | "__constant" | "__private" => {
                    let new = space_of(&word);
                    if space.is_some_and(|old| old != new) {
                        return self.fail("a type lies in one address space only");
                    }
                    space = Some(new);
                }
                "__device__" => specs.device = true,
                "__host__" => specs.host = true,
                "__shared__" => specs.shared = true,
                "__constant__" => specs.constant = true,
                "__managed__" => specs.managed = true,
                "static" => specs.is_static = true,
                "extern" => {
                    specs.is_extern = true;
                    if let Tok::Str(s) = &self.ahead(1).kind {
                        specs.extern_c |= **s == *"\"C\"";
                        self.bump();
                    }
                }
                "constexpr" | "constinit" => specs.is_constexpr = true,
                // Called while compiling only, by anybody.
                "consteval" => (specs.is_constexpr, specs.device) = (true, true),
                "__int128" => int128 = true,
                "typedef" => specs.is_typedef = true,
                "virtual" => specs.is_virtual = true,
                "inline" | "__inline__" | "__inline" | "register" | "__forceinline__"
                | "__noinline__" | "explicit" | "mutable" | "__grid_constant__"
                | "__restrict__" | "__restrict" | "thread_local" | "__extension__" => {}
                "volatile" | "__volatile__" => is_volatile = true,
                "const" | "__const__" | "__const" => is_const = true,
                "__launch_bounds__" => {
                    self.bump();
                    self.expect("(", "after `__launch_bounds__`")?;
                    let threads = self.conditional()?;
                    let blocks = if self.eat(",") { Some(self.conditional()?) } else { None };
                    if self.eat(",") {
                        self.conditional()?;
                    }
                    self.expect(")", "after `__launch_bounds__`")?;
                    specs.bounds = Some(Rc::new((threads, blocks)));
                    continue;
                }
                "__align__" | "alignas" => {
                    specs.align = Some(Box::new(self.alignment()?));
                    continue;
                }
                "__attribute__" => {
                    self.attributes(&mut specs)?;
                    continue;
                }
                "__declspec" | "__cluster_dims__" | "__maxnreg__" => {
                    self.bump();
                    if self.is("(") {
                        self.skip_brackets();
                    }
                    continue;
                }
                "signed" | "__signed__" => signed += 1,
                "unsigned" => unsigned += 1,
                "short" => short += 1,
                "long" => long += 1,
                "char" => char_ += 1,
                "int" => int += 1,
                "double" => double += 1,
                "void" | "bool" | "_Bool" | "float" | "auto" if base.is_none() && words == 0 => {
                    let kind = match &*word {
                        "void" => TyKind::Void,
                        "float" => TyKind::F32,
                        "auto" => TyKind::Auto,
                        _ => TyKind::Bool,
                    };
                    base = Some(Ty { kind, is_const: false, span });
                }
                "decltype" if base.is_none() && words == 0 => {
                    self.bump();
                    self.expect("(", "after `decltype`")?;
                    let e = self.expression()?;
                    self.expect(")", "after `decltype`")?;
                    base = Some(Ty { kind: TyKind::Decltype(Box::new(e)), is_const: false, span });
                    continue;
                }
                "typeof" | "__typeof__" | "__typeof" if base.is_none() && words == 0 => {
                    self.bump();
                    self.expect("(", "after `typeof`")?;
                    let ty = if self.type_at(0) {
                        self.type_id()?
                    } else {
                        let e = Box::new(self.expression()?);
                        Ty { kind: TyKind::Typeof(e), is_const: false, span }
                    };
                    self.expect(")", "after `typeof`")?;
                    base = Some(ty);
                    continue;
                }
                "struct" | "class" | "union" if base.is_none() && words == 0 => {
                    base = Some(self.class(templates)?);
                    continue;
                }
                "enum" if base.is_none() && words == 0 => {
                    base = Some(self.enumeration()?);
                    continue;
                }
                "typename" if base.is_none() && words == 0 => {
                    self.bump();
                    let name = self.name(false)?;
                    let span = name.span;
                    base = Some(Ty { kind: TyKind::Name(name), is_const: false, span });
                    continue;
                }
                _ if base.is_none() && words == 0 => {
                    if let Some(concept) = self.concept_before_auto()? {
                        self.of_auto.push((self.span(), concept));
                        continue;
                    }
                    if is_keyword(&word) || self.constructor_at() || !self.type_at(0) {
                        break;
                    }
                    base = Some(self.named_type()?);
                    continue;
                }
                _ => break,
            }
            if signed + unsigned + short + long + char_ + int + double > words {
                first_word.get_or_insert(span);
            }
            self.bump();
        }
        if int128 {
            let id = if unsigned > 0 { "__uint128_t" } else { "__int128_t" };
            (signed, unsigned) = (0, 0);
            let span = self.prev_span();
            let kind = TyKind::Name(crate::ast::Name::simple(id.into(), span));
            base = Some(Ty { kind, is_const: false, span });
        }
        let words = signed + unsigned + short + long + char_ + int + double;
        if words > 0 {
            let span = first_word.unwrap_or(self.prev_span());
            let span = if words > 1 { span.to(self.prev_span()) } else { span };
            let int_kind = match (unsigned > 0, char_, short, long) {
                (false, 1, 0, 0) if signed > 0 => Some(IntKind::SChar),
                (false, 1, 0, 0) => Some(IntKind::Char),
                (true, 1, 0, 0) => Some(IntKind::UChar),
                (false, 0, 1, 0) => Some(IntKind::Short),
                (true, 0, 1, 0) => Some(IntKind::UShort),
                (false, 0, 0, 0) => Some(IntKind::Int),
                (true, 0, 0, 0) => Some(IntKind::UInt),
                (false, 0, 0, 1) => Some(IntKind::Long),
                (true, 0, 0, 1) => Some(IntKind::ULong),
                (false, 0, 0, 2) => Some(IntKind::LongLong),
                (true, 0, 0, 2) => Some(IntKind::ULongLong),
                _ => None,
            };
            let bad =
                base.is_some() || signed + unsigned > 1 || int > 1 || char_ + int > 1 || double > 1;
            let kind = if bad {
                None
            } else if double == 1 {
                (signed + unsigned + short + char_ + int == 0 && long <= 1).then_some(TyKind::F64)
            } else {
                int_kind.map(TyKind::Int)
            };
            let Some(kind) = kind else {
                return Err(Box::new(Diagnostic::error(span, "these words do not make up a type")));
            };
            base = Some(Ty { kind, is_const: false, span });
        }
        if let Some(b) = &mut base {
            b.is_const |= is_const;
        }
        let defined = |t: &Ty| matches!(t.kind, TyKind::Struct(_) | TyKind::Enum(_));
        if is_volatile && let Some(inner) = base.take_if(|b| !defined(b)) {
            base = Some(volatile(inner));
        }
        if let (Some(space), Some(inner)) = (space, base.take_if(|_| space.is_some())) {
            let (span, is_const) = (inner.span, inner.is_const);
            base = Some(Ty { kind: TyKind::In(space, Box::new(inner)), is_const, span });
        }
        Ok((specs, base))
    }

    /// `__attribute__((a, b(c)))`: those that matter to a layout or a launch are kept, the others
    /// are hints.
    pub(super) fn attributes(&mut self, specs: &mut Specs) -> ParseResult<()> {
        self.bump();
        self.expect("(", "after `__attribute__`")?;
        self.expect("(", "after `__attribute__(`")?;
        while !self.is(")") {
            let Tok::Ident(name) = self.bump().kind else {
                return self.fail("the name of an attribute is expected");
            };
            let name = name.trim_matches('_').to_string();
            specs.is_packed |= name == "packed";
            let start = self.pos;
            if self.is("(") {
                self.skip_brackets();
            }
            let text: String = self.toks[start..self.pos].iter().map(|t| t.text()).collect();
            if name.ends_with("reqd_sub_group_size")
                && !matches!(&*text, "(8)" | "(16)" | "(32)" | "(\"full\")")
            {
                let text = format!("`{name}`: sub-groups have 8, 16 or 32 work-items here");
                return Err(Box::new(Diagnostic::error(self.prev_span(), text).help(
                    "a sub-group is a warp of 32 or a part of it: leave the attribute out and ask \
                     for the size by `get_sub_group_size()`",
                )));
            }
            specs.attributes.push(format!("{name}{}", text.replace(',', ", ")));
            if name == "reqd_work_group_size" || name == "aligned" && start < self.pos {
                let end = self.pos;
                self.pos = start;
                let mut list = self.arguments()?;
                self.pos = end;
                match (&*name, list.len()) {
                    ("aligned", 1) => specs.align = list.pop().map(Box::new),
                    (_, 3) => specs.work_group = <[Expr; 3]>::try_from(list).ok().map(Rc::new),
                    _ => return self.fail(format!("`{name}` takes other arguments")),
                }
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")", "after the attributes")?;
        self.expect(")", "after the attributes").map(|_| ())
    }

    /// The address space that stands here.
    fn address_space(&self) -> Option<Space> {
        match &self.peek().kind {
            Tok::Ident(w)
                if matches!(&**w, "__global" | "__local" | "__constant" | "__private") =>
            {
                Some(space_of(w))
            }
            _ => None,
        }
    }

    pub(super) fn alignment(&mut self) -> ParseResult<Expr> {
        self.bump();
        self.expect("(", "before the alignment")?;
        let e = if self.type_at(0) {
            let ty = self.type_id()?;
            let span = ty.span;
            Expr { kind: ExprKind::Alignof(ty), span }
        } else {
            self.conditional()?
        };
        self.expect(")", "after the alignment")?;
        Ok(e)
    }

    pub(super) fn named_type(&mut self) -> ParseResult<Ty> {
        let name = self.name(false)?;
        let span = name.span;
        Ok(Ty { kind: TyKind::Name(name), is_const: false, span })
    }

    /// Type of a construct expression `T(...)`: no declarator.
    pub(super) fn simple_type(&mut self) -> ParseResult<Ty> {
        let span = self.span();
        match self.specifiers()? {
            (_, Some(ty)) => Ok(Ty { span: span.to(self.prev_span()), ..ty }),
            _ => Err(self.unknown_type()),
        }
    }

    /// Type with an abstract declarator.
    pub(super) fn type_id(&mut self) -> ParseResult<Ty> {
        let span = self.span();
        let (_, base) = self.specifiers()?;
        let Some(base) = base else { return Err(self.unknown_type()) };
        let d = self.declarator(base)?;
        if let Some(n) = d.name {
            return Err(Box::new(Diagnostic::error(
                n.span,
                "a type without a name is expected here",
            )));
        }
        let mut ty = of_function(d.ty, d.func);
        ty.span = span.to(self.prev_span());
        Ok(ty)
    }

    /// `*p`, `&r`, `a[3]`, `f(int)`, `(*p)[4]`; the name may be absent.
    pub(super) fn declarator(&mut self, base: Ty) -> ParseResult<Declared> {
        self.nested(|p| p.declarator_inner(base))
    }

    fn declarator_inner(&mut self, mut ty: Ty) -> ParseResult<Declared> {
        let mut stars = 0;
        loop {
            let span = ty.span.to(self.span());
            if self.eat("*") {
                ty = Ty { kind: TyKind::Ptr(Box::new(ty), false), is_const: false, span };
            } else if self.member_pointer_at(self.pos) {
                let class = Box::new(self.named_type()?);
                self.bump();
                self.bump();
                ty = Ty { kind: TyKind::Member(Box::new(ty), class), is_const: false, span };
            } else if self.is("&") || self.is("&&") {
                if self.opencl() {
                    return Err(Box::new(
                        Diagnostic::error(self.span(), "references are C++: OpenCL C has none")
                            .help("pass a pointer: `*` here, and `&` before the argument"),
                    ));
                }
                let rvalue = self.bump().is("&&");
                ty = Ty { kind: TyKind::Ref(Box::new(ty), rvalue), is_const: false, span };
            } else if self.eat_word("const") {
                ty.is_const = true;
            } else if let Some(space) = self.address_space() {
                self.bump();
                let inner = Box::new(ty);
                ty = Ty { kind: TyKind::In(space, inner), is_const: false, span };
            } else if self.eat_word("volatile") {
                ty = volatile(ty);
            } else if self.is_word("__restrict__")
                || self.is_word("__restrict")
                || self.is_word("restrict")
            {
                self.bump();
                if let TyKind::Ptr(_, r) = &mut ty.kind {
                    *r = true;
                }
            } else if (self.is_word("__shared__") || self.is_word("__device__")) && stars > 0 {
                self.bump();
            } else {
                break;
            }
            stars += 1;
            if stars > 50 {
                return self.fail("this type has too many pointers");
            }
        }
        // `(*name)[N]`, `(&name)[N]`, `(*name)(...)`, `(name)`
        let paren = self.is("(")
            && (self.ahead(1).is("*")
                || self.ahead(1).is("&")
                || self.member_pointer_at(self.pos + 1)
                || (matches!(&self.ahead(1).kind, Tok::Ident(w) if !is_keyword(w))
                    && !self.type_at(1)
                    && self.ahead(2).is(")")
                    && !self.ahead(3).is(";")));
        if paren {
            let inner = self.pos + 1;
            self.skip_brackets();
            let (ty, func) = self.suffixes(ty)?;
            let mut ty = of_function(ty, func);
            if self.member_pointer_at(inner) {
                ty.is_const |= self.eat_word("const");
                self.eat_word("noexcept");
            }
            let after = self.pos;
            self.pos = inner;
            let d = self.declarator(ty)?;
            if !self.is(")") {
                return self
                    .fail(format!("expected `)` in the declaration, found {}", self.found()));
            }
            self.pos = after;
            return Ok(d);
        }
        let pack = self.is("...")
            && (matches!(self.ahead(1).kind, Tok::Ident(_))
                || matches!(self.ahead(1).kind, Tok::Punct("," | ")")) && pattern(&ty));
        if pack {
            self.bump();
        }
        let mut name = None;
        let named = matches!(&self.peek().kind, Tok::Ident(w) if !is_keyword(w));
        if named || self.is_word("operator") || self.is("::") {
            name = Some(self.name(false)?);
        }
        // In a block, `T x(a)` has arguments and is no function.
        let (ty, func) = if name.is_some() && self.is("(") && !self.parameters_at() {
            (ty, None)
        } else {
            self.suffixes(ty)?
        };
        Ok(Declared { name, ty, func, pack })
    }

    /// `S::*` or `S<T>::*` stands at token `i`.
    pub(super) fn member_pointer_at(&self, mut i: usize) -> bool {
        let mut named = false;
        loop {
            let t = &self.toks[i.min(self.toks.len() - 1)];
            let qualified = t.is("::");
            if qualified && self.toks[i + 1].is("*") {
                return named;
            }
            i += usize::from(qualified);
            match &self.toks[i.min(self.toks.len() - 1)].kind {
                Tok::Ident(w) if (qualified || !named) && !is_keyword(w) => i += 1,
                _ => return false,
            }
            named = true;
            if self.toks[i].is("<") {
                match self.scan_angle(i) {
                    Some(end) => i = end,
                    None => return false,
                }
            }
        }
    }

    /// The `(` here begins a parameter list, not arguments.
    fn parameters_at(&self) -> bool {
        let next = self.ahead(1);
        if next.is(")") || next.is("...") || next.is("[") && self.ahead(2).is("[") {
            return true;
        }
        // The members of a class are not initialised in parentheses.
        if self.classes.last().is_some_and(|class| !class.is_empty()) {
            return true;
        }
        let mut n = 1;
        while self.ahead(n).is_one_of(&["__grid_constant__", "register"]) {
            n += 1;
        }
        if self.type_at(n) {
            // `T x(float(y))` is rare; a type followed by `(` or `{` counts as arguments.
            let pos = self.pos + n;
            if let Some((_, end)) = self.scan_name(pos) {
                let t = &self.toks[end.min(self.toks.len() - 1)];
                let next = &self.toks[(end + 1).min(self.toks.len() - 1)];
                let pointer =
                    t.is("(") && (next.is("*") || next.is("&") || self.member_pointer_at(end + 1));
                return pointer || !(t.is("(") || t.is("{"));
            }
            // `T x(float(y), 0)` has arguments as well.
            let pointer = self.ahead(n + 2).is("*")
                || self.ahead(n + 2).is("&")
                || self.member_pointer_at(self.pos + n + 2);
            return !self.ahead(n + 1).is("(") || pointer;
        }
        // `f(foo x)` or `f(foo *x)` with an unknown type is a function, so that the message is
        // about the type.
        match (&next.kind, &self.ahead(2).kind) {
            (Tok::Ident(a), Tok::Ident(b)) => {
                !is_keyword(a) && !is_keyword(b) && self.kind_of(a).is_none()
            }
            (Tok::Ident(a), Tok::Punct("*" | "&" | "<" | "::")) => {
                !is_keyword(a)
                    && matches!(self.kind_of(a), None | Some(Kind::Namespace))
                    && self.scopes.len() <= 2
            }
            _ => false,
        }
    }

    fn suffixes(&mut self, ty: Ty) -> ParseResult<(Ty, Option<Signature>)> {
        if self.is("(") {
            let (params, variadic) = self.parameters()?;
            return Ok((ty, Some(Signature { params, variadic })));
        }
        let mut dims = Vec::new();
        while self.is("[") && !self.ahead(1).is("[") {
            let open = self.bump().span;
            let outer = std::mem::replace(&mut self.no_gt, false);
            let n =
                if self.is("]") { None } else { Some(Box::new(self.fresh(Parser::conditional)?)) };
            self.no_gt = outer;
            let end = self.expect("]", "after the length of the array")?;
            dims.push((n, open.to(end)));
            if dims.len() > 20 {
                return self.fail("this array has too many dimensions");
            }
        }
        let mut ty = ty;
        while let Some((n, span)) = dims.pop() {
            let span = ty.span.to(span);
            ty = Ty { kind: TyKind::Array(Box::new(ty), n), is_const: false, span };
        }
        Ok((ty, None))
    }

    /// `(int a, float *b = 0)`
    pub(super) fn parameters(&mut self) -> ParseResult<(Vec<Param>, bool)> {
        self.expect("(", "before the parameters")?;
        let outer = std::mem::replace(&mut self.no_gt, false);
        let result = self.nested(|p| {
            let mut params = Vec::new();
            let mut variadic = false;
            if p.is_word("void") && p.ahead(1).is(")") {
                p.bump();
            }
            while !p.is(")") {
                if p.eat("...") {
                    variadic = true;
                    break;
                }
                let start = p.span();
                let (specs, base) = p.specifiers()?;
                if specs.shared || specs.constant {
                    return Err(Box::new(
                        Diagnostic::error(
                            start,
                            format!(
                                "a parameter cannot be {} or {}",
                                p.words().shared,
                                p.words().constant
                            ),
                        )
                        .help("pass a pointer: it can point to shared memory as well"),
                    ));
                }
                let Some(base) = base else { return Err(p.unknown_type()) };
                let d = p.declarator(base)?;
                while p.is_word("__attribute__") {
                    p.attributes(&mut Specs::default())?;
                }
                let mut ty = of_function(d.ty, d.func);
                if d.pack {
                    let span = ty.span;
                    ty = Ty { kind: TyKind::Expand(Box::new(ty)), is_const: false, span };
                }
                let default = if p.eat("=") {
                    Some(if p.is("{") { p.init_list()? } else { p.assignment()? })
                } else {
                    None
                };
                let span = d.name.as_ref().map_or(start.to(p.prev_span()), |n| n.span);
                params.push(Param { name: d.name.map(|n| n.last().id.clone()), ty, default, span });
                if p.is(")") {
                    break;
                }
                if !p.eat(",") {
                    return p.fail(format!(
                        "expected `,` or `)` after a parameter, found {}",
                        p.found()
                    ));
                }
            }
            p.expect(")", "after the parameters")?;
            Ok((params, variadic))
        });
        self.no_gt = outer;
        result
    }
}

/// A type that may have a pack in it, so that `...` behind it is no C variable argument list.
fn pattern(ty: &Ty) -> bool {
    match &ty.kind {
        TyKind::Name(_) | TyKind::Auto => true,
        TyKind::Ptr(to, _) | TyKind::Ref(to, _) => pattern(to),
        _ => false,
    }
}
