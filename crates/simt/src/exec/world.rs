//! What all blocks of a launch share.

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use super::halt::Attempt;
use super::race::{Access, AllocShadow, Log, Stamps};
use super::tested::Tests;
use super::undo::{Pages, Undo};
use super::{ExecOptions, Launch};
use crate::bytecode::{Code, Inst, Kind, Mem, Op, Preset, VarInfo};
use crate::hir::Space;
use crate::memory::{Allocation, Memory};
use crate::program::{Instance, KernelInfo, Program};
use crate::schedule::Effort;

/// A launch while it runs.
pub(crate) struct World<'a> {
    pub program: &'a Program,
    pub kernel: &'a KernelInfo,
    pub code: &'a Code,
    pub memory: &'a Memory,
    pub launch: &'a Launch,
    pub options: &'a ExecOptions,
    /// All allocations, by address.
    pub allocs: Vec<Arc<Allocation>>,
    pub states: Vec<AllocState>,
    /// Value of each preset that is the same for all threads, as register bits.
    pub uniforms: Vec<u64>,
    pub threads: u32,
    pub warps: u32,
    pub blocks: u64,
    /// Static and dynamic shared memory in bytes.
    pub shared_bytes: u32,
    /// Shared variables of the code, then the local arguments of an OpenCL launch.
    pub shared_vars: Vec<VarInfo>,
    /// Blocks run at the same time.
    pub parallel: bool,
    /// Old content of written pages is kept.
    pub keep: bool,
    pub undo: Undo,
    /// All race shadows are exact.
    pub exact: bool,
    /// Values that nobody has written are followed ([`super::carry`]).
    pub carry: bool,
    /// Such a value was read.
    pub undefined: AtomicBool,
    /// Something `volatile` is loaded, perhaps until another thread changes it.
    pub polls: bool,
    /// A block may wait in a loop for a later one, and a GPU would run them all at once.
    pub may_wait: bool,
    /// A block may wait for a later one, but a GPU would not run them all at once: the blocks, and
    /// how many of them it would.
    pub crowd: Option<[u64; 2]>,
    /// One did: all blocks run at once, in turns.
    pub turns: bool,
    /// Steps taken by all blocks.
    pub steps: AtomicU64,
    /// A block has failed: the others may stop.
    pub stop: AtomicBool,
    pub stamps: Stamps,
    /// Addresses of the module's variables.
    pub addresses: &'a [u64],
    /// By memory access: a read that a compare-and-swap checks. Empty if there is none.
    peeks: &'a [bool],
    /// Number of the kernel in its program.
    index: usize,
    /// Tested reads are logged ([`super::tested`]).
    pub tests: Option<&'a Tests>,
    log: Mutex<Log>,
    /// By run: what it costs a warp of a card.
    pub efforts: &'a [Effort],
    wide: Mutex<()>,
}

/// What a launch notes about an allocation.
#[derive(Default)]
pub(crate) struct AllocState {
    /// Loads from it count as constant requests: it holds a `__constant__` variable, or is a
    /// `__constant` argument of this launch.
    pub constant: bool,
    pub read: AtomicBool,
    pub written: AtomicBool,
    /// Met by an atomic.
    pub atomic: AtomicBool,
    pub saved: Pages,
    pub shadow: OnceLock<AllocShadow>,
}

