//! Descriptions of real devices: limits that launches must keep, and rates that turn counts into
//! predicted time.
//!
//! Limits (threads, warps, blocks, registers, shared memory) are those of the table "Technical
//! Specifications per Compute Capability" of the CUDA C++ Programming Guide. Multiprocessors,
//! clocks, caches, buses and bandwidths come from the makers' data sheets and architecture white
//! papers, named at each entry of [`models`]. Two figures are in no data sheet:
//! [`DeviceModel::dram_efficiency`], what a long copy reaches of the bandwidth on paper, and
//! [`DeviceModel::launch_us`], what an empty kernel costs. They are measured for the H200 and
//! typical values for the others.

use serde::{Deserialize, Serialize};

/// A GPU as far as launches and predictions need it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceModel {
    /// Key of `LAB_GPU`, such as `h200`.
    pub key: &'static str,
    /// Name as the driver gives it.
    pub name: &'static str,
    /// Compute capability.
    pub cc: (u32, u32),
    /// Streaming multiprocessors.
    pub sms: u32,
    /// Clock under load in MHz.
    pub clock_mhz: u32,
    /// Memory clock in MHz (as the driver's attribute gives it).
    pub memory_clock_mhz: u32,
    /// Memory bus width in bits.
    pub bus_bits: u32,
    /// Device memory bandwidth in GB/s (data sheet).
    pub dram_gbs: f64,
    /// Share of `dram_gbs` that a copy reaches.
    pub dram_efficiency: f64,
    /// Device memory in bytes.
    pub memory_bytes: u64,
    /// L2 cache in bytes.
    pub l2_bytes: u64,
    /// Host link in GB/s, one direction.
    pub pcie_gbs: f64,
    /// f32 lanes (fused multiply-adds a cycle) per SM.
    pub f32_per_sm: u32,
    /// f64 lanes per SM.
    pub f64_per_sm: u32,
    /// Warp instructions issued per cycle and SM.
    pub issue_per_sm: u32,
    /// Time from launch to the first instruction and back, in microseconds.
    pub launch_us: f64,
    /// Largest number of threads of a block.
    pub max_threads_per_block: u32,
    /// Largest block, by axis.
    pub max_block: [u32; 3],
    /// Largest grid, by axis.
    pub max_grid: [u32; 3],
    /// Shared memory of a block without opting in, in bytes.
    pub shared_per_block: u32,
    /// Shared memory of a block after opting in, in bytes.
    pub shared_per_block_optin: u32,
    /// Shared memory of an SM in bytes.
    pub shared_per_sm: u32,
    /// Shared memory that the system takes from each block, in bytes.
    pub shared_reserved: u32,
    /// Granule of shared memory in bytes.
    pub shared_unit: u32,
    /// 32-bit registers of an SM.
    pub regs_per_sm: u32,
    /// Most registers of a thread.
    pub max_regs_per_thread: u32,
    /// Granule of registers, per warp.
    pub reg_unit: u32,
    /// Resident warps of an SM.
    pub max_warps_per_sm: u32,
    /// Resident blocks of an SM.
    pub max_blocks_per_sm: u32,
}

impl DeviceModel {
    /// Clock under load in Hz.
    pub fn clock_hz(&self) -> f64 {
        f64::from(self.clock_mhz) * 1e6
    }

    /// Highest f32 rate in GFLOP/s, with a fused multiply-add counted as two operations.
    pub fn peak_f32_gflops(&self) -> f64 {
        2.0 * f64::from(self.f32_per_sm) * f64::from(self.sms) * self.clock_hz() / 1e9
    }

    /// Highest f64 rate in GFLOP/s, with a fused multiply-add counted as two operations.
    pub fn peak_f64_gflops(&self) -> f64 {
        2.0 * f64::from(self.f64_per_sm) * f64::from(self.sms) * self.clock_hz() / 1e9
    }

    /// Bandwidth of device memory that a long copy reaches, in bytes per second.
    pub fn dram_bytes_per_s(&self) -> f64 {
        self.dram_gbs * 1e9 * self.dram_efficiency
    }
}

const KIB: u32 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Key of the device that is stood in for when `LAB_GPU` is not set.
pub const DEFAULT_KEY: &str = "h200";

/// What all entries share: the grid and block limits have been the same since compute capability
/// 3.0, four warp schedulers and 64 Ki registers per multiprocessor since 5.0.
const COMMON: DeviceModel = DeviceModel {
    key: "",
    name: "",
    cc: (0, 0),
    sms: 0,
    clock_mhz: 0,
    memory_clock_mhz: 0,
    bus_bits: 0,
    dram_gbs: 0.0,
    dram_efficiency: 0.0,
    memory_bytes: 0,
    l2_bytes: 0,
    pcie_gbs: 0.0,
    f32_per_sm: 128,
    f64_per_sm: 2,
    issue_per_sm: 4,
    launch_us: 3.0,
    max_threads_per_block: 1024,
    max_block: [1024, 1024, 64],
    max_grid: [2_147_483_647, 65_535, 65_535],
    shared_per_block: 48 * KIB,
    shared_per_block_optin: 0,
    shared_per_sm: 0,
    shared_reserved: KIB,
    shared_unit: 128,
    regs_per_sm: 65_536,
    max_regs_per_thread: 255,
    reg_unit: 256,
    max_warps_per_sm: 0,
    max_blocks_per_sm: 0,
};

