//! Turns the counts of a launch into a predicted time: a roofline with one roof per resource.
//!
//! Each part is the time that one resource alone would need. Resources overlap, but not wholly: the
//! launch takes the cube root of the sum of the parts' cubes, plus the cost of launching, which is
//! the longest part where one stands out, and a quarter more than each of two equal ones. Blocks
//! are dealt to the multiprocessors in turn, so the busiest one gets `n = ceil(blocks / sms)` of
//! them and with it the share `n / blocks` of the work (this is the tail: 133 blocks on 132
//! multiprocessors take as long as 264). With `f` the clock and all counts summed over the launch:
//!
//! | part | time |
//! |---|---|
//! | blocks | `1.22 * blocks / f`: starting a block, one after the other |
//! | issue | `share * issued / (issue_per_sm * f)` |
//! | f32 | `share * (flop - f64_flop) / (2 * f32_per_sm * f)` |
//! | f64 | `share * f64_flop / (2 * f64_per_sm * f)` |
//! | constant memory | `share * 2 * cld_ser / f`: two cycles for each further word |
//! | shared memory | `share * (shld_wf + shst_wf) / f`: one wavefront a cycle |
//! | L1 | `share * (load passes + max(stores, stored sectors / 4) + local requests) / f` |
//! | L2 | `(min(load sectors, footprint / 32) / 1.1 + full / 0.57 + partial / 0.25) / (sms * f)`; stored sectors are full as far as the bytes reach |
//! | DRAM | `bytes / (dram_gbs * dram_efficiency)` |
//! | atomics | `share * (atom_req + atom_ser) / f`, and for those in global memory `operations / (min(50, 0.7 * (1 + (lines - 1) / 8)) * f)` |
//! | latency | `(1000 + waves * (500 + chain)) / f` |
//!
//! `issued` are the instructions that a card's compiler makes of the kernel (`schedule`). The
//! *footprint* is what the launch touched of its buffers, each from the first to the last byte:
//! that must come from or go to DRAM once. A *pass* of the L1 cache is 4 sectors of a row, or a
//! line of 128 bytes of a load that is none. The *bytes* of DRAM are `min(32 * sectors,
//! footprint)`; of scattered loads over more than the L2 cache holds, each touched piece of 64
//! bytes comes anew, unless the lane's last load by the same instruction was in the same line. An
//! *operation* of a global atomic is a sector of a request or a further lane on the same word;
//! *lines* are the pieces of 128 bytes between the first and the last byte that atomics touched.
//! `waves = ceil(n / resident blocks)`. The chain is what one warp waits for when nothing else
//! hides it: 2 cycles per instruction, 29 for each *turn* of shared loads, 10 per
//! thread-local load, 24 per shuffle, 2 per
//! extra word of a constant request, 30 per barrier and 60 per atomic, and for each turn of global
//! loads (those that can be on their way together, see `schedule`) 290 cycles if it brings a new
//! line of the footprint, 600 more if that is larger than the L2 cache, else 40. Coming and going
//! of a block are the 500 cycles, of the first one the 1000. The part decides when there are too
//! few resident warps to keep the other resources busy.
//!
//! The throughputs were measured on an H200 with `tools/rates/rates.cu`; the constants of the chain
//! and the power were chosen with three quarters of the kernels in `tools/rates/large/large.cu`.
//! The other devices share them, in cycles. docs/measurements/card.md compares predictions with
//! measured times, also of kernels that nothing was fitted to. The model knows no overlap of
//! launches; it is meant to rank variants of a kernel and to say what limits them, not to replace a
//! clock.

use serde::{Deserialize, Serialize};

use crate::counters::Counters;
use crate::device::DeviceModel;
use crate::occupancy::Occupancy;

/// What a launch did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Counts summed over the launch.
    pub counters: Counters,
    /// The part of `counters.flop` done in double precision.
    pub f64_flop: u64,
    /// Operations of global atomics at the L2 cache (see the module).
    pub global_atomics: u64,
    /// Bytes of the buffers that atomics touched.
    pub atomic_bytes: u64,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Resident blocks.
    pub occupancy: Occupancy,
    /// Bytes of the buffers that the launch read or wrote.
    pub footprint: u64,
    /// What the counts do not tell.
    pub schedule: Schedule,
}

