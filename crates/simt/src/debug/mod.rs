//! The debugger: breakpoints with conditions, stepping, values by thread and by warp, memory. It reads commands one by
//! one, from a script or from a person, and writes what they show. Nothing changes the kernel's memory.
//!
//! A breakpoint belongs to a statement, the first on its line. It is *hit* each time a warp comes to it with at least
//! one active thread for which the condition is true; the first such thread is then in focus.

mod command;
mod look;

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use crate::device::DeviceModel;
use crate::exec::debug::{Action, Debugger, Stopped, Value};
use crate::exec::{ExecOptions, Launch, launch_debug};
use crate::fault::Fault;
use crate::hir::{Block, Expr, FuncId, Module, StmtKind};
use crate::memory::Memory;
use crate::program::Instance;
use crate::report::LaunchReport;
use crate::source::{FileId, Location, Span};

pub use command::{Command, HELP, parse};

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
    let instance = match subject.instance.for_debugging() {
        Ok(instance) => instance,
        Err(e) => {
            writeln!(out, "{e}")?;
            return Ok(Transcript { mistakes: vec![e.to_string()], ..Transcript::default() });
        }
    };
    let subject = Subject { instance: &instance, ..*subject };
    let mut debugger = Session {
        subject,
        module: subject.instance.program().module(),
        next,
        out,
        echo,
        breakpoints: Vec::new(),
        watches: Vec::new(),
        mode: Mode::Continue,
        quit: false,
        show_ir: false,
        seen: BTreeMap::new(),
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
    /// A value in a function means something only there, in the same call.
    function: FuncId,
    depth: u32,
    last: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Continue,
    Step { block: [u32; 3], warp: u32, lane: u32 },
}

/// A warp before a statement (or behind its last one), and the lane that commands are about.
struct Focus<'a> {
    at: &'a Stopped<'a>,
    lane: u32,
    /// Active lanes; none once the warp has ended.
    mask: u32,
}

struct Session<'a> {
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
    /// Place and active lanes of the warps of the current block, as they were last seen.
    seen: BTreeMap<u32, (Location, u32)>,
    current_block: Option<[u32; 3]>,
    transcript: Transcript,
    failed: io::Result<()>,
}

impl Debugger for Session<'_> {
    fn statement(&mut self, at: &Stopped<'_>) -> Action {
        self.arrive(at, false);
        if self.quit || self.failed.is_err() { Action::Quit } else { Action::Go }
    }

    fn ended(&mut self, at: &Stopped<'_>) {
        if !self.quit {
            self.arrive(at, true);
        }
    }
}

