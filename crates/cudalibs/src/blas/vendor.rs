//! cuBLAS as far as it is used. Signatures: cuBLAS manual, "v2" interface.

use std::os::raw::c_void;

use crate::opaque::{Handle, Number};
use crate::remote;
use crate::vendor::{Library, Loaded, functions};

/// Dimensions and increments.
type Int = i32;
/// An array in device memory.
type Array = u64;
/// A scalar, in host or device memory as the pointer mode says.
type Scalar = *const Number;
/// Where a result goes, in host or device memory as the pointer mode says.
type Out = *mut Number;

#[cfg(windows)]
const NAMES: &[&str] = &["cublas64_13.dll", "cublas64_12.dll", "cublas64_11.dll"];
#[cfg(not(windows))]
const NAMES: &[&str] = &["libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"];

/// cuBLAS.
pub(crate) static CUBLAS: Loaded<Cublas> = Loaded::new(|| {
    if cuda_driver::library::judged() {
        return Ok(Cublas {
            general: General {
                set_pointer_mode: remote::set_pointer_mode,
                ..General::remote::<f32>()
            },
            copies: None,
            single: Routines::remote::<f32>(),
            double: Routines::remote::<f64>(),
        });
    }
    let library = Library::open("cuBLAS", NAMES)?;
    Ok(Cublas {
        general: General::load(&library, str::to_owned)?,
        copies: Some(Copies::load(&library, str::to_owned)?),
        single: Routines::load(&library, |name| of_precision(name, "S"))?,
        double: Routines::load(&library, |name| of_precision(name, "D"))?,
    })
});

/// The functions of handles, copies, and the routines of both precisions.
pub struct Cublas {
    pub general: General,
    /// Absent in a program that a judge has started.
    pub copies: Option<Copies>,
    pub single: Routines,
    pub double: Routines,
}

/// The name of a routine with the letter of its precision, which is small after the `I` of an
/// index.
fn of_precision(name: &str, letter: &str) -> String {
    name.replace("I?", &format!("I{}", letter.to_lowercase())).replace('?', letter)
}

functions! {
    /// What does not depend on the precision.
    remote General;
    create: "cublasCreate_v2" (*mut Handle);
    destroy: "cublasDestroy_v2" (Handle);
    set_stream: "cublasSetStream_v2" (Handle, Handle);
    set_pointer_mode: "cublasSetPointerMode_v2" (Handle, Int);
    set_math_mode: "cublasSetMathMode" (Handle, Int);
}

functions! {
    /// Copies between host and device.
    Copies;
    set_vector: "cublasSetVector" (Int, Int, *const c_void, Int, Array, Int);
    get_vector: "cublasGetVector" (Int, Int, Array, Int, *mut c_void, Int);
    set_matrix: "cublasSetMatrix" (Int, Int, Int, *const c_void, Int, Array, Int);
    get_matrix: "cublasGetMatrix" (Int, Int, Int, Array, Int, *mut c_void, Int);
}

functions! {
    /// The routines of one precision: `?` stands for its letter, `S` or `D`. Scalars are passed by
    /// address, so that the signatures of both precisions are the same.
    remote Routines;
    amax: "cublasI?amax_v2" (Handle, Int, Array, Int, *mut Int);
    amin: "cublasI?amin_v2" (Handle, Int, Array, Int, *mut Int);
    asum: "cublas?asum_v2" (Handle, Int, Array, Int, Out);
    nrm2: "cublas?nrm2_v2" (Handle, Int, Array, Int, Out);
    dot: "cublas?dot_v2" (Handle, Int, Array, Int, Array, Int, Out);
    axpy: "cublas?axpy_v2" (Handle, Int, Scalar, Array, Int, Array, Int);
    scal: "cublas?scal_v2" (Handle, Int, Scalar, Array, Int);
    copy: "cublas?copy_v2" (Handle, Int, Array, Int, Array, Int);
    swap: "cublas?swap_v2" (Handle, Int, Array, Int, Array, Int);
    rot: "cublas?rot_v2" (Handle, Int, Array, Int, Array, Int, Scalar, Scalar);

    gemv: "cublas?gemv_v2"
        (Handle, Int, Int, Int, Scalar, Array, Int, Array, Int, Scalar, Array, Int);
    ger: "cublas?ger_v2" (Handle, Int, Int, Scalar, Array, Int, Array, Int, Array, Int);
    symv: "cublas?symv_v2" (Handle, Int, Int, Scalar, Array, Int, Array, Int, Scalar, Array, Int);
    syr: "cublas?syr_v2" (Handle, Int, Int, Scalar, Array, Int, Array, Int);
    trmv: "cublas?trmv_v2" (Handle, Int, Int, Int, Int, Array, Int, Array, Int);
    trsv: "cublas?trsv_v2" (Handle, Int, Int, Int, Int, Array, Int, Array, Int);

    gemm: "cublas?gemm_v2"
        (Handle, Int, Int, Int, Int, Int, Scalar, Array, Int, Array, Int, Scalar, Array, Int);
    gemm_strided_batched: "cublas?gemmStridedBatched" (
        Handle, Int, Int, Int, Int, Int, Scalar, Array, Int, i64, Array, Int, i64, Scalar, Array,
        Int, i64, Int,
    );
    syrk: "cublas?syrk_v2" (Handle, Int, Int, Int, Int, Scalar, Array, Int, Scalar, Array, Int);
    symm: "cublas?symm_v2"
        (Handle, Int, Int, Int, Int, Scalar, Array, Int, Array, Int, Scalar, Array, Int);
    trsm: "cublas?trsm_v2" (Handle, Int, Int, Int, Int, Int, Int, Scalar, Array, Int, Array, Int);
    geam: "cublas?geam"
        (Handle, Int, Int, Int, Int, Scalar, Array, Int, Scalar, Array, Int, Array, Int);
}