/// Limits of compute capability 9.0.
const HOPPER: DeviceModel = DeviceModel {
    cc: (9, 0),
    f64_per_sm: 64,
    shared_per_block_optin: 227 * KIB,
    shared_per_sm: 228 * KIB,
    max_warps_per_sm: 64,
    max_blocks_per_sm: 32,
    ..COMMON
};

static MODELS: [DeviceModel; 7] = [
    // NVIDIA H200 Tensor Core GPU data sheet; H100 Tensor Core GPU Architecture white paper for the
    // multiprocessor. L2 cache, limits of shared memory, efficiency and launch measured
    // (tools/rates/rates.cu; docs/measurements/card.md).
    DeviceModel {
        key: "h200",
        name: "NVIDIA H200",
        sms: 132,
        clock_mhz: 1980,
        memory_clock_mhz: 3201,
        bus_bits: 6144,
        dram_gbs: 4800.0,
        dram_efficiency: 0.89,
        memory_bytes: 141_000_000_000,
        l2_bytes: 60 * MIB,
        pcie_gbs: 63.0,
        launch_us: 4.0,
        ..HOPPER
    },
    // NVIDIA H100 Tensor Core GPU data sheet (SXM5) and architecture white paper.
    DeviceModel {
        key: "h100",
        name: "NVIDIA H100 80GB HBM3",
        sms: 132,
        clock_mhz: 1980,
        memory_clock_mhz: 2619,
        bus_bits: 5120,
        dram_gbs: 3350.0,
        dram_efficiency: 0.9,
        memory_bytes: 80 * GIB,
        l2_bytes: 50 * MIB,
        pcie_gbs: 63.0,
        launch_us: 2.5,
        ..HOPPER
    },
    // NVIDIA A100 80GB data sheet (SXM4) and A100 Tensor Core GPU Architecture white paper.
    DeviceModel {
        key: "a100",
        name: "NVIDIA A100-SXM4-80GB",
        cc: (8, 0),
        sms: 108,
        clock_mhz: 1410,
        memory_clock_mhz: 1593,
        bus_bits: 5120,
        dram_gbs: 2039.0,
        dram_efficiency: 0.87,
        memory_bytes: 80 * GIB,
        l2_bytes: 40 * MIB,
        pcie_gbs: 31.5,
        f32_per_sm: 64,
        f64_per_sm: 32,
        shared_per_block_optin: 163 * KIB,
        shared_per_sm: 164 * KIB,
        max_warps_per_sm: 64,
        max_blocks_per_sm: 32,
        ..COMMON
    },
    // NVIDIA Ada GPU Architecture white paper, appendix on GeForce RTX 4090.
    DeviceModel {
        key: "rtx4090",
        name: "NVIDIA GeForce RTX 4090",
        cc: (8, 9),
        sms: 128,
        clock_mhz: 2520,
        memory_clock_mhz: 10_501,
        bus_bits: 384,
        dram_gbs: 1008.0,
        dram_efficiency: 0.91,
        memory_bytes: 24 * GIB,
        l2_bytes: 72 * MIB,
        pcie_gbs: 31.5,
        shared_per_block_optin: 99 * KIB,
        shared_per_sm: 100 * KIB,
        max_warps_per_sm: 48,
        max_blocks_per_sm: 24,
        ..COMMON
    },
    // GeForce RTX 3060 product page; NVIDIA Ampere GA102 white paper: 512 KiB of L2 per 32-bit
    // memory controller.
    DeviceModel {
        key: "rtx3060",
        name: "NVIDIA GeForce RTX 3060",
        cc: (8, 6),
        sms: 28,
        clock_mhz: 1777,
        memory_clock_mhz: 7501,
        bus_bits: 192,
        dram_gbs: 360.0,
        dram_efficiency: 0.92,
        memory_bytes: 12 * GIB,
        l2_bytes: 3 * MIB,
        pcie_gbs: 31.5,
        shared_per_block_optin: 99 * KIB,
        shared_per_sm: 100 * KIB,
        max_warps_per_sm: 48,
        max_blocks_per_sm: 16,
        ..COMMON
    },
    // NVIDIA T4 data sheet; Turing Architecture white paper for the multiprocessor and the L2 cache
    // of TU104.
    DeviceModel {
        key: "t4",
        name: "Tesla T4",
        cc: (7, 5),
        sms: 40,
        clock_mhz: 1590,
        memory_clock_mhz: 5001,
        bus_bits: 256,
        dram_gbs: 320.0,
        dram_efficiency: 0.78,
        memory_bytes: 16 * GIB,
        l2_bytes: 4 * MIB,
        pcie_gbs: 15.75,
        f32_per_sm: 64,
        shared_per_block_optin: 64 * KIB,
        shared_per_sm: 64 * KIB,
        shared_reserved: 0,
        shared_unit: 256,
        max_warps_per_sm: 32,
        max_blocks_per_sm: 16,
        ..COMMON
    },
    // GeForce GTX 750 specifications page; GeForce GTX 750 Ti white paper (GM107) for the
    // multiprocessor and the L2.
    DeviceModel {
        key: "gtx750",
        name: "NVIDIA GeForce GTX 750",
        cc: (5, 0),
        sms: 4,
        clock_mhz: 1085,
        memory_clock_mhz: 2505,
        bus_bits: 128,
        dram_gbs: 80.0,
        dram_efficiency: 0.85,
        memory_bytes: GIB,
        l2_bytes: 2 * MIB,
        pcie_gbs: 15.75,
        f64_per_sm: 4,
        launch_us: 5.0,
        shared_per_block_optin: 48 * KIB,
        shared_per_sm: 64 * KIB,
        shared_reserved: 0,
        shared_unit: 256,
        max_warps_per_sm: 64,
        max_blocks_per_sm: 32,
        ..COMMON
    },
];

