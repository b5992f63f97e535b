//! What BLAS refuses, what it reports, and what it logs.

use cudalibs::blas::{Blas, Fill, Op, set_matrix, set_vector};
use cudalibs::{Error, Provider};
use cust::memory::CopyDestination;
use cust::stream::{Stream, StreamFlags};

use super::{on_device, rig, unwritten};

fn text<T>(result: Result<T, Error>) -> String {
    match result {
        Ok(_) => "no error".into(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    let rig = rig();
    let blas = Blas::new().unwrap();
    let a = on_device(&[1.0f32; 12]);
    let x = on_device(&[1.0f32; 4]);
    let mut y = on_device(&[7.0f32; 4]);
    rig.calls();
    let cases = [
        (
            text(blas.sgemv(Op::N, 4, 3, 1.0, &a, 3, &x, 1, 0.0, &mut y, 1)),
            "cublasSgemv: CUBLAS_STATUS_INVALID_VALUE: lda = 3 is smaller than the 4 rows of A: \
             matrices are stored by columns, ld elements apart",
        ),
        (
            text(blas.sgemv(Op::N, 4, 4, 1.0, &a, 4, &x, 1, 0.0, &mut y, 1)),
            "cublasSgemv: CUBLAS_STATUS_INVALID_VALUE: A has 12 elements, but 4 columns of 4 rows \
             with lda = 4 need 16",
        ),
        (
            text(blas.sgemv(Op::T, 2, 6, 1.0, &a, 2, &x, 1, 0.0, &mut y, 1)),
            "cublasSgemv: CUBLAS_STATUS_INVALID_VALUE: y has 4 elements, but 6 of them 1 apart \
             need 6",
        ),
        (
            text(blas.sgemv(Op::N, 4, 3, 1.0, &a, 4, &x, 0, 0.0, &mut y, 1)),
            "cublasSgemv: CUBLAS_STATUS_INVALID_VALUE: incx is 0: neighbours are 1 apart",
        ),
        (
            text(blas.snrm2(3, &x, 2)),
            "cublasSnrm2: CUBLAS_STATUS_INVALID_VALUE: x has 4 elements, but 3 of them 2 apart \
             need 5",
        ),
        (
            text(blas.isamax(5, &x, 1)),
            "cublasIsamax: CUBLAS_STATUS_INVALID_VALUE: x has 4 elements, but 5 of them 1 apart \
             need 5",
        ),
        (
            text(blas.saxpy(3_000_000_000, 1.0, &x, 1, &mut y, 1)),
            "cublasSaxpy: CUBLAS_STATUS_INVALID_VALUE: n = 3000000000 does not fit the library's \
             32-bit integers",
        ),
        (
            text(blas.ssyrk(Fill::Lower, Op::T, 2, 3, 1.0, &a, 2, 0.0, &mut y, 2)),
            "cublasSsyrk: CUBLAS_STATUS_INVALID_VALUE: lda = 2 is smaller than the 3 rows of A: \
             matrices are stored by columns, ld elements apart",
        ),
        (
            text(set_vector(5, &[0.0f32; 4], 1, &mut y, 1)),
            "cublasSetVector: CUBLAS_STATUS_INVALID_VALUE: x has 4 elements, but 5 of them 1 apart \
             need 5",
        ),
        (
            text(set_matrix(2, 3, &[0.0f32; 6], 2, &mut y, 2)),
            "cublasSetMatrix: CUBLAS_STATUS_INVALID_VALUE: B has 4 elements, but 3 columns of 2 \
             rows with ldb = 2 need 6",
        ),
    ];
    for (found, wanted) in &cases {
        assert_eq!(found, wanted);
    }
    // Nothing was written, and each refusal is in the log.
    let mut out = [0.0; 4];
    y.copy_to(&mut out).unwrap();
    assert_eq!(out, [7.0; 4]);
    let refused = rig.calls();
    assert_eq!(
        refused.iter().filter(|c| c.ends_with("CUBLAS_STATUS_INVALID_VALUE")).count(),
        cases.len()
    );
    // As a lab's error it is the same line, and the status is its code.
    let error = labkit::LabError::from(blas.snrm2(3, &x, 2).unwrap_err());
    assert_eq!(error.code_name(), "CUBLAS_STATUS_INVALID_VALUE");
    assert_eq!(error.to_string(), cases[4].1);
}

#[test]
fn never_written_operands_are_found_and_unread_ones_are_not() {
    let rig = rig();
    let blas = Blas::new().unwrap();
    let a = on_device(&[1.0f32; 12]);
    let x = on_device(&[1.0f32; 4]);
    let mut y = unwritten::<f32>(4);
    // beta = 0: y is only written.
    blas.sgemv(Op::N, 4, 3, 1.0, &a, 4, &x, 1, 0.0, &mut y, 1).unwrap();
    assert_eq!(rig.findings(), [""; 0]);
    let mut z = unwritten::<f32>(4);
    blas.sgemv(Op::N, 4, 3, 1.0, &a, 4, &x, 1, 1.0, &mut z, 1).unwrap();
    let found = rig.findings();
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("[0], y of cublasSgemv, is read but was never written"), "{found:?}");
    // Half of a vector.
    let part = unwritten::<f32>(8);
    part.index(..4).copy_from(&[1.0, 2.0, 3.0, 4.0]).unwrap();
    blas.sasum(4, &part, 1).unwrap();
    assert_eq!(rig.findings(), [""; 0]);
    blas.sasum(5, &part, 1).unwrap();
    let found = rig.findings();
    assert!(found[0].contains("[4], x of cublasSasum, is read but was never written"), "{found:?}");
}

#[test]
fn streams_without_an_order_are_found() {
    let rig = rig();
    let other = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    let (mut one, mut two) = (Blas::new().unwrap(), Blas::new().unwrap());
    one.set_stream(rig.lab.stream()).unwrap();
    two.set_stream(&other).unwrap();
    let x = on_device(&[1.0f32; 8]);
    let mut y = on_device(&[0.0f32; 8]);
    one.scopy(8, &x, 1, &mut y, 1).unwrap();
    two.sscal(8, 2.0, &mut y, 1).unwrap();
    let found = rig.findings();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("cublasSscal in stream") && found[0].contains("nothing orders the two"),
        "{found:?}"
    );
    // Different halves, or after the host has waited: fine.
    other.synchronize().unwrap();
    rig.lab.stream().synchronize().unwrap();
    let (mut left, mut right) = (y.index(..4), y.index(4..));
    one.sscal(4, 2.0, &mut left, 1).unwrap();
    two.sscal(4, 2.0, &mut right, 1).unwrap();
    // A norm waits for its own stream.
    two.snrm2(4, &right, 1).unwrap();
    one.sscal(4, 2.0, &mut right, 1).unwrap();
    assert_eq!(rig.findings(), [""; 0]);
}

