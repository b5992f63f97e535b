//! Generators that write to device memory.

use std::fmt;
use std::marker::PhantomData;

use bytemuck::{Pod, Zeroable};
use cuda_driver::library::Work;
use cust::memory::{DeviceCopy, DeviceSlice};
use cust::stream::Stream;

use super::engine::Engine;
use super::map::Normal;
use super::vendor::{CURAND, Curand};
use super::{Ordering, RngType, STATUSES, status};
use crate::device::{Elements, RawStream, Session};
use crate::error::{Error, Result};
use crate::opaque::Handle;
use crate::provider::{Chosen, Provider};

/// A generator for device memory (`curandGenerator_t`): made with [`Generator::new`], destroyed
/// when it is dropped (`curandDestroyGenerator`). It works in the default stream until
/// [`Generator::set_stream`].
///
/// A generator made anew starts its sequence anew: keep it, or give it another seed or offset.
pub struct Generator<'s> {
    kind: RngType,
    maker: Maker,
    stream: RawStream,
    _stream: PhantomData<&'s Stream>,
}

enum Maker {
    Cpu(Box<Engine>),
    Vendor(Handle),
}

// SAFETY: a generator may be used from any thread that has its context current; `&mut` keeps
// threads apart.
unsafe impl Send for Generator<'_> {}

impl fmt::Debug for Generator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Generator").field("kind", &self.kind).finish_non_exhaustive()
    }
}

