//! Descriptions of real devices: limits that launches must keep, and rates that turn counts into predicted time.

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