#[test]
fn the_log_has_the_vendors_names() {
    let rig = rig();
    let mut blas = Blas::new().unwrap();
    blas.set_stream(rig.lab.stream()).unwrap();
    let x = on_device(&[1.0f32; 8]);
    rig.lab.take_api_log();
    blas.snrm2(8, &x, 1).unwrap();
    blas.isamax(8, &x, 1).unwrap();
    let mut y = on_device(&[0.0f32; 8]);
    blas.scopy(8, &x, 1, &mut y, 1).unwrap();
    let log = rig.lab.take_api_log();
    let copy = log.last().unwrap();
    assert_eq!((copy.bytes, copy.address), (Some(32), Some(y.as_device_ptr().as_raw())));
    assert_eq!(copy.stream, log[0].stream);
    assert!(copy.stream.is_some_and(|s| s > 0));
    drop(blas);
    let names: Vec<&str> = log.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["cublasSnrm2", "cublasIsamax", "cuMemAlloc", "cuMemcpyHtoD", "cublasScopy"]);
    assert_eq!(rig.calls(), ["cublasDestroy"]);
}

#[test]
fn without_a_context_or_after_a_fault_there_is_no_handle() {
    let rig = rig();
    let error = std::thread::spawn(|| Blas::new().unwrap_err().to_string()).join().unwrap();
    assert!(
        error.starts_with("cublasCreate: CUBLAS_STATUS_NOT_INITIALIZED: no context is current"),
        "{error}"
    );
    let error = Blas::with(Provider::Vendor).unwrap_err().to_string();
    assert!(error.contains("the vendor's library needs a GPU"), "{error}");
    // A freed buffer: only reachable through a copied slice.
    let blas = Blas::new().unwrap();
    let x = on_device(&[1.0f32; 8]);
    let copy = x.index(..);
    drop(x);
    let error = blas.snrm2(8, &copy, 1).unwrap_err().to_string();
    assert!(
        error.starts_with("cublasSnrm2: CUBLAS_STATUS_EXECUTION_FAILED")
            && error.contains("was freed before"),
        "{error}"
    );
    drop(rig);
}
