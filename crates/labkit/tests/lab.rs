//! The helper crate on the emulated device: kernel files, errors for people, the child side of a
//! host check.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use cust::memory::DeviceCopy;
use cust::prelude::*;
use labkit::serve::Handler;
use labkit::{During, Lab, LabError, kernel_file};
use serde_json::{Value, json};

/// A folder with kernel files that `LAB_KERNELS` names, and nobody else in the driver.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    static SETUP: Once = Once::new();
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    SETUP.call_once(|| {
        let folder = folder();
        std::fs::create_dir_all(folder.join("sub")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write("sub/add.cu", ADD);
        write("sub/add_common.cuh", "#ifndef ELEM\n#error ELEM is not set\n#endif\n");
        write("broken.cu", "extern \"C\" __global__ void k(int *c) {\n    c[idx] = 1;\n}\n");
        // SAFETY: every test begins here, and only one gets in: nobody reads the environment
        // meanwhile.
        unsafe {
            std::env::set_var("LAB_DEVICE", "emulated");
            std::env::set_var("LAB_GPU", "h200");
            std::env::set_var("LAB_KERNELS", &folder);
        }
    });
    guard
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("labkit-kernels")
}

const ADD: &str = r#"#include "add_common.cuh"
extern "C" __global__ void add_kernel(ELEM *c, const ELEM *a, const ELEM *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}
"#;

fn add<T: DeviceCopy + Default>(
    elem: &str,
    block: u32,
    a: &[T],
    b: &[T],
) -> Result<Vec<T>, LabError> {
    labkit::check_len("b", b.len(), a.len())?;
    let lab = Lab::new()?;
    let module = lab.module(kernel_file!("sub/add.cu"), &[&format!("-DELEM={elem}")])?;
    let kernel = module.get_function("add_kernel")?;
    let (a, b) = (DeviceBuffer::from_slice(a)?, DeviceBuffer::from_slice(b)?);
    // SAFETY: the kernel writes all of it.
    let c = unsafe { DeviceBuffer::<T>::uninitialized(a.len()) }?;
    let stream = lab.stream();
    // SAFETY: arguments as the kernel has them.
    unsafe {
        launch!(kernel<<<(a.len() as u32).div_ceil(block), block, 0, stream>>>(
            c.as_device_ptr(),
            a.as_device_ptr(),
            b.as_device_ptr()
        ))
        .during("launch of add_kernel")?;
    }
    Ok(c.as_host_vec()?)
}

#[test]
fn kernel_files_are_found_with_their_headers_and_macros() {
    let _alone = alone();
    assert_eq!(
        add("int", 5, &[1, 2, 3, 4, 5], &[10, 20, 30, 40, 50]).unwrap(),
        [11, 22, 33, 44, 55]
    );
    assert_eq!(add("double", 3, &[0.5; 3], &[0.25; 3]).unwrap(), [0.75; 3]);
}

#[test]
fn a_refused_launch_is_one_line_with_its_reason() {
    let _alone = alone();
    let error = add("int", 2000, &[1; 2000], &[1; 2000]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "launch of add_kernel: InvalidValue: a block of 2000 threads in x is too large: at most \
         1024"
    );
    assert_eq!(error.code_name(), "CUDA_ERROR_INVALID_VALUE");
}

#[test]
fn a_fault_shows_its_line() {
    let _alone = alone();
    let error = add("int", 256, &[1; 2000], &[1; 2000]).unwrap_err();
    let line = error.to_string();
    assert!(
        line.starts_with("launch of add_kernel: IllegalAddress: OOB-G in add_kernel: "),
        "{line}"
    );
    assert!(line.contains("kernels/sub/add.cu:4:") && !line.contains('\n'), "{line}");
    let report = error.report();
    assert!(report.starts_with(&line) && report.contains("c[i] = a[i] + b[i];"), "{report}");
    // The next lab is not spoilt.
    assert_eq!(add("int", 1, &[1], &[2]).unwrap(), [3]);
}

