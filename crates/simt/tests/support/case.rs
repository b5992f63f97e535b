//! Corpus files: kernels whose header says how they are launched and what must come out.
//!
//! The header consists of the lines that begin with `//@ `; one directive each:
//!
//! ```text
//! buffer NAME TYPE COUNT GENERATOR     device memory; TYPE is i8 u8 i16 u16 i32 u32 i64 u64 f32
//!                                      f64
//! symbol NAME TYPE COUNT GENERATOR     a variable at file scope, set before the first launch
//! texture NAME BUFFER W H D CHANNELS [linear] [wrap|mirror|border] [unit] [values]   a texture
//!                                      over BUFFER: the variable NAME, or an object for arguments
//! run KERNEL <<<GRID, BLOCK[, SHARED]>>> (ARG, ...) [for VAR in FROM..TO]
//! count COUNTER VALUE : REASON         of the last `run`, summed over its repetitions
//! check NAME exact | within TOLERANCE  against the reference function;
//!                                      |got - want| <= TOLERANCE * max(1, |want|)
//! expect NAME VALUE ...                 literal contents instead of a reference
//! prints LINE                          the lines that the kernels print, in order
//! fault CODE[|CODE...] [NAME[INDEX]] [thread (x,y,z)] [block (x,y,z)]
//! error TEXT                           the compiler must refuse the file; a message holds TEXT
//! sanitizer TOOL                       the tool of compute-sanitizer that finds the fault on a
//!                                      real GPU
//! options TEXT                         build options, of OpenCL C
//! ```
//!
//! A generator is `zero`, `empty` (never written), `fill V`, `iota FROM STEP`, `list V...`,
//! `rand SEED LO HI` (real, LO <= v < HI), `ints SEED LO HI` (whole, LO <= v <= HI) or `triangle`
//! (0 1 3 6 10 ...). An argument is a buffer, `NAME+OFFSET` in elements, the variable of `for`, or
//! a number, which takes the type of the parameter. A fault's source line is the one that carries
//! the comment `// <- fault`.
//!
//! A file of `tests/idioms` holds two programs: with `FAULTY` defined it has the fault of its
//! header, else none.
//!
//! In a file of OpenCL C (`.cl`) a run is `run KERNEL <<<GLOBAL, LOCAL[, OFFSET]>>> (ARG, ...)`, in
//! work-items, and an argument `local:BYTES` is local memory.
// Each test and example that includes this file uses a part of it.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

use simt::fault::Fault;
use simt::opencl::NdRange;
use simt::report::{Counters, LaunchReport};
use simt::{CompileOptions, ExecOptions, Instance, KernelInfo, Launch, Memory, Program};

/// Element type of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Elem {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Elem {
    fn parse(word: &str) -> Result<Elem, String> {
        Ok(match word {
            "i8" => Elem::I8,
            "u8" => Elem::U8,
            "i16" => Elem::I16,
            "u16" => Elem::U16,
            "i32" => Elem::I32,
            "u32" => Elem::U32,
            "i64" => Elem::I64,
            "u64" => Elem::U64,
            "f32" => Elem::F32,
            "f64" => Elem::F64,
            _ => return Err(format!("no element type `{word}`")),
        })
    }

    /// Bytes.
    pub fn size(self) -> usize {
        match self {
            Elem::I8 | Elem::U8 => 1,
            Elem::I16 | Elem::U16 => 2,
            Elem::I32 | Elem::U32 | Elem::F32 => 4,
            Elem::I64 | Elem::U64 | Elem::F64 => 8,
        }
    }

    /// The type in C++.
    pub fn cpp(self) -> &'static str {
        match self {
            Elem::I8 => "int8_t",
            Elem::U8 => "uint8_t",
            Elem::I16 => "int16_t",
            Elem::U16 => "uint16_t",
            Elem::I32 => "int32_t",
            Elem::U32 => "uint32_t",
            Elem::I64 => "int64_t",
            Elem::U64 => "uint64_t",
            Elem::F32 => "float",
            Elem::F64 => "double",
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Elem::F32 | Elem::F64)
    }

    /// Bytes of a whole number.
    fn whole(self, v: i128) -> Vec<u8> {
        match self {
            Elem::F32 => (v as f32).to_le_bytes().to_vec(),
            Elem::F64 => (v as f64).to_le_bytes().to_vec(),
            _ => v.to_le_bytes()[..self.size()].to_vec(),
        }
    }

    /// Bytes of a real number.
    fn real(self, v: f64) -> Vec<u8> {
        match self {
            Elem::F32 => (v as f32).to_le_bytes().to_vec(),
            Elem::F64 => v.to_le_bytes().to_vec(),
            _ => self.whole(v as i128),
        }
    }

    /// Bytes of a number as text.
    fn text(self, word: &str) -> Result<Vec<u8>, String> {
        if let Ok(v) = word.parse::<i128>() {
            return Ok(self.whole(v));
        }
        word.parse::<f64>().map(|v| self.real(v)).map_err(|_| format!("`{word}` is not a number"))
    }
}

