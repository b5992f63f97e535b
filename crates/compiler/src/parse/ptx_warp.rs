//! Inline PTX of a whole warp: matrices, shuffles, votes; and arithmetic of halves. Functions of
//! `ptx_functions.h` do what takes more than one operation.

use super::ptx_terms::{Asm, Kind, parts};
use super::ptx_words::HALVES;
use crate::ast::{Expr, ExprKind, Ident, Name, Part, Stmt, StmtKind, TArg, Ty, TyKind};
use crate::parse::ParseResult;

const BITS: Kind = Kind { letter: 'u', bits: 32 };

/// An instruction in its parts.
pub(super) struct Instruction<'a> {
    /// As it stands, for messages.
    pub name: &'a str,
    pub words: &'a [&'a str],
    pub args: &'a [String],
}

impl Instruction<'_> {
    fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    fn arg(&self, i: usize) -> &str {
        self.args.get(i).map_or("", String::as_str)
    }
}

impl Asm {
    /// True if the instruction was one of these.
    pub(super) fn warp_instruction(
        &self,
        of: &Instruction<'_>,
        out: &mut Vec<Stmt>,
    ) -> ParseResult<bool> {
        match of.words[0] {
            "mma" => self.matrix_product(of, out)?,
            "ldmatrix" => self.load_matrix(of, out)?,
            "movmatrix" => {
                let args = vec![self.value(of.arg(1), BITS)?, self.lane()];
                self.set(of.arg(0), self.call("__ptx_movmatrix", args), BITS, out)?;
            }
            "shfl" if of.has("sync") => self.shuffle(of, out)?,
            "vote" if of.has("sync") => {
                let name = match () {
                    () if of.has("ballot") => "__ballot_sync",
                    () if of.has("any") => "__any_sync",
                    () if of.has("all") => "__all_sync",
                    () => return self.fail(of.name).map(|()| false),
                };
                let kind = if of.has("ballot") { BITS } else { Kind { letter: 'p', bits: 1 } };
                let args = vec![self.value(of.arg(2), BITS)?, self.value(of.arg(1), BITS)?];
                self.set(of.arg(0), self.call(name, args), kind, out)?;
            }
            "dp4a" => {
                let kind = Kind { letter: if of.has("s32") { 's' } else { 'u' }, bits: 32 };
                if of.has("s32") && of.has("u32") {
                    return self.fail(of.name).map(|()| false);
                }
                let args: ParseResult<Vec<Expr>> =
                    (1..4).map(|i| self.value(of.arg(i), kind)).collect();
                self.set(of.arg(0), self.call("__dp4a", args?), kind, out)?;
            }
            "dp2a" => {
                let kind = Kind { letter: if of.has("s32") { 's' } else { 'u' }, bits: 32 };
                if of.has("s32") == of.has("u32") {
                    return self.fail(of.name).map(|()| false);
                }
                let name = if of.has("lo") { "__dp2a_lo" } else { "__dp2a_hi" };
                let args: ParseResult<Vec<Expr>> =
                    (1..4).map(|i| self.value(of.arg(i), kind)).collect();
                self.set(of.arg(0), self.call(name, args?), kind, out)?;
            }
            "match" => {
                let kind = Kind { letter: 'u', bits: if of.has("b64") { 64 } else { 32 } };
                let args = vec![self.value(of.arg(2), BITS)?, self.value(of.arg(1), kind)?];
                self.set(of.arg(0), self.call("__match_any_sync", args), BITS, out)?;
            }
            "redux" if of.words.len() == 4 => {
                let kind = Kind { letter: if of.has("s32") { 's' } else { 'u' }, bits: 32 };
                let name = format!("__reduce_{}_sync", of.words[2]);
                let args = vec![self.value(of.arg(2), BITS)?, self.value(of.arg(1), kind)?];
                self.set(of.arg(0), self.call(&name, args), kind, out)?;
            }
            op @ ("add" | "sub" | "mul" | "max" | "min" | "fma" | "neg" | "abs" | "tanh"
            | "ex2")
                if HALVES.iter().any(|ty| of.has(ty)) =>
            {
                let pair = of.has("f16x2") || of.has("bf16x2");
                let ty = if of.has("bf16") || of.has("bf16x2") { "_bf16" } else { "" };
                let (name, bits) = match pair {
                    true => (format!("{op}2{ty}"), 32),
                    false => (format!("{op}{ty}"), 16),
                };
                if of.has("sat") {
                    return self.fail(of.name).map(|()| false);
                }
                let kind = Kind { letter: 'u', bits };
                let args: ParseResult<Vec<Expr>> =
                    (1..of.args.len()).map(|i| self.value(of.arg(i), kind)).collect();
                self.set(of.arg(0), self.call(&format!("__ptx_{name}"), args?), kind, out)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn lane(&self) -> Expr {
        self.call("%laneid", Vec::new())
    }

    /// A function of `ptx_functions.h` with its template arguments.
    fn template(&self, id: &str, of: &[&str], args: Vec<Expr>) -> Stmt {
        let class = |name: &&str| {
            let kind = TyKind::Name(Name::simple(format!("__ptx_{name}").into(), self.span));
            TArg::Type(Ty { kind, is_const: false, span: self.span })
        };
        let mut name = Name::simple(id.into(), self.span);
        let targs = of.iter().map(class).collect();
        name.parts = vec![Part { id: id.into(), args: Some(targs), span: self.span }];
        let function = Box::new(self.make(ExprKind::Name(name)));
        let kind = StmtKind::Expr(self.make(ExprKind::Call(function, args)));
        Stmt { kind, span: self.span }
    }

    fn places(&self, list: &str) -> ParseResult<Vec<Expr>> {
        let place = |word: &Ident| match self.register(word) {
            Some((place, _)) => Ok(place),
            None => self.fail(word),
        };
        parts(list).iter().map(place).collect()
    }

    /// The values in `{...}`, and zeros up to `count`.
    fn padded(&self, list: &str, count: usize) -> ParseResult<Vec<Expr>> {
        let mut values = Vec::new();
        for word in parts(list) {
            values.push(self.value(&word, BITS)?);
        }
        values.resize_with(count, || self.int(0));
        Ok(values)
    }

    /// `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d}, {a}, {b}, {c}`
    fn matrix_product(&self, of: &Instruction<'_>, out: &mut Vec<Stmt>) -> ParseResult<()> {
        let shape =
            of.words.iter().find(|w| w.starts_with('m') && w.contains('n') && w.contains('k'));
        let shape = shape.copied().unwrap_or("");
        let types = of.words.get(of.words.len().saturating_sub(4)..).unwrap_or(&[]);
        let within = of.has("satfinite");
        let (&[d, a, b, c], true) = (types, of.has("row") && of.has("col")) else {
            return self.fail(of.name);
        };
        // Registers of the results, of A and of B.
        let counts: Vec<usize> = (0..3).map(|i| parts(of.arg(i)).len()).collect();
        let wanted = match (shape, d) {
            ("m16n8k16", "f32") | ("m16n8k32", _) => [4, 4, 2],
            ("m16n8k16", "f16") => [2, 4, 2],
            ("m16n8k8", "f32") if a == "tf32" => [4, 4, 2],
            ("m16n8k8", "f32") | ("m16n8k16", _) => [4, 2, 1],
            ("m16n8k4", _) => [4, 2, 1],
            ("m16n8k8", _) => [2, 2, 1],
            _ => [2, 1, 1],
        };
        if counts != wanted || parts(of.arg(3)).len() != wanted[0] {
            return self.fail(of.name);
        }
        let mut args = self.places(of.arg(0))?;
        let chunks = |deep: &str| self.int(if shape.ends_with(deep) { 2 } else { 1 });
        let sums = |kind: Kind| -> ParseResult<Vec<Expr>> {
            parts(of.arg(3)).iter().map(|word| self.value(word, kind)).collect()
        };
        let inputs = || -> ParseResult<Vec<Expr>> {
            let mut list = vec![self.lane()];
            list.extend(self.padded(of.arg(1), 4)?);
            list.extend(self.padded(of.arg(2), 2)?);
            Ok(list)
        };
        let whole = Kind { letter: 's', bits: 32 };
        let float = Kind { letter: 'f', bits: 32 };
        match (shape, d, a, b, c) {
            ("m16n8k32" | "m16n8k16", "s32", "s8" | "u8", "s8" | "u8", "s32") if within => {
                args.push(chunks("k32"));
                args.extend(inputs()?);
                args.extend(sums(whole)?);
                out.push(self.template("__ptx_mma4_satfinite", &[a, b], args));
            }
            _ if within => return self.fail(of.name),
            ("m16n8k16" | "m16n8k8", "f32", "f16" | "bf16", _, "f32") if a == b => {
                args.push(chunks("k16"));
                args.extend(inputs()?);
                args.extend(sums(float)?);
                out.push(self.template("__ptx_mma_floats", &[a], args));
            }
            ("m16n8k16" | "m16n8k8", "f16", "f16", "f16", "f16") => {
                args.push(chunks("k16"));
                args.extend(inputs()?);
                args.extend(sums(BITS)?);
                out.push(self.template("__ptx_mma_halves", &[], args));
            }
            ("m16n8k8" | "m16n8k4", "f32", "tf32", "tf32", "f32") => {
                args.push(chunks("k8"));
                args.extend(inputs()?);
                args.extend(sums(float)?);
                out.push(self.template("__ptx_mma_floats", &[a], args));
            }
            ("m16n8k32" | "m16n8k16", "s32", "s8" | "u8", "s8" | "u8", "s32") => {
                args.push(chunks("k32"));
                args.extend(inputs()?);
                args.extend(sums(whole)?);
                out.push(self.template("__ptx_mma4", &[a, b], args));
            }
            ("m8n8k16", "s32", "s8" | "u8", "s8" | "u8", "s32") => {
                args.push(self.lane());
                args.extend(self.padded(of.arg(1), 1)?);
                args.extend(self.padded(of.arg(2), 1)?);
                args.extend(sums(whole)?);
                out.push(self.template("__ptx_mma2", &[a, b], args));
            }
            ("m8n8k4", "f64", "f64", "f64", "f64") => {
                let double = Kind { letter: 'f', bits: 64 };
                args.push(self.lane());
                args.push(self.value(&parts(of.arg(1))[0], double)?);
                args.push(self.value(&parts(of.arg(2))[0], double)?);
                args.extend(sums(double)?);
                out.push(self.template("__ptx_mma_f64", &[], args));
            }
            _ => return self.fail(of.name),
        }
        Ok(())
    }

    /// `ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r}, [p]`
    fn load_matrix(&self, of: &Instruction<'_>, out: &mut Vec<Stmt>) -> ParseResult<()> {
        if !of.has("m8n8") || !of.has("b16") {
            return self.fail(of.name);
        }
        let byte = self.memory(of.arg(1), Kind { letter: 'u', bits: 8 }, 0)?;
        for (i, word) in parts(of.arg(0)).iter().enumerate() {
            let address = self.un("&", byte.clone());
            let turned = self.int(u64::from(of.has("trans")));
            let args = vec![address, self.lane(), self.int(i as u64), turned];
            self.set(word, self.call("__ptx_ldmatrix", args), BITS, out)?;
        }
        Ok(())
    }

    /// `shfl.sync.bfly.b32 d, a, lane, clamp, mask`: the clamp tells the width.
    fn shuffle(&self, of: &Instruction<'_>, out: &mut Vec<Stmt>) -> ParseResult<()> {
        let name = match () {
            () if of.has("bfly") => "__shfl_xor_sync",
            () if of.has("up") => "__shfl_up_sync",
            () if of.has("down") => "__shfl_down_sync",
            () if of.has("idx") => "__shfl_sync",
            () => return self.fail(of.name),
        };
        // A second result behind `|` tells whether the lane was in range.
        let Some((clamp, _)) = crate::pp::integer(of.arg(3)).filter(|_| !of.arg(0).contains('|'))
        else {
            return self.fail(of.name);
        };
        let width = self.int(32 - (clamp >> 8 & 31));
        let value = self.value(of.arg(1), BITS)?;
        let args = vec![self.value(of.arg(4), BITS)?, value, self.value(of.arg(2), BITS)?, width];
        self.set(of.arg(0), self.call(name, args), BITS, out)
    }
}
