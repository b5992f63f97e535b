//! cuFFT as far as it is used. Signatures: cuFFT manual.

use super::FftType;
use crate::vendor::{Handle, Library, Loaded, functions};

/// Dimensions, flags and plans.
type Int = i32;

#[cfg(windows)]
const NAMES: &[&str] = &["cufft64_12.dll", "cufft64_11.dll", "cufft64_10.dll"];
#[cfg(not(windows))]
const NAMES: &[&str] = &["libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"];

/// cuFFT.
pub(crate) static CUFFT: Loaded<Cufft> =
    Loaded::new(|| Cufft::load(&Library::open("cuFFT", NAMES)?, str::to_owned));

functions! {
    /// The functions of cuFFT.
    Cufft;
    plan_many: "cufftPlanMany"
        (*mut Int, Int, *mut Int, *mut Int, Int, Int, *mut Int, Int, Int, Int, Int);
    destroy: "cufftDestroy" (Int);
    set_stream: "cufftSetStream" (Int, Handle);
    exec_c2c: "cufftExecC2C" (Int, u64, u64, Int);
    exec_r2c: "cufftExecR2C" (Int, u64, u64);
    exec_c2r: "cufftExecC2R" (Int, u64, u64);
    exec_z2z: "cufftExecZ2Z" (Int, u64, u64, Int);
    exec_d2z: "cufftExecD2Z" (Int, u64, u64);
    exec_z2d: "cufftExecZ2D" (Int, u64, u64);
}

impl Cufft {
    /// Runs a plan.
    ///
    /// # Safety
    /// `plan` is a live plan of this kind; both buffers are as large as it says.
    pub unsafe fn execute(
        &self,
        kind: FftType,
        plan: Int,
        from: u64,
        to: u64,
        direction: Int,
    ) -> u32 {
        // SAFETY: as the caller promises.
        unsafe {
            match kind {
                FftType::C2C => (self.exec_c2c)(plan, from, to, direction),
                FftType::R2C => (self.exec_r2c)(plan, from, to),
                FftType::C2R => (self.exec_c2r)(plan, from, to),
                FftType::Z2Z => (self.exec_z2z)(plan, from, to, direction),
                FftType::D2Z => (self.exec_d2z)(plan, from, to),
                FftType::Z2D => (self.exec_z2d)(plan, from, to),
            }
        }
    }
}
