//! Inline PTX: the common instructions become statements of C. What has no such form is refused by
//! name.

use super::ptx_convert::small_float;
use super::ptx_terms::{Asm, Kind, Operand, kind_of, parts};
use super::ptx_warp::Instruction;
use super::ptx_words::{HALVES, understood};
use super::{ParseResult, Parser};
use crate::ast::{Decl, Expr, Init, Name, Specs, Stmt, StmtKind, Var};
use crate::diag::Diagnostic;
use crate::lex::{Tok, unquote};
use std::rc::Rc;

/// Variables of a sum with carry.
const CARRY: &str = "cc.flag";
const FIRST: &str = "cc.first";
const SUM: &str = "cc.sum";

impl Parser<'_> {
    /// `asm volatile("..." : outputs : inputs : clobbers);`
    pub(super) fn inline_ptx(&mut self) -> ParseResult<Stmt> {
        let start = self.bump().span;
        while self.eat_word("volatile") || self.eat_word("__volatile__") {}
        self.expect("(", "after `asm`")?;
        let mut text = String::new();
        while let Tok::Str(raw) = self.peek().kind.clone() {
            let part = unquote(&raw).or_else(|m| self.fail(m))?;
            text += &String::from_utf8_lossy(&part);
            self.bump();
        }
        let mut operands = Vec::new();
        for section in 0..3 {
            // `::` leaves a section out.
            if self.eat("::") {
                if section == 0 {
                    self.asm_operands(&mut operands)?;
                }
                continue;
            }
            if !self.eat(":") {
                break;
            }
            self.asm_operands(&mut operands)?;
        }
        let end = self.expect(")", "after the operands of `asm`")?;
        self.semicolon("`asm(...)`")?;
        let mut asm = Asm { span: start.to(end), operands, registers: Vec::new() };
        let stmts = asm.translate(&text)?;
        Ok(Stmt { kind: StmtKind::Block(stmts), span: asm.span })
    }

    fn asm_operands(&mut self, out: &mut Vec<Operand>) -> ParseResult<()> {
        while let Tok::Str(raw) = self.peek().kind.clone() {
            let text = unquote(&raw).or_else(|m| self.fail(m))?;
            self.bump();
            if self.is("(") {
                self.bump();
                let expr = self.fresh(Parser::expression)?;
                self.expect(")", "after an operand of `asm`")?;
                let letter = text.last().map_or('r', |b| *b as char);
                out.push(Operand { letter, expr });
            }
            // nvcc does not ask for the comma.
            self.eat(",");
        }
        Ok(())
    }
}

impl Asm {
    /// The statements of the whole text.
    fn translate(&mut self, text: &str) -> ParseResult<Vec<Stmt>> {
        let mut text = text.replace("%%", "%");
        while let Some((before, rest)) = text.split_once("/*") {
            let behind = rest.split_once("*/").map_or("", |(_, behind)| behind);
            text = format!("{before} {behind}");
        }
        let mut out = Vec::new();
        for line in text.lines() {
            let line = line.split("//").next().unwrap_or("");
            // Braces of their own open and close a scope; those of vectors stand behind a blank.
            for part in line.split(';') {
                let part = part.trim();
                let part = match part.strip_prefix('{') {
                    Some(rest) => rest.trim(),
                    None => part,
                };
                let part = if part == "}" { "" } else { part };
                let balanced = part.matches('{').count() >= part.matches('}').count();
                let part = if balanced { part } else { part.trim_end_matches('}').trim() };
                if !part.is_empty() {
                    self.instruction(part, &mut out)?;
                }
            }
        }
        Ok(out)
    }