/// How a buffer is filled.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Generator {
    Zero,
    Empty,
    Fill(String),
    Iota(String, String),
    List(Vec<String>),
    Rand(u64, f64, f64),
    Ints(u64, i64, i64),
    Triangle,
}

impl Generator {
    fn parse(words: &[&str]) -> Result<Generator, String> {
        let number = |i: usize| -> Result<f64, String> {
            words.get(i).and_then(|w| w.parse().ok()).ok_or_else(|| format!("bad {words:?}"))
        };
        let word = |i: usize| words.get(i).map_or(Err("a value is missing"), |w| Ok(w.to_string()));
        Ok(match words.first().copied().unwrap_or("") {
            "zero" => Generator::Zero,
            "empty" => Generator::Empty,
            "fill" => Generator::Fill(word(1)?),
            "iota" => Generator::Iota(word(1)?, word(2)?),
            "list" => Generator::List(words[1..].iter().map(|w| w.to_string()).collect()),
            "rand" => Generator::Rand(number(1)? as u64, number(2)?, number(3)?),
            "ints" => Generator::Ints(number(1)? as u64, number(2)? as i64, number(3)? as i64),
            "triangle" => Generator::Triangle,
            other => return Err(format!("no generator `{other}`")),
        })
    }

    /// The bytes of `count` elements; `None` for [`Generator::Empty`].
    pub fn bytes(&self, elem: Elem, count: usize) -> Result<Option<Vec<u8>>, String> {
        let mut out = Vec::with_capacity(count * elem.size());
        match self {
            Generator::Empty => return Ok(None),
            Generator::Zero => out.resize(count * elem.size(), 0),
            Generator::Fill(v) => out = elem.text(v)?.repeat(count),
            Generator::Iota(from, step) => {
                let parse = |w: &str| w.parse::<i128>().map_err(|_| "iota wants whole numbers");
                let (from, step) = (parse(from)?, parse(step)?);
                (0..count).for_each(|i| out.extend(elem.whole(from + i as i128 * step)));
            }
            Generator::List(values) => {
                if values.len() != count {
                    return Err(format!("list of {} for {count} elements", values.len()));
                }
                for v in values {
                    out.extend(elem.text(v)?);
                }
            }
            Generator::Rand(seed, lo, hi) => {
                if !elem.is_float() {
                    return Err("`rand` is for floats, `ints` for whole numbers".into());
                }
                let mut lcg = Lcg(*seed);
                for _ in 0..count {
                    let unit = f64::from(lcg.next() >> 7) / 16_777_216.0;
                    out.extend(elem.real(lo + (hi - lo) * unit));
                }
            }
            Generator::Ints(seed, lo, hi) => {
                let mut lcg = Lcg(*seed);
                let span = (hi - lo + 1) as u64;
                for _ in 0..count {
                    let v = lo + (u64::from(lcg.next()) % span) as i64;
                    out.extend(elem.whole(i128::from(v)));
                }
            }
            Generator::Triangle => {
                (0..count as i128).for_each(|i| out.extend(elem.whole(i * (i + 1) / 2)));
            }
        }
        Ok(Some(out))
    }
}

/// The generator of the corpus: 31 bits of a 64-bit linear congruence. The C++ programs for real
/// GPUs hold the same one.
pub struct Lcg(pub u64);

impl Lcg {
    /// The next 31 bits.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as u32
    }
}

