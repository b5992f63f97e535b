//! The debugger: breakpoints with conditions, stepping, values by thread and by warp, memory. It reads commands one by
//! one, from a script or from a person, and writes what they show. Nothing changes the kernel's memory.
//!
//! A breakpoint belongs to a statement, the first on its line. It is *hit* each time a warp comes to it with at least
//! one active thread for which the condition is true; the first such thread is then in focus.

mod command;
mod eval;
mod hook;

use std::collections::HashMap;
use std::io::{self, Write};

use crate::compile::expression_in_scope;
use crate::device::DeviceModel;
use crate::exec::debug::{Action, Debugger as Hook, Stopped};
use crate::exec::{ExecOptions, Launch, launch_debug};
use crate::fault::Fault;
use crate::hir::{Block, Builtin, Expr, FuncId, GlobalId, LocalId, Module, StmtKind, Ty};
use crate::memory::Memory;
use crate::program::Instance;
use crate::report::LaunchReport;
use crate::source::{FileId, Location, Span};

pub use command::{Command, HELP, parse};
use hook::{Stop, WarpState};

use eval::{Thread, Value, decode, evaluate, on_axis, show};

/// What a debugging session did, for people and for checks.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    /// Every command behind `(lab) `, and what it showed.
    pub text: String,
    /// Every stop in order.
    pub stops: Vec<StopRecord>,
    /// Every `print` in order.
    pub prints: Vec<PrintRecord>,
    /// Breakpoints in order of their numbers (1, 2, ...), deleted ones included.
    pub breakpoints: Vec<BreakRecord>,
    /// Messages of commands that were refused, such as a misspelt name; also in `text`.
    pub mistakes: Vec<String>,
    /// How the kernel ended; `None` if it was not run to its end.
    pub outcome: Option<Result<LaunchReport, Box<Fault>>>,
}

/// A stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopRecord {
    /// Number of the breakpoint; `None` for `step` and `watch`.
    pub breakpoint: Option<usize>,
    /// Place; that of the last statement if the warp has ended.
    pub at: Location,
    /// `blockIdx` of the thread in focus.
    pub block: [u32; 3],
    /// `threadIdx` of the thread in focus.
    pub thread: [u32; 3],
    /// Warp within the block.
    pub warp: u32,
    /// Warp within the launch: block number times warps per block, plus `warp`.
    pub global_warp: u64,
    /// Active lanes.
    pub mask: u32,
}

/// A `print`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintRecord {
    /// As typed.
    pub expression: String,
    /// The value as shown, or why there is none.
    pub value: Result<String, String>,
    /// Index into [`Transcript::stops`] of the stop at which it was asked for.
    pub stop: usize,
}

/// A breakpoint at the end of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakRecord {
    /// Line.
    pub line: u32,
    /// Condition as typed.
    pub condition: Option<String>,
    /// How often it was hit.
    pub hits: u64,
}

/// What is debugged.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// GPU that is stood in for.
    pub device: &'a DeviceModel,
    /// Its memory.
    pub memory: &'a Memory,
    /// The loaded program.
    pub instance: &'a Instance,
    /// Kernel, by the name for the host.
    pub symbol: &'a str,
    /// Grid, block, arguments.
    pub launch: &'a Launch,
    /// Checks and limits.
    pub options: &'a ExecOptions,
}

/// Runs a script, one command a line; when it ends before the kernel does, the kernel is stopped.
pub fn run_script(subject: &Subject<'_>, script: &str) -> Transcript {
    let mut lines = script.lines();
    let mut text = Vec::new();
    let mut next = || lines.next().map(String::from);
    // Writing into memory does not fail.
    let mut transcript = session(subject, &mut next, &mut text, true).unwrap_or_default();
    transcript.text = String::from_utf8_lossy(&text).into_owned();
    transcript
}

/// Runs commands from `next` (`None`: no more) and writes what they show to `out`; with `echo` the commands too.
/// [`Transcript::text`] stays empty.
///
/// # Errors
/// Writing failed.
pub fn session(
    subject: &Subject<'_>,
    next: &mut (dyn FnMut() -> Option<String> + Send),
    out: &mut (dyn Write + Send),
    echo: bool,
) -> io::Result<Transcript> {
    let mut debugger = Debugger {
        subject: *subject,
        module: subject.instance.program().module(),
        next,
        out,
        echo,
        breakpoints: Vec::new(),
        watches: Vec::new(),
        mode: Mode::Continue,
        quit: false,
        show_ir: false,
        places: HashMap::new(),
        current_block: None,
        transcript: Transcript::default(),
        failed: Ok(()),
    };
    debugger.begin();
    debugger.failed?;
    Ok(debugger.transcript)
}

