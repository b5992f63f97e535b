//! Inline PTX: what instructions are made of. Registers, constants and addresses as expressions of
//! C.

use super::ParseResult;
use crate::ast::{CastStyle, Expr, ExprKind, Ident, IntKind, Name, Stmt, StmtKind, Ty, TyKind};
use crate::diag::Diagnostic;
use crate::source::Span;

/// An operand of the statement: its constraint's letter and its expression.
pub(super) struct Operand {
    pub letter: char,
    pub expr: Expr,
}

/// Type of an instruction, such as `u32`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    pub letter: char,
    pub bits: u32,
}

/// The type that a word of an instruction names, of whole numbers or floats.
pub(super) fn kind_of(word: &str) -> Option<Kind> {
    if word == "pred" {
        return Some(Kind { letter: 'p', bits: 1 });
    }
    let letter = word.chars().next().filter(|c| "busf".contains(*c))?;
    let bits = word[1..].parse().ok().filter(|b| [8, 16, 32, 64].contains(b))?;
    Some(Kind { letter, bits })
}

/// The statement that is being translated.
pub(super) struct Asm {
    pub span: Span,
    pub operands: Vec<Operand>,
    /// Registers declared inside of the text.
    pub registers: Vec<(String, Kind)>,
}

impl Asm {
    pub(super) fn make(&self, kind: ExprKind) -> Expr {
        Expr { kind, span: self.span }
    }

    pub(super) fn int(&self, v: u64) -> Expr {
        let kind = match u32::try_from(v) {
            Ok(_) => IntKind::UInt,
            Err(_) => IntKind::ULongLong,
        };
        self.make(ExprKind::Int(v, kind))
    }

    pub(super) fn name(&self, id: &str) -> Expr {
        self.make(ExprKind::Name(Name::simple(id.into(), self.span)))
    }

    pub(super) fn call(&self, id: &str, args: Vec<Expr>) -> Expr {
        self.make(ExprKind::Call(Box::new(self.name(id)), args))
    }

    pub(super) fn bin(&self, op: &'static str, a: Expr, b: Expr) -> Expr {
        let joined = self.make(ExprKind::Binary(op, Box::new(a), Box::new(b)));
        self.make(ExprKind::Paren(Box::new(joined)))
    }

    pub(super) fn un(&self, op: &'static str, a: Expr) -> Expr {
        self.make(ExprKind::Unary(op, Box::new(a)))
    }

    pub(super) fn cond(&self, c: Expr, a: Expr, b: Expr) -> Expr {
        let e = self.make(ExprKind::Cond(Box::new(c), Box::new(a), Box::new(b)));
        self.make(ExprKind::Paren(Box::new(e)))
    }

    pub(super) fn ty(&self, kind: Kind) -> Ty {
        let kind = match (kind.letter, kind.bits) {
            ('p', _) => TyKind::Bool,
            ('f', 64) => TyKind::F64,
            ('f', 32) => TyKind::F32,
            ('s', 8) => TyKind::Int(IntKind::SChar),
            (_, 8) => TyKind::Int(IntKind::UChar),
            ('s', 16) => TyKind::Int(IntKind::Short),
            (_, 16) => TyKind::Int(IntKind::UShort),
            ('s', 32) => TyKind::Int(IntKind::Int),
            (_, 32) => TyKind::Int(IntKind::UInt),
            ('s', _) => TyKind::Int(IntKind::LongLong),
            _ => TyKind::Int(IntKind::ULongLong),
        };
        Ty { kind, is_const: false, span: self.span }
    }

    pub(super) fn cast(&self, kind: Kind, e: Expr) -> Expr {
        self.make(ExprKind::Cast(CastStyle::C, self.ty(kind), Box::new(e)))
    }