impl<'a> World<'a> {
    pub fn new(
        memory: &'a Memory,
        instance: &'a Instance,
        kernel: usize,
        launch: &'a Launch,
        options: &'a ExecOptions,
    ) -> World<'a> {
        let program = instance.program();
        let code = &program.inner.code[kernel];
        let allocs = memory.snapshot();
        let states = allocs
            .iter()
            .map(|a| AllocState { constant: a.constant, ..AllocState::default() })
            .collect();
        let threads: u32 = launch.block.iter().product();
        let uniforms = code
            .presets
            .iter()
            .map(|(preset, _)| match preset {
                Preset::ConstA(bits) => u64::from(*bits),
                Preset::ConstB(bits) => *bits,
                Preset::BlockDim(axis) => u64::from(launch.block[*axis as usize]),
                Preset::GridDim(axis) => u64::from(launch.grid[*axis as usize]),
                Preset::Param(index, offset, kind) => {
                    parameter(&launch.args[*index as usize], *offset as usize, *kind)
                }
                Preset::Global(index) => instance.addresses[*index as usize],
                Preset::GlobalOffset(axis) => u64::from(launch.range.offset[*axis as usize]),
                Preset::WorkDim => u64::from(launch.range.work_dim),
                Preset::ThreadIdx(_)
                | Preset::BlockIdx(_)
                | Preset::LaneId
                | Preset::GlobalId(_) => 0,
            })
            .collect();
        let mut world = World {
            program,
            kernel: &program.inner.kernels[kernel],
            code,
            memory,
            launch,
            options,
            allocs,
            states,
            uniforms,
            threads,
            warps: threads.div_ceil(32),
            blocks: launch.grid.iter().map(|n| u64::from(*n)).product(),
            shared_bytes: launch.range.local.iter().fold(
                code.dynamic_base.max(code.static_shared) + launch.dynamic_shared,
                |end, local| end.max(local.offset + local.size),
            ),
            shared_vars: code.shared.iter().chain(&launch.range.local).cloned().collect(),
            parallel: false,
            keep: false,
            undo: Undo::default(),
            exact: false,
            carry: false,
            undefined: AtomicBool::new(false),
            polls: polls(program, code),
            may_wait: false,
            crowd: None,
            turns: false,
            steps: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            stamps: Stamps::new(options.races),
            addresses: &instance.addresses,
            peeks: if options.races { program.inner.peeks(kernel) } else { &[] },
            index: kernel,
            tests: None,
            log: Mutex::new(Log::default()),
            efforts: program.inner.efforts(kernel),
            wide: Mutex::new(()),
        };
        world.mark_constant_arguments();
        world
    }

    /// A buffer that is passed as `__constant` is constant memory, unless it is passed as
    /// `__global`, too.
    fn mark_constant_arguments(&mut self) {
        for space in [Space::Constant, Space::Global] {
            for (param, value) in self.kernel.params.iter().zip(&self.launch.args) {
                if param.space == space
                    && let Ok(address) = value[..].try_into()
                    && let Some(at) = self.find(u64::from_le_bytes(address))
                {
                    self.states[at].constant = space == Space::Constant;
                }
            }
        }
    }

    /// What the access of memory instruction `mem` is to the search for races.
    #[inline(always)]
    pub fn access(&self, mem: u32, write: bool) -> Access {
        if self.peeks.get(mem as usize) == Some(&true) {
            return Access::Peek;
        }
        Access::plain(write)
    }

    /// All accesses are plain ones to the search for races, and none is logged.
    pub fn plain_races(&self) -> bool {
        self.peeks.is_empty() && self.tests.is_none()
    }

    /// A warp may have to wait for another one of its block: at a barrier, or in a loop until a
    /// word changes.
    pub fn warps_wait(&self) -> bool {
        self.code.has_barriers || self.turns || self.code.ordered_atomics && self.warps > 1
    }

    /// Held while a 64-bit atomic changes its two words.
    pub fn wide_atomics(&self) -> MutexGuard<'_, ()> {
        self.wide.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Coordinates of block number `index`.
    pub fn block_idx(&self, index: u64) -> [u32; 3] {
        let [x, y, _] = self.launch.grid.map(u64::from);
        [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32]
    }

    /// Smallest global id of an OpenCL work-group along an axis.
    pub fn first_id(&self, axis: usize, block: [u32; 3]) -> u32 {
        let start = block[axis].wrapping_mul(self.launch.block[axis]);
        start.wrapping_add(self.launch.range.offset[axis])
    }

    /// Coordinates of thread number `index` of a block.
    pub fn thread_idx(&self, index: u32) -> [u32; 3] {
        let [x, y, _] = self.launch.block;
        [index % x, index / x % y, index / x / y]
    }

    /// Lanes of warp `warp` that have a thread.
    pub fn warp_mask(&self, warp: u32) -> u32 {
        let left = self.threads - 32 * warp;
        if left >= 32 { u32::MAX } else { (1 << left) - 1 }
    }

    /// Index of the allocation that contains `addr`.
    pub fn find(&self, addr: u64) -> Option<usize> {
        let after = self.allocs.partition_point(|a| a.base <= addr);
        let index = after.checked_sub(1)?;
        (addr - self.allocs[index].base < self.allocs[index].size).then_some(index)
    }

    /// What is otherwise from now on.
    pub fn next_attempt(&mut self, attempt: Attempt) {
        match attempt {
            Attempt::Exact => self.exact = true,
            Attempt::Tests => self.log_tests(),
            Attempt::Marks => self.carry = true,
            Attempt::Turns => (self.turns, self.may_wait) = (true, false),
        }
    }

    /// The kernel has tested reads.
    pub fn has_tests(&self) -> bool {
        self.program.inner.tests(self.index).reads.iter().any(Option::is_some)
    }

    /// From now on tested reads are logged.
    pub fn log_tests(&mut self) {
        self.tests = Some(self.program.inner.tests(self.index));
        self.exact = true;
    }

    /// What was logged of tested reads.
    pub fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Puts back the memory as it was before the launch, and forgets what was noted.
    pub fn rewind(&mut self) {
        self.undo.restore(&self.allocs);
        for state in &mut self.states {
            *state = AllocState { constant: state.constant, ..AllocState::default() };
        }
        self.log = Mutex::default();
        self.steps = AtomicU64::new(0);
        self.stop = AtomicBool::new(false);
        self.stamps = Stamps::new(self.options.races);
    }
}

