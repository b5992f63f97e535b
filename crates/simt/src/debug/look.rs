//! Commands that look at a stopped warp, and at memory.

use super::{Command, Focus, PrintRecord, Session, Watch};
use crate::compile::expression_in_scope;
use crate::exec::debug::{Stopped, Value};
use crate::hir::{Expr, Function, Module, Ty};

/// Elements that `mem` shows at most.
const MOST: u64 = 1024;

/// Compiles an expression as if it stood at the stop; the error is one line.
pub(super) fn compile(text: &str, module: &Module, at: &Stopped<'_>) -> Result<Expr, String> {
    expression_in_scope(text, module, at.function_id(), at.span()).map_err(|e| {
        let first = e.diagnostics.first();
        first.map_or("this is not an expression".into(), |d| d.message.clone())
    })
}

/// A value as text, or why there is none.
fn evaluate(at: &Stopped<'_>, expr: &Expr, lane: u32) -> Result<String, String> {
    match at.eval(expr, lane)? {
        Value::None => Err("never written".into()),
        value => Ok(value.to_string()),
    }
}

/// The text of a watched value.
pub(super) fn watched(at: &Stopped<'_>, expr: &Expr, lane: u32) -> String {
    evaluate(at, expr, lane).unwrap_or_else(|e| format!("<{e}>"))
}

impl Session<'_> {
    pub(super) fn look(&mut self, command: Command, focus: &mut Focus<'_>) {
        let at = focus.at;
        match command {
            Command::Print(text) => {
                let value = self.value(&text, at, focus.lane);
                match &value {
                    Ok(value) => self.say(format!("{text} = {value}")),
                    Err(e) => {
                        self.say(format!("{text}: {e}"));
                        if compile(&text, self.module, at).is_err() {
                            self.transcript.mistakes.push(format!("{text}: {e}"));
                        }
                    }
                }
                let stop = self.transcript.stops.len().saturating_sub(1);
                self.transcript.prints.push(PrintRecord { expression: text, value, stop });
            }
            Command::Lanes(text) => self.lanes(&text, focus),
            Command::Mask => self.say(format!(
                "mask 0x{:08x}: {} of 32 lanes of warp {} are active",
                focus.mask,
                focus.mask.count_ones(),
                self.global_warp(at.block(), at.warp())
            )),
            Command::WarpNext => self.other_warp(at, true),
            Command::WarpPrev => self.other_warp(at, false),
            Command::Lane(lane) => {
                let threads: u64 = self.subject.launch.block.map(u64::from).iter().product();
                if u64::from(at.warp() * 32 + lane) >= threads {
                    return self.mistake(format!("warp {} has no lane {lane}", at.warp()));
                }
                focus.lane = lane;
                let [x, y, z] = at.thread(lane);
                self.say(format!("thread ({x},{y},{z})"));
            }
            Command::Mem { buffer, from, count } => {
                let text = match self.parameter_memory(&buffer, from, count) {
                    Some(text) => text,
                    None => self.array_memory(&buffer, from, count, focus),
                };
                match text {
                    Ok(text) => self.say(text),
                    Err(e) => self.mistake(e),
                }
            }
            Command::Watch(text) => match compile(&text, self.module, at) {
                Ok(expr) => {
                    let last = watched(at, &expr, focus.lane);
                    self.say(format!("watching {text}, now {last}"));
                    self.watches.push(Watch {
                        text,
                        expr,
                        block: at.block(),
                        warp: at.warp(),
                        lane: focus.lane,
                        function: at.function_id(),
                        depth: at.depth(),
                        last,
                    });
                }
                Err(e) => self.mistake(format!("{text}: {e}")),
            },
            Command::InfoWarps => {
                let seen: Vec<u32> = self.seen.keys().copied().collect();
                for warp in seen {
                    let mark = if warp == at.warp() { "*" } else { " " };
                    let text = self.seen_text(at, warp);
                    self.say(format!("{mark} {text}"));
                }
            }
            Command::InfoLocals => {
                let names: Vec<String> = at.variables().map(|(_, l)| l.name.clone()).collect();
                for name in names.iter().filter(|n| !n.starts_with('$')) {
                    match self.value(name, at, focus.lane) {
                        Ok(value) => self.say(format!("{name} = {value}")),
                        Err(e) => self.say(format!("{name}: {e}")),
                    }
                }
            }
            Command::List => {
                let line = at.location().line;
                let file = self.module.sources.file(at.span().file);
                let last = file.text.lines().count() as u32;
                for n in line.saturating_sub(4).max(1)..=(line + 4).min(last) {
                    let mark = if n == line { ">" } else { " " };
                    let text = file.line_text(n).replace('\t', "    ");
                    self.say(format!("{mark}{n:>4} | {text}"));
                }
            }
            other => self.anywhere(other, "this cannot be done here"),
        }
    }

    /// Value of `text` for a lane of the stopped warp.
    fn value(&self, text: &str, at: &Stopped<'_>, lane: u32) -> Result<String, String> {
        evaluate(at, &compile(text, self.module, at)?, lane)
    }

    fn lanes(&mut self, text: &str, focus: &Focus<'_>) {
        let expr = match compile(text, self.module, focus.at) {
            Ok(expr) => expr,
            Err(e) => return self.mistake(format!("{text}: {e}")),
        };
        let cell = |lane: u32| match focus.mask >> lane & 1 {
            0 => "-".to_string(),
            _ => evaluate(focus.at, &expr, lane).unwrap_or_else(|_| "?".into()),
        };
        let cells: Vec<String> = (0..32).map(cell).collect();
        let width = cells.iter().map(String::len).max().unwrap_or(1);
        self.say(format!("{text} by lane (- inactive, ? no value)"));
        for (row, part) in cells.chunks(8).enumerate() {
            let row_text: String = part.iter().map(|c| format!(" {c:>width$}")).collect();
            self.say(format!("{:>4}:{row_text}", 8 * row));
        }
    }

    /// Where another warp of the block was last. Warps run one after another, and the values of one that does not run
    /// cannot be looked at: the stopped warp stays in focus.
    fn other_warp(&mut self, at: &Stopped<'_>, next: bool) {
        let warp = at.warp();
        let other = if next {
            self.seen.range(warp + 1..).next()
        } else {
            self.seen.range(..warp).next_back()
        };
        let text = match other.map(|(w, _)| *w) {
            Some(other) => {
                let text = self.seen_text(at, other);
                format!("{text} (only seen from outside: values are those of the stopped warp)")
            }
            None => "no such warp of this block has begun: warps run one after another".into(),
        };
        self.say(text);
    }

    fn seen_text(&self, at: &Stopped<'_>, warp: u32) -> String {
        let number = self.global_warp(at.block(), warp);
        let Some((place, mask)) = self.seen.get(&warp) else { return format!("warp {number}") };
        let end = if *mask == 0 { ", ended" } else { "" };
        format!("warp {number}: last at {}:{}, mask 0x{mask:08x}{end}", place.file, place.line)
    }

    /// Elements of the buffer that a pointer parameter of the kernel leads to; `None` if it is no such parameter.
    pub(super) fn parameter_memory(
        &self,
        name: &str,
        from: u64,
        count: u64,
    ) -> Option<Result<String, String>> {
        let symbol = self.subject.symbol;
        let is_kernel = |f: &&Function| f.kernel.as_ref().is_some_and(|k| k.symbol == symbol);
        let kernel = self.module.functions.iter().find(is_kernel)?;
        let params = &kernel.locals[..kernel.param_count as usize];
        let i = params.iter().position(|p| p.name == name)?;
        let Ty::Ptr(to, _) = &params[i].ty else { return None };
        let bytes = <[u8; 8]>::try_from(self.subject.launch.args.get(i)?.as_slice()).ok()?;
        let base = u64::from_le_bytes(bytes);
        let size = self.module.size_of(to).max(1);
        Some(elements(name, from, count, |k| {
            let mut element = vec![0; size as usize];
            let address = base.wrapping_add(k.wrapping_mul(size));
            let memory = self.subject.memory;
            let state = memory.read(address, &mut element).map_err(|e| e.to_string())?;
            Ok(match state.first_unwritten {
                Some(_) => "<never written>".into(),
                None => show(to, &element),
            })
        }))
    }

    /// Elements of anything that can be indexed where the thread in focus stands.
    fn array_memory(
        &self,
        name: &str,
        from: u64,
        count: u64,
        focus: &Focus<'_>,
    ) -> Result<String, String> {
        compile(&format!("{name}[0]"), self.module, focus.at)?;
        elements(name, from, count, |k| {
            let value = self.value(&format!("{name}[{k}]"), focus.at, focus.lane);
            Ok(value.unwrap_or_else(|e| format!("<{e}>")))
        })
    }
}

