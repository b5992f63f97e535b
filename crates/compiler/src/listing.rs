//! The warp IR as text, with names in the manner of PTX: `add.f32 %a5, %a3, %a4`. Registers `%a`
//! hold 32 bits a lane, `%b` 64; `slot` is a place where lanes wait that took another way.

use std::fmt::Write;

use crate::bytecode::{Bank, Code, Inst, Kind, NONE, Op, Preset, What};
use crate::hir::{Axis, Module};
use crate::program::KernelInfo;
use crate::source::{SourceMap, Span};

/// All of a kernel's code: variables, registers that are set before the start, instructions under
/// their source lines.
pub fn kernel(code: &Code, info: &KernelInfo, module: &Module) -> String {
    let mut out = String::new();
    for v in &code.shared {
        let _ = writeln!(out, "    .shared {} // {} bytes at {}", v.name, v.size, v.offset);
    }
    for v in &code.locals {
        let _ = writeln!(out, "    .local {} // {} bytes at {}", v.name, v.size, v.offset);
    }
    for (preset, reg) in &code.presets {
        let name = register(preset.bank(), *reg);
        let _ = writeln!(out, "    {name} = {}", preset_name(preset, info, module));
    }
    let mut last = None;
    for i in 0..code.insts.len() {
        let place = line_of(code, &module.sources, i);
        if place.is_some() && place != last {
            if let Some((file, line)) = place {
                let file = module.sources.file(file);
                let _ = writeln!(out, "  // {}:{line}: {}", file.name, file.line_text(line).trim());
            }
            last = place;
        }
        let _ = writeln!(out, "{i:>6}  {}", instruction(code, &code.insts[i], module));
    }
    out
}

/// The instructions of the source line in which `at` begins.
pub fn line(code: &Code, module: &Module, at: Span) -> String {
    let file = at.file;
    let wanted = module.sources.files().get(file.0 as usize).map(|f| (file, f.line_of(at.lo)));
    let mut out = String::new();
    for i in 0..code.insts.len() {
        if wanted.is_some() && line_of(code, &module.sources, i) == wanted {
            let _ = writeln!(out, "{i:>6}  {}", instruction(code, &code.insts[i], module));
        }
    }
    out
}

fn line_of(code: &Code, sources: &SourceMap, i: usize) -> Option<(crate::source::FileId, u32)> {
    let span = code.spans.get(i)?;
    let file = sources.files().get(span.file.0 as usize)?;
    (span.hi > 0).then(|| (span.file, file.line_of(span.lo)))
}

fn register(bank: Bank, reg: u32) -> String {
    match bank {
        Bank::A => format!("%a{reg}"),
        Bank::B => format!("%b{reg}"),
    }
}

fn axis(axis: Axis) -> char {
    match axis {
        Axis::X => 'x',
        Axis::Y => 'y',
        Axis::Z => 'z',
    }
}

fn preset_name(preset: &Preset, info: &KernelInfo, module: &Module) -> String {
    match preset {
        Preset::ConstA(bits) => {
            let as_float = f32::from_bits(*bits);
            let hint = if as_float.is_normal() && as_float.abs() > 1e-30 && as_float.abs() < 1e30 {
                format!(" // {as_float:?} if a float")
            } else {
                String::new()
            };
            format!("{}{hint}", *bits as i32)
        }
        Preset::ConstB(bits) => {
            let as_float = f64::from_bits(*bits);
            let hint = if as_float.is_normal() && as_float.abs() > 1e-30 && as_float.abs() < 1e30 {
                format!(" // {as_float:?} if a double")
            } else {
                String::new()
            };
            format!("{}{hint}", *bits as i64)
        }
        Preset::ThreadIdx(a) => format!("threadIdx.{}", axis(*a)),
        Preset::BlockIdx(a) => format!("blockIdx.{}", axis(*a)),
        Preset::BlockDim(a) => format!("blockDim.{}", axis(*a)),
        Preset::GridDim(a) => format!("gridDim.{}", axis(*a)),
        Preset::LaneId => "laneid".into(),
        Preset::GlobalId(a) => format!("global id {}", axis(*a)),
        Preset::GlobalOffset(a) => format!("global offset {}", axis(*a)),
        Preset::WorkDim => "work dim".into(),
        Preset::Param(number, offset, kind) => {
            let name = info.params.get(*number as usize).map_or("?", |p| p.name.as_str());
            let part = if *offset > 0 { format!(" + {offset}") } else { String::new() };
            format!("param{} {name}{part}", kind_suffix(*kind))
        }
        Preset::Global(number) => {
            let name = module.globals.get(*number as usize).map_or("?", |g| g.name.as_str());
            format!("address of {name}")
        }
    }
}