    pub(super) fn fail<T>(&self, what: &str) -> ParseResult<T> {
        Err(Box::new(
            Diagnostic::unsupported(
                self.span,
                format!("the PTX instruction `{what}` is not supported"),
            )
            .help(
                "use the CUDA C function for it; \
                     docs/kernel-language.md lists what inline PTX can do",
            ),
        ))
    }

    pub(super) fn assign(&self, place: Expr, value: Expr) -> Stmt {
        let e = self.make(ExprKind::Assign("", Box::new(place), Box::new(value)));
        Stmt { kind: StmtKind::Expr(e), span: self.span }
    }

    /// A register as it stands, with the kind that it holds.
    pub(super) fn register(&self, word: &str) -> Option<(Expr, Kind)> {
        let word = word.trim();
        let bare = word.trim_start_matches('%');
        if let Ok(n) = bare.parse::<usize>()
            && word.starts_with('%')
        {
            let o = self.operands.get(n)?;
            let kind = match o.letter {
                'f' => Kind { letter: 'f', bits: 32 },
                'd' => Kind { letter: 'f', bits: 64 },
                'l' => Kind { letter: 'u', bits: 64 },
                'h' => Kind { letter: 'u', bits: 16 },
                _ => Kind { letter: 'u', bits: 32 },
            };
            return Some((self.make(ExprKind::Paren(Box::new(o.expr.clone()))), kind));
        }
        let (_, kind) = self.registers.iter().rev().find(|r| r.0 == bare)?;
        Some((self.name(&format!("ptx:{bare}")), *kind))
    }

    /// The value of an operand, read as `want`.
    pub(super) fn value(&self, word: &str, want: Kind) -> ParseResult<Expr> {
        let word = word.trim();
        if let Some((e, kind)) = self.register(word) {
            let e = match (kind.letter, want.letter, kind.bits) {
                ('p', ..) => return Ok(e),
                ('f', 'f', _) => return Ok(e),
                ('f', _, 32) => self.call("__float_as_uint", vec![e]),
                ('f', _, _) => self.call("__double_as_longlong", vec![e]),
                (_, 'f', 32) => {
                    let bits = self.cast(Kind { letter: 'u', bits: 32 }, e);
                    return Ok(self.call("__uint_as_float", vec![bits]));
                }
                (_, 'f', _) => {
                    let bits = self.cast(Kind { letter: 's', bits: 64 }, e);
                    return Ok(self.call("__longlong_as_double", vec![bits]));
                }
                _ => e,
            };
            return Ok(self.cast(want, e));
        }
        if let Some(e) = self.special(word) {
            return Ok(self.cast(want, e));
        }
        let (digits, negative) = match word.strip_prefix('-') {
            Some(rest) => (rest, true),
            None => (word, false),
        };
        let float = |hex: &str| u64::from_str_radix(hex, 16).ok();
        let e = match (digits.strip_prefix("0f"), digits.strip_prefix("0d")) {
            (Some(hex), _) if want.letter == 'f' => match float(hex) {
                Some(v) => self.call("__uint_as_float", vec![self.int(v)]),
                None => return self.fail(word),
            },
            (_, Some(hex)) if want.letter == 'f' => match float(hex) {
                Some(v) => {
                    let bits = self.cast(Kind { letter: 's', bits: 64 }, self.int(v));
                    self.call("__longlong_as_double", vec![bits])
                }
                None => return self.fail(word),
            },
            _ => match crate::pp::integer(digits) {
                Some((v, _)) => self.int(v),
                None => match digits.parse::<f64>() {
                    Ok(v) => self.make(ExprKind::Float(v, want.bits.min(64) as u8)),
                    Err(_) => return self.fail(word),
                },
            },
        };
        Ok(self.cast(want, if negative { self.un("-", e) } else { e }))
    }