/// Elements of a buffer.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Data {
    I8(Vec<i8>),
    U8(Vec<u8>),
    I16(Vec<i16>),
    U16(Vec<u16>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    I64(Vec<i64>),
    U64(Vec<u64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl Data {
    /// Elements from little-endian bytes.
    pub fn from_bytes(elem: Elem, bytes: &[u8]) -> Data {
        macro_rules! read {
            ($variant:ident, $t:ty) => {
                Data::$variant(
                    bytes
                        .chunks_exact(size_of::<$t>())
                        .map(|b| <$t>::from_le_bytes(b.try_into().expect("exact chunk")))
                        .collect(),
                )
            };
        }
        match elem {
            Elem::I8 => read!(I8, i8),
            Elem::U8 => read!(U8, u8),
            Elem::I16 => read!(I16, i16),
            Elem::U16 => read!(U16, u16),
            Elem::I32 => read!(I32, i32),
            Elem::U32 => read!(U32, u32),
            Elem::I64 => read!(I64, i64),
            Elem::U64 => read!(U64, u64),
            Elem::F32 => read!(F32, f32),
            Elem::F64 => read!(F64, f64),
        }
    }

    /// The elements as reals, for comparisons with a tolerance and for messages.
    pub fn reals(&self) -> Vec<f64> {
        fn all<T: Copy>(v: &[T], f: impl Fn(T) -> f64) -> Vec<f64> {
            v.iter().map(|x| f(*x)).collect()
        }
        match self {
            Data::I8(v) => all(v, f64::from),
            Data::U8(v) => all(v, f64::from),
            Data::I16(v) => all(v, f64::from),
            Data::U16(v) => all(v, f64::from),
            Data::I32(v) => all(v, f64::from),
            Data::U32(v) => all(v, f64::from),
            Data::I64(v) => all(v, |x| x as f64),
            Data::U64(v) => all(v, |x| x as f64),
            Data::F32(v) => all(v, f64::from),
            Data::F64(v) => v.clone(),
        }
    }

    /// The first difference, if there is one: place, got, want. Without a tolerance the bits must
    /// be equal.
    pub fn difference(&self, want: &Data, tolerance: Option<f64>) -> Option<String> {
        fn first<T: PartialEq + Debug>(got: &[T], want: &[T]) -> Option<String> {
            if got.len() != want.len() {
                return Some(format!("{} elements, want {}", got.len(), want.len()));
            }
            let i = (0..got.len()).find(|i| got[*i] != want[*i])?;
            let wrong = (0..got.len()).filter(|i| got[*i] != want[*i]).count();
            Some(format!("[{i}] is {:?}, want {:?} ({wrong} differ)", got[i], want[i]))
        }
        if let Some(tolerance) = tolerance {
            let (got, want) = (self.reals(), want.reals());
            if got.len() != want.len() {
                return first(&got, &want);
            }
            let bad = |i: usize| {
                let limit = tolerance * want[i].abs().max(1.0);
                (got[i] - want[i]).abs().partial_cmp(&limit).is_none_or(|o| o.is_gt())
            };
            let i = (0..got.len()).find(|i| bad(*i))?;
            let wrong = (0..got.len()).filter(|i| bad(*i)).count();
            return Some(format!("[{i}] is {:?}, want {:?} ({wrong} differ)", got[i], want[i]));
        }
        match (self, want) {
            (Data::I8(a), Data::I8(b)) => first(a, b),
            (Data::U8(a), Data::U8(b)) => first(a, b),
            (Data::I16(a), Data::I16(b)) => first(a, b),
            (Data::U16(a), Data::U16(b)) => first(a, b),
            (Data::I32(a), Data::I32(b)) => first(a, b),
            (Data::U32(a), Data::U32(b)) => first(a, b),
            (Data::I64(a), Data::I64(b)) => first(a, b),
            (Data::U64(a), Data::U64(b)) => first(a, b),
            (Data::F32(a), Data::F32(b)) => {
                let bits = |v: &[f32]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                first(&bits(a), &bits(b)).map(|d| first(a, b).unwrap_or(d))
            }
            (Data::F64(a), Data::F64(b)) => {
                let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                first(&bits(a), &bits(b)).map(|d| first(a, b).unwrap_or(d))
            }
            _ => Some("the reference has another element type".into()),
        }
    }
}

/// Device memory of a case, or a variable at file scope.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Buffer {
    pub name: String,
    pub elem: Elem,
    pub count: usize,
    pub generator: Generator,
    pub is_symbol: bool,
    /// A texture over another buffer instead of values.
    pub texture: Option<(String, simt::texture::Texture)>,
}

/// A kernel argument.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Arg {
    Buffer { name: String, offset: usize },
    Number(String),
    Variable,
    Local(u64),
}

