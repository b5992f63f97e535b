//! Running kernels: launch checks, blocks on all cores, and the report.

mod access;
pub(crate) mod alu;
mod atomic;
mod block;
mod call;
mod carry;
pub mod debug;
mod fault;
mod findings;
mod halt;
mod lanes;
mod launch;
mod marks;
mod math;
mod peek;
mod printf;
mod race;
mod recent;
mod record;
mod report;
mod routine;
mod shape;
mod tally;
mod tensor;
mod tested;
mod together;
mod undo;
mod warp;
mod warp_loop;
mod world;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::bytecode::What;
use crate::device::DeviceModel;
use crate::fault::{Fault, FaultKind};
use crate::memory::Memory;
use crate::order;
use crate::pattern::{Pattern, Recorder};
pub use crate::program::Instance;
use crate::program::KernelInfo;
use crate::report::LaunchReport;
use block::Worker;
use halt::{Attempt, Halt};
pub(crate) use lanes::{Lanes, wavefronts};
pub use launch::{ExecOptions, Launch, Range};
pub(crate) use peek::peeks;
pub(crate) use tested::{Tests, tests};
use world::World;

/// Thread-local memory of all threads of a block, in bytes, that a launch may ask for.
const MAX_BLOCK_LOCAL: u64 = 256 << 20;

/// Runs the kernel `symbol` to its end.
///
/// # Errors
/// A refused launch, or what was found, the worst first and the first in block order among equals.
/// The memory stays valid; what the kernel wrote stays.
pub fn launch(
    device: &DeviceModel,
    memory: &Memory,
    instance: &Instance,
    symbol: &str,
    launch: &Launch,
    options: &ExecOptions,
) -> Result<LaunchReport, Box<Fault>> {
    run(device, memory, instance, symbol, launch, options, None)
}

/// Runs the kernel once more, to look at its requests: for every source line, memory and direction
/// the costliest one, in the order of the lines. Races and never-written memory are not looked for.
///
/// # Errors
/// As for [`launch`].
pub fn patterns(
    device: &DeviceModel,
    memory: &Memory,
    instance: &Instance,
    symbol: &str,
    launch: &Launch,
    options: &ExecOptions,
) -> Result<Vec<Pattern>, Box<Fault>> {
    let index = kernel_index(device, instance, symbol, launch)?;
    let options = ExecOptions { races: false, uninit: false, ..options.clone() };
    let world = World::new(memory, instance, index, launch, &options);
    let mut worker = Worker::new(&world);
    worker.recorder = Some(Recorder::default());
    run_in_order(&mut worker).map_err(|halt| finish(&world, halt))?;
    let mut found: Vec<Pattern> =
        worker.recorder.take().map(|r| r.found.into_values().collect()).unwrap_or_default();
    order::sort_by(&mut found, |a, b| a.at.cmp(&b.at));
    Ok(found)
}

/// As [`launch`], for a program made by [`crate::Program::debug_build`]: blocks run in order, and
/// `debugger` is called before every statement of every warp.
///
/// # Errors
/// As for [`launch`]; `Trap` if the debugger quits.
pub fn launch_debug(
    device: &DeviceModel,
    memory: &Memory,
    instance: &Instance,
    symbol: &str,
    launch: &Launch,
    options: &ExecOptions,
    debugger: &mut dyn debug::Debugger,
) -> Result<LaunchReport, Box<Fault>> {
    run(device, memory, instance, symbol, launch, options, Some(debugger))
}

