//! Random numbers under the names of cuRAND's host API: pseudo-random generators with a seed,
//! quasi-random ones with dimensions.
//!
//! | generator | sequence on the CPU |
//! |---|---|
//! | XORWOW (the default), Philox4x32-10, MRG32k3a, Sobol32, Sobol64 | the vendor's: integers and uniform numbers bit for bit, normal numbers up to rounding |
//! | MT19937, scrambled Sobol | of the same kind, but other numbers |
//! | MTGP32 | only on a GPU |
//!
//! Uniform numbers lie in **(0, 1]**: 1 occurs, 0 does not. Poisson numbers are made by inversion:
//! for quasi-random generators they are the vendor's, for pseudo-random ones they have the same
//! distribution. Each call continues where the last one stopped. The output of a quasi-random
//! generator with d dimensions holds all first coordinates, then all second ones and so on; its
//! length must be a multiple of d.
//!
//! ```
//! # fn main() -> Result<(), labkit::LabError> {
//! use cudalibs::rand::{HostGenerator, RngType};
//! let mut points = HostGenerator::new(RngType::QuasiSobol32)?;
//! points.set_quasi_random_generator_dimensions(2)?;
//! let mut xy = [0.0f32; 8];
//! points.generate_uniform(&mut xy)?; // four points: x in xy[..4], y in xy[4..]
//! assert_eq!(xy.map(|v| (100.0 * v) as i32), [0, 50, 75, 25, 0, 50, 25, 75]);
//! # Ok(()) }
//! ```

mod engine;
mod generator;
mod host;
pub(crate) mod judge;
mod lanes;
mod map;
mod mrg32k3a;
mod mt19937;
mod philox;
mod sobol;
mod stream;
mod vendor;
mod xorwow;

use crate::error::{Status, Statuses};

use lanes::Lane;

pub use generator::Generator;
pub use host::HostGenerator;

/// The statuses of cuRAND that this crate returns by itself.
mod status {
    use crate::error::Status;

    pub const NOT_INITIALIZED: Status = Status { code: 101, name: "CURAND_STATUS_NOT_INITIALIZED" };
    pub const TYPE_ERROR: Status = Status { code: 103, name: "CURAND_STATUS_TYPE_ERROR" };
    pub const OUT_OF_RANGE: Status = Status { code: 104, name: "CURAND_STATUS_OUT_OF_RANGE" };
    pub const LENGTH_NOT_MULTIPLE: Status =
        Status { code: 105, name: "CURAND_STATUS_LENGTH_NOT_MULTIPLE" };
    pub const LAUNCH_FAILURE: Status = Status { code: 201, name: "CURAND_STATUS_LAUNCH_FAILURE" };
    pub const INITIALIZATION_FAILED: Status =
        Status { code: 203, name: "CURAND_STATUS_INITIALIZATION_FAILED" };
    pub const INTERNAL_ERROR: Status = Status { code: 999, name: "CURAND_STATUS_INTERNAL_ERROR" };
}

static STATUSES: Statuses = Statuses {
    table: &[
        Status { code: 0, name: "CURAND_STATUS_SUCCESS" },
        Status { code: 100, name: "CURAND_STATUS_VERSION_MISMATCH" },
        status::NOT_INITIALIZED,
        Status { code: 102, name: "CURAND_STATUS_ALLOCATION_FAILED" },
        status::TYPE_ERROR,
        status::OUT_OF_RANGE,
        status::LENGTH_NOT_MULTIPLE,
        Status { code: 106, name: "CURAND_STATUS_DOUBLE_PRECISION_REQUIRED" },
        status::LAUNCH_FAILURE,
        Status { code: 202, name: "CURAND_STATUS_PREEXISTING_FAILURE" },
        status::INITIALIZATION_FAILED,
        Status { code: 204, name: "CURAND_STATUS_ARCH_MISMATCH" },
        status::INTERNAL_ERROR,
    ],
    not_initialized: status::INITIALIZATION_FAILED,
    execution_failed: status::LAUNCH_FAILURE,
    unknown: status::INTERNAL_ERROR,
};

/// States for `count` threads of a kernel that draws from XORWOW by itself: five words of the
/// register, oldest first, and the counter. Thread t's are those of `curand_init(seed, t, 0)`, 2^67
/// numbers after those of thread t - 1.
pub fn xorwow_sequences(seed: u64, count: usize) -> Vec<[u32; 6]> {
    xorwow::Xorwow::sequences(seed).take(count).map(|state| state.words()).collect()
}

