//! Kernel arguments on the command line.
//!
//! A scalar is a number (`5`, `2.5f`, `0x10`, `1e-3`, `true`), with or without its type (`int:5`);
//! a vector type takes its components (`float4:1,2,3,4`), a structure its members
//! (`1.5f,2,true`; or `zeros`, `file:PATH`). A buffer is a recipe:
//! `RECIPE:TYPE:COUNT`, or `RECIPE:COUNT` with the type that the kernel's parameter points to:
//!
//! | recipe | content |
//! |---|---|
//! | `out` | never written (reading it before writing is a fault), shown after the run |
//! | `zeros`, `ones` | 0, 1 |
//! | `iota` | 0, 1, 2, ... |
//! | `fill:..:VALUE` | the value |
//! | `rand` | random; `:seed=1` (default 1), `:min=0`, `:max=1` (integers: 0 to 99) |
//! | `list:TYPE:1,2,3` | these values |
//! | `file:PATH[:TYPE]` | a `.npy` file, or the raw little-endian bytes of any other |
//! | `null` | a null pointer |
//! | `local:TYPE:COUNT` | local memory of OpenCL C for a `__local` pointer |
//!
//! Before it may stand `NAME=` with the parameter's name; arguments without a name fill the
//! parameters in order.

use std::path::Path;

use rand::RngExt;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use simt::program::ParamInfo;

use super::npy;

/// What `--help` says of arguments.
pub const HELP: &str = "\
Arguments (--arg), one per parameter, in order or as NAME=...:
  5  2.5f  0x1f  true  int:5    a number; float4:1,2,3,4 for a vector type
  1.5f,2,true  zeros  file:x    a structure: its members as C writes them, or its bytes
  out:float:1000                a buffer that nobody has written yet; shown after the run
  zeros:int:100  ones:100       (the type may be left out: it is that of the parameter)
  iota:int:100                  0, 1, 2, ...
  fill:float:100:2.5            all the same
  rand:float:100:seed=1:min=-1:max=1
  list:int:3,1,2
  file:x.npy  file:x.raw:float  NumPy's format, or raw little-endian numbers
  null                          a null pointer
  local:float:256               local memory, for a __local pointer of OpenCL C

Example:
  cargo lab kernel add.cu --grid 8 --block 256 --arg c=out:int:2000 a=iota:int:2000 \
  b=ones:int:2000 n=2000";

/// Numbers that buffers and scalars are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// One byte, 0 or 1.
    Bool,
    /// Two's complement integer.
    Int {
        /// 8, 16, 32 or 64.
        bits: u8,
        /// Signed if true.
        signed: bool,
    },
    /// IEEE binary16.
    F16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// Bytes of a type that has no numbers to print, such as a `struct`.
    Opaque,
}

/// Type of an element: `lanes` numbers of type `base`, `size` bytes in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elem {
    /// The numbers.
    pub base: Base,
    /// Components: 1 for scalars, 2 to 4 for vector types (8 and 16 in OpenCL C), such as 4 for
    /// `float4`.
    pub lanes: usize,
    /// Bytes.
    pub size: usize,
    /// As in CUDA C.
    pub name: String,
}

/// A number of an argument, wide enough for all types.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Written without a point or exponent.
    Int(i128),
    /// Written with one.
    Real(f64),
}

/// One argument, ready to be put into memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// By value: the bytes of the parameter.
    Scalar(Vec<u8>),
    /// A pointer to a buffer.
    Buffer(Buffer),
    /// A null pointer.
    Null,
    /// Bytes of local memory, for a `__local` pointer of OpenCL C.
    Local(u64),
}

/// A buffer to allocate.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// Element type.
    pub elem: Elem,
    /// Number of elements.
    pub count: usize,
    /// Content; `None`: never written.
    pub data: Option<Vec<u8>>,
}

