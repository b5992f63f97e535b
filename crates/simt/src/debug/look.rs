//! Commands that look at a stopped warp, and at memory.

use super::command::Command;
use super::record::PrintRecord;
use super::state::{Focus, Session, first};
use crate::compile::expression_in_scope;
use crate::exec::debug::{Stopped, Value, WarpState, decode};
use crate::hir::{Expr, Function, Module, Ty};

/// Elements that `mem` shows at most.
const MOST: u64 = 1024;
/// Elements of an array that `print` shows.
const SHOWN: usize = 32;
/// Bytes of the largest value that is looked at as a whole.
const LARGEST: u64 = 1 << 16;

/// Compiles an expression as if it stood at the stop; the error is one line.
pub(super) fn compile(text: &str, module: &Module, at: &Stopped<'_>) -> Result<Expr, String> {
    expression_in_scope(text, module, at.function_id(), at.span()).map_err(|e| {
        let first = e.diagnostics.first();
        first.map_or("this is not an expression".into(), |d| d.message.clone())
    })
}

/// A value as text, or why there is none.
fn evaluate(module: &Module, at: &Stopped<'_>, expr: &Expr, lane: u32) -> Result<String, String> {
    if module.size_of(&expr.ty) > LARGEST {
        return Err("this is too large to be shown at once: mem shows parts of it".into());
    }
    match at.eval(expr, lane)? {
        Value::None => Err("never written".into()),
        value => Ok(text(module, &expr.ty, &value)),
    }
}

/// The text of a watched value.
pub(super) fn watched(module: &Module, at: &Stopped<'_>, expr: &Expr, lane: u32) -> String {
    evaluate(module, at, expr, lane).unwrap_or_else(|e| format!("<{e}>"))
}

/// A value as C writes it: `3`, `{1, 2}`, `{x = 1, y = 2}`; `?` is what was never written.
fn text(module: &Module, ty: &Ty, value: &Value) -> String {
    let Value::Aggregate(parts) = value else {
        return if *value == Value::None { "?".into() } else { value.to_string() };
    };
    let shown: Vec<String> = match ty {
        Ty::Struct(id) => {
            let fields = &module.structs[id.0 as usize].fields;
            let both = fields.iter().zip(parts);
            both.map(|(f, v)| format!("{} = {}", f.name, text(module, &f.ty, v))).collect()
        }
        Ty::Array(elem, _) => parts.iter().take(SHOWN).map(|v| text(module, elem, v)).collect(),
        _ => return value.to_string(),
    };
    let more = match parts.len() - shown.len() {
        0 => String::new(),
        rest => format!(", ... {rest} more"),
    };
    format!("{{{}{more}}}", shown.join(", "))
}

