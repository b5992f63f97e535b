//! How many blocks fit on a multiprocessor at once, and what stops more from fitting.
//!
//! With `W = ceil(threads / 32)` warps per block, the block count is the smallest of
//!
//! * warps: `floor(max_warps / W)`,
//! * blocks: the multiprocessor's own limit of resident blocks,
//! * registers: a warp takes `32 * regs`, rounded up to the granule (256); of the warps that this
//!   allows, the part that is a multiple of the four schedulers counts, divided by `W`,
//! * shared memory: `floor(shared of the multiprocessor / roundup(shared + reserved, granule))`.
//!
//! Occupancy is the share of resident *warps*, so a block of 33 threads counts as two whole warps.

use serde::{Deserialize, Serialize};

use crate::device::DeviceModel;

/// Warps of a multiprocessor are dealt to four schedulers, each with a quarter of the registers.
const SCHEDULERS: u32 = 4;

/// What keeps a further block off the multiprocessor. Of several equal limits the first in this
/// order is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Limiter {
    /// Resident warps.
    Warps,
    /// Resident blocks.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    Shared,
}

impl std::fmt::Display for Limiter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Limiter::Warps => "warps",
            Limiter::Blocks => "blocks",
            Limiter::Registers => "registers",
            Limiter::Shared => "shared memory",
        })
    }
}

/// Result of [`occupancy`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Occupancy {
    /// Resident blocks of a multiprocessor; 0 if not even one fits (the launch is then refused).
    pub blocks: u32,
    /// Resident warps of a multiprocessor.
    pub warps: u32,
    /// `100 * warps / most resident warps`.
    pub percent: f64,
    /// What stops more.
    pub limiter: Limiter,
}