impl Elem {
    /// The type called `name` in CUDA C (`unsigned int`, `float4`, `size_t`, ...) or in Rust
    /// (`f32`, `u8`, ...).
    pub fn parse(name: &str) -> Option<Elem> {
        let words: Vec<&str> = name
            .split_whitespace()
            .filter(|w| !matches!(*w, "const" | "volatile" | "struct"))
            .collect();
        let name = words.join(" ");
        if let Some(base) = base_of(&name) {
            return Some(Elem { base, lanes: 1, size: base.size(), name });
        }
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let lanes: usize = name[stem.len()..].parse().ok()?;
        if !matches!(lanes, 1..=4 | 8 | 16) {
            return None;
        }
        let base = match stem {
            "uchar" => Base::Int { bits: 8, signed: false },
            "ushort" => Base::Int { bits: 16, signed: false },
            "uint" => Base::Int { bits: 32, signed: false },
            "ulong" | "ulonglong" => Base::Int { bits: 64, signed: false },
            "longlong" => Base::Int { bits: 64, signed: true },
            "dim" if lanes == 3 => Base::Int { bits: 32, signed: false },
            plain @ ("char" | "short" | "int" | "long" | "float" | "double") => base_of(plain)?,
            _ => return None,
        };
        Some(Elem { base, lanes, size: lanes * base.size(), name })
    }

    /// The type a pointer parameter points to, given its name and size.
    fn of_pointee(name: &str, size: u32) -> Elem {
        let size = size as usize;
        match Elem::parse(name) {
            Some(elem) if elem.size == size => elem,
            _ => Elem { base: Base::Opaque, lanes: 1, size: size.max(1), name: name.to_string() },
        }
    }

    /// Appends the bytes of one element, all components equal to `n`.
    fn push(&self, n: Number, out: &mut Vec<u8>) -> Result<(), String> {
        if self.base == Base::Opaque {
            return Err(format!("`{}` is not a number type: use zeros, out or file", self.name));
        }
        for _ in 0..self.lanes {
            self.base.push(n, out).map_err(|e| format!("{e} ({})", self.name))?;
        }
        Ok(())
    }

    /// Element `bytes` (as many as the type has) for people: `1.5`, `-3`, `(1, 2)`.
    pub fn show(&self, bytes: &[u8]) -> String {
        if self.base == Base::Opaque {
            let hex: Vec<String> = bytes.iter().take(16).map(|b| format!("{b:02x}")).collect();
            let more = if bytes.len() > 16 { " ..." } else { "" };
            return format!("<{}{more}>", hex.join(" "));
        }
        let size = self.base.size();
        let shown: Vec<String> = bytes.chunks_exact(size).map(|b| self.base.show(b)).collect();
        if self.lanes == 1 { shown.concat() } else { format!("({})", shown.join(", ")) }
    }

    /// NumPy's name of the type, such as `<f4`; raw bytes for types it does not have.
    pub fn npy_descr(&self) -> String {
        match (self.base, self.lanes) {
            (Base::Bool, 1) => "|b1".into(),
            (Base::Int { bits: 8, signed }, 1) => (if signed { "|i1" } else { "|u1" }).into(),
            (Base::Int { bits, signed }, 1) => {
                format!("<{}{}", if signed { 'i' } else { 'u' }, bits / 8)
            }
            (Base::F16 | Base::F32 | Base::F64, 1) => format!("<f{}", self.size),
            _ => format!("|V{}", self.size),
        }
    }
}

fn base_of(name: &str) -> Option<Base> {
    let int = |bits, signed| Some(Base::Int { bits, signed });
    match name {
        "bool" => Some(Base::Bool),
        "char" | "signed char" | "int8_t" | "i8" => int(8, true),
        "unsigned char" | "uchar" | "uint8_t" | "u8" => int(8, false),
        "short" | "short int" | "int16_t" | "i16" => int(16, true),
        "unsigned short" | "ushort" | "uint16_t" | "u16" => int(16, false),
        "int" | "signed" | "signed int" | "int32_t" | "i32" => int(32, true),
        "unsigned" | "unsigned int" | "uint" | "uint32_t" | "u32" => int(32, false),
        "long" | "long long" | "long long int" | "int64_t" | "ptrdiff_t" | "i64" => int(64, true),
        "unsigned long"
        | "unsigned long long"
        | "unsigned long long int"
        | "ulong"
        | "uint64_t"
        | "size_t"
        | "u64" => int(64, false),
        "half" | "__half" | "f16" => Some(Base::F16),
        "float" | "f32" => Some(Base::F32),
        "double" | "f64" => Some(Base::F64),
        _ => None,
    }
}

impl Base {
    /// Bytes.
    pub fn size(self) -> usize {
        match self {
            Base::Bool | Base::Opaque => 1,
            Base::Int { bits, .. } => usize::from(bits) / 8,
            Base::F16 => 2,
            Base::F32 => 4,
            Base::F64 => 8,
        }
    }

