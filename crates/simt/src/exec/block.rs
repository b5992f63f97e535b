//! One block: its warps, its shared memory, its barriers.

use std::sync::atomic::Ordering;

use super::alu::{Regs, by_lane};
use super::debug::{Action, Debugger, Stopped};
use super::halt::{Count, Halt, Waiting};
use super::marks::Carried;
use super::race::{GlobalClock, SharedShadow, Watch};
use super::recent::Recent;
use super::tally::{Extents, Hit, Loads};
use super::undo::Saver;
use super::warp::{State, Warp};
use super::world::World;
use crate::bytecode::{Bank, Preset, Reg};
use crate::fault::FaultKind;
use crate::hir::Reduce;
use crate::language::Language;
use crate::memory::PAGE_WORDS;
use crate::pattern::Recorder;
use crate::report::Counters;

/// What never-written shared memory reads as.
pub(crate) const SHARED_POISON: u32 = 0xcbad_cbad;

/// Runs blocks, one at a time, and sums up what they count.
pub(crate) struct Worker<'w> {
    pub world: &'w World<'w>,
    pub warps: Vec<Warp>,
    pub shared: Vec<u32>,
    /// Four bits a word: bytes that were written.
    pub shared_init: Vec<u8>,
    pub shadow: SharedShadow,
    pub global_shadow: GlobalClock,
    pub lines: Vec<Counters>,
    /// Operations of atomics at the L2 cache: sectors of each request, and one more for each
    /// further lane on one word.
    pub global_atomics: u64,
    pub loads: Loads,
    pub hits: Vec<Hit>,
    /// By allocation: what of it was read and written.
    pub extents: Vec<Extents>,
    /// By memory access: the allocation it met last.
    pub recent: Vec<Recent<'w>>,
    saver: Saver<'w>,
    pub block: [u32; 3],
    pub block_index: u64,
    /// Instructions that the block has issued.
    pub issued: u64,
    /// How many they were when it last changed global memory.
    pub changed_at: u64,
    /// Since then it has looked at a word by an atomic that changed nothing.
    pub looked: bool,
    /// Steps that the launch may still take, as far as this worker knows.
    pub budget: u64,
    pub steps: u64,
    pub printf: String,
    pub printf_lost: u64,
    /// After the first fault: its kind and line, and how many threads ran into it.
    pub counting: Option<Count>,
    /// Findings that the launch has survived: kind, instruction, and what is to be said.
    pub findings: Vec<(FaultKind, usize, Box<Halt>)>,
    /// Values that nobody has written, where they are followed.
    pub carried: Carried,
    /// The first fault.
    primary: Option<Box<Halt>>,
    /// Steps of the launch at which this worker stops.
    limit: u64,
    /// Words whose accesses are noted, to name both sides of a race.
    pub watched: Vec<Watch>,
    /// The search for races in global memory has nothing more to do than to note who was there.
    pub plain_races: bool,
    /// Notes requests for their pictures.
    pub recorder: Option<Recorder>,
    /// Looks on, in a debugging session.
    pub debugger: Option<&'w mut (dyn Debugger + 'w)>,
    ready: bool,
    /// By warp and axis: `threadIdx`.
    thread_rows: Vec<[[u32; 32]; 3]>,
    /// Presets that differ between blocks alone, and those that differ between warps.
    presets: [Vec<(Preset, Reg)>; 2],
}

fn thread_rows(world: &World<'_>, warp: u32) -> [[u32; 32]; 3] {
    let mut rows = [[0; 32]; 3];
    for l in 0..32 {
        for (row, value) in rows.iter_mut().zip(world.thread_idx(32 * warp + l as u32)) {
            row[l] = value;
        }
    }
    rows
}

/// Steps that a block takes before its first instruction.
const BLOCK_STEPS: u64 = 8;
/// Steps that are spent on counting the threads that share a fault.
const COUNTING_STEPS: u64 = 1 << 22;
/// Steps after which a worker looks at what the others do.
const STRIDE: u64 = 1 << 16;