struct Breakpoint {
    statement: Span,
    line: u32,
    condition: Option<String>,
    /// The condition compiled for each function that it was met in.
    compiled: HashMap<FuncId, Result<Expr, String>>,
    hits: u64,
    deleted: bool,
}

struct Watch {
    text: String,
    expr: Expr,
    block: [u32; 3],
    warp: u32,
    lane: u32,
    last: Result<Value, String>,
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Continue,
    Step { block: [u32; 3], warp: u32, lane: u32 },
}

/// The thread that commands are about.
#[derive(Clone, Copy)]
struct Focus {
    warp: u32,
    lane: u32,
    /// Where names are looked up.
    place: Option<(FuncId, Span)>,
}

struct Debugger<'a> {
    subject: Subject<'a>,
    module: &'a Module,
    next: &'a mut (dyn FnMut() -> Option<String> + Send),
    out: &'a mut (dyn Write + Send),
    echo: bool,
    breakpoints: Vec<Breakpoint>,
    watches: Vec<Watch>,
    mode: Mode,
    quit: bool,
    show_ir: bool,
    /// Last statement of each warp of the current block.
    places: HashMap<u32, (FuncId, Span)>,
    current_block: Option<[u32; 3]>,
    transcript: Transcript,
    failed: io::Result<()>,
}

impl Hook for Debugger<'_> {
    fn statement(&mut self, stopped: &Stopped<'_>) -> Action {
        let stop = Stop { stopped, module: self.module };
        self.arrive(&stop);
        if self.quit || self.failed.is_err() { Action::Quit } else { Action::Go }
    }
}