/// All devices that can be stood in for: `h200` (the default), `h100`, `a100`, `rtx4090`,
/// `rtx3060`, `t4`, `gtx750`.
pub fn models() -> &'static [DeviceModel] {
    &MODELS
}

/// The device with this key (upper and lower case are the same).
pub fn model(key: &str) -> Option<&'static DeviceModel> {
    MODELS.iter().find(|m| m.key.eq_ignore_ascii_case(key.trim()))
}

/// As [`model`], with an error that lists the keys.
///
/// # Errors
/// No device has this key.
pub fn lookup(key: &str) -> Result<&'static DeviceModel, String> {
    model(key).ok_or_else(|| {
        let keys: Vec<&str> = MODELS.iter().map(|m| m.key).collect();
        format!("no GPU is called `{key}` here; known are {}", keys.join(", "))
    })
}

/// The device that `LAB_GPU` names, [`DEFAULT_KEY`] when it is not set or empty.
///
/// # Errors
/// `LAB_GPU` names no known device.
pub fn from_env() -> Result<&'static DeviceModel, String> {
    let key = std::env::var("LAB_GPU").unwrap_or_default();
    let key = if key.trim().is_empty() { DEFAULT_KEY } else { &key };
    lookup(key).map_err(|e| format!("LAB_GPU: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_is_complete_and_agrees_with_itself() {
        for m in models() {
            assert_eq!(model(m.key), Some(m));
            // Both edges of the memory clock carry data; the data sheets round, so allow 3 %.
            let gbs = 2.0 * f64::from(m.memory_clock_mhz) * 1e6 * f64::from(m.bus_bits) / 8e9;
            assert!((gbs / m.dram_gbs - 1.0).abs() < 0.03, "{}: {gbs} GB/s", m.key);
            assert!(m.shared_per_block <= m.shared_per_block_optin, "{}", m.key);
            assert!(m.shared_per_block_optin + m.shared_reserved <= m.shared_per_sm, "{}", m.key);
            assert!(m.max_warps_per_sm * 32 >= m.max_threads_per_block, "{}", m.key);
            assert!((0.5..1.0).contains(&m.dram_efficiency), "{}", m.key);
            assert!(m.sms > 0 && m.l2_bytes > 0 && m.memory_bytes > 0 && m.pcie_gbs > 0.0);
        }
    }

    #[test]
    fn peaks_are_those_of_the_data_sheets() {
        let tflops = |key| model(key).unwrap().peak_f32_gflops() / 1e3;
        for (key, sheet) in
            [("h200", 67.0), ("h100", 67.0), ("a100", 19.5), ("rtx4090", 82.6), ("t4", 8.1)]
        {
            assert!((tflops(key) / sheet - 1.0).abs() < 0.01, "{key}: {}", tflops(key));
        }
        assert!((model("a100").unwrap().peak_f64_gflops() / 9700.0 - 1.0).abs() < 0.01);
    }

    #[test]
    fn keys_ignore_case_and_a_wrong_one_gets_the_list() {
        assert_eq!(model("H200").unwrap().name, "NVIDIA H200");
        let text = lookup("rtx5").unwrap_err();
        assert!(text.contains("`rtx5`") && text.contains("h200") && text.contains("gtx750"));
    }
}