/// One launch, or several with a counting variable.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Run {
    pub kernel: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    /// First global id, of OpenCL.
    pub offset: [u32; 3],
    pub args: Vec<Arg>,
    pub repeat: std::ops::Range<i64>,
    /// Counter, value, reason.
    pub counts: Vec<(String, u64, String)>,
}

/// What a faulty kernel must be stopped for.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct ExpectedFault {
    pub codes: Vec<String>,
    pub target: Option<(String, i64)>,
    pub thread: Option<[u32; 3]>,
    pub block: Option<[u32; 3]>,
}

/// A corpus file.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Case {
    pub name: String,
    pub text: String,
    /// Written in OpenCL C.
    pub opencl: bool,
    /// Build options of OpenCL.
    pub options: String,
    pub buffers: Vec<Buffer>,
    pub runs: Vec<Run>,
    /// Buffer and tolerance; without one the bits must be equal.
    pub checks: Vec<(String, Option<f64>)>,
    /// Buffer and its literal contents.
    pub expected: Vec<(String, Vec<String>)>,
    pub prints: Vec<String>,
    pub fault: Option<ExpectedFault>,
    pub error: Option<String>,
    pub sanitizer: Option<String>,
}

fn triple(text: &str) -> Result<[u32; 3], String> {
    let mut out = [1; 3];
    let inner = text.trim().trim_start_matches('(').trim_end_matches(')');
    let parts: Vec<&str> = inner.split(',').collect();
    if parts.len() > 3 {
        return Err(format!("`{text}` has more than three axes"));
    }
    for (slot, part) in out.iter_mut().zip(parts) {
        *slot = part.trim().parse().map_err(|_| format!("bad number in `{text}`"))?;
    }
    Ok(out)
}

/// As [`triple`], with 0 for axes that are left out.
fn start(text: &str) -> Result<[u32; 3], String> {
    let axes = text.split(',').count();
    let mut out = triple(text)?;
    out[axes..].fill(0);
    Ok(out)
}

/// Splits at commas outside brackets.
fn split_list(text: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        match parts.last_mut() {
            Some(last) if c != ',' || depth > 0 => last.push(c),
            _ => parts.push(String::new()),
        }
    }
    parts.iter().map(|p| p.trim().to_string()).filter(|p| !p.is_empty()).collect()
}

impl Run {
    fn parse(rest: &str, buffers: &[Buffer], opencl: bool) -> Result<Run, String> {
        let (kernel, rest) = rest.split_once("<<<").ok_or("`run` without <<<")?;
        let (config, rest) = rest.split_once(">>>").ok_or("`run` without >>>")?;
        let (args, tail) = rest.rsplit_once(')').ok_or("`run` without arguments")?;
        let args = args.trim().strip_prefix('(').ok_or("`run` without arguments")?;
        let config = split_list(config);
        let (mut repeat, mut variable) = (0..1, String::new());
        if let Some(text) = tail.trim().strip_prefix("for ") {
            let (name, range) = text.split_once(" in ").ok_or("for VAR in FROM..TO")?;
            let (from, to) = range.split_once("..").ok_or("for VAR in FROM..TO")?;
            let number =
                |t: &str| t.trim().parse::<i64>().map_err(|_| format!("bad range {range}"));
            repeat = number(from)?..number(to)?;
            variable = name.trim().to_string();
        }
        let mut parsed = Vec::new();
        for arg in split_list(args) {
            let (name, offset) = arg.split_once('+').unwrap_or((&arg, "0"));
            parsed.push(if buffers.iter().any(|b| b.name == name && !b.is_symbol) {
                let offset = offset.parse().map_err(|_| format!("bad offset in `{arg}`"))?;
                Arg::Buffer { name: name.to_string(), offset }
            } else if let Some(bytes) = arg.strip_prefix("local:") {
                Arg::Local(bytes.parse().map_err(|_| format!("bad size in `{arg}`"))?)
            } else if arg == variable {
                Arg::Variable
            } else {
                arg.parse::<f64>().map_err(|_| format!("`{arg}` is neither buffer nor number"))?;
                Arg::Number(arg)
            });
        }
        Ok(Run {
            kernel: kernel.trim().to_string(),
            grid: triple(config.first().ok_or("no grid")?)?,
            block: triple(config.get(1).ok_or("no block")?)?,
            shared: match config.get(2) {
                Some(s) if !opencl => s.parse().map_err(|_| "bad shared size")?,
                _ => 0,
            },
            offset: match config.get(2) {
                Some(s) if opencl => start(s)?,
                _ => [0; 3],
            },
            args: parsed,
            repeat,
            counts: Vec::new(),
        })
    }
}

