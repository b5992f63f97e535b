//! A generator on the CPU: its options, its position, and the checks that cuRAND makes.

use super::lanes::Lanes;
use super::map::{Normal, Poisson};
use super::mrg32k3a::Mrg32k3a;
use super::mt19937::Mt19937;
use super::philox::Philox;
use super::sobol::{MAX_DIMENSIONS, SobolPoints};
use super::stream::Stream;
use super::xorwow::Xorwow;
use super::{Ordering, RngType, status};
use crate::error::{Error, Result, Status};

/// The state of a generator.
pub(super) struct Engine {
    kind: RngType,
    seed: u64,
    dimensions: u32,
    position: u64,
    /// Made when numbers are first asked for.
    stream: Option<Box<dyn Stream>>,
}

/// A refusal, with the name of the call.
fn refused<T>(call: &'static str, status: Status, what: impl Into<String>) -> Result<T> {
    Err(Error::new(call, status, what))
}

impl Engine {
    pub fn new(call: &'static str, kind: RngType) -> Result<Engine> {
        if kind == RngType::PseudoMtgp32 {
            return refused(
                call,
                status::TYPE_ERROR,
                "MTGP32 needs the vendor's tables of parameters: use PseudoMt19937, or a GPU",
            );
        }
        Ok(Engine { kind, seed: 0, dimensions: 1, position: 0, stream: None })
    }

    fn quasi(&self) -> bool {
        self.kind.is_quasi()
    }

    pub fn set_seed(&mut self, call: &'static str, seed: u64) -> Result<()> {
        if self.quasi() {
            return refused(
                call,
                status::TYPE_ERROR,
                "quasi-random sequences have no seed: they are always the same",
            );
        }
        (self.seed, self.stream) = (seed, None);
        Ok(())
    }

    pub fn set_offset(&mut self, call: &'static str, offset: u64) -> Result<()> {
        if self.kind == RngType::PseudoMt19937 {
            return refused(call, status::TYPE_ERROR, "MT19937 cannot jump to an offset");
        }
        self.position = offset;
        Ok(())
    }

    pub fn set_ordering(&mut self, call: &'static str, ordering: Ordering) -> Result<()> {
        match (ordering, self.quasi()) {
            (Ordering::QuasiDefault, true)
            | (Ordering::PseudoDefault | Ordering::PseudoBest, false) => Ok(()),
            (Ordering::PseudoLegacy, false) if self.kind != RngType::PseudoMrg32k3a => Ok(()),
            _ => refused(
                call,
                status::OUT_OF_RANGE,
                format!("{:?} does not have the ordering {ordering:?} on the CPU", self.kind),
            ),
        }
    }

    pub fn set_dimensions(&mut self, call: &'static str, dimensions: u32) -> Result<()> {
        if !self.quasi() {
            return refused(
                call,
                status::TYPE_ERROR,
                "only quasi-random generators have dimensions",
            );
        }
        if !(1..=MAX_DIMENSIONS).contains(&dimensions) {
            return refused(
                call,
                status::OUT_OF_RANGE,
                format!("dimensions: expected 1..={MAX_DIMENSIONS}, found {dimensions}"),
            );
        }
        if dimensions != self.dimensions {
            self.stream = None;
        }
        self.dimensions = dimensions;
        Ok(())
    }

    /// Makes the lanes or tables that the first numbers need.
    pub fn prepare(&mut self) -> &dyn Stream {
        let (kind, seed, dimensions) = (self.kind, self.seed, self.dimensions);
        let make = || -> Box<dyn Stream> {
            match kind {
                RngType::PseudoDefault | RngType::PseudoXorwow | RngType::PseudoMtgp32 => {
                    Box::new(Lanes::<Xorwow>::new(seed))
                }
                RngType::PseudoMrg32k3a => Box::new(Lanes::<Mrg32k3a>::new(seed)),
                RngType::PseudoMt19937 => Box::new(Mt19937::new(seed)),
                RngType::PseudoPhilox4_32_10 => Box::new(Philox::new(seed)),
                RngType::QuasiDefault | RngType::QuasiSobol32 => {
                    Box::new(SobolPoints::new(dimensions, false, false))
                }
                RngType::QuasiScrambledSobol32 => {
                    Box::new(SobolPoints::new(dimensions, false, true))
                }
                RngType::QuasiSobol64 => Box::new(SobolPoints::new(dimensions, true, false)),
                RngType::QuasiScrambledSobol64 => {
                    Box::new(SobolPoints::new(dimensions, true, true))
                }
            }
        };
        &**self.stream.get_or_insert_with(make)
    }

