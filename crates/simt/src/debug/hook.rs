//! What the debugger sees of a stopped launch, on top of [`crate::exec::debug`].

use crate::exec::debug::{Stopped, Value};
use crate::hir::{Expr, ExprKind, FuncId, LocalId, Module, Ty};
use crate::source::Span;

/// A warp of the block.
pub(super) struct WarpState {
    pub warp: u32,
    pub mask: u32,
    pub at: Option<(FuncId, Span)>,
    pub state: &'static str,
}

/// A warp before a statement.
pub(super) struct Stop<'a> {
    pub stopped: &'a Stopped<'a>,
    pub module: &'a Module,
}

impl Stop<'_> {
    pub fn block(&self) -> [u32; 3] {
        self.stopped.block()
    }

    pub fn warp(&self) -> u32 {
        self.stopped.warp()
    }

    /// The warp that is stopped; the others cannot be looked at.
    pub fn warps(&self) -> Vec<WarpState> {
        let own = self.stopped.function();
        let mut functions = self.module.functions.iter();
        let function = functions.position(|f| f.span == own.span && f.name == own.name);
        let at = function.map(|k| (FuncId(k as u32), self.stopped.span()));
        vec![WarpState { warp: self.warp(), mask: self.stopped.mask(), at, state: "running" }]
    }

    pub fn local(&self, warp: u32, lane: u32, id: LocalId) -> Option<Vec<u8>> {
        if warp != self.warp() {
            return None;
        }
        let Value::Scalar(ty, bits) = self.stopped.variable(id, lane).ok()? else { return None };
        let size = match ty {
            Ty::F16 => 4,
            _ => self.module.size_of(&ty),
        };
        Some(bits.to_le_bytes()[..size as usize].to_vec())
    }

    pub fn address(&self, warp: u32, lane: u32, id: LocalId) -> Option<u64> {
        if warp != self.warp() {
            return None;
        }
        let local = &self.stopped.function().locals[id.0 as usize];
        let place = Expr { kind: ExprKind::Local(id), ty: local.ty.clone(), span: local.span };
        let address =
            Expr { kind: ExprKind::AddrOf(Box::new(place)), ty: Ty::U64, span: local.span };
        match self.stopped.eval(&address, lane) {
            Ok(Value::Scalar(_, address)) => Some(address),
            _ => None,
        }
    }

    pub fn read(&self, lane: u32, address: u64, out: &mut [u8]) -> Result<(), String> {
        let bytes = self.stopped.read(address, out.len(), lane)?;
        for (out, byte) in out.iter_mut().zip(bytes) {
            *out = byte.ok_or("nobody has written it yet")?;
        }
        Ok(())
    }
}
