//! Inline PTX that makes one type from another.

use super::ptx_terms::{Asm, Kind};
use super::ptx_warp::Instruction;
use crate::ast::{Expr, Stmt};
use crate::parse::ParseResult;

impl Asm {
    /// `cvt` between whole numbers, floats and halves.
    pub(super) fn convert(
        &self,
        words: &[&str],
        kinds: &[Kind],
        to: &str,
        from: &str,
        out: &mut Vec<Stmt>,
    ) -> ParseResult<()> {
        let [dest, source] = kinds else { return self.fail(&words.join(".")) };
        let has = |w: &str| words.contains(&w);
        let half = |k: &Kind| k.letter == 'f' && k.bits == 16;
        let bits = Kind { letter: 'u', bits: 16 };
        match (half(dest), half(source)) {
            (true, _) | (_, true) if has("sat") => return self.fail(&words.join(".")),
            (true, false) if has("rn") && source.letter == 'f' => {
                let e = self.call("__float2half", vec![self.value(from, *source)?]);
                return self.set(to, self.call("__half_as_ushort", vec![e]), bits, out);
            }
            (false, true) if dest.letter == 'f' => {
                let e = self.call("__ushort_as_half", vec![self.value(from, bits)?]);
                return self.set(to, self.call("__half2float", vec![e]), *dest, out);
            }
            (false, false) => {}
            _ => return self.fail(&words.join(".")),
        }
        let mut e = self.value(from, *source)?;
        let round = match () {
            () if has("rni") => Some("rint"),
            () if has("rmi") => Some("floor"),
            () if has("rpi") => Some("ceil"),
            () if has("rzi") => Some("trunc"),
            () => None,
        };
        if let (Some(name), 'f') = (round, source.letter) {
            e = self.call(name, vec![e]);
        }
        if has("sat") {
            e = match (source, dest) {
                (Kind { letter: 'f', bits: 32 }, Kind { letter: 'f', bits: 32 }) => {
                    self.call("__saturatef", vec![e])
                }
                (Kind { bits: 64, .. }, _)
                | (_, Kind { letter: 'f', .. } | Kind { bits: 64, .. }) => {
                    return self.fail(&words.join("."));
                }
                _ => self.within(e, *dest),
            };
        }
        self.set(to, e, *dest, out)
    }

    /// A number of 32 bits or fewer as the nearest one that `dest` holds, a type of whole numbers
    /// of as many; what is no number becomes 0.
    fn within(&self, e: Expr, dest: Kind) -> Expr {
        let signed = dest.letter == 's';
        let (low, high) = match signed {
            true => (-(1i128 << (dest.bits - 1)), (1i128 << (dest.bits - 1)) - 1),
            false => (0, (1i128 << dest.bits) - 1),
        };
        let number = |v: i128| {
            let size = self.int(v.unsigned_abs() as u64);
            let size = self.cast(Kind { letter: 'f', bits: 64 }, size);
            if v < 0 { self.un("-", size) } else { size }
        };
        // A double holds all of these numbers.
        let wide = self.cast(Kind { letter: 'f', bits: 64 }, e);
        let none = self.bin("!=", wide.clone(), wide.clone());
        let above = self.call("fmax", vec![wide, number(low)]);
        let inside = self.call("fmin", vec![above, number(high)]);
        let inside = self.cond(none, number(0), inside);
        self.cast(Kind { letter: 's', bits: 64 }, inside)
    }

    /// `cvt.pack.sat.s8.s32.b32 d, a, b, c`: c moved up, and below it a and b within bounds;
    /// without c of 16 bits each.
    pub(super) fn pack(
        &self,
        of: &Instruction<'_>,
        kinds: &[Kind],
        out: &mut Vec<Stmt>,
    ) -> ParseResult<()> {
        let word = Kind { letter: 'u', bits: 32 };
        let arg = |i: usize| of.args.get(i).map_or("", String::as_str);
        let (&[small, source, ..], true) = (kinds, of.words.contains(&"sat")) else {
            return self.fail(of.name);
        };
        if source.bits != 32 || ![(8, 4), (16, 3)].contains(&(small.bits, of.args.len())) {
            return self.fail(of.name);
        }
        let part = |i: usize| -> ParseResult<Expr> {
            let bits = Kind { letter: 'u', ..small };
            let inside = self.within(self.value(arg(i), source)?, small);
            Ok(self.cast(word, self.cast(bits, inside)))
        };
        let by = self.int(u64::from(small.bits));
        let mut value = self.bin("|", self.bin("<<", part(1)?, by), part(2)?);
        if small.bits == 8 {
            let above = self.bin("<<", self.value(arg(3), word)?, self.int(16));
            value = self.bin("|", above, value);
        }
        self.set(arg(0), value, word, out)
    }
}

/// The function that makes the bits of a smaller type from a float, and how many they are in the
/// register: two numbers share one in `f16x2` and `bf16x2`.
pub(super) fn small_float(op: &str) -> Option<(&'static str, u32)> {
    match op {
        "cvt.rn.f16x2.f32" => Some(("__ptx_f16_of", 32)),
        "cvt.rn.bf16x2.f32" => Some(("__ptx_bf16_of", 32)),
        "cvt.rn.bf16.f32" => Some(("__ptx_bf16_of", 16)),
        "cvt.rna.tf32.f32" => Some(("__ptx_tf32_of", 32)),
        _ => None,
    }
}
