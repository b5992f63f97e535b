//! Generators that write to host memory (`curandCreateGeneratorHost`): on every machine computed on
//! the CPU.

use super::engine::Engine;
use super::map::Normal;
use super::{Ordering, RngType};
use crate::error::Result;

/// A generator for host memory. The numbers are those of a [`Generator`](super::Generator) on the
/// CPU; neither a device nor a context is needed.
pub struct HostGenerator(Engine);

impl HostGenerator {
    /// A new generator (`curandCreateGeneratorHost`) with seed 0, offset 0, one dimension.
    ///
    /// # Errors
    /// MTGP32 is not offered on the CPU.
    pub fn new(kind: RngType) -> Result<HostGenerator> {
        Ok(HostGenerator(Engine::new("curandCreateGeneratorHost", kind)?))
    }

    /// Sets the seed (`curandSetPseudoRandomGeneratorSeed`).
    ///
    /// # Errors
    /// Quasi-random generators have none.
    pub fn set_pseudo_random_generator_seed(&mut self, seed: u64) -> Result<()> {
        self.0.set_seed("curandSetPseudoRandomGeneratorSeed", seed)
    }

    /// The next call begins this far into the sequence (`curandSetGeneratorOffset`); quasi-random:
    /// this many points.
    ///
    /// # Errors
    /// MT19937 cannot jump.
    pub fn set_generator_offset(&mut self, offset: u64) -> Result<()> {
        self.0.set_offset("curandSetGeneratorOffset", offset)
    }

    /// Chooses the ordering (`curandSetGeneratorOrdering`).
    ///
    /// # Errors
    /// One that the CPU does not have.
    pub fn set_generator_ordering(&mut self, ordering: Ordering) -> Result<()> {
        self.0.set_ordering("curandSetGeneratorOrdering", ordering)
    }

    /// Sets the number of coordinates of a point (`curandSetQuasiRandomGeneratorDimensions`).
    ///
    /// # Errors
    /// None or more than 20,000; a pseudo-random generator.
    pub fn set_quasi_random_generator_dimensions(&mut self, dimensions: u32) -> Result<()> {
        self.0.set_dimensions("curandSetQuasiRandomGeneratorDimensions", dimensions)
    }

    /// 32 random bits each (`curandGenerate`).
    ///
    /// # Errors
    /// A generator of 64 bits; a length that is no multiple of the dimensions.
    pub fn generate(&mut self, out: &mut [u32]) -> Result<()> {
        self.0.bits("curandGenerate", out)
    }

    /// 64 random bits each (`curandGenerateLongLong`).
    ///
    /// # Errors
    /// A generator of 32 bits; a length that is no multiple of the dimensions.
    pub fn generate_long_long(&mut self, out: &mut [u64]) -> Result<()> {
        self.0.bits_64("curandGenerateLongLong", out)
    }

    /// Uniform in (0, 1] (`curandGenerateUniform`).
    ///
    /// # Errors
    /// A length that is no multiple of the dimensions.
    pub fn generate_uniform(&mut self, out: &mut [f32]) -> Result<()> {
        self.0.uniform("curandGenerateUniform", out)
    }

    /// Uniform in (0, 1] (`curandGenerateUniformDouble`).
    ///
    /// # Errors
    /// A length that is no multiple of the dimensions.
    pub fn generate_uniform_double(&mut self, out: &mut [f64]) -> Result<()> {
        self.0.uniform_double("curandGenerateUniformDouble", out)
    }

    /// Normal numbers (`curandGenerateNormal`).
    ///
    /// # Errors
    /// An odd length with XORWOW or MRG32k3a; a length that is no multiple of the dimensions.
    pub fn generate_normal(&mut self, out: &mut [f32], mean: f32, stddev: f32) -> Result<()> {
        self.0.normal("curandGenerateNormal", Normal { mean, stddev, log: false }, out)
    }

    /// Normal numbers (`curandGenerateNormalDouble`).
    ///
    /// # Errors
    /// An odd length with XORWOW or MRG32k3a; a length that is no multiple of the dimensions.
    pub fn generate_normal_double(
        &mut self,
        out: &mut [f64],
        mean: f64,
        stddev: f64,
    ) -> Result<()> {
        self.0.normal_double("curandGenerateNormalDouble", Normal { mean, stddev, log: false }, out)
    }

    /// Exponentials of normal numbers (`curandGenerateLogNormal`).
    ///
    /// # Errors
    /// An odd length with XORWOW or MRG32k3a; a length that is no multiple of the dimensions.
    pub fn generate_log_normal(&mut self, out: &mut [f32], mean: f32, stddev: f32) -> Result<()> {
        self.0.normal("curandGenerateLogNormal", Normal { mean, stddev, log: true }, out)
    }

    /// Exponentials of normal numbers (`curandGenerateLogNormalDouble`).
    ///
    /// # Errors
    /// An odd length with XORWOW or MRG32k3a; a length that is no multiple of the dimensions.
    pub fn generate_log_normal_double(
        &mut self,
        out: &mut [f64],
        mean: f64,
        stddev: f64,
    ) -> Result<()> {
        let normal = Normal { mean, stddev, log: true };
        self.0.normal_double("curandGenerateLogNormalDouble", normal, out)
    }

    /// Poisson numbers with mean `lambda` (`curandGeneratePoisson`).
    ///
    /// # Errors
    /// A mean that is not above 0 and at most 400,000; a length that is no multiple of the
    /// dimensions.
    pub fn generate_poisson(&mut self, out: &mut [u32], lambda: f64) -> Result<()> {
        self.0.poisson("curandGeneratePoisson", lambda, out)
    }
}