fn run(
    device: &DeviceModel,
    memory: &Memory,
    instance: &Instance,
    symbol: &str,
    launch: &Launch,
    options: &ExecOptions,
    debugger: Option<&mut dyn debug::Debugger>,
) -> Result<LaunchReport, Box<Fault>> {
    let index = kernel_index(device, instance, symbol, launch)?;
    let mut world = World::new(memory, instance, index, launch, options);
    // A page has one thread; a constant, so that its engine is without the pool of threads.
    let threads = match cfg!(target_family = "wasm") {
        true => 1,
        false => options.threads.unwrap_or_else(rayon_core::current_num_threads).max(1),
    };
    // The order of these can be seen: blocks must run in order.
    let ordered = world.code.ordered_atomics
        || world.polls
        || world.code.calls.iter().any(|c| matches!(c.what, What::Printf(..)));
    let together = together::waits_for_grid(instance.program(), index);
    if threads > 1 && world.blocks > 1 && !ordered && !together && debugger.is_none() {
        world.parallel = true;
        world.keep = true;
        if let Some(mut workers) = run_parallel(&world, threads) {
            return Ok(report::make(device, &world, &mut workers));
        }
        // Something went wrong somewhere. What a person is told must not depend on timing: do it
        // again in order.
        world.rewind();
        world.parallel = false;
        world.exact = true;
        world.carry = *world.undefined.get_mut();
    }
    let looks = world.blocks > 1 && (world.code.ordered_atomics || world.polls) && !together;
    world.crowd = together::crowd(device, world.kernel, launch).filter(|_| looks);
    world.may_wait = looks && debugger.is_none() && world.crowd.is_none();
    world.keep = options.races || options.uninit || world.may_wait;
    // What a debugger shows happens once.
    world.exact |= debugger.is_some();
    world.carry |= debugger.is_some() && options.uninit;
    if debugger.is_some() && options.races && world.has_tests() {
        world.log_tests();
    }
    let mut debugger = debugger;
    // A race whose other side is looked for: the words that it names are watched.
    let mut known: Option<Box<Halt>> = None;
    loop {
        let watched = known.as_ref().map_or(&[][..], |halt| &halt.watch);
        let result = if together || world.turns {
            let debugger = debugger.take().map(|d| -> &mut dyn debug::Debugger { d });
            together::run(&world, watched, debugger)
                .map(|mut workers| report::make(device, &world, &mut workers))
        } else {
            let mut worker = Worker::new(&world);
            worker.debugger = debugger.take().map(|d| -> &mut dyn debug::Debugger { d });
            watched.iter().for_each(|word| worker.watch(*word));
            let result = run_in_order(&mut worker);
            result.map(|()| report::make(device, &world, std::slice::from_mut(&mut worker)))
        };
        match (result, known.take()) {
            (Ok(report), None) => return Ok(report),
            (Ok(_), Some(halt)) => return Err(finish(&world, halt)),
            (Err(halt), before) => match halt.again {
                Some(attempt) => {
                    world.next_attempt(attempt);
                    known = before;
                }
                None if before.is_none() && !halt.watch.is_empty() => {
                    world.next_attempt(Attempt::Exact);
                    known = Some(halt);
                }
                None => return Err(finish(&world, halt)),
            },
        }
        world.rewind();
    }
}

/// Number of the kernel in its program, if the driver would not refuse the launch.
fn kernel_index(
    device: &DeviceModel,
    instance: &Instance,
    symbol: &str,
    launch: &Launch,
) -> Result<usize, Box<Fault>> {
    let kernels = instance.program().kernels();
    let Some(index) = kernels.iter().position(|k| k.symbol == symbol) else {
        let message = format!("there is no kernel `{symbol}` in this module");
        return Err(refused(symbol, message));
    };
    let together = || match together::waits_for_grid(instance.program(), index) {
        true => together::refusal(device, &kernels[index], launch),
        false => None,
    };
    match refusal(device, &kernels[index], launch).or_else(together) {
        Some(message) => Err(refused(&kernels[index].name, message)),
        None => Ok(index),
    }
}

fn refused(kernel: &str, message: String) -> Box<Fault> {
    Box::new(Fault {
        kind: FaultKind::BadLaunch,
        kernel: kernel.into(),
        message,
        site: None,
        other: None,
        target: None,
        threads: 1,
        also: Vec::new(),
    })
}

fn finish(world: &World<'_>, halt: Box<Halt>) -> Box<Fault> {
    match halt.fault {
        Some(fault) => Box::new(fault),
        None => {
            assert!(halt.again.is_none(), "a launch is run again before it is judged");
            let limit = world.options.step_limit;
            Box::new(Fault {
                kind: FaultKind::StepLimit,
                ..*refused(
                    &world.kernel.name,
                    format!("the launch takes more than {limit} warp instructions"),
                )
            })
        }
    }
}