    fn push(self, n: Number, out: &mut Vec<u8>) -> Result<(), String> {
        let real = match n {
            Number::Int(i) => i as f64,
            Number::Real(x) => x,
        };
        match (self, n) {
            (Base::F16, _) => out.extend(simt::round::to_half(real).to_le_bytes()),
            (Base::F32, _) => out.extend((real as f32).to_le_bytes()),
            (Base::F64, _) => out.extend(real.to_le_bytes()),
            (_, Number::Real(x)) => return Err(format!("{x} is not an integer")),
            (Base::Bool, Number::Int(i)) if i == 0 || i == 1 => out.push(i as u8),
            (Base::Bool, Number::Int(i)) => return Err(format!("{i} is neither 0 nor 1")),
            (Base::Int { bits, signed }, Number::Int(i)) => {
                let range = if signed {
                    -(1i128 << (bits - 1))..=(1i128 << (bits - 1)) - 1
                } else {
                    0..=(1i128 << bits) - 1
                };
                if !range.contains(&i) {
                    return Err(format!("{i} is not in {}..={}", range.start(), range.end()));
                }
                out.extend(&i.to_le_bytes()[..usize::from(bits) / 8]);
            }
            (Base::Opaque, _) => return Err("not a number type".into()),
        }
        Ok(())
    }

    fn show(self, b: &[u8]) -> String {
        let word = |signed: bool| {
            let negative = signed && b.last().is_some_and(|x| x & 0x80 != 0);
            let mut wide = [if negative { 0xff } else { 0 }; 16];
            wide[..b.len()].copy_from_slice(b);
            i128::from_le_bytes(wide).to_string()
        };
        match self {
            Base::Bool | Base::Opaque => word(false),
            Base::Int { signed, .. } => word(signed),
            Base::F16 => {
                b.try_into().map_or(String::new(), |b| half::f16::from_le_bytes(b).to_string())
            }
            Base::F32 => {
                b.try_into().map_or(String::new(), |b| format!("{:?}", f32::from_le_bytes(b)))
            }
            Base::F64 => {
                b.try_into().map_or(String::new(), |b| format!("{:?}", f64::from_le_bytes(b)))
            }
        }
    }
}

/// A number as C writes it, with its suffix: `-5`, `0x1f`, `7u`, `2.5f`, `1e-3`, `nan`, `true`.
pub fn number(text: &str) -> Result<Number, String> {
    let bad = || format!("`{text}` is not a number");
    let lower = text.trim().to_ascii_lowercase();
    match lower.as_str() {
        "true" => return Ok(Number::Int(1)),
        "false" => return Ok(Number::Int(0)),
        "nan" | "inf" | "-inf" | "infinity" | "-infinity" => {
            return lower.parse().map(Number::Real).map_err(|_| bad());
        }
        _ => {}
    }
    let (sign, digits) = match lower.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, lower.strip_prefix('+').unwrap_or(&lower)),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Err(bad());
    }
    let integer = digits.trim_end_matches(['u', 'l']);
    let parsed = match integer.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None => integer.parse::<i128>().ok(),
    };
    if let Some(i) = parsed {
        return Ok(Number::Int(sign * i));
    }
    let real: f64 = digits.trim_end_matches('f').parse().map_err(|_| bad())?;
    Ok(Number::Real(f64::from(sign as i8) * real))
}

/// Largest number of bytes of one buffer.
const MAX_BYTES: usize = 1 << 30;

