//! cuFFT as far as it is used. Signatures: cuFFT manual.

use crate::vendor::{Handle, vendor_library};

/// Dimensions, flags and plans.
type Int = i32;

#[cfg(windows)]
const NAMES: &[&str] = &["cufft64_12.dll", "cufft64_11.dll", "cufft64_10.dll"];
#[cfg(not(windows))]
const NAMES: &[&str] = &["libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"];

vendor_library! {
    /// The functions of cuFFT.
    Cufft, "cuFFT", NAMES;
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
