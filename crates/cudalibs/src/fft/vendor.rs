//! cuFFT as far as it is used. Signatures: cuFFT manual.

use super::FftType;
use crate::opaque::Handle;
use crate::vendor::{Library, Loaded, functions};

/// Dimensions, flags and plans.
type Int = i32;

#[cfg(windows)]
const NAMES: &[&str] = &["cufft64_12.dll", "cufft64_11.dll", "cufft64_10.dll"];
#[cfg(not(windows))]
const NAMES: &[&str] = &["libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"];

/// cuFFT.
pub(crate) static CUFFT: Loaded<Cufft> = Loaded::new(|| {
    if cuda_driver::library::judged() {
        return Ok(Cufft { plans: None, calls: Calls::remote::<f32>() });
    }
    let library = Library::open("cuFFT", NAMES)?;
    Ok(Cufft {
        plans: Some(Plans::load(&library, str::to_owned)?),
        calls: Calls::load(&library, str::to_owned)?,
    })
});

/// cuFFT's functions.
pub struct Cufft {
    /// Absent in a program that a judge has started.
    pub plans: Option<Plans>,
    pub calls: Calls,
}

functions! {
    /// How plans are made.
    Plans;
    many: "cufftPlanMany"
        (*mut Int, Int, *mut Int, *mut Int, Int, Int, *mut Int, Int, Int, Int, Int);
}

functions! {
    /// What is done with plans.
    remote Calls;
    destroy: "cufftDestroy" (Int);
    set_stream: "cufftSetStream" (Int, Handle);
    exec_c2c: "cufftExecC2C" (Int, u64, u64, Int);
    exec_r2c: "cufftExecR2C" (Int, u64, u64);
    exec_c2r: "cufftExecC2R" (Int, u64, u64);
    exec_z2z: "cufftExecZ2Z" (Int, u64, u64, Int);
    exec_d2z: "cufftExecD2Z" (Int, u64, u64);
    exec_z2d: "cufftExecZ2D" (Int, u64, u64);
}

impl Calls {
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