    /// `.reg .u32 a, b`
    fn declare(&mut self, rest: &str, out: &mut Vec<Stmt>) -> ParseResult<()> {
        let (word, names) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest, ""));
        let Some(kind) = kind_of(word.trim_start_matches('.')) else {
            return self.fail(&format!(".reg {word}"));
        };
        for name in names.split(',') {
            let name = name.trim().trim_start_matches('%');
            self.registers.push((name.into(), kind));
            let var = Var {
                name: Name::simple(format!("ptx:{name}").into(), self.span),
                ty: self.ty(kind),
                init: Init::None,
                specs: Specs { span: self.span, ..Specs::default() },
                span: self.span,
                bits: None,
                mentions_itself: false,
            };
            let kind = StmtKind::Decl(vec![Decl::Var(Rc::new(var))]);
            out.push(Stmt { kind, span: self.span });
        }
        Ok(())
    }

    /// One instruction. It is long because it is a table with a row for each name.
    fn instruction(&mut self, text: &str, out: &mut Vec<Stmt>) -> ParseResult<()> {
        if let Some(rest) = text.strip_prefix(".reg") {
            return self.declare(rest, out);
        }
        if text.starts_with(".pragma") {
            return Ok(());
        }
        if let Some(rest) = text.strip_prefix('@') {
            let (guard, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let not = guard.starts_with('!');
            let Some((mut cond, _)) = self.register(guard.trim_start_matches('!')) else {
                return self.fail(text);
            };
            if not {
                cond = self.un("!", cond);
            }
            let mut then = Vec::new();
            self.instruction(rest.trim(), &mut then)?;
            let then = Box::new(Stmt { kind: StmtKind::Block(then), span: self.span });
            let cond = crate::ast::Cond::Expr(cond);
            let kind = StmtKind::If { is_constexpr: false, init: None, cond, then, els: None };
            out.push(Stmt { kind, span: self.span });
            return Ok(());
        }
        let (op, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let words: Vec<&str> = op.split('.').collect();
        let args = split_operands(rest);
        let arg = |i: usize| args.get(i).map_or("", String::as_str);
        let of = Instruction { name: op, words: &words, args: &args };
        if !understood(&words) {
            return self.fail(op);
        }
        if self.warp_instruction(&of, out)? {
            return Ok(());
        }
        let kinds: Vec<Kind> = words.iter().skip(1).filter_map(|w| kind_of(w)).collect();
        let k = kinds.first().copied().unwrap_or(Kind { letter: 'b', bits: 32 });
        let has = |w: &str| words.contains(&w);
        let v = |i: usize| self.value(arg(i), k);
        let as_ = |i: usize, kind: Kind| self.value(arg(i), kind);
        let u32_ = Kind { letter: 'u', bits: 32 };
        let call = |name: &str, list: Vec<Expr>| {
            let e = self.call(name, list);
            Stmt { kind: StmtKind::Expr(e), span: self.span }
        };
        let float = k.letter == 'f';
        let double = float && k.bits == 64;
        let named = |single: &'static str, wide: &'static str| if double { wide } else { single };
        let value = match words[0] {
            "mov" if arg(0).starts_with('{') || arg(1).starts_with('{') => {
                return self.vector_move(arg(0), arg(1), k, out);
            }
            "mov" => v(1)?,
            "add" | "sub" | "and" | "or" | "xor" | "rem" if !has("cc") => {
                let op = match words[0] {
                    "add" => "+",
                    "sub" => "-",
                    "and" => "&",
                    "or" => "|",
                    "xor" => "^",
                    _ => "%",
                };
                self.bin(op, v(1)?, v(2)?)
            }
            "div" => self.bin("/", v(1)?, v(2)?),
            "mul" | "mad" | "fma" if has("wide") => {
                let wide = Kind { letter: k.letter, bits: 2 * k.bits };
                let product = self.bin("*", self.cast(wide, v(1)?), self.cast(wide, v(2)?));
                let sum = match words[0] {
                    "mul" => product,
                    _ => self.bin("+", product, as_(3, wide)?),
                };
                return self.set(arg(0), sum, wide, out);
            }
            "mul" | "mad" if has("hi") && !has("cc") => {
                let name = match (k.letter, k.bits) {
                    ('s', 32) => "__mulhi",
                    (_, 32) => "__umulhi",
                    ('s', _) => "__mul64hi",
                    _ => "__umul64hi",
                };
                let high = self.call(name, vec![v(1)?, v(2)?]);
                if words[0] == "mul" { high } else { self.bin("+", high, v(3)?) }
            }
            "mul24" | "mad24" => {
                let name = if k.letter == 's' { "__mul24" } else { "__umul24" };
                let product = self.call(name, vec![v(1)?, v(2)?]);
                if words[0] == "mul24" { product } else { self.bin("+", product, v(3)?) }
            }
            "mul" => self.bin("*", v(1)?, v(2)?),
            "fma" | "mad" if float => {
                self.call(named("__fmaf_rn", "__fma_rn"), vec![v(1)?, v(2)?, v(3)?])
            }
            "mad" if !has("cc") => self.bin("+", self.bin("*", v(1)?, v(2)?), v(3)?),
            "min" | "max" if args.len() == 3 => {
                let name = match (words[0], float) {
                    ("min", true) => "fmin",
                    (_, true) => "fmax",
                    ("min", _) => "min",
                    _ => "max",
                };
                self.call(name, vec![v(1)?, v(2)?])
            }
            "neg" => self.un("-", v(1)?),
            "not" if k.letter == 'p' => self.un("!", v(1)?),
            "not" => self.un("~", v(1)?),
            "abs" => self.call(if float { "fabs" } else { "abs" }, vec![v(1)?]),
            "shl" | "shr" => {
                let by = as_(2, u32_)?;
                let shifted =
                    self.bin(if words[0] == "shl" { "<<" } else { ">>" }, v(1)?, by.clone());
                let inside = self.bin("<", by, self.int(u64::from(k.bits)));
                let rest = match (words[0], k.letter) {
                    ("shr", 's') => self.bin(">>", v(1)?, self.int(u64::from(k.bits) - 1)),
                    _ => self.cast(k, self.int(0)),
                };
                self.cond(inside, shifted, rest)
            }
            "shf" if has("b32") => {
                let name = match (has("l"), has("wrap")) {
                    (true, true) => "__funnelshift_l",
                    (false, true) => "__funnelshift_r",
                    (true, false) => "__funnelshift_lc",
                    (false, false) => "__funnelshift_rc",
                };
                self.call(name, vec![v(1)?, v(2)?, as_(3, u32_)?])
            }
            "popc" | "clz" | "brev" => {
                let wide = k.bits == 64;
                let name = match (words[0], wide) {
                    ("popc", false) => "__popc",
                    ("popc", true) => "__popcll",
                    ("clz", false) => "__clz",
                    ("clz", true) => "__clzll",
                    (_, false) => "__brev",
                    (_, true) => "__brevll",
                };
                let e = self.call(name, vec![v(1)?]);
                if words[0] != "brev" {
                    return self.set(arg(0), e, u32_, out);
                }
                e
            }
            "bfind" => {
                // The number of the highest bit that counts, which in a negative number is a zero.
                let given = v(1)?;
                let bits = match k.letter {
                    's' => {
                        let zero = self.cast(k, self.int(0));
                        let negative = self.bin("<", given.clone(), zero);
                        self.cond(negative, self.un("~", given.clone()), given)
                    }
                    _ => given,
                };
                let name = if k.bits == 64 { "__clzll" } else { "__clz" };
                let above = self.call(name, vec![bits]);
                let found = match has("shiftamt") {
                    true => {
                        let none = self.bin("==", above.clone(), self.int(u64::from(k.bits)));
                        self.cond(none, self.int(0xffff_ffff), above)
                    }
                    false => self.bin("-", self.int(u64::from(k.bits) - 1), above),
                };
                return self.set(arg(0), found, u32_, out);
            }
            "vabsdiff4" if !has("sat") => {
                let signed = kinds.get(1).is_some_and(|k| k.letter == 's');
                let name = match (has("add"), signed) {
                    (true, false) => "__vsadu4",
                    (true, true) => "__vsads4",
                    (false, false) => "__vabsdiffu4",
                    (false, true) => "__vabsdiffs4",
                };
                let of_bytes = self.call(name, vec![as_(1, u32_)?, as_(2, u32_)?]);
                let sum = match has("add") {
                    true => self.bin("+", of_bytes, as_(3, u32_)?),
                    false => of_bytes,
                };
                return self.set(arg(0), sum, u32_, out);
            }
            "add" | "addc" | "sub" | "subc" | "mad" | "madc" if !float => {
                return self.with_carry(&words, &args, k, out);
            }
            "bfe" => {
                // Shifted to the top and back, so that the sign fills what the field lacks.
                let (at, len) = (as_(2, u32_)?, as_(3, u32_)?);
                let (bits, zero) = (self.int(u64::from(k.bits)), self.cast(k, self.int(0)));
                let end = self.bin("+", at.clone(), len.clone());
                let end = self.call("min", vec![end, bits.clone()]);
                let up = self.bin("-", bits.clone(), end);
                let down = self.bin("+", up.clone(), at);
                let field = self.bin("<<", v(1)?, up);
                let beyond = match k.letter {
                    's' => self.bin(">>", v(1)?, self.int(u64::from(k.bits) - 1)),
                    _ => zero.clone(),
                };
                let inside = self.bin("<", down.clone(), bits);
                let found = self.cond(inside, self.bin(">>", field, down), beyond);
                self.cond(self.bin("==", len, self.int(0)), zero, found)
            }
            "bfi" if k.bits == 32 => {
                let (at, len) = (as_(3, u32_)?, as_(4, u32_)?);
                let ones = self.bin("-", self.bin("<<", self.int(1), len), self.int(1));
                let mask = self.bin("<<", ones, at.clone());
                let new = self.bin("&", self.bin("<<", v(1)?, at), mask.clone());
                self.bin("|", new, self.bin("&", v(2)?, self.un("~", mask)))
            }
            "lop3" => {
                let known = crate::pp::integer(arg(4)).map(|(lut, _)| lut);
                let lut = as_(4, u32_)?;
                self.lop3([v(1)?, v(2)?, v(3)?], known, &lut)
            }
            "prmt" if words.len() == 2 => {
                self.call("__byte_perm", vec![v(1)?, v(2)?, as_(3, u32_)?])
            }
            "copysign" => self.call("copysign", vec![v(2)?, v(1)?]),
            "fns" => {
                let signed = Kind { letter: 's', bits: 32 };
                self.call("__fns", vec![as_(1, u32_)?, as_(2, u32_)?, as_(3, signed)?])
            }
            "slct" => {
                let Some(&by) = kinds.get(1) else { return self.fail(op) };
                let positive = self.bin(">=", as_(3, by)?, self.cast(by, self.int(0)));
                self.cond(positive, v(1)?, v(2)?)
            }
            "isspacep" => {
                let name = match () {
                    () if has("global") => "__isGlobal",
                    () if has("local") => "__isLocal",
                    () => "__isShared",
                };
                let address = as_(1, Kind { letter: 'u', bits: 64 })?;
                let is =
                    self.call(name, vec![self.pointer(address, Kind { letter: 'u', bits: 8 })]);
                return self.set(arg(0), is, Kind { letter: 'p', bits: 1 }, out);
            }
            // What the cache keeps longest is not looked at.
            "createpolicy" => {
                return self.set(arg(0), self.int(1), Kind { letter: 'u', bits: 64 }, out);
            }
            "sad" if k.bits == 32 => {
                let name = if k.letter == 's' { "__sad" } else { "__usad" };
                self.call(name, vec![v(1)?, v(2)?, as_(3, u32_)?])
            }
            "ex2" => self.call("exp2f", vec![v(1)?]),
            "lg2" => self.call("log2f", vec![v(1)?]),
            "sin" => self.call("__sinf", vec![v(1)?]),
            "cos" => self.call("__cosf", vec![v(1)?]),
            "tanh" => self.call("tanhf", vec![v(1)?]),
            "rcp" => self.call(named("__frcp_rn", "__drcp_rn"), vec![v(1)?]),
            "sqrt" => self.call("sqrt", vec![v(1)?]),
            "rsqrt" => self.call("rsqrt", vec![v(1)?]),
            "cvt" if small_float(op).is_some() => {
                let (function, bits) = small_float(op).unwrap_or_default();
                let small = |i: usize| -> ParseResult<Expr> {
                    Ok(self.call(function, vec![as_(i, Kind { letter: 'f', bits: 32 })?]))
                };
                let mut value = small(1)?;
                if args.len() == 3 {
                    // The first number goes into the upper half.
                    value = self.bin("|", self.bin("<<", value, self.int(16)), small(2)?);
                }
                return self.set(arg(0), value, Kind { letter: 'u', bits }, out);
            }
            "cvt" if op == "cvt.f32.bf16" => {
                let bits = self.bin("<<", as_(1, u32_)?, self.int(16));
                self.call("__uint_as_float", vec![bits])
            }
            "cvt" if has("pack") => return self.pack(&of, &kinds, out),
            "cvt" => return self.convert(&words, &kinds, arg(0), arg(1), out),
            "cvta" => v(1)?,
            "setp" => {
                let op = match words.get(1).copied() {
                    Some("eq") => "==",
                    Some("ne") => "!=",
                    Some("lt" | "lo") => "<",
                    Some("le" | "ls") => "<=",
                    Some("gt" | "hi") => ">",
                    Some("ge" | "hs") => ">=",
                    _ => return self.fail(op),
                };
                let cmp = match (op, float) {
                    // What is no number is not different either.
                    ("!=", true) => {
                        let less = self.bin("<", v(1)?, v(2)?);
                        self.bin("||", less, self.bin(">", v(1)?, v(2)?))
                    }
                    _ => self.bin(op, v(1)?, v(2)?),
                };
                let join = |cmp: Expr| -> ParseResult<Expr> {
                    let joined = match () {
                        () if has("and") => "&&",
                        () if has("or") => "||",
                        () if has("xor") => "!=",
                        () => return Ok(cmp),
                    };
                    let Some((other, _)) = self.register(arg(3).trim_start_matches('!')) else {
                        return self.fail(text);
                    };
                    let other = if arg(3).starts_with('!') { self.un("!", other) } else { other };
                    Ok(self.bin(joined, cmp, other))
                };
                let holds = Kind { letter: 'p', bits: 1 };
                let Some((first, second)) = arg(0).split_once('|') else {
                    return self.set(arg(0), join(cmp)?, holds, out);
                };
                // The second one gets the opposite.
                let opposite = join(self.un("!", cmp.clone()))?;
                let both = [(first.trim(), join(cmp)?), (second.trim(), opposite)];
                for (word, value) in both.into_iter().filter(|(word, _)| *word != "_") {
                    self.set(word, value, holds, out)?;
                }
                return Ok(());
            }
            "selp" => {
                let Some((p, _)) = self.register(arg(3)) else { return self.fail(text) };
                self.cond(p, v(1)?, v(2)?)
            }
            // Copies are made at once: nothing is left to wait for.
            "cp" if has("async")
                && (has("commit_group") || has("wait_group") || has("wait_all")) =>
            {
                return Ok(());
            }
            "cp" if has("async") && (has("ca") || has("cg")) => {
                let address = |word: &str| -> ParseResult<Expr> {
                    let byte = self.memory(word, Kind { letter: 'u', bits: 8 }, 0)?;
                    Ok(self.un("&", byte))
                };
                let size = as_(2, u32_)?;
                let mut list = vec![address(arg(0))?, address(arg(1))?, size.clone()];
                if args.len() > 3 {
                    // Of the source only this many bytes are read; zeros follow.
                    list.push(self.bin("-", size, as_(3, u32_)?));
                }
                out.push(call("__pipeline_memcpy_async", list));
                return Ok(());
            }
            "ld" | "ldu" => return self.load(arg(0), arg(1), k, out),
            "st" => {
                for (i, part) in parts(arg(1)).iter().enumerate() {
                    let value = self.value(part, k)?;
                    out.push(self.assign(self.memory(arg(0), k, i as u64)?, value));
                }
                return Ok(());
            }
            "atom" | "red" if has("noftz") => {
                let at = usize::from(words[0] == "atom");
                let Some(ty) = HALVES.iter().find(|ty| has(ty)) else { return self.fail(op) };
                let bits = Kind { letter: 'u', bits: if ty.ends_with("x2") { 32 } else { 16 } };
                if !has("add") || arg(at + 1).starts_with('{') {
                    return self.fail(op);
                }
                let place = self.un("&", self.memory(arg(at), bits, 0)?);
                let name = format!("__ptx_atomic_{ty}");
                let list = vec![place, self.value(arg(at + 1), bits)?];
                if at == 0 {
                    out.push(call(&name, list));
                    return Ok(());
                }
                return self.set(arg(0), self.call(&name, list), bits, out);
            }
            "atom" | "red" => {
                let at = usize::from(words[0] == "atom");
                let name = words.iter().find_map(|w| {
                    Some(match *w {
                        "add" => "atomicAdd",
                        "min" => "atomicMin",
                        "max" => "atomicMax",
                        "and" => "atomicAnd",
                        "or" => "atomicOr",
                        "xor" => "atomicXor",
                        "exch" => "atomicExch",
                        "cas" => "atomicCAS",
                        "inc" => "atomicInc",
                        "dec" => "atomicDec",
                        _ => return None,
                    })
                });
                let Some(name) = name else { return self.fail(op) };
                if at == 0 && (has("v2") || has("v4")) {
                    for (i, part) in parts(arg(1)).iter().enumerate() {
                        let place = self.un("&", self.memory(arg(0), k, i as u64)?);
                        out.push(call(name, vec![place, self.value(part, k)?]));
                    }
                    return Ok(());
                }
                let place = self.memory(arg(at), k, 0)?;
                let mut list = vec![self.un("&", place), self.value(arg(at + 1), k)?];
                if name == "atomicCAS" {
                    list.push(self.value(arg(at + 2), k)?);
                }
                if at == 0 {
                    out.push(call(name, list));
                    return Ok(());
                }
                self.call(name, list)
            }
            "bar" | "barrier" if has("warp") => {
                out.push(call("__syncwarp", vec![as_(0, u32_)?]));
                return Ok(());
            }
            "bar" | "barrier" if args.len() <= 1 && (arg(0) == "0" || arg(0).is_empty()) => {
                out.push(call("__syncthreads", Vec::new()));
                return Ok(());
            }
            "bar" | "barrier" if has("sync") || has("arrive") => {
                return Err(Box::new(
                    Diagnostic::unsupported(self.span, "barriers with a number are not supported")
                        .help(
                            "a block has one barrier here: `cuda::barrier` in shared memory is one \
                             for some of its threads",
                        ),
                ));
            }
            "membar" | "fence" => {
                out.push(call("__threadfence", Vec::new()));
                return Ok(());
            }
            "trap" => {
                out.push(call("__trap", Vec::new()));
                return Ok(());
            }
            "activemask" => self.call("__activemask", Vec::new()),
            "prefetch" | "prefetchu" | "nanosleep" | "griddepcontrol" | "nop" | "pmevent"
            | "discard" | "applypriority" => return Ok(()),
            _ => return self.fail(op),
        };
        let value = match has("sat") {
            true if float && !double => self.call("__saturatef", vec![value]),
            true => return self.fail(op),
            false => value,
        };
        self.set(arg(0), value, k, out)
    }

    /// `add.cc`, `addc`, `sub.cc`, `subc`, `mad.lo.cc`, `madc.hi` and their like. The carry is a
    /// variable of the `asm` statement.
    fn with_carry(
        &mut self,
        words: &[&str],
        args: &[String],
        k: Kind,
        out: &mut Vec<Stmt>,
    ) -> ParseResult<()> {
        let has = |w: &str| words.contains(&w);
        let arg = |i: usize| args.get(i).map_or("", String::as_str);
        let k = Kind { letter: 'u', ..k };
        let takes = words[0].ends_with('c');
        if !self.registers.iter().any(|r| r.0 == CARRY) {
            if takes {
                let name = words.join(".");
                let text = format!("`{name}` takes a carry that no instruction before it leaves");
                return Err(Box::new(
                    Diagnostic::error(self.span, text)
                        .help("the carry lives in one `asm` statement: put both into the same one"),
                ));
            }
            let kind = if k.bits == 64 { ".u64" } else { ".u32" };
            for name in [CARRY, FIRST, SUM] {
                self.declare(&format!("{kind} {name}"), out)?;
            }
        }
        let held = |name: &str| self.value(name, k);
        let (carry, first, sum) = (held(CARRY)?, held(FIRST)?, held(SUM)?);
        let (a, b) = match words[0] {
            "mad" | "madc" => {
                let (x, y) = (self.value(arg(1), k)?, self.value(arg(2), k)?);
                let high = if k.bits == 64 { "__umul64hi" } else { "__umulhi" };
                let product = match has("hi") {
                    true => self.call(high, vec![x, y]),
                    false => self.bin("*", x, y),
                };
                (product, self.value(arg(3), k)?)
            }
            _ => (self.value(arg(1), k)?, self.value(arg(2), k)?),
        };
        self.set(FIRST, a, k, out)?;
        let plus = if words[0].starts_with("sub") { "-" } else { "+" };
        let simple = self.bin(plus, first.clone(), b);
        let all = if takes { self.bin(plus, simple, carry.clone()) } else { simple };
        self.set(SUM, all, k, out)?;
        if has("cc") {
            // A sum that wraps is below its first part, a difference above it.
            let (low, high) = match plus {
                "+" => (sum.clone(), first),
                _ => (first, sum.clone()),
            };
            let wraps = self.bin("<", low.clone(), high.clone());
            let wraps = match takes {
                true => {
                    let same = self.bin("&&", self.bin("==", low, high), carry);
                    self.bin("||", wraps, same)
                }
                false => wraps,
            };
            self.set(CARRY, wraps, k, out)?;
        }
        self.set(arg(0), sum, k, out)
    }

    /// Any function of three bits: the table `lut`, which may be `known` here already.
    fn lop3(&self, [a, b, c]: [Expr; 3], known: Option<u64>, lut: &Expr) -> Expr {
        let mut sum = self.int(0);
        for row in 0..8u64 {
            if known.is_some_and(|lut| lut >> row & 1 == 0) {
                continue;
            }
            let side = |e: &Expr, bit: u64| match row >> bit & 1 {
                1 => e.clone(),
                _ => self.un("~", e.clone()),
            };
            let both = self.bin("&", side(&a, 2), side(&b, 1));
            let mut term = self.bin("&", both, side(&c, 0));
            if known.is_none() {
                let bit = self.bin("&", lut.clone(), self.int(1 << row));
                term = self.cond(bit, term, self.int(0));
            }
            sum = self.bin("|", sum, term);
        }
        sum
    }

    fn load(&self, to: &str, from: &str, k: Kind, out: &mut Vec<Stmt>) -> ParseResult<()> {
        for (i, part) in parts(to).iter().enumerate() {
            self.set(part, self.memory(from, k, i as u64)?, k, out)?;
        }
        Ok(())
    }

    /// `mov.b64 %0, {%1, %2}` and `mov.b64 {%0, %1}, %2`.
    fn vector_move(&self, to: &str, from: &str, k: Kind, out: &mut Vec<Stmt>) -> ParseResult<()> {
        let half = Kind { letter: 'u', bits: k.bits / 2 };
        let whole = Kind { letter: 'u', bits: k.bits };
        let shift = self.int(u64::from(half.bits));
        match (&parts(to)[..], &parts(from)[..]) {
            ([to], [low, high]) => {
                let high = self.bin("<<", self.cast(whole, self.value(high, half)?), shift);
                let low = self.cast(whole, self.value(low, half)?);
                self.set(to, self.bin("|", high, low), whole, out)
            }
            ([low, high], [from]) => {
                let e = self.value(from, whole)?;
                self.set(low, e.clone(), half, out)?;
                self.set(high, self.bin(">>", e, shift), half, out)
            }
            _ => self.fail("mov"),
        }
    }
}

/// Operands at commas outside of brackets.
fn split_operands(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut level = 0;
    let mut word = String::new();
    for c in text.chars() {
        match c {
            '{' | '[' => level += 1,
            '}' | ']' => level -= 1,
            ',' if level == 0 => {
                out.push(std::mem::take(&mut word).trim().to_string());
                continue;
            }
            _ => {}
        }
        word.push(c);
    }
    if !word.trim().is_empty() {
        out.push(word.trim().to_string());
    }
    out
}