/// Why the driver would refuse a launch.
fn refusal(device: &DeviceModel, kernel: &KernelInfo, launch: &Launch) -> Option<String> {
    let name = &kernel.name;
    for (axis, what) in ["x", "y", "z"].iter().enumerate() {
        let (grid, block) = (launch.grid[axis], launch.block[axis]);
        if grid == 0 || block == 0 {
            let which = if grid == 0 { "grid" } else { "block" };
            return Some(format!("`{name}` was launched with a {which} of size 0 in {what}"));
        }
        if grid > device.max_grid[axis] {
            let max = device.max_grid[axis];
            return Some(format!("a grid of {grid} blocks in {what} is too large: at most {max}"));
        }
        if block > device.max_block[axis] {
            let max = device.max_block[axis];
            return Some(format!(
                "a block of {block} threads in {what} is too large: at most {max}"
            ));
        }
    }
    let threads: u64 = launch.block.iter().map(|n| u64::from(*n)).product();
    let most = u64::from(device.max_threads_per_block);
    if threads > most {
        return Some(format!("a block of {threads} threads is too large: at most {most}"));
    }
    if let Some(bound) = kernel.max_threads.filter(|b| threads > u64::from(*b)) {
        return Some(format!(
            "a block of {threads} threads is too large for `{name}`: its __launch_bounds__ says \
             {bound}"
        ));
    }
    let shared = u64::from(kernel.static_shared) + u64::from(launch.dynamic_shared);
    if shared > u64::from(device.shared_per_block_optin) {
        let max = device.shared_per_block_optin;
        return Some(format!(
            "`{name}` asks for {shared} bytes of shared memory per block: at most {max}"
        ));
    }
    if u64::from(kernel.local_bytes) * threads > MAX_BLOCK_LOCAL {
        return Some(format!(
            "`{name}` needs {} bytes of local memory for each of {threads} threads, more than the \
             emulator gives",
            kernel.local_bytes
        ));
    }
    if launch.args.len() != kernel.params.len() {
        let names: Vec<&str> = kernel.params.iter().map(|p| p.name.as_str()).collect();
        return Some(format!(
            "`{name}` has {} parameters ({}), but {} arguments were passed",
            kernel.params.len(),
            names.join(", "),
            launch.args.len()
        ));
    }
    for (k, (param, arg)) in kernel.params.iter().zip(&launch.args).enumerate() {
        if arg.len() != param.size as usize {
            return Some(format!(
                "argument {} of `{name}`: parameter `{}` is a `{}` of {} bytes, but {} bytes were \
                 passed",
                k + 1,
                param.name,
                param.type_name,
                param.size,
                arg.len()
            ));
        }
    }
    None
}

/// Runs all blocks, in order. After the first fault it goes on for a while to count the threads
/// that share it.
fn run_in_order(worker: &mut Worker<'_>) -> Result<(), Box<Halt>> {
    let mut result = Ok(());
    for index in 0..worker.world.blocks {
        result = worker.run_block(index);
        if result.is_err() {
            break;
        }
    }
    worker.leave_origins();
    worker.judge(result)
}

/// Runs the blocks on several cores. `None` if anything went wrong.
fn run_parallel<'w>(world: &'w World<'w>, threads: usize) -> Option<Vec<Worker<'w>>> {
    let pieces = Pieces { next: AtomicU64::new(0), blocks: world.blocks, cores: threads as u64 };
    let done = Mutex::new(Vec::new());
    let failed = Mutex::new(false);
    let count = threads.min(usize::try_from(world.blocks).unwrap_or(threads));
    let work = || {
        let mut worker = Worker::new(world);
        let mut blocks = std::iter::from_fn(|| pieces.take()).flatten();
        let result = blocks.try_for_each(|index| worker.run_block(index));
        if result.and_then(|()| worker.sync_budget()).is_err() {
            world.stop.store(true, Ordering::Relaxed);
            *failed.lock().unwrap_or_else(|p| p.into_inner()) = true;
        }
        done.lock().unwrap_or_else(|p| p.into_inner()).push(worker);
    };
    rayon_core::scope(|scope| {
        for _ in 1..count {
            scope.spawn(|_| work());
        }
        work();
    });
    let workers = done.into_inner().unwrap_or_default();
    // One has stamps that another went without: in order they might have been enough.
    let unfair = world.stamps.used_up() && workers.iter().any(|w| w.global_shadow.has_more());
    (!failed.into_inner().unwrap_or(true) && !unfair).then_some(workers)
}

/// Blocks of a launch, for cores that take some at a time: neighbours mostly touch neighbouring
/// memory, and what two cores change by turns travels between them for longer than a block takes.
struct Pieces {
    next: AtomicU64,
    blocks: u64,
    cores: u64,
}

impl Pieces {
    /// Blocks that a core takes at most. As many of 256 threads touch 64 KiB of each buffer.
    const MOST: u64 = 64;

    /// The next blocks; fewer towards the end, so that all cores end together.
    fn take(&self) -> Option<std::ops::Range<u64>> {
        let count = |first: u64| ((self.blocks - first) / (4 * self.cores)).clamp(1, Self::MOST);
        let after = |first: u64| (first < self.blocks).then(|| first + count(first));
        let first = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, after).ok()?;
        Some(first..first + count(first))
    }
}