impl Run {
    /// The range of a run of OpenCL.
    pub fn range(&self) -> NdRange {
        let used = |axis: usize| self.grid[axis] > 1 || self.block[axis] > 1;
        NdRange {
            work_dim: (0..3).rev().find(|axis| used(*axis)).map_or(1, |axis| axis as u32 + 1),
            offset: self.offset.map(u64::from),
            global: self.grid.map(u64::from),
            local: Some(self.block.map(u64::from)),
        }
    }
}

impl ExpectedFault {
    fn parse(rest: &str) -> Result<ExpectedFault, String> {
        let (codes, mut rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let mut fault = ExpectedFault {
            codes: codes.split('|').map(str::to_string).collect(),
            ..ExpectedFault::default()
        };
        if let Some((before, block)) = rest.split_once("block ") {
            fault.block = Some(triple(block)?);
            rest = before;
        }
        if let Some((before, thread)) = rest.split_once("thread ") {
            fault.thread = Some(triple(thread.trim())?);
            rest = before;
        }
        if let Some((name, index)) = rest.trim().trim_end_matches(']').split_once('[') {
            let index = index.parse().map_err(|_| format!("bad index in `{rest}`"))?;
            fault.target = Some((name.to_string(), index));
        }
        Ok(fault)
    }
}

impl Case {
    /// Reads the header of `text`.
    pub fn parse(name: &str, text: &str) -> Result<Case, String> {
        Case::parse_as(name, text, false)
    }

    /// As [`Case::parse`], of OpenCL C if `opencl`.
    pub fn parse_as(name: &str, text: &str, opencl: bool) -> Result<Case, String> {
        let (name_, text_) = (name.to_string(), text.to_string());
        let mut case = Case { name: name_, text: text_, opencl, ..Case::default() };
        for (number, line) in text.lines().enumerate() {
            let Some(directive) = line.strip_prefix("//@ ") else { continue };
            case.directive(directive).map_err(|e| format!("{name}.cu:{}: {e}", number + 1))?;
        }
        Ok(case)
    }