    /// Runs `f` at the position, which grows by what it returns. Quasi-random outputs must be whole
    /// points.
    fn at(
        &mut self,
        call: &'static str,
        len: usize,
        f: impl FnOnce(&dyn Stream, u64) -> u64,
    ) -> Result<()> {
        self.check_length(call, len)?;
        let position = self.position;
        let grown = f(self.prepare(), position);
        self.position = position.wrapping_add(grown);
        Ok(())
    }

    /// Checks a number of elements before memory is touched.
    pub fn check_length(&self, call: &'static str, len: usize) -> Result<()> {
        if self.quasi() && !len.is_multiple_of(self.dimensions as usize) {
            return refused(
                call,
                status::LENGTH_NOT_MULTIPLE,
                format!(
                    "{len} elements are no whole points of {} dimensions: use a multiple of it",
                    self.dimensions
                ),
            );
        }
        Ok(())
    }

    /// Normal numbers of XORWOW and MRG32k3a come in pairs.
    pub fn check_pairs(&self, call: &'static str, len: usize) -> Result<()> {
        let pairs = matches!(
            self.kind,
            RngType::PseudoDefault | RngType::PseudoXorwow | RngType::PseudoMrg32k3a
        );
        if pairs && len % 2 == 1 {
            return refused(
                call,
                status::LENGTH_NOT_MULTIPLE,
                format!("{len} elements: normal numbers come in pairs, use an even number"),
            );
        }
        self.check_length(call, len)
    }

    fn wide(&self) -> bool {
        matches!(self.kind, RngType::QuasiSobol64 | RngType::QuasiScrambledSobol64)
    }

    pub fn bits(&mut self, call: &'static str, out: &mut [u32]) -> Result<()> {
        if self.wide() {
            return refused(
                call,
                status::TYPE_ERROR,
                "this generator has 64 bits: use generate_long_long",
            );
        }
        self.at(call, out.len(), |s, p| s.bits(p, out))
    }

    pub fn bits_64(&mut self, call: &'static str, out: &mut [u64]) -> Result<()> {
        if !self.wide() {
            return refused(
                call,
                status::TYPE_ERROR,
                "only the Sobol64 generators have 64 bits: use generate, or another generator",
            );
        }
        let points = (out.len() / self.dimensions as usize) as u64;
        self.at(call, out.len(), |s, p| {
            s.bits_64(p, out);
            points
        })
    }

    pub fn uniform(&mut self, call: &'static str, out: &mut [f32]) -> Result<()> {
        self.at(call, out.len(), |s, p| s.uniform(p, out))
    }

    pub fn uniform_double(&mut self, call: &'static str, out: &mut [f64]) -> Result<()> {
        self.at(call, out.len(), |s, p| s.uniform_double(p, out))
    }

    pub fn normal(&mut self, call: &'static str, n: Normal<f32>, out: &mut [f32]) -> Result<()> {
        self.check_pairs(call, out.len())?;
        self.at(call, out.len(), |s, p| s.normal(p, n, out))
    }

    pub fn normal_double(
        &mut self,
        call: &'static str,
        n: Normal<f64>,
        out: &mut [f64],
    ) -> Result<()> {
        self.check_pairs(call, out.len())?;
        self.at(call, out.len(), |s, p| s.normal_double(p, n, out))
    }

    pub fn poisson(&mut self, call: &'static str, lambda: f64, out: &mut [u32]) -> Result<()> {
        // A comparison that NaN fails.
        if !(lambda > 0.0 && lambda <= Poisson::MAX) {
            return refused(
                call,
                status::OUT_OF_RANGE,
                format!(
                    "lambda: expected a mean above 0 and up to {}, found {lambda}",
                    Poisson::MAX
                ),
            );
        }
        let poisson = Poisson::new(lambda);
        self.at(call, out.len(), |s, p| s.poisson(p, &poisson, out))
    }
}