/// What a prediction needs of a launch besides its counts: what a card's compiler and its caches
/// make of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// Instructions that a card's compiler would make of those that were executed.
    pub issued: f64,
    /// Waits of the warps for device memory, summed up.
    pub turns: f64,
    /// Waits of the warps for shared memory, summed up.
    pub shared_turns: f64,
    /// Passes of global loads through the L1 cache.
    pub l1_passes: f64,
    /// Sectors of loads that are no rows.
    pub scattered_sectors: f64,
    /// Pieces of 64 bytes that those loads bring (see the module).
    pub scattered_pieces: f64,
}

impl Schedule {
    /// That of a launch `factor` times as large.
    pub fn times(self, factor: f64) -> Schedule {
        Schedule {
            issued: factor * self.issued,
            turns: factor * self.turns,
            shared_turns: factor * self.shared_turns,
            l1_passes: factor * self.l1_passes,
            scattered_sectors: factor * self.scattered_sectors,
            scattered_pieces: factor * self.scattered_pieces,
        }
    }

    /// That of a launch without its part `first`.
    pub fn less(self, first: Schedule) -> Schedule {
        Schedule {
            issued: self.issued - first.issued,
            turns: self.turns - first.turns,
            shared_turns: self.shared_turns - first.shared_turns,
            l1_passes: self.l1_passes - first.l1_passes,
            scattered_sectors: self.scattered_sectors - first.scattered_sectors,
            scattered_pieces: self.scattered_pieces - first.scattered_pieces,
        }
    }
}

/// The resource that decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bound {
    /// The cost of launching.
    #[default]
    Launch,
    /// Starting blocks.
    Blocks,
    /// Issuing warp instructions.
    Issue,
    /// f32 units.
    F32,
    /// f64 units.
    F64,
    /// Different words of constant memory in one request.
    Constant,
    /// Wavefronts of shared memory.
    Shared,
    /// Sectors through the L1 cache.
    L1,
    /// Sectors through the L2 cache.
    L2,
    /// Device memory.
    Dram,
    /// Atomics on the same address.
    Atomics,
    /// Waiting, with too few resident warps to hide it.
    Latency,
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Bound::Launch => "launch overhead",
            Bound::Blocks => "starting blocks",
            Bound::Issue => "instruction issue",
            Bound::F32 => "f32 arithmetic",
            Bound::F64 => "f64 arithmetic",
            Bound::Constant => "constant memory",
            Bound::Shared => "shared memory",
            Bound::L1 => "L1 cache",
            Bound::L2 => "L2 cache",
            Bound::Dram => "device memory",
            Bound::Atomics => "atomics",
            Bound::Latency => "latency",
        })
    }
}

/// Time that one resource alone would need.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Resource.
    pub bound: Bound,
    /// Milliseconds.
    pub ms: f64,
}

/// A predicted time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// Milliseconds: launch overhead, and the other parts overlapped.
    pub ms: f64,
    /// Every part, the launch overhead first.
    pub parts: Vec<Part>,
    /// The longest part.
    pub bound: Bound,
}

/// Bytes of a sector.
const SECTOR: f64 = 32.0;
/// Bytes that DRAM gives at least.
const PIECE: f64 = 64.0;
/// Bytes of a cache line.
const LINE: f64 = 128.0;
/// Cycles between the starts of two blocks.
const BLOCK_START: f64 = 1.22;
/// Sectors of loads, of full and of partial stores that a multiprocessor gets through to the L2 in
/// a cycle.
const L2_LOADS: f64 = 1.1;
const L2_STORES: f64 = 0.57;
const L2_PARTIAL_STORES: f64 = 0.25;
/// Cycles for the first block that touches memory, and for coming and going of each.
const FIRST_BLOCK: f64 = 1000.0;
const BLOCK: f64 = 500.0;
/// Cycles that a turn of loads takes from the L1 and from the L2 cache, and from DRAM beyond that.
const L1_TURN: f64 = 40.0;
const L2_TURN: f64 = 290.0;
const DRAM_TURN: f64 = 600.0;
/// The parts add up as the roots of this power: 1 for one after the other, infinite for a wholly
/// hidden shorter one.
const OVERLAP: f64 = 3.0;