    fn directive(&mut self, line: &str) -> Result<(), String> {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match verb {
            "buffer" | "symbol" => {
                let words: Vec<&str> = rest.split_whitespace().collect();
                let [name, elem, count, generator @ ..] = words.as_slice() else {
                    return Err("NAME TYPE COUNT GENERATOR".into());
                };
                self.buffers.push(Buffer {
                    name: name.to_string(),
                    elem: Elem::parse(elem)?,
                    count: count.parse().map_err(|_| "bad count")?,
                    generator: Generator::parse(generator)?,
                    is_symbol: verb == "symbol",
                    texture: None,
                });
            }
            "texture" => {
                let (name, texture) = self.texture(rest)?;
                self.buffers.push(Buffer {
                    name,
                    elem: Elem::U64,
                    count: simt::texture::Texture::BYTES / 8,
                    generator: Generator::Zero,
                    is_symbol: false,
                    texture: Some(texture),
                });
            }
            "run" => self.runs.push(Run::parse(rest, &self.buffers, self.opencl)?),
            "options" => self.options = rest.to_string(),
            "count" => {
                let (what, reason) = rest.split_once(" : ").ok_or("a count needs a reason")?;
                let (counter, value) = what.split_once(' ').ok_or("count COUNTER VALUE")?;
                let value = value.trim().parse().map_err(|_| "bad value")?;
                let run = self.runs.last_mut().ok_or("`count` before `run`")?;
                run.counts.push((counter.to_string(), value, reason.to_string()));
            }
            "check" => {
                let words: Vec<&str> = rest.split_whitespace().collect();
                let tolerance = match words.as_slice() {
                    [_, "exact"] => None,
                    [_, "within", t] => Some(t.parse().map_err(|_| "bad tolerance")?),
                    _ => return Err("check NAME exact | within TOLERANCE".into()),
                };
                if !self.buffers.iter().any(|b| b.name == words[0]) {
                    return Err(format!("no buffer `{}`", words[0]));
                }
                self.checks.push((words[0].to_string(), tolerance));
            }
            "expect" => {
                let mut words = rest.split_whitespace().map(str::to_string);
                let name = words.next().ok_or("expect NAME VALUE ...")?;
                self.expected.push((name, words.collect()));
            }
            "prints" => self.prints.push(rest.to_string()),
            "fault" => self.fault = Some(ExpectedFault::parse(rest)?),
            "error" => self.error = Some(rest.to_string()),
            "sanitizer" => self.sanitizer = Some(rest.to_string()),
            _ => return Err(format!("no directive `{verb}`")),
        }
        Ok(())
    }

    /// All cases of a folder, by name.
    pub fn folder(folder: &Path) -> Result<Vec<Case>, String> {
        let listing =
            std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut files: Vec<PathBuf> = listing
            .filter_map(|entry| entry.ok().map(|e| e.path()))
            .filter(|p| p.extension().is_some_and(|e| e == "cu" || e == "cl"))
            .collect();
        files.sort();
        files
            .iter()
            .map(|path| {
                let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
                let name = path.file_stem().and_then(|s| s.to_str()).ok_or("bad file name")?;
                Case::parse_as(name, &text, path.extension().is_some_and(|e| e == "cl"))
            })
            .collect()
    }

    fn texture(&self, rest: &str) -> Result<(String, (String, simt::texture::Texture)), String> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let [name, over, w, h, d, channels, flags @ ..] = words.as_slice() else {
            return Err("NAME BUFFER W H D CHANNELS".into());
        };
        let buffer = self.buffers.iter().find(|b| b.name == *over).ok_or("no such buffer")?;
        let number = |w: &str| w.parse::<u32>().map_err(|_| format!("`{w}` is not a number"));
        let (width, channels) = (number(w)?, number(channels)?);
        let bits = 8 * buffer.elem.size() as u32;
        let signed = !matches!(buffer.elem, Elem::U8 | Elem::U16 | Elem::U32);
        let has = |flag: &str| flags.contains(&flag);
        let address = match () {
            () if has("wrap") => simt::texture::Address::Wrap,
            () if has("mirror") => simt::texture::Address::Mirror,
            () if has("border") => simt::texture::Address::Border,
            () => simt::texture::Address::Clamp,
        };
        let texture = simt::texture::Texture {
            data: 0,
            size: [width, number(h)?, number(d)?],
            pitch: width * channels * bits / 8,
            channels,
            bits,
            signed,
            linear: has("linear"),
            address,
            unit_coords: has("unit"),
            unit_values: has("values"),
            channel_type: simt::texture::channel_type(
                bits,
                signed,
                matches!(buffer.elem, Elem::F32),
                has("values"),
            ),
        };
        Ok((name.to_string(), (over.to_string(), texture)))
    }

    /// The folder of the corpus.
    pub fn corpus_dir() -> PathBuf {
        match std::env::var_os("SIMT_CORPUS") {
            Some(folder) => folder.into(),
            None => Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus"),
        }
    }

    /// Compiles the file as the labs do: no contraction.
    pub fn compile(&self) -> Result<Program, simt::diag::CompileError> {
        if self.opencl {
            let file = format!("{}.cl", self.name);
            let options = simt::opencl::build_options(&file, &self.options).expect("options");
            return Program::compile(&self.text, &options);
        }
        let file = format!("{}.cu", self.name);
        Program::compile(&self.text, &CompileOptions { file, ..CompileOptions::default() })
    }