impl Session<'_> {
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
        let result =
            launch_debug(s.device, s.memory, s.instance, s.symbol, s.launch, s.options, self);
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
                    other => {
                        self.anywhere(other, "the kernel has ended (memory can still be read)")
                    }
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
                        let condition =
                            b.condition.as_ref().map_or(String::new(), |c| format!(" if {c}"));
                        format!("{}: line {}{condition}, hits {}", i + 1, b.line, b.hits)
                    })
                    .collect();
                self.say(if lines.is_empty() { "no breakpoints".into() } else { lines.join("\n") });
            }
            Command::LayoutIr(on) => self.show_ir = on,
            Command::Help => self.say(HELP),
            Command::Mem { buffer, from, count } => {
                match self.parameter_memory(&buffer, from, count) {
                    Some(Ok(text)) => self.say(text),
                    Some(Err(e)) => self.mistake(e),
                    None => self.mistake(format!("the kernel has no buffer `{buffer}`")),
                }
            }
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
        let moved =
            if at == line { String::new() } else { format!(" (line {line} has no statement)") };
        let condition = condition.map_or(String::new(), |c| format!(" if {c}"));
        self.say(format!("breakpoint {number} at {}:{at}{condition}{moved}", place.file));
    }

    /// A warp stands before a statement, or has ended.
    fn arrive(&mut self, at: &Stopped<'_>, ended: bool) {
        let (block, warp) = (at.block(), at.warp());
        if self.current_block != Some(block) {
            self.current_block = Some(block);
            self.seen.clear();
        }
        let mask = if ended { 0 } else { at.mask() };
        self.seen.insert(warp, (at.location(), mask));
        let mut lane = if mask == 0 { 0 } else { mask.trailing_zeros() };
        let mut reason = None;
        match self.mode {
            Mode::Step { block: b, warp: w, lane: l } if b == block && w == warp => {
                if ended || mask >> l & 1 == 1 {
                    lane = l;
                }
                let what = if ended { "the warp has ended" } else { "stepped" };
                reason = Some((None, what.to_string()));
            }
            Mode::Step { block: b, .. } if b != block => self.mode = Mode::Continue,
            _ => {}
        }
        if let Some((watched, text)) = self.check_watches(at) {
            lane = watched;
            reason = Some((None, text));
        }
        for i in 0..self.breakpoints.len() {
            let b = &self.breakpoints[i];
            if b.deleted || b.statement != at.span() || mask == 0 {
                continue;
            }
            match self.first_lane(i, at, mask) {
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
        if let Some((breakpoint, text)) = reason {
            self.mode = Mode::Continue;
            let mut focus = Focus { at, lane, mask };
            self.show_stop(&focus, breakpoint, &text);
            self.talk(&mut focus);
        }
    }

    /// The first active lane for which the condition of breakpoint `i` is true.
    fn first_lane(&mut self, i: usize, at: &Stopped<'_>, mask: u32) -> Result<Option<u32>, String> {
        let module = self.module;
        let b = &mut self.breakpoints[i];
        let Some(text) = &b.condition else { return Ok(Some(mask.trailing_zeros())) };
        let function = at.function_id();
        let compiled = b
            .compiled
            .entry(function)
            .or_insert_with(|| look::compile(text, module, at))
            .as_ref()
            .map_err(Clone::clone)?;
        for lane in (0..32).filter(|l| mask >> l & 1 == 1) {
            match at.eval(compiled, lane)? {
                Value::Scalar(_, 0) => {}
                Value::Scalar(..) => return Ok(Some(lane)),
                Value::None => return Err("it has no value yet".into()),
                Value::Aggregate(_) => return Err("a struct is neither true nor false".into()),
            }
        }
        Ok(None)
    }

    /// Lane and text of the first watched value of this warp that is not what it was.
    fn check_watches(&mut self, at: &Stopped<'_>) -> Option<(u32, String)> {
        let block = at.block();
        self.watches.retain(|w| w.block == block);
        let here = (at.warp(), at.function_id(), at.depth());
        for w in self.watches.iter_mut().filter(|w| (w.warp, w.function, w.depth) == here) {
            let now = look::watched(at, &w.expr, w.lane);
            if now != w.last {
                let message = format!("watch {}: {} -> {now}", w.text, w.last);
                w.last = now;
                return Some((w.lane, message));
            }
        }
        None
    }

    fn global_warp(&self, block: [u32; 3], warp: u32) -> u64 {
        let [gx, gy, _] = self.subject.launch.grid.map(u64::from);
        let [x, y, z] = block.map(u64::from);
        let per_block =
            self.subject.launch.block.map(u64::from).iter().product::<u64>().div_ceil(32);
        ((z * gy + y) * gx + x) * per_block + u64::from(warp)
    }

    fn show_stop(&mut self, focus: &Focus<'_>, breakpoint: Option<usize>, reason: &str) {
        let at = focus.at;
        let record = StopRecord {
            breakpoint,
            block: at.block(),
            thread: at.thread(focus.lane),
            warp: at.warp(),
            global_warp: self.global_warp(at.block(), at.warp()),
            mask: focus.mask,
            at: at.location(),
        };
        let [bx, by, bz] = record.block;
        let [tx, ty, tz] = record.thread;
        self.say(format!(
            "{reason}: {}:{}, block ({bx},{by},{bz}), thread ({tx},{ty},{tz}), warp {}",
            record.at.file, record.at.line, record.global_warp
        ));
        let file = self.module.sources.file(at.span().file);
        let text = file.line_text(record.at.line).replace('\t', "    ");
        self.say(format!("{:>5} | {text}", record.at.line));
        if self.show_ir {
            let program = self.subject.instance.program();
            self.say(crate::stages::ir_of_line(program, self.subject.symbol, at.span()));
        }
        self.transcript.stops.push(record);
    }

    /// Commands at a stop, until one that lets the kernel go on.
    fn talk(&mut self, focus: &mut Focus<'_>) {
        loop {
            match self.command() {
                Command::Continue => return,
                Command::Step => {
                    let (block, warp) = (focus.at.block(), focus.at.warp());
                    self.mode = Mode::Step { block, warp, lane: focus.lane };
                    return;
                }
                Command::Quit => {
                    self.quit = true;
                    return;
                }
                Command::Run => self.mistake("the kernel runs already (continue goes on)".into()),
                other => self.look(other, focus),
            }
        }
    }
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