/// The same where blocks take turns: what they do in vain while they wait is counted.
pub(super) const TURN_OF_BLOCKS: u64 = 1 << 8;

/// Why a block rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// It has ended.
    End,
    /// It stands at a barrier of the whole grid.
    Grid,
    /// It has had its turn.
    Turn,
}

impl<'w> Worker<'w> {
    pub fn new(world: &'w World<'w>) -> Worker<'w> {
        let code = world.code;
        // Where none waits for another, one warp runs to its end before the next one starts: they
        // can share the registers.
        let count = if world.warps_wait() { world.warps } else { 1 };
        let words = (world.shared_bytes as usize).div_ceil(4);
        let presets = |which: &dyn Fn(&Preset) -> bool| {
            code.presets.iter().filter(|(preset, _)| which(preset)).cloned().collect()
        };
        let warps = (0..count)
            .map(|_| Warp {
                regs: Regs {
                    a: vec![[0; 32]; code.regs_a as usize],
                    b: vec![[0; 32]; code.regs_b as usize],
                },
                slots: vec![0; code.slots as usize],
                local: vec![[0; 32]; code.local_bytes as usize / 4],
                local_init: vec![[0; 32]; code.local_bytes as usize / 4],
                ..Warp::default()
            })
            .collect();
        Worker {
            world,
            warps,
            shared: vec![0; words],
            shared_init: vec![0; words],
            shadow: SharedShadow::new(world),
            global_shadow: GlobalClock::default(),
            lines: vec![Counters::default(); code.lines.len()],
            hits: vec![Hit::default(); code.runs.len()],
            extents: vec![Extents::default(); world.allocs.len()],
            recent: code.mems.iter().map(Recent::new).collect(),
            saver: Saver::new(&world.undo),
            block: [0; 3],
            block_index: 0,
            issued: 0,
            changed_at: 0,
            looked: false,
            budget: 0,
            steps: 0,
            printf: String::new(),
            printf_lost: 0,
            global_atomics: 0,
            loads: Loads::new(code.mems.len()),
            counting: None,
            watched: Vec::new(),
            plain_races: world.plain_races(),
            findings: Vec::new(),
            carried: Carried::default(),
            recorder: None,
            primary: None,
            limit: world.options.step_limit,
            debugger: None,
            ready: false,
            thread_rows: (0..world.warps).map(|w| thread_rows(world, w)).collect(),
            presets: [
                presets(&|p| matches!(p, Preset::BlockIdx(_))),
                presets(&|p| !p.is_uniform()),
            ],
        }
    }

    /// Fills the registers that stay the same for all blocks.
    fn prepare(&mut self) {
        let world = self.world;
        for ((preset, reg), value) in world.code.presets.iter().zip(&world.uniforms) {
            for warp in &mut self.warps {
                match preset.bank() {
                    Bank::A => warp.regs.a[*reg as usize] = [*value as u32; 32],
                    Bank::B => warp.regs.b[*reg as usize] = [*value; 32],
                }
            }
        }
        self.ready = true;
    }

    /// Sets up warp number `index` of the current block in `warp`.
    fn start(&self, warp: &mut Warp, index: u32, fresh: bool) {
        let world = self.world;
        let threads = &self.thread_rows[index as usize];
        for (preset, reg) in &self.presets[1] {
            let row = &mut warp.regs.a[*reg as usize];
            match preset {
                Preset::ThreadIdx(axis) if fresh => *row = threads[*axis as usize],
                Preset::GlobalId(axis) => {
                    let axis = *axis as usize;
                    let first = world.first_id(axis, self.block);
                    *row = by_lane(|l| threads[axis][l].wrapping_add(first));
                }
                Preset::LaneId if fresh => *row = by_lane(|l| l as u32),
                _ => {}
            }
        }
        warp.index = index;
        warp.pc = 0;
        warp.stop = None;
        warp.alive = world.warp_mask(index);
        warp.set_mask(warp.alive);
        warp.state = State::Ready;
        warp.slots.fill(0);
        warp.calls.clear();
        let words = world.code.local_bytes as usize / 4;
        warp.local.truncate(words);
        warp.local_init.truncate(words);
        if world.options.uninit {
            warp.local_init.fill([0; 32]);
        }
        warp.local.fill([SHARED_POISON; 32]);
        if !world.code.calls.is_empty() {
            warp.sync_stamp = 0;
            warp.sync_seq = 0;
            warp.atomic_times = [0; 32];
            warp.told_stamps = [0; 32];
        }
        if world.carry {
            warp.marks.clear(world.code.regs_a, world.code.regs_b);
        }
    }

    /// Runs block number `index` to its end. A barrier of the whole grid is one of the block here.
    pub fn run_block(&mut self, index: u64) -> Result<(), Box<Halt>> {
        self.begin_block(index)?;
        while self.go_on()? != Pause::End {
            self.pass_barrier();
        }
        Ok(())
    }

    /// Sets up block number `index`.
    pub fn begin_block(&mut self, index: u64) -> Result<(), Box<Halt>> {
        let first_time = !self.ready;
        if first_time {
            self.prepare();
        }
        self.block_index = index;
        self.block = self.world.block_idx(index);
        self.issued = 0;
        self.changed_at = 0;
        self.looked = false;
        self.shared.fill(SHARED_POISON);
        // To clear nothing takes a processor long: the C library asks it for an empty vector store
        // where no memory is.
        if self.world.options.uninit && !self.shared_init.is_empty() {
            self.shared_init.fill(0);
        }
        self.shadow.next_block();
        self.carried.next_block();
        self.global_shadow.next_block(index);
        for (preset, reg) in &self.presets[0] {
            if let Preset::BlockIdx(axis) = preset {
                let at = self.block[*axis as usize];
                self.warps.iter_mut().for_each(|w| w.regs.a[*reg as usize] = by_lane(|_| at));
            }
        }
        // A block costs something even if it does nothing: a grid of billions must end, too.
        self.steps += BLOCK_STEPS;
        // On several cores rarely: what all of them count is dear.
        if !self.world.parallel || self.out_of_steps() {
            self.sync_budget()?;
        }
        if self.world.warps_wait() {
            for w in 0..self.warps.len() {
                let mut warp = std::mem::take(&mut self.warps[w]);
                self.start(&mut warp, w as u32, first_time);
                self.warps[w] = warp;
            }
        }
        Ok(())
    }

    /// Runs the block until it ends or has to let others run.
    pub fn go_on(&mut self) -> Result<Pause, Box<Halt>> {
        if !self.world.warps_wait() {
            let mut warp = std::mem::take(&mut self.warps[0]);
            let mut result = Ok(());
            for w in 0..self.world.warps {
                self.start(&mut warp, w, true);
                result = self.run_counted(&mut warp);
                if result.is_err() {
                    break;
                }
            }
            self.warps[0] = warp;
            return result.map(|()| Pause::End);
        }
        loop {
            for w in 0..self.warps.len() {
                if self.warps[w].state != State::Ready {
                    continue;
                }
                let mut warp = std::mem::take(&mut self.warps[w]);
                let result = self.run_counted(&mut warp);
                self.warps[w] = warp;
                result?;
            }
            if self.warps.iter().all(|w| w.state == State::Done) {
                return Ok(Pause::End);
            }
            let ready = self.warps.iter().any(|w| w.state == State::Ready);
            if !ready && self.release_barrier()? {
                return Ok(Pause::Grid);
            }
            if ready && self.world.turns {
                return Ok(Pause::Turn);
            }
        }
    }

    /// The warp that waits with the lowest number.
    pub fn waiting(&self) -> Option<&Warp> {
        self.warps.iter().find(|w| w.state == State::Barrier)
    }

    /// Runs a warp to its next barrier or its end. Once a fault is being counted, threads that
    /// fault just end.
    fn run_counted(&mut self, warp: &mut Warp) -> Result<(), Box<Halt>> {
        loop {
            let done = match self.world.carry {
                true => self.run_warp::<true>(warp),
                false => self.run_warp::<false>(warp),
            };
            let Err(halt) = done else { return Ok(()) };
            if let Some(fault) = &halt.fault {
                self.show(warp, |debugger, at| debugger.faulted(at, halt.lanes, fault));
            }
            let lanes = halt.lanes;
            let same = self.counting.as_mut().is_some_and(|count| count.goes_on(&halt));
            match &self.counting {
                Some(_) if same => {}
                None if !self.world.parallel && Count::of(&halt).is_some() => {
                    self.counting = Count::of(&halt);
                    self.go_on_a_while();
                    self.primary = Some(halt);
                }
                _ => return Err(halt),
            }
            warp.alive &= !lanes;
            let left = warp.mask & !lanes;
            warp.set_mask(left);
        }
    }

    /// Something was found: the launch goes on for no longer than it takes to find more of it.
    pub fn go_on_a_while(&mut self) {
        let total = self.world.steps.load(Ordering::Relaxed) + self.steps;
        self.limit = self.limit.min(total + COUNTING_STEPS);
    }

    /// The fault that ended threads first, with the number of threads that ran into it.
    pub fn first_fault(&mut self) -> Option<Box<Halt>> {
        let mut halt = self.primary.take()?;
        if let (Some(fault), Some(count)) = (&mut halt.fault, &self.counting) {
            fault.threads = count.threads;
        }
        Some(halt)
    }

    /// All warps stand at a barrier or have ended: let them go on, if they all stand at the same
    /// one. Yes, if it is a barrier of the whole grid, at which they stay.
    fn release_barrier(&mut self) -> Result<bool, Box<Halt>> {
        let mut waiting = self.warps.iter().filter(|w| w.state == State::Barrier);
        let Some(first) = waiting.next() else { return Ok(false) };
        if let Some(other) = waiting.find(|w| w.pc != first.pc) {
            let sides = [first, other].map(|w| Waiting {
                warp: w.index,
                lane: w.mask.trailing_zeros(),
                pc: w.pc,
            });
            return Err(self.different_barriers(sides));
        }
        if let Some(halt) = self.absent_for_good(first) {
            return Err(halt);
        }
        let pc = first.pc;
        let code = self.world.code;
        let bar = &code.bars[code.insts[pc].c as usize];
        if bar.grid {
            return Ok(true);
        }
        if let Some((kind, from, to)) = bar.vote {
            let mut count = 0;
            let mut all = true;
            for warp in self.warps.iter().filter(|w| w.state == State::Barrier) {
                let yes = super::alu::lanes(&warp.regs.a[from as usize], warp.mask);
                count += yes.count_ones();
                all &= yes == warp.mask;
            }
            let value = match kind {
                Reduce::Count => count,
                Reduce::And => u32::from(all),
                Reduce::Or => u32::from(count > 0),
            };
            for warp in self.warps.iter_mut().filter(|w| w.state == State::Barrier) {
                let mask = warp.mask;
                warp.regs.put_a(to, &[value; 32], mask);
            }
        }
        self.pass_barrier();
        Ok(false)
    }

    /// The warps at the barrier go on.
    pub fn pass_barrier(&mut self) {
        let code = self.world.code;
        let Some(pc) = self.waiting().map(|w| w.pc) else { return };
        self.lines[code.inst_lines[pc] as usize].bar += 1;
        self.shadow.barrier();
        self.global_shadow.barrier();
        for warp in self.warps.iter_mut().filter(|w| w.state == State::Barrier) {
            warp.state = State::Ready;
            warp.pc += 1;
        }
        // The runs behind the barrier begin now.
        let counter = code.insts[pc].b as usize;
        for w in 0..self.warps.len() {
            if self.warps[w].state == State::Ready {
                let active = self.warps[w].active;
                self.count_run(counter, active);
            }
        }
    }

    /// In OpenCL a work-item that has ended is missing at the barrier; in CUDA it counts as
    /// arrived.
    fn absent_for_good(&self, first: &Warp) -> Option<Box<Halt>> {
        let opencl = self.world.program.module().language == Language::OpenClC;
        if !opencl || self.counting.is_some() {
            return None;
        }
        self.warps.iter().find_map(|w| {
            let here = if w.state == State::Done { 0 } else { w.alive };
            let ended = self.world.warp_mask(w.index) & !here;
            (ended != 0).then(|| {
                let lane = first.mask.trailing_zeros();
                let waiting = Waiting { warp: first.index, lane, pc: first.pc };
                self.ended_before_barrier(waiting, 32 * w.index + ended.trailing_zeros())
            })
        })
    }

    /// Words `first..=last` of an allocation are about to be written.
    #[inline(always)]
    pub fn touch(&mut self, alloc: usize, first: usize, last: usize) {
        let world = self.world;
        let state = &world.states[alloc];
        if !state.written.load(Ordering::Relaxed) {
            state.written.store(true, Ordering::Relaxed);
        }
        if world.keep {
            for page in first / PAGE_WORDS..=last / PAGE_WORDS {
                self.saver.keep(&state.saved, alloc, &world.allocs[alloc], page);
            }
        }
    }

    /// Shows the warp to the debugger, if there is one.
    pub fn stop_at(&mut self, warp: &mut Warp, stop: u32) -> Result<(), Box<Halt>> {
        warp.stop = Some(stop);
        match self.show(warp, |debugger, at| debugger.statement(at)) {
            None | Some(Action::Go) => Ok(()),
            Some(Action::Quit) => {
                self.debugger = None;
                let message = "the debugger ended the launch".to_string();
                let kind = FaultKind::Trap;
                let span = self.world.code.stops[stop as usize].span;
                Err(self.raise(warp, kind, warp.mask, span, "stopped here", message))
            }
        }
    }

    /// Calls the debugger, if there is one and the warp has come to a statement. Behind the first
    /// fault nothing is shown: there the other threads only run to be counted.
    pub fn show<T>(
        &mut self,
        warp: &Warp,
        call: impl FnOnce(&mut dyn Debugger, &Stopped<'_>) -> T,
    ) -> Option<T> {
        let stop = warp.stop.filter(|_| self.counting.is_none())?;
        let debugger = self.debugger.take()?;
        let done = call(
            &mut *debugger,
            &Stopped {
                world: self.world,
                block: self.block,
                issued: self.issued,
                shared: &self.shared,
                shared_init: &self.shared_init,
                warps: &self.warps,
                running: warp,
                warp,
                info: &self.world.code.stops[stop as usize],
            },
        );
        self.debugger = Some(debugger);
        Some(done)
    }

    /// Counts the run behind control instruction `counter`.
    #[inline(always)]
    pub fn count_run(&mut self, counter: usize, active: u32) {
        let hit = &mut self.hits[counter];
        hit.run += 1;
        hit.run_lanes += u64::from(active);
        let len = u64::from(self.world.code.runs[counter].len);
        self.issued += len;
        self.steps += len + 1;
    }

    /// True if the steps granted are used up.
    #[inline(always)]
    pub fn out_of_steps(&self) -> bool {
        self.steps >= self.budget
    }

    /// Reports the steps taken and gets leave for more.
    pub fn sync_budget(&mut self) -> Result<(), Box<Halt>> {
        let world = self.world;
        let total = world.steps.fetch_add(self.steps, Ordering::Relaxed) + self.steps;
        self.steps = 0;
        if world.stop.load(Ordering::Relaxed) {
            return Err(Halt::stopped());
        }
        if total >= self.limit {
            return Err(Halt::out_of_steps());
        }
        let stride = match world.turns {
            true => TURN_OF_BLOCKS,
            false => STRIDE.min(self.limit / 8),
        };
        self.budget = stride.min(self.limit - total);
        Ok(())
    }
}