impl Session<'_> {
    pub(super) fn look(&mut self, command: Command, focus: &mut Focus<'_>) {
        let at = &focus.at;
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
            Command::WarpNext => self.other_warp(focus, at.warp().wrapping_add(1), None),
            Command::WarpPrev => self.other_warp(focus, at.warp().wrapping_sub(1), None),
            Command::Lane(lane) => self.other_warp(focus, at.warp(), Some(lane)),
            Command::Thread([x, y, z]) => {
                let [bx, by, bz] = self.subject.launch.block;
                if x >= bx || y >= by || z >= bz {
                    return self.mistake(format!("a block is ({bx},{by},{bz}) threads here"));
                }
                let n = (z * by + y) * bx + x;
                self.other_warp(focus, n / 32, Some(n % 32));
            }
            Command::Block(block) => {
                let [x, y, z] = at.block();
                if block == [x, y, z] {
                    self.say(format!("this is block ({x},{y},{z})"));
                } else {
                    self.mistake(format!(
                        "blocks run one after another, now ({x},{y},{z}): a breakpoint with `if \
                         blockIdx.x == {}` stops \
                         in the other",
                        block[0]
                    ));
                }
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
                Ok(expr) => self.add_watch(text, expr, at, focus.lane),
                Err(e) => self.mistake(format!("{text}: {e}")),
            },
            Command::InfoWarps => {
                for warp in 0..at.threads().div_ceil(32) {
                    let mark = if warp == at.warp() { "*" } else { " " };
                    self.say(format!("{mark} {}", self.warp_text(at, warp)));
                }
            }
            Command::InfoThreads => self.threads(focus),
            Command::InfoLocals => {
                let names: Vec<String> = at.variables().map(|(_, l)| l.name.clone()).collect();
                for name in names.iter().filter(|n| !n.starts_with('$')) {
                    match self.value(name, at, focus.lane) {
                        Ok(value) => self.say(format!("{name} = {value}")),
                        Err(e) => self.say(format!("{name}: {e}")),
                    }
                }
            }
            Command::Where => {
                let (place, lane) = (at.location(), focus.lane);
                let ([bx, by, bz], [tx, ty, tz]) = (at.block(), at.thread(lane));
                let calls = match at.depth() {
                    0 => String::new(),
                    1 => ", called by the kernel".into(),
                    n => format!(", {n} calls below the kernel"),
                };
                self.say(format!("{}:{} in {}{calls}", place.file, place.line, at.function().name));
                let text = self.module.sources.line_text(&place).replace('\t', "    ");
                self.say(format!("{:>5} | {text}", place.line));
                self.say(format!(
                    "block ({bx},{by},{bz}), thread ({tx},{ty},{tz}), lane {lane} of warp {}",
                    self.global_warp(at.block(), at.warp())
                ));
            }
            Command::List => {
                let file = self.module.sources.file(at.span().file);
                let line = file.line_of(at.span().lo);
                let last = file.text.lines().count() as u32;
                for n in line.saturating_sub(4).max(1)..=(line + 4).min(last) {
                    let mark = if n == line { ">" } else { " " };
                    let text = file.line_text(n).replace('\t', "    ");
                    self.say(format!("{mark}{:>4} | {text}", file.shown(n).1));
                }
            }
            other => self.anywhere(other, "this cannot be done here"),
        }
    }

    /// Value of `text` for a lane of the stopped warp.
    fn value(&self, text: &str, at: &Stopped<'_>, lane: u32) -> Result<String, String> {
        evaluate(self.module, at, &compile(text, self.module, at)?, lane)
    }

    fn lanes(&mut self, text: &str, focus: &Focus<'_>) {
        let expr = match compile(text, self.module, &focus.at) {
            Ok(expr) => expr,
            Err(e) => return self.mistake(format!("{text}: {e}")),
        };
        let cell = |lane: u32| match focus.mask >> lane & 1 {
            0 => "-".to_string(),
            _ => evaluate(self.module, &focus.at, &expr, lane).unwrap_or_else(|_| "?".into()),
        };
        let cells: Vec<String> = (0..32).map(cell).collect();
        let width = cells.iter().map(String::len).max().unwrap_or(1);
        self.say(format!("{text} by lane (- inactive, ? no value)"));
        for (row, part) in cells.chunks(8).enumerate() {
            let row_text: String = part.iter().map(|c| format!(" {c:>width$}")).collect();
            self.say(format!("{:>4}:{row_text}", 8 * row));
        }
    }

    /// Puts another warp of the block into focus, and a lane of it (else its first active one).
    fn other_warp(&mut self, focus: &mut Focus<'_>, warp: u32, lane: Option<u32>) {
        let threads = focus.at.threads();
        if warp >= threads.div_ceil(32) {
            return self.mistake("the block has no such warp".into());
        }
        if lane.is_some_and(|lane| 32 * warp + lane >= threads) {
            return self.mistake(format!("this warp has {} threads only", threads - 32 * warp));
        }
        let Some(other) = focus.at.other(warp) else {
            return self.mistake(format!(
                "{}: only the values of warp {} can be looked at",
                self.warp_text(&focus.at, warp),
                self.global_warp(focus.at.block(), focus.at.running())
            ));
        };
        if warp != focus.at.warp() {
            focus.mask = if other.state() == WarpState::Ended { 0 } else { other.mask() };
        }
        focus.at = other;
        focus.lane = lane.unwrap_or(first(focus.mask));
        let [x, y, z] = other.thread(focus.lane);
        let active = if focus.mask >> focus.lane & 1 == 1 { "" } else { ", not active" };
        let text = format!("thread ({x},{y},{z}){active}, {}", self.warp_text(&other, warp));
        self.say(text);
    }

    /// Number, place and state of a warp of the stopped block.
    fn warp_text(&self, at: &Stopped<'_>, warp: u32) -> String {
        let number = self.global_warp(at.block(), warp);
        match at.other(warp) {
            Some(other) => {
                let (place, state) = (other.location(), state_text(&other));
                format!(
                    "warp {number}: mask 0x{:08x}, {state} {}:{}",
                    mask(&other),
                    place.file,
                    place.line
                )
            }
            None if warp < at.running() => format!("warp {number}: has ended"),
            None => format!("warp {number}: has not begun"),
        }
    }

    /// The threads of the block, neighbours in the same state together.
    fn threads(&mut self, focus: &Focus<'_>) {
        let at = &focus.at;
        for warp in 0..at.threads().div_ceil(32) {
            let lanes = (at.threads() - 32 * warp).min(32);
            let Some(other) = at.other(warp) else {
                let state = if warp < at.running() { "ended" } else { "not begun" };
                self.say(self.thread_range(at, warp, 0, lanes - 1, state));
                continue;
            };
            let place = other.location();
            let here = format!("{} {}:{}", state_text(&other), place.file, place.line);
            let state = |lane: u32| match (other.alive() >> lane & 1, mask(&other) >> lane & 1) {
                _ if other.state() == WarpState::Ended => here.as_str(),
                (0, _) => "ended",
                (_, 0) => "waits for the active ones",
                _ => here.as_str(),
            };
            let mut begin = 0;
            for lane in 0..lanes {
                if lane + 1 == lanes || state(lane + 1) != state(begin) {
                    self.say(self.thread_range(at, warp, begin, lane, state(begin)));
                    begin = lane + 1;
                }
            }
        }
    }

    fn thread_range(&self, at: &Stopped<'_>, warp: u32, from: u32, to: u32, state: &str) -> String {
        let thread = |lane: u32| {
            let [bx, by, _] = self.subject.launch.block;
            let n = 32 * warp + lane;
            format!("({},{},{})", n % bx, n / bx % by, n / (bx * by))
        };
        let mark = if warp == at.warp() { "*" } else { " " };
        let number = self.global_warp(at.block(), warp);
        format!("{mark} warp {number}, threads {} to {}: {state}", thread(from), thread(to))
    }

    /// Elements of the buffer that a pointer parameter of the kernel leads to; `None` if it is no
    /// such parameter.
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
            if state.first_unwritten.is_some() {
                return Ok("<never written>".into());
            }
            let bytes: Vec<Option<u8>> = element.into_iter().map(Some).collect();
            Ok(text(self.module, to, &decode(self.module, to, &bytes)))
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
        compile(&format!("{name}[0]"), self.module, &focus.at)?;
        elements(name, from, count, |k| {
            let value = self.value(&format!("{name}[{k}]"), &focus.at, focus.lane);
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

/// Lanes that execute the statement; none once the warp has ended.
fn mask(at: &Stopped<'_>) -> u32 {
    if at.state() == WarpState::Ended { 0 } else { at.mask() }
}

fn state_text(at: &Stopped<'_>) -> &'static str {
    match at.state() {
        WarpState::Ready => "at",
        WarpState::Barrier => "waits at the barrier",
        WarpState::Ended => "has ended at",
    }
}
