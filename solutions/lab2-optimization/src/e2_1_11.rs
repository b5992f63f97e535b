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
    let get = |what| f.get_attribute(what).during("get_attribute").map(|value| value as u32);
    Ok((get(FunctionAttribute::NumRegisters)?, get(FunctionAttribute::SharedMemorySizeBytes)?))
    //~ // `f.get_attribute(FunctionAttribute::NumRegisters)`, and which other attribute?
    //~ let _ = f.get_attribute(FunctionAttribute::NumRegisters).during("get_attribute")?;
    //~ Ok((0, 0))
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
    if !(1..=1024).contains(&threads) {
        return Err(LabError::msg(format!("threads: expected 1..=1024, found {threads}")));
    }
    if regs > 255 {
        return Err(LabError::msg(format!("registers: expected at most 255, found {regs}")));
    }
    let warps_per_block = threads.div_ceil(32);
    let by_warps = sm.max_warps / warps_per_block;
    let by_registers = match (32 * regs).next_multiple_of(sm.register_unit) {
        0 => u32::MAX,
        // Four schedulers share the registers: a warp more needs room with each of them.
        per_warp => (sm.registers / per_warp) / 4 * 4 / warps_per_block,
    };
    let by_shared = match (smem + sm.shared_reserved).next_multiple_of(sm.shared_unit) {
        0 => u32::MAX,
        per_block => sm.shared / per_block,
    };
    let limits = [
        (by_warps, Limiter::Warps),
        (sm.max_blocks, Limiter::Blocks),
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
    if blocks == 0 {
        return Err(LabError::msg(format!("not even one block fits: too much of {limiter:?}")));
    }
    let warps = blocks * warps_per_block;
    let percent = 100.0 * f64::from(warps) / f64::from(sm.max_warps);
    Ok(Occupancy { blocks, warps, percent, limiter })
    //~ // Whole warps; limits by warps, blocks, registers (rounded up to the unit, warps in steps
    //~ // of four), shared memory (with what is reserved, rounded up to its unit); the smallest
    //~ // counts.
    //~ let _ = (sm, threads, regs, smem);
    //~ Err(LabError::msg("occupancy is not written yet"))
    // lab>
}

/// What the driver suggests for a kernel without dynamic shared memory: blocks that fill the
/// device, and threads of a block.
///
/// # Errors
/// Whatever the driver refuses.
pub fn suggestion(f: &Function) -> Result<(u32, u32), LabError> {
    // <lab
    f.suggested_launch_configuration(0, BlockSize::x(0)).during("suggested_launch_configuration")
    //~ // cust has a method of Function for cuOccupancyMaxPotentialBlockSize; a limit of
    //~ // BlockSize::x(0) is none.
    //~ let _ = (f, BlockSize::x(0));
    //~ Err(LabError::msg("suggestion is not written yet"))
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
    [
        format!("Quasi-optimal cfg.: >={:5} blocks of length {}", suggested.0, suggested.1),
        format!("Actual configuration: {:3} blocks of length {}", actual.0, actual.1),
    ]
    //~ let _ = (suggested, actual);
    //~ [String::new(), String::new()]
    // lab>
}

// <lab
/// Samples of one transform.
const F: usize = 4096;
//~ // Room for constants and helpers.
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
    if coeff.len() > F {
        return Err(LabError::msg(format!(
            "order {} is too high for blocks of {F}",
            coeff.len() - 1
        )));
    }
    let (forward, inverse) = lab2_optimization::audio::real_fft(F);
    let failed = |e: lab2_optimization::audio::FftError| LabError::msg(e.to_string());
    // The spectrum of the filter, with the transforms' factor 1/F in it.
    let mut block = vec![0.0; F];
    block[..coeff.len()].copy_from_slice(coeff);
    block.iter_mut().for_each(|h| *h /= F as f32);
    let mut filter = forward.make_output_vec();
    forward.process(&mut block, &mut filter).map_err(failed)?;
    let mut spectrum = forward.make_output_vec();
    let history = coeff.len() - 1;
    let step = F - history;
    for first in [0, len] {
        let x = &yin[first..first + len];
        for start in (0..len).step_by(step) {
            let count = step.min(len - start);
            // Entry p is sample start - history + p: zeros before the first and behind the last.
            for (p, entry) in block.iter_mut().enumerate() {
                *entry =
                    (start + p).checked_sub(history).and_then(|i| x.get(i)).copied().unwrap_or(0.0);
            }
            forward.process(&mut block, &mut spectrum).map_err(failed)?;
            spectrum.iter_mut().zip(&filter).for_each(|(s, h)| *s *= h);
            inverse.process(&mut spectrum, &mut block).map_err(failed)?;
            // The first `history` outputs are wrapped round: they belong to the block before.
            let out = &mut yout[first + start..first + start + count];
            out.copy_from_slice(&block[history..history + count]);
        }
    }
    Ok(())
    //~ let _ = (yout, yin, coeff, len);
    //~ Err(LabError::msg("the bonus has not been attempted"))
    // lab>
}