fn kind_suffix(kind: Kind) -> &'static str {
    match kind {
        Kind::U8 => ".u8",
        Kind::I8 => ".s8",
        Kind::Bool => ".bool",
        Kind::U16 => ".u16",
        Kind::I16 => ".s16",
        Kind::F16 => ".f16",
        Kind::W32 => ".b32",
        Kind::W64 => ".b64",
    }
}

/// Endings of operation names and the types that they stand for, longest first.
const SUFFIXES: [(&str, &str); 12] = [
    ("SL", ".s64"),
    ("UL", ".u64"),
    ("S", ".s32"),
    ("U", ".u32"),
    ("L", ".b64"),
    ("I", ".b32"),
    ("F", ".f32"),
    ("D", ".f64"),
    ("H", ".f16"),
    ("A", ".b32"),
    ("B", ".b64"),
    ("R", ""),
];

/// `AddF` is `add.f32`, `IToD` is `cvt.f64.s32`, `LtUL` is `lt.u64`.
fn mnemonic(op: Op) -> String {
    let name = format!("{op:?}");
    let conversion = |letter: &str| match letter {
        "I" => Some("s32"),
        "U" => Some("u32"),
        "L" => Some("s64"),
        "X" => Some("u64"),
        "F" => Some("f32"),
        "D" => Some("f64"),
        "H" => Some("f16"),
        _ => None,
    };
    if let Some((from, to)) = name.split_once("To")
        && let (Some(from), Some(to)) = (conversion(from), conversion(to))
    {
        return format!("cvt.{to}.{from}");
    }
    let (stem, immediate) = match name.strip_suffix("ImmL") {
        Some(stem) => (format!("{stem}L"), true),
        None => match name.strip_suffix("Imm") {
            Some(stem) if stem.ends_with(['S', 'U']) => (stem.to_string(), true),
            Some(stem) => (format!("{stem}I"), true),
            None => (name.strip_suffix("Free").unwrap_or(&name).to_string(), false),
        },
    };
    let ends_lower = |s: &str| s.ends_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    let found = SUFFIXES.iter().find_map(|(suffix, ty)| {
        stem.strip_suffix(suffix).filter(|rest| ends_lower(rest)).map(|rest| (rest, *ty))
    });
    let (base, ty) = found.unwrap_or((&stem, ""));
    let immediate = if immediate { "i" } else { "" };
    format!("{}{immediate}{ty}", base.to_ascii_lowercase())
}

