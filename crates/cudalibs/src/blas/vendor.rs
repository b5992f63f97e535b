//! cuBLAS as far as it is used. Signatures: cuBLAS manual, "v2" interface.

use std::os::raw::c_void;

use crate::vendor::{Handle, vendor_library};

/// Dimensions and increments.
type Int = i32;
/// An array in device memory.
type Array = u64;
/// A scalar, in host or device memory as the pointer mode says.
type Scalar = *const c_void;
/// Where a result goes, in host or device memory as the pointer mode says.
type Out = *mut c_void;

#[cfg(windows)]
const NAMES: &[&str] = &["cublas64_13.dll", "cublas64_12.dll", "cublas64_11.dll"];
#[cfg(not(windows))]
const NAMES: &[&str] = &["libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"];

vendor_library! {
    /// The functions of cuBLAS.
    Cublas, "cuBLAS", NAMES;
    create: "cublasCreate_v2" (*mut Handle);
    destroy: "cublasDestroy_v2" (Handle);
    set_stream: "cublasSetStream_v2" (Handle, Handle);
    set_pointer_mode: "cublasSetPointerMode_v2" (Handle, Int);
    set_math_mode: "cublasSetMathMode" (Handle, Int);
    set_vector: "cublasSetVector" (Int, Int, *const c_void, Int, Array, Int);
    get_vector: "cublasGetVector" (Int, Int, Array, Int, *mut c_void, Int);
    set_matrix: "cublasSetMatrix" (Int, Int, Int, *const c_void, Int, Array, Int);
    get_matrix: "cublasGetMatrix" (Int, Int, Int, Array, Int, *mut c_void, Int);

    isamax: "cublasIsamax_v2" (Handle, Int, Array, Int, Out);
    idamax: "cublasIdamax_v2" (Handle, Int, Array, Int, Out);
    isamin: "cublasIsamin_v2" (Handle, Int, Array, Int, Out);
    idamin: "cublasIdamin_v2" (Handle, Int, Array, Int, Out);
    sasum: "cublasSasum_v2" (Handle, Int, Array, Int, Out);
    dasum: "cublasDasum_v2" (Handle, Int, Array, Int, Out);
    snrm2: "cublasSnrm2_v2" (Handle, Int, Array, Int, Out);
    dnrm2: "cublasDnrm2_v2" (Handle, Int, Array, Int, Out);
    sdot: "cublasSdot_v2" (Handle, Int, Array, Int, Array, Int, Out);
    ddot: "cublasDdot_v2" (Handle, Int, Array, Int, Array, Int, Out);
    saxpy: "cublasSaxpy_v2" (Handle, Int, Scalar, Array, Int, Array, Int);
    daxpy: "cublasDaxpy_v2" (Handle, Int, Scalar, Array, Int, Array, Int);
    sscal: "cublasSscal_v2" (Handle, Int, Scalar, Array, Int);
    dscal: "cublasDscal_v2" (Handle, Int, Scalar, Array, Int);
    scopy: "cublasScopy_v2" (Handle, Int, Array, Int, Array, Int);
    dcopy: "cublasDcopy_v2" (Handle, Int, Array, Int, Array, Int);
    sswap: "cublasSswap_v2" (Handle, Int, Array, Int, Array, Int);
    dswap: "cublasDswap_v2" (Handle, Int, Array, Int, Array, Int);
    srot: "cublasSrot_v2" (Handle, Int, Array, Int, Array, Int, Scalar, Scalar);
    drot: "cublasDrot_v2" (Handle, Int, Array, Int, Array, Int, Scalar, Scalar);

    sgemv: "cublasSgemv_v2" (Handle, Int, Int, Int, Scalar, Array, Int, Array, Int, Scalar, Array, Int);
    dgemv: "cublasDgemv_v2" (Handle, Int, Int, Int, Scalar, Array, Int, Array, Int, Scalar, Array, Int);
    sger: "cublasSger_v2" (Handle, Int, Int, Scalar, Array, Int, Array, Int, Array, Int);
    dger: "cublasDger_v2" (Handle, Int, Int, Scalar, Array, Int, Array, Int, Array, Int);
    ssymv: "cublasSsymv_v2" (Handle, Int, Int, Scalar, Array, Int, Array, Int, Scalar, Array, Int);
    dsymv: "cublasDsymv_v2" (Handle, Int, Int, Scalar, Array, Int, Array, Int, Scalar, Array, Int);
    ssyr: "cublasSsyr_v2" (Handle, Int, Int, Scalar, Array, Int, Array, Int);
    dsyr: "cublasDsyr_v2" (Handle, Int, Int, Scalar, Array, Int, Array, Int);
    strmv: "cublasStrmv_v2" (Handle, Int, Int, Int, Int, Array, Int, Array, Int);
    dtrmv: "cublasDtrmv_v2" (Handle, Int, Int, Int, Int, Array, Int, Array, Int);
    strsv: "cublasStrsv_v2" (Handle, Int, Int, Int, Int, Array, Int, Array, Int);
    dtrsv: "cublasDtrsv_v2" (Handle, Int, Int, Int, Int, Array, Int, Array, Int);

    sgemm: "cublasSgemm_v2" (Handle, Int, Int, Int, Int, Int, Scalar, Array, Int, Array, Int, Scalar, Array, Int);
    dgemm: "cublasDgemm_v2" (Handle, Int, Int, Int, Int, Int, Scalar, Array, Int, Array, Int, Scalar, Array, Int);
    sgemm_strided_batched: "cublasSgemmStridedBatched"
        (Handle, Int, Int, Int, Int, Int, Scalar, Array, Int, i64, Array, Int, i64, Scalar, Array, Int, i64, Int);
    dgemm_strided_batched: "cublasDgemmStridedBatched"
        (Handle, Int, Int, Int, Int, Int, Scalar, Array, Int, i64, Array, Int, i64, Scalar, Array, Int, i64, Int);
    ssyrk: "cublasSsyrk_v2" (Handle, Int, Int, Int, Int, Scalar, Array, Int, Scalar, Array, Int);
    dsyrk: "cublasDsyrk_v2" (Handle, Int, Int, Int, Int, Scalar, Array, Int, Scalar, Array, Int);
    ssymm: "cublasSsymm_v2" (Handle, Int, Int, Int, Int, Scalar, Array, Int, Array, Int, Scalar, Array, Int);
    dsymm: "cublasDsymm_v2" (Handle, Int, Int, Int, Int, Scalar, Array, Int, Array, Int, Scalar, Array, Int);
    strsm: "cublasStrsm_v2" (Handle, Int, Int, Int, Int, Int, Int, Scalar, Array, Int, Array, Int);
    dtrsm: "cublasDtrsm_v2" (Handle, Int, Int, Int, Int, Int, Int, Scalar, Array, Int, Array, Int);
    sgeam: "cublasSgeam" (Handle, Int, Int, Int, Int, Scalar, Array, Int, Scalar, Array, Int, Array, Int);
    dgeam: "cublasDgeam" (Handle, Int, Int, Int, Int, Scalar, Array, Int, Scalar, Array, Int, Array, Int);
}
