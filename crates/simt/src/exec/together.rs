//! Kernels whose blocks wait for each other: all blocks run at once, from one barrier of the grid
//! to the next as in a cooperative launch, or in turns where one waits in a loop for a later one.

use super::block::{Pause, Worker};
use super::debug::Debugger;
use super::halt::{Halt, triple};
use super::world::World;
use super::{FaultKind, KernelInfo, Launch};
use crate::device::DeviceModel;
use crate::program::Program;

/// The kernel waits for its whole grid somewhere.
pub(super) fn waits_for_grid(program: &Program, kernel: usize) -> bool {
    program.inner.code[kernel].bars.iter().any(|bar| bar.grid)
}

/// Why a GPU would refuse to run all blocks at once.
pub(super) fn refusal(
    device: &DeviceModel,
    kernel: &KernelInfo,
    launch: &Launch,
) -> Option<String> {
    let [blocks, most] = crowd(device, kernel, launch)?;
    Some(format!(
        "`{}` waits for its whole grid, so all {blocks} blocks must run at once: at most {most} \
         can",
        kernel.name
    ))
}

/// The blocks of a grid and how many of them the GPU runs at once, if those are fewer.
pub(super) fn crowd(
    device: &DeviceModel,
    kernel: &KernelInfo,
    launch: &Launch,
) -> Option<[u64; 2]> {
    let threads = launch.block.iter().product();
    let shared = kernel.static_shared + launch.dynamic_shared;
    let resident = crate::occupancy::occupancy(device, threads, kernel.registers, shared).ok()?;
    let most = u64::from(resident.blocks) * u64::from(device.sms);
    let blocks: u64 = launch.grid.iter().map(|n| u64::from(*n)).product();
    (blocks > most).then_some([blocks, most])
}

/// Runs all blocks, each by a worker of its own.
pub(super) fn run<'w>(
    world: &'w World<'w>,
    watched: &[(u64, u64)],
    mut debugger: Option<&'w mut (dyn Debugger + 'w)>,
) -> Result<Vec<Worker<'w>>, Box<Halt>> {
    let mut workers: Vec<Worker<'w>> = (0..world.blocks).map(|_| Worker::new(world)).collect();
    let mut failed = None;
    for (k, worker) in workers.iter_mut().enumerate() {
        watched.iter().for_each(|word| worker.watch(*word));
        if let Err(halt) = worker.begin_block(k as u64) {
            failed.get_or_insert((k, halt));
        }
    }
    while failed.is_none() {
        let (mut waiting, mut running) = (Vec::new(), false);
        for (k, worker) in workers.iter_mut().enumerate() {
            worker.debugger = debugger.take();
            let result = worker.go_on();
            debugger = worker.debugger.take();
            match result {
                Ok(Pause::Grid) => waiting.push(k),
                Ok(Pause::Turn) => running = true,
                Ok(Pause::End) => {}
                Err(halt) => {
                    failed = Some((k, halt));
                    break;
                }
            }
        }
        if running && failed.is_none() {
            continue;
        }
        let (Some(first), true) = (waiting.first(), failed.is_none()) else { break };
        if let Some(halt) = apart(&workers, *first, &waiting) {
            failed = Some((*first, halt));
            break;
        }
        world.stamps.grid_barrier();
        workers.iter_mut().for_each(Worker::pass_barrier);
    }
    for (k, worker) in workers.iter_mut().enumerate() {
        worker.leave_origins();
        let result = match failed.take_if(|f| f.0 == k) {
            Some((_, halt)) => Err(halt),
            None => Ok(()),
        };
        worker.judge(result)?;
    }
    Ok(workers)
}

/// Some block does not come to the barrier at which block `first` waits.
fn apart(workers: &[Worker<'_>], first: usize, waiting: &[usize]) -> Option<Box<Halt>> {
    let worker = &workers[first];
    let warp = worker.waiting()?;
    let other = workers.iter().enumerate().find_map(|(k, w)| match w.waiting() {
        None if !waiting.contains(&k) => Some((k, "has ended")),
        Some(at) if at.pc != warp.pc => Some((k, "waits at another barrier")),
        _ => None,
    })?;
    let message = format!(
        "block {} waits for the whole grid, but block {} {}",
        triple(worker.block),
        triple(workers[other.0].block),
        other.1
    );
    let code = worker.world.code;
    let span = code.bars[code.insts[warp.pc].c as usize].span;
    let kind = FaultKind::DivergentBarrier;
    Some(worker.raise(warp, kind, warp.mask, span, "waits for all blocks here", message))
}