fn curand(call: &'static str) -> Result<&'static Curand> {
    CURAND.as_ref().map_err(|what| Error::new(call, status::INITIALIZATION_FAILED, what))
}

impl<'s> Generator<'s> {
    /// A new generator (`curandCreateGenerator`) with seed 0, offset 0, one dimension.
    ///
    /// # Errors
    /// `CURAND_STATUS_INITIALIZATION_FAILED` without a context, or if the vendor's library is
    /// needed and not installed; `CURAND_STATUS_TYPE_ERROR` for MTGP32 on the CPU.
    pub fn new(kind: RngType) -> Result<Generator<'s>> {
        Generator::with(Provider::Auto, kind)
    }

    /// A new generator that works where `provider` says.
    ///
    /// # Errors
    /// As [`Generator::new`].
    pub fn with(provider: Provider, kind: RngType) -> Result<Generator<'s>> {
        const CALL: &str = "curandCreateGenerator";
        let maker = STATUSES.logged(CALL, std::ptr::null_mut(), |_| {
            let refused = |what| Error::new(CALL, status::INITIALIZATION_FAILED, what);
            match provider.choose().map_err(refused)? {
                Chosen::Cpu => {
                    // Fails without a context, as the vendor's library does.
                    Session::begin(CALL, std::ptr::null_mut())
                        .map_err(|error| STATUSES.driver(CALL, error))?;
                    Ok(Maker::Cpu(Box::new(Engine::new(CALL, kind)?)))
                }
                Chosen::Vendor => {
                    let mut handle: Handle = std::ptr::null_mut();
                    // SAFETY: the out-pointer is valid.
                    let code = unsafe { (curand(CALL)?.create)(&mut handle, kind as u32) };
                    STATUSES.check(CALL, code)?;
                    Ok(Maker::Vendor(handle))
                }
            }
        })?;
        Ok(Generator { kind, maker, stream: std::ptr::null_mut(), _stream: PhantomData })
    }

    /// The kind of the generator.
    pub fn kind(&self) -> RngType {
        self.kind
    }

    /// An option: set on the CPU's generator or on the vendor's.
    fn option(
        &mut self,
        call: &'static str,
        cpu: impl FnOnce(&mut Engine) -> Result<()>,
        vendor: impl FnOnce(&Curand, Handle) -> u32,
    ) -> Result<()> {
        let maker = &mut self.maker;
        STATUSES.logged(call, self.stream, |_| match maker {
            Maker::Cpu(engine) => cpu(engine),
            Maker::Vendor(handle) => STATUSES.check(call, vendor(curand(call)?, *handle)),
        })
    }

    /// Later calls work in `stream` (`curandSetStream`).
    ///
    /// # Errors
    /// What the library refuses.
    pub fn set_stream(&mut self, stream: &'s Stream) -> Result<()> {
        self.set_raw_stream(stream.as_inner().cast())
    }

    pub(super) fn set_raw_stream(&mut self, raw: RawStream) -> Result<()> {
        // SAFETY: handle and stream are live.
        self.option("curandSetStream", |_| Ok(()), |l, h| unsafe { (l.set_stream)(h, raw) })?;
        self.stream = raw;
        Ok(())
    }

    /// Sets the seed (`curandSetPseudoRandomGeneratorSeed`).
    ///
    /// # Errors
    /// `CURAND_STATUS_TYPE_ERROR`: quasi-random generators have none.
    pub fn set_pseudo_random_generator_seed(&mut self, seed: u64) -> Result<()> {
        let call = "curandSetPseudoRandomGeneratorSeed";
        // SAFETY: live handle.
        self.option(call, |e| e.set_seed(call, seed), |l, h| unsafe { (l.set_seed)(h, seed) })
    }

    /// The next call begins this far into the sequence (`curandSetGeneratorOffset`); quasi-random:
    /// this many points.
    ///
    /// # Errors
    /// `CURAND_STATUS_TYPE_ERROR`: MT19937 and MTGP32 cannot jump.
    pub fn set_generator_offset(&mut self, offset: u64) -> Result<()> {
        let call = "curandSetGeneratorOffset";
        // SAFETY: live handle.
        self.option(
            call,
            |e| e.set_offset(call, offset),
            |l, h| unsafe { (l.set_offset)(h, offset) },
        )
    }

    /// Chooses the ordering (`curandSetGeneratorOrdering`).
    ///
    /// # Errors
    /// `CURAND_STATUS_OUT_OF_RANGE`: one that the generator does not have.
    pub fn set_generator_ordering(&mut self, ordering: Ordering) -> Result<()> {
        let call = "curandSetGeneratorOrdering";
        self.option(
            call,
            |e| e.set_ordering(call, ordering),
            // SAFETY: live handle.
            |l, h| unsafe { (l.set_ordering)(h, ordering as u32) },
        )
    }

    /// Sets the number of coordinates of a point (`curandSetQuasiRandomGeneratorDimensions`).
    ///
    /// # Errors
    /// `CURAND_STATUS_OUT_OF_RANGE` for none or more than 20,000, `CURAND_STATUS_TYPE_ERROR` for a
    /// pseudo-random generator.
    pub fn set_quasi_random_generator_dimensions(&mut self, dimensions: u32) -> Result<()> {
        let call = "curandSetQuasiRandomGeneratorDimensions";
        self.option(
            call,
            |e| e.set_dimensions(call, dimensions),
            // SAFETY: live handle.
            |l, h| unsafe { (l.set_dimensions)(h, dimensions) },
        )
    }

    /// Makes the state that the first numbers need (`curandGenerateSeeds`), so that the first call
    /// is not slower than others.
    ///
    /// # Errors
    /// What the library refuses.
    pub fn generate_seeds(&mut self) -> Result<()> {
        let prepared = |engine: &mut Engine| {
            engine.prepare();
            Ok(())
        };
        // SAFETY: live handle.
        self.option("curandGenerateSeeds", prepared, |l, h| unsafe { (l.seeds)(h) })
    }

    /// Fills a slice of device memory.
    fn fill<T: Pod + Zeroable + DeviceCopy>(
        &mut self,
        call: &'static str,
        out: &mut DeviceSlice<T>,
        cpu: impl FnOnce(&mut Engine, &mut [T]) -> Result<()>,
        vendor: impl FnOnce(&Curand, Handle, u64, usize) -> u32,
    ) -> Result<()> {
        let elements = Elements::first((&*out).into(), out.len());
        let (maker, stream) = (&mut self.maker, self.stream);
        STATUSES.logged(call, stream, |output| {
            *output = elements.span();
            match maker {
                Maker::Cpu(engine) => {
                    let driver = |error| STATUSES.driver(call, error);
                    let mut session = Session::begin(call, stream).map_err(driver)?;
                    let mut values = vec![T::zeroed(); elements.count()];
                    cpu(engine, &mut values)?;
                    session.write(&elements, &values).map_err(driver)?;
                    let bytes = size_of_val(values.as_slice()) as u64;
                    // About 20 operations for a number, which memory outweighs.
                    let flop_f32 = 20.0 * values.len() as f64;
                    session.end(Work { bytes, flop_f32, ..Work::default() });
                    Ok(())
                }
                Maker::Vendor(handle) => {
                    let address = out.as_device_ptr().as_raw();
                    STATUSES.check(call, vendor(curand(call)?, *handle, address, out.len()))
                }
            }
        })
    }

    /// 32 random bits each (`curandGenerate`).
    ///
    /// # Errors
    /// `CURAND_STATUS_TYPE_ERROR` for a generator of 64 bits, `CURAND_STATUS_LENGTH_NOT_MULTIPLE`
    /// for a length that is no multiple of the dimensions.
    pub fn generate(&mut self, out: &mut DeviceSlice<u32>) -> Result<()> {
        let call = "curandGenerate";
        // SAFETY: live handle; the slice has that many elements.
        self.fill(call, out, |e, x| e.bits(call, x), |l, h, p, n| unsafe { (l.generate)(h, p, n) })
    }

    /// 64 random bits each (`curandGenerateLongLong`).
    ///
    /// # Errors
    /// `CURAND_STATUS_TYPE_ERROR` for a generator of 32 bits, `CURAND_STATUS_LENGTH_NOT_MULTIPLE`
    /// for a length that is no multiple of the dimensions.
    pub fn generate_long_long(&mut self, out: &mut DeviceSlice<u64>) -> Result<()> {
        let call = "curandGenerateLongLong";
        self.fill(
            call,
            out,
            |e, x| e.bits_64(call, x),
            // SAFETY: live handle; the slice has that many elements.
            |l, h, p, n| unsafe { (l.generate_long_long)(h, p, n) },
        )
    }

    /// Uniform in (0, 1] (`curandGenerateUniform`).
    ///
    /// # Errors
    /// `CURAND_STATUS_LENGTH_NOT_MULTIPLE` for a length that is no multiple of the dimensions.
    pub fn generate_uniform(&mut self, out: &mut DeviceSlice<f32>) -> Result<()> {
        let call = "curandGenerateUniform";
        self.fill(
            call,
            out,
            |e, x| e.uniform(call, x),
            // SAFETY: live handle; the slice has that many elements.
            |l, h, p, n| unsafe { (l.generate_uniform)(h, p, n) },
        )
    }

    /// Uniform in (0, 1] (`curandGenerateUniformDouble`).
    ///
    /// # Errors
    /// `CURAND_STATUS_LENGTH_NOT_MULTIPLE` for a length that is no multiple of the dimensions.
    pub fn generate_uniform_double(&mut self, out: &mut DeviceSlice<f64>) -> Result<()> {
        let call = "curandGenerateUniformDouble";
        self.fill(
            call,
            out,
            |e, x| e.uniform_double(call, x),
            // SAFETY: live handle; the slice has that many elements.
            |l, h, p, n| unsafe { (l.generate_uniform_double)(h, p, n) },
        )
    }

    /// Normal numbers (`curandGenerateNormal`).
    ///
    /// # Errors
    /// `CURAND_STATUS_LENGTH_NOT_MULTIPLE` for an odd length with XORWOW or MRG32k3a, or one that
    /// is no multiple of the dimensions.
    pub fn generate_normal(
        &mut self,
        out: &mut DeviceSlice<f32>,
        mean: f32,
        stddev: f32,
    ) -> Result<()> {
        let call = "curandGenerateNormal";
        self.fill(
            call,
            out,
            |e, x| e.normal(call, Normal { mean, stddev, log: false }, x),
            // SAFETY: live handle; the slice has that many elements.
            |l, h, p, n| unsafe { (l.generate_normal)(h, p, n, mean, stddev) },
        )
    }

    /// Normal numbers (`curandGenerateNormalDouble`).
    ///
    /// # Errors
    /// As [`Generator::generate_normal`].
    pub fn generate_normal_double(
        &mut self,
        out: &mut DeviceSlice<f64>,
        mean: f64,
        stddev: f64,
    ) -> Result<()> {
        let call = "curandGenerateNormalDouble";
        self.fill(
            call,
            out,
            |e, x| e.normal_double(call, Normal { mean, stddev, log: false }, x),
            // SAFETY: live handle; the slice has that many elements.
            |l, h, p, n| unsafe { (l.generate_normal_double)(h, p, n, mean, stddev) },
        )
    }

    /// Exponentials of normal numbers (`curandGenerateLogNormal`).
    ///
    /// # Errors
    /// As [`Generator::generate_normal`].
    pub fn generate_log_normal(
        &mut self,
        out: &mut DeviceSlice<f32>,
        mean: f32,
        stddev: f32,
    ) -> Result<()> {
        let call = "curandGenerateLogNormal";
        self.fill(
            call,
            out,
            |e, x| e.normal(call, Normal { mean, stddev, log: true }, x),
            // SAFETY: live handle; the slice has that many elements.
            |l, h, p, n| unsafe { (l.generate_log_normal)(h, p, n, mean, stddev) },
        )
    }

    /// Exponentials of normal numbers (`curandGenerateLogNormalDouble`).
    ///
    /// # Errors
    /// As [`Generator::generate_normal`].
    pub fn generate_log_normal_double(
        &mut self,
        out: &mut DeviceSlice<f64>,
        mean: f64,
        stddev: f64,
    ) -> Result<()> {
        let call = "curandGenerateLogNormalDouble";
        self.fill(
            call,
            out,
            |e, x| e.normal_double(call, Normal { mean, stddev, log: true }, x),
            // SAFETY: live handle; the slice has that many elements.
            |l, h, p, n| unsafe { (l.generate_log_normal_double)(h, p, n, mean, stddev) },
        )
    }

    /// Poisson numbers with mean `lambda` (`curandGeneratePoisson`).
    ///
    /// # Errors
    /// `CURAND_STATUS_OUT_OF_RANGE` for a mean that is not above 0 and at most 400,000,
    /// `CURAND_STATUS_LENGTH_NOT_MULTIPLE` for a length that is no multiple of the dimensions.
    pub fn generate_poisson(&mut self, out: &mut DeviceSlice<u32>, lambda: f64) -> Result<()> {
        let call = "curandGeneratePoisson";
        self.fill(
            call,
            out,
            |e, x| e.poisson(call, lambda, x),
            // SAFETY: live handle; the slice has that many elements.
            |l, h, p, n| unsafe { (l.generate_poisson)(h, p, n, lambda) },
        )
    }
}

impl Drop for Generator<'_> {
    fn drop(&mut self) {
        // SAFETY: live handle, which is not used again. Nobody is left to be told of an error.
        let _ = self.option("curandDestroyGenerator", |_| Ok(()), |l, h| unsafe { (l.destroy)(h) });
    }
}