/// The same for MRG32k3a: the last three values of the first recursion, oldest first, then of the
/// second; 2^76 numbers lie between two threads.
pub fn mrg32k3a_sequences(seed: u64, count: usize) -> Vec<[u32; 6]> {
    mrg32k3a::Mrg32k3a::sequences(seed).take(count).map(|state| state.words()).collect()
}

/// Kinds of generators (`curandRngType_t`, with the same numbers).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RngType {
    /// The default pseudo-random generator, XORWOW: `CURAND_RNG_PSEUDO_DEFAULT`.
    PseudoDefault = 100,
    /// XORWOW: `CURAND_RNG_PSEUDO_XORWOW`.
    PseudoXorwow = 101,
    /// MRG32k3a: `CURAND_RNG_PSEUDO_MRG32K3A`.
    PseudoMrg32k3a = 121,
    /// The Mersenne Twister for GPUs, only with the vendor's library: `CURAND_RNG_PSEUDO_MTGP32`.
    PseudoMtgp32 = 141,
    /// The Mersenne Twister: `CURAND_RNG_PSEUDO_MT19937`.
    PseudoMt19937 = 142,
    /// Philox4x32-10: `CURAND_RNG_PSEUDO_PHILOX4_32_10`.
    PseudoPhilox4_32_10 = 161,
    /// The default quasi-random generator, Sobol32: `CURAND_RNG_QUASI_DEFAULT`.
    QuasiDefault = 200,
    /// Sobol' points of 32 bits: `CURAND_RNG_QUASI_SOBOL32`.
    QuasiSobol32 = 201,
    /// Scrambled Sobol' points of 32 bits: `CURAND_RNG_QUASI_SCRAMBLED_SOBOL32`.
    QuasiScrambledSobol32 = 202,
    /// Sobol' points of 64 bits: `CURAND_RNG_QUASI_SOBOL64`.
    QuasiSobol64 = 203,
    /// Scrambled Sobol' points of 64 bits: `CURAND_RNG_QUASI_SCRAMBLED_SOBOL64`.
    QuasiScrambledSobol64 = 204,
}

impl RngType {
    /// The kind of a number of the vendor's.
    fn of_number(number: u64) -> Option<RngType> {
        use RngType::*;
        let all = [
            PseudoDefault,
            PseudoXorwow,
            PseudoMrg32k3a,
            PseudoMtgp32,
            PseudoMt19937,
            PseudoPhilox4_32_10,
            QuasiDefault,
            QuasiSobol32,
            QuasiScrambledSobol32,
            QuasiSobol64,
            QuasiScrambledSobol64,
        ];
        all.into_iter().find(|kind| *kind as u64 == number)
    }

    /// True for Sobol' points.
    pub fn is_quasi(self) -> bool {
        self as u32 >= 200
    }
}

/// In which order the numbers of a sequence lie in memory (`curandOrdering_t`, with the same
/// numbers).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordering {
    /// Today the same as the default: `CURAND_ORDERING_PSEUDO_BEST`.
    PseudoBest = 100,
    /// `CURAND_ORDERING_PSEUDO_DEFAULT`.
    PseudoDefault = 101,
    /// Fast to set up, weaker; only with the vendor's library: `CURAND_ORDERING_PSEUDO_SEEDED`.
    PseudoSeeded = 102,
    /// That of all versions: `CURAND_ORDERING_PSEUDO_LEGACY`.
    PseudoLegacy = 103,
    /// Best for the GPU at hand, and different on each; only with the vendor's library:
    /// `CURAND_ORDERING_PSEUDO_DYNAMIC`.
    PseudoDynamic = 104,
    /// `CURAND_ORDERING_QUASI_DEFAULT`.
    QuasiDefault = 201,
}

impl Ordering {
    /// The ordering of a number of the vendor's.
    fn of_number(number: u64) -> Option<Ordering> {
        use Ordering::*;
        let all =
            [PseudoBest, PseudoDefault, PseudoSeeded, PseudoLegacy, PseudoDynamic, QuasiDefault];
        all.into_iter().find(|ordering| *ordering as u64 == number)
    }
}