/// The code loads something `volatile` from global memory.
fn polls(program: &Program, code: &Code) -> bool {
    let volatile = &program.module().volatile;
    let loads = |inst: &Inst| {
        matches!(inst.op, Op::Mem(Mem::LdG | Mem::LdGB | Mem::LdGV))
            && volatile.contains(&code.mems[inst.c as usize].span)
    };
    !volatile.is_empty() && code.insts.iter().any(loads)
}

fn parameter(bytes: &[u8], offset: usize, kind: Kind) -> u64 {
    let mut word = [0; 8];
    let size = kind.size() as usize;
    if let Some(part) = bytes.get(offset..offset + size) {
        word[..size].copy_from_slice(part);
    }
    register_bits(kind, u64::from_le_bytes(word))
}

/// How the bytes of a component are held in a register.
#[inline(always)]
pub(crate) fn register_bits(kind: Kind, bits: u64) -> u64 {
    match kind {
        Kind::U8 => bits & 0xff,
        Kind::I8 => u64::from(i32::from(bits as i8) as u32),
        Kind::Bool => u64::from(bits & 0xff != 0),
        Kind::U16 => bits & 0xffff,
        Kind::I16 => u64::from(i32::from(bits as i16) as u32),
        Kind::F16 => u64::from(half::f16::from_bits(bits as u16).to_f32().to_bits()),
        Kind::W32 => bits & 0xffff_ffff,
        Kind::W64 => bits,
    }
}

/// The bytes of a register, the other way round.
#[inline(always)]
pub(crate) fn memory_bits(kind: Kind, bits: u32) -> u32 {
    match kind {
        Kind::U8 | Kind::I8 => bits & 0xff,
        Kind::Bool => u32::from(bits != 0),
        Kind::U16 | Kind::I16 => bits & 0xffff,
        Kind::F16 => u32::from(half::f16::from_f32(f32::from_bits(bits)).to_bits()),
        Kind::W32 | Kind::W64 => bits,
    }
}