impl Debugger<'_> {
    fn say(&mut self, text: impl AsRef<str>) {
        if self.failed.is_ok() {
            self.failed = writeln!(self.out, "{}", text.as_ref().trim_end_matches('\n'));
        }
    }

    fn mistake(&mut self, text: String) {
        self.say(format!("error: {text}"));
        self.transcript.mistakes.push(text);
    }

    /// The next command that makes sense; `Quit` when there are no more.
    fn command(&mut self) -> Command {
        loop {
            if self.failed.is_err() {
                return Command::Quit;
            }
            let Some(line) = (self.next)() else { return Command::Quit };
            if self.echo && !line.trim().is_empty() {
                self.say(format!("(lab) {}", line.trim()));
            }
            match parse(&line) {
                Ok(Some(command)) => return command,
                Ok(None) => {}
                Err(e) => self.mistake(e),
            }
        }
    }

    /// From the first command to the last.
    fn begin(&mut self) {
        loop {
            match self.command() {
                Command::Run => break,
                Command::Quit => return self.finish(),
                other => self.anywhere(other, "the kernel does not run yet (run starts it)"),
            }
        }
        let s = self.subject;
        let instance = match s.instance.for_debugging() {
            Ok(instance) => instance,
            Err(e) => return self.mistake(e.to_string()),
        };
        let result =
            launch_debug(s.device, s.memory, &instance, s.symbol, s.launch, s.options, self);
        if !self.quit {
            match &result {
                Ok(report) => {
                    if !report.printf.is_empty() {
                        self.say(&report.printf);
                    }
                    let count = report.total.inst;
                    self.say(format!("the kernel has ended ({count} warp instructions)"));
                }
                Err(fault) => self.say(fault.render()),
            }
            self.transcript.outcome = Some(result);
            loop {
                match self.command() {
                    Command::Quit => break,
                    other => self.anywhere(other, "the kernel has ended (memory can still be read)"),
                }
            }
        }
        self.finish();
    }

    fn finish(&mut self) {
        self.transcript.breakpoints = self
            .breakpoints
            .iter()
            .map(|b| BreakRecord { line: b.line, condition: b.condition.clone(), hits: b.hits })
            .collect();
    }

    /// Commands that need no running kernel; `why` says why the others cannot be done.
    fn anywhere(&mut self, command: Command, why: &str) {
        match command {
            Command::Break { file, line, condition } => self.add_breakpoint(file, line, condition),
            Command::Delete(n) => match self.breakpoint(n) {
                Some(b) => b.deleted = true,
                None => self.mistake(format!("there is no breakpoint {n}")),
            },
            Command::Hits(n) => match self.breakpoint(n) {
                Some(b) => {
                    let text = format!("breakpoint {n} was hit {} times", b.hits);
                    self.say(text);
                }
                None => self.mistake(format!("there is no breakpoint {n}")),
            },
            Command::InfoBreakpoints => {
                let lines: Vec<String> = self
                    .breakpoints
                    .iter()
                    .enumerate()
                    .filter(|(_, b)| !b.deleted)
                    .map(|(i, b)| {
                        let condition = b.condition.as_ref().map_or(String::new(), |c| format!(" if {c}"));
                        format!("{}: line {}{condition}, hits {}", i + 1, b.line, b.hits)
                    })
                    .collect();
                self.say(if lines.is_empty() { "no breakpoints".into() } else { lines.join("\n") });
            }
            Command::LayoutIr(on) => self.show_ir = on,
            Command::Help => self.say(HELP),
            Command::Mem { buffer, from, count } => match self.parameter_memory(&buffer, from, count) {
                Some(Ok(text)) => self.say(text),
                Some(Err(e)) => self.mistake(e),
                None => self.mistake(format!("the kernel has no buffer `{buffer}`")),
            },
            _ => self.mistake(why.to_string()),
        }
    }

    fn breakpoint(&mut self, number: usize) -> Option<&mut Breakpoint> {
        self.breakpoints.get_mut(number.checked_sub(1)?)
    }

    fn add_breakpoint(&mut self, file: Option<String>, line: u32, condition: Option<String>) {
        let sources = &self.module.sources;
        let names = sources.files().iter().map(|f| f.name.as_str());
        let wanted = match &file {
            None => Some(0),
            Some(file) => names.clone().position(|n| n == file || n.ends_with(&format!("/{file}"))),
        };
        let Some(wanted) = wanted else {
            let known: Vec<&str> = names.collect();
            return self.mistake(format!(
                "no file is called `{}` here; known are {}",
                file.unwrap_or_default(),
                known.join(", ")
            ));
        };
        let mut best: Option<(u32, Span)> = None;
        for function in &self.module.functions {
            statements(&function.body, &mut |span| {
                let at = sources.locate(span).line;
                if span.file == FileId(wanted as u16)
                    && at >= line
                    && best.is_none_or(|(l, s)| (at, span.lo) < (l, s.lo))
                {
                    best = Some((at, span));
                }
            });
        }
        let Some((at, statement)) = best else {
            return self.mistake(format!("there is no statement at or behind line {line}"));
        };
        self.breakpoints.push(Breakpoint {
            statement,
            line: at,
            condition: condition.clone(),
            compiled: HashMap::new(),
            hits: 0,
            deleted: false,
        });
        let number = self.breakpoints.len();
        let place = self.module.sources.locate(statement);
        let moved = if at == line { String::new() } else { format!(" (line {line} has no statement)") };
        let condition = condition.map_or(String::new(), |c| format!(" if {c}"));
        self.say(format!("breakpoint {number} at {}:{at}{condition}{moved}", place.file));
    }

    /// A warp stands before a statement, or has ended.
    fn arrive(&mut self, stop: &Stop<'_>) {
        let (block, warp) = (stop.block(), stop.warp());
        if self.current_block != Some(block) {
            self.current_block = Some(block);
            self.places.clear();
        }
        let states = stop.warps();
        let state = states.iter().find(|w| w.warp == warp);
        let (at, mask) = state.map_or((None, 0), |w| (w.at, w.mask));
        if let Some(at) = at {
            self.places.insert(warp, at);
        }
        let place = self.places.get(&warp).copied();
        let lowest = if mask == 0 { 0 } else { mask.trailing_zeros() };
        let mut reason = None;
        let mut lane = lowest;
        match self.mode {
            Mode::Step { block: b, warp: w, lane: of } if b == block && w == warp => {
                // The thread in focus stays in focus while it is active.
                if mask >> of & 1 == 1 {
                    lane = of;
                }
                let what = if at.is_some() { "stepped" } else { "the warp has ended" };
                reason = Some((None, what.to_string()));
            }
            Mode::Step { block: b, .. } if b != block => self.mode = Mode::Continue,
            _ => {}
        }
        if let Some(changed) = self.check_watches(stop) {
            lane = if changed.0 == warp { changed.1 } else { lane };
            reason = Some((None, changed.2));
        }
        if let Some((function, span)) = at {
            for i in 0..self.breakpoints.len() {
                let b = &self.breakpoints[i];
                if b.deleted || (b.statement.file, b.statement.lo) != (span.file, span.lo) || mask == 0 {
                    continue;
                }
                match self.first_lane(i, stop, function, span, warp, mask) {
                    Ok(Some(hit)) => {
                        let b = &mut self.breakpoints[i];
                        b.hits += 1;
                        lane = hit;
                        reason = Some((Some(i + 1), format!("breakpoint {}, hit {}", i + 1, b.hits)));
                    }
                    Ok(None) => {}
                    Err(e) => {
                        self.mistake(format!("condition of breakpoint {}: {e}", i + 1));
                        self.breakpoints[i].deleted = true;
                        reason = Some((Some(i + 1), format!("breakpoint {} is removed", i + 1)));
                    }
                }
            }
        }
        if let Some((breakpoint, text)) = reason {
            self.mode = Mode::Continue;
            let mut focus = Focus { warp, lane, place };
            self.show_stop(stop, &focus, mask, breakpoint, &text);
            self.talk(stop, &mut focus);
        }
    }

    /// The first active lane for which the condition of breakpoint `i` is true.
    fn first_lane(
        &mut self,
        i: usize,
        stop: &Stop<'_>,
        function: FuncId,
        span: Span,
        warp: u32,
        mask: u32,
    ) -> Result<Option<u32>, String> {
        let module = self.module;
        let b = &mut self.breakpoints[i];
        let Some(text) = &b.condition else { return Ok(Some(mask.trailing_zeros())) };
        let compiled = b
            .compiled
            .entry(function)
            .or_insert_with(|| compile(text, module, function, span))
            .clone()?;
        for lane in (0..32).filter(|l| mask >> l & 1 == 1) {
            let thread = self.thread(stop, warp, lane);
            match evaluate(module, &thread, &compiled)? {
                Value::Bits(0) => {}
                Value::Float(x) if x == 0.0 => {}
                _ => return Ok(Some(lane)),
            }
        }
        Ok(None)
    }

    fn thread<'s>(&'s self, stop: &'s Stop<'s>, warp: u32, lane: u32) -> StoppedThread<'s> {
        StoppedThread { stop, subject: &self.subject, warp, lane }
    }

    /// Warp, lane and text of the first watched value that is not what it was.
    fn check_watches(&mut self, stop: &Stop<'_>) -> Option<(u32, u32, String)> {
        let block = stop.block();
        self.watches.retain(|w| w.block == block);
        for i in 0..self.watches.len() {
            let w = &self.watches[i];
            let now = evaluate(self.module, &self.thread(stop, w.warp, w.lane), &w.expr);
            // NaN is not equal to itself; a value that stays NaN has not changed.
            let same = match (&now, &w.last) {
                (Ok(Value::Float(a)), Ok(Value::Float(b))) => a.to_bits() == b.to_bits(),
                (a, b) => a == b,
            };
            if !same {
                let ty = &w.expr.ty;
                let text = |v: &Result<Value, String>| match v {
                    Ok(v) => show(self.module, ty, v),
                    Err(e) => format!("<{e}>"),
                };
                let message = format!("watch {}: {} -> {}", w.text, text(&w.last), text(&now));
                let (warp, lane) = (w.warp, w.lane);
                self.watches[i].last = now;
                return Some((warp, lane, message));
            }
        }
        None
    }

    fn threads_of_block(&self) -> u32 {
        self.subject.launch.block.iter().product()
    }

    fn thread_index(&self, warp: u32, lane: u32) -> [u32; 3] {
        thread_index(self.subject.launch.block, warp, lane)
    }

    fn global_warp(&self, block: [u32; 3], warp: u32) -> u64 {
        let [gx, gy, _] = self.subject.launch.grid.map(u64::from);
        let [x, y, z] = block.map(u64::from);
        let per_block = u64::from(self.threads_of_block().div_ceil(32));
        ((z * gy + y) * gx + x) * per_block + u64::from(warp)
    }

    fn show_stop(
        &mut self,
        stop: &Stop<'_>,
        focus: &Focus,
        mask: u32,
        breakpoint: Option<usize>,
        reason: &str,
    ) {
        let sources = &self.module.sources;
        let at = focus.place.map_or(
            Location { file: "<unknown>".into(), line: 0, col: 0 },
            |(_, span)| sources.locate(span),
        );
        let block = stop.block();
        let record = StopRecord {
            breakpoint,
            block,
            thread: self.thread_index(focus.warp, focus.lane),
            warp: focus.warp,
            global_warp: self.global_warp(block, focus.warp),
            mask,
            at,
        };
        let [bx, by, bz] = record.block;
        let [tx, ty, tz] = record.thread;
        self.say(format!(
            "{reason}: {}:{}, block ({bx},{by},{bz}), thread ({tx},{ty},{tz}), warp {}",
            record.at.file, record.at.line, record.global_warp
        ));
        if let Some((_, span)) = focus.place {
            let text = sources.file(span.file).line_text(record.at.line).replace('\t', "    ");
            self.say(format!("{:>5} | {text}", record.at.line));
            if self.show_ir {
                let program = self.subject.instance.program();
                self.say(crate::stages::ir_of_line(program, self.subject.symbol, span));
            }
        }
        self.transcript.stops.push(record);
    }

    /// Commands at a stop, until one that lets the kernel go on.
    fn talk(&mut self, stop: &Stop<'_>, focus: &mut Focus) {
        loop {
            match self.command() {
                Command::Continue => return,
                Command::Step => {
                    let (block, warp, lane) = (stop.block(), focus.warp, focus.lane);
                    self.mode = Mode::Step { block, warp, lane };
                    return;
                }
                Command::Quit => {
                    self.quit = true;
                    return;
                }
                Command::Run => self.mistake("the kernel runs already (continue goes on)".into()),
                other => self.look(other, stop, focus),
            }
        }
    }

    fn look(&mut self, command: Command, stop: &Stop<'_>, focus: &mut Focus) {
        match command {
            Command::Print(text) => {
                let value = self.value(&text, stop, focus, focus.lane);
                match &value {
                    Ok(value) => self.say(format!("{text} = {value}")),
                    Err(e) => self.say(format!("{text}: {e}")),
                }
                let stop = self.transcript.stops.len().saturating_sub(1);
                if let Err(e) = &value {
                    self.transcript.mistakes.push(format!("{text}: {e}"));
                }
                self.transcript.prints.push(PrintRecord { expression: text, value, stop });
            }
            Command::Lanes(text) => self.lanes(&text, stop, focus),
            Command::Mask => {
                let mask = state_of(stop, focus.warp).map_or(0, |w| w.mask);
                self.say(format!(
                    "mask 0x{mask:08x}: {} of 32 lanes of warp {} are active",
                    mask.count_ones(),
                    self.global_warp(stop.block(), focus.warp)
                ));
            }
            Command::WarpNext => self.other_warp(stop, focus, 1),
            Command::WarpPrev => self.other_warp(stop, focus, -1),
            Command::Lane(lane) => {
                if focus.warp * 32 + lane >= self.threads_of_block() {
                    return self.mistake(format!("warp {} has no lane {lane}", focus.warp));
                }
                focus.lane = lane;
                let [x, y, z] = self.thread_index(focus.warp, lane);
                self.say(format!("thread ({x},{y},{z})"));
            }
            Command::Mem { buffer, from, count } => {
                let text = match self.parameter_memory(&buffer, from, count) {
                    Some(text) => text,
                    None => self.array_memory(&buffer, from, count, stop, focus),
                };
                match text {
                    Ok(text) => self.say(text),
                    Err(e) => self.mistake(e),
                }
            }
            Command::Watch(text) => {
                let compiled = focus.place.ok_or("the warp has not begun".to_string());
                let compiled = compiled.and_then(|(f, at)| compile(&text, self.module, f, at));
                match compiled {
                    Ok(expr) => {
                        let thread = self.thread(stop, focus.warp, focus.lane);
                        let last = evaluate(self.module, &thread, &expr);
                        let shown = match &last {
                            Ok(v) => show(self.module, &expr.ty, v),
                            Err(e) => format!("<{e}>"),
                        };
                        self.say(format!("watching {text}, now {shown}"));
                        let (block, warp, lane) = (stop.block(), focus.warp, focus.lane);
                        self.watches.push(Watch { text, expr, block, warp, lane, last });
                    }
                    Err(e) => self.mistake(format!("{text}: {e}")),
                }
            }
            Command::InfoWarps => {
                for w in stop.warps() {
                    let at = w.at.map_or(String::new(), |(_, span)| {
                        let at = self.module.sources.locate(span);
                        format!(" at {}:{}", at.file, at.line)
                    });
                    let here = if w.warp == focus.warp { "*" } else { " " };
                    let number = self.global_warp(stop.block(), w.warp);
                    self.say(format!("{here} warp {number}: mask 0x{:08x}, {}{at}", w.mask, w.state));
                }
            }
            Command::InfoLocals => self.locals(stop, focus),
            Command::List => {
                let Some((_, span)) = focus.place else { return };
                let line = self.module.sources.locate(span).line;
                let file = self.module.sources.file(span.file);
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

    /// Value of `text` for a lane of the warp in focus, as shown.
    fn value(&self, text: &str, stop: &Stop<'_>, focus: &Focus, lane: u32) -> Result<String, String> {
        let (function, at) = focus.place.ok_or("the warp has not begun")?;
        let expr = compile(text, self.module, function, at)?;
        let value = evaluate(self.module, &self.thread(stop, focus.warp, lane), &expr)?;
        Ok(show(self.module, &expr.ty, &value))
    }

    fn lanes(&mut self, text: &str, stop: &Stop<'_>, focus: &Focus) {
        let Some((function, at)) = focus.place else {
            return self.mistake("the warp has not begun".into());
        };
        let expr = match compile(text, self.module, function, at) {
            Ok(expr) => expr,
            Err(e) => return self.mistake(format!("{text}: {e}")),
        };
        let mask = state_of(stop, focus.warp).map_or(0, |w| w.mask);
        let cell = |lane: u32| {
            if mask >> lane & 1 == 0 {
                return "-".to_string();
            }
            let thread = self.thread(stop, focus.warp, lane);
            match evaluate(self.module, &thread, &expr) {
                Ok(value) => show(self.module, &expr.ty, &value),
                Err(_) => "?".to_string(),
            }
        };
        let cells: Vec<String> = (0..32).map(cell).collect();
        let width = cells.iter().map(String::len).max().unwrap_or(1);
        self.say(format!("{text} by lane (- inactive, ? no value)"));
        for (row, part) in cells.chunks(8).enumerate() {
            let row_text: String = part.iter().map(|c| format!(" {c:>width$}")).collect();
            self.say(format!("{:>4}:{row_text}", 8 * row));
        }
    }

    fn other_warp(&mut self, stop: &Stop<'_>, focus: &mut Focus, step: i64) {
        let count = i64::from(self.threads_of_block().div_ceil(32)).max(1);
        let warp = (i64::from(focus.warp) + step).rem_euclid(count) as u32;
        let state = state_of(stop, warp);
        let mask = state.as_ref().map_or(0, |w| w.mask);
        focus.warp = warp;
        focus.lane = if mask == 0 { 0 } else { mask.trailing_zeros() };
        focus.place = state.as_ref().and_then(|w| w.at).or(self.places.get(&warp).copied());
        let what = state.map_or("not begun", |w| w.state);
        let at = focus.place.map_or(String::new(), |(_, span)| {
            let at = self.module.sources.locate(span);
            format!(" at {}:{}", at.file, at.line)
        });
        let [x, y, z] = self.thread_index(warp, focus.lane);
        let number = self.global_warp(stop.block(), warp);
        self.say(format!("warp {number}, thread ({x},{y},{z}): {what}{at}, mask 0x{mask:08x}"));
    }

    fn locals(&mut self, stop: &Stop<'_>, focus: &Focus) {
        let Some((function, at)) = focus.place else { return };
        let visible = self.module.functions[function.0 as usize].locals.iter().filter(|l| {
            let seen = l.scope.file == at.file && l.scope.lo <= at.lo && at.lo < l.scope.hi;
            seen && !l.name.starts_with('$')
        });
        let lines: Vec<String> = visible
            .map(|l| match self.value(&l.name, stop, focus, focus.lane) {
                Ok(value) => format!("{} = {value}", l.name),
                Err(e) => format!("{}: {e}", l.name),
            })
            .collect();
        self.say(lines.join("\n"));
    }

    /// Elements of the buffer that a pointer parameter of the kernel leads to; `None` if it is no such parameter.
    fn parameter_memory(&self, name: &str, from: u64, count: u64) -> Option<Result<String, String>> {
        let symbol = self.subject.symbol;
        let is_kernel = |f: &&crate::hir::Function| {
            f.kernel.as_ref().is_some_and(|k| k.symbol == symbol)
        };
        let kernel = self.module.functions.iter().find(is_kernel)?;
        let params = &kernel.locals[..kernel.param_count as usize];
        let i = params.iter().position(|p| p.name == name)?;
        let Ty::Ptr(to, _) = &params[i].ty else { return None };
        let bytes = <[u8; 8]>::try_from(self.subject.launch.args.get(i)?.as_slice()).ok()?;
        let base = u64::from_le_bytes(bytes);
        Some(self.elements(name, from, count, |k| {
            let size = self.module.size_of(to).max(1);
            let mut element = vec![0; size as usize];
            let address = base.wrapping_add(k.wrapping_mul(size));
            let state = self.subject.memory.read(address, &mut element).map_err(|e| e.to_string())?;
            Ok(match state.first_unwritten {
                Some(_) => "<never written>".into(),
                None => show(self.module, to, &decode(to, element)),
            })
        }))
    }

    /// Elements of anything that can be indexed where the thread in focus stands.
    fn array_memory(
        &self,
        name: &str,
        from: u64,
        count: u64,
        stop: &Stop<'_>,
        focus: &Focus,
    ) -> Result<String, String> {
        self.value(&format!("&{name}[0]"), stop, focus, focus.lane)?;
        self.elements(name, from, count, |k| {
            Ok(self
                .value(&format!("{name}[{k}]"), stop, focus, focus.lane)
                .unwrap_or_else(|e| format!("<{e}>")))
        })
    }

    fn elements(
        &self,
        name: &str,
        from: u64,
        count: u64,
        element: impl Fn(u64) -> Result<String, String>,
    ) -> Result<String, String> {
        const MOST: u64 = 1024;
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
}

fn state_of(stop: &Stop<'_>, warp: u32) -> Option<WarpState> {
    stop.warps().into_iter().find(|w| w.warp == warp)
}

fn thread_index(block: [u32; 3], warp: u32, lane: u32) -> [u32; 3] {
    let n = warp * 32 + lane;
    let [x, y, _] = block.map(|n| n.max(1));
    [n % x, n / x % y, n / (x * y)]
}

/// Calls `f` with the place of every statement that can be stopped at.
fn statements(block: &Block, f: &mut dyn FnMut(Span)) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::Block(inner) => statements(inner, f),
            kind => {
                f(stmt.span);
                match kind {
                    StmtKind::If { then, els, .. } => {
                        statements(then, f);
                        statements(els, f);
                    }
                    StmtKind::Loop { body, .. } => statements(body, f),
                    StmtKind::Switch { arms, .. } => {
                        for arm in arms {
                            statements(&arm.body, f);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Compiles an expression as if it stood at `at`; the error is one line.
fn compile(text: &str, module: &Module, function: FuncId, at: Span) -> Result<Expr, String> {
    expression_in_scope(text, module, function, at).map_err(|e| {
        let first = e.diagnostics.first();
        first.map_or("this is not an expression".into(), |d| d.message.clone())
    })
}

/// A thread of a stopped block.
struct StoppedThread<'a> {
    stop: &'a Stop<'a>,
    subject: &'a Subject<'a>,
    warp: u32,
    lane: u32,
}

impl Thread for StoppedThread<'_> {
    fn local(&self, id: LocalId) -> Option<Vec<u8>> {
        self.stop.local(self.warp, self.lane, id)
    }

    fn local_address(&self, id: LocalId) -> Option<u64> {
        self.stop.address(self.warp, self.lane, id)
    }

    fn global_address(&self, id: GlobalId) -> Option<u64> {
        self.subject.instance.addresses.get(id.0 as usize).copied()
    }

    fn read(&self, address: u64, out: &mut [u8]) -> Result<(), String> {
        self.stop.read(self.lane, address, out)
    }

    fn index(&self, what: Builtin) -> Option<u32> {
        let launch = self.subject.launch;
        Some(match what {
            Builtin::ThreadIdx(axis) => {
                on_axis(thread_index(launch.block, self.warp, self.lane), axis)
            }
            Builtin::BlockIdx(axis) => on_axis(self.stop.block(), axis),
            Builtin::BlockDim(axis) => on_axis(launch.block, axis),
            Builtin::GridDim(axis) => on_axis(launch.grid, axis),
            Builtin::LaneId => self.lane,
            _ => return None,
        })
    }
}
