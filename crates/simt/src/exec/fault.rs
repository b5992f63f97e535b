//! Faults: what is said, in one sentence, with both sides and the name of the element.

use super::block::Worker;
use super::halt::{Halt, Waiting, Window, triple};
use super::lanes::{Lanes, each};
use super::warp::Warp;
use crate::bytecode::{MemInfo, VarInfo};
use crate::fault::{Fault, FaultKind, Site, Target, ThreadAction};
use crate::language::Language;
use crate::memory::{LOCAL_BASE, Near, SHARED_BASE};
use crate::source::Span;

/// The buffer or variable of which an element is named.
#[derive(Default)]
pub struct Whole {
    name: String,
    /// It is no longer there.
    freed: bool,
}

impl Worker<'_> {
    /// Thread and block of a lane, with the text at `span`.
    pub fn site(&self, warp: u32, lane: u32, span: Span, action: impl Into<ThreadAction>) -> Site {
        self.site_in(self.block, 32 * warp + lane, span, action.into())
    }

    pub fn site_in(&self, block: [u32; 3], thread: u32, span: Span, action: ThreadAction) -> Site {
        let sources = self.world.program.sources();
        let at = sources.locate(span);
        let (line_text, width) = match sources.files().get(span.file.0 as usize) {
            Some(file) => {
                let (line, last) = (file.line_of(span.lo), span.hi.max(span.lo + 1) - 1);
                let width = if file.line_of(last) == line {
                    let text = file.text.get(span.lo as usize..span.hi as usize);
                    text.map_or(1, |t| t.chars().count() as u32)
                } else {
                    file.line_text(line).chars().count() as u32 + 1 - at.col.min(1)
                };
                (file.line_text(line).to_owned(), width.max(1))
            }
            None => (String::new(), 1),
        };
        let thread = self.world.thread_idx(thread);
        Site { thread, block, at, line_text, width, action }
    }

    pub fn who(&self, warp: u32, lane: u32) -> String {
        let thread = self.world.thread_idx(32 * warp + lane);
        format!("thread {} of block {}", triple(thread), triple(self.block))
    }

    pub fn raise(
        &self,
        warp: &Warp,
        kind: FaultKind,
        lanes: u32,
        span: Span,
        action: impl Into<ThreadAction>,
        message: String,
    ) -> Box<Halt> {
        let lane = lanes.trailing_zeros().min(31);
        let fault = Fault {
            kind,
            kernel: self.world.kernel.name.clone(),
            message,
            site: Some(self.site(warp.index, lane, span, action)),
            other: None,
            target: None,
            threads: u64::from(lanes.count_ones().max(1)),
            also: Vec::new(),
        };
        Halt::fault(fault, lanes)
    }

    /// Names the element at `addr`: target, and the whole that it belongs to.
    pub fn target(&self, addr: u64, elem: u32, space: Window, var: u32) -> Option<(Target, Whole)> {
        let code = self.world.code;
        match space {
            Window::Global => self.global_target(addr, elem),
            Window::Shared => {
                let (offset, address) = (addr as i64, SHARED_BASE.wrapping_add(addr));
                let vars = &self.world.shared_vars;
                let found = match vars.get(var as usize) {
                    Some(v) => Some(v),
                    None => vars.iter().rfind(|v| i64::from(v.offset) <= offset),
                };
                found.map(|v| window_target(v, offset, address, self.world.shared_bytes))
            }
            Window::Local => {
                let (offset, address) = (addr as i64, LOCAL_BASE.wrapping_add(addr));
                let found = match code.locals.get(var as usize) {
                    Some(v) => Some(v),
                    None => code.locals.iter().rfind(|v| i64::from(v.offset) <= offset),
                };
                found.map(|v| window_target(v, offset, address, code.local_bytes))
            }
            Window::String => None,
        }
    }

    fn global_target(&self, addr: u64, elem: u32) -> Option<(Target, Whole)> {
        let (base, size, name, freed) = match self.world.find(addr) {
            Some(index) => {
                let a = &self.world.allocs[index];
                (a.base, a.size, a.name(), false)
            }
            None => match self.world.memory.near(addr) {
                Near::Live(a) => (a.base, a.size, a.name(), false),
                Near::Freed(base, size, name) => (base, size, name, true),
                Near::Nothing => return None,
            },
        };
        let (name, elem) = self.parameter_name(base, size).unwrap_or((name, elem));
        let elem = elem.max(1);
        let index = (addr.wrapping_sub(base) as i64).div_euclid(i64::from(elem));
        let len = size / u64::from(elem);
        let target = Target { name: name.clone(), index, len, elem_size: elem, address: addr };
        Some((target, Whole { name, freed }))
    }

    /// The parameter through which the allocation came in, and the size of what it points to.
    fn parameter_name(&self, base: u64, size: u64) -> Option<(String, u32)> {
        let params = &self.world.kernel.params;
        params.iter().zip(&self.world.launch.args).find_map(|(param, arg)| {
            let (_, elem) = param.pointee.as_ref()?;
            let bytes: [u8; 8] = arg.get(..8)?.try_into().ok()?;
            let value = u64::from_le_bytes(bytes);
            (value >= base && value <= base + size).then(|| (param.name.clone(), *elem))
        })
    }

    #[allow(clippy::too_many_arguments)]
    pub fn access_fault(
        &self,
        warp: &Warp,
        kind: FaultKind,
        lanes: u32,
        info: &MemInfo,
        addresses: &Lanes,
        write: bool,
        space: Window,
    ) -> Box<Halt> {
        let action = if write { ThreadAction::Writes } else { ThreadAction::Reads };
        self.address_fault(
            warp, kind, lanes, info.span, addresses, info.elem, info.var, action, space,
        )
    }

    /// A fault of an access.
    #[allow(clippy::too_many_arguments)]
    pub fn address_fault(
        &self,
        warp: &Warp,
        kind: FaultKind,
        lanes: u32,
        span: Span,
        addresses: &Lanes,
        elem: u32,
        var: u32,
        action: ThreadAction,
        space: Window,
    ) -> Box<Halt> {
        let verb = action.verb();
        let lane = lanes.trailing_zeros();
        let addr = addresses[lane as usize];
        let who = self.who(warp.index, lane);
        let named = self.target(addr, elem, space, var);
        // Far outside everything: the pointer that the index was added to tells which buffer was
        // meant.
        let named = named.or_else(|| {
            let inst = &self.world.code.insts[warp.pc];
            let is_access = inst.op.shape()[1] == b'b' && !inst.op.is_pure();
            let base = is_access.then(|| warp.regs.b[inst.a as usize][lane as usize])?;
            self.world.find(base)?;
            let (mut target, whole) = self.target(base, elem, space, var)?;
            let away = addr.wrapping_sub(base) as i64;
            let elements = away.div_euclid(i64::from(target.elem_size.max(1)));
            target.index = target.index.saturating_add(elements);
            target.address = addr;
            Some((target, whole))
        });
        let (element, whole, target) = match named {
            Some((target, whole)) => (self.element(&target, space, var), whole, Some(target)),
            None => (format!("address {addr:#x}"), Whole::default(), None),
        };
        let len = target.as_ref().map_or(0, |t| t.len);
        let message = match kind {
            FaultKind::Misaligned => format!(
                "{who} {verb} at address {addr:#x} ({element}), which is not a multiple of the \
                 access size"
            ),
            FaultKind::Uninitialised => {
                format!("{who} {verb} {element}, which was never written")
            }
            FaultKind::ReadOnly => format!("{who} {verb} {element}, which is in constant memory"),
            _ if target.is_none() && addr < 4096 => format!("{who} {verb} through a null pointer"),
            _ if target.is_none() => format!("{who} {verb} {element}, where there is no memory"),
            _ if whole.freed => {
                format!("{who} {verb} {element} of {}, which was freed", whole.name)
            }
            _ if len == 0 && space == Window::Shared => format!(
                "{who} {verb} {element}, but the launch gives {} no bytes: they are the third \
                 number of <<<blocks, threads, bytes>>>",
                whole.name
            ),
            _ => {
                let plural = if len == 1 { "" } else { "s" };
                let name = &whole.name;
                format!("{who} {verb} {element}, but {name} has {len} element{plural}")
            }
        };
        let mut halt = self.raise(warp, kind, lanes, span, action, message);
        if let Some(fault) = &mut halt.fault {
            fault.target = target;
        }
        halt
    }

    /// `tile[3][17]`, or `a[5]` for one dimension and for what has left its bounds.
    pub fn element(&self, target: &Target, space: Window, var: u32) -> String {
        let vars = match space {
            Window::Shared => &self.world.shared_vars,
            Window::Local => &self.world.code.locals,
            _ => return format!("{}[{}]", target.name, target.index),
        };
        let info = match vars.get(var as usize) {
            Some(info) => Some(info),
            None => vars.iter().find(|v| v.name == target.name),
        };
        let inside = target.index >= 0 && (target.index as u64) < target.len;
        match info {
            Some(info) if info.dims.is_empty() && inside => target.name.clone(),
            Some(info) if info.dims.len() > 1 && inside => {
                let mut rest = target.index as u64;
                let mut parts = Vec::new();
                for n in info.dims.iter().rev() {
                    parts.push(format!("[{}]", rest % n));
                    rest /= n;
                }
                parts.push(target.name.clone());
                parts.into_iter().rev().collect()
            }
            _ => format!("{}[{}]", target.name, target.index),
        }
    }

    pub fn division_by_zero(&self, warp: &Warp, lanes: u32) -> Box<Halt> {
        let span = self.world.code.spans[warp.pc];
        let who = self.who(warp.index, lanes.trailing_zeros());
        let message = format!("{who} divides an integer by zero");
        self.raise(warp, FaultKind::DivisionByZero, lanes, span, "divides by zero here", message)
    }

    pub fn unassigned(&self, warp: &Warp, lanes: u32, name: u32) -> Box<Halt> {
        let code = self.world.code;
        let span = code.spans[warp.pc];
        let who = self.who(warp.index, lanes.trailing_zeros());
        let name = &code.tracked[name as usize];
        let message = format!("{who} reads the variable {name}, which has no value yet");
        self.raise(warp, FaultKind::Uninitialised, lanes, span, ThreadAction::Reads, message)
    }

    pub fn step_limit(&self, warp: &Warp) -> Box<Halt> {
        let code = self.world.code;
        let span = code.spans[warp.pc];
        let who = self.who(warp.index, warp.mask.trailing_zeros().min(31));
        let mut message = format!(
            "{who} is still in this loop after {} warp instructions of the launch: does it ever \
             end?",
            self.world.options.step_limit
        );
        if let Some([blocks, most]) = self.world.crowd {
            message += &format!(
                " If it waits for a later block: of the {blocks} blocks at most {most} run at \
                 once, and a later one begins when an earlier one has ended"
            );
        }
        self.raise(warp, FaultKind::StepLimit, warp.mask, span, "loops here", message)
    }

    fn barrier_name(&self) -> &'static str {
        match self.world.program.module().language {
            Language::CudaC => "__syncthreads()",
            Language::OpenClC => "barrier()",
        }
    }

    /// `__syncthreads` reached by a part of the warp's threads.
    pub fn divergent_barrier(&self, warp: &Warp) -> Box<Halt> {
        let code = self.world.code;
        let bar = &code.bars[code.insts[warp.pc].c as usize];
        let lane = warp.mask.trailing_zeros();
        let missing = (warp.alive & !warp.mask).trailing_zeros();
        let other = self.world.thread_idx(32 * warp.index + missing);
        let message = format!(
            "{} waits at the barrier, but thread {} of the same block does not come: all threads \
             must reach the same {}",
            self.who(warp.index, lane),
            triple(other),
            self.barrier_name()
        );
        let kind = FaultKind::DivergentBarrier;
        let mut halt = self.raise(warp, kind, warp.mask, bar.span, "waits at the barrier", message);
        // The statement that parted the two holds the missing lane in its slot.
        let parted = bar.around.iter().find(|(slot, _)| {
            warp.slots[*slot as usize..].iter().take(2).any(|m| m >> missing & 1 == 1)
        });
        if let (Some(fault), Some((_, span))) = (&mut halt.fault, parted) {
            fault.other = Some(self.site(warp.index, missing, *span, "goes another way here"));
        }
        halt
    }

    /// A work-item of OpenCL has ended while others wait for it.
    pub fn ended_before_barrier(&self, waiting: Waiting, ended: u32) -> Box<Halt> {
        let code = self.world.code;
        let span = code.bars[code.insts[waiting.pc].c as usize].span;
        let message = format!(
            "{} waits at the barrier, but thread {} of the same block has ended: all threads must \
             reach the same barrier()",
            self.who(waiting.warp, waiting.lane),
            triple(self.world.thread_idx(ended))
        );
        let warp = &self.warps[waiting.warp as usize];
        let kind = FaultKind::DivergentBarrier;
        self.raise(warp, kind, warp.mask, span, "waits at the barrier", message)
    }

    /// Two warps wait at different barriers.
    pub fn different_barriers(&self, sides: [Waiting; 2]) -> Box<Halt> {
        let code = self.world.code;
        let span = |pc: usize| code.bars[code.insts[pc].c as usize].span;
        let [a, b] = &sides;
        let message = format!(
            "{} waits at one barrier and thread {} of the same block at another: all threads must \
             reach the same {}",
            self.who(a.warp, a.lane),
            triple(self.world.thread_idx(32 * b.warp + b.lane)),
            self.barrier_name()
        );
        let kind = FaultKind::DivergentBarrier;
        let warp = &self.warps[a.warp as usize];
        let mut halt =
            self.raise(warp, kind, warp.mask, span(a.pc), "waits at this barrier", message);
        if let Some(fault) = &mut halt.fault {
            fault.site = Some(self.site(a.warp, a.lane, span(a.pc), "waits at this barrier"));
            fault.other = Some(self.site(b.warp, b.lane, span(b.pc), "waits at this one"));
        }
        halt
    }

    /// The first lane of `mask`, as people count threads.
    pub fn lane_list(&self, warp: u32, mask: u32) -> String {
        let mut names =
            each(mask).take(3).map(|l| triple(self.world.thread_idx(32 * warp + l as u32)));
        let mut out = names.next().unwrap_or_default();
        for name in names {
            out += ", ";
            out += &name;
        }
        if mask.count_ones() > 3 {
            out += ", ...";
        }
        out
    }
}

fn window_target(v: &VarInfo, offset: i64, address: u64, end: u32) -> (Target, Whole) {
    let size = if v.size > 0 { v.size } else { end.saturating_sub(v.offset) };
    let elem = v.elem.max(1);
    let index = offset.wrapping_sub(i64::from(v.offset)).div_euclid(i64::from(elem));
    let len = u64::from(size / elem);
    let target = Target { name: v.name.clone(), index, len, elem_size: elem, address };
    (target, Whole { name: v.name.clone(), freed: false })
}