/// Predicts the time of `work` on `d`; the module's documentation has the formulas.
pub fn predict(d: &DeviceModel, work: &Work) -> Prediction {
    let c = &work.counters;
    let count = |n: u64| n as f64;
    let (sms, hz) = (f64::from(d.sms), d.clock_hz());
    let blocks = work.grid.iter().map(|n| u64::from(*n)).product::<u64>();
    let busiest = blocks.div_ceil(u64::from(d.sms));
    let share = if blocks == 0 { 0.0 } else { busiest as f64 / blocks as f64 };

    let footprint = count(work.footprint);
    let f64_flop = work.f64_flop.min(c.flop);
    let l1_cycles = work.schedule.l1_passes
        + count(c.gst_req).max(count(c.gst_sec) / 4.0)
        + count(c.lld_req + c.lst_req);
    let full = (count(c.gst_bytes) / SECTOR).min(count(c.gst_sec));
    let l2_cycles = count(c.gld_sec).min(footprint / SECTOR) / L2_LOADS
        + full / L2_STORES
        + (count(c.gst_sec) - full) / L2_PARTIAL_STORES;
    let lines = (count(work.atomic_bytes) / LINE).max(1.0);
    let atomic_cycles = (share * count(c.atom_req + c.atom_ser))
        .max(count(work.global_atomics) / (0.7 * (1.0 + (lines - 1.0) / 8.0)).min(50.0));

    let seconds = [
        (Bound::Launch, d.launch_us * 1e-6),
        (Bound::Blocks, BLOCK_START * count(blocks) / hz),
        (Bound::Issue, share * work.schedule.issued / (f64::from(d.issue_per_sm) * hz)),
        (Bound::F32, share * count(c.flop - f64_flop) / (2.0 * f64::from(d.f32_per_sm) * hz)),
        (Bound::F64, share * count(f64_flop) / (2.0 * f64::from(d.f64_per_sm) * hz)),
        (Bound::Constant, share * 2.0 * count(c.cld_ser) / hz),
        (Bound::Shared, share * count(c.shld_wf + c.shst_wf) / hz),
        (Bound::L1, share * l1_cycles / hz),
        (Bound::L2, l2_cycles / (sms * hz)),
        (Bound::Dram, dram_bytes(d, work) / d.dram_bytes_per_s()),
        (Bound::Atomics, atomic_cycles / hz),
        (Bound::Latency, latency_cycles(d, work, blocks, busiest) / hz),
    ];
    let parts: Vec<Part> =
        seconds.iter().map(|(bound, s)| Part { bound: *bound, ms: 1e3 * s }).collect();
    let mut longest = parts[1];
    for part in &parts[2..] {
        if part.ms > longest.ms {
            longest = *part;
        }
    }
    let bound = if longest.ms > parts[0].ms { longest.bound } else { Bound::Launch };
    let powers: f64 = parts[1..].iter().map(|p| p.ms.powf(OVERLAP)).sum();
    Prediction { ms: parts[0].ms + powers.powf(1.0 / OVERLAP), parts, bound }
}

/// Bytes from and to device memory.
fn dram_bytes(d: &DeviceModel, work: &Work) -> f64 {
    let c = &work.counters;
    let footprint = work.footprint as f64;
    let scattered = SECTOR * work.schedule.scattered_sectors.min(c.gld_sec as f64);
    let all = SECTOR * (c.gld_sec + c.gst_sec) as f64;
    let once = all.min(footprint);
    if work.footprint <= d.l2_bytes {
        return once;
    }
    once.max((all - scattered).min(footprint) + PIECE * work.schedule.scattered_pieces)
}