/// Reads the arguments `given` for the parameters of a kernel; the result has one value per
/// parameter.
///
/// # Errors
/// One line that names the argument and the parameter, without the kernel's signature.
pub fn bind(params: &[ParamInfo], given: &[String]) -> Result<Vec<Value>, String> {
    let mut slots: Vec<Option<Value>> = vec![None; params.len()];
    let mut unnamed = Vec::new();
    for text in given {
        match split_name(text) {
            Some((name, spec)) => {
                let i = params
                    .iter()
                    .position(|p| p.name == name)
                    .ok_or_else(|| format!("the kernel has no parameter `{name}`"))?;
                if slots[i].is_some() {
                    return Err(format!("parameter `{name}` is given twice"));
                }
                slots[i] = Some(value(&params[i], spec)?);
            }
            None => unnamed.push(text),
        }
    }
    let mut unnamed = unnamed.into_iter();
    let mut missing = Vec::new();
    for (slot, param) in slots.iter_mut().zip(params) {
        if slot.is_none() {
            match unnamed.next() {
                Some(spec) => *slot = Some(value(param, spec)?),
                None => missing.push(format!("`{}`", param.name)),
            }
        }
    }
    let extra = unnamed.count();
    if extra > 0 {
        let plural = if params.len() == 1 { "parameter" } else { "parameters" };
        return Err(format!(
            "{} arguments are given, but the kernel has {} {plural}",
            given.len(),
            params.len()
        ));
    }
    if !missing.is_empty() {
        return Err(format!("no argument is given for {}", missing.join(", ")));
    }
    Ok(slots.into_iter().flatten().collect())
}

/// A buffer by a recipe that names its type (`int` if it does not).
///
/// # Errors
/// One line that says what of the recipe is wrong.
pub fn buffer_of(spec: &str) -> Result<Buffer, String> {
    let named = spec.split(':').skip(1).find_map(Elem::parse);
    let elem = named.or_else(|| Elem::parse("int")).ok_or("no type int")?;
    match buffer(&elem, spec).map_err(|e| format!("`{spec}`: {e}"))? {
        Value::Buffer(buffer) => Ok(buffer),
        _ => Err(format!("`{spec}` makes no buffer")),
    }
}

/// An argument that fits `param`: `count` random elements where the kernel only reads, as many by
/// the recipe `written` where it may write; numbers are `count`, which most often is a length.
pub fn example(param: &ParamInfo, written: &str, count: u32) -> String {
    if let Some((pointee, _)) = &param.pointee {
        return match (param.space, param.is_const) {
            (simt::hir::Space::Shared, _) => format!("local:{pointee}:256"),
            (_, true) if Elem::parse(pointee).is_some() => format!("rand:{pointee}:{count}"),
            (_, true) => format!("zeros:{pointee}:{count}"),
            (_, false) => format!("{written}:{pointee}:{count}"),
        };
    }
    match Elem::parse(&param.type_name) {
        None => "zeros".to_string(),
        Some(Elem { base: Base::Bool, .. }) => "true".to_string(),
        Some(Elem { base: Base::F16 | Base::F32 | Base::F64, lanes: 1, .. }) => "1.0".to_string(),
        Some(elem) => vec![count.to_string(); elem.lanes].join(","),
    }
}

/// `NAME=SPEC`; an `=` behind a colon belongs to an option such as `seed=1`.
fn split_name(text: &str) -> Option<(&str, &str)> {
    let (name, spec) = text.split_once('=')?;
    let word = name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.is_empty();
    word.then_some((name, spec))
}

fn value(param: &ParamInfo, spec: &str) -> Result<Value, String> {
    let about = |e: String| format!("`{}` for parameter `{}`: {e}", spec, param.name);
    let parsed = match &param.pointee {
        Some((name, size)) if param.space == simt::hir::Space::Shared => {
            local(&Elem::of_pointee(name, *size), spec)
        }
        Some((name, size)) => buffer(&Elem::of_pointee(name, *size), spec),
        None => scalar(param, spec),
    };
    parsed.map_err(about)
}

fn scalar(param: &ParamInfo, spec: &str) -> Result<Value, String> {
    let Some(elem) = Elem::parse(&param.type_name).filter(|e| e.size == param.size as usize) else {
        return whole(param, spec).map(Value::Scalar);
    };
    let text = match spec.split_once(':') {
        None => spec,
        Some((name, text)) => {
            let given = Elem::parse(name).ok_or_else(|| {
                format!("the parameter is {}, give a number; `{name}` is not a type", elem.name)
            })?;
            if (given.base, given.lanes) != (elem.base, elem.lanes) {
                return Err(format!("the parameter is {}, not {name}", elem.name));
            }
            text
        }
    };
    let mut bytes = Vec::new();
    let components: Vec<&str> = text.split(',').collect();
    if components.len() != elem.lanes {
        return Err(format!(
            "{} takes {} number(s), found {}",
            elem.name,
            elem.lanes,
            components.len()
        ));
    }
    for component in components {
        elem.base
            .push(number(component)?, &mut bytes)
            .map_err(|e| format!("{e} ({})", elem.name))?;
    }
    Ok(Value::Scalar(bytes))
}