/// Resident blocks for blocks of `threads` threads with `regs` registers each and `shared` bytes of
/// shared memory (static and dynamic together) per block. `regs == 0` means that registers are no
/// limit.
///
/// # Errors
/// One sentence when the device cannot run such a block at all: no threads or too many, too many
/// registers per thread, more shared memory than a block may have.
pub fn occupancy(
    d: &DeviceModel,
    threads: u32,
    regs: u32,
    shared: u32,
) -> Result<Occupancy, String> {
    if threads == 0 || threads > d.max_threads_per_block {
        return Err(format!(
            "a block has 1 to {} threads on {}, not {threads}",
            d.max_threads_per_block, d.name
        ));
    }
    if regs > d.max_regs_per_thread {
        return Err(format!(
            "a thread has at most {} registers on {}, not {regs}",
            d.max_regs_per_thread, d.name
        ));
    }
    if shared > d.shared_per_block_optin {
        return Err(format!(
            "a block has at most {} bytes of shared memory on {}, not {shared}",
            d.shared_per_block_optin, d.name
        ));
    }
    let warps_per_block = threads.div_ceil(32);
    let by_registers = match (regs * 32).next_multiple_of(d.reg_unit) {
        0 => u32::MAX,
        per_warp => {
            let warps = d.regs_per_sm / per_warp;
            (warps - warps % SCHEDULERS) / warps_per_block
        }
    };
    let by_shared = match (shared + d.shared_reserved).next_multiple_of(d.shared_unit) {
        0 => u32::MAX,
        per_block => d.shared_per_sm / per_block,
    };
    let limits = [
        (d.max_warps_per_sm / warps_per_block, Limiter::Warps),
        (d.max_blocks_per_sm, Limiter::Blocks),
        (by_registers, Limiter::Registers),
        (by_shared, Limiter::Shared),
    ];
    let mut least = limits[0];
    for limit in limits {
        if limit.0 < least.0 {
            least = limit;
        }
    }
    let (blocks, limiter) = least;
    let warps = blocks * warps_per_block;
    let percent = 100.0 * f64::from(warps) / f64::from(d.max_warps_per_sm);
    Ok(Occupancy { blocks, warps, percent, limiter })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{model, models};

    /// Percent, rounded to one decimal as the tables print it.
    fn percent(key: &str, threads: u32, regs: u32, shared: u32) -> f64 {
        let o = occupancy(model(key).unwrap(), threads, regs, shared).unwrap();
        (o.percent * 10.0).round() / 10.0
    }

    #[test]
    fn tiled_fir_of_1024_taps_with_blocks_of_128_to_1024() {
        // (device, percent for K = 128, 256, ..., 1024) with 32 registers and a tile of 1024 + K
        // floats
        let table = [
            ("gtx750", [87.5, 100.0, 93.8, 100.0, 93.8, 75.0, 87.5, 100.0]),
            ("h200", [100.0, 100.0, 93.8, 100.0, 93.8, 75.0, 87.5, 100.0]),
        ];
        for (key, row) in table {
            for (k, want) in (128..=1024).step_by(128).zip(row) {
                assert_eq!(percent(key, k, 32, 4 * (1024 + k)), want, "{key} K={k}");
            }
        }
        assert_eq!(percent("rtx3060", 1024, 32, 8192), 66.7);
        let o = occupancy(model("gtx750").unwrap(), 128, 32, 4 * (1024 + 128)).unwrap();
        assert_eq!((o.blocks, o.warps, o.limiter), (14, 56, Limiter::Shared));
        for key in ["gtx750", "a100", "h200"] {
            let o = occupancy(model(key).unwrap(), 1024, 40, 8192).unwrap();
            assert_eq!((o.percent, o.limiter), (50.0, Limiter::Registers), "{key}");
        }
    }

    #[test]
    fn tiled_matrix_product_with_tiles_of_8_to_32() {
        let shared = [640, 2176, 4800, 8320];
        let table = [
            ("gtx750", [100.0, 100.0, 84.4, 100.0]),
            ("h200", [100.0, 100.0, 84.4, 100.0]),
            ("rtx3060", [66.7, 100.0, 75.0, 66.7]),
        ];
        for (key, row) in table {
            for ((k, shared), want) in [8u32, 16, 24, 32].into_iter().zip(shared).zip(row) {
                assert_eq!(percent(key, k * k, 32, shared), want, "{key} K={k}");
            }
        }
    }

    #[test]
    fn each_rule_decides_somewhere() {
        let case = |key: &str, threads, regs, shared| {
            let o = occupancy(model(key).unwrap(), threads, regs, shared).unwrap();
            (o.blocks, o.warps, o.limiter)
        };
        // Two warps for 33 threads; the share counts warps, not threads.
        assert_eq!(case("h200", 33, 32, 0), (32, 64, Limiter::Warps));
        assert_eq!(case("h200", 32, 32, 0), (32, 32, Limiter::Blocks));
        assert_eq!(case("rtx3060", 32, 32, 0), (16, 16, Limiter::Blocks));
        assert_eq!(case("rtx4090", 32, 32, 0), (24, 24, Limiter::Blocks));
        // 33 * 32 = 1056 registers round up to 1280: 51 warps, of which 48 by schedulers.
        assert_eq!(case("h200", 256, 33, 0), (6, 48, Limiter::Registers));
        // 51 warps would hold 17 blocks of 3, 48 hold 16.
        assert_eq!(case("h200", 96, 40, 0), (16, 48, Limiter::Registers));
        assert_eq!(case("h200", 1024, 255, 0), (0, 0, Limiter::Registers));
        // 228 KiB hold 4 blocks of 56 KiB, but not with the reserved KiB in each.
        assert_eq!(case("h200", 256, 32, 57 * 1024), (3, 24, Limiter::Shared));
        assert_eq!(case("rtx3060", 256, 32, 48 * 1024), (2, 16, Limiter::Shared));
        assert_eq!(case("t4", 256, 32, 48 * 1024), (1, 8, Limiter::Shared));
        assert_eq!(case("t4", 1024, 32, 0), (1, 32, Limiter::Warps));
        assert_eq!(case("a100", 256, 0, 0), (8, 64, Limiter::Warps));
    }

    #[test]
    fn impossible_blocks_are_errors_that_name_the_limit() {
        for m in models() {
            assert!(occupancy(m, 0, 32, 0).unwrap_err().contains("1 to 1024"));
            assert!(occupancy(m, 1025, 32, 0).unwrap_err().contains("not 1025"));
            assert!(occupancy(m, 32, 256, 0).unwrap_err().contains("255 registers"));
            let most = m.shared_per_block_optin;
            assert!(occupancy(m, 32, 32, most).unwrap().blocks >= 1, "{}", m.key);
            assert!(occupancy(m, 32, 32, most + 1).unwrap_err().contains("shared memory"));
            assert!(occupancy(m, 32, 32, u32::MAX).is_err());
        }
    }

    #[test]
    fn more_of_anything_never_fits_more_blocks() {
        for m in models() {
            for threads in (1..=1024).step_by(31) {
                for regs in (1..255).step_by(7) {
                    let o = occupancy(m, threads, regs, 4000).unwrap();
                    assert!(o.warps <= m.max_warps_per_sm && o.blocks <= m.max_blocks_per_sm);
                    assert!(occupancy(m, threads, regs + 1, 4000).unwrap().blocks <= o.blocks);
                    assert!(occupancy(m, threads, regs, 4001).unwrap().blocks <= o.blocks);
                    if threads < 1024 {
                        assert!(occupancy(m, threads + 1, regs, 4000).unwrap().blocks <= o.blocks);
                    }
                }
            }
        }
    }
}
