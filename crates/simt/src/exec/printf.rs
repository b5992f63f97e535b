//! `printf` as C defines it.

use std::fmt::Write;

use super::block::Worker;
use super::halt::Halt;
use super::lanes::each;
use super::warp::Warp;
use crate::bytecode::{Bank, CallInfo};
use crate::fault::FaultKind;
use crate::hir::Ty;
use crate::memory::STRING_BASE;

/// One conversion of a format.
#[derive(Clone, Debug, Default, PartialEq)]
struct Spec {
    minus: bool,
    plus: bool,
    space: bool,
    zero: bool,
    alt: bool,
    width: Option<Number>,
    precision: Option<Number>,
    /// `h`, `hh`, `l`, `ll`, `z`, ... as written.
    length: String,
    conversion: char,
}

/// A number in a conversion.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Given(usize),
    /// `*`: the next argument.
    Star,
}

/// Piece of a format.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    Spec(Spec),
}

/// Splits a format; `Err` says what is wrong with it.
fn parse(format: &str) -> Result<Vec<Piece>, String> {
    let mut out = Vec::new();
    let mut text = String::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        if chars.peek() == Some(&'%') {
            chars.next();
            text.push('%');
            continue;
        }
        if !text.is_empty() {
            out.push(Piece::Text(std::mem::take(&mut text)));
        }
        let mut spec = Spec::default();
        while let Some(c) = chars.peek() {
            match c {
                '-' => spec.minus = true,
                '+' => spec.plus = true,
                ' ' => spec.space = true,
                '0' => spec.zero = true,
                '#' => spec.alt = true,
                _ => break,
            }
            chars.next();
        }
        let number = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>| {
            if chars.peek() == Some(&'*') {
                chars.next();
                return Some(Number::Star);
            }
            let mut value = None;
            while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
                value = Some((value.unwrap_or(0) * 10 + digit as usize).min(4096));
                chars.next();
            }
            value.map(Number::Given)
        };
        spec.width = number(&mut chars);
        if chars.peek() == Some(&'.') {
            chars.next();
            spec.precision = Some(number(&mut chars).unwrap_or(Number::Given(0)));
        }
        while let Some(c) = chars.peek().filter(|c| "hlLzjtq".contains(**c)) {
            spec.length.push(*c);
            chars.next();
        }
        match chars.next() {
            Some(c) if "diuxXocspfFeEgGaA".contains(c) => spec.conversion = c,
            Some(c) => return Err(format!("the format has an unknown conversion `%{c}`")),
            None => return Err("the format ends in the middle of a conversion".into()),
        }
        out.push(Piece::Spec(spec));
    }
    if !text.is_empty() {
        out.push(Piece::Text(text));
    }
    Ok(out)
}

/// What is wrong with the arguments of a format, in one clause.
fn mismatch(pieces: &[Piece], types: &[Ty], type_name: impl Fn(&Ty) -> String) -> Option<String> {
    let mut args = types.iter();
    for piece in pieces {
        let Piece::Spec(spec) = piece else { continue };
        for star in [spec.width, spec.precision] {
            if star == Some(Number::Star) && !args.next().is_some_and(Ty::is_integer) {
                return Some("a `*` in the format needs an `int` argument".into());
            }
        }
        let Some(ty) = args.next() else {
            return Some(format!(
                "the format asks for more than the {} arguments that are given",
                types.len()
            ));
        };
        let wide = matches!(ty, Ty::Int { bits: 64, .. });
        let long = spec.length.contains(['l', 'z', 'j', 't', 'q']);
        let fits = match spec.conversion {
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' => ty.is_integer() && wide == long,
            'c' => ty.is_integer() && !wide,
            's' => ty.is_pointer(),
            'p' => ty.is_pointer() || wide,
            _ => ty.is_float(),
        };
        if !fits {
            return Some(format!(
                "`%{}{}` does not fit an argument of type `{}`",
                spec.length,
                spec.conversion,
                type_name(ty)
            ));
        }
    }
    let left = args.len();
    (left > 0).then(|| format!("{left} of the arguments are not used by the format"))
}

