//! What the statement before which a warp stands will ask of memory: which lanes, which addresses.

use crate::exec::debug::{Stopped, Value};
use crate::hir::{Block, Expr, ExprKind, Function, Stmt, StmtKind, Ty};
use crate::memory::{GLOBAL_BASE, LOCAL_BASE, Memory, SHARED_BASE};
use crate::pattern::{MemoryKind, Pattern};
use crate::source::Span;

/// Bytes that one request moves per lane at most; larger values are moved member by member.
const WIDEST: u64 = 16;

/// The requests to global and shared memory that the statement at `at` is about to make, in the
/// order in which they stand in it. What only some lanes evaluate (`&&`, `||`, `?:`) is asked for
/// those lanes. Left out is what cannot be known without running it: addresses that a function
/// returns or that the same statement changes.
pub fn requests(at: &Stopped<'_>, memory: &Memory) -> Vec<Pattern> {
    let mut found = Vec::new();
    if let Some(e) = at_stop(&at.function().body, at.span()) {
        Search { at, memory, found: &mut found }.value(e, at.mask());
    }
    found
}

/// The expression that is evaluated at a stop with this text: the statement's own, not those of the
/// statements within.
fn at_stop(block: &Block, span: Span) -> Option<&Expr> {
    block.iter().find_map(|s| of_statement(s, span))
}

fn of_statement(s: &Stmt, span: Span) -> Option<&Expr> {
    let here = s.span == span;
    match &s.kind {
        StmtKind::Expr(e) | StmtKind::Let(_, Some(e)) | StmtKind::Return(Some(e)) => {
            here.then_some(e)
        }
        StmtKind::Block(inner) | StmtKind::Labelled { body: inner, .. } => at_stop(inner, span),
        StmtKind::If { cond, then, els } => match here {
            true => Some(cond),
            false => at_stop(then, span).or_else(|| at_stop(els, span)),
        },
        StmtKind::Loop { cond, body, step, .. } => {
            let test = [cond, step].into_iter().flatten().find(|e| e.span == span);
            test.or_else(|| at_stop(body, span))
        }
        StmtKind::Switch { value, arms } => match here {
            true => Some(value),
            false => arms.iter().find_map(|arm| at_stop(&arm.body, span)),
        },
        StmtKind::Let(_, None)
        | StmtKind::Return(None)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Goto(_) => None,
    }
}

struct Search<'a, 's> {
    at: &'a Stopped<'s>,
    memory: &'a Memory,
    found: &'a mut Vec<Pattern>,
}

impl Search<'_, '_> {
    /// Goes through an expression that the lanes of `mask` evaluate.
    fn value(&mut self, e: &Expr, mask: u32) {
        match &e.kind {
            ExprKind::Load(place) => {
                self.place(place, mask);
                self.request(place, mask, false);
            }
            ExprKind::Assign(place, value) | ExprKind::AssignOp(_, place, value) => {
                self.value(value, mask);
                self.place(place, mask);
                if matches!(e.kind, ExprKind::AssignOp(..)) {
                    self.request(place, mask, false);
                }
                self.request(place, mask, true);
            }
            ExprKind::IncDec { place, .. } => {
                self.place(place, mask);
                self.request(place, mask, false);
                self.request(place, mask, true);
            }
            ExprKind::And(a, b) => {
                self.value(a, mask);
                self.value(b, self.lanes(a, mask));
            }
            ExprKind::Or(a, b) => {
                self.value(a, mask);
                self.value(b, mask & !self.lanes(a, mask));
            }
            ExprKind::Cond(c, a, b) => {
                self.value(c, mask);
                let yes = self.lanes(c, mask);
                self.value(a, yes);
                self.value(b, mask & !yes);
            }
            ExprKind::AddrOf(place) => self.place(place, mask),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::FieldOf(a, _) => {
                self.value(a, mask);
            }
            ExprKind::PtrAdd(a, b)
            | ExprKind::PtrDiff(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::Cmp(_, a, b)
            | ExprKind::Comma(a, b) => {
                self.value(a, mask);
                self.value(b, mask);
            }
            ExprKind::Call(_, list) | ExprKind::Builtin(_, list) | ExprKind::Aggregate(list) => {
                list.iter().for_each(|e| self.value(e, mask))
            }
            _ => {}
        }
    }

    /// Goes through what is evaluated to find a place.
    fn place(&mut self, e: &Expr, mask: u32) {
        match &e.kind {
            ExprKind::Deref(p) => self.value(p, mask),
            ExprKind::Field(inner, _) => self.place(inner, mask),
            ExprKind::Index(inner, index) => {
                self.place(inner, mask);
                self.value(index, mask);
            }
            _ => {}
        }
    }

    /// Lanes of `mask` for which a condition holds.
    fn lanes(&self, condition: &Expr, mask: u32) -> u32 {
        let holds = |lane: &u32| self.at.eval(condition, *lane).is_ok_and(|v| !v.is_zero());
        lanes(mask).filter(holds).fold(0, |all, lane| all | 1 << lane)
    }

    /// Notes the request to a place, unless it lies in registers or in thread-local memory.
    fn request(&mut self, place: &Expr, mask: u32, write: bool) {
        let size = self.at.size_of(&place.ty);
        let whole =
            Expr { kind: ExprKind::AddrOf(Box::new(place.clone())), ty: Ty::U64, span: place.span };
        let address = |lane: u32| match self.at.eval(&whole, lane) {
            Ok(Value::Scalar(_, address)) => Some((lane, address)),
            _ => None,
        };
        let Some(addresses) = lanes(mask).map(address).collect::<Option<Vec<_>>>() else { return };
        let Some((_, first)) = addresses.first().copied() else { return };
        let (space, base, name) = match first {
            GLOBAL_BASE.. => {
                let Some(found) = self.memory.find(first) else { return };
                (MemoryKind::Global, found.base, found.name)
            }
            SHARED_BASE..LOCAL_BASE => {
                (MemoryKind::Shared, SHARED_BASE, root(place, self.at.function()))
            }
            _ => return,
        };
        if size > WIDEST {
            return;
        }
        let offset = |(lane, address): (u32, u64)| (lane, address.wrapping_sub(base) as i64);
        let pattern = Pattern {
            at: self.at.locate(place.span),
            line_text: String::new(),
            space,
            write,
            name,
            size: size as u32,
            block: self.at.block(),
            warp: self.at.warp(),
            lanes: addresses.into_iter().map(offset).collect(),
            // Within the block's shared memory addresses count from 0.
            base: if space == MemoryKind::Shared { 0 } else { base },
            cost: 0,
            best: 0,
            requests: 1,
            total: 0,
        };
        self.found.push(pattern.priced());
    }
}

fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}

/// The variable in which a place lies or through which it is found.
fn root(place: &Expr, function: &Function) -> String {
    match &place.kind {
        ExprKind::Local(id) => function.locals[id.0 as usize].name.clone(),
        ExprKind::Deref(e)
        | ExprKind::Field(e, _)
        | ExprKind::Index(e, _)
        | ExprKind::PtrAdd(e, _)
        | ExprKind::Load(e)
        | ExprKind::AddrOf(e)
        | ExprKind::Cast(e) => root(e, function),
        _ => "shared memory".into(),
    }
}