/// The bytes of a structure: `zeros`, `file:PATH`, or its members in order as C writes them, each
/// at its natural alignment: `1.5f` is a float, `1.5` a double, `7l` a 64-bit integer, `true` a
/// bool, `7` an int.
fn whole(param: &ParamInfo, spec: &str) -> Result<Vec<u8>, String> {
    let (size, name) = (param.size as usize, &param.type_name);
    let form = format!(
        "the parameter is {name} ({size} bytes): give zeros, file:PATH, or its members in order, \
         as in 1.5f,2,3.5,7l,true (float, int, double, 64-bit integer, bool)"
    );
    if spec == "zeros" {
        return Ok(vec![0; size]);
    }
    if let Some(path) = spec.strip_prefix("file:") {
        let bytes = std::fs::read(path).map_err(|e| format!("{path}: {e}"))?;
        return match bytes.len() == size {
            true => Ok(bytes),
            false => Err(format!("{path} has {} bytes; {form}", bytes.len())),
        };
    }
    let mut bytes = Vec::new();
    for member in spec.split(',') {
        let n = number(member).map_err(|e| format!("{e}; {form}"))?;
        let base = match (n, member.trim().to_ascii_lowercase()) {
            (_, text) if text == "true" || text == "false" => Base::Bool,
            (_, text) if text.ends_with('f') && !text.starts_with("0x") => Base::F32,
            (Number::Real(_), _) => Base::F64,
            (_, text) => Base::Int {
                bits: if text.trim_end_matches('u').ends_with('l') { 64 } else { 32 },
                signed: !text.contains('u'),
            },
        };
        bytes.resize(bytes.len().next_multiple_of(base.size()), 0);
        base.push(n, &mut bytes).map_err(|e| format!("`{member}`: {e}"))?;
    }
    bytes.resize(bytes.len().next_multiple_of(param.align.max(1) as usize), 0);
    match bytes.len() == size {
        true => Ok(bytes),
        false => Err(format!("these members fill {} bytes; {form}", bytes.len())),
    }
}

/// `local:COUNT` or `local:TYPE:COUNT`
fn local(pointee: &Elem, spec: &str) -> Result<Value, String> {
    let wrong =
        || format!("the parameter is a __local pointer: give local:{}:256, its size", pointee.name);
    let rest = spec.strip_prefix("local:").ok_or_else(wrong)?;
    let (elem, n) = match rest.rsplit_once(':') {
        Some((name, n)) => (Elem::parse(name).ok_or_else(wrong)?, n),
        None => (pointee.clone(), rest),
    };
    Ok(Value::Local((count(n)? * elem.size) as u64))
}

fn buffer(pointee: &Elem, spec: &str) -> Result<Value, String> {
    let (recipe, rest) = spec.split_once(':').unwrap_or((spec, ""));
    if recipe == "file" {
        return file(pointee, rest).map(Value::Buffer);
    }
    let mut fields: Vec<&str> = if rest.is_empty() { vec![] } else { rest.split(':').collect() };
    let mut elem = pointee.clone();
    // The name of a type that is only the kernel's own, such as a `struct`.
    if fields.first().is_some_and(|name| *name == pointee.name) {
        fields.remove(0);
    } else if let Some(given) = fields.first().and_then(|name| Elem::parse(name)) {
        fields.remove(0);
        if given.size != pointee.size || (given.base, given.lanes) != (pointee.base, pointee.lanes)
        {
            let opaque = pointee.base == Base::Opaque && pointee.size.is_multiple_of(given.size);
            if !opaque {
                return Err(format!(
                    "the kernel's parameter points to {}, not {}",
                    pointee.name, given.name
                ));
            }
        }
        elem = given;
    }
    let mut fields = fields.into_iter();
    let mut next = |what: &str| fields.next().ok_or_else(|| format!("expected {what}"));
    let built = match recipe {
        "null" => return Ok(Value::Null),
        "out" | "zeros" | "ones" | "iota" | "fill" | "rand" => {
            let count = count(next("a number of elements, as in iota:1000")?)?;
            if count.checked_mul(elem.size).is_none_or(|bytes| bytes > MAX_BYTES) {
                return Err(format!("{count} elements are more than {MAX_BYTES} bytes"));
            }
            let mut data = Vec::with_capacity(if recipe == "out" { 0 } else { count * elem.size });
            match recipe {
                "zeros" => data.resize(count * elem.size, 0),
                "out" => {}
                "rand" => random(&elem, count, &mut fields, &mut data)?,
                "iota" => {
                    for i in 0..count {
                        elem.push(Number::Int(i as i128), &mut data)?;
                    }
                }
                _ => {
                    let n = match recipe {
                        "ones" => Number::Int(1),
                        _ => number(next("a value, as in fill:float:100:2.5")?)?,
                    };
                    for _ in 0..count {
                        elem.push(n, &mut data)?;
                    }
                }
            }
            Buffer { elem, count, data: (recipe != "out").then_some(data) }
        }
        "list" => {
            let mut data = Vec::new();
            for n in next("values, as in list:int:1,2,3")?.split(',') {
                elem.base
                    .push(number(n)?, &mut data)
                    .map_err(|e| format!("{e} ({})", elem.name))?;
            }
            if !data.len().is_multiple_of(elem.size) {
                return Err(format!("the values do not fill whole elements of {}", elem.name));
            }
            Buffer { count: data.len() / elem.size, elem, data: Some(data) }
        }
        _ => {
            return Err(format!(
                "the parameter is a pointer: give out, zeros, ones, iota, fill, rand, list, file \
                 or null (as in out:{}:1000), not `{recipe}`",
                pointee.name
            ));
        }
    };
    match fields.next() {
        Some(field) => Err(format!("`{field}` is not expected here")),
        None => Ok(Value::Buffer(built)),
    }
}

