//! From what the workers counted to the report.

use std::sync::atomic::Ordering;

use super::block::Worker;
use super::tally::{Extent, Extents, Loads};
use super::world::World;
use crate::device::DeviceModel;
use crate::order;
use crate::report::{Counters, HarmlessRace, LaunchReport, LineReport};
use crate::schedule::Effort;
use crate::source::Location;

/// Sums up.
pub(crate) fn make(
    device: &DeviceModel,
    world: &World<'_>,
    workers: &mut [Worker<'_>],
) -> LaunchReport {
    for worker in &mut *workers {
        (0..world.code.mems.len()).for_each(|mem| worker.settle_rows(mem));
    }
    let workers = &*workers;
    let code = world.code;
    let mut lines = vec![Counters::default(); code.lines.len()];
    let mut f64_flop = 0;
    for worker in workers {
        for (sum, part) in lines.iter_mut().zip(&worker.lines) {
            sum.add(part);
        }
        for (hit, run) in worker.hits.iter().zip(&code.runs) {
            let control = run.control as usize;
            let weight = code.insts[control].op.weight();
            let line = &mut lines[code.inst_lines[control] as usize];
            line.inst += weight * hit.exec;
            line.thread_inst += weight * hit.lanes;
            if hit.run == 0 {
                continue;
            }
            let mut pc = control + 1;
            while let Some(inst) = code.insts.get(pc).filter(|i| !i.op.is_control()) {
                let line = &mut lines[code.inst_lines[pc] as usize];
                let weight = inst.op.weight();
                line.inst += weight * hit.run;
                line.thread_inst += weight * hit.run_lanes;
                let flop = inst.op.flop() * hit.run_lanes;
                line.flop += flop;
                if inst.op.is_f64() {
                    f64_flop += flop;
                }
                pc += 1;
            }
        }
    }
    let mut effort = Effort::default();
    for (run, each) in world.efforts.iter().enumerate() {
        // Whole numbers first: their sum does not depend on who ran which block.
        let times = workers.iter().map(|w| w.hits[run].run).sum::<u64>() as f64;
        effort.issued += each.issued * times;
        effort.turns += each.turns * times;
        effort.shared_turns += each.shared_turns * times;
    }
    let mut total = Counters::default();
    let sources = world.program.sources();
    let mut reports: Vec<LineReport> = Vec::new();
    for (counters, span) in lines.iter().zip(&code.lines) {
        if *counters == Counters::default() {
            continue;
        }
        total.add(counters);
        reports.push(LineReport { at: sources.locate(*span), counters: *counters });
    }
    order::sort_by(&mut reports, |a, b| a.at.cmp(&b.at));
    // A line may be there twice, when two files have one name.
    reports.dedup_by(|b, a| {
        let same = a.at.file == b.at.file && a.at.line == b.at.line;
        if same {
            a.counters.add(&b.counters);
        }
        same
    });
    let touched = |pick: fn(&super::world::AllocState) -> bool| -> Vec<u64> {
        let all = world.allocs.iter().zip(&world.states);
        all.filter(|(_, s)| pick(s)).map(|(a, _)| a.base).collect()
    };
    let read = touched(|s| s.read.load(Ordering::Relaxed));
    let written = touched(|s| s.written.load(Ordering::Relaxed));
    let shared = code.static_shared + world.launch.dynamic_shared;
    let registers = world.kernel.registers;
    let extents = |of: fn(&Extents) -> Extent| -> u64 {
        let whole = |at: usize| {
            let mut sum = Extent::default();
            for part in workers.iter().filter_map(|w| w.extents.get(at)).map(of) {
                sum.add(part.first, part.end);
            }
            sum.len()
        };
        (0..world.allocs.len()).map(whole).sum()
    };
    let footprint = extents(|e| e.read) + extents(|e| e.written);
    let atomic_bytes = extents(|e| e.atomic);
    let loads = |of: fn(&Loads) -> u64| workers.iter().map(|w| of(&w.loads)).sum::<u64>() as f64;
    let schedule = crate::predict::Schedule {
        issued: effort.issued,
        turns: effort.turns,
        shared_turns: effort.shared_turns,
        l1_passes: loads(|l| l.l1_quarters) / 4.0,
        scattered_sectors: loads(|l| l.sectors),
        scattered_pieces: loads(|l| l.pieces),
    };
    let prediction = crate::occupancy::occupancy(device, world.threads, registers, shared)
        .map(|occupancy| {
            let work = crate::predict::Work {
                counters: total,
                f64_flop,
                global_atomics: workers.iter().map(|w| w.global_atomics).sum(),
                atomic_bytes,
                grid: world.launch.grid,
                block: world.launch.block,
                occupancy,
                footprint,
                schedule,
            };
            crate::predict::predict(device, &work)
        })
        .unwrap_or_default();
    LaunchReport {
        kernel: world.kernel.name.clone(),
        grid: world.launch.grid,
        block: world.launch.block,
        dynamic_shared: world.launch.dynamic_shared,
        static_shared: code.static_shared,
        registers,
        total,
        lines: reports,
        printf: workers.iter().map(|w| w.printf.as_str()).collect(),
        printf_lost: workers.iter().map(|w| w.printf_lost).sum(),
        predicted_ms: prediction.ms,
        prediction,
        schedule,
        device: device.name.into(),
        read,
        written,
        races_given_up: world.stamps.used_up(),
        harmless_races: harmless_races(world),
        touched: if world.options.touched { world.touched() } else { Vec::new() },
    }
}

fn harmless_races(world: &World<'_>) -> Vec<HarmlessRace> {
    let sources = &world.program.module().sources;
    let at = |mem: u32| sources.locate(world.code.mems[mem as usize].span);
    let log = world.log();
    let all =
        log.met.iter().map(|(read, store)| HarmlessRace { read: at(*read), store: at(*store) });
    // Code that was unrolled or stands at several places is one line to a reader.
    let mut lines: Vec<HarmlessRace> = all.collect();
    order::sort_by(&mut lines, |a, b| (&a.read, &a.store).cmp(&(&b.read, &b.store)));
    lines.dedup_by_key(|r| {
        let line = |at: &Location| (at.file.clone(), at.line);
        (line(&r.read), line(&r.store))
    });
    lines
}
