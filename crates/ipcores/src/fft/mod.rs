//! Fourier transforms in fixed point: `X(k) = sum of x(n) exp(-j 2 pi n k / N)`, scaled stage by
//! stage.
//!
//! All architectures have the same ports (the clock aside):
//!
//! | port | | |
//! |---|---|---|
//! | `start` | in | begins a transform; the first sample is asked for in the next clock |
//! | `unload` | in | asks for the result, with `edone` or later (streaming does not wait for it) |
//! | `xn_re`, `xn_im` | in | the sample with the number on `xn_index`, in clocks with `rfd` |
//! | `fwd_inv`, `fwd_inv_we` | in | 0 = forward, 1 = inverse; taken where the write enable is 1 |
//! | `scale_sch`, `scale_sch_we` | in | right shifts of the stages, two bits each, first stage lowest |
//! | `rfd`, `xn_index` | out | samples are being loaded; number of the sample |
//! | `busy` | out | computing (streaming: a frame is under way) |
//! | `edone`, `done` | out | one clock before the end, the end |
//! | `dv`, `xk_index`, `xk_re`, `xk_im` | out | result valid, in natural order |
//! | `ovflo` | out | some value of the frame did not fit and wrapped |
//!
//! The samples are stored in digit-reversed order; stage `s` joins values that lie `radix^s` apart,
//! each first multiplied by its phase factor (decimation in time). All bits are kept until the end
//! of a stage, where the sum is shifted right by the stage's entry in the schedule and cut (or
//! rounded) to the width of the data.

mod burst;
mod control;
mod drive;
mod lite;
mod model;
mod parts;
mod streaming;

pub use burst::{Addresses, BUTTERFLY_CLOCKS, Engine, burst};
pub use drive::{Frame, Frames, drive};
pub use lite::lite;
pub use model::{Spectrum, peak, signal_to_noise};
pub use parts::{Complex, product};
pub use streaming::streaming;

use hdl::Block;

use crate::{ParameterError, within};

/// Stages of the schedule for 1024 points and radix 4 that lab 5 uses: `01_00_10_11_10`, in all
/// 1/256.
pub const RADIX4_SCHEDULE: [u32; 5] = [2, 3, 2, 0, 1];

/// The schedule for radix 2 that cannot overflow, in all 1/2048: shift by 2, then by 1.
pub const RADIX2_SCHEDULE: [u32; 10] = [2, 1, 1, 1, 1, 1, 1, 1, 1, 1];

/// Parameters of a transform, checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fft {
    log2: u32,
    data_bits: u32,
    factor_bits: u32,
    rounding: bool,
}

impl Fft {
    /// A transform of 8 to 4096 points (a power of two) of data of 8 to 18 bits with phase factors
    /// of 8 to 24 bits.
    ///
    /// # Errors
    /// A parameter out of these limits.
    pub fn new(points: u32, data_bits: u32, factor_bits: u32) -> Result<Fft, ParameterError> {
        within("points", points, 8, 4096)?;
        within("bits of the data", data_bits, 8, 18)?;
        within("bits of a phase factor", factor_bits, 8, 24)?;
        if !points.is_power_of_two() {
            return Err(ParameterError(format!("points: {points} is not a power of two")));
        }
        Ok(Fft { log2: points.ilog2(), data_bits, factor_bits, rounding: false })
    }

    /// The transform of lab 5: 1024 points, data of 16 bits, phase factors of 24 bits.
    pub fn lab5() -> Fft {
        Fft { log2: 10, data_bits: 16, factor_bits: 24, rounding: false }
    }

    /// Rounds to nearest (halves up) instead of cutting off.
    pub fn rounding(self) -> Fft {
        Fft { rounding: true, ..self }
    }

    /// True if results are rounded.
    pub fn rounds(self) -> bool {
        self.rounding
    }

    /// Number of points N.
    pub fn points(self) -> u32 {
        1 << self.log2
    }

    /// log2 N.
    pub fn log2(self) -> u32 {
        self.log2
    }

    /// Bits of real and imaginary part.
    pub fn data_bits(self) -> u32 {
        self.data_bits
    }

    /// Bits of a phase factor's parts.
    pub fn factor_bits(self) -> u32 {
        self.factor_bits
    }

    /// Fraction bits of a phase factor; 1 and -1 are represented exactly.
    pub fn fraction(self) -> u32 {
        self.factor_bits - 2
    }

    /// Bits of each part of a value times a phase factor.
    pub fn product_bits(self) -> u32 {
        self.data_bits + self.factor_bits - 1
    }

    /// Stages for a radix of 2 or 4.
    ///
    /// # Errors
    /// If N is not a power of the radix.
    pub fn stages(self, radix: u32) -> Result<u32, ParameterError> {
        match radix {
            2 => Ok(self.log2),
            4 if self.log2.is_multiple_of(2) => Ok(self.log2 / 2),
            4 => Err(ParameterError(format!("{} points are not a power of 4", self.points()))),
            _ => Err(ParameterError(format!("radix: {radix} is neither 2 nor 4"))),
        }
    }

    /// The phase factor `exp(-j 2 pi k / N)` as whole numbers, real and imaginary part times
    /// `2^fraction`.
    pub fn factor(self, k: u32) -> (i64, i64) {
        let angle = std::f64::consts::TAU * f64::from(k) / f64::from(self.points());
        let unit = f64::from(1u32 << self.fraction());
        ((unit * angle.cos()).round() as i64, -(unit * angle.sin()).round() as i64)
    }

    /// A schedule that cannot overflow, whatever the input: growth of one complex sum and one turn
    /// of the phase.
    pub fn safe_schedule(self, radix: u32) -> Vec<u32> {
        let stages = self.stages(radix).unwrap_or(self.log2) as usize;
        let mut schedule = vec![if radix == 4 { 2 } else { 1 }; stages];
        if let Some(first) = schedule.first_mut() {
            *first += 1;
        }
        schedule
    }
}

/// A schedule as the word for `scale_sch`: pairs of bits, the first stage lowest.
pub fn schedule_word(schedule: &[u32]) -> i64 {
    schedule.iter().rev().fold(0, |word, &shift| word << 2 | i64::from(shift & 3))
}

/// A finished transform.
#[derive(Clone, PartialEq, Debug)]
pub struct FftCore {
    /// The hardware.
    pub block: Block,
    /// Its parameters.
    pub fft: Fft,
    /// 2 or 4.
    pub radix: u32,
    /// Clocks of a transform in which the engine begins a step.
    pub engine: u32,
    /// Further clocks of a transform, in which the pipeline runs empty (streaming: from sample to
    /// result).
    pub flush: u32,
    /// Clocks from one start to the earliest next one.
    pub period: u32,
}

impl FftCore {
    /// Clocks of a transform from the last sample to `done`.
    pub fn compute_cycles(&self) -> u32 {
        self.engine + self.flush
    }
}