fn count(text: &str) -> Result<usize, String> {
    match number(text) {
        Ok(Number::Int(n)) if n > 0 => {
            usize::try_from(n).map_err(|_| format!("{text} is too many"))
        }
        _ => Err(format!("`{text}` is not a number of elements (1 or more), nor a type")),
    }
}

fn random(
    elem: &Elem,
    count: usize,
    options: &mut dyn Iterator<Item = &str>,
    data: &mut Vec<u8>,
) -> Result<(), String> {
    let float = matches!(elem.base, Base::F16 | Base::F32 | Base::F64);
    let (mut seed, mut min, mut max) = (1u64, 0.0, if float { 1.0 } else { 99.0 });
    if elem.base == Base::Bool {
        max = 1.0;
    }
    for option in options {
        let (key, text) = option.split_once('=').unwrap_or((option, ""));
        let real = || {
            number(text).map(|n| match n {
                Number::Int(i) => i as f64,
                Number::Real(x) => x,
            })
        };
        match key {
            "seed" => seed = text.parse().map_err(|_| format!("`{text}` is not a seed"))?,
            "min" => min = real()?,
            "max" => max = real()?,
            _ => return Err(format!("`{option}` is not one of seed=, min=, max=")),
        }
    }
    if !(min <= max && (max - min).is_finite()) {
        return Err(format!("min={min} is not below max={max}"));
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for _ in 0..count {
        for _ in 0..elem.lanes {
            let n = if float {
                Number::Real(min + (max - min) * rng.random::<f64>())
            } else {
                Number::Int(rng.random_range(min.ceil() as i64..=max.floor() as i64).into())
            };
            elem.base.push(n, data).map_err(|e| format!("{e} ({})", elem.name))?;
        }
    }
    Ok(())
}

fn file(pointee: &Elem, rest: &str) -> Result<Buffer, String> {
    // The type stands last; a path may hold colons itself.
    let (path, elem) = match rest.rsplit_once(':').and_then(|(p, t)| Some((p, Elem::parse(t)?))) {
        Some((path, elem)) if elem.size == pointee.size => (path, elem),
        Some((_, elem)) => {
            return Err(format!(
                "the kernel's parameter points to {}, not {}",
                pointee.name, elem.name
            ));
        }
        None => (rest, pointee.clone()),
    };
    let bytes = std::fs::read(path).map_err(|e| format!("{path}: {e}"))?;
    let data = if Path::new(path).extension().is_some_and(|e| e == "npy") {
        let npy = npy::read(&bytes).map_err(|e| format!("{path}: {e}"))?;
        // An array of float4 may be saved as an array of floats.
        let component = Elem { lanes: 1, size: elem.base.size(), ..elem.clone() };
        if npy.descr != elem.npy_descr() && npy.descr != component.npy_descr() {
            return Err(format!(
                "{path}: expected elements {} ({}), found {}",
                elem.npy_descr(),
                elem.name,
                npy.descr
            ));
        }
        npy.data
    } else {
        bytes
    };
    if data.is_empty() || !data.len().is_multiple_of(elem.size) {
        return Err(format!(
            "{path}: expected a multiple of {} bytes ({}), found {}",
            elem.size,
            elem.name,
            data.len()
        ));
    }
    Ok(Buffer { count: data.len() / elem.size, elem, data: Some(data) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer(name: &str, to: &str, size: u32) -> ParamInfo {
        ParamInfo {
            name: name.into(),
            type_name: format!("{to} *"),
            size: 8,
            align: 8,
            pointee: Some((to.into(), size)),
            space: simt::hir::Space::Generic,
            is_const: false,
            is_restrict: false,
            is_volatile: false,
        }
    }

    fn plain(name: &str, type_name: &str, size: u32) -> ParamInfo {
        ParamInfo {
            name: name.into(),
            type_name: type_name.into(),
            size,
            align: size,
            pointee: None,
            space: simt::hir::Space::Generic,
            is_const: false,
            is_restrict: false,
            is_volatile: false,
        }
    }

    fn strings(given: &[&str]) -> Vec<String> {
        given.iter().map(|s| s.to_string()).collect()
    }

    /// The bytes of a single buffer argument `spec` for a parameter that points to `to`.
    fn data(to: &str, size: u32, spec: &str) -> Result<Vec<u8>, String> {
        match bind(&[pointer("p", to, size)], &strings(&[spec]))?.remove(0) {
            Value::Buffer(b) => Ok(b.data.unwrap_or_default()),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn numbers_as_c_writes_them() {
        for (text, want) in [
            ("5", Number::Int(5)),
            ("-7", Number::Int(-7)),
            ("0x1F", Number::Int(31)),
            ("7ull", Number::Int(7)),
            ("2.5f", Number::Real(2.5)),
            ("-1e-3", Number::Real(-1e-3)),
            ("3f", Number::Real(3.0)),
            (".5", Number::Real(0.5)),
            ("true", Number::Int(1)),
        ] {
            assert_eq!(number(text), Ok(want), "{text}");
        }
        for text in ["", "x", "1.2.3", "--1", "five", "0xg", "-", "1 2"] {
            assert!(number(text).is_err(), "{text}");
        }
    }

    #[test]
    fn recipes_make_their_data() {
        let ints = |v: &[i32]| v.iter().flat_map(|i| i.to_le_bytes()).collect::<Vec<u8>>();
        let floats = |v: &[f32]| v.iter().flat_map(|i| i.to_le_bytes()).collect::<Vec<u8>>();
        assert_eq!(data("int", 4, "iota:int:4").unwrap(), ints(&[0, 1, 2, 3]));
        assert_eq!(data("int", 4, "iota:4").unwrap(), ints(&[0, 1, 2, 3]));
        assert_eq!(data("float", 4, "fill:float:2:2.5").unwrap(), floats(&[2.5, 2.5]));
        assert_eq!(data("float", 4, "ones:2").unwrap(), floats(&[1.0, 1.0]));
        assert_eq!(data("int", 4, "list:3,-1").unwrap(), ints(&[3, -1]));
        assert_eq!(data("float4", 16, "list:1,2,3,4").unwrap(), floats(&[1.0, 2.0, 3.0, 4.0]));
        assert_eq!(data("Body", 12, "zeros:3").unwrap(), vec![0; 36]);
        assert_eq!(data("float", 4, "out:5").unwrap(), Vec::<u8>::new());
        let random = data("float", 4, "rand:float:100:seed=3:min=-1:max=2").unwrap();
        assert_eq!(random, data("float", 4, "rand:float:100:seed=3:min=-1:max=2").unwrap());
        assert_ne!(random, data("float", 4, "rand:float:100:seed=4:min=-1:max=2").unwrap());
        for x in random.chunks_exact(4) {
            let x = f32::from_le_bytes(x.try_into().unwrap());
            assert!((-1.0..=2.0).contains(&x), "{x}");
        }
    }

    #[test]
    fn names_may_come_in_any_order_and_the_rest_fills_up() {
        let params = [pointer("c", "int", 4), pointer("a", "int", 4), plain("n", "int", 4)];
        let by_name = bind(&params, &strings(&["n=7", "a=iota:7", "c=out:7"])).unwrap();
        let in_order = bind(&params, &strings(&["out:7", "iota:7", "7"])).unwrap();
        let mixed = bind(&params, &strings(&["n=int:7", "out:7", "iota:7"])).unwrap();
        assert_eq!(by_name, in_order);
        assert_eq!(mixed, in_order);
        assert_eq!(by_name[2], Value::Scalar(7i32.to_le_bytes().to_vec()));
    }

    #[test]
    fn a_struct_may_be_named_as_the_error_s_example_does() {
        let params = [pointer("p", "Body", 12)];
        let named = bind(&params, &strings(&["p=out:Body:1000"])).unwrap();
        assert_eq!(named, bind(&params, &strings(&["p=out:1000"])).unwrap());
        assert!(bind(&params, &strings(&["p=out:Other:1000"])).is_err());
    }

    #[test]
    fn a_structure_is_given_by_its_members() {
        let camera = ParamInfo { align: 8, ..plain("c", "Camera", 24) };
        let given = |spec: &str| bind(std::slice::from_ref(&camera), &strings(&[spec]));
        let mut want = 1.5f32.to_le_bytes().to_vec();
        want.extend([1, 0, 0, 0]);
        want.extend(2.5f64.to_le_bytes());
        want.extend(7u32.to_le_bytes());
        want.extend([0; 4]);
        assert_eq!(given("1.5f,true,2.5,7u"), Ok(vec![Value::Scalar(want)]));
        assert_eq!(given("zeros"), Ok(vec![Value::Scalar(vec![0; 24])]));
        for (bad, why) in [
            ("1.5f", "these members fill 8 bytes; the parameter is Camera (24 bytes): give zeros"),
            ("1,2,x", "`x` is not a number"),
            ("5000000000,1,2,3,4,5", "5000000000 is not in"),
            ("file:/no/such/file", "/no/such/file: "),
        ] {
            let text = given(bad).unwrap_err();
            assert!(text.contains(why), "{bad}: {text}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        let params =
            [pointer("a", "float", 4), plain("n", "unsigned int", 4), plain("s", "float3", 12)];
        let err = |given: &[&str]| bind(&params, &strings(given)).unwrap_err();
        let cases: [(&[&str], &str); 15] = [
            (&["ones:4", "4"], "no argument is given for `s`"),
            (
                &["ones:4", "4", "1,2,3", "5"],
                "4 arguments are given, but the kernel has 3 parameters",
            ),
            (&["b=ones:4"], "no parameter `b`"),
            (&["a=ones:4", "a=ones:4"], "given twice"),
            (&["a=iota:int:4"], "points to float, not int"),
            (&["a=5"], "the parameter is a pointer"),
            (&["a=ones"], "expected a number of elements"),
            (&["a=ones:0"], "not a number of elements"),
            (&["a=ones:float:4:9"], "`9` is not expected here"),
            (&["a=rand:4:sed=1"], "seed=, min=, max="),
            (&["a=file:/no/such/file"], "/no/such/file"),
            (&["n=-1"], "-1 is not in 0..=4294967295"),
            (&["n=1.5"], "1.5 is not an integer"),
            (&["n=double:5"], "not double"),
            (&["s=1,2"], "takes 3 number(s), found 2"),
        ];
        for (given, want) in cases {
            let text = err(given);
            assert!(text.contains(want), "{given:?}: {text}");
        }
        assert!(err(&["a=ones:99999999999999"]).contains("more than"));
    }

    #[test]
    fn elements_print_as_in_c() {
        let show = |name: &str, bytes: &[u8]| Elem::parse(name).unwrap().show(bytes);
        assert_eq!(show("int", &(-5i32).to_le_bytes()), "-5");
        assert_eq!(show("unsigned char", &[255]), "255");
        assert_eq!(show("float", &1.5f32.to_le_bytes()), "1.5");
        assert_eq!(show("double", &1e300f64.to_le_bytes()), "1e300");
        assert_eq!(show("int2", &[1, 0, 0, 0, 2, 0, 0, 0]), "(1, 2)");
        assert_eq!(Elem::parse("const unsigned long long").unwrap().size, 8);
        assert_eq!(Elem::parse("float5"), None);
        assert_eq!(Elem::parse("Body"), None);
    }
}
