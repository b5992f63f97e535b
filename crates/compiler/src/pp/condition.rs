//! Conditions of `#if`: integer constant expressions over tokens.

use crate::lex::{Tok, Token, unquote};

/// Value in a preprocessor condition.
#[derive(Clone, Copy)]
pub(super) struct Value {
    pub bits: u64,
    unsigned: bool,
}

/// Evaluates a condition over expanded tokens; names that are left have the value 0.
pub(super) struct Eval<'a> {
    pub tokens: &'a [Token],
    pub pos: usize,
    pub depth: usize,
}

impl Eval<'_> {
    fn eat(&mut self, p: &str) -> bool {
        let hit = self.tokens.get(self.pos).is_some_and(|t| t.is(p));
        self.pos += usize::from(hit);
        hit
    }

    /// `live`: the value counts, so that a division by zero is an error.
    pub(super) fn ternary(&mut self, live: bool) -> Result<Value, String> {
        self.depth += 1;
        if self.depth > 100 {
            return Err("the condition is nested too deeply".into());
        }
        let c = self.binary(0, live)?;
        let value = if self.eat("?") {
            let a = self.ternary(live && c.bits != 0)?;
            if !self.eat(":") {
                return Err("`:` is missing in the condition".into());
            }
            let b = self.ternary(live && c.bits == 0)?;
            if c.bits != 0 { a } else { b }
        } else {
            c
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, min: u8, live: bool) -> Result<Value, String> {
        let mut a = self.unary(live)?;
        loop {
            let Some(Token { kind: Tok::Punct(op), .. }) = self.tokens.get(self.pos) else {
                return Ok(a);
            };
            let level = match *op {
                "||" => 1,
                "&&" => 2,
                "|" => 3,
                "^" => 4,
                "&" => 5,
                "==" | "!=" => 6,
                "<" | ">" | "<=" | ">=" => 7,
                "<<" | ">>" => 8,
                "+" | "-" => 9,
                "*" | "/" | "%" => 10,
                _ => return Ok(a),
            };
            if level <= min {
                return Ok(a);
            }
            self.pos += 1;
            let live_b = live && !(*op == "&&" && a.bits == 0) && !(*op == "||" && a.bits != 0);
            let b = self.binary(level, live_b)?;
            let unsigned = a.unsigned || b.unsigned;
            let (x, y) = (a.bits, b.bits);
            let (sx, sy) = (x as i64, y as i64);
            let truth = |t: bool| Value { bits: u64::from(t), unsigned: false };
            let num = |bits: u64| Value { bits, unsigned };
            a = match *op {
                "||" => truth(x != 0 || y != 0),
                "&&" => truth(x != 0 && y != 0),
                "|" => num(x | y),
                "^" => num(x ^ y),
                "&" => num(x & y),
                "==" => truth(x == y),
                "!=" => truth(x != y),
                "<" => truth(if unsigned { x < y } else { sx < sy }),
                ">" => truth(if unsigned { x > y } else { sx > sy }),
                "<=" => truth(if unsigned { x <= y } else { sx <= sy }),
                ">=" => truth(if unsigned { x >= y } else { sx >= sy }),
                "<<" => Value { bits: x.checked_shl(y as u32).unwrap_or(0), unsigned: a.unsigned },
                ">>" if a.unsigned => {
                    Value { bits: x.checked_shr(y as u32).unwrap_or(0), unsigned: true }
                }
                ">>" => Value {
                    bits: sx.checked_shr(y as u32).unwrap_or(sx >> 63) as u64,
                    unsigned: false,
                },
                "+" => num(x.wrapping_add(y)),
                "-" => num(x.wrapping_sub(y)),
                "*" => num(x.wrapping_mul(y)),
                "/" | "%" if y == 0 => {
                    if live {
                        return Err("division by zero in the condition".into());
                    }
                    num(0)
                }
                "/" if unsigned => num(x / y),
                "%" if unsigned => num(x % y),
                "/" => num(sx.wrapping_div(sy) as u64),
                _ => num(sx.wrapping_rem(sy) as u64),
            };
        }
    }

    fn unary(&mut self, live: bool) -> Result<Value, String> {
        let Some(t) = self.tokens.get(self.pos) else {
            return Err("the condition ends too early".into());
        };
        self.pos += 1;
        self.depth += 1;
        if self.depth > 100 {
            return Err("the condition is nested too deeply".into());
        }
        let value = match &t.kind {
            Tok::Punct("!") => {
                let v = self.unary(live)?;
                Value { bits: u64::from(v.bits == 0), unsigned: false }
            }
            Tok::Punct("-") => {
                let v = self.unary(live)?;
                Value { bits: v.bits.wrapping_neg(), ..v }
            }
            Tok::Punct("+") => self.unary(live)?,
            Tok::Punct("~") => {
                let v = self.unary(live)?;
                Value { bits: !v.bits, ..v }
            }
            Tok::Punct("(") => {
                let v = self.ternary(live)?;
                if !self.eat(")") {
                    return Err("`)` is missing in the condition".into());
                }
                v
            }
            Tok::Ident(s) => Value { bits: u64::from(**s == *"true"), unsigned: false },
            Tok::Number(n) => {
                let (bits, suffix) = integer(n).ok_or(format!(
                    "`{n}` is not an integer, and only integers can stand in a condition"
                ))?;
                Value { bits, unsigned: suffix.contains('u') || bits > i64::MAX as u64 }
            }
            Tok::Char(raw) => {
                let bytes = unquote(raw)?;
                Value { bits: bytes.first().map_or(0, |b| *b as i8 as i64 as u64), unsigned: false }
            }
            _ => {
                return Err(format!(
                    "`{}` does not belong in a condition of the preprocessor",
                    t.text()
                ));
            }
        };
        self.depth -= 1;
        Ok(value)
    }
}

/// Value and lower-case suffix of an integer literal; `None` if it is not one or does not fit 64
/// bits.
pub(crate) fn integer(text: &str) -> Option<(u64, String)> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = if let Some(d) = lower.strip_prefix("0x") {
        (d, 16)
    } else if let Some(d) = lower.strip_prefix("0b") {
        (d, 2)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (&lower[1..], 8)
    } else {
        (&lower[..], 10)
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (number, suffix) = digits.split_at(end);
    if !matches!(suffix, "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu") {
        return None;
    }
    if number.is_empty() {
        // `0` alone, or `0u`, was cut as octal.
        return (radix == 8).then(|| (0, suffix.to_string()));
    }
    u64::from_str_radix(number, radix).ok().map(|v| (v, suffix.to_string()))
}