    /// The programs in CUDA C of `tests/world` and `tests/language` that make launches.
    pub fn programs() -> Result<Vec<Case>, String> {
        let mut all = Vec::new();
        for folder in ["world", "language"] {
            all.extend(Case::folder(&Case::corpus_dir().join("..").join(folder))?);
        }
        all.retain(|case| !case.opencl && !case.runs.is_empty());
        Ok(all)
    }

    /// The idioms: each case as it should be, and its twin, which is faulty. In the twin `FAULTY`
    /// is defined, in place of the file's first line.
    pub fn idioms() -> Result<Vec<[Case; 2]>, String> {
        let cases = Case::folder(&Case::corpus_dir().join("../idioms"))?;
        let pair = |case: Case| {
            let (_, rest) = case.text.split_once('\n').ok_or("an empty file")?;
            let twin = format!("#define FAULTY\n{rest}");
            let twin = Case::parse_as(&case.name, &twin, case.opencl)?;
            Ok([Case { fault: None, ..case }, twin])
        };
        cases.into_iter().map(pair).collect()
    }

    /// The host reads the buffer after the last run. Of a faulty case it reads all.
    pub fn looks_at(&self, buffer: &str) -> bool {
        let named = |name: &String| name == buffer;
        self.checks.iter().any(|(name, _)| named(name))
            || self.expected.iter().any(|(name, _)| named(name))
            || self.fault.is_some()
    }

    /// Lines that carry the comment `// <- WORD`.
    pub fn marked_lines(&self, word: &str) -> Vec<u32> {
        let mark = format!("// <- {word}");
        (1..).zip(self.text.lines()).filter(|(_, l)| l.contains(&mark)).map(|(n, _)| n).collect()
    }
}

/// What came out of the runs of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Contents of all buffers and symbols after the last launch. Never-written bytes read as zero.
    pub buffers: BTreeMap<String, Data>,
    /// Buffers of which some bytes were never written.
    pub unwritten: Vec<String>,
    /// Counters of each `run`, summed over its repetitions.
    pub counters: Vec<Counters>,
    /// Reports of all launches.
    pub reports: Vec<LaunchReport>,
    /// Everything that was printed.
    pub printed: String,
}

/// Why a case did not run to its end.
#[derive(Debug)]
pub enum Stop {
    /// The kernel was stopped.
    Fault(Box<Fault>),
    /// The header does not fit the program, or the memory refused.
    Setup(String),
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stop::Fault(fault) => f.write_str(&fault.render()),
            Stop::Setup(text) => f.write_str(text),
        }
    }
}

fn setup<E: std::fmt::Display>(what: &str) -> impl Fn(E) -> Stop {
    let what = what.to_string();
    move |e| Stop::Setup(format!("{what}: {e}"))
}

/// A kernel by the name in its `run` line: the plain name, or the name with template arguments.
pub fn find_kernel<'a>(program: &'a Program, name: &str) -> Option<&'a KernelInfo> {
    let plain = |text: &str| text.replace(' ', "");
    program.kernels().iter().find(|k| k.symbol == name || plain(&k.name) == plain(name))
}

/// The bytes of a number as the parameter's type has them.
pub fn number_bytes(word: &str, param: &simt::ParamInfo) -> Result<Vec<u8>, String> {
    let elem = match param.type_name.as_str() {
        "float" => Elem::F32,
        "double" => Elem::F64,
        _ => match param.size {
            1 => Elem::U8,
            2 => Elem::U16,
            4 => Elem::U32,
            8 => Elem::U64,
            n => return Err(format!("parameter {} has {n} bytes", param.name)),
        },
    };
    elem.text(word)
}