fn elements(
    name: &str,
    from: u64,
    count: u64,
    element: impl Fn(u64) -> Result<String, String>,
) -> Result<String, String> {
    if count > MOST {
        return Err(format!("at most {MOST} elements at a time"));
    }
    let mut out = String::new();
    for k in from..from.saturating_add(count) {
        match element(k) {
            Ok(text) => out += &format!("{name}[{k}] = {text}\n"),
            Err(e) => {
                out += &format!("{name}[{k}]: {e}\n");
                break;
            }
        }
    }
    Ok(out)
}

/// An element of device memory as text: numbers by their type, anything else byte by byte.
fn show(ty: &Ty, bytes: &[u8]) -> String {
    let word = bytes.iter().rev().fold(0u64, |word, b| word << 8 | u64::from(*b));
    let bits = match (ty, bytes.len()) {
        (Ty::Int { signed: true, .. }, 1) => word as u8 as i8 as u64,
        (Ty::Int { signed: true, .. }, 2) => word as u16 as i16 as u64,
        (Ty::F16, 2) => u64::from(half::f16::from_bits(word as u16).to_f32().to_bits()),
        (Ty::Int { .. } | Ty::Bool | Ty::F32 | Ty::F64 | Ty::Ptr(..), 1..=8) => word,
        _ => return format!("{bytes:02x?}"),
    };
    Value::Scalar(ty.clone(), bits).to_string()
}