/// Cycles that the busiest multiprocessor waits if nothing hides a warp's waiting.
fn latency_cycles(d: &DeviceModel, work: &Work, blocks: u64, busiest: u64) -> f64 {
    if blocks == 0 {
        return 0.0;
    }
    let c = &work.counters;
    let threads: u64 = work.block.iter().map(|n| u64::from(*n)).product();
    let warps = blocks as f64 * threads.div_ceil(32).max(1) as f64;
    let waves = busiest.div_ceil(u64::from(work.occupancy.blocks.max(1))) as f64;
    // Turns that bring something new; the others find it in the L1 cache.
    let new = work.schedule.turns.min(work.footprint as f64 / LINE);
    let beyond = if work.footprint > d.l2_bytes { DRAM_TURN } else { 0.0 };
    let chain = (new * (L2_TURN + beyond - L1_TURN) + work.schedule.turns * L1_TURN) / warps
        + 10.0 * c.lld_req as f64 / warps
        + 29.0 * work.schedule.shared_turns / warps
        + 2.0 * work.schedule.issued / warps
        + (24 * c.shfl + 2 * c.cld_ser + 60 * c.atom_req) as f64 / warps
        + 30.0 * c.bar as f64 / blocks as f64;
    let touches = c.gld_req + c.gst_req > 0;
    let coming = if touches { FIRST_BLOCK + waves * BLOCK } else { 0.0 };
    coming + waves * chain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{model, models};
    use crate::occupancy::occupancy;
    use proptest::prelude::*;

    /// `c[i] = a[i] + b[i]` for `n` floats in blocks of 256.
    fn vector_add(d: &DeviceModel, n: u64) -> Work {
        let warps = n.div_ceil(32);
        Work {
            counters: Counters {
                inst: 14 * warps,
                thread_inst: 14 * n,
                flop: n,
                gld_req: 2 * warps,
                gld_sec: 8 * warps,
                gst_req: warps,
                gst_sec: 4 * warps,
                gst_bytes: 4 * n,
                br_exec: warps,
                ..Counters::default()
            },
            f64_flop: 0,
            global_atomics: 0,
            atomic_bytes: 0,
            grid: [n.div_ceil(256) as u32, 1, 1],
            block: [256, 1, 1],
            occupancy: occupancy(d, 256, 16, 0).unwrap(),
            footprint: 12 * n,
            schedule: Schedule {
                issued: 14.0 * warps as f64,
                turns: warps as f64,
                l1_passes: 2.0 * warps as f64,
                ..Schedule::default()
            },
        }
    }

    #[test]
    fn vector_add_is_bound_by_the_launch_when_small_and_by_memory_when_large() {
        for d in models() {
            assert_eq!(predict(d, &vector_add(d, 1000)).bound, Bound::Launch, "{}", d.key);
            let n = 1 << 26;
            let large = predict(d, &vector_add(d, n));
            let ideal_ms = 12.0 * n as f64 / d.dram_bytes_per_s() * 1e3;
            assert_eq!(large.bound, Bound::Dram, "{}: {large:?}", d.key);
            if d.key == "h200" {
                // 64 warps with two loads of 128 bytes each are too few for this memory; measured:
                // 0.238 ms.
                assert!((large.ms / 0.238 - 1.0).abs() < 0.15, "{large:?}");
            } else {
                assert!(large.ms > ideal_ms && large.ms < 1.25 * ideal_ms, "{}", d.key);
            }
        }
    }

    #[test]
    fn each_resource_can_decide() {
        let d = model("h200").unwrap();
        let base = vector_add(d, 1 << 22);
        let check = |set: &dyn Fn(&mut Work), want| {
            let mut work = base;
            set(&mut work);
            assert_eq!(predict(d, &work).bound, want);
        };
        check(&|w| w.schedule.issued *= 1000.0, Bound::Issue);
        check(&|w| w.counters.flop *= 1_000_000, Bound::F32);
        check(
            &|w| {
                w.counters.flop *= 1_000_000;
                w.f64_flop = w.counters.flop;
            },
            Bound::F64,
        );
        check(&|w| w.counters.cld_ser = 1 << 34, Bound::Constant);
        check(&|w| w.counters.shld_wf = 1 << 34, Bound::Shared);
        check(&|w| w.schedule.l1_passes *= 1000.0, Bound::L1);
        check(&|w| w.counters.gst_sec *= 1000, Bound::L2);
        check(&|w| w.counters.atom_ser = 1 << 34, Bound::Atomics);
        check(&|w| w.global_atomics = 1 << 34, Bound::Atomics);
        check(
            &|w| {
                w.grid = [1 << 26, 1, 1];
                w.block = [32, 1, 1];
                w.occupancy.blocks = 32;
                w.counters = Counters { inst: 1 << 26, ..Counters::default() };
                w.schedule = Schedule { issued: 1e6, ..Schedule::default() };
                w.footprint = 0;
            },
            Bound::Blocks,
        );
        check(
            &|w| {
                w.schedule.turns *= 100.0;
                w.occupancy.blocks = 1;
            },
            Bound::Latency,
        );
    }

    #[test]
    fn one_block_too_many_costs_a_whole_further_round() {
        let d = model("h200").unwrap();
        let per_block = Counters { inst: 4_000_000, ..Counters::default() };
        let time = |blocks: u32| {
            let mut work = vector_add(d, 1);
            work.counters = Counters { inst: per_block.inst * u64::from(blocks), ..per_block };
            work.schedule.issued = work.counters.inst as f64;
            work.grid = [blocks, 1, 1];
            work.block = [1024, 1, 1]; // enough warps that issue decides, not latency
            predict(d, &work).ms - d.launch_us * 1e-3
        };
        assert!((time(132) / time(1) - 1.0).abs() < 1e-3);
        assert!(time(133) > time(132) * 1.01);
    }

    #[test]
    fn an_empty_launch_costs_the_launch() {
        let d = model("t4").unwrap();
        let mut work = vector_add(d, 1);
        work.counters = Counters::default();
        work.schedule = Schedule::default();
        for blocks in [0, 1] {
            work.grid = [blocks, 1, 1];
            let beyond = predict(d, &work).ms - d.launch_us * 1e-3;
            assert!((0.0..1e-5).contains(&beyond), "{blocks}: {beyond}"); // a block has to start
        }
    }

    /// Counters with every field that the model reads taken from `v`.
    fn counters(v: &[u64; 14]) -> Counters {
        Counters {
            inst: v[0],
            flop: v[1],
            gld_req: v[2],
            gld_sec: v[3],
            gst_sec: v[4],
            shld_req: v[5],
            shld_wf: v[6],
            shst_wf: v[7],
            cld_ser: v[8],
            lld_req: v[9],
            atom_req: v[10],
            atom_ser: v[11],
            bar: v[12],
            shfl: v[13],
            ..Counters::default()
        }
    }

    proptest! {
        #[test]
        fn more_work_never_takes_less(
            device in 0..models().len(),
            counts in proptest::array::uniform14(0u64..1 << 40),
            which in 0usize..14,
            extra in 0u64..1 << 40,
            blocks in 1u32..100_000,
            more_blocks in 0u32..1000,
            threads in 1u32..=1024,
            footprint in 0u64..1 << 40,
            atomics in 0u64..1 << 40,
            more_footprint in 0u64..1 << 40,
        ) {
            let d = &models()[device];
            let work = |counts: &[u64; 14], blocks: u32, footprint: u64| Work {
                counters: counters(counts),
                f64_flop: counts[1] / 3,
                global_atomics: atomics,
                atomic_bytes: 4096,
                grid: [blocks, 1, 1],
                block: [threads, 1, 1],
                occupancy: occupancy(d, threads, 32, 0).unwrap(),
                footprint,
                schedule: Schedule {
                    issued: counts[0] as f64,
                    turns: counts[2] as f64,
                    shared_turns: counts[5] as f64,
                    l1_passes: counts[3] as f64 / 4.0,
                    scattered_sectors: counts[3] as f64 / 2.0,
                    scattered_pieces: counts[3] as f64 / 4.0,
                },
            };
            let base = work(&counts, blocks, footprint);
            let before = predict(d, &base).ms;
            prop_assert!(before.is_finite() && before >= d.launch_us * 1e-3);

            let mut more = counts;
            more[which] += extra;
            let busier = work(&more, blocks, footprint);
            prop_assert!(predict(d, &busier).ms >= before);
            let wider = Work { footprint: footprint + more_footprint, ..base };
            prop_assert!(predict(d, &wider).ms >= before);

            // The same work per block in more blocks.
            let per_block = counts.map(|n| n / u64::from(blocks));
            let in_grid = |b: u32| {
                let scaled = per_block.map(|n| n * u64::from(b));
                let footprint = footprint / u64::from(blocks) * u64::from(b);
                predict(d, &work(&scaled, b, footprint)).ms
            };
            let (few, many) = (in_grid(blocks), in_grid(blocks + more_blocks));
            prop_assert!(many >= few * (1.0 - 1e-12), "{few} {many}");
        }
    }
}