fn pad(out: &mut String, spec: &Spec, width: Option<usize>, sign: &str, body: &str, zero: bool) {
    let len = sign.chars().count() + body.chars().count();
    let fill = width.unwrap_or(0).saturating_sub(len);
    if spec.minus {
        let _ = write!(out, "{sign}{body}{}", " ".repeat(fill));
    } else if zero {
        let _ = write!(out, "{sign}{}{body}", "0".repeat(fill));
    } else {
        let _ = write!(out, "{}{sign}{body}", " ".repeat(fill));
    }
}

fn sign_of(spec: &Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        _ => "",
    }
}

fn integer(
    out: &mut String,
    spec: &Spec,
    width: Option<usize>,
    precision: Option<usize>,
    bits: u64,
    ty: &Ty,
) {
    let bits = match spec.length.as_str() {
        "hh" => bits & 0xff,
        "h" => bits & 0xffff,
        _ if matches!(ty, Ty::Int { bits: 64, .. }) || ty.is_pointer() => bits,
        _ => bits & 0xffff_ffff,
    };
    let signed = match spec.length.as_str() {
        "hh" => i64::from(bits as i8),
        "h" => i64::from(bits as i16),
        _ if matches!(ty, Ty::Int { bits: 64, .. }) => bits as i64,
        _ => i64::from(bits as i32),
    };
    let (sign, mut digits) = match spec.conversion {
        'd' | 'i' => (sign_of(spec, signed < 0), signed.unsigned_abs().to_string()),
        'x' => (if spec.alt && bits != 0 { "0x" } else { "" }, format!("{bits:x}")),
        'X' => (if spec.alt && bits != 0 { "0X" } else { "" }, format!("{bits:X}")),
        'o' => (if spec.alt && bits != 0 { "0" } else { "" }, format!("{bits:o}")),
        _ => ("", bits.to_string()),
    };
    if let Some(p) = precision {
        if p == 0 && digits == "0" {
            digits.clear();
        }
        let missing = p.saturating_sub(digits.len());
        digits = "0".repeat(missing) + &digits;
    }
    pad(out, spec, width, sign, &digits, spec.zero && precision.is_none());
}