    /// A special register.
    pub(super) fn special(&self, word: &str) -> Option<Expr> {
        let bare = word.strip_prefix('%')?;
        if let Some((vector, axis)) = bare.split_once('.') {
            let name = match vector {
                "tid" => "threadIdx",
                "ntid" => "blockDim",
                "ctaid" => "blockIdx",
                "nctaid" => "gridDim",
                _ => return None,
            };
            return Some(self.member(name, axis));
        }
        let lane = || self.call("%laneid", Vec::new());
        let bit = || self.bin("<<", self.int(1), lane());
        let below = || self.bin("-", bit(), self.int(1));
        Some(match bare {
            "laneid" => lane(),
            "warpid" => self.bin("/", self.linear(), self.int(32)),
            "smid" => self.int(0),
            "nsmid" => self.int(1),
            "clock" | "clock64" | "globaltimer" | "clock_hi" | "globaltimer_lo" => {
                self.call("clock64", Vec::new())
            }
            "lanemask_eq" => bit(),
            "lanemask_lt" => below(),
            "lanemask_le" => self.bin("|", below(), bit()),
            "lanemask_gt" => self.un("~", self.bin("|", below(), bit())),
            "lanemask_ge" => self.un("~", below()),
            "WARP_SZ" => self.int(32),
            _ => return None,
        })
    }

    pub(super) fn member(&self, base: &str, id: &str) -> Expr {
        let base = Box::new(self.name(base));
        let name = Name::simple(id.into(), self.span);
        self.make(ExprKind::Member { base, arrow: false, name })
    }

    /// The thread's number in its block.
    pub(super) fn linear(&self) -> Expr {
        let zy = self.bin("*", self.member("blockDim", "y"), self.member("threadIdx", "z"));
        let yz = self.bin("+", self.member("threadIdx", "y"), zy);
        let rows = self.bin("*", self.member("blockDim", "x"), yz);
        self.bin("+", self.member("threadIdx", "x"), rows)
    }

    /// `d = value`, where `value` has the kind of the instruction.
    pub(super) fn set(
        &self,
        word: &str,
        value: Expr,
        kind: Kind,
        out: &mut Vec<Stmt>,
    ) -> ParseResult<()> {
        let Some((place, has)) = self.register(word) else { return self.fail(word) };
        let value = self.cast(kind, value);
        let value = match (kind.letter, has.letter, has.bits) {
            ('f', 'f', _) | (_, 'p', _) => value,
            ('f', _, 64) => self.call("__double_as_longlong", vec![value]),
            ('f', ..) => self.call("__float_as_uint", vec![value]),
            (_, 'f', 32) => self.call("__uint_as_float", vec![value]),
            (_, 'f', _) => self.call("__longlong_as_double", vec![value]),
            _ => value,
        };
        out.push(self.assign(place, value));
        Ok(())
    }

    /// What `[a + 4]` points to, as `kind`.
    pub(super) fn memory(&self, word: &str, kind: Kind, index: u64) -> ParseResult<Expr> {
        let inner = word.trim().trim_start_matches('[').trim_end_matches(']');
        let (base, offset) = inner.split_once('+').unwrap_or((inner, "0"));
        let address = Kind { letter: 'u', bits: 64 };
        let at = self.bin("+", self.value(base, address)?, self.value(offset, address)?);
        let pointer = self.pointer(at, kind);
        Ok(self.make(ExprKind::Index(Box::new(pointer), Box::new(self.int(index)))))
    }

    /// An address as a pointer to values of a kind.
    pub(super) fn pointer(&self, address: Expr, kind: Kind) -> Expr {
        let ty = Ty {
            kind: TyKind::Ptr(Box::new(self.ty(kind)), false),
            is_const: false,
            span: self.span,
        };
        let pointer = self.make(ExprKind::Cast(CastStyle::C, ty, Box::new(address)));
        self.make(ExprKind::Paren(Box::new(pointer)))
    }
}

/// The members of `{a, b}`, or the operand itself.
pub(super) fn parts(word: &str) -> Vec<Ident> {
    let inner = word.trim().trim_start_matches('{').trim_end_matches('}');
    inner.split(',').map(|p| p.trim().into()).collect()
}
