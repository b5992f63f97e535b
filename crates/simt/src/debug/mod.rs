//! The debugger: breakpoints with conditions, stepping, values by thread and by warp, memory. It
//! reads commands one by one, from a script or from a person, and writes what they show. Nothing
//! changes the kernel's memory.
//!
//! A breakpoint belongs to a statement, the first on its line. It is *hit* each time a warp comes
//! to it with at least one active thread for which the condition is true; the first such thread is
//! then in focus.

mod command;
mod look;
mod record;
mod requests;
mod state;
mod stops;

use std::io::{self, Write};

use crate::exec::debug::{Action, Debugger, Stopped, WarpState};
use crate::exec::launch_debug;
use crate::fault::Fault;
use state::{Focus, Goal, Mode, Session, first};

pub use command::{Command, HELP, parse};
pub use record::{BreakRecord, PrintRecord, StopRecord, Transcript};
pub use requests::requests;
pub use state::Subject;

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

/// Runs commands from `next` (`None`: no more) and writes what they show to `out`; with `echo` the
/// commands too. [`Transcript::text`] stays empty.
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
        transcript: Transcript::default(),
        failed: Ok(()),
    };
    debugger.begin();
    debugger.failed?;
    Ok(debugger.transcript)
}

impl Debugger for Session<'_> {
    fn statement(&mut self, at: &Stopped<'_>) -> Action {
        self.arrive(at);
        if self.quit || self.failed.is_err() { Action::Quit } else { Action::Go }
    }

    fn ended(&mut self, at: &Stopped<'_>) {
        if !self.quit {
            self.arrive(at);
        }
    }

    fn faulted(&mut self, at: &Stopped<'_>, lanes: u32, fault: &Fault) {
        if self.quit {
            return;
        }
        let reason = format!("fault[{}], {}", fault.kind.code(), fault.message);
        let mut focus = Focus { at: *at, lane: first(lanes), mask: lanes, over: true };
        self.show_stop(&focus, None, &reason);
        self.talk(&mut focus);
    }
}

impl Session<'_> {
    /// The next command that makes sense; `Quit` when there are no more.
    fn command(&mut self) -> Command {
        loop {
            if self.failed.is_err() {
                return Command::Quit;
            }
            let Some(line) = (self.next)() else { return Command::Quit };
            let parsed = parse(&line);
            if self.echo && !matches!(parsed, Ok(None)) {
                self.say(format!("(lab) {}", line.trim()));
            }
            match parsed {
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
            Command::Delete(n) => self.delete_breakpoint(n),
            Command::Hits(n) => self.hits(n),
            Command::InfoBreakpoints => self.list_breakpoints(),
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

    /// A warp stands before a statement, or has ended.
    fn arrive(&mut self, at: &Stopped<'_>) {
        let ended = at.state() == WarpState::Ended;
        let mask = if ended { 0 } else { at.mask() };
        let mut lane = first(mask);
        let mut reason = None;
        if let Mode::Step { block, warp, lane: stepped, to } = self.mode {
            if block != at.block() {
                self.mode = Mode::Continue;
            } else if warp == at.warp() && (ended || to.reached(at)) {
                if ended || mask >> stepped & 1 == 1 {
                    lane = stepped;
                }
                let what = if ended { "the warp has ended" } else { "stepped" };
                reason = Some((None, what.to_string()));
            }
        }
        if let Some((watched, text)) = self.changed_watch(at) {
            lane = watched;
            reason = Some((None, text));
        }
        if mask != 0
            && let Some((number, hit, text)) = self.hit_breakpoint(at, mask)
        {
            lane = hit;
            reason = Some((Some(number), text));
        }
        if let Some((breakpoint, text)) = reason {
            self.mode = Mode::Continue;
            let mut focus = Focus { at: *at, lane, mask, over: false };
            self.show_stop(&focus, breakpoint, &text);
            self.talk(&mut focus);
        }
    }

    fn global_warp(&self, block: [u32; 3], warp: u32) -> u64 {
        let [gx, gy, _] = self.subject.launch.grid.map(u64::from);
        let [x, y, z] = block.map(u64::from);
        let per_block =
            self.subject.launch.block.map(u64::from).iter().product::<u64>().div_ceil(32);
        ((z * gy + y) * gx + x) * per_block + u64::from(warp)
    }

    fn show_stop(&mut self, focus: &Focus<'_>, breakpoint: Option<usize>, reason: &str) {
        let at = &focus.at;
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
        let text = self.module.sources.line_text(&record.at).replace('\t', "    ");
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
            let depth = focus.at.depth();
            let to = match self.command() {
                Command::Continue => return,
                Command::Quit => {
                    self.quit = true;
                    return;
                }
                Command::Step => Goal::Depth(u32::MAX),
                Command::Next => Goal::Depth(depth),
                Command::Until(line) => Goal::Line(line, depth),
                Command::Finish => match depth.checked_sub(1) {
                    Some(outside) => Goal::Depth(outside),
                    None => {
                        self.mistake("this is the kernel itself (continue goes on)".into());
                        continue;
                    }
                },
                Command::Run => {
                    self.mistake("the kernel runs already (continue goes on)".into());
                    continue;
                }
                other => {
                    self.look(other, focus);
                    continue;
                }
            };
            if focus.over {
                self.mistake("the fault ends the kernel (continue shows how)".into());
                continue;
            }
            let (block, warp) = (focus.at.block(), focus.at.warp());
            self.mode = Mode::Step { block, warp, lane: focus.lane, to };
            return;
        }
    }
}