/// Loads `program` into a fresh memory and does all runs of the case.
pub fn execute(case: &Case, program: &Program, options: &ExecOptions) -> Result<Outcome, Stop> {
    let device = simt::device::model("h200").ok_or(Stop::Setup("no device model".into()))?;
    let memory = Memory::new(1 << 30);
    let instance = Instance::load(program, &memory).map_err(setup("load"))?;
    let mut addresses: BTreeMap<String, (u64, Elem)> = BTreeMap::new();
    for buffer in &case.buffers {
        let size = (buffer.count * buffer.elem.size()) as u64;
        let of_name = buffer.texture.is_some() && instance.global(&buffer.name).is_some();
        let base = if buffer.is_symbol || of_name {
            let (base, bytes) = instance
                .global(&buffer.name)
                .ok_or_else(|| Stop::Setup(format!("no symbol {}", buffer.name)))?;
            if bytes != size {
                return Err(Stop::Setup(format!("{}: {bytes} bytes, not {size}", buffer.name)));
            }
            base
        } else {
            memory.alloc(size, &buffer.name).map_err(setup(&buffer.name))?
        };
        if let Some((over, texture)) = &buffer.texture {
            let mut texture = texture.clone();
            texture.data = addresses[over].0;
            memory.write(base, &texture.bytes()).map_err(setup(&buffer.name))?;
            addresses.insert(buffer.name.clone(), (base, buffer.elem));
            continue;
        }
        let filled = buffer.generator.bytes(buffer.elem, buffer.count);
        if let Some(bytes) = filled.map_err(setup(&buffer.name))? {
            memory.write(base, &bytes).map_err(setup(&buffer.name))?;
        }
        addresses.insert(buffer.name.clone(), (base, buffer.elem));
    }
    let mut outcome = Outcome {
        buffers: BTreeMap::new(),
        unwritten: Vec::new(),
        counters: Vec::new(),
        reports: Vec::new(),
        printed: String::new(),
    };
    for run in &case.runs {
        let kernel = find_kernel(program, &run.kernel)
            .ok_or_else(|| Stop::Setup(format!("no kernel {}", run.kernel)))?;
        if kernel.params.len() != run.args.len() {
            let text = format!("{}: {} parameters", run.kernel, kernel.params.len());
            return Err(Stop::Setup(text));
        }
        let mut total = Counters::default();
        for turn in run.repeat.clone() {
            let mut args = Vec::new();
            for (arg, param) in run.args.iter().zip(&kernel.params) {
                args.push(match arg {
                    Arg::Buffer { name, offset } => {
                        let (base, elem) = addresses[name];
                        (base + (offset * elem.size()) as u64).to_le_bytes().to_vec()
                    }
                    Arg::Number(word) => number_bytes(word, param).map_err(setup(&run.kernel))?,
                    Arg::Local(_) => Vec::new(),
                    Arg::Variable => {
                        number_bytes(&turn.to_string(), param).map_err(setup(&run.kernel))?
                    }
                });
            }
            let launch = Launch {
                grid: run.grid,
                block: run.block,
                dynamic_shared: run.shared,
                args,
                ..Launch::default()
            };
            let report = if case.opencl {
                let args = run.args.iter().zip(launch.args).map(|(arg, bytes)| match arg {
                    Arg::Local(n) => simt::opencl::Arg::Local(*n),
                    _ => simt::opencl::Arg::Bytes(bytes),
                });
                let (args, range) = (args.collect::<Vec<_>>(), run.range());
                let name = &kernel.symbol;
                simt::opencl::launch(device, &memory, &instance, name, &range, &args, options)
            } else {
                simt::launch(device, &memory, &instance, &kernel.symbol, &launch, options)
            };
            let report = report.map_err(Stop::Fault)?;
            total.add(&report.total);
            outcome.printed += &report.printf;
            outcome.reports.push(report);
        }
        outcome.counters.push(total);
    }
    for buffer in &case.buffers {
        let (base, elem) = addresses[&buffer.name];
        let mut bytes = vec![0; buffer.count * elem.size()];
        let state = memory.read(base, &mut bytes).map_err(setup(&buffer.name))?;
        if state.first_unwritten.is_some() {
            // The host takes a result that a kernel made of never-written memory.
            if let Some(fault) = memory.origin(base, bytes.len() as u64)
                && case.looks_at(&buffer.name)
            {
                return Err(Stop::Fault(Box::new(fault)));
            }
            outcome.unwritten.push(buffer.name.clone());
        }
        outcome.buffers.insert(buffer.name.clone(), Data::from_bytes(elem, &bytes));
    }
    Ok(outcome)
}
