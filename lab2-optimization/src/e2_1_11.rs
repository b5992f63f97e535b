//! Exercise 2.1.11: resources of a kernel, occupancy, and what the driver suggests.

use cust::function::{BlockSize, Function, FunctionAttribute};
use labkit::{During, LabError};

/// What the calculator must know of a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmLimits {
    /// Most resident warps.
    pub max_warps: u32,
    /// Most resident blocks.
    pub max_blocks: u32,
    /// 32-bit registers.
    pub registers: u32,
    /// Registers are given to a warp in units of this many.
    pub register_unit: u32,
    /// Bytes of shared memory.
    pub shared: u32,
    /// Shared memory is given to a block in units of this many bytes.
    pub shared_unit: u32,
    /// Bytes of shared memory that the system takes from each block.
    pub shared_reserved: u32,
}

/// What keeps a further block off the multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// Result of [`occupancy`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occupancy {
    /// Resident blocks.
    pub blocks: u32,
    /// Resident warps.
    pub warps: u32,
    /// `100 * warps / most resident warps`.
    pub percent: f64,
    /// What stops more; of several equal limits the first in the order of [`Limiter`].
    pub limiter: Limiter,
}

/// Registers of a thread and bytes of static shared memory of a block, as the compiled kernel has
/// them.
///
/// # Errors
/// Whatever the driver refuses.
pub fn kernel_resources(f: &Function) -> Result<(u32, u32), LabError> {
    // <lab
    // `f.get_attribute(FunctionAttribute::NumRegisters)`, and which other attribute?
    let _ = f.get_attribute(FunctionAttribute::NumRegisters).during("get_attribute")?;
    Ok((0, 0))
    // lab>
}

/// Blocks of `threads` threads with `regs` registers each and `smem` bytes of shared memory that
/// are resident at a time.
///
/// # Errors
/// No thread or more than 1024 in a block, more than 255 registers, a block that does not fit at
/// all.
pub fn occupancy(sm: &SmLimits, threads: u32, regs: u32, smem: u32) -> Result<Occupancy, LabError> {
    // <lab
    // Whole warps; limits by warps, blocks, registers (rounded up to the unit, warps in steps
    // of four), shared memory (with what is reserved, rounded up to its unit); the smallest
    // counts.
    let _ = (sm, threads, regs, smem);
    Err(LabError::msg("occupancy is not written yet"))
    // lab>
}

/// What the driver suggests for a kernel without dynamic shared memory: blocks that fill the
/// device, and threads of a block.
///
/// # Errors
/// Whatever the driver refuses.
pub fn suggestion(f: &Function) -> Result<(u32, u32), LabError> {
    // <lab
    // cust has a method of Function for cuOccupancyMaxPotentialBlockSize; a limit of
    // BlockSize::x(0) is none.
    let _ = (f, BlockSize::x(0));
    Err(LabError::msg("suggestion is not written yet"))
    // lab>
}

/// The two lines that a program prints, (blocks, threads of a block) each; the blocks have five
/// places behind `>=`, and three behind `configuration: `:
///
/// ```text
/// Quasi-optimal cfg.: >=  264 blocks of length 1024
/// Actual configuration:   4 blocks of length 512
/// ```
pub fn configuration_lines(suggested: (u32, u32), actual: (u32, u32)) -> [String; 2] {
    // <lab
    let _ = (suggested, actual);
    [String::new(), String::new()]
    // lab>
}

// <lab
// Room for constants and helpers.
// lab>

/// Bonus: the filter by overlap-save, in blocks of 4096 samples. Both channels as in exercise
/// 2.1.2.
///
/// # Errors
/// The bonus has not been attempted.
pub fn audiofir_fft(
    yout: &mut [f32],
    yin: &[f32],
    coeff: &[f32],
    len: usize,
) -> Result<(), LabError> {
    // <lab
    let _ = (yout, yin, coeff, len);
    Err(LabError::msg("the bonus has not been attempted"))
    // lab>
}
