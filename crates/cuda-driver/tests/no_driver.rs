//! `LAB_DEVICE=cuda` on a machine without a driver, and the list of exported symbols.

use cust::error::CudaError;

#[test]
fn a_missing_driver_is_told_and_nothing_else_works() {
    // SAFETY: the only test of this binary that looks at the environment or calls the driver.
    unsafe { std::env::set_var("LAB_DEVICE", "cuda") };
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
