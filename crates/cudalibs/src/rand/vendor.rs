//! cuRAND as far as it is used. Signatures: cuRAND manual, host API.

use crate::opaque::Handle;
use crate::vendor::{Library, Loaded, functions};

#[cfg(windows)]
const NAMES: &[&str] = &["curand64_10.dll"];
#[cfg(not(windows))]
const NAMES: &[&str] = &["libcurand.so.10", "libcurand.so"];

/// cuRAND.
pub(crate) static CURAND: Loaded<Curand> = Loaded::new(|| match cuda_driver::library::judged() {
    true => Ok(Curand::remote::<f32>()),
    false => Curand::load(&Library::open("cuRAND", NAMES)?, str::to_owned),
});

functions! {
    /// The functions of cuRAND.
    remote Curand;
    create: "curandCreateGenerator" (*mut Handle, u32);
    destroy: "curandDestroyGenerator" (Handle);
    set_stream: "curandSetStream" (Handle, Handle);
    set_seed: "curandSetPseudoRandomGeneratorSeed" (Handle, u64);
    set_offset: "curandSetGeneratorOffset" (Handle, u64);
    set_ordering: "curandSetGeneratorOrdering" (Handle, u32);
    set_dimensions: "curandSetQuasiRandomGeneratorDimensions" (Handle, u32);
    seeds: "curandGenerateSeeds" (Handle);
    generate: "curandGenerate" (Handle, u64, usize);
    generate_long_long: "curandGenerateLongLong" (Handle, u64, usize);
    generate_uniform: "curandGenerateUniform" (Handle, u64, usize);
    generate_uniform_double: "curandGenerateUniformDouble" (Handle, u64, usize);
    generate_normal: "curandGenerateNormal" (Handle, u64, usize, f32, f32);
    generate_normal_double: "curandGenerateNormalDouble" (Handle, u64, usize, f64, f64);
    generate_log_normal: "curandGenerateLogNormal" (Handle, u64, usize, f32, f32);
    generate_log_normal_double: "curandGenerateLogNormalDouble" (Handle, u64, usize, f64, f64);
    generate_poisson: "curandGeneratePoisson" (Handle, u64, usize, f64);
}