/// `1.5e+03` as C writes it.
fn exponent_form(x: f64, precision: usize) -> String {
    let text = format!("{x:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

fn shortest_form(x: f64, precision: usize, keep_zeros: bool) -> String {
    let precision = precision.max(1);
    let exponent: i32 = if x == 0.0 {
        0
    } else {
        let text = format!("{x:.*e}", precision - 1);
        text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0)
    };
    let scientific = exponent < -4 || exponent >= precision as i32;
    let text = if scientific {
        exponent_form(x, precision - 1)
    } else {
        format!("{x:.*}", (precision as i32 - 1 - exponent).max(0) as usize)
    };
    if keep_zeros || !text.contains('.') {
        return text;
    }
    let (number, tail) = match text.split_once('e') {
        Some((n, e)) => (n.to_owned(), format!("e{e}")),
        None => (text, String::new()),
    };
    number.trim_end_matches('0').trim_end_matches('.').to_owned() + &tail
}

fn hexadecimal_form(x: f64, precision: Option<usize>) -> String {
    if x == 0.0 {
        return "0x0p+0".into();
    }
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64;
    let mut mantissa = bits & ((1 << 52) - 1);
    let (mut lead, exponent) = if exponent == 0 { (0, -1022) } else { (1u64, exponent - 1023) };
    if let Some(p) = precision.filter(|p| *p < 13) {
        let shift = 52 - 4 * p as u32;
        let whole = (lead << 52 | mantissa) + (1u64 << (shift - 1)) - 1
            + ((lead << 52 | mantissa) >> shift & 1);
        lead = whole >> 52;
        mantissa = whole >> shift << shift & ((1 << 52) - 1);
    }
    let digits = format!("{mantissa:013x}");
    let digits = match precision {
        Some(p) => digits.chars().chain(std::iter::repeat('0')).take(p).collect(),
        None => digits.trim_end_matches('0').to_owned(),
    };
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{lead}{point}{digits}p{exponent:+}")
}

fn float(out: &mut String, spec: &Spec, width: Option<usize>, precision: Option<usize>, x: f64) {
    let sign = sign_of(spec, x.is_sign_negative());
    let upper = spec.conversion.is_ascii_uppercase();
    let size = x.abs();
    let mut body = if x.is_nan() {
        "nan".into()
    } else if x.is_infinite() {
        "inf".into()
    } else {
        let p = precision.unwrap_or(6);
        match spec.conversion.to_ascii_lowercase() {
            'f' => format!("{size:.p$}"),
            'e' => exponent_form(size, p),
            'g' => shortest_form(size, p, spec.alt),
            _ => hexadecimal_form(size, precision),
        }
    };
    if upper {
        body = body.to_uppercase();
    }
    pad(out, spec, width, sign, &body, spec.zero && x.is_finite());
}

impl Worker<'_> {
    /// One call of `printf` by a warp: the lanes write one after the other.
    pub(crate) fn print(
        &mut self,
        warp: &mut Warp,
        info: &CallInfo,
        format: &str,
        types: &[Ty],
    ) -> Result<(), Box<Halt>> {
        let module = self.world.program.module();
        let problem = match parse(format) {
            Ok(pieces) => match mismatch(&pieces, types, |t| module.type_name(t)) {
                None => Ok(pieces),
                Some(text) => Err(text),
            },
            Err(text) => Err(text),
        };
        let pieces = match problem {
            Ok(pieces) => pieces,
            Err(text) => {
                let who = self.who(warp.index, warp.mask.trailing_zeros());
                let message = format!("{who} calls printf with a wrong format: {text}");
                let kind = FaultKind::Printf;
                return Err(self.raise(warp, kind, warp.mask, info.span, "prints here", message));
            }
        };
        let mut counts = [0u32; 32];
        for l in each(warp.mask) {
            let mut text = String::new();
            let mut args = info.args.iter().zip(types).map(|((bank, reg), ty)| {
                let bits = match bank {
                    Bank::A => u64::from(warp.regs.a[*reg as usize][l]),
                    Bank::B => warp.regs.b[*reg as usize][l],
                };
                (bits, ty)
            });
            for piece in &pieces {
                match piece {
                    Piece::Text(t) => text += t,
                    Piece::Spec(spec) => self.convert(&mut text, spec, &mut args),
                }
            }
            counts[l] = types.len() as u32;
            if self.printf.len() + text.len() > self.world.options.printf_limit {
                self.printf_lost += text.matches('\n').count().max(1) as u64;
            } else {
                self.printf += &text;
            }
        }
        if let Some((_, reg)) = info.dest {
            let mask = warp.mask;
            warp.regs.put_a(reg, &counts, mask);
        }
        Ok(())
    }

    fn convert<'t>(
        &self,
        out: &mut String,
        spec: &Spec,
        args: &mut impl Iterator<Item = (u64, &'t Ty)>,
    ) {
        let mut spec = spec.clone();
        let number = |n: Option<Number>, args: &mut dyn Iterator<Item = (u64, &'t Ty)>| match n {
            Some(Number::Given(n)) => Some(i64::try_from(n).unwrap_or(0)),
            Some(Number::Star) => args.next().map(|(bits, _)| i64::from(bits as i32)),
            None => None,
        };
        let width = number(spec.width, args);
        if width.is_some_and(|w| w < 0) {
            spec.minus = true;
        }
        let width = width.map(|w| w.unsigned_abs().min(4096) as usize);
        let precision = number(spec.precision, args);
        let precision = precision.filter(|p| *p >= 0).map(|p| p.min(4096) as usize);
        let Some((bits, ty)) = args.next() else { return };
        match spec.conversion {
            'c' => {
                let c = char::from(bits as u8);
                pad(out, &spec, width, "", &c.to_string(), false);
            }
            's' => {
                let mut text = self.text_at(bits);
                if let Some(p) = precision {
                    text = text.chars().take(p).collect();
                }
                pad(out, &spec, width, "", &text, false);
            }
            'p' => pad(out, &spec, width, "", &format!("{bits:#x}"), false),
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' => integer(out, &spec, width, precision, bits, ty),
            _ => {
                let x = match ty {
                    Ty::F64 => f64::from_bits(bits),
                    _ => f64::from(f32::from_bits(bits as u32)),
                };
                float(out, &spec, width, precision, x);
            }
        }
    }

    /// The string at an address: a literal, or bytes in device memory.
    fn text_at(&self, addr: u64) -> String {
        let literals = &self.world.code.strings;
        if let Some(rest) = addr.checked_sub(STRING_BASE).and_then(|at| literals.get(at as usize..))
        {
            let end = rest.iter().position(|b| *b == 0).unwrap_or(rest.len());
            return String::from_utf8_lossy(&rest[..end]).into_owned();
        }
        let Some(alloc) = self.world.find(addr) else { return "(null)".into() };
        let a = &self.world.allocs[alloc];
        let bytes: Vec<u8> = (addr - a.base..a.size.min(addr - a.base + 4096))
            .map(|at| (a.load((at / 4) as usize) >> (8 * (at % 4))) as u8)
            .take_while(|b| *b != 0)
            .collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(format: &str, bits: u64, ty: Ty) -> String {
        let pieces = parse(format).unwrap();
        assert_eq!(mismatch(&pieces, std::slice::from_ref(&ty), |_| "?".into()), None);
        let mut out = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(t) => out += &t,
                Piece::Spec(spec) => {
                    let get = |n| match n {
                        Some(Number::Given(n)) => Some(n),
                        _ => None,
                    };
                    let (w, p) = (get(spec.width), get(spec.precision));
                    match ty {
                        Ty::F64 => float(&mut out, &spec, w, p, f64::from_bits(bits)),
                        _ => integer(&mut out, &spec, w, p, bits, &ty),
                    }
                }
            }
        }
        out
    }

    fn f(format: &str, x: f64) -> String {
        one(format, x.to_bits(), Ty::F64)
    }

    fn i(format: &str, x: i32) -> String {
        one(format, u64::from(x as u32), Ty::I32)
    }

    #[test]
    fn integers_are_written_as_c_writes_them() {
        assert_eq!(i("%d|", -5), "-5|");
        assert_eq!(i("[%5d]", 42), "[   42]");
        assert_eq!(i("[%-5d]", 42), "[42   ]");
        assert_eq!(i("%05d", -42), "-0042");
        assert_eq!(i("%+d", 7), "+7");
        assert_eq!(i("%x %%", 255), "ff %");
        assert_eq!(i("%#X", 255), "0XFF");
        assert_eq!(i("%o", 8), "10");
        assert_eq!(i("%u", -1), "4294967295");
        assert_eq!(i("%hhd", 200), "-56");
        assert_eq!(i("%.3d", 5), "005");
        assert_eq!(one("%lld", u64::MAX, Ty::I64), "-1");
        assert_eq!(one("%zu", u64::MAX, Ty::U64), "18446744073709551615");
    }

    #[test]
    fn floats_are_written_as_c_writes_them() {
        assert_eq!(f("%f", 1.5), "1.500000");
        assert_eq!(f("%5.2f", std::f64::consts::PI), " 3.14");
        assert_eq!(f("%e", 12345.678), "1.234568e+04");
        assert_eq!(f("%g", 0.0001), "0.0001");
        assert_eq!(f("%g", 0.00001), "1e-05");
        assert_eq!(f("%g", 1e10), "1e+10");
        assert_eq!(f("%g", 100_000.0), "100000");
        assert_eq!(f("%G", 1e-10), "1E-10");
        assert_eq!(f("%a", 1.0), "0x1p+0");
        assert_eq!(f("%a", 0.5), "0x1p-1");
        assert_eq!(f("%a", 3.15), "0x1.9333333333333p+1");
        assert_eq!(f("%f", f64::INFINITY), "inf");
        assert_eq!(f("%010.3f", -2.5), "-00002.500");
    }

    #[test]
    fn wrong_formats_are_told() {
        let check = |format: &str, types: &[Ty]| {
            let pieces = parse(format).unwrap();
            mismatch(&pieces, types, |_| "T".into())
        };
        assert!(check("%d", &[Ty::F64]).unwrap().contains("does not fit"));
        assert!(check("%f", &[Ty::I32]).unwrap().contains("does not fit"));
        assert!(check("%d", &[Ty::I64]).unwrap().contains("does not fit"));
        assert!(check("%d %d", &[Ty::I32]).unwrap().contains("more than"));
        assert!(check("%d", &[Ty::I32, Ty::I32]).unwrap().contains("not used"));
        assert!(check("%*d", &[Ty::I32, Ty::I32]).is_none());
        assert!(parse("%y").is_err());
        assert!(parse("100%").is_err());
    }
}
