//! What is said of a race, with both sides.

use std::ops::Range;

use super::{Access, Note};
use crate::bytecode::{Bank, Inst, MemInfo};
use crate::exec::block::Worker;
use crate::exec::halt::{Halt, Window, triple};
use crate::exec::lanes::{Lanes, each};
use crate::exec::warp::Warp;
use crate::exec::world::memory_bits;
use crate::fault::{FaultKind, ThreadAction};
use crate::language::Language;

/// What a message says of an atomic access that meets a plain one.
const MIXED: &str = "; an atomic orders nothing for a plain access to the same word";

/// What is added where one side is `volatile`.
const VOLATILE: &str = "; `volatile` makes each access happen, but orders none: a barrier, \
                        __syncwarp(), a fence with a flag, or atomics do";

impl Worker<'_> {
    pub(crate) fn race_kind(&self, space: Window) -> FaultKind {
        if space == Window::Shared { FaultKind::RaceShared } else { FaultKind::RaceGlobal }
    }

    /// A store by `lane` into the bytes `granule` meets another store there: true if both leave the
    /// same bytes. The other one is that of a lower lane of this instruction, else the one before,
    /// whose bytes `here` still gives (`None`: cannot tell).
    pub(crate) fn stores_same(
        &self,
        warp: &Warp,
        info: &MemInfo,
        addresses: &Lanes,
        lane: u32,
        granule: Range<u64>,
        here: impl Fn(u64) -> Option<u8>,
    ) -> bool {
        let size = u64::from(info.size);
        let covers = |l: usize, at: u64| at.wrapping_sub(addresses[l]) < size;
        let mine = stored(warp, &self.world.code.insts[warp.pc], info, lane as usize);
        granule.filter(|at| covers(lane as usize, *at)).all(|at| {
            let lower = each(warp.mask & ((1 << lane) - 1)).filter(|l| covers(*l, at)).last();
            let other = match lower {
                Some(l) => {
                    let theirs = stored(warp, &self.world.code.insts[warp.pc], info, l);
                    Some(theirs[(at - addresses[l]) as usize])
                }
                None => here(at),
            };
            other == Some(mine[(at - addresses[lane as usize]) as usize])
        })
    }

    #[allow(clippy::too_many_arguments)]
    pub(crate) fn race_fault(
        &self,
        warp: &Warp,
        info: &MemInfo,
        addresses: &Lanes,
        lane: usize,
        other: Option<&Note>,
        access: Access,
        space: Window,
    ) -> Box<Halt> {
        let kind = self.race_kind(space);
        let named = self.target(addresses[lane], info.elem, space, info.var);
        let element = match &named {
            Some((target, _)) => self.element(target, space, info.var),
            None => format!("address {:#x}", addresses[lane]),
        };
        let does = access.does();
        let same = each(warp.mask)
            .filter(|l| addresses[*l] == addresses[lane])
            .fold(0u32, |m, l| m | 1 << l);
        // Lanes that store one value do not race with each other, but with whoever reads it.
        let value = |l: usize| stored(warp, &self.world.code.insts[warp.pc], info, l);
        let differ = || each(same).any(|l| value(l) != value(lane));
        let together = access == Access::Write && same.count_ones() > 1 && differ();
        let who = self.who(warp.index, lane as u32);
        let mut message = match other {
            _ if together => format!(
                "{} threads of block {} write {element} at the same time, among them {}",
                same.count_ones(),
                triple(self.block),
                self.lane_list(warp.index, same)
            ),
            Some(note) if note.block == self.block => {
                let opencl = self.world.program.module().language == Language::OpenClC;
                let other_warp = note.thread / 32 != warp.index;
                let hint = if space == Window::Shared || other_warp || opencl {
                    "barrier"
                } else {
                    "__syncwarp() or barrier"
                };
                format!(
                    "{who} {does} {element}, which thread {} {} with no {hint} between",
                    triple(self.world.thread_idx(note.thread)),
                    note.access.has_done()
                )
            }
            Some(note) => format!(
                "{who} {does} {element}, which thread {} of block {} {}: nothing orders the two \
                 blocks",
                triple(self.world.thread_idx(note.thread)),
                triple(note.block),
                note.access.has_done()
            ),
            None => format!(
                "{who} {does} {element}, which another thread also touches, with nothing to order \
                 the two"
            ),
        };
        if other.is_some_and(|n| !together && n.access.is_atomic() != access.is_atomic()) {
            message += MIXED;
        }
        let volatile = &self.world.program.module().volatile;
        if volatile.contains(&info.span) || other.is_some_and(|n| volatile.contains(&n.span)) {
            message += VOLATILE;
        }
        let lanes = if together { same } else { 1 << lane };
        let mut halt = self.raise(warp, kind, lanes, info.span, access.action(), message);
        if let Some(fault) = &mut halt.fault {
            fault.target = named.map(|(target, _)| target);
            fault.other = if together {
                let second = (same & (same - 1)).trailing_zeros();
                Some(self.site(warp.index, second, info.span, ThreadAction::Writes))
            } else {
                other.map(|n| self.site_in(n.block, n.thread, n.span, n.access.action()))
            };
        }
        halt
    }
}

/// The bytes that `lane` stores, by the store at hand.
fn stored(warp: &Warp, inst: &Inst, info: &MemInfo, lane: usize) -> Vec<u8> {
    let one = [inst.d];
    let regs = if info.regs.is_empty() { &one[..] } else { &info.regs };
    let step = info.kind.size() as usize;
    let component = |reg: &u32| -> Vec<u8> {
        let bits = match info.kind.bank() {
            Bank::A => u64::from(memory_bits(info.kind, warp.regs.a[*reg as usize][lane])),
            Bank::B => warp.regs.b[*reg as usize][lane],
        };
        bits.to_le_bytes()[..step].to_vec()
    };
    regs.iter().flat_map(component).collect()
}
