//! Operations with many operands: shuffles and votes, printf, assert, fences, the clock.

use super::alu::lanes;
use super::atomic::combine;
use super::block::Worker;
use super::halt::Halt;
use super::lanes::{Lanes, each};
use super::tensor::sum_of_products;
use super::warp::Warp;
use crate::bytecode::{CallInfo, Inst, WarpOp, What};
use crate::fault::FaultKind;
use crate::hir::{Shuffle, Ty};

impl Worker<'_> {
    pub(crate) fn call(&mut self, warp: &mut Warp, inst: &Inst) -> Result<(), Box<Halt>> {
        let info = &self.world.code.calls[inst.c as usize];
        match &info.what {
            What::Atomic { op, ty } => self.atomic(warp, info, *op, ty),
            What::Warp { op, ty } => self.warp_call(warp, info, *op, ty),
            What::SumOfProducts => {
                let args: Vec<_> =
                    info.args.iter().map(|(_, reg)| warp.regs.a[*reg as usize]).collect();
                let mut sums = [0u64; 32];
                for l in each(warp.mask) {
                    let [a, b] = [2, 10].map(|at| std::array::from_fn(|k| args[at + k][l]));
                    sums[l] = u64::from(sum_of_products(args[0][l], args[1][l], &a, &b));
                }
                warp.put(info.dest, &sums, warp.mask);
                Ok(())
            }
            What::Printf(format, types) => self.print(warp, info, format, types),
            What::Assert(text) => {
                let (_, reg) = info.args[0];
                let failed = warp.mask & !lanes(&warp.regs.a[reg as usize], warp.mask);
                if failed == 0 {
                    return Ok(());
                }
                let at = self.world.program.sources().locate(info.span);
                let thread = self.world.thread_idx(32 * warp.index + failed.trailing_zeros());
                let (b, t) = (self.block, thread);
                let message = format!(
                    "{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{text}` failed",
                    at.file, at.line, self.world.kernel.name, b[0], b[1], b[2], t[0], t[1], t[2]
                );
                Err(self.raise(
                    warp,
                    FaultKind::Assert,
                    failed,
                    info.span,
                    "fails the assertion",
                    message,
                ))
            }
            What::Trap => {
                let who = self.who(warp.index, warp.mask.trailing_zeros());
                let message = format!("{who} executes __trap()");
                Err(self.raise(warp, FaultKind::Trap, warp.mask, info.span, "traps here", message))
            }
            What::Fence => {
                self.fenced(warp);
                Ok(())
            }
            What::Frame => {
                let address = self.frame_address(warp);
                warp.put(info.dest, &[address; 32], warp.mask);
                Ok(())
            }
            What::Clock => {
                // The run is counted when it begins; up to here only `imm` of its instructions have
                // been issued.
                let counter = self.counter_of(warp.pc);
                let len = u64::from(self.world.code.runs[counter].len);
                let now = self.issued.saturating_sub(len) + inst.imm as u64 + 1;
                warp.put(info.dest, &[now; 32], warp.mask);
                Ok(())
            }
        }
    }

    /// Counter index of the control instruction before `pc`.
    fn counter_of(&self, pc: usize) -> usize {
        let insts = &self.world.code.insts;
        insts[..pc].iter().rposition(|i| i.op.is_control()).map_or(0, |at| insts[at].b as usize)
    }

    /// Shuffles, votes, `__syncwarp`.
    fn warp_call(
        &mut self,
        warp: &mut Warp,
        info: &CallInfo,
        op: WarpOp,
        ty: &Ty,
    ) -> Result<(), Box<Halt>> {
        let counters = &mut self.lines[info.line as usize];
        counters.shfl += u64::from(!matches!(op, WarpOp::SyncWarp | WarpOp::ActiveMask));
        if op == WarpOp::ActiveMask {
            warp.put(info.dest, &[u64::from(warp.mask); 32], warp.mask);
            return Ok(());
        }
        let named = warp.row(info.args[0]);
        self.check_mask(warp, info, &named)?;
        self.warp_synchronised(warp);
        let mask = warp.mask;
        let value = info.args.get(1).map(|a| warp.row(*a)).unwrap_or([0; 32]);
        let mut out = [0u64; 32];
        // With different masks in one instruction each group votes for itself.
        let mut voted = |result: &dyn Fn(u32, u32) -> u32| {
            let yes = each(mask).fold(0u32, |m, l| m | u32::from(value[l] != 0) << l);
            for l in each(mask) {
                let group = named[l] as u32 & mask;
                out[l] = u64::from(result(yes & group, group));
            }
        };
        match op {
            WarpOp::Shfl(kind) => {
                let lane = warp.row(info.args[2]);
                let width = warp.row(info.args[3]);
                let mut absent = 0u32;
                for l in each(mask) {
                    let from = source_lane(kind, l as u32, lane[l] as u32, width[l] as u32);
                    if mask >> from & 1 == 0 {
                        absent |= 1 << l;
                    }
                    out[l] = value[from as usize];
                }
                if absent != 0 && self.world.options.uninit {
                    self.unwritten_read()?;
                }
            }
            WarpOp::Ballot => voted(&|yes, _| yes),
            WarpOp::VoteAll => voted(&|yes, group| u32::from(yes == group)),
            WarpOp::VoteAny => voted(&|yes, _| u32::from(yes != 0)),
            WarpOp::MatchAny => {
                for l in each(mask) {
                    let group = each(named[l] as u32 & mask).filter(|k| value[*k] == value[l]);
                    out[l] = group.fold(0, |m, k| m | 1 << k);
                }
            }
            WarpOp::WarpReduce(op) => {
                for l in each(mask) {
                    let group = each(named[l] as u32 & mask);
                    let sum = group.map(|k| value[k]).reduce(|a, b| combine(op, ty, a, b));
                    out[l] = sum.unwrap_or(0);
                }
            }
            WarpOp::SyncWarp | WarpOp::ActiveMask => {}
        }
        warp.put(info.dest, &out, mask);
        Ok(())
    }

    /// The mask of a warp operation must name the lanes that are there, and each lane must name
    /// itself.
    fn check_mask(&self, warp: &Warp, info: &CallInfo, named: &Lanes) -> Result<(), Box<Halt>> {
        let alive_elsewhere = warp.alive & !warp.mask;
        for l in each(warp.mask) {
            let want = named[l] as u32;
            let absent = want & alive_elsewhere;
            let lost = want & !warp.alive & self.world.warp_mask(warp.index);
            let who = || self.who(warp.index, l as u32);
            let message = if want >> l & 1 == 0 {
                format!(
                    "{} is not in the mask {want:#010x} of the warp operation it executes",
                    who()
                )
            } else if absent != 0 {
                format!(
                    "{} waits in a warp operation with mask {want:#010x}, but thread {} does not \
                     reach it",
                    who(),
                    self.lane_list(warp.index, absent)
                )
            } else if lost != 0 {
                format!(
                    "{} waits in a warp operation with mask {want:#010x}, but thread {} has ended",
                    who(),
                    self.lane_list(warp.index, lost)
                )
            } else {
                continue;
            };
            let kind = FaultKind::DivergentBarrier;
            return Err(self.raise(warp, kind, 1 << l, info.span, "waits here", message));
        }
        Ok(())
    }
}

/// Lane that a shuffle reads from, as the card's rules say: outside its segment a lane reads
/// itself.
pub(crate) fn source_lane(kind: Shuffle, lane: u32, operand: u32, width: u32) -> u32 {
    let width = if width.is_power_of_two() && width <= 32 { width } else { 32 };
    let first = lane & !(width - 1);
    // The card looks at five bits only.
    let operand = operand & 31;
    match kind {
        Shuffle::Idx => first | operand & (width - 1),
        Shuffle::Up => match lane.checked_sub(operand) {
            Some(from) if from >= first => from,
            _ => lane,
        },
        Shuffle::Down => match lane.checked_add(operand) {
            Some(from) if from < first + width => from,
            _ => lane,
        },
        Shuffle::Xor => {
            let from = lane ^ operand;
            if from < first + width && from < 32 { from } else { lane }
        }
    }
}
