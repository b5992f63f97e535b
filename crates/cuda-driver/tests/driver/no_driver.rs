//! `LAB_DEVICE=cuda` on a machine without a driver, and the list of exported symbols.

use std::process::Command;

use cust::error::CudaError;

const CHILD: &str = "CUDA_DRIVER_TEST_NO_DRIVER";

/// The back end is chosen once per process: the test runs itself as a process of its own.
#[test]
fn a_missing_driver_is_told_and_nothing_else_works() {
    if std::env::var_os(CHILD).is_some() {
        return without_driver();
    }
    let _alone = super::alone();
    let name = "no_driver::a_missing_driver_is_told_and_nothing_else_works";
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(CHILD, "1")
        .env("LAB_DEVICE", "cuda")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("{text}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{errors}");
}

fn without_driver() {
    let result = cust::init(cust::CudaFlags::empty());
    if result.is_ok() {
        println!("skipped: this machine has a CUDA driver");
        return;
    }
    assert_eq!(result, Err(CudaError::NoDevice));
    assert_eq!(cuda_driver::backend(), cuda_driver::Backend::Cuda);
    assert_eq!(
        cuda_driver::last_error_text().as_deref(),
        Some("no CUDA driver found (unset LAB_DEVICE to use the emulator)")
    );
    assert_eq!(cust::device::Device::num_devices(), Err(CudaError::NoDevice));
    let log = emulation::calls::take().0;
    assert_eq!(log.len(), 2);
    assert_eq!(log[0].result_name, "CUDA_ERROR_NO_DEVICE");
}

#[test]
fn every_symbol_is_exported_once() {
    let mut names = cuda_driver::SYMBOLS.to_vec();
    assert!(names.len() >= 105);
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), cuda_driver::SYMBOLS.len());
}
