//! Modules: images, compiler messages, kernels and variables by name.

use std::ffi::CString;

use cust::error::CudaError;
use cust::function::FunctionAttribute;
use cust::memory::CopyDestination;
use cust::module::Module;
use cust::sys;

use super::{image, module, rig, why};

#[test]
fn other_images_are_refused_with_an_explanation() {
    let _rig = rig();
    let ptx = ".version 7.0\n.target sm_80\n.address_size 64\n";
    assert_eq!(Module::from_ptx(ptx, &[]).err(), Some(CudaError::InvalidImage));
    assert!(why().contains("runs CUDA C, not PTX"), "{}", why());
    assert_eq!(
        Module::from_cubin(b"\x7fELF\x02\x01\x01", &[]).err(),
        Some(CudaError::InvalidImage)
    );
    assert!(why().contains("not a cubin"), "{}", why());
    assert_eq!(Module::from_file("no such file.ptx").err(), Some(CudaError::FileNotFound));
    assert!(why().starts_with("no such file.ptx: "), "{}", why());
}

#[test]
fn compiler_messages_have_their_source_line() {
    let _rig = rig();
    let source = "extern \"C\" __global__ void k(int *c) {\n    c[idx] = 1;\n}\n";
    assert_eq!(Module::from_ptx(image(source), &[]).err(), Some(CudaError::InvalidSource));
    let text = why();
    assert!(text.contains("test.cu:2:7") && text.contains("c[idx] = 1;"), "{text}");
    let line = cuda_driver::last_error().unwrap().line;
    assert!(line.starts_with("test.cu:2:7: ") && !line.contains('\n'), "{line}");
}

#[test]
fn compiler_messages_go_to_the_callers_log() {
    let _rig = rig();
    let source = CString::new(image("__global__ void k() { oops }")).unwrap();
    let mut log = [0xffu8; 64];
    let mut keys = [
        sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
        sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    ];
    let mut values = [log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(log.len())];
    let mut handle = std::ptr::null_mut();
    // SAFETY: two options with their values; the buffer has the size that is told.
    let code = unsafe {
        sys::cuModuleLoadDataEx(
            &mut handle,
            source.as_ptr().cast(),
            2,
            keys.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    assert_eq!(code, sys::CUresult::CUDA_ERROR_INVALID_SOURCE);
    assert!(handle.is_null());
    assert_eq!(values[1] as usize, 64);
    assert_eq!(log[63], 0);
    assert!(log.starts_with(b"error: "), "{:?}", String::from_utf8_lossy(&log));
}

const KERNELS: &str = r#"
__constant__ float coefficients[4];
static __constant__ int hidden;
extern "C" __global__ void seen(float *out) { out[threadIdx.x] = coefficients[threadIdx.x]; }
__global__ void mangled(int *out, int n) { out[0] = n + hidden; }
extern "C" __global__ void __launch_bounds__(128) bounded(float *out) {
    __shared__ float tile[64];
    tile[threadIdx.x % 64] = 1.0f;
    __syncthreads();
    out[threadIdx.x] = tile[0];
}
"#;

#[test]
fn kernels_are_found_by_their_symbols() {
    let _rig = rig();
    let module = module(KERNELS);
    assert!(module.get_function("seen").is_ok());
    assert_eq!(module.get_function("mangled").err(), Some(CudaError::NotFound));
    let text = why();
    assert!(text.contains("extern \"C\" __global__ void mangled(...)"), "{text}");
    assert_eq!(module.get_function("missing").err(), Some(CudaError::NotFound));
    assert!(why().contains("there is no kernel `missing`: the module has seen, "), "{}", why());
}

#[test]
fn attributes_of_a_kernel() {
    let _rig = rig();
    let module = module(KERNELS);
    let bounded = module.get_function("bounded").unwrap();
    let get = |a| bounded.get_attribute(a).unwrap();
    assert_eq!(get(FunctionAttribute::MaxThreadsPerBlock), 128);
    assert_eq!(get(FunctionAttribute::SharedMemorySizeBytes), 256);
    assert_eq!(get(FunctionAttribute::ConstSizeBytes), 20);
    assert!((1..=255).contains(&get(FunctionAttribute::NumRegisters)));
    assert_eq!(get(FunctionAttribute::BinaryVersion), 90);
}

#[test]
fn variables_are_found_by_name_unless_static() {
    let _rig = rig();
    let module = module(KERNELS);
    let name = CString::new("coefficients").unwrap();
    let mut symbol = module.get_global::<[f32; 4]>(&name).unwrap();
    symbol.copy_from(&[1.0, 2.0, 3.0, 4.0]).unwrap();
    let mut back = [0f32; 4];
    symbol.copy_to(&mut back).unwrap();
    assert_eq!(back, [1.0, 2.0, 3.0, 4.0]);
    let hidden = CString::new("hidden").unwrap();
    assert_eq!(module.get_global::<i32>(&hidden).err(), Some(CudaError::NotFound));
    assert!(why().contains("drop `static`"), "{}", why());
    let none = CString::new("none").unwrap();
    assert_eq!(module.get_global::<i32>(&none).err(), Some(CudaError::NotFound));
}

#[test]
fn what_the_emulated_device_does_not_have_says_so() {
    let _rig = rig();
    assert_eq!(cust::link::Linker::new().err(), Some(CudaError::NotSupported));
    assert!(why().contains("not offered by the emulated device"), "{}", why());
}
