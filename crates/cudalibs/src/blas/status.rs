//! The statuses of cuBLAS.

use crate::error::{Status, Statuses};

pub const NOT_INITIALIZED: Status = Status { code: 1, name: "CUBLAS_STATUS_NOT_INITIALIZED" };
pub const INVALID_VALUE: Status = Status { code: 7, name: "CUBLAS_STATUS_INVALID_VALUE" };
pub const EXECUTION_FAILED: Status = Status { code: 13, name: "CUBLAS_STATUS_EXECUTION_FAILED" };
pub const INTERNAL_ERROR: Status = Status { code: 14, name: "CUBLAS_STATUS_INTERNAL_ERROR" };

/// The statuses that cuBLAS returns.
pub static STATUSES: Statuses = Statuses {
    table: &[
        Status { code: 0, name: "CUBLAS_STATUS_SUCCESS" },
        NOT_INITIALIZED,
        Status { code: 3, name: "CUBLAS_STATUS_ALLOC_FAILED" },
        INVALID_VALUE,
        Status { code: 8, name: "CUBLAS_STATUS_ARCH_MISMATCH" },
        Status { code: 11, name: "CUBLAS_STATUS_MAPPING_ERROR" },
        EXECUTION_FAILED,
        INTERNAL_ERROR,
        Status { code: 15, name: "CUBLAS_STATUS_NOT_SUPPORTED" },
        Status { code: 16, name: "CUBLAS_STATUS_LICENSE_ERROR" },
    ],
    not_initialized: NOT_INITIALIZED,
    execution_failed: EXECUTION_FAILED,
    unknown: INTERNAL_ERROR,
};
