//! What the kernel is stopped by: breakpoints and watched values.

use std::collections::HashMap;

use super::look;
use super::state::{Breakpoint, Session, Watch, first};
use crate::exec::debug::{Stopped, Value};
use crate::hir::{Block, Expr, StmtKind};
use crate::source::{FileId, Span};

impl Session<'_> {
    fn breakpoint(&mut self, number: usize) -> Option<&mut Breakpoint> {
        let found = number.checked_sub(1).filter(|i| *i < self.breakpoints.len());
        if found.is_none() {
            self.mistake(format!("there is no breakpoint {number}"));
        }
        self.breakpoints.get_mut(found?)
    }

    pub(super) fn delete_breakpoint(&mut self, number: usize) {
        if let Some(b) = self.breakpoint(number) {
            b.deleted = true;
        }
    }

    pub(super) fn hits(&mut self, number: usize) {
        if let Some(b) = self.breakpoint(number) {
            let times = if b.hits == 1 { "time" } else { "times" };
            let text = format!("breakpoint {number} was hit {} {times}", b.hits);
            self.say(text);
        }
    }

    pub(super) fn list_breakpoints(&mut self) {
        let all = self.breakpoints.iter().enumerate().filter(|(_, b)| !b.deleted);
        let lines: Vec<String> = all
            .map(|(i, b)| {
                let condition = b.condition.as_ref().map_or(String::new(), |c| format!(" if {c}"));
                format!("{}: line {}{condition}, hits {}", i + 1, b.line, b.hits)
            })
            .collect();
        self.say(if lines.is_empty() { "no breakpoints".into() } else { lines.join("\n") });
    }

    /// Sets a breakpoint at the first statement at or behind `line`.
    pub(super) fn add_breakpoint(
        &mut self,
        file: Option<String>,
        line: u32,
        condition: Option<String>,
    ) {
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
        let moved =
            if at == line { String::new() } else { format!(" (line {line} has no statement)") };
        let shown = condition.as_ref().map_or(String::new(), |c| format!(" if {c}"));
        self.breakpoints.push(Breakpoint {
            statement,
            line: at,
            condition,
            compiled: HashMap::new(),
            hits: 0,
            deleted: false,
        });
        let number = self.breakpoints.len();
        let place = sources.locate(statement);
        self.say(format!("breakpoint {number} at {}:{at}{shown}{moved}", place.file));
    }

    /// Counts the breakpoints that the active lanes `mask` of a warp have come to: number, lane and
    /// text of the last.
    pub(super) fn hit_breakpoint(
        &mut self,
        at: &Stopped<'_>,
        mask: u32,
    ) -> Option<(usize, u32, String)> {
        let mut found = None;
        for i in 0..self.breakpoints.len() {
            let (b, number) = (&self.breakpoints[i], i + 1);
            if b.deleted || b.statement != at.span() {
                continue;
            }
            match self.first_lane(i, at, mask) {
                Ok(Some(lane)) => {
                    let b = &mut self.breakpoints[i];
                    b.hits += 1;
                    found = Some((number, lane, format!("breakpoint {number}, hit {}", b.hits)));
                }
                Ok(None) => {}
                Err(e) => {
                    self.mistake(format!("condition of breakpoint {number}: {e}"));
                    self.breakpoints[i].deleted = true;
                    let text = format!("breakpoint {number} is removed");
                    found = Some((number, first(mask), text));
                }
            }
        }
        found
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
                value if value.is_zero() => {}
                Value::Scalar(..) => return Ok(Some(lane)),
                Value::None => return Err("it has no value yet".into()),
                Value::Aggregate(_) => return Err("a struct is neither true nor false".into()),
            }
        }
        Ok(None)
    }

    /// Looks at a value from now on.
    pub(super) fn add_watch(&mut self, text: String, expr: Expr, at: &Stopped<'_>, lane: u32) {
        let last = look::watched(self.module, at, &expr, lane);
        self.say(format!("watching {text}, now {last}"));
        self.watches.push(Watch {
            text,
            expr,
            block: at.block(),
            warp: at.warp(),
            lane,
            function: at.function_id(),
            depth: at.depth(),
            last,
        });
    }

    /// Lane and text of the first watched value of this warp that is not what it was.
    pub(super) fn changed_watch(&mut self, at: &Stopped<'_>) -> Option<(u32, String)> {
        let module = self.module;
        let block = at.block();
        self.watches.retain(|w| w.block == block);
        let here = (at.warp(), at.function_id(), at.depth());
        for w in self.watches.iter_mut().filter(|w| (w.warp, w.function, w.depth) == here) {
            let now = look::watched(module, at, &w.expr, w.lane);
            if now != w.last {
                let message = format!("watch {}: {} -> {now}", w.text, w.last);
                w.last = now;
                return Some((w.lane, message));
            }
        }
        None
    }
}

/// Calls `f` with every place that can be stopped at.
fn statements(block: &Block, f: &mut dyn FnMut(Span)) {
    for stmt in block {
        if stmt.stops() {
            f(stmt.span);
        }
        match &stmt.kind {
            StmtKind::Block(inner) | StmtKind::Labelled { body: inner, .. } => statements(inner, f),
            StmtKind::If { then, els, .. } => {
                statements(then, f);
                statements(els, f);
            }
            StmtKind::Loop { cond, body, .. } => {
                if let Some(cond) = cond {
                    f(cond.span);
                }
                statements(body, f);
            }
            StmtKind::Switch { arms, .. } => arms.iter().for_each(|arm| statements(&arm.body, f)),
            _ => {}
        }
    }
}