#[test]
fn compiler_messages_are_errors_with_file_and_line() {
    let _alone = alone();
    let lab = Lab::new().unwrap();
    let error = lab.module(kernel_file!("broken.cu"), &[]).map(drop).unwrap_err();
    let LabError::Compile { line, report } = &error else { panic!("{error:?}") };
    assert!(line.starts_with("kernels/broken.cu:2:7: "), "{line}");
    assert!(report.contains("c[idx] = 1;"), "{report}");
    let missing = lab.module(kernel_file!("missing.cu"), &[]).map(drop).unwrap_err();
    assert_eq!(missing.exit_code(), 2);
    let option = lab.module(kernel_file!("broken.cu"), &["--frob"]).map(drop).unwrap_err();
    assert!(option.to_string().contains("`--frob` is not known"), "{option}");
}

#[test]
fn an_unknown_kernel_names_call_and_reason() {
    let _alone = alone();
    let lab = Lab::new().unwrap();
    let module = lab.module("__global__ void f() {}\n", &[]).unwrap();
    let error: LabError = module.get_function("f").map(drop).unwrap_err().into();
    let text = error.to_string();
    assert!(text.starts_with("cuModuleGetFunction: NotFound: kernel `f` is known as `"), "{text}");
}

#[test]
fn times_of_the_emulated_device_are_called_predicted() {
    let _alone = alone();
    let lab = Lab::new().unwrap();
    assert_eq!(
        lab.kernel_time_line(0.25).unwrap(),
        "Kernel-only time: 0.250000 ms predicted for NVIDIA H200 (emulated; see counters)"
    );
}

fn handlers() -> Vec<(&'static str, Handler)> {
    fn sum(args: &Value) -> Result<Value, LabError> {
        let list: Vec<i32> = serde_json::from_value(args["a"].clone())
            .map_err(|e| LabError::msg(format!("a: {e}")))?;
        let block = args["block"].as_u64().unwrap_or(1) as u32;
        Ok(json!(add("int", block, &list, &list)?))
    }
    fn leak(_: &Value) -> Result<Value, LabError> {
        let lab = Lab::new()?;
        std::mem::forget(DeviceBuffer::from_slice(&[1u8; 100])?);
        drop(lab);
        Ok(Value::Null)
    }
    vec![("sum", sum), ("leak", leak)]
}

#[test]
fn a_judge_gets_values_traces_launches_and_faults() {
    let _alone = alone();
    let (request, response) = (folder().join("request.json"), folder().join("replies.jsonl"));
    let long = vec![1; 100];
    let calls = json!([
        { "call": "sum", "args": { "a": [1, 2, 3] } },
        { "call": "leak" },
        { "call": "sum", "args": { "a": long, "block": 64 } },
        { "call": "sum", "args": { "a": [4] } },
    ]);
    std::fs::write(&request, calls.to_string()).unwrap();
    labkit::serve::serve(handlers(), &request, &response).unwrap();
    let text = std::fs::read_to_string(&response).unwrap();
    let replies: Vec<wire::Reply> =
        text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    use wire::Outcome;
    assert_eq!(replies[0].outcome, Outcome::Ok(json!([2, 4, 6])));
    assert_eq!(replies[0].backend, "emulated");
    assert_eq!(replies[0].launches.len(), 1);
    let names: Vec<&str> = replies[0].api.iter().map(|c| c.name.as_str()).collect();
    let count = |name| names.iter().filter(|n| **n == name).count();
    assert_eq!((count("cuMemAlloc"), count("cuMemFree"), count("cuLaunchKernel")), (3, 3, 1));
    assert!(replies[0].faults.is_empty());
    assert_eq!(replies[1].faults[0].kind.code(), "LEAK");
    let Outcome::Err { message, report, code } = &replies[2].outcome else { panic!("{replies:?}") };
    assert!(message.contains("OOB-G") && report.contains("a[i] + b[i]"), "{message}\n{report}");
    assert_eq!(code, "CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_eq!(replies[2].faults.len(), 1);
    assert_eq!(replies[3].outcome, Outcome::Ok(json!([8])));
}