fn instruction(code: &Code, inst: &Inst, module: &Module) -> String {
    let name = format!("{:?}", inst.op);
    let shape = inst.op.shape();
    let bank = |letter: u8| match letter {
        b'a' | b'A' => Some(Bank::A),
        b'b' | b'B' => Some(Bank::B),
        _ => None,
    };
    let operand =
        |k: usize, reg: u32| bank(shape[k]).filter(|_| reg != NONE).map(|bank| register(bank, reg));
    if inst.op.is_control() {
        let mut operands: Vec<String> = operand(1, inst.a).into_iter().collect();
        use Op as O;
        if !matches!(inst.op, O::Jump | O::Enter | O::Return | O::Exit | O::End | O::Bar) {
            operands.push(format!("slot {}", inst.d));
        }
        let mut text = format!("{} {}", words(&name), operands.join(", "));
        if !matches!(inst.op, Op::Bar | Op::End | Op::LoopBegin | Op::FuncBegin | Op::Return) {
            text += &format!(" -> {}", inst.imm);
        }
        return text.trim_end().replace("  ", " ");
    }
    match inst.op {
        Op::Call => {
            let Some(call) = code.calls.get(inst.c as usize) else { return "call".into() };
            let args: Vec<String> = call.args.iter().map(|(b, r)| register(*b, *r)).collect();
            let dest = call.dest.map_or(String::new(), |(b, r)| format!("{} = ", register(b, r)));
            return format!("{dest}{}({})", call_name(&call.what, module), args.join(", "));
        }
        Op::InitMark | Op::InitClear | Op::InitCheck => {
            return format!("{} slot {}", words(&name), inst.d);
        }
        _ => {}
    }
    if name.starts_with("Ld") && name.len() <= 4 && name != "Ldg"
        || name.starts_with("St") && name.len() <= 4
    {
        return memory(
            code,
            inst,
            &name,
            [operand(0, inst.d), operand(1, inst.a), operand(2, inst.b)],
        );
    }
    let mut operands: Vec<String> = [(0, inst.d), (1, inst.a), (2, inst.b), (3, inst.c)]
        .into_iter()
        .filter_map(|(k, reg)| operand(k, reg))
        .collect();
    if name.contains("Imm")
        || name.starts_with("Lea")
        || name.contains("Math")
        || name.contains("Class")
    {
        operands.push(inst.imm.to_string());
    }
    format!("{} {}", mnemonic(inst.op), operands.join(", "))
}

/// `LoopTest` is `loop.test`.
fn words(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('.');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn memory(code: &Code, inst: &Inst, name: &str, operands: [Option<String>; 3]) -> String {
    let [value, base, index] = operands;
    let (op, space) = (
        if name.starts_with("Ld") { "ld" } else { "st" },
        match name.as_bytes().get(2) {
            Some(b'S') => ".shared",
            Some(b'T') => ".local",
            _ => "",
        },
    );
    let Some(mem) = code.mems.get(inst.c as usize) else { return format!("{op}{space}") };
    let bank = mem.kind.bank();
    let (vector, value) = if mem.regs.is_empty() {
        (String::new(), value.unwrap_or_default())
    } else {
        let regs: Vec<String> = mem.regs.iter().map(|r| register(bank, *r)).collect();
        (format!(".v{}", regs.len()), format!("{{{}}}", regs.join(", ")))
    };
    let mut address: Vec<String> = base.into_iter().collect();
    if let Some(index) = index {
        let scale = if mem.scale == 1 { String::new() } else { format!(" * {}", mem.scale) };
        address.push(format!("{index}{scale}"));
    }
    if inst.imm != 0 || address.is_empty() {
        address.push(inst.imm.to_string());
    }
    let variables = match space {
        ".shared" => code.shared.get(mem.var as usize),
        ".local" => code.locals.get(mem.var as usize),
        _ => None,
    };
    let variable = variables.map_or(String::new(), |v| format!(" // {}", v.name));
    let address = format!("[{}]", address.join(" + "));
    let suffix = kind_suffix(mem.kind);
    if op == "ld" {
        format!("ld{space}{vector}{suffix} {value}, {address}{variable}")
    } else {
        format!("st{space}{vector}{suffix} {address}, {value}{variable}")
    }
}

fn call_name(what: &What, module: &Module) -> String {
    match what {
        What::Atomic { op, ty } => {
            let op = op.map_or("cas".into(), |op| format!("{op:?}").to_ascii_lowercase());
            format!("atom.{op}<{}>", module.type_name(ty))
        }
        What::Warp { op, ty } => format!("warp.{op:?}<{}>", module.type_name(ty)),
        What::SumOfProducts => "sum of products".into(),
        What::Printf(format, _) => format!("printf {format:?} "),
        What::Assert(text) => format!("assert {text:?} "),
        What::Trap => "trap".into(),
        What::Fence => "fence".into(),
        What::Frame => "frame".into(),
        What::Clock => "clock".into(),
    }
}
